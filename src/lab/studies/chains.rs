//! Whether every move of a stretch of a game survives plausible move generation, and how many legal moves there are by
//! ply: whole games, ply by ply.

use serde::Serialize;

use super::plausible::rank_by_merit;
use crate::{
    lab::train::TrainingGame,
    search::{MeritView, Parameters, merit_views},
};

/// How long a stretch is, in plies.
const STRETCH: usize = 10;

/// How a way to choose moves fares with stretches of games.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Chain {
    /// Which way.
    pub name: String,
    /// Share of the played moves, of those in a stretch, that are chosen.
    pub accuracy: f64,
    /// The share of stretches of ten plies that would survive whole, were their moves independent.
    pub independent: f64,
    /// The share that does.
    pub survived: f64,
}

/// The legal moves at one ply of all games.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LegalMoves {
    /// Moves of the game before it.
    pub ply: usize,
    /// Positions.
    pub positions: usize,
    /// The least of one.
    pub least: usize,
    /// In the mean.
    pub mean: f64,
    /// The most of one.
    pub most: usize,
}

/// The tables.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ChainStudy {
    /// Games.
    pub games: usize,
    /// Stretches of ten plies, one after the other from the first move on; what is left at the end of a game is in
    /// none.
    pub stretches: usize,
    /// Each way to choose.
    pub chains: Vec<Chain>,
    /// By ply.
    pub legal: Vec<LegalMoves>,
}

/// Reads games one after the other.
pub(crate) struct ChainReader {
    games: usize,
    stretches: usize,
    /// Moves chosen and stretches survived, for each of [`WAYS`].
    chosen: [(usize, usize); WAYS.len()],
    legal: Vec<LegalMoves>,
    threat: i32,
}

/// A way to choose moves.
#[derive(Debug, Clone, Copy)]
enum Way {
    All,
    Mma,
    Best(usize),
}

const WAYS: [Way; 4] = [Way::All, Way::Mma, Way::Best(20), Way::Best(30)];

impl Way {
    fn chooses(self, views: &[MeritView], at: usize) -> bool {
        match self {
            Self::All => views[at].is_plausible(),
            Self::Mma => views[at].is_plausible() && views[at].merit() >= 0,
            Self::Best(most) => rank_by_merit(views, at) <= most,
        }
    }

    fn name(self) -> String {
        match self {
            Self::All => "of any generator".to_owned(),
            Self::Mma => "mma".to_owned(),
            Self::Best(most) => format!("best {most}"),
        }
    }
}

impl ChainReader {
    /// Of no game yet.
    pub(crate) fn new() -> Self {
        let threat = Parameters::default().plausible_threat;
        Self { games: 0, stretches: 0, chosen: Default::default(), legal: Vec::new(), threat }
    }

    /// Games so far.
    pub(crate) fn games(&self) -> usize {
        self.games
    }

    /// Counts a game.
    pub(crate) fn add(&mut self, game: &TrainingGame) {
        self.games += 1;
        let mut last_to = None;
        let mut stretch: Vec<[bool; WAYS.len()]> = Vec::with_capacity(STRETCH);
        game.replay(|position, ply, played| {
            let views = merit_views(position, last_to, self.threat).moves;
            last_to = Some(played.to());
            self.count_legal(ply, views.len());
            let Some(at) = views.iter().position(|view| view.mv == played) else { return };
            stretch.push(WAYS.map(|way| way.chooses(&views, at)));
            if stretch.len() == STRETCH {
                self.count_stretch(&stretch);
                stretch.clear();
            }
        });
    }

    fn count_stretch(&mut self, stretch: &[[bool; WAYS.len()]]) {
        self.stretches += 1;
        for (way, (moves, whole)) in self.chosen.iter_mut().enumerate() {
            let chosen = stretch.iter().filter(|chosen| chosen[way]).count();
            *moves += chosen;
            *whole += usize::from(chosen == stretch.len());
        }
    }

    fn count_legal(&mut self, ply: usize, count: usize) {
        if self.legal.len() <= ply {
            let none =
                |ply| LegalMoves { ply, positions: 0, least: usize::MAX, mean: 0.0, most: 0 };
            self.legal.extend((self.legal.len()..=ply).map(none));
        }
        let legal = &mut self.legal[ply];
        legal.positions += 1;
        legal.least = legal.least.min(count);
        legal.most = legal.most.max(count);
        // A sum until the end.
        legal.mean += count as f64;
    }

    /// The tables.
    pub(crate) fn finish(mut self) -> ChainStudy {
        let stretches = self.stretches.max(1) as f64;
        let chain = |(way, (moves, whole)): (Way, (usize, usize))| {
            let accuracy = moves as f64 / stretches / STRETCH as f64;
            Chain {
                name: way.name(),
                accuracy,
                independent: accuracy.powi(STRETCH as i32),
                survived: whole as f64 / stretches,
            }
        };
        let chains = WAYS.into_iter().zip(self.chosen).map(chain).collect();
        for legal in &mut self.legal {
            legal.mean /= legal.positions.max(1) as f64;
        }
        let (games, stretches) = (self.games, self.stretches);
        ChainStudy { games, stretches, chains, legal: self.legal }
    }
}

impl ChainStudy {
    /// The legal moves by bands of this number of plies.
    pub fn bands(&self, width: usize) -> Vec<LegalMoves> {
        let merge = |plies: &[LegalMoves]| {
            let positions = plies.iter().map(|legal| legal.positions).sum::<usize>();
            let sum: f64 = plies.iter().map(|legal| legal.mean * legal.positions as f64).sum();
            LegalMoves {
                ply: plies[0].ply,
                positions,
                least: plies.iter().map(|legal| legal.least).min().unwrap_or(0),
                mean: sum / positions.max(1) as f64,
                most: plies.iter().map(|legal| legal.most).max().unwrap_or(0),
            }
        };
        self.legal.chunks(width.max(1)).map(merge).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Cursor, path::Path};

    use super::*;
    use crate::lab::train::Games;

    #[test]
    fn stretches_are_ten_plies_and_legal_moves_are_counted_by_ply() {
        let table = "#moves\tresult\n\
            startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 4a3b 6i7h 8d8e 2e2d 2c2d 2h2d 8e8f\t1-0\n\
            startpos moves 7g7f 3c3d\t?\n";
        let games = Games::new(Path::new("x"), Cursor::new(table.as_bytes().to_vec())).unwrap();
        let mut reader = ChainReader::new();
        games.for_each(|game| reader.add(&game.unwrap()));
        let study = reader.finish();
        assert_eq!((study.games, study.stretches, study.legal.len()), (2, 1, 12));
        let first = study.legal[0];
        assert_eq!((first.positions, first.least, first.most), (2, 30, 30));
        assert_eq!(study.legal[2].positions, 1);
        // Common opening moves all have a point.
        let all = &study.chains[0];
        assert!((all.accuracy - 1.0).abs() < 1e-9 && (all.survived - 1.0).abs() < 1e-9, "{all:?}");
        for chain in &study.chains {
            assert!((chain.independent - chain.accuracy.powi(10)).abs() < 1e-9);
            assert!(chain.survived <= chain.accuracy + 1e-9);
        }
        let bands = study.bands(10);
        assert_eq!(bands.iter().map(|band| band.ply).collect::<Vec<_>>(), [0, 10]);
        assert_eq!(bands.iter().map(|band| band.positions).sum::<usize>(), 14);
        assert!(bands[0].least <= 30 && bands[0].mean >= 28.0);
    }
}
