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
    let mut piece = 0;
    while piece < Piece::COUNT {
        let mut square = 0;
        while square < 81 {
            board[piece][square] = next(&mut state);
            square += 1;
        }
        piece += 1;
    }
    let mut hand = [[[0; 19]; 7]; 2];
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < 7 {
            let mut count = 1;
            while count < 19 {
                hand[color][kind][count] = next(&mut state);
                count += 1;
            }
            kind += 1;
        }
        color += 1;
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
    let mut steps = [[[0; 19]; 7]; 2];
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < 7 {
            let mut count = 1;
            while count < 19 {
                let keys = &TABLE.hand[color][kind];
                steps[color][kind][count] = keys[count] ^ keys[count - 1];
                count += 1;
            }
            kind += 1;
        }
        color += 1;
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
