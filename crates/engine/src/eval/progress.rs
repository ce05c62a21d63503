//! The progress of a game: 0 with all pieces at their first squares, up to [`WHOLE`] with many attackers in hands and
//! enemy camps.

use kyomi_shogi::{Color, Piece, PieceKind, Position, Square};

/// The end of the scale of progress.
pub(super) const WHOLE: i32 = 256;

/// Converts the sum over pieces to 0 ..= [`WHOLE`].
#[inline]
pub(super) fn of_sum(sum: i32) -> i32 {
    (sum - EARLY).clamp(0, SPAN) * (WHOLE / SPAN)
}

/// The amount that a piece on the board adds.
#[inline]
pub(super) fn on_board(piece: Piece, square: Square) -> i32 {
    i32::from(BOARD[piece.index()][square.index()])
}

/// The amount that a piece in hand adds.
#[inline]
pub(super) fn in_hand(kind: PieceKind) -> i32 {
    if kind.is_droppable() { i32::from(HAND[kind.index()]) } else { 0 }
}

/// The sum of a position.
pub(super) fn sum(position: &Position) -> i32 {
    let mut sum = 0;
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            sum += on_board(piece, square);
        }
    }
    for color in Color::ALL {
        for (kind, count) in position.hand(color).iter() {
            sum += in_hand(kind) * i32::from(count);
        }
    }
    sum
}

/// A sum that every opening reaches.
const EARLY: i32 = 0;
/// The sum above [`EARLY`] at which the end of the scale is reached. Games are decided around it.
const SPAN: i32 = 64;

const HAND: [i8; 7] = [1, 3, 3, 5, 5, 5, 5];

/// `[piece][square]`: the amounts of pieces in or near the enemy's camp.
static BOARD: [[i8; 81]; Piece::COUNT] = {
    let mut table = [[0; 81]; Piece::COUNT];
    let mut i = 0;
    while i < 2 * PieceKind::COUNT * 81 {
        let (color, kind, square) =
            (Color::ALL[i % 2], PieceKind::ALL[i / 2 % PieceKind::COUNT], i / 2 / PieceKind::COUNT);
        let rank = match color {
            Color::Black => square % 9 + 1,
            Color::White => 9 - square % 9,
        };
        table[Piece::new(color, kind).index()][square] = match kind {
            PieceKind::Pawn if rank <= 4 => 1,
            PieceKind::Lance | PieceKind::Knight if rank <= 4 => 3,
            PieceKind::Silver | PieceKind::Gold | PieceKind::Bishop | PieceKind::Rook
                if rank <= 4 =>
            {
                4
            }
            PieceKind::King if rank <= 6 => 8,
            PieceKind::Horse | PieceKind::Dragon => 6,
            _ if kind.is_promoted() => {
                if rank <= 4 {
                    6
                } else {
                    4
                }
            }
            _ => 0,
        };
        i += 1;
    }
    table
};
