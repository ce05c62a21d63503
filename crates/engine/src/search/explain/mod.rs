//! Explanations of a search: a real search of a position, and for every legal move of the root or of an inner node the
//! terms of its interest, its cost, and what the search did with it.
//!
//! - [`explain`] runs the search and returns an [`Explanation`].
//! - `SearchTrace` (`search/trace.rs`) is what a worker records meanwhile. `assemble` makes views of it.
//!   `probe` searches an inner node.
//! - `observed` runs searches of all kinds and returns their iterations, or counts where their nodes go.
//!
//! Invariants: the search that is explained visits the same nodes as the search that plays. The terms of interest and
//! the steps of cost that are shown add up to the values that the search used. Not here: tables, pages, JSON.

mod assemble;
#[cfg(feature = "fit")]
mod observed;
mod probe;
mod view;

#[cfg(test)]
mod tests;

use std::{sync::Arc, thread, time::Instant};

pub use super::node_counts::{CountTable, NodeCounts};
pub use super::trace::{CUT_RANKS, CutCounts, EarlyCutoff, Protection, Step};
#[cfg(feature = "fit")]
pub use observed::{Observed, count_nodes, observe};
pub use probe::InnerNode;
pub use view::{
    CostFormula, CostFormulaKind, CostView, Explanation, MoveStatus, MoveView, NodeView, Overview,
    Run,
};

use super::job::{Job, ResultSlot};
use super::kind::{ByPlies, Experimental, SearchKind};
use super::line::RootLine;
use super::node_count::{NodeCounter, OtherThreads};
use super::root::{NoObserver, SearchObserver};
use super::table::TranspositionTable;
use super::team::STACK;
use super::time_manager::TimeManager;
use super::worker::Worker;
use super::{Parameters, SearchLimits, StopFlag};
use crate::eval::Evaluation;
use kyomi_shogi::{Game, Move};

/// What to explain.
#[derive(Debug, Clone)]
pub struct ExplainRequest {
    /// The limits of the search.
    pub limits: SearchLimits,
    /// The parameters of the search.
    pub parameters: Parameters,
    /// The evaluation.
    pub evaluation: Evaluation,
    /// Size of the table in bytes.
    pub hash_bytes: u64,
    /// The inner node to explain; `None` for the root.
    pub node: Option<InnerNode>,
}

/// Why a position cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The side to move has no legal move.
    #[error("{0} has no legal move: there is nothing to explain")]
    NoMove(kyomi_shogi::Color),
    /// The line to the inner node cannot be played.
    #[error("move {number} of the line, {mv}, is not legal there")]
    IllegalLine {
        /// Counted from 1.
        number: usize,
        /// The move.
        mv: Move,
    },
    /// The line to the inner node is longer than any line of the search.
    #[error("the line has {0} moves; no line of the search is longer than 127")]
    LongLine(usize),
    /// The search spends no costs.
    #[error(
        "a search by plies (Search_Tree, presets tournament and lmr) has no costs to explain; try the preset interest"
    )]
    ByPlies,
    /// The search could not be run.
    #[error("the search could not be run: {0}")]
    Search(String),
}

/// Searches the position that a game has reached, with one thread, and explains the search.
///
/// # Errors
/// When no move is legal, the line to the inner node cannot be played, or the search is one by plies.
pub fn explain(game: &Game, request: &ExplainRequest) -> Result<Explanation, ExplainError> {
    explain_until(game, request, &StopFlag::new())
}

/// As [`explain`]. The search also ends when `stop` is set; it is then explained as far as it went.
///
/// # Errors
/// As [`explain`].
pub fn explain_until(
    game: &Game,
    request: &ExplainRequest,
    stop: &StopFlag,
) -> Result<Explanation, ExplainError> {
    check(game, request)?;
    let (game, request, stop) = (game.clone(), request.clone(), stop.clone());
    let thread = thread::Builder::new()
        .name("explain".to_owned())
        .stack_size(STACK)
        .spawn(move || search(&game, &request, stop))
        .map_err(|error| ExplainError::Search(error.to_string()))?;
    thread.join().map_err(|_| ExplainError::Search("the search panicked".to_owned()))
}

fn check(game: &Game, request: &ExplainRequest) -> Result<(), ExplainError> {
    if request.parameters.tree != 0 {
        return Err(ExplainError::ByPlies);
    }
    let mut position = game.position().clone();
    let line = request.node.as_ref().map_or(&[][..], |node| &node.line);
    if line.len() >= super::MAX_PLY {
        return Err(ExplainError::LongLine(line.len()));
    }
    for (at, &mv) in line.iter().enumerate() {
        if !position.is_legal(mv) {
            return Err(ExplainError::IllegalLine { number: at + 1, mv });
        }
        position.do_move(mv);
    }
    if !position.has_legal_move() {
        return Err(ExplainError::NoMove(position.side_to_move()));
    }
    Ok(())
}

/// Returns the line that the main search was searching when it was stopped after this number of nodes. The search
/// begins at the position that the game has reached. The line is empty if the search ended before, or could not be run.
pub fn line_at_stop(game: &Game, parameters: &Parameters, nodes: u64) -> Vec<Move> {
    let request = ExplainRequest {
        limits: SearchLimits { nodes: Some(nodes), ..SearchLimits::default() },
        parameters: *parameters,
        evaluation: Evaluation::builtin(),
        hash_bytes: HASH_BYTES,
        node: None,
    };
    let game = game.clone();
    let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
        if request.parameters.tree != 0 {
            let stop = StopFlag::new();
            return think::<ByPlies>(&game, &request, stop, false, &mut NoObserver).0.line.at_stop;
        }
        let stop = StopFlag::new();
        think::<Experimental>(&game, &request, stop, false, &mut NoObserver).0.line.at_stop
    });
    thread.ok().and_then(|thread| thread.join().ok()).unwrap_or_default().to_vec()
}

/// Size of the table in bytes for [`line_at_stop`].
const HASH_BYTES: u64 = 1 << 20;

fn search(game: &Game, request: &ExplainRequest, stop: StopFlag) -> Explanation {
    let (mut worker, best_line, _) =
        think::<Experimental>(game, request, stop, true, &mut NoObserver);
    let overview = assemble::overview(&worker, &best_line);
    let node = match &request.node {
        Some(node) => probe::inner(&mut worker, node, &best_line, &request.limits),
        None => assemble::root(&mut worker, &best_line),
    };
    Explanation { search: overview, node }
}

/// Searches with a new worker, which records a trace of the root if `is_traced` is set. Returns also when the search
/// began.
fn think<K: SearchKind>(
    game: &Game,
    request: &ExplainRequest,
    stop: StopFlag,
    is_traced: bool,
    observer: &mut dyn SearchObserver<K>,
) -> (Worker<K>, RootLine, Instant) {
    let table = Arc::new(TranspositionTable::new(request.hash_bytes, 1));
    let counter = Arc::new(NodeCounter::default());
    let ExplainRequest { parameters, evaluation, .. } = request;
    let mut worker =
        Worker::with_evaluation(0, Arc::clone(&table), counter, parameters, evaluation);
    // Memory that was never written to is slow the first time.
    table.clear();
    worker.clear_learned();
    table.next_generation();
    worker.set_root(game, request.limits.rules, stop.clone());
    worker.control.limit_nodes(request.limits.nodes.unwrap_or(u64::MAX));
    let others = OtherThreads::from_now(&[]);
    worker.control.time_manager = Some(TimeManager::new(&request.limits, stop.clone(), others));
    let job = Job { stop, ..Job::alone(game.clone(), request.limits.clone()) };
    if is_traced {
        worker.trace.begin(0);
    }
    let best_line = worker.think(&job, &ResultSlot::default(), observer);
    worker.trace.end();
    (worker, best_line, job.started)
}
