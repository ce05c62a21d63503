//! Searches the moves of a node in order of interest, until the next one is not affordable.

use super::Node;
use super::results::NodeResults;
use crate::search::{
    attack_maps::AttackMaps,
    cost::{CostContext, CostFunction, CostKind},
    interest::TwoStageLimits,
    kind::SearchKind,
    picker::{Picked, Picker},
    plausible::{Judge, PlausibleRules},
    pruning::{is_futile, is_too_late, reduction},
    table::TableHit,
    trace::Protection,
    value::is_lost,
    weights::POINT,
    worker::Worker,
};
use kyomi_shogi::Move;

impl<K: SearchKind> Worker<K> {
    /// Lists the moves of a node without `skipped`, which is excluded or was searched already. If the budget alone ends
    /// the list, moves that are not affordable may be left out.
    pub(super) fn list_moves(
        &mut self,
        picker: &mut Picker,
        maps: &AttackMaps,
        cost_context: CostContext<'_>,
        node: &Node,
        hash: Option<Move>,
        skipped: Option<Move>,
    ) {
        let side = self.line.position.side_to_move();
        let mut context = self.scoring_context(node.ply, hash, node.window.is_pv(), node.budgets);
        if self.judged_when_picked(node).is_some() {
            context.plausible = None;
        }
        let beyond = self.settings.parameters.staged * POINT;
        if beyond == 0 || !self.may_stage(node) {
            picker.fill(&self.line.position, maps, &context, skipped);
            return;
        }
        let mean_interest = self.knowledge.mean_interest[side.index()];
        let staged =
            TwoStageLimits { cost_context, mean_interest, beyond, searched: skipped.is_some() };
        let mean_interest =
            picker.fill_in_two_stages(&self.line.position, maps, &context, skipped, &staged);
        if let Some(mean_interest) = mean_interest {
            self.knowledge.mean_interest[side.index()] = mean_interest;
        }
    }

    /// The rules of plausible moves if each move is judged when it is picked, not when the moves are listed. Then the
    /// list is filled by sets, and a node that is cut early judges few moves. Only where every move costs the same,
    /// since other costs depend on which moves are listed.
    fn judged_when_picked(&self, node: &Node) -> Option<PlausibleRules> {
        let p = &self.settings.parameters;
        if !self.is_plain() || p.staged != 0 || self.is_traced(node.ply) {
            return None;
        }
        self.plausible_at(node.ply, node.window.is_pv(), node.budgets)
            .filter(PlausibleRules::can_judge_singly)
    }

    /// Whether the moves may be listed in two stages: the list ends at the first move that is not affordable, unless no
    /// move was searched yet or all moves searched lose by force.
    fn may_stage(&self, node: &Node) -> bool {
        self.settings.parameters.cut != 0
            && !node.window.is_pv()
            && self.line.frames[node.ply].excluded.is_none()
            && self.ends_with_budget(node)
    }

    /// Lists the moves that [`list_moves`](Self::list_moves) omitted.
    #[cold]
    fn list_omitted_moves(&self, picker: &mut Picker, node: &Node) {
        let maps = AttackMaps::of(&self.line.position);
        let context = self.scoring_context(node.ply, picker.hash(), false, node.budgets);
        picker.complete(&self.line.position, &maps, &context);
    }

    /// Searches the moves of a list, and records the results if the node is traced.
    #[inline]
    pub(super) fn search_moves(
        &mut self,
        picker: &mut Picker,
        cost_context: CostContext<'_>,
        node: &Node,
        results: &mut NodeResults,
    ) {
        if self.is_traced(node.ply) {
            self.trace_list(node.ply, picker.hash(), node.window.is_pv(), node.budgets);
        }
        self.search_list(picker, cost_context, node, results);
        if self.is_traced(node.ply) {
            let cost_function = cost_context.cost_function(picker.sum());
            self.trace_unsearched(picker, |interest| cost_function.cost(interest));
        }
    }

    /// Searches the moves of a list in order of interest, until one is not affordable or cuts, or the list ends.
    fn search_list(
        &mut self,
        picker: &mut Picker,
        cost_context: CostContext<'_>,
        node: &Node,
        results: &mut NodeResults,
    ) {
        let ply = node.ply;
        let mut cost_function = cost_context.cost_function(picker.sum());
        let is_only_evasion = node.in_check && picker.len() == 1;
        let (paper, skips_unaffordable) = (self.is_paper_cost(), self.settings.parameters.cut != 0);
        let last_to = self.line.earlier_move(ply, 1).map(Move::to);
        let mut judge = self.judged_when_picked(node).map(|rules| Judge::new(rules, last_to));
        picker.set_floor(if skips_unaffordable && self.ends_with_budget(node) {
            cost_function.least_affordable(node.budgets.us)
        } else {
            0
        });
        loop {
            if picker.is_spent() && !self.is_protected(node, results) {
                break;
            }
            let picked = picker.next(&self.line.position, |mv| self.prefetch_after(mv));
            if picker.is_partial()
                && picked.is_none_or(|picked| picker.is_unaffordable(picked.interest))
            {
                if !self.is_protected(node, results) {
                    break;
                }
                // The next move is searched regardless of its cost, and may be one of those that were not listed.
                self.list_omitted_moves(picker, node);
                cost_function = cost_context.cost_function(picker.sum());
                picker.set_floor(cost_function.least_affordable(node.budgets.us));
                continue;
            }
            let Some(picked) = picked else { break };
            let (mv, flags) = (picked.scored.mv, picked.scored.flags);
            if judge.as_mut().is_some_and(|judge| !judge.is_plausible(&self.line.position, mv)) {
                picker.set_aside(mv);
                continue;
            }
            let cost = match self.settings.costs.single_evasion {
                Some(cost) if is_only_evasion => cost,
                _ => self.cost(&picked, cost_function, node, results),
            };
            if self.is_pruned(&picked, node, results) {
                self.trace_set_aside(ply, mv);
                picker.set_aside(mv);
                continue;
            }
            let sibling_surcharge = self.sibling_surcharge(node, results);
            if skips_unaffordable
                && sibling_surcharge.saturating_add(cost) > node.budgets.us
                && !self.is_protected(node, results)
            {
                if self.is_traced(ply) {
                    self.trace.unaffordable(mv, picked.interest, cost, sibling_surcharge);
                }
                break;
            }
            if self.is_traced(ply) {
                let affordable = !skips_unaffordable
                    || sibling_surcharge.saturating_add(cost) <= node.budgets.us;
                let protection = (!affordable).then(|| protection(node, results));
                self.trace.pick(picked.interest, protection);
            }
            self.search_move(mv, cost, node, results);
            if results.cut || self.control.aborted {
                return;
            }
            picker.note(&self.line.position, mv, flags.is_capture(), flags.is_check());
        }
        // A loss is proven only when every legal move has been searched.
        while is_lost(results.scores.best())
            && (results.searched > 0 || !paper)
            && let Some(mv) = picker.next_in_reserve()
        {
            if self.is_traced(ply) {
                self.trace.pick_from_reserve();
            }
            self.search_move(mv, self.settings.costs.reserve, node, results);
            if results.cut || self.control.aborted {
                return;
            }
        }
    }

    /// Whether a move that is not affordable ends the list, because no rule that sets moves aside has to examine the
    /// moves after it.
    fn ends_with_budget(&self, node: &Node) -> bool {
        let p = &self.settings.parameters;
        let sets_aside = p.late_pruning != 0 || p.futility != 0;
        !node.in_check && !(K::EXPERIMENTAL && (sets_aside || self.is_traced(node.ply)))
    }

    /// Whether the next move is searched even if it is not affordable.
    fn is_protected(&self, node: &Node, results: &NodeResults) -> bool {
        let first = usize::from(!self.is_paper_cost());
        let protected = if node.in_check || node.window.is_pv() {
            self.settings.parameters.protected as usize
        } else {
            0
        };
        let all_lost = results.searched > 0 && is_lost(results.scores.best());
        all_lost || results.searched < protected.max(first)
    }

    /// Records that a rule sets a move aside, if the node is traced.
    fn trace_set_aside(&mut self, ply: usize, mv: Move) {
        if self.is_traced(ply) {
            self.trace.set_aside(mv);
        }
    }

    /// The units that the moves already searched add when the next one is tested against the budget; 0 in
    /// check, except exactly as in the paper.
    fn sibling_surcharge(&self, node: &Node, results: &NodeResults) -> i32 {
        if node.in_check && !self.is_paper_cost() {
            return 0;
        }
        let sibling_surcharge = self.settings.costs.sibling_surcharge(results.siblings_cost);
        if node.score_fell { sibling_surcharge / 2 } else { sibling_surcharge }
    }

    /// The cost of a move of the list.
    fn cost(
        &self,
        picked: &Picked,
        cost_function: CostFunction<'_>,
        node: &Node,
        results: &NodeResults,
    ) -> i32 {
        let (mv, flags) = (picked.scored.mv, picked.scored.flags);
        if !self.is_plain() {
            return cost_function.cost(picked.interest);
        }
        let cost = self.settings.costs.plain(flags.is_check(), flags.is_capture());
        if self.settings.parameters.late_reduction == 0 || node.in_check {
            return cost;
        }
        let mild = node.window.is_pv()
            || flags.is_check()
            || self.knowledge.history.is_killer(node.ply, mv);
        let reduction = reduction(node.budgets.depth(), results.searched, mild, !flags.is_quiet());
        cost + reduction
    }

    /// Whether the cost is exactly as in the paper.
    const fn is_paper_cost(&self) -> bool {
        K::EXPERIMENTAL && matches!(self.settings.costs.kind, CostKind::Paper)
    }

    /// Whether every move except checks and captures costs the same.
    pub(in crate::search) const fn is_plain(&self) -> bool {
        K::EXPERIMENTAL && matches!(self.settings.costs.kind, CostKind::Plain)
    }

    /// The cost of the hash move before the other moves are listed.
    pub(super) fn cost_in_table(&self, found: TableHit, mv: Move) -> i32 {
        if self.is_plain() {
            let captures = self.line.position.is_capture(mv);
            self.settings.costs.plain(self.line.position.gives_check(mv), captures)
        } else {
            found.cost.max(self.settings.costs.min)
        }
    }

    /// Whether a rule of the preset `lmr` sets a move aside (docs/search.md, section 6.1).
    fn is_pruned(&self, picked: &Picked, node: &Node, results: &NodeResults) -> bool {
        if !K::EXPERIMENTAL {
            return false;
        }
        let flags = picked.scored.flags;
        let Some(eval) = node.eval else { return false };
        if node.window.is_pv() || !flags.is_quiet() || flags.is_check() || results.searched == 0 {
            return false;
        }
        let (depth, alpha) = (node.budgets.depth(), results.scores.bound());
        self.settings.parameters.late_pruning != 0 && is_too_late(depth, results.searched)
            || self.settings.parameters.futility != 0 && is_futile(eval, alpha, depth)
    }
}

/// Why a move is searched although it is not affordable.
#[cold]
fn protection(node: &Node, results: &NodeResults) -> Protection {
    if results.searched > 0 && is_lost(results.scores.best()) {
        Protection::AllLost
    } else if node.in_check {
        Protection::Evasion
    } else if results.searched == 0 {
        Protection::First
    } else {
        Protection::Principal
    }
}
