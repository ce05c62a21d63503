//! Random numbers for the key of a position: one for each piece on each square, one for each count in each hand, and
//! one for the side to move.

use super::{Color, Hand, Piece, PieceKind, Square};

struct Keys {
    /// `[piece][square]`
    board: [[u64; 81]; Piece::COUNT],
    /// `[color][kind][count]`, 0 for a count of 0.
    hand: [[[u64; 19]; 7]; 2],
    white_to_move: u64,
}

/// The next number of the splitmix64 generator.
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const TABLE: Keys = {
    let mut state = 0x006b_796f_6d69; // "kyomi"
    let mut board = [[0; 81]; Piece::COUNT];
    let mut i = 0;
    while i < Piece::COUNT * 81 {
        board[i / 81][i % 81] = next(&mut state);
        i += 1;
    }
    let mut hand = [[[0; 19]; 7]; 2];
    let mut i = 0;
    while i < 2 * 7 * 18 {
        hand[i / 126][i / 18 % 7][i % 18 + 1] = next(&mut state);
        i += 1;
    }
    Keys { board, hand, white_to_move: next(&mut state) }
};

static KEYS: Keys = TABLE;

#[inline]
pub(super) fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.board[piece.index()][square.index()]
}

#[inline]
pub(super) fn hand(color: Color, kind: PieceKind, count: u8) -> u64 {
    KEYS.hand[color.index()][kind.index()][count as usize]
}

/// The change of the key when the count of a kind in hand changes from `count - 1` to `count`, or back.
#[inline]
pub(super) fn hand_step(color: Color, kind: PieceKind, count: u8) -> u64 {
    HAND_STEPS[color.index()][kind.index()][count as usize]
}

static HAND_STEPS: [[[u64; 19]; 7]; 2] = {
    let mut steps = TABLE.hand;
    let mut i = 0;
    while i < 2 * 7 * 18 {
        let (color, kind, count) = (i / 126, i / 18 % 7, i % 18 + 1);
        steps[color][kind][count] ^= TABLE.hand[color][kind][count - 1];
        i += 1;
    }
    steps
};

/// The key of all counts of a hand.
pub(super) fn whole_hand(color: Color, of: Hand) -> u64 {
    of.iter().fold(0, |key, (kind, count)| key ^ hand(color, kind, count))
}

#[inline]
pub(super) fn white_to_move() -> u64 {
    KEYS.white_to_move
}
