//! The reports of a search: its state while it runs, and its result.

use std::time::Duration;

use kyomi_shogi::{Move, Score};

/// Whether a score is exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bound {
    /// The score is exact.
    #[default]
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// The state of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchInfo {
    /// Nominal depth in plies.
    pub depth: u32,
    /// The limit of the iteration in units, the measure of depth in interest search; 0 if the engine has none.
    pub limit: u32,
    /// The longest line searched, in plies; 0 if not known.
    pub seldepth: u32,
    /// The score of the line, for the side to move; `None` if the engine gave none.
    pub score: Option<Score>,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Number of positions searched so far, by all threads.
    pub nodes: u64,
    /// Positions per second.
    pub nps: u64,
    /// Number of other machines that share the search. Their nodes are included.
    pub workers: u32,
    /// Time since the search began.
    pub time: Duration,
    /// The used part of the transposition table, in permille.
    pub hashfull: Option<u32>,
    /// Number of the line if the engine reports several, from 1.
    pub multipv: Option<u32>,
    /// The expected line, legal from the position searched.
    pub pv: Vec<Move>,
    /// Free text, one line.
    pub text: Option<String>,
}

impl SearchInfo {
    /// Whether its line is the best one, or the only one.
    pub fn is_best_line(&self) -> bool {
        self.multipv.is_none_or(|line| line <= 1)
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play; `None` if no move is legal.
    pub best: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The score, for the side to move.
    pub score: Score,
    /// The expected line, beginning with the best move.
    pub pv: Vec<Move>,
    /// The scores and lines of the last completed iteration, best first; empty unless several lines were requested. The
    /// first is not always the line above, which may be newer.
    pub lines: Vec<(Score, Vec<Move>)>,
    /// Number of positions searched, by all threads.
    pub nodes: u64,
    /// Nominal depth of the last completed iteration, in plies.
    pub depth: u32,
    /// The limit of that iteration, in hundredths of a nominal ply.
    pub limit: u32,
    /// The longest line searched, in plies.
    pub seldepth: u32,
    /// The time that the search took.
    pub time: Duration,
}
