//! The root: iterations with a growing limit and aspiration windows (docs/search.md, sections 1.6 and 1.7).

mod aspiration;
mod growth;
mod mates;
mod moves;
mod promotion;
mod search;

use std::{cmp::Reverse, sync::atomic::Ordering};

use crate::search::job::{Job, ResultSlot};
use crate::search::kind::SearchKind;
use crate::search::line::RootLine;
use crate::search::node_counts::Within;
use crate::search::time_manager::LARGEST_FALL;
use crate::search::value::{MATE_BOUND, is_mate};
use crate::search::worker::Worker;
use crate::search::{Bound, MAX_PLY};
use aspiration::Aspiration;
use growth::Growth;
use kyomi_shogi::Move;
use kyomi_shogi::clock::Signals;
use mates::Proven;
use moves::RootMove;

/// The first iteration with an aspiration window. The scores of those before differ too much from each other.
const FIRST_ASPIRATION: u32 = 4;
/// A fall by this many centipawns, most of a pawn, makes the next iteration wider near the root (docs/search.md,
/// section 1.13).
const PANIC_FALL: i32 = 80;
/// One iteration in this many leaves penalties out, so that a move that was penalised wrongly gets another chance.
const PENALTY_PAUSE_PERIOD: u32 = 4;
/// The number of last iterations in which changes of the best move ask for more time.
const RECENT: usize = 5;
/// The best move is obvious if it took this share of the nodes of an iteration, in percent: the others are refuted at
/// once. In the first iterations that happens by chance.
const OBVIOUS_SHARE: u64 = 97;
/// The last iteration in which no move is called obvious.
const LAST_UNCLEAR: u32 = 8;
/// The first iteration after which a mate ends the search. One more may find a shorter mate.
const FIRST_FINAL_MATE: u32 = 3;

/// Observes every completed iteration and every new best move within one.
pub(crate) trait SearchObserver<K: SearchKind> {
    /// An iteration is completed. `lines` are the lines it found, best first, at least one.
    fn iteration_completed(&mut self, worker: &Worker<K>, lines: &[RootLine]);

    /// A new best line within an iteration.
    fn new_best_line(&mut self, worker: &Worker<K>, best_line: &RootLine, bound: Bound);
}

/// The best moves of past iterations, from which the signals for the time manager follow.
#[derive(Default)]
struct BestMoves {
    /// Best moves, latest last.
    moves: Vec<Move>,
}

/// A completed iteration.
struct Completed {
    /// Its number, from 1.
    number: u32,
    /// Whether the score before it is reliable enough for an aspiration window.
    is_score_known: bool,
    score_before: i32,
    /// The number of nodes that it took.
    nodes: u64,
}

/// What the mate search has proven about the best move.
enum ProvenBest {
    Wins,
    Loses,
}

impl BestMoves {
    fn signals(&self, score_fall: i32, obvious: bool) -> Signals {
        let last = self.moves.last();
        let stable = self.moves.iter().rev().take_while(|mv| Some(*mv) == last).count() as u32;
        let recent = &self.moves[self.moves.len().saturating_sub(RECENT)..];
        let best_changes = recent.windows(2).filter(|pair| pair[0] != pair[1]).count() as u32;
        Signals { best_changes, stable: stable.saturating_sub(1), score_fall, obvious }
    }
}

impl<K: SearchKind> Worker<K> {
    /// Searches the root until a limit of the job is reached or a deeper search is not possible.
    pub(crate) fn think(
        &mut self,
        job: &Job,
        slot: &ResultSlot,
        observer: &mut dyn SearchObserver<K>,
    ) -> RootLine {
        let mut moves = self.root_moves(&job.limits.moves);
        let Some(first) = moves.first() else { return RootLine::default() };
        // Helper threads search for the best line only.
        let is_worth_a_line =
            |root: &&RootMove| !root.needless_non_promotion && !root.is_implausible;
        let worth_a_line = moves.iter().filter(is_worth_a_line).count().max(1);
        let wanted = if self.control.id == 0 { job.limits.lines.clamp(1, worth_a_line) } else { 1 };
        let none = RootLine { score: self.evaluate(), ..RootLine::default() };
        let mut lines = vec![none; wanted];
        lines[0].line.push(first.mv);
        self.iterate_deeper(&mut moves, &mut lines, job, slot, observer);
        lines.swap_remove(0)
    }

    /// Runs iterations until a limit of the job is reached or a deeper search is not possible.
    fn iterate_deeper(
        &mut self,
        moves: &mut [RootMove],
        lines: &mut [RootLine],
        job: &Job,
        slot: &ResultSlot,
        observer: &mut dyn SearchObserver<K>,
    ) {
        let most = job.limits.depth.map_or(i32::MAX, |depth| {
            self.settings.costs.limit_for_depth(depth.clamp(1, MAX_PLY as u32) as i32)
        });
        let most = most.min(job.limits.limit.unwrap_or(i32::MAX));
        let mut growth = Growth::new(self.control.number, &self.settings.parameters);
        let mut best_moves = BestMoves::default();
        for number in 1_u32.. {
            // The depth limit ends only the first thread. The others continue until it is done.
            self.control.limit = if self.control.id == 0 {
                growth.limit.min(most)
            } else {
                growth.catch_up_with(job.largest_limit.load(Ordering::Relaxed));
                growth.limit
            };
            if number > 1 {
                self.knowledge.history.next_iteration();
            }
            self.knowledge.penalties.next_iteration(self.control.nodes);
            self.knowledge.penalty_pause = self.settings.parameters.penalty_pause != 0
                && self.knowledge.penalties.may_pause()
                && number.is_multiple_of(PENALTY_PAUSE_PERIOD);
            let nodes = self.control.nodes;
            let score_before = lines[0].score;
            let is_score_known = number >= FIRST_ASPIRATION;
            if !self.iterate_lines(moves, lines, is_score_known, observer) {
                return;
            }
            let best_line = &lines[0];
            // Relaxed: a hint to the other threads.
            job.largest_limit.fetch_max(self.control.limit, Ordering::Relaxed);
            // A result beyond the depth limit is not published.
            let publish = |best_line: &RootLine, limit: i32| {
                if limit <= most {
                    slot.publish(job, best_line);
                }
            };
            publish(best_line, self.control.limit);
            observer.iteration_completed(self, lines);
            self.control.score_fell = self.settings.parameters.panic_width != 0
                && is_score_known
                && best_line.score <= score_before - PANIC_FALL;
            best_moves.moves.extend(best_line.line.first());
            let iteration = Completed {
                number,
                is_score_known,
                score_before,
                nodes: self.control.nodes - nodes,
            };
            if self.control.id == 0
                && self.is_decided(job, &iteration, moves, best_line, &best_moves)
            {
                return;
            }
            let ends = self.control.id == 0 && self.control.limit >= most;
            if ends || self.settings.costs.nominal_depth(self.control.limit) >= MAX_PLY as i32 {
                return;
            }
            if self.control.id == 0 && lines.len() == 1 && self.settings.parameters.mate_nodes > 0 {
                match self.apply_mate_search(moves, &mut lines[0], &mut best_moves) {
                    Some(ProvenBest::Wins) => {
                        observer.iteration_completed(self, lines);
                        return;
                    }
                    Some(ProvenBest::Loses) => publish(&lines[0], self.control.limit),
                    None => {}
                }
            }
            growth.advance(iteration.nodes);
            let time_manager = self.control.time_manager.as_ref();
            if let Some(nodes) =
                time_manager.and_then(|manager| manager.affordable_nodes(self.control.nodes))
            {
                growth.shrink_step(nodes);
            }
        }
    }

    /// Passes the signals of a completed iteration to the time manager. Returns whether the first thread stops: the
    /// time is used up, there is only one move, or the result is a mate.
    fn is_decided(
        &mut self,
        job: &Job,
        iteration: &Completed,
        moves: &[RootMove],
        best_line: &RootLine,
        best_moves: &BestMoves,
    ) -> bool {
        // The fall since the last move or since the last iteration, whichever is larger.
        let since_move = job.last_score.map_or(0, |last| last - best_line.score);
        let fall = if iteration.is_score_known {
            since_move.max(iteration.score_before - best_line.score)
        } else {
            since_move
        };
        let obvious = moves[0].nodes * 100 >= iteration.nodes * OBVIOUS_SHARE
            && iteration.number > LAST_UNCLEAR;
        let signals = best_moves.signals(fall.clamp(-LARGEST_FALL, LARGEST_FALL), obvious);
        if let Some(time_manager) = &mut self.control.time_manager {
            time_manager.update(signals);
            let is_only = moves.len() == 1;
            if time_manager.expired(self.control.nodes)
                || (is_only && time_manager.check_timed(self.control.nodes))
            {
                return true;
            }
        }
        is_mate(best_line.score)
            && best_line.score.abs() > MATE_BOUND
            && iteration.number >= FIRST_FINAL_MATE
    }

    /// Runs the mate search and applies what it proves: it completes a best line that mates, and replaces a best move
    /// that loses.
    fn apply_mate_search(
        &mut self,
        moves: &mut [RootMove],
        best_line: &mut RootLine,
        best_moves: &mut BestMoves,
    ) -> Option<ProvenBest> {
        match self.search_for_mates(best_line)? {
            Proven::Win { score, line } => {
                if moves.iter().all(|root| Some(&root.mv) != line.first()) {
                    return None;
                }
                (best_line.score, best_line.line) = (score, *line);
                self.complete_win(moves, best_line);
                Some(ProvenBest::Wins)
            }
            Proven::Loss { score, line } => {
                self.refute(moves, best_line, score, *line);
                // The signals that the time manager has are those of the refuted move.
                best_moves.moves.extend(best_line.line.first());
                let time_manager = self.control.time_manager.as_mut();
                if let Some(time_manager) = time_manager.filter(|_| best_line.is_substitute) {
                    time_manager.update(best_moves.signals(LARGEST_FALL, false));
                }
                Some(ProvenBest::Loses)
            }
        }
    }

    /// Completes the data of the best line, which is a mate that the mate search has proven.
    fn complete_win(&mut self, moves: &[RootMove], best_line: &mut RootLine) {
        let Some(root) = moves.iter().find(|root| Some(&root.mv) == best_line.line.first()) else {
            return;
        };
        best_line.cost = root.cost;
        if self.is_traced(0) {
            self.trace.prove(root.mv, best_line.score);
        }
    }

    /// Runs one iteration for all lines, each without the first moves of the lines before it. Returns whether it was
    /// completed.
    fn iterate_lines(
        &mut self,
        moves: &mut [RootMove],
        lines: &mut [RootLine],
        is_score_known: bool,
        observer: &mut dyn SearchObserver<K>,
    ) -> bool {
        let several = lines.len() > 1;
        for at in 0..lines.len() {
            let (left, best_line) = (&mut moves[at..], &mut lines[at]);
            // The best move of this line in the last iteration comes first, unless a line before it has that move now.
            if let Some(mv) = best_line.line.first()
                && let Some(place) = left.iter().position(|root| root.mv == *mv)
            {
                left[..=place].rotate_right(1);
            }
            let observer: &mut dyn SearchObserver<K> =
                if several { &mut NoObserver } else { &mut *observer };
            if !self.iterate(left, best_line, is_score_known, at == 0, observer) {
                return false;
            }
            best_line.limit = self.control.limit;
        }
        // A later line may have a higher score than one before it.
        if several {
            lines.sort_by_key(|line| Reverse(line.score));
            for (at, best_line) in lines.iter().enumerate() {
                let place = moves.iter().position(|root| Some(&root.mv) == best_line.line.first());
                if let Some(place) = place.filter(|&place| place > at) {
                    moves[at..=place].rotate_right(1);
                }
            }
        }
        true
    }

    /// Runs one iteration over some of the moves of the root. Returns whether it was completed. `whole`: these are all
    /// moves of the root.
    fn iterate(
        &mut self,
        moves: &mut [RootMove],
        best_line: &mut RootLine,
        is_score_known: bool,
        whole: bool,
        observer: &mut dyn SearchObserver<K>,
    ) -> bool {
        // A root that is like every other node has no best move before the first iteration.
        let is_best_known = best_line.limit > 0 || self.settings.parameters.root_full != 0;
        let interest = self.set_root_costs(moves, is_best_known);
        if self.is_traced(0) {
            let best = moves.first().filter(|_| is_best_known);
            self.trace_iteration(best.map(|root| root.mv));
        }
        let limit = self.control.limit;
        let mut aspiration = Aspiration::new(best_line.score, is_score_known, K::BY_PLIES);
        let mut within = Within::Nothing;
        loop {
            let window = aspiration.window;
            self.control.limit = limit - aspiration.less().min(limit - 100).max(0);
            // The best move of the last iteration first, then by the number of nodes of their last search.
            moves[1..].sort_by_key(|root| {
                let last = (root.is_implausible, root.needless_non_promotion);
                (last, Reverse((root.nodes, root.cost_rank())))
            });
            if self.is_traced(0) {
                self.trace.begin_window(window);
            }
            let outer = self.begin_within(std::mem::replace(&mut within, Within::Window));
            let score = self.search_root(moves, interest, window, best_line, observer);
            self.end_within(outer);
            if whole && !self.control.aborted {
                self.store_root(moves, best_line, score, window);
            }
            self.control.limit = limit;
            if self.control.aborted {
                return false;
            }
            if score > window.alpha && score < window.beta {
                if self.is_traced(0) {
                    self.trace.complete(moves.iter().map(|root| root.mv));
                }
                return true;
            }
            if score <= window.alpha
                && let Some(time_manager) = &mut self.control.time_manager
            {
                time_manager.update_fall(aspiration.centre - score);
            }
            aspiration.widen(score);
        }
    }
}

/// Observes nothing.
pub(crate) struct NoObserver;

impl<K: SearchKind> SearchObserver<K> for NoObserver {
    fn iteration_completed(&mut self, _: &Worker<K>, _: &[RootLine]) {}

    fn new_best_line(&mut self, _: &Worker<K>, _: &RootLine, _: Bound) {}
}
