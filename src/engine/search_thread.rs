//! The thread that searches: one task after the other, what it learns reported as it goes.

use std::{
    sync::mpsc,
    time::{Duration, Instant},
};

use crate::{
    search::{
        MateLimits, MateOutcome, MateSearch, SearchInfo, SearchLimits, SearchOptions, SearchResult,
        Searcher, SearcherError, StopFlag, any_move,
    },
    shogi::{Game, Position},
};

/// What the thread is to do.
#[derive(Debug)]
pub enum SearchTask {
    /// Make a search with these options, if they differ from those it has; reports [`SearchReport::Ready`].
    Prepare(SearchOptions),
    /// Forget what was learnt; reports [`SearchReport::Forgotten`].
    NewGame,
    /// Search; reports [`SearchReport::Info`] and [`SearchReport::Done`].
    Search(Box<SearchJob>),
    /// Search for mate; reports [`SearchReport::Mate`].
    Mate(Box<MateJob>),
}

/// One search.
#[derive(Debug)]
pub struct SearchJob {
    /// Its reports carry this number.
    pub number: u64,
    /// With what.
    pub options: SearchOptions,
    /// The position at the end of it is searched; repetitions count from its start.
    pub game: Game,
    /// What ends it.
    pub limits: SearchLimits,
    /// Ends it from outside.
    pub stop: StopFlag,
}

/// One search for mate.
#[derive(Debug)]
pub struct MateJob {
    /// Its report carries this number.
    pub number: u64,
    /// Size of its table.
    pub table_bytes: u64,
    /// The attacker is to move.
    pub position: Position,
    /// What ends it.
    pub limits: MateLimits,
    /// Ends it from outside.
    pub stop: StopFlag,
}

/// What the thread reports.
#[derive(Debug)]
pub enum SearchReport {
    /// It can search.
    Ready(Readiness),
    /// What was learnt in the game before is forgotten.
    Forgotten,
    /// The state of a search, by its number.
    Info(u64, Box<SearchInfo>),
    /// The end of a search, by its number.
    Done(u64, Box<SearchResult>),
    /// The end of a search for mate, by its number.
    Mate(u64, Box<MateReport>),
}

/// How far the options that were asked for could be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// All of it.
    AsAsked,
    /// Something less, which works; in one line.
    Less(String),
    /// No search at all: moves are played without thought; the reason in one line.
    None(String),
}

/// What a search for mate has found.
#[derive(Debug)]
pub struct MateReport {
    /// The mate, or why there is none.
    pub outcome: MateOutcome,
    /// Positions looked at.
    pub nodes: u64,
    /// How long it took.
    pub time: Duration,
}

/// Carries out tasks until their sender is gone.
pub fn run(tasks: &mpsc::Receiver<SearchTask>, report: impl Fn(SearchReport)) {
    let mut owner = Owner::default();
    while let Ok(task) = tasks.recv() {
        match task {
            SearchTask::Prepare(options) => {
                report(SearchReport::Ready(owner.prepare(&options, Searcher::new)));
            }
            SearchTask::NewGame => {
                if let Some(searcher) = &mut owner.searcher {
                    searcher.new_game();
                }
                report(SearchReport::Forgotten);
            }
            SearchTask::Search(job) => {
                let number = job.number;
                owner.prepare(&job.options, Searcher::new);
                let result = owner.search(&job, |info| {
                    report(SearchReport::Info(number, Box::new(info)));
                });
                report(SearchReport::Done(number, Box::new(result)));
            }
            SearchTask::Mate(job) => {
                let found = owner.mate(&job);
                report(SearchReport::Mate(job.number, Box::new(found)));
            }
        }
    }
}

/// The searcher and what was asked for, which may be more than there was to have.
#[derive(Default)]
struct Owner {
    searcher: Option<Searcher>,
    asked: Option<SearchOptions>,
    /// Made at the first search for mate, with a table of this size asked for.
    mate: Option<(u64, MateSearch)>,
}

impl Owner {
    /// Makes the searcher anew if other options are asked for.
    fn prepare(
        &mut self,
        options: &SearchOptions,
        make: impl Fn(SearchOptions) -> Result<Searcher, SearcherError>,
    ) -> Readiness {
        if self.searcher.is_some() && self.asked.as_ref() == Some(options) {
            return Readiness::AsAsked;
        }
        // The old table goes first, or both would be in memory at once.
        self.searcher = None;
        self.asked = Some(options.clone());
        let error = match make(options.clone()) {
            Ok(made) => {
                let (wanted, got) = (options.hash_bytes >> 20, made.hash_bytes() >> 20);
                self.searcher = Some(made);
                if got + 1 < wanted {
                    let less = format!("the hash table has {got} MiB only, for want of memory");
                    return Readiness::Less(less);
                }
                return Readiness::AsAsked;
            }
            Err(error) => error,
        };
        match make(SearchOptions { threads: 1, ..options.clone() }) {
            Ok(made) => {
                self.searcher = Some(made);
                Readiness::Less(format!("{error}; one thread is used"))
            }
            Err(_) => Readiness::None(error.to_string()),
        }
    }

    /// Every search has an answer, even if the system gives no thread for it.
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
        // The old table goes first, or both would be in memory at once.
        self.mate.take_if(|(asked, _)| *asked != bytes);
        let (_, search) = self.mate.get_or_insert_with(|| (bytes, MateSearch::new(bytes)));
        let outcome = search.solve(&job.position, &job.limits, &job.stop);
        MateReport { outcome, nodes: search.nodes(), time: started.elapsed() }
    }
}

#[cfg(test)]
mod tests;
