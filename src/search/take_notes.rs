//! The methods by which a worker takes the notes of a search that is explained.

use super::attack_maps::AttackMaps;
use super::cost::Budgets;
use super::interest::{NodeBreakdown, break_down};
use super::kind::SearchKind;
use super::notes::{EarlyCutoff, Iteration};
use super::picker::Picker;
use super::plausible::PlausibleRules;
use super::worker::Worker;
use crate::shogi::Move;

impl<K: SearchKind> Worker<K> {
    /// Whether notes are taken of this ply.
    #[inline]
    pub(super) const fn takes_notes(&self, ply: usize) -> bool {
        K::EXPERIMENTAL && self.notes.ply == ply
    }

    /// Whether the node continues although a rule would end it, so that its moves are listed. Notes the rule.
    #[inline]
    pub(super) fn continues_for_explanation(
        &mut self,
        ply: usize,
        early: EarlyCutoff,
        score: i32,
    ) -> bool {
        if self.takes_notes(ply) {
            self.notes.early(early, score);
            return true;
        }
        false
    }

    /// Begins the notes of an iteration, when the moves of the root have their costs.
    #[cold]
    pub(super) fn note_root_costs(&mut self, best_before: Option<Move>) {
        let budgets = Budgets::whole(self.limit);
        let breakdown = self.break_down(0, best_before, true, budgets);
        self.notes.iterations.push(Iteration {
            limit: self.limit,
            score_fell: self.score_fell,
            penalty_pause: self.penalty_pause,
            breakdown,
            best_before,
            tries: Vec::new(),
            order: Vec::new(),
        });
    }

    /// Notes the moves of an inner node that were not searched.
    #[cold]
    pub(super) fn note_rest(&mut self, picker: &mut Picker, cost: impl Fn(i32) -> i32) {
        let ended = !self.notes.node.unaffordable.is_empty();
        while let Some(picked) = picker.next(&self.position) {
            let left = (picked.scored.mv, picked.interest, cost(picked.interest));
            let notes = &mut self.notes.node;
            if ended { notes.unaffordable.push(left) } else { notes.unreached.push(left) }
        }
        while let Some(mv) = picker.next_in_reserve() {
            self.notes.node.reserve.push(mv);
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
        let maps = AttackMaps::of(&self.position);
        let context = self.scoring_context(ply, hash, pv, budgets);
        break_down(&self.position, &maps, &context, &PlausibleRules::of(&self.parameters))
    }

    /// Records the moves of an inner node when they are listed.
    #[cold]
    pub(super) fn note_list(&mut self, ply: usize, hash: Option<Move>, pv: bool, budgets: Budgets) {
        let breakdown = self.break_down(ply, hash, pv, budgets);
        self.notes.node.listed = Some(breakdown);
    }
}
