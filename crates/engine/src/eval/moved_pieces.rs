//! The pieces that a move changes, as the inputs of a network.

use kyomi_shogi::{Color, Move, Piece, PieceKind, Position, Square};

/// The inputs that a move removes and adds: none for a null move, one of each for a quiet move or a drop, two of each
/// for a capture.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MovedPieces<T> {
    pub(super) removed: [T; 2],
    pub(super) added: [T; 2],
    pub(super) count: u8,
}

impl<T: Copy + Default> MovedPieces<T> {
    /// Those of a legal move that is about to be made. `on_board` is the input of a piece on a square, `in_hand` that of
    /// the n-th piece of a kind in hand.
    #[inline]
    pub(super) fn of(
        position: &Position,
        mv: Move,
        on_board: impl Fn(Piece, Square) -> T,
        in_hand: impl Fn(Color, PieceKind, u8) -> T,
    ) -> Self {
        let (side, to) = (position.side_to_move(), mv.to());
        let mut moved = Self { count: 1, ..Self::default() };
        match mv.from() {
            None => {
                let kind = mv.dropped().unwrap_or(PieceKind::Pawn);
                moved.removed[0] = in_hand(side, kind, position.hand(side).count(kind));
                moved.added[0] = on_board(Piece::new(side, kind), to);
            }
            Some(from) => {
                let kind = position.piece_on(from).map_or(PieceKind::Pawn, Piece::kind);
                let promoted = if mv.is_promotion() { kind.promoted() } else { None };
                moved.removed[0] = on_board(Piece::new(side, kind), from);
                moved.added[0] = on_board(Piece::new(side, promoted.unwrap_or(kind)), to);
                if let Some(captured) = position.piece_on(to) {
                    let kind = captured.kind().unpromoted();
                    moved.count = 2;
                    moved.removed[1] = on_board(captured, to);
                    moved.added[1] = in_hand(side, kind, position.hand(side).count(kind) + 1);
                }
            }
        }
        moved
    }
}
