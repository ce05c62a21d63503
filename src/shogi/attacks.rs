//! Which squares a piece attacks.
//!
//! Steps are looked up. A slider's ray is cut at its first blocker by arithmetic on the bits between: along a ray
//! of growing indices the lowest blocker is found by subtraction, along the others the highest by counting zeros.

use super::{Bitboard, Color, PieceKind, Square};

/// The eight directions as (files, ranks). Even ones lower the index, odd ones raise it; `d ^ 1` is opposite.
const DIRECTIONS: [(i8, i8); 8] =
    [(0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1), (-1, 1), (1, -1)];

/// One set of squares for each square.
type PerSquare = [Bitboard; 81];

const RAYS_TABLE: [PerSquare; 8] = {
    let mut rays = [[Bitboard::EMPTY; 81]; 8];
    let mut d = 0;
    while d < 8 {
        let (files, ranks) = DIRECTIONS[d];
        let mut from = 0;
        while from < 81 {
            let mut square = Square::known(from as u32);
            while let Some(next) = square.offset(files, ranks) {
                rays[d][from] = rays[d][from].with(next);
                square = next;
            }
            from += 1;
        }
        d += 1;
    }
    rays
};
static RAYS: [PerSquare; 8] = RAYS_TABLE;

static BETWEEN: [PerSquare; 81] = {
    let mut table = [[Bitboard::EMPTY; 81]; 81];
    let mut from = 0;
    while from < 81 {
        let mut d = 0;
        while d < 8 {
            let (files, ranks) = DIRECTIONS[d];
            let mut square = Square::known(from as u32);
            let mut passed = Bitboard::EMPTY;
            while let Some(next) = square.offset(files, ranks) {
                table[from][next.index()] = passed;
                passed = passed.with(next);
                square = next;
            }
            d += 1;
        }
        from += 1;
    }
    table
};

static LINE: [PerSquare; 81] = {
    let mut table = [[Bitboard::EMPTY; 81]; 81];
    let mut from = 0;
    while from < 81 {
        let mut d = 0;
        while d < 8 {
            let (files, ranks) = DIRECTIONS[d];
            let mut whole = Bitboard::of(Square::known(from as u32));
            let mut square = Square::known(from as u32);
            while let Some(next) = square.offset(files, ranks) {
                whole = whole.with(next);
                square = next;
            }
            square = Square::known(from as u32);
            while let Some(next) = square.offset(-files, -ranks) {
                whole = whole.with(next);
                square = next;
            }
            square = Square::known(from as u32);
            while let Some(next) = square.offset(files, ranks) {
                table[from][next.index()] = whole;
                square = next;
            }
            d += 1;
        }
        from += 1;
    }
    table
};

/// Steps of black; white's are the same with the ranks turned round.
const fn steps(black: &[(i8, i8)]) -> [PerSquare; 2] {
    let mut table = [[Bitboard::EMPTY; 81]; 2];
    let mut from = 0;
    while from < 81 {
        let mut i = 0;
        while i < black.len() {
            let (files, ranks) = black[i];
            if let Some(to) = Square::known(from as u32).offset(files, ranks) {
                table[0][from] = table[0][from].with(to);
            }
            if let Some(to) = Square::known(from as u32).offset(files, -ranks) {
                table[1][from] = table[1][from].with(to);
            }
            i += 1;
        }
        from += 1;
    }
    table
}

static PAWN: [PerSquare; 2] = steps(&[(0, -1)]);
static KNIGHT: [PerSquare; 2] = steps(&[(-1, -2), (1, -2)]);
static SILVER: [PerSquare; 2] = steps(&[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)]);
static GOLD: [PerSquare; 2] = steps(&[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]);
static KING: PerSquare = steps(&DIRECTIONS)[0];

/// The squares a piece of this kind and side attacks (or defends) from a square, given what is occupied.
#[inline]
pub fn attacks(kind: PieceKind, color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Pawn => pawn(color, from),
        PieceKind::Lance => lance(color, from, occupied),
        PieceKind::Knight => knight(color, from),
        PieceKind::Silver => silver(color, from),
        PieceKind::Gold
        | PieceKind::ProPawn
        | PieceKind::ProLance
        | PieceKind::ProKnight
        | PieceKind::ProSilver => gold(color, from),
        PieceKind::Bishop => bishop(from, occupied),
        PieceKind::Rook => rook(from, occupied),
        PieceKind::King => king(from),
        PieceKind::Horse => bishop(from, occupied) | king(from),
        PieceKind::Dragon => rook(from, occupied) | king(from),
    }
}

/// The squares strictly between two that share a file, rank or diagonal; else empty.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole file, rank or diagonal through two squares, both included; empty if they share none or are the same.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[inline]
pub(super) fn pawn(color: Color, from: Square) -> Bitboard {
    PAWN[color.index()][from.index()]
}

#[inline]
pub(super) fn knight(color: Color, from: Square) -> Bitboard {
    KNIGHT[color.index()][from.index()]
}

#[inline]
pub(super) fn silver(color: Color, from: Square) -> Bitboard {
    SILVER[color.index()][from.index()]
}

#[inline]
pub(super) fn gold(color: Color, from: Square) -> Bitboard {
    GOLD[color.index()][from.index()]
}

#[inline]
pub(super) fn king(from: Square) -> Bitboard {
    KING[from.index()]
}

#[inline]
pub(super) fn lance(color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    match color {
        Color::Black => falling(0, from, occupied),
        Color::White => rising(1, from, occupied),
    }
}

#[inline]
pub(super) fn rook(from: Square, occupied: Bitboard) -> Bitboard {
    falling(0, from, occupied)
        | rising(1, from, occupied)
        | falling(2, from, occupied)
        | rising(3, from, occupied)
}

#[inline]
pub(super) fn bishop(from: Square, occupied: Bitboard) -> Bitboard {
    falling(4, from, occupied)
        | rising(5, from, occupied)
        | falling(6, from, occupied)
        | rising(7, from, occupied)
}

/// The lance's file ahead, on an empty board.
#[inline]
pub(super) fn lance_ray(color: Color, from: Square) -> Bitboard {
    RAYS[color.index()][from.index()]
}

/// The rook's rays on an empty board.
#[inline]
pub(super) fn rook_rays(from: Square) -> Bitboard {
    ROOK_RAYS[from.index()]
}

/// The bishop's rays on an empty board.
#[inline]
pub(super) fn bishop_rays(from: Square) -> Bitboard {
    BISHOP_RAYS[from.index()]
}

static ROOK_RAYS: PerSquare = all_rays(0);
static BISHOP_RAYS: PerSquare = all_rays(4);

const fn all_rays(first: usize) -> PerSquare {
    let mut table = [Bitboard::EMPTY; 81];
    let mut from = 0;
    while from < 81 {
        let mut d = first;
        while d < first + 4 {
            table[from] = Bitboard(table[from].0 | RAYS_TABLE[d][from].0);
            d += 1;
        }
        from += 1;
    }
    table
}

/// The ray up to and with its first blocker, in a direction that raises the index.
#[inline]
fn rising(direction: usize, from: Square, occupied: Bitboard) -> Bitboard {
    let ray = RAYS[direction][from.index()].0;
    let blockers = ray & occupied.0;
    // All bits up to the lowest blocker; all bits if there is none.
    Bitboard(ray & (blockers ^ blockers.wrapping_sub(1)))
}

/// The ray up to and with its first blocker, in a direction that lowers the index.
#[inline]
fn falling(direction: usize, from: Square, occupied: Bitboard) -> Bitboard {
    let ray = RAYS[direction][from.index()].0;
    // With none the bit 0 stands in: the end of the ray or beyond it.
    let blockers = ray & occupied.0 | 1;
    Bitboard(ray & u128::MAX << blockers.ilog2())
}
