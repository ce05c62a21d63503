//! One node of the main search. The steps are those of docs/search.md, section 1.2.
//!
//! [`cutoffs`] ends a node before its moves are listed, and [`moves`] searches them. From the probe of the table to the
//! store, all steps are in these three files.

mod cutoffs;
mod moves;

use super::{
    attack_maps::AttackMaps,
    cost::{Budgets, CostContext, CostKind},
    kind::SearchKind,
    node_counts::NodeEnd,
    promotion::promoted_if_needless,
    score_rules::{NodeRules, NodeScores},
    table::{NewEntry, StoredBudgets, TableHit},
    trace::EarlyCutoff,
    value::{NO_PLY, Value, mated_in, mates_in},
    window::{Window, bound_of},
    worker::Worker,
};
use kyomi_shogi::Move;
#[cfg(test)]
pub(crate) use moves::search_with_scout;
use moves::{Node, NodeResults};

/// The hash move, and its cost at this node.
#[derive(Debug, Clone, Copy)]
struct HashMove {
    mv: Option<Move>,
    cost: i32,
}

impl<K: SearchKind> Worker<K> {
    /// Searches the position at `ply` with these budgets. Returns its score within the window, or a bound.
    pub(crate) fn search(&mut self, window: Window, budgets: Budgets, ply: usize) -> Value {
        if K::BY_PLIES {
            let depth = (budgets.total() + 100) / 200;
            return self.search_by_plies(window, depth, ply, !window.is_pv());
        }
        self.line.frames[ply].pv.clear();
        if self.check_stop() {
            return Value::of_position(0);
        }
        self.control.seldepth = self.control.seldepth.max(ply);
        if let Some(value) = self.decided_by_rules(ply) {
            self.trace_early_cutoff(ply, EarlyCutoff::Rules, value.score);
            self.count_ended_node(ply, budgets.depth(), NodeEnd::Rules);
            return value;
        }
        let unclamped = window;
        // No mate is shorter than one at the next ply.
        let window = window.clamped(mated_in(ply), mates_in(ply + 1));
        if window.alpha >= window.beta {
            self.count_ended_node(ply, budgets.depth(), NodeEnd::Rules);
            return Value::of_position(window.alpha);
        }
        let in_check = self.line.position.in_check();
        let stored = StoredBudgets::new(budgets, in_check);
        // Entries of the table are about all moves of a position. They are not used if one move is excluded.
        let excluded = self.line.frames[ply].excluded;
        let no_move_excluded = excluded.is_none();
        let found = if no_move_excluded { self.probe_table(budgets, ply) } else { None };
        if let Some(found) = found
            && !unclamped.is_pv()
            && self.table_cuts(found, stored, window)
            && self.ends_early(ply, EarlyCutoff::Table, found.score)
        {
            self.count_ended_node(ply, budgets.depth(), NodeEnd::Table);
            return Value::of_position(found.score);
        }
        let floor =
            if in_check { self.settings.costs.check_floor } else { self.settings.costs.min };
        if budgets.us < floor {
            return self.leaf(found, window, budgets, ply);
        }
        self.count_node(ply, budgets.depth());
        let eval = if in_check { None } else { Some(self.static_eval(found)) };
        if let Some(eval) = eval
            && no_move_excluded
            && !unclamped.is_pv()
            && !self.line.has_entered(!self.line.position.side_to_move())
            && let Some(value) = self.cutoff_by_eval(eval, found, window, budgets, ply)
            && self.ends_early(ply, self.trace.eval_cutoff.as_early_cutoff(), value.score)
        {
            return value;
        }
        if self.control.aborted {
            return Value::of_position(0);
        }
        let hash = found.and_then(|found| found.mv).filter(|&mv| self.line.position.is_legal(mv));
        let hash = hash.map(|mv| self.form_to_search(mv));
        if let Some(mv) = hash {
            self.prefetch_after(mv);
        }
        let score_fell = self.control.score_fell && ply <= 2;
        let node = Node { window, budgets, ply, in_check, eval, score_fell };
        let mut maps = None;
        if !in_check
            && no_move_excluded
            && let Some(value) = self.mate_in_one_value(found, &node, &mut maps)
        {
            return value;
        }
        let singular = match (hash, found) {
            (Some(mv), Some(found)) => self.test_singular(mv, &found, &node),
            _ => false,
        };
        let mut results = NodeResults::new(self.node_scores(&node));
        // The searches for singular moves and for the neighbourhood may have reached a limit.
        if self.control.aborted {
            return Value::of_position(0);
        }
        self.line.frames[ply].tried.clear();
        // The hash move often cuts, so it is searched before the others are listed.
        let mut hash_cost = self.settings.costs.min;
        let mut skipped = excluded;
        if let (Some(mv), Some(found), false) = (hash, found, in_check)
            && !(K::EXPERIMENTAL && self.settings.costs.kind == CostKind::Paper)
        {
            hash_cost = self.cost_in_table(found, mv);
            skipped = Some(mv);
            let charge = if singular { self.settings.costs.min / 2 } else { hash_cost };
            self.search_move(mv, charge, &node, &mut results);
        }
        let mut moves = 0;
        if !results.cut && !self.control.aborted {
            let mut picker = self.line.frames[ply].picker.take().unwrap_or_default();
            let maps = maps.unwrap_or_else(|| AttackMaps::of(&self.line.position));
            let costs = self.settings.costs.clone();
            let cost_context =
                CostContext { costs: &costs, budgets, ply, limit: self.control.limit, score_fell };
            self.list_moves(&mut picker, &maps, cost_context, &node, hash, skipped);
            moves = picker.count();
            if !self.is_plain() {
                let cost_function = cost_context.cost_function(picker.sum());
                hash_cost = cost_function.cost(picker.hash_interest());
            }
            self.search_moves(&mut picker, cost_context, &node, &mut results);
            self.line.frames[ply].picker = Some(picker);
        }
        if self.control.aborted {
            return Value::of_position(0);
        }
        self.count_result(&results, window);
        if !no_move_excluded {
            // The result is not stored, since it excludes a move. There may be no other move.
            return Value {
                score: results.scores.value().max(mated_in(ply)),
                depends_on_ply: results.depends_on_ply(),
            };
        }
        if results.searched == 0 {
            return self.value_without_searched_move(moves, unclamped, budgets, ply);
        }
        debug_assert!(results.is_proven(moves), "a legal move of a lost node was not searched");
        let (hash, is_pv) = (HashMove { mv: hash, cost: hash_cost }, unclamped.is_pv());
        self.store_result(&node, &results, hash, stored, is_pv)
    }

    /// Counts what ended a node whose moves were searched.
    #[inline]
    fn count_result(&mut self, results: &NodeResults, window: Window) {
        let (searched, bounds) = (results.searched, (window.alpha, window.beta));
        self.count_end(match searched {
            0 => NodeEnd::Rules,
            _ => NodeEnd::of_moves(searched, results.scores.value(), bounds),
        });
    }

    /// The value of a node of which no move was searched, and which has this number of moves.
    fn value_without_searched_move(
        &mut self,
        moves: usize,
        window: Window,
        budgets: Budgets,
        ply: usize,
    ) -> Value {
        if moves == 0 {
            // A side without a legal move loses, in check or not.
            return Value::of_position(mated_in(ply));
        }
        // Exactly as in the paper, a node without an affordable move is a leaf.
        self.quiescence(window, ply, 0, budgets.us)
    }

    /// Stores the result of a completed node and returns its value.
    fn store_result(
        &mut self,
        node: &Node,
        results: &NodeResults,
        hash: HashMove,
        budgets: StoredBudgets,
        pv: bool,
    ) -> Value {
        let (window, ply) = (node.window, node.ply);
        let (score, depends_on_ply) = (results.scores.value(), results.depends_on_ply());
        if K::EXPERIMENTAL && results.cut {
            self.trace.cuts.count(results.searched, hash.mv.is_some());
        }
        let bound = bound_of(score, window);
        let store = NewEntry {
            mv: if score > window.alpha { results.best_move } else { hash.mv },
            score,
            eval: node.eval,
            bound,
            budgets,
            cost: hash.cost,
            pv,
            path_dependent: depends_on_ply < ply as i32,
        };
        self.store_in_table(node.budgets, ply, store);
        // A repetition of this node's position, or of one below it, makes no node above path-dependent.
        Value {
            score,
            depends_on_ply: if depends_on_ply >= ply as i32 { NO_PLY } else { depends_on_ply },
        }
    }

    /// The move of the table, or its promoted form if it is needless. If the needless form matters, it is searched from
    /// the reserve.
    pub(in crate::search) fn form_to_search(&self, mv: Move) -> Move {
        if self.settings.parameters.needless_reserve == 0 {
            return mv;
        }
        promoted_if_needless(&self.line.position, mv)
    }

    /// The scores of a node before its first move.
    fn node_scores(&mut self, node: &Node) -> NodeScores {
        let rules = self.rules_at(node.budgets, node.eval, node.ply);
        NodeScores::new(rules, node.window.alpha, node.window.beta)
    }

    /// The score rules of a node with this static evaluation, if it is known.
    pub(crate) fn rules_at(
        &mut self,
        budgets: Budgets,
        eval: Option<i32>,
        ply: usize,
    ) -> NodeRules {
        if !K::EXPERIMENTAL {
            return NodeRules::OFF;
        }
        let malus = match self.settings.score_rules.neighbourhood() {
            None => 0,
            Some(rule) if rule.by_quiescence => {
                let value = self.quiescence(Window::full(), ply, 0, 0);
                self.line.frames[ply].pv.clear();
                rule.malus(value.score)
            }
            Some(rule) => rule.malus(eval.unwrap_or_else(|| self.evaluate())),
        };
        self.settings.score_rules.at(budgets.depth(), malus)
    }

    /// The value of a leaf, by quiescence search.
    fn leaf(
        &mut self,
        found: Option<TableHit>,
        window: Window,
        budgets: Budgets,
        ply: usize,
    ) -> Value {
        let value = if self.shares_table_with_quiescence(ply) {
            self.quiescence_after_probe(found, window, ply, 0, budgets.us)
        } else {
            self.quiescence(window, ply, 0, budgets.us)
        };
        self.trace_early_cutoff(ply, EarlyCutoff::Leaf, value.score);
        value
    }

    /// The static evaluation, from the table if it has one.
    pub(crate) fn static_eval(&mut self, found: Option<TableHit>) -> i32 {
        found.and_then(|found| found.eval).unwrap_or_else(|| self.evaluate())
    }

    /// The table's entry for the position at a node of the main search.
    #[inline]
    #[cfg_attr(not(test), allow(unused_variables, reason = "the strict table asks for budgets"))]
    pub(crate) fn probe_table(&self, budgets: Budgets, ply: usize) -> Option<TableHit> {
        #[cfg(test)]
        if let Some(strict) = &self.strict {
            return strict.probe(self.line.position.key(), budgets, ply);
        }
        self.table.probe(self.line.position.key(), ply)
    }

    /// Whether an entry ends the node.
    #[inline]
    #[cfg_attr(not(test), allow(clippy::unused_self, reason = "the strict table counts"))]
    pub(crate) fn table_cuts(
        &self,
        found: TableHit,
        wanted: StoredBudgets,
        window: Window,
    ) -> bool {
        let tolerance = self.settings.parameters.table_tolerance;
        let cuts = found.cuts(wanted, window.alpha, window.beta, tolerance);
        #[cfg(test)]
        if let Some(strict) = &self.strict {
            strict.note(cuts);
        }
        cuts
    }

    /// Stores the result of a node of the main search.
    #[inline]
    #[cfg_attr(not(test), allow(unused_variables, reason = "the strict table asks for budgets"))]
    pub(crate) fn store_in_table(&self, budgets: Budgets, ply: usize, store: NewEntry) {
        #[cfg(test)]
        if let Some(strict) = &self.strict {
            return strict.store(self.line.position.key(), budgets, ply, store);
        }
        self.table.store(self.line.position.key(), ply, store);
    }

    /// Whether a probe in quiescence would return the same as the probe of this node of the main search.
    #[inline]
    pub(crate) fn shares_table_with_quiescence(&self, ply: usize) -> bool {
        #[cfg(test)]
        if self.strict.is_some() {
            return false;
        }
        self.line.frames[ply].excluded.is_none()
    }

    /// The table's entry for the position at a node of quiescence.
    #[inline]
    pub(crate) fn probe_table_in_quiescence(&self, ply: usize) -> Option<TableHit> {
        #[cfg(test)]
        if self.strict.is_some() {
            return None;
        }
        self.table.probe(self.line.position.key(), ply)
    }

    /// Stores the result of a node of quiescence.
    #[inline]
    pub(crate) fn store_in_table_in_quiescence(&self, ply: usize, store: NewEntry) {
        #[cfg(test)]
        if self.strict.is_some() {
            return;
        }
        self.table.store(self.line.position.key(), ply, store);
    }
}

#[cfg(test)]
mod tests;
