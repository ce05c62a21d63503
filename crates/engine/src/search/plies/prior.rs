//! The interest of the moves of a node as a prior of their order.

use arrayvec::ArrayVec;

use crate::search::{
    attack_maps::AttackMaps, cost::Budgets, fixed_log2::fixed_log2, interest::ScoringContext,
    kind::SearchKind, worker::Worker,
};
use kyomi_shogi::{MAX_MOVES, Move};

/// The logarithm of the interest of a move in relation to the mean of all moves, 256 for a factor of two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Prior {
    pub(super) value: i16,
    /// Its value if the move loses by exchange, which is never more; the same as `value` once that is known.
    pub(super) if_bad: i16,
}

/// A move of a node that was listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed {
    pub(super) mv: Move,
    pub(super) prior: Prior,
}

/// Moves of a node.
pub(super) type Listing = ArrayVec<Listed, MAX_MOVES>;

/// Lists the moves of a node with their priors.
pub(super) type Priors<'a> = Option<&'a dyn Fn(&mut Listing)>;

impl<K: SearchKind> Worker<K> {
    /// Whether the moves of a node get priors.
    pub(super) fn has_priors(&self, depth: i32) -> bool {
        let p = &self.settings.parameters;
        depth >= p.plies_prior_depth && (p.plies_prior > 0 || p.plies_prior_reduction > 0)
    }

    /// Adds each legal move of a node that does not capture, in check each legal move, with its prior to `listing`. A
    /// search by plies does not fill the tables of the terms that suggest moves, so that these add nothing.
    pub(super) fn list_with_priors(&self, ply: usize, listing: &mut Listing) {
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
        let relative = |interest: i32| (fixed_log2(interest.max(1) as u64) - mean) as i16;
        // Captures are in the order by then, except in check.
        let has_all = position.in_check();
        for scored in &list.moves {
            if has_all || !scored.flags.is_capture() {
                let value = relative(scored.interest);
                let if_bad = scored.if_bad().map_or(value, relative);
                listing.push(Listed { mv: scored.mv, prior: Prior { value, if_bad } });
            }
        }
        for drops in &list.drop_sets {
            let value = relative(drops.interest);
            for (mv, if_bad) in drops.each() {
                let if_bad = if_bad.map_or(value, relative);
                listing.push(Listed { mv, prior: Prior { value, if_bad } });
            }
        }
    }
}
