//! A search whose iterations are observed, and the counts of where its nodes go.

use std::{thread, time::Duration, time::Instant};

use super::{ExplainError, ExplainRequest, think};
use crate::search::kind::{ByPlies, CountedByPlies, Experimental, Play, SearchKind};
use crate::search::line::RootLine;
use crate::search::node_counts::NodeCounts;
use crate::search::root::{NoObserver, SearchObserver};
use crate::search::team::STACK;
use crate::search::worker::Worker;
use crate::search::{Bound, StopFlag};
use kyomi_shogi::{Game, Move};

/// The state of a search when an iteration was completed, or at its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Observed {
    /// The nominal depth of the iteration in plies; at the end, that of the iteration that was not completed.
    pub depth: u32,
    /// The longest line so far.
    pub seldepth: u32,
    /// The number of nodes so far.
    pub nodes: u64,
    /// The time so far.
    pub time: Duration,
    /// The used part of the table, in permille.
    pub hashfull: u32,
    /// The best move; `None` without a legal move.
    pub best: Option<Move>,
}

impl Observed {
    /// The state now. Its time is still to be set.
    fn now<K: SearchKind>(worker: &Worker<K>, best_line: &RootLine) -> Self {
        let depth = worker.settings.costs.rounded_nominal_depth(worker.control.limit);
        Self {
            depth: depth.max(0) as u32,
            seldepth: worker.control.seldepth as u32,
            nodes: worker.control.nodes,
            time: Duration::ZERO,
            hashfull: worker.table.hashfull(),
            best: best_line.line.first().copied(),
        }
    }
}

/// Searches as in play, with one thread and without a book. Returns the state after each iteration, and last the state
/// at the end of the search. The request's node is not used.
///
/// # Errors
/// No move is legal, or the search could not be run.
pub fn observe(
    game: &Game,
    request: &ExplainRequest,
    stop: &StopFlag,
) -> Result<Vec<Observed>, ExplainError> {
    let run = if request.parameters.tree != 0 {
        observed::<ByPlies>
    } else if request.parameters.suit_play_search() {
        observed::<Play>
    } else {
        observed::<Experimental>
    };
    on_thread(game, request, stop, run)
}

/// Counts where the nodes of the same search go. Its limits must be such that it is the same every time.
///
/// # Errors
/// No move is legal, or the search could not be run.
pub fn count_nodes(
    game: &Game,
    request: &ExplainRequest,
    stop: &StopFlag,
) -> Result<NodeCounts, ExplainError> {
    let run = if request.parameters.tree != 0 {
        counted::<CountedByPlies>
    } else {
        counted::<Experimental>
    };
    on_thread(game, request, stop, run)
}

fn observed<K: SearchKind>(game: &Game, request: &ExplainRequest, stop: StopFlag) -> Vec<Observed> {
    let mut iterations = Iterations(Vec::new());
    let (worker, best_line, began) = think::<K>(game, request, stop, false, &mut iterations);
    let Iterations(mut states) = iterations;
    states.push((Instant::now(), Observed::now(&worker, &best_line)));
    let timed = |(at, state): (Instant, Observed)| Observed { time: at - began, ..state };
    states.into_iter().map(timed).collect()
}

fn counted<K: SearchKind>(game: &Game, request: &ExplainRequest, stop: StopFlag) -> NodeCounts {
    think::<K>(game, request, stop, false, &mut NoObserver).0.trace.counting.counts
}

/// Runs a search on a thread with room for the longest line.
fn on_thread<T: Send + 'static>(
    game: &Game,
    request: &ExplainRequest,
    stop: &StopFlag,
    run: fn(&Game, &ExplainRequest, StopFlag) -> T,
) -> Result<T, ExplainError> {
    let position = game.position();
    if !position.has_legal_move() {
        return Err(ExplainError::NoMove(position.side_to_move()));
    }
    let (game, request, stop) = (game.clone(), request.clone(), stop.clone());
    let thread = thread::Builder::new()
        .name("observe".to_owned())
        .stack_size(STACK)
        .spawn(move || run(&game, &request, stop))
        .map_err(|error| ExplainError::Search(error.to_string()))?;
    thread.join().map_err(|_| ExplainError::Search("the search panicked".to_owned()))
}

/// Keeps the state after each iteration, with its instant.
struct Iterations(Vec<(Instant, Observed)>);

impl<K: SearchKind> SearchObserver<K> for Iterations {
    fn iteration_completed(&mut self, worker: &Worker<K>, lines: &[RootLine]) {
        let state = lines.first().map(|line| (Instant::now(), Observed::now(worker, line)));
        self.0.extend(state);
    }

    fn new_best_line(&mut self, _: &Worker<K>, _: &RootLine, _: Bound) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluation;
    use crate::search::node_counts::CountTable;
    use crate::search::{Parameters, Preset, SearchLimits, bench::POSITIONS};
    use kyomi_shogi::Position;

    fn request(preset: Preset) -> ExplainRequest {
        ExplainRequest {
            limits: SearchLimits { nodes: Some(8000), ..SearchLimits::default() },
            parameters: Parameters { mate_nodes: 0, ..Parameters::preset(preset) },
            evaluation: Evaluation::builtin(),
            hash_bytes: 1 << 20,
            node: None,
        }
    }

    #[test]
    fn nodes_are_counted_once_each_time_they_are_entered() {
        let game = Game::new(Position::from_sfen(POSITIONS[3]).unwrap());
        for preset in [Preset::Tournament, Preset::Lmr] {
            let (request, stop) = (request(preset), StopFlag::new());
            let observed = observe(&game, &request, &stop).unwrap();
            let [.., last, end] = observed.as_slice() else { panic!("{observed:?}") };
            assert!(last.nodes <= end.nodes && end.nodes <= 8000 && last.depth <= end.depth);
            assert!(observed.is_sorted_by_key(|it| it.nodes) && end.best.is_some());
            let counts = count_nodes(&game, &request, &stop).unwrap();
            assert_eq!(counts, count_nodes(&game, &request, &stop).unwrap());
            let [kinds, parts, checks, left, main_ends, quiet_ends] = counts.tables();
            let sum = |table: &CountTable| table.numbers.iter().sum::<u64>();
            assert_eq!([&kinds, &checks].map(sum), [sum(&parts); 2]);
            assert!(sum(&kinds) > 6000, "{counts:?}");
            // A node that was stopped has no end. It is on the last line.
            let quiet = kinds.numbers[6];
            for (all, ended) in [(sum(&left), sum(&main_ends)), (quiet, sum(&quiet_ends))] {
                assert!(ended <= all && all < ended + 60, "{preset:?}: {ended} of {all}");
            }
            assert_eq!(sum(&left) + quiet, sum(&kinds));
            // Every kind of node but tests without a move, which need more depth, is there.
            for (at, name) in kinds.rows.iter().enumerate() {
                let expected = at < 4 || preset == Preset::Lmr && at != 4;
                assert!(!expected || kinds.numbers[at] > 0, "{preset:?}: {name}");
            }
        }
    }

    #[test]
    fn the_counted_search_is_the_same_search() {
        let game = Game::new(Position::from_sfen(POSITIONS[5]).unwrap());
        let request = request(Preset::Lmr);
        let of = observed::<ByPlies>(&game, &request, StopFlag::new());
        let counted = observed::<CountedByPlies>(&game, &request, StopFlag::new());
        let nodes = |all: &[Observed]| all.iter().map(|it| it.nodes).collect::<Vec<_>>();
        assert_eq!(nodes(&of), nodes(&counted));
    }
}
