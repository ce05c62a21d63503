//! The moves of a node of the search by plies: which are left out, how deep each is searched, and what follows from
//! their values.

use arrayvec::ArrayVec;

use super::checks::Checks;
use super::picker::{Picked, Picker, is_tactical};
use super::prior::{Listing, Priors};
use crate::search::ply_knowledge::Made;
use crate::search::ply_knowledge::{CorrectionPlaces, PerPlace, Place};
use crate::search::{
    fixed_log2::fixed_log2,
    kind::SearchKind,
    node_counts::{NodeEnd, Within},
    parameters::Parameters,
    see,
    table::{EntryBound, TableHit},
    value::{INFINITE, NO_PLY, Value, is_judged, is_lost, is_mate, is_won, mated_in},
    window::{Window, bound_of},
    worker::Worker,
};
use kyomi_shogi::{Move, Piece, PieceKind};

/// The most that interest adds to a reduction or takes from it, in hundredths of a ply.
const MOST_BY_PRIOR: i32 = 300;

/// Moves searched without a cut. Further ones are not learned from.
pub(super) type Tried = ArrayVec<Move, 64>;

/// A node.
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of the node")]
pub(super) struct Node {
    pub(super) window: Window,
    pub(super) depth: i32,
    pub(super) ply: usize,
    /// Whether it is expected to reach beta.
    pub(super) cut: bool,
    pub(super) in_check: bool,
    /// The move that is left out, if this is the test of a singular move.
    pub(super) excluded: Option<Move>,
    pub(super) found: Option<TableHit>,
    /// The move of the table.
    pub(super) hash: Option<Move>,
    pub(super) hash_is_tactical: bool,
    /// Whether it is or was on the principal variation, or failed below such a node.
    pub(super) was_pv: bool,
    pub(super) pawns: u64,
    /// The places of the moves one to six plies before.
    pub(super) before: [Place; 6],
    pub(super) checks: Checks,
    pub(super) corrections: CorrectionPlaces,
    /// The evaluation as the evaluator gives it, and corrected; `None` in check.
    pub(super) raw_eval: Option<i32>,
    pub(super) static_eval: Option<i32>,
    /// The best guess at the value.
    pub(super) eval: i32,
    /// Whether the evaluation is better than two plies before.
    pub(super) improving: bool,
    /// Whether the evaluation got worse for the other side by its last move.
    pub(super) worsening: bool,
}

impl Node {
    /// The entry of the table, unless a move of the node is left out: the score of an entry is about all moves.
    pub(super) fn found_of_all_moves(&self) -> Option<TableHit> {
        self.found.filter(|_| self.excluded.is_none())
    }

    /// The depth of the entry of the table; -1 without one.
    pub(super) fn hash_depth(&self) -> i32 {
        self.found.map_or(-1, |found| found.budgets.plies())
    }
}

/// A move about to be searched.
struct Candidate {
    mv: Move,
    quiet: bool,
    check: bool,
    victim: Option<PieceKind>,
    place: Place,
    /// Its place in the order, from 1.
    number: i32,
    /// What it is reduced by before its history counts, in hundredths of a ply.
    reduction: i32,
}

/// The results so far.
struct Results {
    alpha: i32,
    best: i32,
    best_move: Option<Move>,
    /// The depth of the moves to come.
    depth: i32,
    depends: i32,
    best_depends: i32,
    quiets: Tried,
    captures: Tried,
}

/// What the test of the move of the table says.
enum Singular {
    /// It is searched this number of plies more.
    Extend(i32),
    /// The node ends with this value.
    Cut(Value),
}

/// The reduction of a move by depth and place in the order, in hundredths of a ply.
pub(super) fn base_reduction(depth: i32, number: i32, improving: bool, p: &Parameters) -> i32 {
    let logs = i64::from(fixed_log2(depth.max(1) as u64)) * i64::from(fixed_log2(number as u64));
    let scale = (logs * i64::from(p.plies_reduction) / 65_536) as i32;
    scale + if improving { 0 } else { scale * 37 / 100 } + p.plies_reduction_base
}

impl<K: SearchKind> Worker<K> {
    /// Searches the moves of a node, stores its value and learns from it.
    pub(super) fn search_moves_by_plies(&mut self, node: &Node) -> Value {
        let mut results = Results {
            alpha: node.window.alpha,
            best: -INFINITE,
            best_move: None,
            depth: node.depth,
            depends: NO_PLY,
            best_depends: NO_PLY,
            quiets: Tried::new(),
            captures: Tried::new(),
        };
        let mut picker = Picker::new(node.hash, node.in_check);
        let mut number = 0;
        loop {
            let next = {
                let list = |listing: &mut Listing| self.list_with_priors(node.ply, listing);
                let priors: Priors<'_> =
                    if self.has_priors(node.depth) { Some(&list) } else { None };
                picker.next(&self.line.position, &self.orders(node, priors))
            };
            // A loss is proven only when every legal move has been searched.
            let next = next.or_else(|| {
                picker
                    .needless
                    .pop()
                    .filter(|_| is_lost(results.best))
                    .map(|mv| Picked { mv, prior: 0 })
            });
            let Some(Picked { mv, prior }) = next else { break };
            if Some(mv) == node.excluded {
                continue;
            }
            number += 1;
            let candidate = self.candidate(node, &results, mv, number, prior);
            if !is_lost(results.best) {
                picker.skip_quiets |= self.is_late(node, &results, number);
                if self.is_left_out(node, &mut results, &candidate) {
                    continue;
                }
            }
            let mut extension = 0;
            let depth = results.depth;
            match self.test_by_exclusion(node, &candidate, depth) {
                Some(Singular::Cut(value)) => return value,
                Some(Singular::Extend(plies)) => {
                    extension = plies;
                    results.depth += i32::from(plies > 0);
                }
                None => (),
            }
            if self.control.aborted {
                return Value::of_position(0);
            }
            let value = self.search_candidate(node, &results, &candidate, depth - 1 + extension);
            if self.control.aborted {
                return Value::of_position(0);
            }
            if self.enter(node, &mut results, &candidate, value) {
                self.knowledge.plies.stack[node.ply].cuts +=
                    i32::from(extension < 2 || node.window.is_pv());
                break;
            }
        }
        if number == 0 {
            self.count_end(NodeEnd::Rules);
            // Without another move the excluded one is as singular as can be.
            let score =
                if node.excluded.is_some() { node.window.alpha } else { mated_in(node.ply) };
            return Value::of_position(score);
        }
        self.finish(node, &results)
    }

    fn candidate(
        &self,
        node: &Node,
        results: &Results,
        mv: Move,
        number: i32,
        prior: i32,
    ) -> Candidate {
        let (position, plies) = (&self.line.position, &self.knowledge.plies);
        // A move is reduced less while the window is as wide as that of the root.
        let width = 72 * (node.window.beta - results.alpha) / plies.root_width.max(1);
        let p = &self.settings.parameters;
        let reduction = base_reduction(results.depth, number, node.improving, p) - width
            + if node.was_pv { 90 } else { 0 };
        let by_prior = prior * p.plies_prior_reduction / 256;
        let reduction = reduction - by_prior.clamp(-MOST_BY_PRIOR, MOST_BY_PRIOR);
        Candidate {
            mv,
            quiet: !is_tactical(position, mv),
            check: node.checks.given_by(position, mv),
            victim: position.piece_on(mv.to()).map(Piece::kind),
            place: Place::of(position, mv),
            number,
            reduction,
        }
    }

    /// Whether quiet moves come too late from here on.
    fn is_late(&self, node: &Node, results: &Results, number: i32) -> bool {
        let most = (3 + results.depth * results.depth) * self.settings.parameters.plies_late / 100;
        number >= if node.improving { most } else { most / 2 }
    }

    /// Whether a move is not searched: it cannot reach alpha by the evaluation, it loses too much by exchange, or its
    /// history is bad.
    fn is_left_out(&self, node: &Node, results: &mut Results, candidate: &Candidate) -> bool {
        let p = &self.settings.parameters;
        let (position, learned) = (&self.line.position, &self.knowledge.plies.learned);
        let &Candidate { mv, place, victim, .. } = candidate;
        let (depth, eval) = (results.depth, node.static_eval.unwrap_or(node.eval));
        let late = depth - 1 - candidate.reduction / 100;
        if !candidate.quiet || candidate.check {
            let history = learned.capture(place, victim);
            if !candidate.check && late < 7 && !node.in_check {
                let gain = see::gain(position, mv) + history / 8;
                if eval + 230 + 200 * late + gain <= results.alpha {
                    return true;
                }
            }
            let margin = (p.plies_capture_exchange * depth + history / 16).clamp(0, 4000);
            return !see::is_at_least(position, mv, -margin);
        }
        let of = |table: &PerPlace| i32::from(table[place.index()]);
        let history = of(learned.after(node.before[0]))
            + of(learned.after(node.before[1]))
            + of(learned.by_pawns(node.pawns));
        if history < -p.plies_history_pruning * depth {
            return true;
        }
        let plain = learned.plain(position.side_to_move(), mv);
        let late = late + (history + 2 * plain) / 3600;
        let first = if results.best_move.is_some() { 50 } else { 140 };
        let reach = eval + first + p.plies_futility * late;
        if !node.in_check && late < 12 && reach <= results.alpha {
            if !is_mate(results.best) && !is_won(reach) {
                results.best = results.best.max(reach);
            }
            return true;
        }
        let late = late.max(0);
        !see::is_at_least(position, mv, -p.plies_quiet_exchange * late * late)
    }

    /// Tests whether all other moves stay well below the table's score of its move. Then that move is extended.
    /// Otherwise, if others reach beta too, the node ends (multi-cut), and in an expected cut node the move is searched
    /// less deep.
    fn test_by_exclusion(
        &mut self,
        node: &Node,
        candidate: &Candidate,
        depth: i32,
    ) -> Option<Singular> {
        let (found, window) = (node.found?, node.window);
        let least = self.settings.parameters.plies_singular_depth + i32::from(node.was_pv);
        let asked = node.hash == Some(candidate.mv)
            && node.excluded.is_none()
            && (node.ply as i32) < 2 * self.knowledge.plies.root_depth
            && depth >= least
            && !is_mate(found.score)
            && !found.path_dependent
            && matches!(found.bound, EntryBound::Lower | EntryBound::Exact)
            && node.hash_depth() >= depth - 3;
        if !asked {
            return None;
        }
        let margin = if node.was_pv && !window.is_pv() { 120 } else { 55 } * depth / 60;
        let below = found.score - margin;
        self.line.frames[node.ply].excluded = Some(candidate.mv);
        let test = Window::null(below - 1);
        let outer = self.begin_within(Within::Exclusion);
        let value = self.search_by_plies(test, (depth - 1) / 2, node.ply, node.cut);
        self.end_within(outer);
        self.line.frames[node.ply].excluded = None;
        if self.control.aborted {
            return None;
        }
        if value.score < below {
            // Off the principal variation a quiet move gets three plies, a tactical one two or three.
            let quiet = if node.hash_is_tactical { 0 } else { 180 };
            let on_pv = if window.is_pv() { 200 } else { 0 };
            let twice = value.score < below - on_pv + quiet;
            let thrice = value.score < below - 80 - on_pv * 4 / 3 + quiet * 7 / 5;
            let plies = 1 + i32::from(twice) + i32::from(thrice);
            let plies = plies.min(self.settings.parameters.plies_extension);
            return Some(Singular::Extend(plies));
        }
        if value.score >= window.beta && !is_mate(value.score) {
            self.count_end(NodeEnd::Exclusion);
            return Some(Singular::Cut(value));
        }
        if found.score >= window.beta {
            return Some(Singular::Extend(-3));
        }
        node.cut.then_some(Singular::Extend(-2))
    }

    /// Searches a move at first with less depth and a null window, and again where that reaches more than alpha.
    fn search_candidate(
        &mut self,
        node: &Node,
        results: &Results,
        candidate: &Candidate,
        new_depth: i32,
    ) -> Value {
        let (ply, pv, alpha) = (node.ply, node.window.is_pv(), results.alpha);
        let &Candidate { mv, number, .. } = candidate;
        self.prefetch_after(mv);
        let history = self.history_of(node, candidate);
        let reduction = self.reduction(node, results, candidate, history);
        self.knowledge.plies.stack[ply].made = Made { quiet: candidate.quiet, number, history };
        let undo = self.make(ply, mv);
        let scout = Window::null(alpha).negated();
        let mut new_depth = new_depth;
        let mut value = Value::of_position(-INFINITE);
        if results.depth >= 2 && number > 1 {
            // At a node that is expected to stay below alpha no move is searched deeper than usual.
            let most = new_depth + i32::from(pv || node.cut);
            let least = (new_depth - reduction.div_euclid(100)).min(most).max(1);
            let reduced = least + i32::from(pv);
            value = -self.search_by_plies(scout, reduced, ply + 1, true);
            if value.score > alpha && !self.control.aborted {
                let is_little = value.score < results.best + 8;
                if reduced < new_depth {
                    let is_much = value.score > results.best + 40 + 2 * new_depth;
                    new_depth += i32::from(is_much) - i32::from(is_little);
                    if new_depth > reduced {
                        let outer = self.begin_within(Within::Again);
                        value = -self.search_by_plies(scout, new_depth, ply + 1, !node.cut);
                        self.end_within(outer);
                    }
                    // A move that is better than its place in the order.
                    if !self.control.aborted {
                        self.learn_after(ply, candidate.place, 1200);
                    }
                } else if is_little {
                    new_depth -= 1;
                }
            }
        } else if !pv || number > 1 {
            let reduction = reduction + if node.hash.is_none() { 110 } else { 0 };
            let less = i32::from(reduction > 350) + i32::from(reduction > 500 && new_depth > 2);
            value = -self.search_by_plies(scout, new_depth - less, ply + 1, !node.cut);
        }
        if pv && (number == 1 || value.score > alpha) && !self.control.aborted {
            // The move of the table is not left to quiescence.
            let is_known = node.hash == Some(mv) && node.hash_depth() > 1;
            let least = i32::from(is_known && self.knowledge.plies.root_depth > 8);
            let open = node.window.with_alpha(alpha).negated();
            let within = if number == 1 { Within::Nothing } else { Within::Again };
            let outer = self.begin_within(within);
            value = -self.search_by_plies(open, new_depth.max(least), ply + 1, false);
            self.end_within(outer);
        }
        self.line.unmake(mv, undo);
        value
    }

    /// What the search has learned about a move, as one number.
    fn history_of(&self, node: &Node, candidate: &Candidate) -> i32 {
        let learned = &self.knowledge.plies.learned;
        let &Candidate { mv, place, victim, .. } = candidate;
        if !candidate.quiet {
            let gain = see::gain(&self.line.position, mv);
            return 3 * gain + learned.capture(place, victim) - 3800;
        }
        let after = |at: usize| i32::from(learned.after(node.before[at])[place.index()]);
        2 * learned.plain(self.line.position.side_to_move(), mv) + after(0) + after(1) - 3000
    }

    /// How much less deep a move is searched first, in hundredths of a ply.
    fn reduction(
        &self,
        node: &Node,
        results: &Results,
        candidate: &Candidate,
        history: i32,
    ) -> i32 {
        let p = &self.settings.parameters;
        let (pv, alpha) = (node.window.is_pv(), results.alpha);
        let if_so = |condition: bool, amount: i32| if condition { amount } else { 0 };
        let mut reduction = candidate.reduction + p.plies_reduction_rest - 6 * candidate.number;
        if node.was_pv {
            let is_deep = node.hash_depth() >= results.depth;
            reduction -= 220
                + if_so(pv, 100)
                + if_so(node.found.is_some_and(|found| found.score > alpha), 85)
                + if_so(is_deep, 95)
                + if_so(is_deep && node.cut, 100);
        }
        if node.cut {
            reduction += p.plies_cut_reduction + if_so(node.hash.is_none(), 90);
        }
        reduction += if_so(node.hash_is_tactical, 110);
        // Where many replies cut, the other moves will hardly be better.
        if self.knowledge.plies.stack[node.ply + 1].cuts > 2 {
            reduction += 100 + if_so(!pv && !node.cut, 90);
        }
        reduction -= if_so(node.hash == Some(candidate.mv), 200);
        reduction - history / p.plies_history_reduction
    }

    /// Enters the value of a move. Returns whether it reaches beta.
    fn enter(
        &mut self,
        node: &Node,
        results: &mut Results,
        candidate: &Candidate,
        value: Value,
    ) -> bool {
        let mv = candidate.mv;
        results.depends = results.depends.min(value.depends_on_ply);
        if value.score > results.best {
            results.best = value.score;
            results.best_depends = value.depends_on_ply;
            if value.score > results.alpha {
                results.best_move = Some(mv);
                if node.window.is_pv() {
                    self.line.set_pv(node.ply, mv);
                }
                if value.score >= node.window.beta {
                    return true;
                }
                results.alpha = value.score;
                // The others are less likely to be better still.
                if (3..14).contains(&results.depth) && !is_mate(value.score) {
                    results.depth -= 2;
                }
                return false;
            }
        }
        let tried = if candidate.quiet { &mut results.quiets } else { &mut results.captures };
        let _ = tried.try_push(mv);
        false
    }

    /// Learns from a node all of whose moves were searched, stores it and returns its value.
    fn finish(&mut self, node: &Node, results: &Results) -> Value {
        let (ply, beta, depth) = (node.ply, node.window.beta, results.depth);
        let mut best = results.best;
        let searched = results.quiets.len() + results.captures.len() + 1;
        self.count_end(NodeEnd::of_moves(searched, best, (node.window.alpha, beta)));
        // The deeper the search, the more of what exceeds beta is believed.
        if best >= beta && is_judged(best) && is_judged(beta) {
            best = (best * depth + beta) / (depth + 1);
        }
        match results.best_move {
            Some(mv) => self.learn_from_best(node, depth, mv, &results.quiets, &results.captures),
            None => self.learn_from_failure(node, depth),
        }
        let depends = if best >= beta { results.best_depends } else { results.depends };
        if node.excluded.is_none() {
            // A node that fails below one of the principal variation is part of its proof.
            let was_pv = results.best_move.is_none()
                && self.knowledge.plies.back(ply, 1).is_some_and(|data| data.pv);
            self.knowledge.plies.stack[ply].pv |= was_pv;
            let value = Value { score: best, depends_on_ply: depends };
            let bound = bound_of(best, node.window);
            self.store_by_plies(node, results.best_move.or(node.hash), value, bound, depth);
            self.learn_correction(node, depth, results.best_move, best);
        }
        // A repetition of this node's position, or of one below it, makes no node above path-dependent.
        let depends_on_ply = if depends >= ply as i32 { NO_PLY } else { depends };
        Value { score: best, depends_on_ply }
    }
}
