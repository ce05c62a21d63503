//! Checks from squares next to a king that leave it no square to go to.

use super::{
    BISHOP_RAYS_TABLE, GOLD_TABLE, KING_TABLE, PAWN_TABLE, RAYS_TABLE, ROOK_RAYS_TABLE,
    SILVER_TABLE, king, rook_rays,
};
use crate::{Bitboard, Color, PieceKind, Square};

/// Tells which checks from squares next to a king reach all squares that are free to the king.
#[derive(Clone, Copy)]
pub struct Closing {
    us: Color,
    king: Square,
    /// The free squares: three bits for each of three files, the king in the middle.
    free: usize,
}

impl Closing {
    /// For checks by `us`. The free squares must be next to the king.
    #[inline]
    pub fn new(us: Color, king: Square, free: Bitboard) -> Self {
        Self { us, king, free: among_free(free.0, king.index()) }
    }

    /// The squares next to the king from which a piece of this kind gives check, and attacks all other free squares if
    /// nothing blocks its lines.
    #[inline]
    pub fn beside(&self, kind: PieceKind) -> Bitboard {
        self.squares(match kind {
            PieceKind::Pawn => 0,
            PieceKind::Silver => 1,
            PieceKind::Lance => 3,
            PieceKind::Bishop => 4,
            PieceKind::Rook => 5,
            PieceKind::Horse => 6,
            PieceKind::Dragon => 7,
            kind if kind.moves_as_gold() => 2,
            _ => return Bitboard::EMPTY,
        })
    }

    /// The same for a piece of any kind. Without `great`, bishop, rook, horse and dragon are left out.
    #[inline]
    pub fn beside_by_any(&self, great: bool) -> Bitboard {
        self.squares(if great { 9 } else { 8 })
    }

    /// The squares two straight steps from the king from which a dragon attacks all free squares if nothing blocks its
    /// lines.
    #[inline]
    pub fn by_dragon_in_front(&self) -> Bitboard {
        let squares = u128::from(DRAGON_IN_FRONT[self.free]);
        Bitboard(squares << self.king.index() >> 18) & rook_rays(self.king)
    }

    #[inline]
    fn squares(self, kinds: usize) -> Bitboard {
        let set = u128::from(BESIDE[self.us.index()][kinds][self.free]);
        Bitboard(set << self.king.index() >> 10) & king(self.king)
    }
}

/// The bits of the king's square and those next to it.
#[inline]
const fn among_free(squares: u128, king: usize) -> usize {
    let files = (squares << 10 >> king) as usize;
    files & 7 | files >> 6 & 0o70 | files >> 12 & 0o700
}

/// `[color][kinds][free squares]`: sets of squares in which the king has index 10. The kinds are those of
/// [`Closing::beside`]; 8 is the union of 0 to 3, 9 of all.
static BESIDE: [[[u32; 512]; 10]; 2] = {
    const KING: usize = 40;
    let mut table = [[[0; 512]; 10]; 2];
    let mut i = 0;
    while i < 2 * 8 {
        let (us, kind) = (i / 8, i % 8);
        let mut around = KING_TABLE[KING].0;
        while around != 0 {
            let from = around.trailing_zeros() as usize;
            around &= around - 1;
            let reached = match kind {
                0 => PAWN_TABLE[us][from].0,
                1 => SILVER_TABLE[us][from].0,
                2 => GOLD_TABLE[us][from].0,
                3 => RAYS_TABLE[us][from].0,
                4 => BISHOP_RAYS_TABLE[from].0,
                5 => ROOK_RAYS_TABLE[from].0,
                6 => BISHOP_RAYS_TABLE[from].0 | KING_TABLE[from].0,
                _ => ROOK_RAYS_TABLE[from].0 | KING_TABLE[from].0,
            };
            if reached >> KING & 1 == 0 {
                continue;
            }
            let left = among_free(!(reached | 1 << from), KING);
            let mut free = 0;
            while free < 512 {
                if free & left == 0 {
                    let square = 1 << (from + 10 - KING);
                    table[us][kind][free] |= square;
                    table[us][9][free] |= square;
                    if kind < 4 {
                        table[us][8][free] |= square;
                    }
                }
                free += 1;
            }
        }
        i += 1;
    }
    table
};

/// `[free squares]`: sets of squares in which the king has index 18.
static DRAGON_IN_FRONT: [u64; 512] = {
    const KING: usize = 40;
    let mut table = [0; 512];
    let squares = [KING - 18, KING - 2, KING + 2, KING + 18];
    let mut i = 0;
    while i < 4 * 512 {
        let (from, free) = (squares[i / 512], i % 512);
        let left = among_free(!(ROOK_RAYS_TABLE[from].0 | KING_TABLE[from].0), KING);
        if free & left == 0 {
            table[free] |= 1 << (from + 18 - KING);
        }
        i += 1;
    }
    table
};
