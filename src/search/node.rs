//! One node of the main search: a readable list of steps.

use arrayvec::ArrayVec;

use super::MAX_PLY;
use super::attack_maps::AttackMaps;
use super::cost::{Budgets, CostKind, Costs, Scale};
use super::interest::Surroundings;
use super::mate::mate_in_one;
use super::path::Meaning;
use super::picker::{Picked, Picker};
use super::pruning::{
    internally_reduced, is_futile, is_hopeless, is_too_late, may_pass, null_move_budgets,
    reduction, static_null,
};
use super::see;
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
        let floor = if in_check { self.costs.check_floor } else { self.costs.min };
        if budgets.us < floor {
            return self.quiescence(window, ply, 0, budgets.us);
        }
        let eval = if in_check { None } else { Some(self.static_eval(found, ply)) };
        if let Some(eval) = eval
            && !asked.is_pv()
            && !self.has_entered(!self.position.side_to_move())
            && let Some(value) = self.settled_by_eval(eval, found, window, budgets, ply)
        {
            return value;
        }
        if self.aborted {
            return Value::clean(DRAW);
        }
        let mut maps = None;
        if !in_check && found.is_none() && self.parameters.mate_in_one != 0 {
            let maps = maps.insert(AttackMaps::of(&self.position));
            if let Some(mv) = mate_in_one(&mut self.position, maps) {
                return self.found_mate_in_one(mv, eval, stored, ply);
            }
        }
        self.frames[ply].tried.clear();
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
        let budgets = if self.parameters.internal_reduction != 0 {
            internally_reduced(budgets, hash.is_some())
        } else {
            budgets
        };
        // The hash move is often all that is needed: it is searched before the others are even listed.
        let mut hash_cost = self.costs.min;
        let mut done = None;
        if let (Some(mv), Some(found), false) = (hash, found, in_check)
            && self.costs.kind != CostKind::Letter
        {
            hash_cost = self.cost_in_table(found, mv);
            done = Some(mv);
            self.search_move(mv, hash_cost, window, budgets, ply, &mut tally);
        }
        let mut moves = 0;
        if !tally.cut && !self.aborted {
            let mut picker = std::mem::take(&mut self.frames[ply].picker);
            let maps = maps.unwrap_or_else(|| AttackMaps::of(&self.position));
            let around = self.surroundings(ply, hash);
            picker.fill(&self.position, &maps, &around, done);
            moves = picker.len();
            let costs = self.costs.clone();
            let panic = self.panic && ply <= 2;
            let sum = (picker.sum(), picker.count());
            let scale = Scale::new(&costs, sum, budgets, ply, self.limit, panic);
            if costs.kind != CostKind::Plain {
                hash_cost = scale.cost(picker.hash_interest());
            }
            self.search_list(&mut picker, scale, eval, window, budgets, ply, &mut tally);
            self.frames[ply].picker = picker;
        }
        if self.aborted {
            return Value::clean(DRAW);
        }
        if tally.searched == 0 && moves > 0 {
            // By the letter of the paper a node none of whose moves is affordable is a leaf.
            return self.quiescence(asked, ply, 0, budgets.us);
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
        scale: Scale<'_>,
        eval: Option<i32>,
        window: Window,
        budgets: Budgets,
        ply: usize,
        tally: &mut Tally,
    ) {
        let in_check = self.position.in_check();
        let only = in_check && picker.len() == 1;
        let pv = window.is_pv();
        let (letter, cuts) = (self.costs.kind == CostKind::Letter, self.parameters.cut != 0);
        let protected_moves = self.parameters.protected as usize;
        while let Some(picked) = picker.next(&self.position) {
            let mv = picked.scored.mv;
            let cost = match self.costs.single_evasion {
                Some(cost) if only => cost,
                _ => self.cost(&picked, scale, window, budgets, ply, tally),
            };
            if self.is_spared(&picked, eval, window, budgets, tally) {
                picker.set_aside(mv);
                continue;
            }
            let protected = tally.searched == 0 && !letter
                || tally.best <= -MATE_BOUND && tally.searched > 0
                || ((in_check || pv) && tally.searched < protected_moves);
            let late = if in_check && !letter { 0 } else { self.costs.late(tally.siblings) };
            if cuts && late.saturating_add(cost) > budgets.us && !protected {
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
            && (tally.searched > 0 || !letter)
            && let Some(mv) = picker.next_in_reserve()
        {
            self.search_move(mv, self.costs.reserve, window, budgets, ply, tally);
            if tally.cut || self.aborted {
                return;
            }
        }
    }

    /// What a move of the list costs.
    fn cost(
        &self,
        picked: &Picked,
        scale: Scale<'_>,
        window: Window,
        budgets: Budgets,
        ply: usize,
        tally: &Tally,
    ) -> i32 {
        if self.costs.kind != CostKind::Plain {
            return scale.cost(picked.interest);
        }
        let (mv, traits) = (picked.scored.mv, picked.scored.traits);
        let cost = self.costs.plain(traits.is_check(), traits.is_capture());
        if self.parameters.late_reduction == 0 || self.position.in_check() {
            return cost;
        }
        let mild = window.is_pv() || traits.is_check() || self.memory.is_killer(ply, mv);
        let less = reduction(budgets.depth(), tally.searched, mild, !traits.is_quiet());
        cost + less
    }

    /// What the hash move costs before the others are known.
    fn cost_in_table(&self, found: Found, mv: Move) -> i32 {
        if self.costs.kind == CostKind::Plain {
            let captures = self.position.piece_on(mv.to()).is_some();
            self.costs.plain(self.position.gives_check(mv), captures)
        } else {
            found.cost.max(self.costs.min)
        }
    }

    /// Whether a rule of the modern baseline sets a move aside.
    fn is_spared(
        &self,
        picked: &Picked,
        eval: Option<i32>,
        window: Window,
        budgets: Budgets,
        tally: &Tally,
    ) -> bool {
        let traits = picked.scored.traits;
        let Some(eval) = eval else { return false };
        if window.is_pv() || !traits.is_quiet() || traits.is_check() || tally.searched == 0 {
            return false;
        }
        let depth = budgets.depth();
        self.parameters.late_pruning != 0 && is_too_late(depth, tally.searched)
            || self.parameters.futility != 0 && is_futile(eval, window.alpha.max(tally.best), depth)
    }

    /// What the evaluation alone decides: too far above the window, or too far below.
    fn settled_by_eval(
        &mut self,
        eval: i32,
        found: Option<Found>,
        window: Window,
        budgets: Budgets,
        ply: usize,
    ) -> Option<Value> {
        let depth = budgets.depth();
        if self.parameters.static_null != 0 {
            let margin = self.parameters.static_null_margin;
            if let Some(score) = static_null(eval, found, window.beta, depth, margin) {
                return Some(Value::clean(score));
            }
        }
        if self.parameters.razoring != 0 && is_hopeless(eval, window.alpha, depth) {
            let value = self.quiescence(Window::null(window.alpha), ply, 0, budgets.us);
            if value.score <= window.alpha && !self.aborted {
                return Some(value);
            }
        }
        if self.parameters.null_move != 0 {
            return self.pass(eval, window, budgets, depth, ply);
        }
        None
    }

    /// Tries to pass; the score if that is enough.
    fn pass(
        &mut self,
        eval: i32,
        window: Window,
        budgets: Budgets,
        depth: i32,
        ply: usize,
    ) -> Option<Value> {
        let after_pass = ply > 0 && self.frames[ply - 1].mv.is_none();
        if !may_pass(eval, window.beta, depth, after_pass) {
            return None;
        }
        let left = null_move_budgets(budgets, depth);
        let undo = self.make_null(ply);
        // What the other side would win at once is no quiet position to pass in.
        if see::best_capture(&self.position) >= LARGE_THREAT {
            self.unmake_null(undo);
            return None;
        }
        let turned = Budgets { us: left.them, them: left.us };
        let value = -self.search(Window::null(window.beta - 1).turned(), turned, ply + 1);
        self.unmake_null(undo);
        if self.aborted || value.score < window.beta {
            return None;
        }
        // A pass proves no mate.
        let score = if is_mate(value.score) { window.beta } else { value.score };
        Some(Value { score, taint: value.taint })
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
        let charge = self.costs.charge(cost, tally.siblings);
        let (value, charged) = self.search_child(window, budgets, charge, ply, first);
        self.unmake(mv, undo);
        if self.aborted {
            return;
        }
        tally.searched += 1;
        tally.siblings = tally.siblings.saturating_add(cost.min(charged));
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
            self.penalties.learn(&self.position, &self.frames[ply].tried, budgets.depth());
            if quiet {
                let (last, own) = (self.earlier_move(ply, 1), self.earlier_move(ply, 2));
                let side = self.position.side_to_move();
                let depth = budgets.depth();
                let tried: &[Move] =
                    if self.parameters.history_malus == 0 { &[] } else { &tally.quiets };
                self.memory.learn(side, ply, depth, mv, tried, last, own);
            }
            return;
        }
        if self.penalties.is_on() {
            // Each legal move comes once, so there is always room.
            let _ = self.frames[ply].tried.try_push(mv);
        }
        if quiet {
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
        let after = |charge: i32, costs: &Costs| costs.after(budgets, charge);
        if first {
            let left = after(cost, &self.costs);
            return (-self.search(window.turned(), left, ply + 1), cost);
        }
        let alpha = window.alpha;
        let null = Window::null(alpha).turned();
        let again = self.costs.research;
        let mut charged = cost;
        let mut value = -self.search(null, after(cost, &self.costs), ply + 1);
        if value.score > alpha && cost > again && !self.aborted {
            if cost - again > 200 {
                let half = i32::midpoint(cost, again);
                value = -self.search(null, after(half, &self.costs), ply + 1);
            }
            if value.score > alpha && !self.aborted {
                value = -self.search(null, after(again, &self.costs), ply + 1);
                charged = again;
            }
        }
        if value.score > alpha && window.is_pv() && !self.aborted {
            charged = charged.min(again);
            value = -self.search(window.turned(), after(charged, &self.costs), ply + 1);
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
            cost: self.costs.min,
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
            weights: &self.weights,
            memory: &self.memory,
            penalties: (self.penalties.is_on() && !self.penalty_pause).then_some(&self.penalties),
            suggested: self.memory.suggest(side, ply, last, own),
            hash,
            last_to: last.map(Move::to),
            checked_before: ply >= 2 && self.frames[ply - 2].gave_check,
            similar: self.parameters.similar != 0,
            whole: ply == 0 || self.parameters.needless_reserve == 0,
        }
    }
}

/// A swing, in centipawns, that makes passing too dangerous to be tried.
const LARGE_THREAT: i32 = 300;

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
