//! The methods by which a worker records its trace.

use super::attack_maps::AttackMaps;
use super::cost::Budgets;
use super::interest::{NodeBreakdown, break_down};
use super::kind::SearchKind;
use super::node_counts::{NodeEnd, Within};
use super::picker::Picker;
use super::plausible::PlausibleRules;
use super::trace::{EarlyCutoff, Iteration};
use super::worker::Worker;
use kyomi_shogi::Move;

impl<K: SearchKind> Worker<K> {
    /// Whether this ply is traced.
    #[inline]
    pub(super) const fn is_traced(&self, ply: usize) -> bool {
        K::EXPERIMENTAL && self.trace.ply == ply
    }

    /// Records a rule that ends the node, if the node is traced.
    #[inline]
    pub(super) fn trace_early_cutoff(&mut self, ply: usize, early: EarlyCutoff, score: i32) {
        if self.is_traced(ply) {
            self.trace.early(early, score);
        }
    }

    /// Whether a rule that applies ends the node. A traced node records the rule and continues, so that its moves are
    /// listed.
    #[inline]
    pub(super) fn ends_early(&mut self, ply: usize, early: EarlyCutoff, score: i32) -> bool {
        self.trace_early_cutoff(ply, early, score);
        !self.is_traced(ply)
    }

    /// Counts a node of the main search with this depth left, in plies.
    #[inline]
    pub(super) fn count_node(&mut self, ply: usize, depth: i32) {
        if K::COUNTS {
            self.count_entry(ply);
            self.trace.counting.add_node(depth, self.line.position.in_check());
        }
    }

    /// Counts a node that ends before it would become a leaf.
    #[inline]
    pub(super) fn count_ended_node(&mut self, ply: usize, depth: i32, end: NodeEnd) {
        self.count_node(ply, depth);
        self.count_end(end);
    }

    /// Counts a node of quiescence, after this number of its plies.
    #[inline]
    pub(super) fn count_in_quiescence(&mut self, ply: usize, plies: usize) {
        if K::COUNTS {
            if plies == 0 {
                self.count_entry(ply);
            }
            self.trace.counting.add_of_quiescence(self.line.position.in_check());
        }
    }

    fn count_entry(&mut self, ply: usize) {
        let is_first = if K::BY_PLIES {
            self.knowledge.plies.back(ply, 1).is_none_or(|data| data.made.number <= 1)
        } else {
            self.trace.counting.is_first
        };
        self.trace.counting.enter(is_first);
    }

    /// Counts what ended a node of the main search.
    #[inline]
    pub(super) const fn count_end(&mut self, end: NodeEnd) {
        if K::COUNTS {
            self.trace.counting.counts.ends[0][end as usize] += 1;
        }
    }

    /// Counts what ended a node of quiescence.
    #[inline]
    pub(super) const fn count_end_in_quiescence(&mut self, end: NodeEnd) {
        if K::COUNTS {
            self.trace.counting.counts.ends[1][end as usize] += 1;
        }
    }

    /// Begins a special search. Returns what [`end_within`](Self::end_within) needs.
    #[inline]
    pub(super) fn begin_within(&mut self, within: Within) -> Within {
        if K::COUNTS && within != Within::Nothing {
            return self.trace.counting.begin(within);
        }
        self.trace.counting.within
    }

    /// Ends a special search.
    #[inline]
    pub(super) const fn end_within(&mut self, outer: Within) {
        if K::COUNTS {
            self.trace.counting.within = outer;
        }
    }

    /// Begins an iteration of the trace, when the moves of the root have their costs.
    #[cold]
    pub(super) fn trace_iteration(&mut self, best_before: Option<Move>) {
        let budgets = Budgets::whole(self.control.limit);
        let breakdown = self.break_down(0, best_before, true, budgets);
        self.trace.iterations.push(Iteration {
            limit: self.control.limit,
            score_fell: self.control.score_fell,
            penalty_pause: self.knowledge.penalty_pause,
            breakdown,
            best_before,
            windows: Vec::new(),
            order: Vec::new(),
        });
    }

    /// Records the moves of an inner node that were not searched.
    #[cold]
    pub(super) fn trace_unsearched(&mut self, picker: &mut Picker, cost: impl Fn(i32) -> i32) {
        let ended = !self.trace.node.unaffordable.is_empty();
        while let Some(picked) = picker.next(&self.line.position, |_| ()) {
            let left = (picked.scored.mv, picked.interest, cost(picked.interest));
            let node = &mut self.trace.node;
            if ended { node.unaffordable.push(left) } else { node.unreached.push(left) }
        }
        while let Some(mv) = picker.next_in_reserve() {
            self.trace.node.reserve.push(mv);
        }
    }

    /// The interest of the moves of the position at this ply, as a sum of terms.
    pub(super) fn break_down(
        &self,
        ply: usize,
        hash: Option<Move>,
        pv: bool,
        budgets: Budgets,
    ) -> NodeBreakdown {
        let maps = AttackMaps::of(&self.line.position);
        let context = self.scoring_context(ply, hash, pv, budgets);
        break_down(
            &self.line.position,
            &maps,
            &context,
            &PlausibleRules::of(&self.settings.parameters),
        )
    }

    /// Records the moves of an inner node when they are listed.
    #[cold]
    pub(super) fn trace_list(
        &mut self,
        ply: usize,
        hash: Option<Move>,
        pv: bool,
        budgets: Budgets,
    ) {
        let breakdown = self.break_down(ply, hash, pv, budgets);
        self.trace.node.listed = Some(breakdown);
    }
}
