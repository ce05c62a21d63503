//! The work that interest search saves against full-width search to the same nominal depth, by the number of legal
//! moves.

use std::time::Duration;

use serde::Serialize;

use super::PositionReader;
use crate::train::SampledPosition;
use kyomi_engine::search::explain::ExplainError;
use kyomi_engine::search::{
    ParameterError, Parameters, Preset, SearchLimits, SearchOptions, Searcher, SearcherError,
    StopFlag,
};
use kyomi_shogi::Game;

/// The work of some searches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Work {
    /// The number of nodes.
    pub nodes: u64,
    /// The time.
    pub time: Duration,
}

/// The positions whose number of legal moves is in one range.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LengthBand {
    /// The largest number of legal moves in the range; `None` for the last range, which has no limit.
    pub most: Option<usize>,
    /// The number of positions.
    pub positions: usize,
    /// The number of legal moves of all these positions together.
    pub moves: usize,
    /// The work of the preset `interest`.
    pub on: Work,
    /// The work of the preset `interest` without the rule for similar moves.
    pub on_without_similar: Work,
    /// The work of full-width search.
    pub off: Work,
}

/// The table of `kyomi-lab lengths`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LengthStudy {
    /// The nominal depth of every search, in plies.
    pub depth: u32,
    /// The bands, by the number of legal moves.
    pub bands: Vec<LengthBand>,
}

/// Builds a [`LengthStudy`] from positions, which are added one after the other.
pub(crate) struct LengthReader {
    study: LengthStudy,
    /// The number of positions to search in each band.
    positions_per_band: usize,
    /// For `on`, `on_without_similar` and `off`.
    searchers: [Searcher; 3],
}

/// An error that prevents the study.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LengthError {
    /// The search cannot be started.
    #[error(transparent)]
    Searcher(#[from] SearcherError),
    /// A parameter that the study sets does not exist.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

impl LengthReader {
    /// A reader without positions. Searches go to `depth`, the nominal depth in plies; `positions_per_band` positions
    /// of each band are searched.
    ///
    /// # Errors
    /// The search cannot be started.
    pub(crate) fn new(depth: u32, positions_per_band: usize) -> Result<Self, LengthError> {
        let searcher = |parameters: Parameters| {
            let parameters = std::sync::Arc::new(parameters);
            Searcher::new(SearchOptions {
                hash_bytes: HASH_BYTES,
                parameters,
                ..SearchOptions::default()
            })
        };
        let on = Parameters::preset(Preset::Interest);
        let mut without = on;
        without.set("Interest_Similar", "false")?;
        let off = Parameters::preset(Preset::Full);
        let band = |most| LengthBand { most, ..LengthBand::default() };
        let study = LengthStudy { depth, bands: BOUNDS.map(band).to_vec() };
        let searchers = [searcher(on)?, searcher(without)?, searcher(off)?];
        Ok(Self { study, positions_per_band, searchers })
    }
}

impl PositionReader for LengthReader {
    type Study = LengthStudy;

    /// Searches a position unless its band is full. A position whose searches are stopped does not count.
    fn add(&mut self, sampled: &SampledPosition<'_>, stop: &StopFlag) -> Result<(), ExplainError> {
        let moves = sampled.position.legal_moves().len();
        let fits = |band: &&mut LengthBand| band.most.is_none_or(|most| moves <= most);
        let band = self.study.bands.iter_mut().find(fits);
        if let Some(band) = band.filter(|band| band.positions < self.positions_per_band) {
            let game = Game::new(sampled.position.clone());
            let limits = SearchLimits { depth: Some(self.study.depth), ..SearchLimits::default() };
            let results = self.searchers.each_mut().map(|searcher| {
                searcher.new_game();
                searcher.search(&game, &limits, stop, |_| {})
            });
            if stop.is_stopped() {
                return Ok(());
            }
            band.positions += 1;
            band.moves += moves;
            let works = [&mut band.on, &mut band.on_without_similar, &mut band.off];
            for (result, work) in results.iter().zip(works) {
                work.nodes += result.nodes;
                work.time += result.time;
            }
        }
        Ok(())
    }

    fn positions(&self) -> usize {
        self.study.bands.iter().map(|band| band.positions).sum()
    }

    fn wanted(&self) -> Option<usize> {
        Some(self.positions_per_band * self.study.bands.len())
    }

    fn finish(self) -> LengthStudy {
        self.study
    }
}

/// The largest number of legal moves of each band.
const BOUNDS: [Option<usize>; 5] = [Some(50), Some(100), Some(150), Some(200), None];

/// The size of each searcher's transposition table.
const HASH_BYTES: u64 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::Position;

    #[test]
    fn positions_are_searched_until_their_band_is_full() {
        let mut reader = LengthReader::new(2, 1).unwrap();
        let few = Position::startpos();
        let many = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L9P 1").unwrap();
        for position in [&few, &few, &many] {
            let played = position.legal_moves()[0];
            let sampled = SampledPosition::new(position, played);
            // A stopped search does not count.
            let (stopped, before) = (StopFlag::new(), reader.positions());
            stopped.stop();
            reader.add(&sampled, &stopped).unwrap();
            assert_eq!(reader.positions(), before);
            reader.add(&sampled, &StopFlag::new()).unwrap();
        }
        assert_eq!((reader.positions(), reader.wanted()), (2, Some(5)));
        let bands = reader.finish().bands;
        let counts: Vec<_> = bands.iter().map(|band| (band.positions, band.moves)).collect();
        assert_eq!(counts[0], (1, 30));
        assert!(counts[4].0 == 1 && counts[4].1 > 200);
        for band in [bands[0], bands[4]] {
            assert!(band.on.nodes > 0 && band.on_without_similar.nodes > 0 && band.off.nodes > 0);
        }
        assert_eq!(bands[1], LengthBand { most: Some(100), ..LengthBand::default() });
    }
}
