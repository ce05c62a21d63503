//! Pieces that are attacked, and pieces that are pinned.

use kyomi_shogi::{Bitboard, Color, PieceKind, Position};

use super::{
    layout::{ATTACKED_BY_LESSER, ATTACKED_BY_PAWN, HANGING, PINNED},
    maps::AttackedSquares,
    weights::Sink,
};

/// The features of a side's pieces that are attacked or pinned.
#[inline(always)]
pub(super) fn add<S: Sink>(
    position: &Position,
    color: Color,
    own: &AttackedSquares,
    enemy: &AttackedSquares,
    sink: &mut S,
) {
    let pieces = position.of_color(color) & !position.of_kind(PieceKind::King);
    let attacked = pieces & (enemy.once | enemy.king);
    let guarded = attacked & (own.once | own.king);
    let by_pawn = guarded & enemy.pawns & !position.of_kind(PieceKind::Pawn);
    let major_pieces = position.of_kind(PieceKind::Bishop)
        | position.of_kind(PieceKind::Rook)
        | position.of_kind(PieceKind::Horse)
        | position.of_kind(PieceKind::Dragon);
    let row = usize::from(position.side_to_move() != color) * PieceKind::COUNT;
    let mut add_each = |squares: Bitboard, first: usize| {
        for square in squares {
            let kind = position.piece_on(square).map_or(0, |piece| piece.kind().index());
            sink.add(first + kind);
        }
    };
    add_each(attacked & !guarded, HANGING + row);
    add_each(by_pawn, ATTACKED_BY_PAWN + row);
    add_each(guarded & major_pieces & enemy.lesser & !by_pawn, ATTACKED_BY_LESSER + row);
    add_each(position.pinned(color), PINNED);
}
