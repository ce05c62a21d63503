//! One node of the main search: a readable list of steps.
//!
//! `rules` and `early` end a node before its moves are listed, `list` goes through the moves, `child` searches one of
//! them and learns from it.

mod child;
mod early;
mod forcing;
mod list;
mod rules;

use super::{
    attack_maps::AttackMaps,
    cost::{Budgets, CostKind, Scale},
    explain::Early,
    interest::Surroundings,
    mate::mate_in_one,
    plausible,
    pruning::internally_reduced,
    table::{Found, Kind, Store, Stored},
    value::{DRAW, is_mate, mated_in, mates_in},
    worker::{CLEAN, Value, Worker},
};
use crate::shogi::Move;
use child::Tally;
pub(crate) use forcing::is_forcing;

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

/// What a node knows of itself when its moves are searched.
#[derive(Debug, Clone, Copy)]
struct Entered {
    window: Window,
    budgets: Budgets,
    ply: usize,
    in_check: bool,
    /// The static evaluation; `None` in check.
    eval: Option<i32>,
    /// The side to move has nothing left, and only answers a forcing move.
    replies: bool,
    /// The score has fallen, and dull moves get more here.
    panic: bool,
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
            self.overrules(ply, Early::Rules, value.score);
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
            && !self.overrules(ply, Early::Table, found.score)
        {
            return Value::clean(found.score);
        }
        let floor = if in_check { self.costs.check_floor } else { self.costs.min };
        let replies = !in_check && budgets.us < floor && self.must_reply(budgets, ply);
        if budgets.us < floor && !replies {
            return self.leaf(window, budgets, ply);
        }
        let eval = if in_check { None } else { Some(self.static_eval(found, ply)) };
        if let Some(eval) = eval
            && !asked.is_pv()
            && !replies
            && !self.has_entered(!self.position.side_to_move())
            && let Some(value) = self.settled_by_eval(eval, found, window, budgets, ply)
            && !self.overrules(ply, self.trace.settled.as_early(), value.score)
        {
            return value;
        }
        if self.aborted {
            return Value::clean(DRAW);
        }
        let mut maps = None;
        if !in_check && found.is_none() && self.parameters.mate_in_one != 0 {
            let maps = maps.insert(AttackMaps::of(&self.position));
            if let Some(mv) = mate_in_one(&mut self.position, maps)
                && !self.overrules(ply, Early::MateInOne(mv), mates_in(ply + 1))
            {
                return self.found_mate_in_one(mv, eval, stored, ply);
            }
        }
        let hash = found.and_then(|found| found.mv).filter(|&mv| self.position.is_legal(mv));
        let (budgets, stored) = if self.parameters.internal_reduction != 0 {
            let less = internally_reduced(budgets, hash.is_some());
            (less, Stored::new(less, in_check))
        } else {
            (budgets, stored)
        };
        let panic = self.panic && ply <= 2;
        let node = Entered { window, budgets, ply, in_check, eval, replies, panic };
        let mut tally = Tally::new();
        self.frames[ply].tried.clear();
        self.frames[ply].bad_check = false;
        // The hash move is often all that is needed: it is searched before the others are even listed.
        let mut hash_cost = self.costs.min;
        let mut done = None;
        if let (Some(mv), Some(found), false) = (hash, found, in_check)
            && self.costs.kind != CostKind::Letter
        {
            hash_cost = self.cost_in_table(found, mv);
            done = Some(mv);
            self.search_move(mv, hash_cost, &node, &mut tally);
        }
        let mut moves = 0;
        if !tally.cut && !self.aborted {
            let mut picker = std::mem::take(&mut self.frames[ply].picker);
            let maps = maps.unwrap_or_else(|| AttackMaps::of(&self.position));
            let around = self.surroundings(ply, hash, asked.is_pv(), budgets);
            picker.fill(&self.position, &maps, &around, done);
            moves = picker.count();
            let costs = self.costs.clone();
            let sum = (picker.sum(), picker.count());
            let scale = Scale::new(&costs, sum, budgets, ply, self.limit, panic);
            if costs.kind != CostKind::Plain {
                hash_cost = scale.cost(picker.hash_interest());
            }
            self.go_through(&mut picker, scale, &node, &mut tally);
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

    /// A side without budget stands still.
    fn leaf(&mut self, window: Window, budgets: Budgets, ply: usize) -> Value {
        let value = self.quiescence(window, ply, 0, budgets.us);
        self.overrules(ply, Early::Leaf, value.score);
        value
    }

    /// Whether a side without budget answers the last move instead of standing still.
    fn must_reply(&self, budgets: Budgets, ply: usize) -> bool {
        self.parameters.first_over_limit != 0
            && budgets.them >= self.costs.min
            && ply > 0
            && self.frames[ply - 1].forcing
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

    /// What plausible moves are at a node, where that counts.
    fn plausible_at(&self, ply: usize, pv: bool, budgets: Budgets) -> Option<plausible::Rules> {
        let (root, in_check) = (ply == 0, self.position.in_check());
        let (depth, budget) = (budgets.depth(), budgets.us);
        let node = plausible::NodeKind { root, pv, in_check, depth, budget };
        self.plausible.map(|rules| rules.at(node))
    }

    /// What the interest of the moves at a node depends on besides the position.
    pub(crate) fn surroundings(
        &self,
        ply: usize,
        hash: Option<Move>,
        pv: bool,
        budgets: Budgets,
    ) -> Surroundings<'_> {
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
            plausible: self.plausible_at(ply, pv, budgets),
            thread: self.id,
        }
    }
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
