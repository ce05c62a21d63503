//! Which moves of a position give check, computed once for a node.

use crate::search::see::kind_after;
use kyomi_shogi::{Bitboard, Move, PieceKind, Position, Square, attacks, line};

/// The squares from which each kind of piece gives check, and the pieces whose moves open a line.
pub(super) struct Checks {
    king: Option<Square>,
    direct: [Bitboard; PieceKind::COUNT],
    discoverers: Bitboard,
}

impl Checks {
    /// Nothing is computed; each move is tested alone.
    pub(super) const UNKNOWN: Self = Self {
        king: None,
        direct: [Bitboard::EMPTY; PieceKind::COUNT],
        discoverers: Bitboard::EMPTY,
    };

    pub(super) fn of(position: &Position) -> Self {
        let (us, occupied) = (position.side_to_move(), position.occupied());
        let king = position.king_square(!us).filter(|_| !position.is_exposed());
        let mut direct = [Bitboard::EMPTY; PieceKind::COUNT];
        if let Some(king) = king {
            // Each slider is computed once.
            let [gold, bishop, rook, ring] =
                [PieceKind::Gold, PieceKind::Bishop, PieceKind::Rook, PieceKind::King]
                    .map(|kind| attacks(kind, !us, king, occupied));
            for kind in PieceKind::ALL {
                direct[kind.index()] = match kind {
                    PieceKind::King => Bitboard::EMPTY,
                    PieceKind::Bishop => bishop,
                    PieceKind::Rook => rook,
                    PieceKind::Horse => bishop | ring,
                    PieceKind::Dragon => rook | ring,
                    kind if kind.moves_as_gold() => gold,
                    kind => attacks(kind, !us, king, occupied),
                };
            }
        }
        Self { king, direct, discoverers: position.discoverers(us) }
    }

    /// Whether a legal move gives check.
    pub(super) fn given_by(&self, position: &Position, mv: Move) -> bool {
        self.given_with(position, mv, kind_after(position, mv))
    }

    /// The same, if the piece is of this kind after the move.
    #[inline]
    pub(super) fn given_with(&self, position: &Position, mv: Move, kind: PieceKind) -> bool {
        let Some(king) = self.king else { return position.gives_check(mv) };
        let opens = |from| self.discoverers.contains(from) && !line(king, from).contains(mv.to());
        self.direct[kind.index()].contains(mv.to())
            || self.discoverers.any() && mv.from().is_some_and(opens)
    }
}
