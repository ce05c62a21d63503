//! Searches all positions of a game.

use std::time::{Duration, Instant};

use super::{
    analyst::Analyst,
    judge::{self, GameJudgement},
    searched::Searched,
    store::{AnalysisStore, settings_of},
};
use crate::{
    engine::EngineError,
    record::{End, EndKind, Record},
    shogi::{CountStart, Game, Score},
};

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
    let mut game = whole_game(record);
    let last = game.len();
    let of = last + 1;
    let mut progress = AnalysisProgress { of, ..AnalysisProgress::default() };
    let mut positions: Vec<Option<Searched>> = vec![None; of];
    let mut stopped = false;
    for ply in (0..of).rev() {
        let decided = if ply == last { decided_by_end(record) } else { None };
        let found = match decided {
            Some(score) => Some(Searched::decided(score)),
            None => search(&game, analyst, store, &mut progress)?,
        };
        let Some(found) = found else {
            stopped = true;
            break;
        };
        positions[ply] = Some(found);
        progress.done += 1;
        on_progress(&progress);
        game.pop();
    }
    let mut better = vec![None; last];
    let first = judge::judge(record, &positions, &better);
    // The best move of a position, if another move was played there that looks like a mistake.
    let to_verify = |ply: usize| {
        let looks_bad = first.moves[ply].as_ref().is_some_and(|it| it.loss >= judge::LEAST_LOSS);
        let best = positions[ply].as_ref().and_then(Searched::best);
        best.filter(|best| looks_bad && *best != record.moves[ply].mv)
    };
    if analyst.searches_ahead() && !stopped {
        let mut game = Game::new(record.start.clone());
        for (ply, made) in record.moves.iter().enumerate().take(last) {
            if let Some(best) = to_verify(ply)
                && game.push(best).is_ok()
            {
                expect_position(&game, analyst, store);
                game.pop();
            }
            if game.push(made.mv).is_err() {
                break;
            }
        }
    }
    let mut game = Game::new(record.start.clone());
    for (ply, slot) in better.iter_mut().enumerate() {
        let played = record.moves[ply].mv;
        if let Some(best) = to_verify(ply).filter(|_| !stopped)
            && game.push(best).is_ok()
        {
            match search(&game, analyst, store, &mut progress)? {
                Some(found) => *slot = Some(found),
                None => stopped = true,
            }
            game.pop();
        }
        if game.push(played).is_err() {
            break;
        }
    }
    let judgement = judge::judge(record, &positions, &better);
    let (engine, settings) = (analyst.name().to_owned(), analyst.fingerprint().to_owned());
    let searches = [progress.searches, progress.stored];
    let effort = (progress.nodes, started.elapsed());
    Ok(GameAnalysis { positions, better, judgement, engine, settings, searches, effort })
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

/// Searches one position, or takes it from the store. `None` if the search was stopped.
fn search(
    game: &Game,
    analyst: &mut dyn Analyst,
    store: &mut dyn AnalysisStore,
    progress: &mut AnalysisProgress,
) -> Result<Option<Searched>, EngineError> {
    let position = game.position();
    if !position.has_legal_move() {
        return Ok(Some(Searched::decided(Score::Loss(Some(0)))));
    }
    progress.searches += 1;
    let settings = settings_of(game, analyst.fingerprint());
    let stored = store.get(position, &settings);
    if let Some(found) = stored.and_then(|text| Searched::from_text(&text, position)) {
        progress.stored += 1;
        return Ok(Some(found));
    }
    let found = analyst.search(game)?;
    if let Some(found) = &found {
        progress.nodes += found.nodes;
        store.put(position, &settings, &found.to_text());
    }
    Ok(found)
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
