//! The interest of the moves of a node as a prior of their order.

use crate::search::{
    attack_maps::AttackMaps,
    cost::Budgets,
    fixed_log2::fixed_log2,
    interest::{InterestList, ScoredMove, ScoringContext},
    kind::SearchKind,
    worker::Worker,
};
use kyomi_shogi::Move;

/// Passes moves with their priors to a function.
pub(super) type Priors<'a> = Option<&'a dyn Fn(&mut dyn FnMut(Move, i32))>;

impl<K: SearchKind> Worker<K> {
    /// Whether the moves of a node get priors.
    pub(super) fn has_priors(&self, depth: i32) -> bool {
        let p = &self.settings.parameters;
        depth >= p.plies_prior_depth && (p.plies_prior > 0 || p.plies_prior_reduction > 0)
    }

    /// Passes each legal move of a node that does not capture, in check each legal move, with its prior to `each`: the
    /// logarithm of its interest in relation to the mean of all moves, 256 for a factor of two. A search by plies does
    /// not fill the tables of the terms that suggest moves, so that these add nothing.
    pub(super) fn each_prior(&self, ply: usize, each: &mut dyn FnMut(Move, i32)) {
        let position = &self.line.position;
        let maps = AttackMaps::of(position);
        let context = ScoringContext {
            similar: false,
            whole: true,
            ..self.scoring_context(ply, None, false, Budgets::whole(0))
        };
        let mut list = self.knowledge.plies.interest.borrow_mut();
        list.fill_by_sets(position, &maps, &context);
        let mean = (list.sum / list.count.max(1) as i64).max(1) as u64;
        let mean = fixed_log2(mean);
        // Captures are in the order by then, except in check.
        let has_all = position.in_check();
        let mut pass = |mut scored: ScoredMove| {
            if !has_all && scored.flags.is_capture() {
                return;
            }
            scored.resolve_exchange(position);
            each(scored.mv, fixed_log2(scored.interest.max(1) as u64) - mean);
        };
        let InterestList { moves, drop_sets, .. } = &mut *list;
        for &scored in &*moves {
            pass(scored);
        }
        for drops in drop_sets {
            while let Some(scored) = drops.take() {
                pass(scored);
            }
        }
    }
}
