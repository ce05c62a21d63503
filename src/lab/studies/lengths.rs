//! What interest search saves against full width by the number of legal moves: the work to the same nominal depth.

use std::time::Duration;

use serde::Serialize;

use super::PositionReader;
use crate::{
    lab::train::Drawn,
    search::{
        ParameterError, Parameters, Preset, SearchLimits, SearchOptions, Searcher, SearcherError,
        StopFlag, explain::ExplainError,
    },
    shogi::Game,
};

/// What some searches took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Positions looked at.
    pub nodes: u64,
    /// Time.
    pub time: Duration,
}

/// Positions in one range of the number of legal moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LengthBand {
    /// The upper limit of the range; `None`: no limit.
    pub most: Option<usize>,
    /// Positions.
    pub positions: usize,
    /// Legal moves of all of them.
    pub moves: usize,
    /// The default preset.
    pub on: Work,
    /// The same without the rule of similar moves.
    pub on_without_similar: Work,
    /// Full width.
    pub off: Work,
}

/// The table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LengthStudy {
    /// Nominal depth of every search, in plies.
    pub depth: u32,
    /// By the number of legal moves.
    pub bands: Vec<LengthBand>,
}

/// Reads positions one after the other.
pub(crate) struct LengthReader {
    study: LengthStudy,
    /// So many positions of each band are searched.
    each: usize,
    /// For `on`, `on_without_similar` and `off`.
    searchers: [Searcher; 3],
}

/// Why no table could be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LengthError {
    /// The search cannot be started.
    #[error(transparent)]
    Searcher(#[from] SearcherError),
    /// A switch is not there.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
}

impl LengthReader {
    /// Of no position yet; searches go to a nominal depth in plies.
    ///
    /// # Errors
    /// The search cannot be started.
    pub(crate) fn new(depth: u32, each: usize) -> Result<Self, LengthError> {
        let searcher = |parameters: Parameters| {
            let parameters = std::sync::Arc::new(parameters);
            Searcher::new(SearchOptions { threads: 1, hash_bytes: HASH_BYTES, parameters })
        };
        let on = Parameters::preset(Preset::Tournament);
        let mut without = on;
        without.set("Interest_Similar", "false")?;
        let off = Parameters::preset(Preset::Full);
        let band = |most| LengthBand { most, ..LengthBand::default() };
        let study = LengthStudy { depth, bands: BOUNDS.map(band).to_vec() };
        let searchers = [searcher(on)?, searcher(without)?, searcher(off)?];
        Ok(Self { study, each, searchers })
    }
}

impl PositionReader for LengthReader {
    type Study = LengthStudy;

    /// Searches a position, if its band is not full; one whose searches are stopped does not count.
    fn add(&mut self, drawn: &Drawn<'_>, stop: &StopFlag) -> Result<(), ExplainError> {
        let moves = drawn.position.legal_moves().len();
        let fits = |band: &&mut LengthBand| band.most.is_none_or(|most| moves <= most);
        let band = self.study.bands.iter_mut().find(fits);
        if let Some(band) = band.filter(|band| band.positions < self.each) {
            let game = Game::new(drawn.position.clone());
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
        Some(self.each * self.study.bands.len())
    }

    fn finish(self) -> LengthStudy {
        self.study
    }
}

/// The most legal moves of each band.
const BOUNDS: [Option<usize>; 5] = [Some(50), Some(100), Some(150), Some(200), None];

/// Table of each searcher.
const HASH_BYTES: u64 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Position;

    #[test]
    fn positions_are_searched_until_their_band_is_full() {
        let mut reader = LengthReader::new(2, 1).unwrap();
        let few = Position::startpos();
        let many = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L9P 1").unwrap();
        for position in [&few, &few, &many] {
            let played = position.legal_moves()[0];
            let drawn = Drawn::new(position, played);
            // What is stopped does not count.
            let (stopped, before) = (StopFlag::new(), reader.positions());
            stopped.stop();
            reader.add(&drawn, &stopped).unwrap();
            assert_eq!(reader.positions(), before);
            reader.add(&drawn, &StopFlag::new()).unwrap();
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
