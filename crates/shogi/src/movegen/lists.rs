//! The lists of moves of a position.

use super::{MoveSets, chosen_checks};
use crate::{Bitboard, MoveList, PieceKind, Position};

impl Position {
    /// All legal moves. If promotion is optional, the list has both moves. The capture of a king is not a legal move.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        super::all(self, &mut list);
        list
    }

    /// Fills in all legal moves as sets of target squares, in the order of [`Position::legal_moves`].
    pub fn legal_move_sets(&self, sets: &mut MoveSets) {
        super::sets(self, sets);
    }

    /// The number of legal moves, counted without listing them.
    pub fn count_legal_moves(&self) -> usize {
        super::count(self)
    }

    /// The same with the instructions that every processor has, even if this one has better ones. For tests and
    /// measurements only.
    #[doc(hidden)]
    pub fn count_legal_moves_plainly(&self) -> usize {
        super::count_plainly(self)
    }

    /// Whether a legal move exists. Without one the side to move has lost, in check or not.
    pub fn has_legal_move(&self) -> bool {
        super::any(self)
    }

    /// Whether the side to move is in check and has no legal move.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Adds the legal captures and the legal promotions, whether these capture or not.
    ///
    /// Together with [`Position::quiets`] and [`Position::drops`] these are all legal moves, each once, also in check.
    pub fn captures_and_promotions(&self, list: &mut MoveList) {
        super::captures_and_promotions(self, list);
    }

    /// Adds the legal moves on the board that neither capture nor promote.
    pub fn quiets(&self, list: &mut MoveList) {
        super::quiets(self, list);
    }

    /// Adds the legal drops.
    pub fn drops(&self, list: &mut MoveList) {
        super::drops(self, list);
    }

    /// Adds the legal answers to a check, generated from the checkers; nothing if the side to move is not in check.
    pub fn evasions(&self, list: &mut MoveList) {
        if self.in_check() {
            super::all(self, list);
        }
    }

    /// Adds the legal moves that give check.
    pub fn checks(&self, list: &mut MoveList) {
        super::checks(self, list);
    }

    /// Adds checks. Direct checks are added only if their target is among the squares that `choose` returns. `choose`
    /// gets the kind that checks after the move, whether that piece is dropped, and the squares from which it checks.
    /// Checks by the pieces in `free` and discovered checks are always added.
    #[inline]
    pub fn chosen_checks(
        &self,
        list: &mut MoveList,
        free: Bitboard,
        choose: impl Fn(PieceKind, bool, Bitboard) -> Bitboard,
    ) {
        chosen_checks(self, list, free, &choose);
    }
}
