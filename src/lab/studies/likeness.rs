//! How much the search plays like people, and other programs: how often it chooses the move that was played.

use serde::Serialize;

use super::{PositionReader, RankCurve};
use crate::{
    lab::train::Drawn,
    search::{
        Parameters, Preset, SearchLimits, StopFlag,
        explain::{ExplainError, Question, explain},
    },
    shogi::Game,
};

/// How often the played move is chosen, by one preset.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PresetLikeness {
    /// Which.
    pub preset: &'static str,
    /// By the rating of who played, ascending; those without a rating last.
    pub bands: Vec<LikenessBand>,
    /// The places of the played moves in the order in which the search has left the moves of the root: the best, then
    /// by what they took.
    pub by_search: RankCurve,
}

/// Moves of players of like rating.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LikenessBand {
    /// The least rating; `None` for players without one.
    pub rating: Option<u32>,
    /// Positions.
    pub positions: usize,
    /// Number of positions in which the played move is the chosen one.
    pub first: usize,
    /// Number of positions in which it is among the first three.
    pub three: usize,
}

/// The tables.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LikenessStudy {
    /// What a search is given.
    pub nodes: u64,
    /// Each preset.
    pub presets: Vec<PresetLikeness>,
}

/// Reads positions one after the other.
pub(crate) struct LikenessReader {
    study: LikenessStudy,
    questions: Vec<Question>,
}

impl LikenessReader {
    /// Without positions; each search is limited to this number of nodes.
    pub(crate) fn new(nodes: u64) -> Self {
        let presets = [Preset::Tournament, Preset::Full, Preset::Lmr];
        let question = |preset| Question {
            limits: SearchLimits { nodes: Some(nodes), ..SearchLimits::default() },
            parameters: Parameters::preset(preset),
            hash_bytes: HASH_BYTES,
            node: None,
        };
        let empty =
            |preset: Preset| PresetLikeness { preset: preset.name(), ..PresetLikeness::default() };
        let study = LikenessStudy { nodes, presets: presets.map(empty).to_vec() };
        Self { study, questions: presets.map(question).to_vec() }
    }
}

impl PositionReader for LikenessReader {
    type Study = LikenessStudy;

    fn add(&mut self, drawn: &Drawn<'_>, _stop: &StopFlag) -> Result<(), ExplainError> {
        let game = Game::new(drawn.position.clone());
        let rating = drawn.rating.map(|rating| rating / BAND * BAND);
        for (preset, question) in self.study.presets.iter_mut().zip(&self.questions) {
            let explained = explain(&game, question)?;
            let played = explained.node.moves.iter().find(|view| view.mv == drawn.played);
            let Some(played) = played else { continue };
            preset.by_search.add(played.rank);
            let place = preset.bands.iter().position(|band| band.rating == rating);
            let at = place.unwrap_or_else(|| {
                preset.bands.push(LikenessBand { rating, ..LikenessBand::default() });
                preset.bands.len() - 1
            });
            let band = &mut preset.bands[at];
            band.positions += 1;
            band.first += usize::from(played.rank == 1);
            band.three += usize::from(played.rank <= 3);
        }
        Ok(())
    }

    fn positions(&self) -> usize {
        self.study.presets.last().map_or(0, |preset| preset.by_search.positions())
    }

    fn finish(mut self) -> LikenessStudy {
        for preset in &mut self.study.presets {
            preset.bands.sort_by_key(|band| band.rating.unwrap_or(u32::MAX));
        }
        self.study
    }
}

/// Width of a band of ratings.
const BAND: u32 = 250;

/// Table of one search.
const HASH_BYTES: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Position, notation::usi::parse_move};

    #[test]
    fn what_was_played_is_looked_for_in_what_the_search_says() {
        // A gold for nothing.
        let position = Position::from_sfen("4k4/9/9/4g4/4P4/9/9/9/4K4 b - 1").unwrap();
        let mut reader = LikenessReader::new(300);
        for (mv, rating) in [("5e5d", None), ("5i4i", Some(2999)), ("5e5d", Some(2750))] {
            let drawn = Drawn { rating, ..Drawn::new(&position, parse_move(mv).unwrap()) };
            reader.add(&drawn, &StopFlag::new()).unwrap();
        }
        assert_eq!(reader.positions(), 3);
        let study = reader.finish();
        assert_eq!(study.presets.len(), 3);
        for preset in &study.presets {
            let of = |at: usize| {
                let band = &preset.bands[at];
                (band.rating, band.positions, band.first)
            };
            assert_eq!((of(0), of(1)), ((Some(2750), 2, 1), (None, 1, 1)), "{preset:?}");
            assert!(preset.bands.iter().all(|band| band.three >= band.first));
            assert!((preset.by_search.within(1) - 2.0 / 3.0).abs() < 1e-9);
        }
    }
}
