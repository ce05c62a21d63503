//! What the interest of the moves of a node depends on besides the position.

use super::Worker;
use crate::search::{
    cost::Budgets,
    interest::ScoringContext,
    kind::SearchKind,
    plausible::{NodeKind, PlausibleRules},
};
use kyomi_shogi::Move;

impl<K: SearchKind> Worker<K> {
    /// The rules of plausible moves at a node; `None` if they are off.
    pub(crate) fn plausible_at(
        &self,
        ply: usize,
        pv: bool,
        budgets: Budgets,
    ) -> Option<PlausibleRules> {
        if !K::EXPERIMENTAL {
            return None;
        }
        let (root, in_check) = (ply == 0, self.line.position.in_check());
        let node = NodeKind { root, pv, in_check, depth: budgets.depth() };
        self.settings.plausible.map(|rules| rules.at(node))
    }

    /// The data that the interest of the moves of a node depends on besides the position.
    pub(crate) fn scoring_context(
        &self,
        ply: usize,
        hash: Option<Move>,
        pv: bool,
        budgets: Budgets,
    ) -> ScoringContext<'_> {
        let (last, own) = (self.line.earlier_move(ply, 1), self.line.earlier_move(ply, 2));
        let side = self.line.position.side_to_move();
        ScoringContext {
            weights: &self.settings.weights,
            learned: self.settings.learned.as_deref(),
            history: &self.knowledge.history,
            penalties: if K::EXPERIMENTAL { self.knowledge.penalties_in_use() } else { None },
            suggested: self.knowledge.history.suggest(side, ply, last, own),
            hash,
            last_to: last.map(Move::to),
            checked_before: ply >= 2 && self.line.frames[ply - 2].gave_check,
            similar: self.settings.parameters.similar != 0,
            whole: ply == 0 || self.settings.parameters.needless_reserve == 0,
            plausible: self.plausible_at(ply, pv, budgets),
            later_bonus: if ply == 0 { self.settings.weights.root_best } else { 0 },
            thread: self.control.number,
        }
    }
}
