//! The values of pieces on the board and in hand.

use kyomi_shogi::{Color, PieceKind, Position};

/// Value of a piece on the board in centipawns, `[kind]`.
const BOARD: [i32; PieceKind::COUNT] =
    [95, 270, 295, 420, 500, 700, 850, 0, 475, 460, 475, 490, 920, 1100];

/// Value of a piece in hand in centipawns, `[kind]`.
const HAND: [i32; 7] = [115, 310, 325, 440, 530, 740, 900];

/// The gain of a capture, `[kind]`: the enemy loses the piece on the board, and the own side gets it in hand. A king
/// has a value above all others.
const CAPTURE_VALUE: [i32; PieceKind::COUNT] = {
    let mut table = [0; PieceKind::COUNT];
    let mut i = 0;
    while i < PieceKind::COUNT {
        let kind = PieceKind::ALL[i];
        table[i] = match kind {
            PieceKind::King => 15_000,
            _ => BOARD[i] + HAND[kind.unpromoted().index()],
        };
        i += 1;
    }
    table
};

/// Value of a piece on the board in centipawns; 0 for a king.
#[inline]
pub const fn board_value(kind: PieceKind) -> i32 {
    BOARD[kind.index()]
}

/// Value of a piece in hand in centipawns; 0 for kinds that are never in hand.
#[inline]
pub const fn hand_value(kind: PieceKind) -> i32 {
    if kind.is_droppable() { HAND[kind.index()] } else { 0 }
}

/// The value of black's pieces minus that of white's, in centipawns.
pub(super) fn balance(position: &Position) -> i32 {
    let of = |color: Color| {
        let board = PieceKind::ALL
            .map(|kind| board_value(kind) * position.pieces(color, kind).count() as i32);
        let hand = position.hand(color);
        let hand = PieceKind::HAND.map(|kind| hand_value(kind) * i32::from(hand.count(kind)));
        board.iter().chain(&hand).sum::<i32>()
    };
    of(Color::Black) - of(Color::White)
}

/// The gain of a capture of this piece in centipawns: its value on the board plus its value in hand.
#[inline]
pub const fn capture_value(kind: PieceKind) -> i32 {
    CAPTURE_VALUE[kind.index()]
}

/// The piece class of a piece by its capture value: 0 for pawn, 1 for minor, 2 for silver, 3 for major (docs/search.md,
/// section 0).
#[inline]
pub const fn piece_class(kind: PieceKind) -> usize {
    const CLASS: [usize; PieceKind::COUNT] = {
        let mut table = [0; PieceKind::COUNT];
        let mut i = 0;
        while i < PieceKind::COUNT {
            table[i] = match CAPTURE_VALUE[i] {
                ..250 => 0,
                250..700 => 1,
                700..1000 => 2,
                _ => 3,
            };
            i += 1;
        }
        table
    };
    CLASS[kind.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capture_values_equal_those_of_docs_search() {
        let capture_values = PieceKind::ALL.map(capture_value);
        assert_eq!(
            capture_values,
            [210, 580, 620, 860, 1030, 1440, 1750, 15_000, 590, 770, 800, 930, 1660, 2000]
        );
        let classes = PieceKind::ALL.map(piece_class);
        assert_eq!(classes, [0, 1, 1, 2, 3, 3, 3, 3, 1, 2, 2, 2, 3, 3]);
    }
}
