//! All moves of a node with their interest.

use super::drop_set::DropSet;
use super::scored::{Scored, Traits};
use super::terms::BestQuiet;
use crate::shogi::{Move, MoveSets};

/// All legal moves of a node with their interest. Kept and filled anew, so that nothing is allocated on the way.
#[derive(Debug, Default)]
pub(in crate::search) struct InterestList {
    pub(in crate::search) moves: Vec<Scored>,
    /// Drops that are not among them because they have the same interest as others of their kind.
    pub(in crate::search) drop_sets: Vec<DropSet>,
    /// Kept to reuse its memory.
    pub(super) sets: MoveSets,
    /// Set aside by a rule: searched only if everything else loses by force.
    pub(in crate::search) reserve: Vec<Move>,
    /// Number of legal moves.
    pub(in crate::search) count: usize,
    /// The sum over all moves, fixed once the list is made.
    pub(in crate::search) sum: i64,
    /// The interest of a hash move at this node.
    pub(in crate::search) hash_interest: i32,
    /// Only moves that stand out are in it; the others count in the sum.
    pub(in crate::search) partial: bool,
}

/// The leading moves of a list while it is made.
#[derive(Debug)]
pub(super) struct Leaders {
    /// The most interest of the moves that are not the hash move, and the best quiet one of them.
    pub(super) best: i32,
    pub(super) best_quiet: BestQuiet,
    /// Where the hash move stands; beyond the list if it is not in it.
    pub(super) hash_at: usize,
}

impl Default for Leaders {
    fn default() -> Self {
        Self { best: 0, best_quiet: BestQuiet::default(), hash_at: usize::MAX }
    }
}

impl Leaders {
    /// A move that stands at this place of the list.
    #[inline]
    pub(super) fn see(&mut self, scored: &Scored, at: usize, is_hash: bool) {
        if is_hash {
            self.hash_at = at;
        } else {
            self.best = self.best.max(scored.interest);
            self.best_quiet.see(scored, at);
        }
    }
}

impl InterestList {
    /// Takes out a move that is in it and returns its traits.
    pub(in crate::search) fn take_out(&mut self, mv: Move) -> Traits {
        if let Some(at) = self.moves.iter().position(|scored| scored.mv == mv) {
            return self.moves.swap_remove(at).traits;
        }
        for drops in self.drop_sets.iter_mut().filter(|drops| Some(drops.kind) == mv.dropped()) {
            drops.targets = drops.targets.without(mv.to());
        }
        Traits::default()
    }

    /// Makes it empty.
    pub(super) fn clear(&mut self) {
        self.moves.clear();
        self.drop_sets.clear();
        self.reserve.clear();
        self.sum = 0;
        self.partial = false;
    }
}
