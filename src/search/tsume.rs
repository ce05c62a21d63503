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
mod shortest;
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
    /// A mate.
    Mate {
        /// The whole line, checked by playing it out: the best one for both sides if it is `shortest`. Else the attacker
        /// takes the shortest way known, the defender the answer whose mate was shown with the most plies; a shorter
        /// mate may not have been seen, and another answer may hold out longer than the line.
        line: Vec<Move>,
        /// Whatever is answered, it is mate within this number of plies: at least those of the line.
        plies: usize,
        /// No checks mate sooner than within `plies`.
        shortest: bool,
    },
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
    /// A search with a table of this size in bytes, or less where memory is short. Beyond it a search takes about
    /// 4 MiB, and up to 100 MiB while it looks for a shorter mate.
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

    /// Looks for a mate by the side to move, and when there is one for the shortest: in half of the time left, with four
    /// times the positions that the first one took, but at least 100,000 and at most 2,000,000. `stop`, from another
    /// thread, ends it within milliseconds.
    pub fn solve(
        &mut self,
        position: &Position,
        limits: &MateLimits,
        stop: &StopFlag,
    ) -> MateOutcome {
        self.begin(position);
        let nodes = limits.nodes.unwrap_or(u64::MAX);
        match self.go_on(position, nodes, limits.deadline, stop) {
            Proof::Mate { line, plies } => self.shorten(position, limits, stop, line, plies),
            Proof::None => MateOutcome::NoMate,
            Proof::Unknown => MateOutcome::Unknown,
        }
    }

    /// Looks whether there is a shorter mate than this one, with what the limits leave.
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
        // A mate that is known must not come too late for the sake of a shorter one.
        let now = Instant::now();
        let deadline = limits.deadline.map(|at| now + at.saturating_duration_since(now) / 2);
        let allowance = shortest::Allowance { nodes, deadline, stop };
        match shortest::shortest(&mut self.solver, position, plies, &allowance) {
            Some(best) if is_mate_line(position, &best) => {
                let plies = best.len();
                MateOutcome::Mate { line: best, plies, shortest: true }
            }
            _ => MateOutcome::Mate { line, plies, shortest: false },
        }
    }

    /// Forgets the last position and makes ready for this one.
    pub(super) fn begin(&mut self, position: &Position) {
        self.solver.begin(position.side_to_move());
    }

    /// Makes ready for another position with the same pieces, for which what is known holds on; forgets it if the other
    /// side is the attacker.
    pub(super) fn carry_on(&mut self, position: &Position) {
        if position.side_to_move() == self.solver.attacker {
            self.solver.resume(position.side_to_move());
        } else {
            self.begin(position);
        }
    }

    /// Goes on with the position it began with, for this number of positions more.
    pub(super) fn go_on(
        &mut self,
        position: &Position,
        nodes: u64,
        deadline: Option<Instant>,
        stop: &StopFlag,
    ) -> Proof {
        let solver = &mut self.solver;
        solver.deadline = deadline;
        solver.stop = stop.clone();
        solver.allow(nodes);
        // A line that could not be followed to its end has left its positions there.
        solver.line.clear();
        solver.children.clear();
        let found = solver.search(&mut position.clone(), INFINITE, INFINITE);
        let proof_nodes = solver.nodes;
        if found.dn == 0 && found.rests_on == ALONE && !solver.halted {
            return Proof::None;
        }
        if found.pn != 0 {
            return Proof::Unknown;
        }
        // The line may need some nodes more.
        solver.allow(10_000);
        match line::follow(solver, position, proof_nodes) {
            Some(line) if is_mate_line(position, &line) => {
                // The answers shown may be shorter than those that the proof had to answer too.
                let plies = usize::from(found.length).max(line.len());
                Proof::Mate { line, plies }
            }
            _ => Proof::Unknown,
        }
    }
}

/// Positions that the search for a shorter mate may look at in any case.
const LEAST_TO_SHORTEN: u64 = 100_000;

/// Each of them is stored, which takes about 100 MiB.
const MOST_TO_SHORTEN: u64 = 2_000_000;

/// What a mate search has proven.
#[derive(Debug)]
pub(super) enum Proof {
    /// A mate within this number of plies, whatever the answers. The line is no longer than that.
    Mate { line: Vec<Move>, plies: usize },
    /// Checks alone do not mate.
    None,
    /// Nothing yet.
    Unknown,
}

#[cfg(test)]
mod tests;
