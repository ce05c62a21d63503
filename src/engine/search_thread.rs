//! The search thread, which runs tasks one after another and reports their results.

use std::{
    sync::{Arc, mpsc},
    time::{Duration, Instant},
};

use crate::{
    search::{
        MateLimits, MateOutcome, MateSearch, Pace, SearchInfo, SearchLimits, SearchOptions,
        SearchResult, Searcher, SearcherError, SharedEntries, StopFlag, any_move,
    },
    shogi::{Game, Position},
};

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
    pub game: Game,
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
    let mut searchers = Searchers::default();
    let create = |options| Searcher::connected(options, pace.cloned(), shared.cloned());
    while let Ok(task) = tasks.recv() {
        match task {
            SearchTask::Prepare(options) => {
                report(SearchReport::Ready(searchers.prepare(&options, create)));
            }
            SearchTask::NewGame => {
                if let Some(shared) = shared {
                    shared.clear();
                }
                if let Some(searcher) = &mut searchers.searcher {
                    searcher.new_game();
                }
                report(SearchReport::Cleared);
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

/// The searcher and the requested options, which may exceed the available resources.
#[derive(Default)]
struct Searchers {
    searcher: Option<Searcher>,
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

    /// Runs a search. It returns a move even if no searcher could be created.
    fn search(&mut self, job: &SearchJob, on_info: impl FnMut(SearchInfo)) -> SearchResult {
        let SearchJob { game, limits, stop, .. } = job;
        if let Some(searcher) = &mut self.searcher {
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
