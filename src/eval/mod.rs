//! A position's value in centipawns for the side to move (floor 2).
//!
//! The larger part is a sum over pieces (`material`, `piece_square`, `relations`) that a search carries along from
//! move to move as a [`Running`] sum. The rest (`king_safety`, mobility) is computed from bitboards when a position
//! is evaluated. Everything is integer, the same on all machines, and symmetric: turning the board round and
//! swapping the sides changes nothing for the side to move.
//!
//! Invariant: `|evaluate| <= MAX`, clear of all scores that mean a mate or a repetition. Not here: hanging pieces
//! and anything else that a capture search sees.

mod king_safety;
mod material;
mod piece_square;
mod relations;
mod running;

pub use material::{board_value, hand_value, swing, victim_class};
pub use running::Running;

use crate::shogi::{Bitboard, Color, Piece, PieceKind, Position, Square, attacks};

/// Evaluations lie within `±MAX`.
pub const MAX: i32 = 31_616;

/// The right to move is worth this much.
const TEMPO: i32 = 30;

/// The value for the side to move. `running` belongs to the position.
pub fn evaluate(position: &Position, running: &Running) -> i32 {
    let black = running.total() + activity(position, Color::Black)
        - activity(position, Color::White)
        - king_safety::danger(position, Color::Black)
        + king_safety::danger(position, Color::White);
    let own = match position.side_to_move() {
        Color::Black => black,
        Color::White => -black,
    };
    (own + TEMPO).clamp(-MAX, MAX)
}

/// The value for the side to move, computed from nothing.
pub fn evaluate_afresh(position: &Position) -> i32 {
    evaluate(position, &Running::of(position))
}

/// What a piece on a square is worth to its side by the sum over pieces, whatever stands there now. The change of
/// other pieces' relations to a king that moves is not in it.
#[inline]
pub fn placement(position: &Position, piece: Piece, square: Square) -> i32 {
    let total = running::piece_total(position, piece, square);
    match piece.color() {
        Color::Black => total,
        Color::White => -total,
    }
}

/// Centipawns for the free squares of the sliders.
fn activity(position: &Position, color: Color) -> i32 {
    let occupied = position.occupied();
    let own = position.of_color(color);
    let mut sum = 0;
    let mut count = |kind: PieceKind, pieces: Bitboard, weight: i32, usual: i32| {
        for square in pieces {
            let free = attacks(kind, color, square, occupied) & !own;
            sum += weight * (free.count() as i32 - usual);
        }
    };
    let pieces = |kind: PieceKind| position.pieces(color, kind);
    count(PieceKind::Bishop, pieces(PieceKind::Bishop), 4, 5);
    count(PieceKind::Horse, pieces(PieceKind::Horse), 4, 10);
    count(PieceKind::Rook, pieces(PieceKind::Rook), 3, 5);
    count(PieceKind::Dragon, pieces(PieceKind::Dragon), 3, 11);
    count(PieceKind::Lance, pieces(PieceKind::Lance), 2, 2);
    sum
}

#[cfg(test)]
mod tests;
