//! The list of all moves of a node with their interest.

use super::drop_set::DropSet;
use super::scored::{MoveFlags, ScoredMove};
use super::terms::BestQuiet;
use kyomi_shogi::{Move, MoveSets};

/// All legal moves of a node with their interest. The list is reused, so that the search allocates nothing.
#[derive(Debug, Default)]
pub(in crate::search) struct InterestList {
    pub(in crate::search) moves: Vec<ScoredMove>,
    /// Drops that are not in `moves` because they have the same interest as others of their kind.
    pub(in crate::search) drop_sets: Vec<DropSet>,
    /// The sets of legal moves. They are kept to reuse their memory.
    pub(super) sets: MoveSets,
    /// Moves that a rule has set aside. They are searched only if all other moves lose by force.
    pub(in crate::search) reserve: Vec<Move>,
    /// Number of legal moves.
    pub(in crate::search) count: usize,
    /// The sum of interest of all moves. It does not change after the list is filled.
    pub(in crate::search) sum: i64,
    /// The interest of a hash move at this node.
    pub(in crate::search) hash_interest: i32,
    /// Whether the list has only moves that stand out. The others count in the sum.
    pub(in crate::search) partial: bool,
}

/// The leading moves of a list while it is filled.
#[derive(Debug)]
pub(super) struct Leaders {
    /// The largest interest of a move other than the hash move, and the best quiet move.
    pub(super) best: i32,
    pub(super) best_quiet: BestQuiet,
    /// The index of the hash move; beyond the list if it is not in the list.
    pub(super) hash_at: usize,
}

impl Default for Leaders {
    fn default() -> Self {
        Self { best: 0, best_quiet: BestQuiet::default(), hash_at: usize::MAX }
    }
}

impl Leaders {
    /// Takes account of the move at index `at` of the list.
    #[inline]
    pub(super) fn update(&mut self, scored: &ScoredMove, at: usize, is_hash: bool) {
        if is_hash {
            self.hash_at = at;
        } else {
            self.best = self.best.max(scored.interest);
            self.best_quiet.update(scored, at);
        }
    }
}

impl InterestList {
    /// Removes a move from the list and returns its traits.
    pub(in crate::search) fn remove(&mut self, mv: Move) -> MoveFlags {
        if let Some(at) = self.moves.iter().position(|scored| scored.mv == mv) {
            return self.moves.swap_remove(at).flags;
        }
        for drops in self.drop_sets.iter_mut().filter(|drops| Some(drops.kind) == mv.dropped()) {
            drops.targets = drops.targets.without(mv.to());
        }
        MoveFlags::default()
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
