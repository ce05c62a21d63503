//! The number of moves that plausible move generation leaves out, and how often the played move is among them: the
//! tables and curves of Grimbergen and Matsubara (docs/search.md, sections 6.2 and 6.4).

use serde::Serialize;

use super::{PositionReader, RankCurve};
use crate::train::{InterestList, SampledPosition, present_weights};
use kyomi_engine::search::explain::ExplainError;
use kyomi_engine::search::{GENERATORS, InterestFitInput, MeritView, StopFlag, merit_views};
use kyomi_shogi::Position;

/// The quality of a selection of moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct SelectionQuality {
    /// The share of positions in which the played move is selected.
    pub accuracy: f64,
    /// The share of all legal moves that are not selected.
    pub saving: f64,
}

impl SelectionQuality {
    /// The share of ten-ply lines in which every played move would be selected if moves were independent.
    pub fn ten_ply_accuracy(&self) -> f64 {
        self.accuracy.powi(10)
    }
}

/// The share of moves that one generator makes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct GeneratorShare {
    /// The generator's letter and number, as in `G1`.
    pub generator: &'static str,
    /// The generator's description.
    pub name: &'static str,
    /// The share of all legal moves that it makes.
    pub moves: f64,
    /// The share of the played moves that it makes.
    pub played: f64,
}

impl GeneratorShare {
    /// How much more often the generator makes the played move than an arbitrary legal move.
    pub fn lift(&self) -> f64 {
        if self.moves > 0.0 { self.played / self.moves } else { 0.0 }
    }
}

/// Played moves with a common property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlayedKind {
    /// The property, as a description.
    pub kind: String,
    /// The number of played moves with this property.
    pub played: usize,
    /// The number of these moves that no generator makes.
    pub left_out: usize,
}

/// A played move that no generator makes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OmittedMove {
    /// The position.
    pub sfen: String,
    /// The move.
    pub played: String,
}

/// A percentile of the shares of moves left out in single positions.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SavingPercentile {
    /// The percentage of positions in which the share is not larger.
    pub percent: usize,
    /// The share of moves that no generator makes.
    pub all: f64,
    /// The share of moves that no generator makes or that have negative merit.
    pub mma: f64,
}

/// The tables of `kyomi-lab plausible`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PlausibleStudy {
    /// The number of positions.
    pub positions: usize,
    /// The number of legal moves of all positions together.
    pub moves: usize,
    /// The largest number of legal moves in a position.
    pub most: usize,
    /// The share of positions in which a strong threat switches positional generators off.
    pub dominated: f64,
    /// The selection of all moves that a generator makes.
    pub all: SelectionQuality,
    /// For each minimum merit in points, the selection of plausible moves with at least this merit.
    pub cuts: Vec<(i32, SelectionQuality)>,
    /// For each count, the selection of this number of moves with the highest merit.
    pub best: Vec<(usize, SelectionQuality)>,
    /// The moves that each generator makes.
    pub generators: Vec<GeneratorShare>,
    /// Played moves by property, with the number that no generator makes.
    pub kinds: Vec<PlayedKind>,
    /// Examples of played moves that no generator makes.
    pub left_out: Vec<OmittedMove>,
    /// Percentiles of the savings of single positions, ascending.
    pub savings: Vec<SavingPercentile>,
    /// The ranks of the played moves by merit.
    pub by_merit: RankCurve,
    /// The ranks of the played moves by interest, with empty histories; positions in check are omitted.
    pub by_interest: RankCurve,
    /// The shares [`SavingPercentile::all`] and [`SavingPercentile::mma`] of each position.
    #[serde(skip)]
    shares: Vec<(f64, f64)>,
}

/// Builds a [`PlausibleStudy`] from positions, which are added one after the other.
pub(crate) struct PlausibleReader {
    study: PlausibleStudy,
    interest: InterestFitInput,
    weights: Vec<f64>,
    strong_threat: i32,
    /// The largest number of examples in [`PlausibleStudy::left_out`].
    most_left_out: usize,
    /// Only positions of games in the test set count.
    test_set_only: bool,
}

impl PlausibleReader {
    /// A reader without positions.
    ///
    /// A threat of at least `strong_threat`, a capture value in centipawns, switches positional generators off. The
    /// study keeps `most_left_out` examples of played moves that no generator makes. With `test_set_only`, positions of
    /// games outside the test set are ignored.
    pub(crate) fn new(strong_threat: i32, most_left_out: usize, test_set_only: bool) -> Self {
        let study = PlausibleStudy {
            cuts: CUTS.map(|cut| (cut, SelectionQuality::default())).to_vec(),
            best: BEST.map(|count| (count, SelectionQuality::default())).to_vec(),
            generators: GENERATORS
                .map(|(generator, name)| GeneratorShare {
                    generator,
                    name,
                    ..GeneratorShare::default()
                })
                .to_vec(),
            ..PlausibleStudy::default()
        };
        let (interest, weights) = (InterestFitInput::new(), present_weights());
        Self { study, interest, weights, strong_threat, most_left_out, test_set_only }
    }
}

impl PositionReader for PlausibleReader {
    type Study = PlausibleStudy;

    fn add(&mut self, sampled: &SampledPosition<'_>, _stop: &StopFlag) -> Result<(), ExplainError> {
        if self.test_set_only && !sampled.in_test_set {
            return Ok(());
        }
        let views = merit_views(sampled.position, sampled.last_to, self.strong_threat);
        let (dominated, views) = (views.dominated, views.moves);
        let Some(at) = views.iter().position(|view| view.mv == sampled.played) else {
            return Ok(());
        };
        let study = &mut self.study;
        study.positions += 1;
        study.moves += views.len();
        study.most = study.most.max(views.len());
        study.dominated += f64::from(u8::from(dominated));
        study.count_selections(&views, at);
        for view in &views {
            for generator in view.generators() {
                study.generators[generator].moves += 1.0;
            }
        }
        for generator in views[at].generators() {
            study.generators[generator].played += 1.0;
        }
        let left_out = !views[at].is_plausible();
        for kind in kinds(sampled, &views[at], dominated) {
            study.count_kind(kind, left_out);
        }
        if left_out && study.left_out.len() < self.most_left_out {
            let (sfen, played) = (sampled.position.to_sfen(), sampled.played.to_string());
            study.left_out.push(OmittedMove { sfen, played });
        }
        if !sampled.position.in_check() {
            let (to, checked) = (sampled.last_to, sampled.checked_before);
            let list =
                InterestList::new(&self.interest, sampled.position, sampled.played, to, checked);
            if let Some(list) = list {
                study.by_interest.add(list.rank(&self.weights));
            }
        }
        Ok(())
    }

    fn positions(&self) -> usize {
        self.study.positions
    }

    fn finish(self) -> PlausibleStudy {
        let mut study = self.study;
        let (positions, moves) = (study.positions.max(1) as f64, study.moves.max(1) as f64);
        let cuts = study.cuts.iter_mut().map(|(_, quality)| quality);
        let best = study.best.iter_mut().map(|(_, quality)| quality);
        for quality in cuts.chain(best).chain([&mut study.all]) {
            quality.accuracy /= positions;
            quality.saving /= moves;
        }
        for generator in &mut study.generators {
            generator.moves /= moves;
            generator.played /= positions;
        }
        study.dominated /= positions;
        study.kinds.sort_by(|a, b| a.kind.cmp(&b.kind));
        study.savings = saving_percentiles(&study.shares);
        study
    }
}

impl PlausibleStudy {
    /// Counts the moves of a position that each selection omits, and the rank of the played move.
    fn count_selections(&mut self, views: &[MeritView], at: usize) {
        let merits: Vec<(i32, bool)> =
            views.iter().map(|view| (view.merit(), view.is_plausible())).collect();
        let count = |quality: &mut SelectionQuality, selects: &dyn Fn(i32, bool) -> bool| {
            let (merit, plausible) = merits[at];
            quality.accuracy += f64::from(u8::from(selects(merit, plausible)));
            let left_out =
                merits.iter().filter(|(merit, plausible)| !selects(*merit, *plausible)).count();
            quality.saving += left_out as f64;
            left_out as f64 / merits.len() as f64
        };
        let all = count(&mut self.all, &|_, plausible| plausible);
        let mut mma = all;
        for (cut, quality) in &mut self.cuts {
            let share = count(quality, &|merit, plausible| plausible && merit >= *cut);
            if *cut == 0 {
                mma = share;
            }
        }
        self.shares.push((all, mma));
        let rank = rank_by_merit(views, at);
        for (most, quality) in &mut self.best {
            quality.accuracy += f64::from(u8::from(rank <= *most));
            quality.saving += merits.len().saturating_sub(*most) as f64;
        }
        self.by_merit.add(rank);
    }

    fn count_kind(&mut self, kind: String, left_out: bool) {
        let found = self.kinds.iter_mut().find(|it| it.kind == kind);
        if let Some(found) = found {
            found.played += 1;
            found.left_out += usize::from(left_out);
        } else {
            self.kinds.push(PlayedKind { kind, played: 1, left_out: usize::from(left_out) });
        }
    }
}

/// The rank of a move by merit, from 1. Moves of equal merit keep the order of the list.
pub(super) fn rank_by_merit(views: &[MeritView], at: usize) -> usize {
    let own = views[at].merit();
    let above = views.iter().filter(|view| view.merit() > own).count();
    let equals = views[..at].iter().filter(|view| view.merit() == own).count();
    above + equals + 1
}

/// The properties that a played move counts for.
fn kinds(sampled: &SampledPosition<'_>, view: &MeritView, dominated: bool) -> Vec<String> {
    let (position, mv) = (sampled.position, sampled.played);
    let before = match mv.from() {
        Some(from) => position.piece_on(from).map(kyomi_shogi::Piece::kind),
        None => mv.dropped(),
    };
    let quiet = position.is_quiet(mv);
    let move_type = match (quiet, mv.is_drop()) {
        (false, _) => "capture or promotion",
        (true, true) => "drop",
        (true, false) => "quiet move on the board",
    };
    let mut kinds = vec![
        move_type.to_owned(),
        format!("ply {:3} to {:3}", sampled.ply / 20 * 20, sampled.ply / 20 * 20 + 19),
        if dominated { "under a strong threat" } else { "under no strong threat" }.to_owned(),
        if view.good { "loses nothing by exchange" } else { "loses by exchange" }.to_owned(),
        nearby_kings(position, mv).to_owned(),
    ];
    if let Some(kind) = before.filter(|_| quiet) {
        kinds.push(format!("{}: {move_type}", kind.name()));
    }
    kinds
}

/// A description of the kings that the move's destination is within two squares of.
fn nearby_kings(position: &Position, mv: kyomi_shogi::Move) -> &'static str {
    let to = mv.to();
    let close = |color| {
        position.king_square(color).is_some_and(|king| {
            king.file().abs_diff(to.file()).max(king.rank().abs_diff(to.rank())) <= 2
        })
    };
    let us = position.side_to_move();
    match (close(us), close(!us)) {
        (true, true) => "to near both kings",
        (true, false) => "to near the own king",
        (false, true) => "to near the enemy's king",
        (false, false) => "to near no king",
    }
}

/// Percentiles of the savings.
fn saving_percentiles(shares: &[(f64, f64)]) -> Vec<SavingPercentile> {
    if shares.is_empty() {
        return Vec::new();
    }
    let sorted = |of: fn(&(f64, f64)) -> f64| {
        let mut all: Vec<f64> = shares.iter().map(of).collect();
        all.sort_unstable_by(f64::total_cmp);
        all
    };
    let (all, mma) = (sorted(|share| share.0), sorted(|share| share.1));
    let at = |percent: usize| (shares.len() - 1) * percent / 100;
    let saving =
        |percent: usize| SavingPercentile { percent, all: all[at(percent)], mma: mma[at(percent)] };
    (0..=100).step_by(5).map(saving).collect()
}

/// The minimum merits in points; 0 is the selection called `mma`.
const CUTS: [i32; 9] = [-200, -100, -50, -25, 0, 25, 50, 100, 200];
/// The counts of moves with the highest merit.
const BEST: [usize; 7] = [5, 10, 15, 20, 30, 40, 60];

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::Position;
    use kyomi_shogi::notation::usi::parse_move;

    #[test]
    fn accuracy_is_a_share_of_positions_and_saving_of_moves() {
        // A pawn takes a pawn; the king has five squares.
        let position = Position::from_sfen("4k4/9/9/2p6/2P6/9/9/9/4K4 b - 1").unwrap();
        let mut reader = PlausibleReader::new(800, 1, false);
        for mv in ["7e7d", "5i4i"] {
            let sampled = SampledPosition::new(&position, parse_move(mv).unwrap());
            reader.add(&sampled, &StopFlag::new()).unwrap();
        }
        reader.test_set_only = true;
        reader
            .add(&SampledPosition::new(&position, parse_move("7e7d").unwrap()), &StopFlag::new())
            .unwrap();
        let study = reader.finish();
        assert_eq!((study.positions, study.moves, study.most), (2, 12, 6));
        assert!((0.5..=1.0).contains(&study.all.accuracy));
        // The capture is the first by merit, the king's move is not.
        assert!((study.by_merit.within(1) - 0.5).abs() < 1e-9, "{study:?}");
        assert!((study.by_merit.within(10) - 1.0).abs() < 1e-9);
        assert_eq!(study.by_interest.positions(), 2);
        let (five, best) = study.best[0];
        assert_eq!(five, 5);
        assert!((best.saving - 1.0 / 6.0).abs() < 1e-9);
        // A higher minimum merit saves more and keeps less.
        for pair in study.cuts.windows(2) {
            assert!(pair[0].1.saving <= pair[1].1.saving);
            assert!(pair[0].1.accuracy >= pair[1].1.accuracy);
        }
        // One of the two is a capture. Each counts once for every sort of property.
        let of = |kind: &str| study.kinds.iter().find(|known| known.kind == kind).unwrap().played;
        assert_eq!((of("capture or promotion"), of("quiet move on the board")), (1, 1));
        assert_eq!((of("ply   0 to  19"), of("king: quiet move on the board")), (2, 1));
        let (capture, promote) = (study.generators[0], study.generators[1]);
        assert_eq!((capture.generator, capture.played), ("G1", 0.5));
        assert!((capture.moves - 1.0 / 6.0).abs() < 1e-9 && (capture.lift() - 3.0).abs() < 1e-9);
        assert!(promote.moves.abs() < 1e-9 && promote.lift().abs() < 1e-9);
        assert_eq!((study.savings.len(), study.savings[20].percent), (21, 100));
        assert!(study.savings.windows(2).all(|pair| pair[0].all <= pair[1].all));
    }
}
