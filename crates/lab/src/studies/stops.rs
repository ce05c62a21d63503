//! The quality of the moves in the line that a search is examining when it is stopped at random.

use serde::Serialize;

use super::PositionReader;
use crate::train::SampledPosition;
use kyomi_engine::search::explain::{ExplainError, line_at_stop};
use kyomi_engine::search::{
    Parameters, Preset, SearchLimits, SearchOptions, Searcher, SearcherError, StopFlag,
};
use kyomi_shogi::{Game, Move};

/// The lines of one preset's stopped searches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Stopped {
    /// The name of the preset.
    pub preset: &'static str,
    /// The number of searches that were stopped.
    pub lines: usize,
    /// The number of moves of their lines.
    pub moves: usize,
    /// The mean loss of a move, in centipawns.
    pub mean_loss: f64,
    /// The share of moves that lose more than 200 centipawns.
    pub bad: f64,
}

/// The table of `kyomi-lab stops`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StopStudy {
    /// The largest number of nodes of a stopped search; the smallest is half of it.
    pub nodes: u64,
    /// The node limit of the searches that judge a move.
    pub judge_nodes: u64,
    /// The results of each preset.
    pub presets: Vec<Stopped>,
}

/// Builds a [`StopStudy`] from positions, which are added one after the other.
pub(crate) struct StopReader {
    study: StopStudy,
    parameters: Vec<Parameters>,
    judge: Searcher,
    random: fastrand::Rng,
    positions: usize,
}

impl StopReader {
    /// A reader without positions. Searches are stopped after a random number of nodes from half of `nodes` to `nodes`;
    /// `judge_nodes` limits the searches that judge a move.
    ///
    /// # Errors
    /// The search cannot be started.
    pub(crate) fn new(nodes: u64, judge_nodes: u64, seed: u64) -> Result<Self, SearcherError> {
        let presets = [Preset::Interest, Preset::Full];
        let empty = |preset: Preset| Stopped { preset: preset.name(), ..Stopped::default() };
        Ok(Self {
            study: StopStudy { nodes, judge_nodes, presets: presets.map(empty).to_vec() },
            parameters: presets.map(Parameters::preset).to_vec(),
            judge: Searcher::new(SearchOptions {
                hash_bytes: HASH_BYTES,
                ..SearchOptions::default()
            })?,
            random: fastrand::Rng::with_seed(seed),
            positions: 0,
        })
    }

    /// The loss of each move of a line against the best move of its position, in centipawns.
    fn losses(&mut self, start: &Game, line: &[Move]) -> Vec<i32> {
        let mut game = Game::new(start.position().clone());
        let mut losses = Vec::new();
        for &mv in line {
            let best = self.score(&game, Vec::new());
            let own = self.score(&game, vec![mv]);
            losses.push((best - own).max(0));
            if game.push(mv).is_err() {
                break;
            }
        }
        losses
    }

    /// The score of the best of `moves`, or of all legal moves if `moves` is empty. Scores beyond [`DECIDED`], mates
    /// among them, count as that.
    fn score(&mut self, game: &Game, moves: Vec<Move>) -> i32 {
        self.judge.new_game();
        let nodes = Some(self.study.judge_nodes);
        let limits = SearchLimits { nodes, moves, ..SearchLimits::default() };
        let result = self.judge.search(game, &limits, &StopFlag::new(), |_| {});
        result.score.centipawns().clamp(-DECIDED, DECIDED)
    }
}

impl PositionReader for StopReader {
    type Study = StopStudy;

    /// Searches a position, stops the search at random, and judges the moves of its line.
    fn add(&mut self, sampled: &SampledPosition<'_>, _stop: &StopFlag) -> Result<(), ExplainError> {
        self.positions += 1;
        let most = self.study.nodes.max(2);
        let nodes = self.random.u64(most / 2..=most);
        let game = Game::new(sampled.position.clone());
        for at in 0..self.parameters.len() {
            let line = line_at_stop(&game, &self.parameters[at], nodes);
            let losses = self.losses(&game, &line);
            let stopped = &mut self.study.presets[at];
            // A search that ended before the stop has no line.
            stopped.lines += usize::from(!line.is_empty());
            for loss in losses {
                stopped.moves += 1;
                // `finish` turns these sums into means.
                stopped.mean_loss += f64::from(loss);
                stopped.bad += f64::from(u8::from(loss > BAD));
            }
        }
        Ok(())
    }

    fn positions(&self) -> usize {
        self.positions
    }

    fn finish(mut self) -> StopStudy {
        for stopped in &mut self.study.presets {
            let moves = stopped.moves.max(1) as f64;
            stopped.mean_loss /= moves;
            stopped.bad /= moves;
        }
        self.study
    }
}

/// A move that loses more than this is bad, in centipawns.
const BAD: i32 = 200;

/// Scores beyond this all count as decided, in centipawns.
const DECIDED: i32 = 3000;

/// The size of the transposition table of the searches that judge.
const HASH_BYTES: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::Position;
    use kyomi_shogi::notation::usi::parse_move;

    #[test]
    fn the_loss_is_the_difference_to_the_best_move() {
        let mut reader = StopReader::new(400, 200, 1).unwrap();
        // 5e5d wins a gold for nothing, 5i4i does not.
        let position = Position::from_sfen("4k4/9/9/4g4/4P4/9/9/9/4K4 b - 1").unwrap();
        let game = Game::new(position.clone());
        let of = |reader: &mut StopReader, mv| reader.losses(&game, &[parse_move(mv).unwrap()])[0];
        assert!(of(&mut reader, "5e5d") < 100);
        assert!(of(&mut reader, "5i4i") > 200);
        let sampled = SampledPosition::new(&position, parse_move("5e5d").unwrap());
        reader.add(&sampled, &StopFlag::new()).unwrap();
        assert_eq!(reader.positions(), 1);
        let study = reader.finish();
        for stopped in &study.presets {
            assert!(stopped.lines == 1 && stopped.moves > 0, "{stopped:?}");
            assert!((0.0..=1.0).contains(&stopped.bad) && stopped.mean_loss >= 0.0);
        }
    }
}
