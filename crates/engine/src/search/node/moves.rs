//! The moves of a node: they are listed, searched in order of interest until the next one is not affordable, and their
//! results are added up.

use arrayvec::ArrayVec;

use crate::search::{
    attack_maps::AttackMaps,
    cost::{Budgets, CostContext, CostFunction, CostKind},
    interest::TwoStageLimits,
    kind::SearchKind,
    node_counts::Within,
    picker::{Picked, Picker},
    plausible::{Judge, PlausibleRules},
    score_rules::{NodeScores, tie_order},
    table::TableHit,
    trace::{Protection, SearchedMove},
    value::{NO_PLY, Value, is_lost},
    weights::POINT,
    window::Window,
    worker::Worker,
};
use kyomi_shogi::Move;

/// A node whose moves are searched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) window: Window,
    pub(super) budgets: Budgets,
    pub(super) ply: usize,
    pub(super) in_check: bool,
    /// The static evaluation; `None` in check.
    pub(super) eval: Option<i32>,
    /// Whether the score has fallen, so that moves of little interest cost less.
    pub(super) score_fell: bool,
}

/// The results of the moves of a node searched so far.
#[derive(Debug)]
pub(super) struct NodeResults {
    pub(super) scores: NodeScores,
    pub(super) best_move: Option<Move>,
    /// The smallest ply that the scores of all moves depend on, and that of the best move.
    pub(super) depends_on_ply: i32,
    pub(super) best_depends_on_ply: i32,
    /// Sum of the costs of the moves searched.
    pub(super) siblings_cost: i32,
    pub(super) searched: usize,
    /// Quiet moves searched that did not cut.
    pub(super) quiets: ArrayVec<Move, 64>,
    /// Whether a move reached beta.
    pub(super) cut: bool,
}

impl NodeResults {
    /// The results of a node before its first move.
    pub(super) fn new(scores: NodeScores) -> Self {
        Self {
            scores,
            best_move: None,
            depends_on_ply: NO_PLY,
            best_depends_on_ply: NO_PLY,
            siblings_cost: 0,
            searched: 0,
            quiets: ArrayVec::new(),
            cut: false,
        }
    }

    /// The ply that the value of the node depends on: that of the best move if it cut, otherwise that of all moves.
    pub(super) fn depends_on_ply(&self) -> i32 {
        if self.cut && !self.scores.compares() {
            self.best_depends_on_ply
        } else {
            self.depends_on_ply
        }
    }

    /// Whether the value is proven if it is a loss: then all of this number of legal moves were searched.
    pub(super) fn is_proven(&self, moves: usize) -> bool {
        !is_lost(self.scores.value()) || self.cut || self.searched == moves
    }
}

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
            if picker.advance_to_floor() && !self.is_protected(node, results) {
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
            if judge.as_mut().is_some_and(|judge| !judge.admits(&self.line.position, mv)) {
                picker.set_aside(mv);
                continue;
            }
            let cost = match self.settings.costs.single_evasion {
                Some(cost) if is_only_evasion => cost,
                _ => self.cost(&picked, cost_function),
            };
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

    /// Whether a move that is not affordable ends the list. A node that is explained shows all of its moves.
    fn ends_with_budget(&self, node: &Node) -> bool {
        !(node.in_check || K::EXPERIMENTAL && self.is_traced(node.ply))
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
    fn cost(&self, picked: &Picked, cost_function: CostFunction<'_>) -> i32 {
        let flags = picked.scored.flags;
        if self.is_plain() {
            return self.settings.costs.plain(flags.is_check(), flags.is_capture());
        }
        cost_function.cost(picked.interest)
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

    /// Searches one move, adds it to the results of the node, and updates the history tables after a cut.
    pub(super) fn search_move(
        &mut self,
        mv: Move,
        cost: i32,
        node: &Node,
        results: &mut NodeResults,
    ) {
        let (budgets, ply) = (node.budgets, node.ply);
        let (bonus, ties) = self.bonus_and_tie_break(mv, results.best_move, node.window);
        let window = node.window.with_bounds(results.scores.exact_window(bonus, ties));
        let quiet = self.line.position.is_quiet(mv);
        let nodes = self.control.nodes;
        let undo = self.make(ply, mv);
        let first = results.searched == 0;
        let charge = self.settings.costs.charge(cost, results.siblings_cost);
        let searched = self.search_child(window, budgets, charge, ply, first);
        self.line.unmake(mv, undo);
        let Some((value, charged)) = searched else { return };
        if self.is_traced(ply) {
            let (siblings_cost, score, nodes) =
                (results.siblings_cost, value.score, self.control.nodes - nodes);
            self.trace.searched(SearchedMove {
                mv,
                cost,
                siblings_cost,
                charge,
                window,
                score,
                nodes,
            });
        }
        results.searched += 1;
        results.siblings_cost = results.siblings_cost.saturating_add(cost.min(charged));
        results.depends_on_ply = results.depends_on_ply.min(value.depends_on_ply);
        let change = results.scores.enter(value.score, bonus, ties);
        if change.is_best {
            results.best_move = Some(mv);
            results.best_depends_on_ply = value.depends_on_ply;
            if value.score > window.alpha && window.is_pv() {
                self.line.set_pv(ply, mv);
            }
        }
        if change.cuts {
            results.cut = true;
            if K::EXPERIMENTAL {
                self.knowledge.penalties.update_after_cut(
                    &self.line.position,
                    &self.line.frames[ply].tried,
                    budgets.depth(),
                );
            }
            let parameters = &self.settings.parameters;
            let is_learnt_from = parameters.history_malus != 0 || parameters.penalty_malus != 0;
            let tried: &[Move] = if is_learnt_from { &results.quiets } else { &[] };
            if quiet {
                let (last, own) = (self.line.earlier_move(ply, 1), self.line.earlier_move(ply, 2));
                let side = self.line.position.side_to_move();
                let depth = budgets.depth();
                self.knowledge.history.update_after_cut(side, ply, depth, mv, tried, last, own);
            } else {
                self.knowledge.history.penalize(self.line.position.side_to_move(), tried);
            }
            return;
        }
        if K::EXPERIMENTAL && self.knowledge.penalties.is_on() {
            // Each legal move is searched once, so there is always room.
            let _ = self.line.frames[ply].tried.try_push(mv);
        }
        if quiet {
            // Further moves are not learnt from.
            let _ = results.quiets.try_push(mv);
        }
    }

    /// The bonus of a move in the position by the score rules, and whether a score equal to that of the best move so
    /// far makes it the best move.
    pub(crate) fn bonus_and_tie_break(
        &self,
        mv: Move,
        best: Option<Move>,
        window: Window,
    ) -> (i32, bool) {
        if !K::EXPERIMENTAL {
            return (0, false);
        }
        let key = self.line.position.key();
        let ties = self.settings.score_rules.hash_ties
            && window.is_pv()
            && best.is_some_and(|best| tie_order(key, mv) > tie_order(key, best));
        (self.settings.score_rules.bonus(key, mv), ties)
    }

    /// Searches the position after a move. Returns its value and the charge that counts among its siblings; `None` if
    /// the search was stopped.
    pub(crate) fn search_child(
        &mut self,
        window: Window,
        budgets: Budgets,
        charge: i32,
        ply: usize,
        first: bool,
    ) -> Option<(Value, i32)> {
        let mut within = Within::Nothing;
        search_with_scout(window, charge, self.settings.costs.research, first, |window, charge| {
            let left = self.settings.costs.after(budgets, charge);
            if K::COUNTS {
                self.trace.counting.is_first = first;
            }
            let outer = self.begin_within(std::mem::replace(&mut within, Within::Again));
            let value = -self.search(window.negated(), left, ply + 1);
            self.end_within(outer);
            self.trace_step(ply, charge, value, first || window.is_wide());
            (!self.control.aborted).then_some(value)
        })
    }

    /// Records one search of a move in the trace, if the node is traced.
    #[inline]
    fn trace_step(&mut self, ply: usize, charge: i32, value: Value, open: bool) {
        if self.is_traced(ply) {
            self.trace.step(charge, value, open);
        }
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

/// Returns the value of a move, from calls of `search` with a window and a charge, and the charge that counts among its
/// siblings. A move that raised the value is charged at most `again`. Returns `None` if a search was stopped.
#[inline]
pub(crate) fn search_with_scout(
    window: Window,
    charge: i32,
    again: i32,
    first: bool,
    mut search: impl FnMut(Window, i32) -> Option<Value>,
) -> Option<(Value, i32)> {
    if first {
        return search(window, charge).map(|value| (value, charge));
    }
    let alpha = window.alpha;
    let null = Window::null(alpha);
    let mut charged = charge;
    let mut value = search(null, charge)?;
    if value.score > alpha && charge > again {
        if charge - again > 200 {
            value = search(null, i32::midpoint(charge, again))?;
        }
        if value.score > alpha {
            value = search(null, again)?;
            charged = again;
        }
    }
    if value.score > alpha && window.is_wide() {
        charged = charged.min(again);
        value = search(window, charged)?;
    }
    Some((value, charged))
}
