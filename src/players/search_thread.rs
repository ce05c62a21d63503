//! The search thread, which runs tasks one after another and reports their results.
//!
//! Whoever sends tasks stops the running search before it sends another one, and drops its result. So a search that is
//! stopped before it begins, with another task behind it, is answered without a search: a host or a coordinator that
//! sends them faster than they can be prepared does not fill the memory.

use std::{
    collections::VecDeque,
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use kyomi_engine::search::{
    MateLimits, MateOutcome, MateSearch, Pace, SearchInfo, SearchLimits, SearchOptions,
    SearchResult, Searcher, SearcherError, SharedEntries, StopFlag, any_move,
};
use kyomi_shogi::{Game, Position};

/// A task for the search thread.
#[derive(Debug)]
pub enum SearchTask {
    /// Create a searcher with these options, if they differ from the present ones; reports [`SearchReport::Ready`].
    Prepare(SearchOptions),
    /// Clear tables and histories; reports [`SearchReport::Cleared`].
    NewGame,
    /// Search; reports [`SearchReport::Info`] and [`SearchReport::Done`].
    Search(Box<SearchJob>),
    /// Search for mate; reports [`SearchReport::Mate`].
    Mate(Box<MateJob>),
}

/// One search.
#[derive(Debug)]
pub struct SearchJob {
    /// The number of its reports.
    pub number: u64,
    /// The options of the search.
    pub options: SearchOptions,
    /// The game. The position at its end is searched; repetitions count from its start.
    pub game: Arc<Game>,
    /// Its limits.
    pub limits: SearchLimits,
    /// Stops it from another thread.
    pub stop: StopFlag,
}

/// One search for mate.
#[derive(Debug)]
pub struct MateJob {
    /// The number of its report.
    pub number: u64,
    /// Size of its table in bytes.
    pub table_bytes: u64,
    /// The attacker is to move.
    pub position: Position,
    /// Its limits.
    pub limits: MateLimits,
    /// Stops it from another thread.
    pub stop: StopFlag,
}

/// A report of the search thread.
#[derive(Debug)]
pub enum SearchReport {
    /// The searcher is ready.
    Ready(Readiness),
    /// Tables and histories are cleared.
    Cleared,
    /// The state of a search, by its number.
    Info(u64, Box<SearchInfo>),
    /// The end of a search, by its number.
    Done(u64, Box<SearchResult>),
    /// The end of a search for mate, by its number.
    Mate(u64, Box<MateReport>),
}

/// Whether the requested options were available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// All options are as requested.
    AsRequested,
    /// Fewer resources than requested; the reason in one line.
    Reduced(String),
    /// No searcher could be created, so moves are played without a search; the reason in one line.
    NoSearcher(String),
}

/// The result of a mate search.
#[derive(Debug)]
pub struct MateReport {
    /// The mate, or why none was found.
    pub outcome: MateOutcome,
    /// Number of positions searched.
    pub nodes: u64,
    /// The time that the search took.
    pub time: Duration,
}

/// Runs tasks until their sender is dropped. Searches have a set speed if `pace` is given, and exchange entries of the
/// table with other machines if `shared` is.
pub fn run(
    tasks: &mpsc::Receiver<SearchTask>,
    report: impl Fn(SearchReport),
    pace: Option<&Arc<Pace>>,
    shared: Option<&Arc<SharedEntries>>,
) {
    let mut queue = Queue { tasks, waiting: VecDeque::new() };
    let mut searchers = Searchers::default();
    let create = |options| Searcher::connected(options, pace.cloned(), shared.cloned());
    while let Some((task, is_last)) = queue.next() {
        match task {
            SearchTask::Prepare(options) => {
                report(SearchReport::Ready(searchers.prepare(&options, create)));
            }
            SearchTask::NewGame => {
                if let Some(shared) = shared {
                    shared.clear();
                }
                searchers.new_game();
                report(SearchReport::Cleared);
            }
            SearchTask::Search(job) if !is_last && job.stop.is_stopped() => {
                report(SearchReport::Done(job.number, Box::new(any_move(&job.game))));
            }
            SearchTask::Mate(job) if !is_last && job.stop.is_stopped() => {
                let (outcome, nodes, time) = (MateOutcome::Unknown, 0, Duration::ZERO);
                let found = MateReport { outcome, nodes, time };
                report(SearchReport::Mate(job.number, Box::new(found)));
            }
            SearchTask::Search(job) => {
                let number = job.number;
                searchers.prepare(&job.options, create);
                let result = searchers.search(&job, |info| {
                    report(SearchReport::Info(number, Box::new(info)));
                });
                report(SearchReport::Done(number, Box::new(result)));
            }
            SearchTask::Mate(job) => {
                let found = searchers.mate(&job);
                report(SearchReport::Mate(job.number, Box::new(found)));
            }
        }
        if let Some(pace) = pace {
            pace.task_done();
        }
    }
}

/// The tasks that were sent and not begun.
struct Queue<'a> {
    tasks: &'a mpsc::Receiver<SearchTask>,
    waiting: VecDeque<SearchTask>,
}

impl Queue<'_> {
    /// Waits for the next task. The flag is whether it is the last one so far. `None` once all senders are gone.
    fn next(&mut self) -> Option<(SearchTask, bool)> {
        if self.waiting.is_empty() {
            self.waiting.push_back(self.tasks.recv().ok()?);
        }
        self.waiting.extend(self.tasks.try_iter());
        let task = self.waiting.pop_front()?;
        Some((task, self.waiting.is_empty()))
    }
}

/// The searcher and the requested options, which may exceed the available resources.
#[derive(Default)]
struct Searchers {
    searcher: Option<Searcher>,
    /// Whether the searcher was cleared and has not searched since.
    is_clear: bool,
    requested: Option<SearchOptions>,
    /// Created at the first mate search, with the requested table size.
    mate: Option<(u64, MateSearch)>,
}

impl Searchers {
    /// Recreates the searcher if the options have changed.
    fn prepare(
        &mut self,
        options: &SearchOptions,
        create: impl Fn(SearchOptions) -> Result<Searcher, SearcherError>,
    ) -> Readiness {
        if self.searcher.is_some() && self.requested.as_ref() == Some(options) {
            return Readiness::AsRequested;
        }
        // The old table is freed first. Otherwise both would be in memory at the same time.
        self.searcher = None;
        self.is_clear = false;
        self.requested = Some(options.clone());
        let error = match create(options.clone()) {
            Ok(searcher) => {
                let (requested, actual) = (options.hash_bytes >> 20, searcher.hash_bytes() >> 20);
                self.searcher = Some(searcher);
                if actual + 1 < requested {
                    let message =
                        format!("the hash table has only {actual} MiB, since memory is short");
                    return Readiness::Reduced(message);
                }
                return Readiness::AsRequested;
            }
            Err(error) => error,
        };
        match create(SearchOptions { threads: 1, ..options.clone() }) {
            Ok(searcher) => {
                self.searcher = Some(searcher);
                Readiness::Reduced(format!("{error}; one thread is used"))
            }
            Err(_) => Readiness::NoSearcher(error.to_string()),
        }
    }

    /// Clears the tables and histories. That takes a while if they are large, so clear ones are not cleared again.
    /// Returns whether they were cleared.
    fn new_game(&mut self) -> bool {
        let Some(searcher) = self.searcher.as_mut().filter(|_| !self.is_clear) else {
            return false;
        };
        searcher.new_game();
        self.is_clear = true;
        true
    }

    /// Runs a search. It returns a move even if no searcher could be created.
    fn search(&mut self, job: &SearchJob, on_info: impl FnMut(SearchInfo)) -> SearchResult {
        let SearchJob { game, limits, stop, .. } = job;
        if let Some(searcher) = &mut self.searcher {
            self.is_clear = false;
            return searcher.search(game, limits, stop, on_info);
        }
        if limits.hold {
            stop.wait();
        }
        any_move(game)
    }

    fn mate(&mut self, job: &MateJob) -> MateReport {
        let started = Instant::now();
        let bytes = job.table_bytes;
        // The old table is freed first. Otherwise both would be in memory at the same time.
        self.mate.take_if(|(requested, _)| *requested != bytes);
        let (_, search) = self.mate.get_or_insert_with(|| (bytes, MateSearch::new(bytes)));
        let outcome = search.solve(&job.position, &job.limits, &job.stop);
        MateReport { outcome, nodes: search.nodes(), time: started.elapsed() }
    }
}

#[cfg(test)]
mod tests;
