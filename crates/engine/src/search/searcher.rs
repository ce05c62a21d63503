//! The owner of the search.

use std::{sync::Arc, time::Duration};

use super::pace::Pace;
use super::promotion::promoted_form;
use super::search_options::SearchOptions;
use super::shared_entries::SharedEntries;
use super::table::TranspositionTable;
use super::team::{Message, ThreadPool};
use super::{Score, SearchInfo, SearchLimits, SearchResult, StopFlag};
use kyomi_shogi::Game;

/// Why a [`Searcher`] cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum SearcherError {
    /// A thread could not be started.
    #[error("cannot start {threads} search threads: {source}")]
    Threads {
        /// Number of threads requested.
        threads: usize,
        /// The error of the system.
        source: std::io::Error,
    },
}

/// The search threads and their table. The threads are started once and wait between searches.
pub struct Searcher {
    options: SearchOptions,
    table: Arc<TranspositionTable>,
    team: ThreadPool,
    pace: Option<Arc<Pace>>,
    /// Score of the last search, to detect a fall of the score.
    last_score: Option<i32>,
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher").field("options", &self.options).finish_non_exhaustive()
    }
}

/// The largest number of search threads.
pub const MAX_THREADS: usize = 1024;

impl Searcher {
    /// Starts the threads and creates the table. If the memory does not suffice, the table is smaller than requested;
    /// see [`Searcher::hash_bytes`].
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn new(options: SearchOptions) -> Result<Self, SearcherError> {
        Self::connected(options, None, None)
    }

    /// The same, with threads that search at a set speed if `pace` is given, and that exchange entries of the table
    /// with other machines if `shared` is.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn connected(
        options: SearchOptions,
        pace: Option<Arc<Pace>>,
        shared: Option<Arc<SharedEntries>>,
    ) -> Result<Self, SearcherError> {
        let threads = options.threads.clamp(1, MAX_THREADS);
        let options = SearchOptions { threads, ..options };
        let table = TranspositionTable::sharing(options.hash_bytes, threads, shared);
        let table = Arc::new(table);
        let team = start(&options, &table, pace.as_ref())?;
        Ok(Self { options, table, team, pace, last_score: None })
    }

    /// The options it was created with.
    pub fn options(&self) -> &SearchOptions {
        &self.options
    }

    /// Size of the table in bytes, which may be less than requested.
    pub fn hash_bytes(&self) -> u64 {
        self.table.bytes()
    }

    /// Clears the table and everything that the threads have learnt.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.team.clear();
        self.last_score = None;
    }

    /// Searches the position that a game has reached and returns the move to play. Blocks until the search ends.
    /// Setting `stop` from another thread ends it within milliseconds.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &SearchLimits,
        stop: &StopFlag,
        mut on_info: impl FnMut(SearchInfo),
    ) -> SearchResult {
        self.table.next_generation();
        for message in self.team.search(game, limits, stop, self.last_score) {
            match message {
                Message::Info(info) => on_info(info),
                Message::Done(result) => {
                    tracing::trace!(skipped_stores = self.table.skipped_stores(), "searched");
                    // It matters to the time of the next move. A search without a clock is none of the game.
                    if limits.time.is_some() || limits.hold {
                        self.last_score = Some(result.score.centipawns());
                    }
                    return *result;
                }
            }
        }
        self.replace_team();
        if limits.hold {
            stop.wait();
        }
        any_move(game)
    }

    /// Replaces the threads after one of them panicked.
    fn replace_team(&mut self) {
        tracing::error!("a search thread panicked; the search threads are started again");
        self.table.clear();
        match start(&self.options, &self.table, self.pace.as_ref()) {
            Ok(team) => self.team = team,
            Err(error) => tracing::error!("{error}"),
        }
    }
}

fn start(
    options: &SearchOptions,
    table: &Arc<TranspositionTable>,
    pace: Option<&Arc<Pace>>,
) -> Result<ThreadPool, SearcherError> {
    let threads = options.threads;
    ThreadPool::start(options, table, pace)
        .map_err(|source| SearcherError::Threads { threads, source })
}

/// The result without a search: any legal move, in its promoted form if it has one. `None` if no move is legal.
pub fn any_move(game: &Game) -> SearchResult {
    let best = game.position().legal_moves().first().copied();
    let best = best.map(|mv| promoted_form(game.position(), mv).unwrap_or(mv));
    SearchResult {
        best,
        ponder: None,
        score: Score::Cp(0),
        pv: best.into_iter().collect(),
        lines: Vec::new(),
        nodes: 0,
        depth: 0,
        limit: 0,
        seldepth: 0,
        time: Duration::ZERO,
    }
}

#[cfg(test)]
mod tests;
