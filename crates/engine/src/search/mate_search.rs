//! Mate search: depth-first proof-number search (df-pn; Nagai, 2002) for mates by checks alone.
//!
//! The attacker, who is to move, gives check with every move; the defender may play any legal move. A mate that
//! begins with a quiet move, or needs one on the way, is not found: [`MateOutcome::NoMate`] says that *checks alone*
//! do not mate.
//!
//! If a position repeats in the line and the attacker has no more in hand than before, the attacker has failed there. A
//! result that depends on such a failure is stored for that path only, so that it never hides a mate on another path. A
//! proven mate depends only on mates proven before it, and never on a repetition. The moves of the game before the root
//! are ignored.
//!
//! Interpositions count as moves, even useless ones. Different pieces on the same square are tried one after the other,
//! the cheapest first, so that they cost little.

mod hands;
mod line;
mod resumed;
mod shortest;
mod solver;
mod table;

use std::time::Instant;

use super::StopFlag;
use kyomi_shogi::{Move, Position};
pub use line::is_mate_line;
pub(crate) use resumed::MateSearches;
use solver::Solver;
use table::{INFINITE, NO_PLY};

/// The limits of a mate search.
#[derive(Debug, Clone, Copy, Default)]
pub struct MateLimits {
    /// Number of positions to search. With this limit alone the result is the same on every machine.
    pub nodes: Option<u64>,
    /// The time at which the search stops.
    pub deadline: Option<Instant>,
}

/// The result of a mate search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MateOutcome {
    /// A mate.
    Mate {
        /// The whole line, checked by playing its moves. If `shortest` is set, it is the best line for both sides.
        /// Otherwise the attacker chooses the shortest mate known, and the defender the answer whose proof needed the
        /// most plies. A shorter mate may exist, and another answer may last longer than the line.
        line: Vec<Move>,
        /// Whatever the defender answers, it is mate within this number of plies, which is at least the length of the
        /// line.
        plies: usize,
        /// Whether no sequence of checks mates in fewer plies than `plies`.
        shortest: bool,
    },
    /// Checks alone do not mate.
    NoMate,
    /// A limit was reached before the result was known.
    Unknown,
}

/// A mate search with its own table, which is allocated once and cleared for each search.
#[derive(Debug)]
pub struct MateSearch {
    solver: Solver,
}

impl MateSearch {
    /// Creates a search with a table of this size in bytes, or less if memory is short. In addition a search takes
    /// about 4 MiB, and up to 100 MiB while it looks for a shorter mate.
    pub fn new(bytes: u64) -> Self {
        Self { solver: Solver::new(bytes) }
    }

    /// Size of the table in bytes.
    pub fn table_bytes(&self) -> u64 {
        self.solver.table.bytes()
    }

    /// Number of positions searched by the last search.
    pub fn nodes(&self) -> u64 {
        self.solver.nodes
    }

    /// Looks for a mate by the side to move. If it finds one, it looks for the shortest one, in half of the time left
    /// and with four times as many positions as the first search took, at least 100,000 and at most 2,000,000. Setting
    /// `stop` from another thread ends it within milliseconds.
    pub fn solve(
        &mut self,
        position: &Position,
        limits: &MateLimits,
        stop: &StopFlag,
    ) -> MateOutcome {
        self.begin(position);
        let nodes = limits.nodes.unwrap_or(u64::MAX);
        match self.continue_search(position, nodes, limits.deadline, stop) {
            Proof::Mate { line, plies } => self.shorten(position, limits, stop, line, plies),
            Proof::NoMate => MateOutcome::NoMate,
            Proof::Unknown => MateOutcome::Unknown,
        }
    }

    /// Looks for a shorter mate than this one, within the rest of the limits.
    fn shorten(
        &mut self,
        position: &Position,
        limits: &MateLimits,
        stop: &StopFlag,
        line: Vec<Move>,
        plies: usize,
    ) -> MateOutcome {
        let left = limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(self.solver.nodes));
        let nodes = left.min(LEAST_TO_SHORTEN.max(4 * self.solver.nodes)).min(MOST_TO_SHORTEN);
        // The search for a shorter mate must not delay the known one beyond the deadline.
        let now = Instant::now();
        let deadline = limits.deadline.map(|at| now + at.saturating_duration_since(now) / 2);
        let limits = shortest::ShortestLimits { nodes, deadline, stop };
        match shortest::shortest(&mut self.solver, position, plies, &limits) {
            Some(best) if is_mate_line(position, &best) => {
                let plies = best.len();
                MateOutcome::Mate { line: best, plies, shortest: true }
            }
            _ => MateOutcome::Mate { line, plies, shortest: false },
        }
    }

    /// Forgets the last position and prepares for this one.
    pub(super) fn begin(&mut self, position: &Position) {
        self.solver.begin(position.side_to_move());
    }

    /// Prepares for another position with the same pieces, and keeps the table, which is still valid for it. If the
    /// other side is the attacker now, the table is cleared.
    pub(super) fn set_next_position(&mut self, position: &Position) {
        if position.side_to_move() == self.solver.attacker {
            self.solver.resume(position.side_to_move());
        } else {
            self.begin(position);
        }
    }

    /// Continues the search of the current position for this number of further positions.
    pub(super) fn continue_search(
        &mut self,
        position: &Position,
        nodes: u64,
        deadline: Option<Instant>,
        stop: &StopFlag,
    ) -> Proof {
        let solver = &mut self.solver;
        if solver.look_up_failure(position) {
            return Proof::NoMate;
        }
        solver.deadline = deadline;
        solver.stop = stop.clone();
        solver.allow_nodes(nodes);
        // Remove the positions of an incomplete line.
        solver.line.clear();
        solver.children.clear();
        let found = solver.search(&mut position.clone(), INFINITE, INFINITE);
        let proof_nodes = solver.nodes;
        if found.dn == 0 && found.depends_on_ply == NO_PLY && !solver.halted {
            return Proof::NoMate;
        }
        if found.pn != 0 {
            return Proof::Unknown;
        }
        // Building the line may search some positions again.
        solver.allow_nodes(10_000);
        match line::mate_line(solver, position, proof_nodes) {
            Some(line) if is_mate_line(position, &line) => {
                // The answers in the line may lead to a shorter mate than other answers that the proof covers.
                let plies = usize::from(found.length).max(line.len());
                Proof::Mate { line, plies }
            }
            _ => Proof::Unknown,
        }
    }
}

/// The least limit of positions for the search for a shorter mate.
const LEAST_TO_SHORTEN: u64 = 100_000;

/// The largest such limit. Each position is stored, which takes about 100 MiB.
const MOST_TO_SHORTEN: u64 = 2_000_000;

/// The result of a part of a mate search.
#[derive(Debug)]
pub(super) enum Proof {
    /// A mate within this number of plies, whatever the answers. The line is not longer than that.
    Mate { line: Vec<Move>, plies: usize },
    /// Checks alone do not mate.
    NoMate,
    /// Not known yet.
    Unknown,
}

#[cfg(test)]
mod tests;
