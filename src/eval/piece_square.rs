//! Where a piece stands well, whatever the kings do: one table for each kind, as black sees the board.

use crate::shogi::{Color, PieceKind, Square};

/// Centipawns of a piece of `color` on a square beyond its material, for that side.
#[inline]
pub(super) fn bonus(kind: PieceKind, color: Color, square: Square) -> i32 {
    let index = match color {
        Color::Black => square.index(),
        Color::White => square.rotated().index(),
    };
    i32::from(TABLE[kind.index()][index])
}

/// `[kind][square]`.
static TABLE: [[i16; 81]; PieceKind::COUNT] = {
    let mut table = [[0; 81]; PieceKind::COUNT];
    let mut kind = 0;
    while kind < PieceKind::COUNT {
        let mut index = 0;
        while index < 81 {
            let (file, rank) = (index / 9 + 1, index % 9 + 1);
            // Distance from the middle file.
            let wing = usize::abs_diff(file, 5);
            table[kind][index] = by_rule(PieceKind::ALL[kind], file, rank, wing);
            index += 1;
        }
        kind += 1;
    }
    table
};

/// Ranks from the far edge (1) to the home rank (9), files 1 to 9, `wing` 0 (middle) to 4 (edge).
const fn by_rule(kind: PieceKind, file: usize, rank: usize, wing: usize) -> i16 {
    let middle = 4 - wing as i16;
    match kind {
        PieceKind::Pawn => {
            let advance = [0, 0, 34, 30, 18, 8, 0, -4, -8, -8][rank];
            // The pawn before the rook wants to run, edge pawns like one step.
            let run = if file == 2 && rank <= 6 { 8 } else { 0 };
            let edge = if wing == 4 && rank == 6 { 6 } else { 0 };
            advance + run + edge
        }
        PieceKind::Lance => [0, 0, -20, -20, -18, -14, -10, -6, -2, 0][rank],
        PieceKind::Knight => {
            // Ahead it cannot go back, and pawns catch it.
            let by_rank = [0, 0, 0, 20, 12, 4, -6, 14, -10, 0][rank];
            by_rank - if wing == 4 { 12 } else { 0 }
        }
        PieceKind::Silver => {
            let by_rank = [0, -10, 10, 20, 22, 24, 22, 12, 6, -8][rank];
            by_rank + 2 * middle
        }
        PieceKind::Gold => {
            let by_rank = [0, -40, -10, 0, -4, -4, 0, 8, 10, 0][rank];
            by_rank - if wing == 4 { 18 } else { 0 }
        }
        PieceKind::Bishop => {
            let by_rank = [0, 0, 0, 10, 14, 16, 14, 10, 6, 0][rank];
            by_rank - if wing == 4 { 10 } else { 0 }
        }
        PieceKind::Rook => {
            let by_rank = [0, 40, 44, 40, 6, -4, -6, -14, 10, 4][rank];
            // The own side of the board is where attacks are made.
            by_rank - if wing == 4 { 6 } else { 0 } + if file == 2 || file == 6 { 4 } else { 0 }
        }
        PieceKind::King => {
            let by_rank = [0, 30, 0, -40, -120, -170, -160, -110, -24, 4][rank];
            // At home the wings are safer than the middle, one step from the edge best.
            let by_wing = [-34, -24, 0, 22, 14][wing];
            by_rank + if rank >= 7 { by_wing } else { 0 }
        }
        PieceKind::ProPawn | PieceKind::ProLance | PieceKind::ProKnight | PieceKind::ProSilver => {
            [0, -60, -20, 0, 4, 4, 0, -10, -30, -50][rank] + 3 * middle
        }
        PieceKind::Horse => [0, 0, 10, 16, 20, 24, 30, 34, 30, 20][rank] + 2 * middle,
        PieceKind::Dragon => [0, 24, 34, 30, 16, 6, 0, 0, 4, 6][rank],
    }
}
