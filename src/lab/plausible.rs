//! How many moves plausible move generation leaves out, and how often the one that was played is among them: the tables
//! of Grimbergen and Matsubara (search specification 6.2).

use serde::Serialize;

use crate::search::{MERITS, MeritView, Parameters, merit_views};

use super::train::Drawn;

/// What a way to choose moves does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Choosing {
    /// Share of positions in which the played move is chosen.
    pub accuracy: f64,
    /// Share of all moves that are not.
    pub saving: f64,
}

impl Choosing {
    /// The share of lines of ten plies in which every played move would be chosen, were these independent.
    pub fn of_ten(&self) -> f64 {
        self.accuracy.powi(10)
    }
}

/// The tables.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PlausibleStudy {
    /// Positions.
    pub positions: usize,
    /// Legal moves of all of them.
    pub moves: usize,
    /// The most legal moves of one.
    pub most: usize,
    /// All moves that a generator makes.
    pub all: Choosing,
    /// Those of them with at least so much merit, in points.
    pub cuts: Vec<(i32, Choosing)>,
    /// So many of the highest merit.
    pub best: Vec<(usize, Choosing)>,
    /// The share of positions in which the played move is among so many by merit.
    pub ranks: Vec<(usize, f64)>,
}

impl PlausibleStudy {
    /// Of no position yet.
    pub fn new() -> Self {
        Self {
            cuts: CUTS.map(|cut| (cut, Choosing::default())).to_vec(),
            best: BEST.map(|count| (count, Choosing::default())).to_vec(),
            ranks: RANKS.map(|rank| (rank, 0.0)).to_vec(),
            ..Self::default()
        }
    }

    /// Counts a position; figures are sums until [`PlausibleStudy::finish`].
    pub(crate) fn add(&mut self, drawn: &Drawn<'_>) {
        let threat = Parameters::default().plausible_threat;
        let views = merit_views(drawn.position, drawn.last_to, threat);
        let merit = |view: &MeritView| {
            let of = |row: &u8| {
                let value = MERITS[usize::from(*row)];
                if view.good { value.good } else { value.bad }
            };
            view.rows.iter().map(of).sum::<i32>() + view.sacrifice
        };
        let merits: Vec<(i32, bool)> =
            views.iter().map(|view| (merit(view), view.plausible)).collect();
        let Some(at) = views.iter().position(|view| view.mv == drawn.played) else { return };
        self.positions += 1;
        self.moves += merits.len();
        self.most = self.most.max(merits.len());
        let count = |choosing: &mut Choosing, chosen: &dyn Fn(i32, bool) -> bool| {
            let (merit, made) = merits[at];
            choosing.accuracy += f64::from(u8::from(chosen(merit, made)));
            let left_out = merits.iter().filter(|(merit, made)| !chosen(*merit, *made));
            choosing.saving += left_out.count() as f64;
        };
        count(&mut self.all, &|_, made| made);
        for (cut, choosing) in &mut self.cuts {
            count(choosing, &|merit, made| made && merit >= *cut);
        }
        // Of equals those that come first in the list.
        let (own, _) = merits[at];
        let above = merits.iter().filter(|(merit, _)| *merit > own).count();
        let equals = merits[..at].iter().filter(|(merit, _)| *merit == own).count();
        let rank = above + equals + 1;
        for (most, choosing) in &mut self.best {
            choosing.accuracy += f64::from(u8::from(rank <= *most));
            choosing.saving += merits.len().saturating_sub(*most) as f64;
        }
        for (most, share) in &mut self.ranks {
            *share += f64::from(u8::from(rank <= *most));
        }
    }

    /// Makes shares of the sums.
    #[must_use]
    pub(crate) fn finish(mut self) -> Self {
        let (positions, moves) = (self.positions.max(1) as f64, self.moves.max(1) as f64);
        let cuts = self.cuts.iter_mut().map(|(_, choosing)| choosing);
        let best = self.best.iter_mut().map(|(_, choosing)| choosing);
        for choosing in cuts.chain(best).chain([&mut self.all]) {
            choosing.accuracy /= positions;
            choosing.saving /= moves;
        }
        for (_, share) in &mut self.ranks {
            *share /= positions;
        }
        self
    }
}

/// Merit that a move must have, in points; 0 is `mma`.
const CUTS: [i32; 9] = [-200, -100, -50, -25, 0, 25, 50, 100, 200];
const BEST: [usize; 7] = [5, 10, 15, 20, 30, 40, 60];
const RANKS: [usize; 10] = [1, 2, 3, 5, 10, 15, 20, 30, 50, 100];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Position, notation::usi::parse_move};

    #[test]
    fn shares_are_of_positions_and_of_moves() {
        // A pawn takes a pawn; the king has five squares.
        let position = Position::from_sfen("4k4/9/9/2p6/2P6/9/9/9/4K4 b - 1").unwrap();
        let mut study = PlausibleStudy::new();
        for mv in ["7e7d", "5i4i"] {
            let drawn = Drawn {
                position: &position,
                played: parse_move(mv).unwrap(),
                last_to: None,
                checked_before: false,
                judges: false,
            };
            study.add(&drawn);
        }
        let study = study.finish();
        assert_eq!((study.positions, study.moves, study.most), (2, 12, 6));
        assert!((0.5..=1.0).contains(&study.all.accuracy));
        // The capture is the first by merit, the king's move is not.
        assert!((study.ranks[0].1 - 0.5).abs() < 1e-9, "{study:?}");
        assert!((study.ranks[4].1 - 1.0).abs() < 1e-9);
        let (five, best) = study.best[0];
        assert_eq!(five, 5);
        assert!((best.saving - 1.0 / 6.0).abs() < 1e-9);
        // The dearer the cut, the more is saved and the less is kept.
        for pair in study.cuts.windows(2) {
            assert!(pair[0].1.saving <= pair[1].1.saving);
            assert!(pair[0].1.accuracy >= pair[1].1.accuracy);
        }
    }
}
