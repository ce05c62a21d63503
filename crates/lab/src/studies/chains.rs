//! How often plausible move generation keeps every move of a stretch of a game, and the number of legal moves at each
//! ply. The study reads whole games.

use serde::Serialize;

use super::GameReader;
use super::plausible::rank_by_merit;
use crate::train::TrainingGame;
use kyomi_engine::search::{MeritView, Parameters, merit_views};

/// The length of a stretch, in plies.
const STRETCH: usize = 10;

/// The results of one selection of moves on the stretches of games.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Chain {
    /// The name of the selection.
    pub name: String,
    /// The share of the played moves, within stretches, that are selected.
    pub accuracy: f64,
    /// The share of stretches of which every move would be selected if moves were independent: the tenth power of the
    /// accuracy.
    pub independent: f64,
    /// The share of stretches of which every move is selected.
    pub survived: f64,
}

/// The legal moves at one ply of all games.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LegalMoves {
    /// The ply: the number of moves played before.
    pub ply: usize,
    /// The number of positions.
    pub positions: usize,
    /// The smallest number of legal moves in a position.
    pub least: usize,
    /// The mean number.
    pub mean: f64,
    /// The largest number.
    pub most: usize,
}

/// The tables of `kyomi-lab chains`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ChainStudy {
    /// The number of games.
    pub games: usize,
    /// The number of stretches. A game is cut into stretches of ten plies from its first move on; an incomplete stretch
    /// at its end is not counted.
    pub stretches: usize,
    /// The results of each selection.
    pub chains: Vec<Chain>,
    /// The legal moves at each ply.
    pub legal: Vec<LegalMoves>,
}

/// Builds a [`ChainStudy`] from games, which are added one after the other.
pub(crate) struct ChainReader {
    games: usize,
    stretches: usize,
    /// For each of [`SELECTIONS`] the number of selected played moves, and of stretches selected as a whole.
    selected: [(usize, usize); SELECTIONS.len()],
    legal: Vec<LegalMoves>,
    strong_threat: i32,
}

/// A rule that selects some of the legal moves.
#[derive(Debug, Clone, Copy)]
enum Selection {
    Plausible,
    NonnegativeMerit,
    BestMerits(usize),
}

const SELECTIONS: [Selection; 4] = [
    Selection::Plausible,
    Selection::NonnegativeMerit,
    Selection::BestMerits(20),
    Selection::BestMerits(30),
];

impl Selection {
    fn selects(self, views: &[MeritView], at: usize) -> bool {
        match self {
            Self::Plausible => views[at].is_plausible(),
            Self::NonnegativeMerit => views[at].is_plausible() && views[at].merit() >= 0,
            Self::BestMerits(count) => rank_by_merit(views, at) <= count,
        }
    }

    fn name(self) -> String {
        match self {
            Self::Plausible => "of any generator".to_owned(),
            Self::NonnegativeMerit => "mma".to_owned(),
            Self::BestMerits(count) => format!("best {count}"),
        }
    }
}

impl ChainReader {
    /// A reader without games.
    pub(crate) fn new() -> Self {
        let strong_threat = Parameters::default().plausible_threat;
        Self {
            games: 0,
            stretches: 0,
            selected: Default::default(),
            legal: Vec::new(),
            strong_threat,
        }
    }

    fn count_stretch(&mut self, stretch: &[[bool; SELECTIONS.len()]]) {
        self.stretches += 1;
        for (selection, (moves, whole)) in self.selected.iter_mut().enumerate() {
            let selected = stretch.iter().filter(|selected| selected[selection]).count();
            *moves += selected;
            *whole += usize::from(selected == stretch.len());
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
        // `finish` turns this sum into the mean.
        legal.mean += count as f64;
    }
}

impl GameReader for ChainReader {
    type Study = ChainStudy;

    fn add(&mut self, game: &TrainingGame) {
        self.games += 1;
        let mut last_to = None;
        let mut stretch: Vec<[bool; SELECTIONS.len()]> = Vec::with_capacity(STRETCH);
        game.replay(|position, ply, played| {
            let views = merit_views(position, last_to, self.strong_threat).moves;
            last_to = Some(played.to());
            self.count_legal(ply, views.len());
            let Some(at) = views.iter().position(|view| view.mv == played) else { return };
            stretch.push(SELECTIONS.map(|selection| selection.selects(&views, at)));
            if stretch.len() == STRETCH {
                self.count_stretch(&stretch);
                stretch.clear();
            }
        });
    }

    fn games(&self) -> usize {
        self.games
    }

    fn finish(mut self) -> ChainStudy {
        let stretches = self.stretches.max(1) as f64;
        let chain = |(selection, (moves, whole)): (Selection, (usize, usize))| {
            let accuracy = moves as f64 / stretches / STRETCH as f64;
            Chain {
                name: selection.name(),
                accuracy,
                independent: accuracy.powi(STRETCH as i32),
                survived: whole as f64 / stretches,
            }
        };
        let chains = SELECTIONS.into_iter().zip(self.selected).map(chain).collect();
        for legal in &mut self.legal {
            legal.mean /= legal.positions.max(1) as f64;
        }
        let (games, stretches) = (self.games, self.stretches);
        ChainStudy { games, stretches, chains, legal: self.legal }
    }
}

impl ChainStudy {
    /// The legal moves in bands of `width` plies.
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
    use std::io::Cursor;
    use std::path::Path;

    use super::*;
    use crate::train::Games;

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
        // The generators make all of these common opening moves.
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
