//! One node of the main search: a readable list of steps.

use arrayvec::ArrayVec;

use super::MAX_PLY;
use super::attack_maps::AttackMaps;
use super::cost::{Budgets, C_MAX, C_MIN, CHECK_FLOOR, RESEARCH, SINGLE_EVASION, Scale, late};
use super::interest::Surroundings;
use super::mate::mate_in_one;
use super::path::Meaning;
use super::picker::Picker;
use super::table::{Found, Kind, Store, Stored};
use super::value::{DRAW, INFINITE, MATE_BOUND, is_mate, mated_in, mates_in};
use super::worker::{CLEAN, GAME, Value, Worker};
use crate::shogi::{Bitboard, Color, Move};

/// What a node is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

impl Window {
    /// As the other side sees it.
    pub(crate) const fn turned(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    /// Only whether the score is above `alpha`.
    pub(crate) const fn null(alpha: i32) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// More than a yes or no is wanted: the node may lie on the principal variation.
    pub(crate) const fn is_pv(self) -> bool {
        self.beta - self.alpha > 1
    }
}

/// What the moves searched so far have shown.
struct Tally {
    best: i32,
    best_move: Option<Move>,
    /// What all moves searched depend on, and what the best one depends on.
    taint: i32,
    best_taint: i32,
    /// Costs of the moves searched.
    siblings: i32,
    searched: usize,
    /// Quiet moves searched that did not cut.
    quiets: ArrayVec<Move, 64>,
    /// A move reached beta.
    cut: bool,
}

impl Worker {
    /// The score of the position at `ply`, within the window, as far as the budgets go.
    pub(crate) fn search(&mut self, window: Window, budgets: Budgets, ply: usize) -> Value {
        self.frames[ply].pv.clear();
        if self.must_stop() {
            return Value::clean(DRAW);
        }
        self.seldepth = self.seldepth.max(ply);
        if let Some(value) = self.decided_by_rules(ply) {
            return value;
        }
        let asked = window;
        // No mate can be nearer than the next ply.
        let window = Window {
            alpha: window.alpha.max(mated_in(ply)),
            beta: window.beta.min(mates_in(ply + 1)),
        };
        if window.alpha >= window.beta {
            return Value::clean(window.alpha);
        }
        let in_check = self.position.in_check();
        let stored = Stored::new(budgets, in_check);
        let found = self.table.probe(self.position.key(), ply);
        if let Some(found) = found
            && !asked.is_pv()
            && found.cuts(stored, window.alpha, window.beta)
        {
            return Value::clean(found.score);
        }
        let floor = if in_check { CHECK_FLOOR } else { C_MIN };
        if budgets.us < floor {
            return self.quiescence(window, ply, 0, budgets.us);
        }
        let eval = if in_check { None } else { Some(self.static_eval(found, ply)) };
        if let Some(eval) = eval
            && !asked.is_pv()
            && !self.has_entered(!self.position.side_to_move())
            && let Some(score) = static_null(eval, found, window.beta, budgets.depth())
        {
            return Value::clean(score);
        }
        let mut maps = None;
        if !in_check && found.is_none() {
            let maps = maps.insert(AttackMaps::of(&self.position));
            if let Some(mv) = mate_in_one(&mut self.position, maps) {
                return self.found_mate_in_one(mv, eval, stored, ply);
            }
        }
        let mut tally = Tally {
            best: -INFINITE,
            best_move: None,
            taint: CLEAN,
            best_taint: CLEAN,
            siblings: 0,
            searched: 0,
            quiets: ArrayVec::new(),
            cut: false,
        };
        let hash = found.and_then(|found| found.mv).filter(|&mv| self.position.is_legal(mv));
        // The hash move is often all that is needed: it is searched before the others are even listed.
        let mut hash_cost = C_MIN;
        let mut done = None;
        if let (Some(mv), Some(found), false) = (hash, found, in_check) {
            hash_cost = found.cost.max(C_MIN);
            done = Some(mv);
            self.search_move(mv, hash_cost, window, budgets, ply, &mut tally);
        }
        if !tally.cut && !self.aborted {
            let mut picker = std::mem::take(&mut self.frames[ply].picker);
            let maps = maps.unwrap_or_else(|| AttackMaps::of(&self.position));
            let around = self.surroundings(ply, hash);
            picker.fill(&self.position, &maps, &around, done);
            let scale = Scale::new(picker.sum(), budgets, ply, self.limit, self.panic && ply <= 2);
            hash_cost = scale.cost(picker.hash_interest());
            self.search_list(&mut picker, scale, window, budgets, ply, &mut tally);
            self.frames[ply].picker = picker;
        }
        if self.aborted {
            return Value::clean(DRAW);
        }
        if tally.searched == 0 {
            // Without a legal move the game is lost, in check or not.
            return Value::clean(mated_in(ply));
        }
        let cut = tally.best >= window.beta;
        let taint = if cut { tally.best_taint } else { tally.taint };
        self.table.store(
            self.position.key(),
            ply,
            Store {
                mv: if tally.best > window.alpha { tally.best_move } else { hash },
                score: tally.best,
                eval,
                kind: bound_of(tally.best, window),
                budgets: stored,
                cost: hash_cost,
                pv: asked.is_pv(),
                tainted: taint < ply as i32,
            },
        );
        // At the node where a cycle closes the score depends on nothing above any more.
        Value { score: tally.best, taint: if taint >= ply as i32 { CLEAN } else { taint } }
    }

    /// Searches the moves of a list in order of interest, until the budget or the list ends or one cuts.
    fn search_list(
        &mut self,
        picker: &mut Picker,
        scale: Scale,
        window: Window,
        budgets: Budgets,
        ply: usize,
        tally: &mut Tally,
    ) {
        let in_check = self.position.in_check();
        let only = in_check && picker.len() == 1;
        let pv = window.is_pv();
        while let Some(picked) = picker.next(&self.position) {
            let mv = picked.scored.mv;
            let cost = if only { SINGLE_EVASION } else { scale.cost(picked.interest) };
            let protected = tally.searched == 0
                || tally.best <= -MATE_BOUND
                || ((in_check || pv) && tally.searched < PROTECTED);
            let late = if in_check { 0 } else { late(tally.siblings) };
            if late + cost > budgets.us && !protected {
                break;
            }
            self.search_move(mv, cost, window, budgets, ply, tally);
            if tally.cut || self.aborted {
                return;
            }
            let traits = picked.scored.traits;
            picker.note(&self.position, mv, traits.is_capture(), traits.is_check());
        }
        // A loss is proven only when every legal move has been searched.
        while tally.best <= -MATE_BOUND
            && let Some(mv) = picker.next_in_reserve()
        {
            self.search_move(mv, C_MAX, window, budgets, ply, tally);
            if tally.cut || self.aborted {
                return;
            }
        }
    }

    /// Searches one move and enters the result in the tally; learns from a cut.
    fn search_move(
        &mut self,
        mv: Move,
        cost: i32,
        window: Window,
        budgets: Budgets,
        ply: usize,
        tally: &mut Tally,
    ) {
        let window = Window { alpha: window.alpha.max(tally.best), beta: window.beta };
        let quiet = !mv.is_promotion() && self.position.piece_on(mv.to()).is_none();
        let undo = self.make(ply, mv);
        let first = tally.searched == 0;
        let (value, charged) = self.search_child(window, budgets, cost, ply, first);
        self.unmake(mv, undo);
        if self.aborted {
            return;
        }
        tally.searched += 1;
        tally.siblings += charged;
        tally.taint = tally.taint.min(value.taint);
        if value.score > tally.best {
            tally.best = value.score;
            tally.best_move = Some(mv);
            tally.best_taint = value.taint;
            if value.score > window.alpha && window.is_pv() {
                self.set_pv(ply, mv);
            }
        }
        if value.score >= window.beta {
            tally.cut = true;
            if quiet {
                let (last, own) = (self.earlier_move(ply, 1), self.earlier_move(ply, 2));
                let side = self.position.side_to_move();
                let depth = budgets.depth();
                self.memory.learn(side, ply, depth, mv, &tally.quiets, last, own);
            }
        } else if quiet {
            // More than fit in are too many to learn from.
            let _ = tally.quiets.try_push(mv);
        }
    }

    /// Searches the position after a move: null windows first, a full one where the value is raised. Returns what
    /// the move is charged among its siblings, too: a move that raised the value is interesting by proof.
    pub(crate) fn search_child(
        &mut self,
        window: Window,
        budgets: Budgets,
        cost: i32,
        ply: usize,
        first: bool,
    ) -> (Value, i32) {
        if first {
            return (-self.search(window.turned(), budgets.after(cost), ply + 1), cost);
        }
        let alpha = window.alpha;
        let null = Window::null(alpha).turned();
        let mut charged = cost;
        let mut value = -self.search(null, budgets.after(cost), ply + 1);
        if value.score > alpha && cost > RESEARCH && !self.aborted {
            if cost - RESEARCH > 200 {
                value = -self.search(null, budgets.after(i32::midpoint(cost, RESEARCH)), ply + 1);
            }
            if value.score > alpha && !self.aborted {
                value = -self.search(null, budgets.after(RESEARCH), ply + 1);
                charged = RESEARCH;
            }
        }
        if value.score > alpha && window.is_pv() && !self.aborted {
            charged = charged.min(RESEARCH);
            value = -self.search(window.turned(), budgets.after(charged), ply + 1);
        }
        (value, charged)
    }

    /// Ends by rule: repetition, the longest game, a declared win, the longest line.
    fn decided_by_rules(&mut self, ply: usize) -> Option<Value> {
        let side = self.position.side_to_move();
        if let Some(repeated) = self.path.repeated(side) {
            // Beyond every evaluation, below every mate.
            let decisive = MATE_BOUND - 1 - ply as i32;
            let score = match repeated.meaning {
                Meaning::Draw => DRAW,
                Meaning::Good => decisive,
                Meaning::Bad => -decisive,
            };
            return Some(Value { score, taint: repeated.ply.max(GAME) });
        }
        let made = self.game_moves + ply as u32;
        if self.rules.max_moves.is_some_and(|most| made >= most) {
            let mated = self.position.in_check() && !self.position.has_legal_move();
            let score = if mated { mated_in(ply) } else { DRAW };
            return Some(Value { score, taint: GAME });
        }
        if self.may_declare() {
            return Some(Value::clean(mates_in(ply)));
        }
        (ply >= MAX_PLY).then(|| Value::clean(self.evaluate(ply)))
    }

    /// Whether the side to move can declare a win.
    fn may_declare(&self) -> bool {
        self.has_entered(self.position.side_to_move()) && self.position.can_declare()
    }

    /// Whether a side's king stands where a win may be declared: the evaluation knows nothing of that.
    fn has_entered(&self, side: Color) -> bool {
        let king = self.position.king_square(side);
        self.rules.declaration
            && king.is_some_and(|king| Bitboard::camp_against(side).contains(king))
    }

    /// From the table if it is there.
    pub(crate) fn static_eval(&self, found: Option<Found>, ply: usize) -> i32 {
        found.and_then(|found| found.eval).unwrap_or_else(|| self.evaluate(ply))
    }

    fn found_mate_in_one(
        &mut self,
        mv: Move,
        eval: Option<i32>,
        stored: Stored,
        ply: usize,
    ) -> Value {
        let score = mates_in(ply + 1);
        self.frames[ply + 1].pv.clear();
        self.set_pv(ply, mv);
        let store = Store {
            mv: Some(mv),
            score,
            eval,
            kind: Kind::Exact,
            budgets: stored,
            cost: C_MIN,
            pv: false,
            tainted: false,
        };
        self.table.store(self.position.key(), ply, store);
        Value::clean(score)
    }

    /// What the interest of the moves at a node depends on besides the position.
    pub(crate) fn surroundings(&self, ply: usize, hash: Option<Move>) -> Surroundings<'_> {
        let (last, own) = (self.earlier_move(ply, 1), self.earlier_move(ply, 2));
        let side = self.position.side_to_move();
        Surroundings {
            memory: &self.memory,
            suggested: self.memory.suggest(side, ply, last, own),
            hash,
            last_to: last.map(Move::to),
            checked_before: ply >= 2 && self.frames[ply - 2].gave_check,
            whole: ply == 0,
        }
    }
}

/// So many moves are searched whatever they cost, in check and on the principal variation.
const PROTECTED: usize = 8;

/// Far above beta with little left to search, the evaluation is believed.
fn static_null(eval: i32, found: Option<Found>, beta: i32, depth: i32) -> Option<i32> {
    if depth > 5 || is_mate(beta) {
        return None;
    }
    let eval = found.filter(|found| !found.tainted).map_or(eval, |found| found.improve(eval));
    (eval - 120 * depth >= beta && eval < MATE_BOUND).then_some(eval)
}

/// What a score within a window says. Scores that repetitions decide, between evaluations and mates, say nothing
/// elsewhere.
pub(crate) fn bound_of(score: i32, window: Window) -> Kind {
    if score.abs() > crate::eval::MAX && !is_mate(score) {
        Kind::None
    } else if score >= window.beta {
        Kind::Lower
    } else if score > window.alpha {
        Kind::Exact
    } else {
        Kind::Upper
    }
}
