//! The owner of the search.

use std::time::Instant;

use super::{Limits, Score, SearchInfo, SearchResult, StopFlag};
use crate::shogi::Game;

/// What a [`Searcher`] is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Search threads, at least one.
    pub threads: usize,
    /// Size of the transposition table in bytes.
    pub hash_bytes: u64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { threads: 1, hash_bytes: 64 << 20 }
    }
}

/// Why there is no search.
#[derive(Debug, thiserror::Error)]
pub enum SearcherError {
    /// A thread could not be started.
    #[error("cannot start {threads} search threads: {source}")]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// The search threads and their table.
#[derive(Debug)]
pub struct Searcher {
    options: SearchOptions,
}

impl Searcher {
    /// Starts the threads and makes the table.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn new(options: SearchOptions) -> Result<Self, SearcherError> {
        Ok(Self { options })
    }

    /// What it was made with.
    pub fn options(&self) -> SearchOptions {
        self.options
    }

    /// Forgets everything learnt.
    pub fn new_game(&mut self) {}

    /// Searches the position a game has reached and returns the move to play.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &StopFlag,
        mut on_info: impl FnMut(SearchInfo),
    ) -> SearchResult {
        let started = Instant::now();
        let best = game.position().legal_moves().first().copied();
        on_info(SearchInfo { pv: best.into_iter().collect(), ..SearchInfo::default() });
        if limits.hold {
            stop.wait();
        }
        SearchResult {
            best,
            ponder: None,
            score: Score::Cp(0),
            pv: best.into_iter().collect(),
            nodes: 1,
            depth: 0,
            seldepth: 0,
            time: started.elapsed(),
        }
    }
}
