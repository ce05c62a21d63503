//! The shortest mate, after a mate is proven. Iterative deepening over odd numbers of plies, with the entries of the
//! proof in the table as bounds.
//!
//! The resulting line is the best one for both sides: the attacker has no shorter mate, and the defender no answer with
//! a longer one.

use std::{collections::HashMap, time::Instant};

use super::super::StopFlag;
use super::super::mate_in_one::find_mate_in_one;
use super::super::promotion::promoted_form;
use super::solver::Solver;
use super::table::NO_PLY;
use kyomi_shogi::{Move, MoveList, Position};

/// The limits of the search for the shortest mate.
#[derive(Debug)]
pub(super) struct ShortestLimits<'a> {
    /// Number of positions to search.
    pub(super) nodes: u64,
    pub(super) deadline: Option<Instant>,
    pub(super) stop: &'a StopFlag,
}

/// The best line for both sides of a position that is known to be mate within `plies`. `None` if a limit is reached.
pub(super) fn shortest(
    solver: &mut Solver,
    position: &Position,
    plies: usize,
    limits: &ShortestLimits<'_>,
) -> Option<Vec<Move>> {
    solver.line.clear();
    let mut search = Shortest { solver, limits, nodes: 0, next_check: 0, known: HashMap::new() };
    let line = search.best_line(position, plies);
    let nodes = search.nodes;
    solver.nodes += nodes;
    line
}

/// The state of the search. Plies are counted from positions with the attacker to move, so that they are odd.
struct Shortest<'a> {
    solver: &'a Solver,
    limits: &'a ShortestLimits<'a>,
    nodes: u64,
    /// The number of positions at which the clock and the stop flag are checked next.
    next_check: u64,
    /// By board and the attacker's hand.
    known: HashMap<(u64, u32), Known>,
}

/// The known results of a position with the attacker to move.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// The largest number of plies within which it is no mate.
    no_mate_within: usize,
    /// The smallest number of plies within which it is a mate.
    mate_within: usize,
    /// The check that mates.
    mv: Option<Move>,
}

impl Shortest<'_> {
    /// The shortest mate within `most` plies; `None` if there is none or a limit is reached.
    fn best_line(&mut self, position: &Position, most: usize) -> Option<Vec<Move>> {
        let mut position = position.clone();
        for plies in (1..=most).step_by(2) {
            if self.mates_within(&mut position, plies)? {
                return self.line(position, plies);
            }
        }
        None
    }

    /// Whether checks mate within this number of plies; `None` when a limit is reached.
    fn mates_within(&mut self, position: &mut Position, plies: usize) -> Option<bool> {
        let key = (position.board_key(), position.hand(self.solver.attacker).to_bits());
        let mut known =
            self.known.get(&key).copied().unwrap_or_else(|| self.known_from_table(position));
        if plies <= known.no_mate_within {
            return Some(false);
        }
        if plies >= known.mate_within {
            return Some(true);
        }
        if !self.spend_node() {
            return None;
        }
        let mut mate = None;
        if plies == 1 {
            mate = find_mate_in_one(position);
        } else {
            let tried = known.mv;
            for (check, _) in checks(position, tried) {
                if self.is_mating_check(position, check, plies)? {
                    mate = Some(check);
                    break;
                }
            }
        }
        match mate {
            Some(mv) => (known.mate_within, known.mv) = (plies, Some(mv)),
            None => known.no_mate_within = plies,
        }
        self.known.insert(key, known);
        Some(mate.is_some())
    }

    /// Whether every answer to a check is mated within one ply less.
    fn all_answers_mated(&mut self, position: &mut Position, plies: usize) -> Option<bool> {
        if !self.spend_node() {
            return None;
        }
        let mut answers = MoveList::new();
        position.evasions(&mut answers);
        for &answer in &answers {
            let undo = position.do_move(answer);
            let mated = self.mates_within(position, plies - 1);
            position.undo_move(answer, undo);
            if !mated? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The bounds that the entries of the proof give.
    fn known_from_table(&self, position: &Position) -> Known {
        let nothing = Known { no_mate_within: 0, mate_within: usize::MAX, mv: None };
        match self.solver.table.probe(self.solver.path_node(position)) {
            Some(found) if found.pn == 0 => {
                Known { mate_within: usize::from(found.length), mv: found.mv, ..nothing }
            }
            Some(found) if found.dn == 0 && found.depends_on_ply == NO_PLY => {
                Known { no_mate_within: usize::MAX, ..nothing }
            }
            _ => nothing,
        }
    }

    /// Counts a position. Returns false when a limit is reached.
    fn spend_node(&mut self) -> bool {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return false;
        }
        if self.nodes < self.next_check {
            return true;
        }
        self.next_check = self.nodes + CHECK_INTERVAL;
        let ShortestLimits { stop, deadline, .. } = self.limits;
        !stop.is_stopped() && deadline.is_none_or(|at| Instant::now() < at)
    }

    /// The best line of a position whose shortest mate has this number of plies.
    fn line(&mut self, mut position: Position, mut plies: usize) -> Option<Vec<Move>> {
        let mut line = Vec::with_capacity(plies);
        loop {
            let check = self.mating_check(&mut position, plies)?;
            line.push(check);
            position.do_move(check);
            if plies == 1 {
                return Some(line);
            }
            plies -= 2;
            let answer = self.longest_answer(&mut position, plies)?;
            line.push(answer);
            position.do_move(answer);
        }
    }

    /// The check that mates within this number of plies.
    fn mating_check(&mut self, position: &mut Position, plies: usize) -> Option<Move> {
        if plies == 1 {
            return find_mate_in_one(position);
        }
        let key = (position.board_key(), position.hand(self.solver.attacker).to_bits());
        let tried = self.known.get(&key).and_then(|known| known.mv);
        for (check, _) in checks(position, tried) {
            if self.is_mating_check(position, check, plies)? {
                let form =
                    promoted_form(position, check).filter(|&form| position.gives_check(form));
                return match form {
                    Some(form) if self.is_mating_check(position, form, plies)? => Some(form),
                    _ => Some(check),
                };
            }
        }
        None
    }

    /// Whether a check mates within `plies`; `None` when a limit is reached.
    fn is_mating_check(
        &mut self,
        position: &mut Position,
        check: Move,
        plies: usize,
    ) -> Option<bool> {
        let undo = position.do_move(check);
        let mated = self.all_answers_mated(position, plies - 1);
        position.undo_move(check, undo);
        mated
    }

    /// The answer after which the shortest mate has this number of plies. Of several it is the first: moves on the
    /// board come before drops, and promotions before the same move without promotion.
    fn longest_answer(&mut self, position: &mut Position, plies: usize) -> Option<Move> {
        let mut answers = MoveList::new();
        position.evasions(&mut answers);
        answers.sort_unstable_by_key(|mv| {
            (mv.is_drop(), mv.from(), mv.to(), !mv.is_promotion(), mv.to_bits())
        });
        for &answer in &answers {
            let undo = position.do_move(answer);
            let sooner =
                if plies > 1 { self.mates_within(position, plies - 2) } else { Some(false) };
            position.undo_move(answer, undo);
            if !sooner? {
                return Some(answer);
            }
        }
        None
    }
}

/// All checks with the number of their answers. `tried` comes first, then the checks with the fewest answers.
fn checks(position: &mut Position, tried: Option<Move>) -> Vec<(Move, usize)> {
    let mut checks = MoveList::new();
    position.checks(&mut checks);
    let mut all: Vec<(Move, usize)> = Vec::with_capacity(checks.len());
    for &check in &checks {
        let undo = position.do_move(check);
        let mut answers = MoveList::new();
        position.evasions(&mut answers);
        position.undo_move(check, undo);
        all.push((check, answers.len()));
    }
    all.sort_unstable_by_key(|(check, answers)| (Some(*check) != tried, *answers, check.to_bits()));
    all
}

/// The number of positions between two checks of the clock.
const CHECK_INTERVAL: u64 = 256;
