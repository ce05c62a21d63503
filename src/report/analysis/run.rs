//! Searches all positions of a game.

use std::time::{Duration, Instant};

use super::{
    analyst::Analyst,
    judge::{self, GameJudgement},
    searched::Searched,
    store::{AnalysisStore, settings_of},
};
use crate::players::EngineError;
use kyomi_record::{End, EndKind, Record};
use kyomi_shogi::{CountStart, Game, Move, Score};

/// The analysis of the main line of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameAnalysis {
    /// The result for each position, from the start position to that after the last move; `None` if it was not searched
    /// because the analysis was stopped.
    pub positions: Vec<Option<Searched>>,
    /// The result of searching the position after the best move, for moves that looked like mistakes.
    pub better: Vec<Option<Searched>>,
    /// The judgements of the moves, and the figures of both sides.
    pub judgement: GameJudgement,
    /// Name of the engine.
    pub engine: String,
    /// Engine, options and limits in one line.
    pub settings: String,
    /// Number of searches needed, and number of those whose results were in the store.
    pub searches: [usize; 2],
    /// Number of nodes of the searches that were made, and the time of the whole analysis.
    pub effort: (u64, Duration),
}

impl GameAnalysis {
    /// Whether every position was searched.
    pub fn is_complete(&self) -> bool {
        self.positions.iter().all(Option::is_some)
    }
}

/// The progress of an analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnalysisProgress {
    /// Number of positions searched or taken from the store.
    pub done: usize,
    /// Number of searches that were needed.
    pub searches: usize,
    /// Number of those whose results were in the store.
    pub stored: usize,
    /// Number of positions of the game.
    pub of: usize,
    /// Number of nodes searched, without positions from the store.
    pub nodes: u64,
}

/// Searches all positions of the main line, last position first, and judges the moves.
///
/// A position found in `store` is not searched; each new result is put there at once. If the analyst is stopped, the
/// result has what was found before.
///
/// # Errors
/// The engine failed, or the record has an illegal move.
pub fn analyse(
    record: &Record,
    analyst: &mut dyn Analyst,
    store: &mut dyn AnalysisStore,
    mut on_progress: impl FnMut(&AnalysisProgress),
) -> Result<GameAnalysis, EngineError> {
    let started = Instant::now();
    expect(record, analyst, store);
    let mut run = AnalysisRun {
        record,
        analyst,
        store,
        progress: AnalysisProgress::default(),
        is_stopped: false,
    };
    let positions = run.search_positions(&mut on_progress)?;
    let moves_to_compare = moves_to_compare(record, &positions);
    run.expect_better_moves(&moves_to_compare);
    let better = run.search_better_moves(&moves_to_compare)?;
    let progress = run.progress;
    Ok(GameAnalysis {
        judgement: judge::judge(record, &positions, &better),
        positions,
        better,
        engine: analyst.name().to_owned(),
        settings: analyst.fingerprint().to_owned(),
        searches: [progress.searches, progress.stored],
        effort: (progress.nodes, started.elapsed()),
    })
}

/// The best move of each position where another move was played that looks like a mistake.
fn moves_to_compare(record: &Record, positions: &[Option<Searched>]) -> Vec<Option<Move>> {
    let moves = positions.len().saturating_sub(1);
    let first = judge::judge(record, positions, &vec![None; moves]);
    (0..moves)
        .map(|ply| {
            let looks_bad =
                first.moves[ply].as_ref().is_some_and(|it| it.loss >= judge::LEAST_LOSS);
            let best = positions[ply].as_ref().and_then(Searched::best);
            best.filter(|best| looks_bad && *best != record.moves[ply].mv)
        })
        .collect()
}

/// A running analysis of one game.
struct AnalysisRun<'a> {
    record: &'a Record,
    analyst: &'a mut dyn Analyst,
    store: &'a mut dyn AnalysisStore,
    progress: AnalysisProgress,
    /// Whether the analyst was stopped.
    is_stopped: bool,
}

impl AnalysisRun<'_> {
    /// Searches all positions of the game, last position first.
    fn search_positions(
        &mut self,
        on_progress: &mut impl FnMut(&AnalysisProgress),
    ) -> Result<Vec<Option<Searched>>, EngineError> {
        let mut game = whole_game(self.record);
        let last = game.len();
        self.progress.of = last + 1;
        let mut positions = vec![None; last + 1];
        for ply in (0..=last).rev() {
            let decided = if ply == last { decided_by_end(self.record) } else { None };
            let found = match decided {
                Some(score) => Some(Searched::decided(score)),
                None => self.search(&game)?,
            };
            let Some(found) = found else { break };
            positions[ply] = Some(found);
            self.progress.done += 1;
            on_progress(&self.progress);
            game.pop();
        }
        Ok(positions)
    }

    /// Announces the positions of [`Self::search_better_moves`] to an analyst that searches ahead.
    fn expect_better_moves(&mut self, moves: &[Option<Move>]) {
        if !self.analyst.searches_ahead() || self.is_stopped {
            return;
        }
        let mut game = Game::new(self.record.start.clone());
        for (best, made) in moves.iter().zip(&self.record.moves) {
            if let Some(best) = best
                && game.push(*best).is_ok()
            {
                expect_position(&game, self.analyst, self.store);
                game.pop();
            }
            if game.push(made.mv).is_err() {
                break;
            }
        }
    }

    /// Searches the position after each of these moves, which stand at the ply where they could have been played.
    fn search_better_moves(
        &mut self,
        moves: &[Option<Move>],
    ) -> Result<Vec<Option<Searched>>, EngineError> {
        let mut better = vec![None; moves.len()];
        let mut game = Game::new(self.record.start.clone());
        for (ply, best) in moves.iter().enumerate() {
            if let Some(best) = best.filter(|_| !self.is_stopped)
                && game.push(best).is_ok()
            {
                better[ply] = self.search(&game)?;
                game.pop();
            }
            if game.push(self.record.moves[ply].mv).is_err() {
                break;
            }
        }
        Ok(better)
    }

    /// Searches one position, or takes it from the store. `None` if the search was stopped.
    fn search(&mut self, game: &Game) -> Result<Option<Searched>, EngineError> {
        let position = game.position();
        if !position.has_legal_move() {
            return Ok(Some(Searched::decided(Score::Loss(Some(0)))));
        }
        self.progress.searches += 1;
        let settings = settings_of(game, self.analyst.fingerprint());
        let stored = self.store.get(position, &settings);
        if let Some(found) = stored.and_then(|text| Searched::from_text(&text, position)) {
            self.progress.stored += 1;
            return Ok(Some(found));
        }
        let found = self.analyst.search(game)?;
        match &found {
            Some(found) => {
                self.progress.nodes = self.progress.nodes.saturating_add(found.nodes);
                self.store.put(position, &settings, &found.to_text());
            }
            None => self.is_stopped = true,
        }
        Ok(found)
    }
}

/// Announces to an analyst that searches ahead which positions of a game will be searched, last position first.
pub fn expect(record: &Record, analyst: &mut dyn Analyst, store: &mut dyn AnalysisStore) {
    if !analyst.searches_ahead() {
        return;
    }
    let mut game = whole_game(record);
    let mut is_decided = decided_by_end(record).is_some();
    for _ in 0..=game.len() {
        if !is_decided {
            expect_position(&game, analyst, store);
        }
        is_decided = false;
        game.pop();
    }
}

fn expect_position(game: &Game, analyst: &mut dyn Analyst, store: &mut dyn AnalysisStore) {
    let position = game.position();
    if !position.has_legal_move() {
        return;
    }
    let stored = store.get(position, &settings_of(game, analyst.fingerprint()));
    if stored.and_then(|text| Searched::from_text(&text, position)).is_none() {
        analyst.expect(game);
    }
}

/// The game, as far as its moves are legal.
fn whole_game(record: &Record) -> Game {
    let mut game = Game::new(record.start.clone());
    for made in &record.moves {
        if game.push(made.mv).is_err() {
            break;
        }
    }
    game
}

/// The score for the side to move after the last move, if the rules ended the game there.
fn decided_by_end(record: &Record) -> Option<Score> {
    let End { kind, .. } = record.end.as_ref()?;
    let to_move = record.side_to_move();
    match kind {
        EndKind::Declaration => Some(Score::Win(None)),
        EndKind::Sennichite | EndKind::Jishogi | EndKind::MaxMoves => Some(Score::Cp(0)),
        EndKind::IllegalAction(offender) if is_perpetual_check(record) => {
            Some(if *offender == to_move { Score::Loss(None) } else { Score::Win(None) })
        }
        _ => None,
    }
}

/// Whether the game ended by the fourth occurrence of a position with check.
fn is_perpetual_check(record: &Record) -> bool {
    record.game().is_ok_and(|game| game.repetition(CountStart::Yes).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::analysis::NoStore;
    use kyomi_record::csa;

    /// An analyst whose searches claim more nodes than can be added up.
    struct Boaster;

    impl Analyst for Boaster {
        fn fingerprint(&self) -> &'static str {
            "boaster"
        }

        fn name(&self) -> &'static str {
            "boaster"
        }

        fn search(&mut self, _game: &Game) -> Result<Option<Searched>, EngineError> {
            Ok(Some(Searched { nodes: u64::MAX, ..Searched::decided(Score::Cp(0)) }))
        }
    }

    #[test]
    fn the_sum_of_absurd_numbers_of_nodes_saturates() {
        let game = include_str!("../../../tests/data/csa_samples/own_01_mate.csa");
        let record = csa::read(game.as_bytes()).unwrap().remove(0).record;
        let analysis = analyse(&record, &mut Boaster, &mut NoStore, |_| {}).unwrap();
        assert_eq!(analysis.effort.0, u64::MAX);
    }
}
