//! Mate search: depth-first proof-number search (df-pn; Nagai, 2002) for mates by checks without end.
//!
//! The attacker, who is to move, gives check with every move; the defender may play any legal move. A mate that
//! begins with a quiet move, or needs one on the way, is not found: [`MateOutcome::NoMate`] says that *checks alone*
//! do not mate.
//!
//! A position that comes back on the line, the attacker having no more in hand than before, is a failure of the
//! attacker there. What rests on such a failure is remembered for that path only, so that it never hides a mate on
//! another one; what mates rests on mates shown before it, and never on a repetition. The moves of the game before
//! the root are not looked at.
//!
//! Interpositions count as moves, useless ones too. Several pieces on the same square are tried one after the other,
//! the cheapest first, so that they cost little.

mod hands;
mod line;
mod solver;
mod table;

use std::time::Instant;

use super::StopFlag;
use crate::shogi::{Move, Position};
pub use line::is_mate_line;
use solver::Solver;
use table::{ALONE, INFINITE};

/// What ends a mate search before its answer is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct MateLimits {
    /// Positions to look at. With this limit alone the answer is the same on every machine.
    pub nodes: Option<u64>,
    /// When to give up.
    pub deadline: Option<Instant>,
}

/// What a mate search says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MateOutcome {
    /// A mate, the whole line; checked by playing it out. Neither always the shortest, nor always with the answers
    /// that hold out longest: lengths are those of what was shown, which may be more than is needed.
    Mate(Vec<Move>),
    /// Checks alone do not mate.
    NoMate,
    /// A limit came first.
    Unknown,
}

/// A mate search with a table of its own, which is kept between searches but emptied for each.
#[derive(Debug)]
pub struct MateSearch {
    solver: Solver,
}

impl MateSearch {
    /// A search with a table of so many bytes, or less where memory is short. Beyond it a search takes about 4 MiB.
    pub fn new(bytes: u64) -> Self {
        Self { solver: Solver::new(bytes) }
    }

    /// Size of the table.
    pub fn table_bytes(&self) -> u64 {
        self.solver.table.bytes()
    }

    /// Positions looked at by the last search.
    pub fn nodes(&self) -> u64 {
        self.solver.nodes
    }

    /// Looks for a mate by the side to move. `stop`, from another thread, ends it within milliseconds.
    pub fn solve(
        &mut self,
        position: &Position,
        limits: &MateLimits,
        stop: &StopFlag,
    ) -> MateOutcome {
        let solver = &mut self.solver;
        solver.begin(position.side_to_move());
        solver.most_nodes = limits.nodes.unwrap_or(u64::MAX);
        solver.deadline = limits.deadline;
        solver.stop = stop.clone();
        let found = solver.search(&mut position.clone(), INFINITE, INFINITE);
        if found.dn == 0 && found.rests_on == ALONE && !solver.halted {
            return MateOutcome::NoMate;
        }
        if found.pn != 0 {
            return MateOutcome::Unknown;
        }
        // The line may need some nodes more.
        solver.most_nodes = solver.nodes.saturating_mul(2).saturating_add(10_000);
        solver.halted = false;
        match line::follow(solver, position) {
            Some(line) if is_mate_line(position, &line) => MateOutcome::Mate(line),
            _ => MateOutcome::Unknown,
        }
    }
}

#[cfg(test)]
mod tests;
