//! Tests of single moves.

use super::{Bitboard, Color, Move, PieceKind, Position, Square, attacks};

impl Position {
    /// Whether a move is legal. It accepts every [`Move`], and returns `true` exactly for the moves of
    /// [`Position::legal_moves`].
    pub fn is_legal(&self, mv: Move) -> bool {
        match mv.from() {
            Some(from) => self.is_legal_on_board(from, mv.to(), mv.is_promotion()),
            None => mv.dropped().is_some_and(|kind| self.is_legal_drop(kind, mv.to())),
        }
    }

    fn is_legal_on_board(&self, from: Square, to: Square, promote: bool) -> bool {
        let us = self.side;
        let Some(piece) = self.piece_on(from) else { return false };
        let kind = piece.kind();
        let attacked = attacks(kind, us, from, self.occupied());
        if piece.color() != us || !(attacked & self.enterable()).contains(to) {
            return false;
        }
        if promote {
            let camp = Bitboard::camp_against(us);
            if kind.promoted().is_none() || !(camp.contains(from) || camp.contains(to)) {
                return false;
            }
        } else if to.rank_for(us) <= kind.dead_ranks() {
            return false;
        }
        if kind == PieceKind::King {
            return !self.is_attacked(to, !us, self.occupied().without(from));
        }
        if self.pinned(us).contains(from) {
            // In check a pinned piece has no legal move, since its line and that of the checker meet only at the king.
            return !self.in_check() && self.keeps_pin(from, to, us);
        }
        self.answers().contains(to)
    }

    fn is_legal_drop(&self, kind: PieceKind, to: Square) -> bool {
        let us = self.side;
        self.hand(us).has(kind)
            && !self.occupied().contains(to)
            && self.answers().contains(to)
            && to.rank_for(us) > kind.dead_ranks()
            && (kind != PieceKind::Pawn
                || (self.pieces(us, PieceKind::Pawn) & Bitboard::file(to.file())).is_empty()
                    && !self.is_pawn_drop_mate(to))
    }

    /// The squares that own pieces may enter: all except those of own pieces and of the enemy's king.
    #[inline]
    pub(crate) fn enterable(&self) -> Bitboard {
        let them = !self.side;
        !(self.of_color(self.side) | self.pieces(them, PieceKind::King))
    }

    /// The squares that a piece other than the king may go to with regard to check: all squares out of check, the
    /// squares between and the checker's own with one checker, and none with two.
    #[inline]
    pub(crate) fn answers(&self) -> Bitboard {
        let Some(checker) = self.checkers.first() else { return Bitboard::ALL };
        match self.king_square(self.side) {
            Some(king) if !self.checkers.more_than_one() => {
                attacks::between(king, checker).with(checker)
            }
            _ => Bitboard::EMPTY,
        }
    }

    /// Whether a pinned piece of `color` stays on the line with its king.
    #[inline]
    fn keeps_pin(&self, from: Square, to: Square, color: Color) -> bool {
        self.king_square(color).is_some_and(|king| attacks::line(king, from).contains(to))
    }

    /// Whether a pawn drop by the side to move mates (uchifuzume). The drop must be legal otherwise.
    pub(crate) fn is_pawn_drop_mate(&self, to: Square) -> bool {
        let (us, them) = (self.side, !self.side);
        let Some(king) = self.king_square(them) else { return false };
        if !attacks::pawn(us, to).contains(king) {
            return false;
        }
        let occupied = self.occupied().with(to);
        // Another piece may take the pawn if that does not expose its king; a pinned piece may move along the line of
        // its pin. If the king was in check before (in a set-up position), taking the pawn does not suffice.
        if !self.exposed || self.attackers_of(us, king, occupied).is_empty() {
            let pinned = self.pinned(them);
            let takers = self.attackers_of(them, to, occupied).without(king);
            let free = |&taker: &Square| !pinned.contains(taker) || self.keeps_pin(taker, to, them);
            if takers.iter().any(|taker| free(&taker)) {
                return false;
            }
        }
        // The king takes the pawn or moves away. It no longer shields the squares behind it.
        let without_king = occupied.without(king);
        let steps = attacks::king(king) & !self.of_color(them) & !self.pieces(us, PieceKind::King);
        !steps.iter().any(|step| !self.is_attacked(step, us, without_king))
    }

    /// Whether a legal move captures a piece.
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.piece_on(mv.to()).is_some()
    }

    /// Whether a legal move is neither a capture nor a promotion.
    #[inline]
    pub fn is_quiet(&self, mv: Move) -> bool {
        !mv.is_promotion() && !self.is_capture(mv)
    }

    /// Whether a legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        if self.exposed {
            let mut after = self.clone();
            after.do_move(mv);
            return after.in_check();
        }
        let (us, to) = (self.side, mv.to());
        let Some(king) = self.king_square(!us) else { return false };
        let (kind, occupied) = match (mv.from(), mv.dropped()) {
            (Some(from), _) => {
                let Some(piece) = self.piece_on(from) else { return false };
                if self.discoverers(us).contains(from) && !attacks::line(king, from).contains(to) {
                    return true;
                }
                let kind = match piece.kind().promoted() {
                    Some(promoted) if mv.is_promotion() => promoted,
                    _ => piece.kind(),
                };
                (kind, self.occupied().without(from))
            }
            (None, Some(kind)) => (kind, self.occupied()),
            (None, None) => return false,
        };
        attacks(kind, us, to, occupied).contains(king)
    }
}
