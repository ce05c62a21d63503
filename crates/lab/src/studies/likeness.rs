//! How often the search chooses the move that a person or another program played.

use serde::Serialize;

use super::{PositionReader, RankCurve};
use crate::train::SampledPosition;
use kyomi_engine::eval::Evaluation;
use kyomi_engine::search::explain::{ExplainError, ExplainRequest, explain};
use kyomi_engine::search::{Parameters, Preset, SearchLimits, StopFlag};
use kyomi_shogi::Game;

/// How often one preset chooses the played move.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PresetLikeness {
    /// The name of the preset.
    pub preset: &'static str,
    /// The positions by the rating of the player to move, ascending; players without a rating come last.
    pub bands: Vec<LikenessBand>,
    /// The ranks of the played moves among the root moves after the search: the best move first, the others by the
    /// number of nodes spent on them.
    pub by_search: RankCurve,
}

/// Positions in which the rating of the player to move is in one range.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LikenessBand {
    /// The lowest rating of the range; `None` for players without a rating.
    pub rating: Option<u32>,
    /// The number of positions.
    pub positions: usize,
    /// The number of positions in which the search chooses the played move.
    pub first: usize,
    /// The number of positions in which the played move is among the first three root moves.
    pub three: usize,
}

/// The tables of `kyomi-lab likeness`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LikenessStudy {
    /// The node limit of each search.
    pub nodes: u64,
    /// The results of each preset.
    pub presets: Vec<PresetLikeness>,
}

/// Builds a [`LikenessStudy`] from positions, which are added one after the other.
pub(crate) struct LikenessReader {
    study: LikenessStudy,
    requests: Vec<ExplainRequest>,
}

impl LikenessReader {
    /// A reader without positions. Each search is limited to `nodes` nodes.
    pub(crate) fn new(nodes: u64) -> Self {
        let presets = [Preset::Interest, Preset::Full];
        let request = |preset| ExplainRequest {
            limits: SearchLimits { nodes: Some(nodes), ..SearchLimits::default() },
            parameters: Parameters::preset(preset),
            evaluation: Evaluation::builtin(),
            hash_bytes: HASH_BYTES,
            node: None,
        };
        let empty =
            |preset: Preset| PresetLikeness { preset: preset.name(), ..PresetLikeness::default() };
        let study = LikenessStudy { nodes, presets: presets.map(empty).to_vec() };
        Self { study, requests: presets.map(request).to_vec() }
    }
}

impl PositionReader for LikenessReader {
    type Study = LikenessStudy;

    fn add(&mut self, sampled: &SampledPosition<'_>, _stop: &StopFlag) -> Result<(), ExplainError> {
        let game = Game::new(sampled.position.clone());
        let rating = sampled.rating.map(|rating| rating / BAND * BAND);
        for (preset, request) in self.study.presets.iter_mut().zip(&self.requests) {
            let explained = explain(&game, request)?;
            let played = explained.node.moves.iter().find(|view| view.mv == sampled.played);
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

/// The size of the transposition table of one search.
const HASH_BYTES: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::Position;
    use kyomi_shogi::notation::usi::parse_move;

    #[test]
    fn the_played_move_is_ranked_among_the_root_moves() {
        // 5e5d wins a gold for nothing.
        let position = Position::from_sfen("4k4/9/9/4g4/4P4/9/9/9/4K4 b - 1").unwrap();
        let mut reader = LikenessReader::new(300);
        for (mv, rating) in [("5e5d", None), ("5i4i", Some(2999)), ("5e5d", Some(2750))] {
            let sampled = SampledPosition {
                rating,
                ..SampledPosition::new(&position, parse_move(mv).unwrap())
            };
            reader.add(&sampled, &StopFlag::new()).unwrap();
        }
        assert_eq!(reader.positions(), 3);
        let study = reader.finish();
        assert_eq!(study.presets.len(), 2);
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
