//! The squares that pieces attack.
//!
//! Steps are looked up in tables. A slider's ray ends at its first blocker. Along a ray of growing indices that is the
//! lowest blocker, which a subtraction finds. Rays of falling indices are mirrored byte by byte first, except those
//! within a file, where counting zeros finds the highest blocker (docs/rules.md).

mod closing;

pub use closing::Closing;

use super::{Bitboard, Color, Piece, PieceKind, Square};

/// The eight directions as (files, ranks). Directions with an even number lower the index, the others raise it. `d ^ 1`
/// is the opposite of `d`.
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

static BETWEEN: [PerSquare; 81] = BETWEEN_AND_LINE.0;
static LINE: [PerSquare; 81] = BETWEEN_AND_LINE.1;

/// `[a][b]`: the squares between two squares, and the whole line through them.
const BETWEEN_AND_LINE: ([PerSquare; 81], [PerSquare; 81]) = {
    let mut between = [[Bitboard::EMPTY; 81]; 81];
    let mut line = between;
    let mut i = 0;
    while i < 8 * 81 {
        let (d, a) = (i / 81, i % 81);
        let (ray, back) = (RAYS_TABLE[d][a].0, RAYS_TABLE[d ^ 1][a].0);
        let mut left = ray;
        while left != 0 {
            let b = left.trailing_zeros() as usize;
            between[a][b] = Bitboard(ray & RAYS_TABLE[d ^ 1][b].0);
            line[a][b] = Bitboard(ray | back | 1 << a);
            left &= left - 1;
        }
        i += 1;
    }
    (between, line)
};

/// The steps of a kind, given those of black. Those of white have the opposite ranks.
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

const PAWN_TABLE: [PerSquare; 2] = steps(&[(0, -1)]);
const KNIGHT_TABLE: [PerSquare; 2] = steps(&[(-1, -2), (1, -2)]);
const SILVER_TABLE: [PerSquare; 2] = steps(&[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)]);
const GOLD_TABLE: [PerSquare; 2] = steps(&[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)]);
const KING_TABLE: PerSquare = steps(&DIRECTIONS)[0];

static PAWN: [PerSquare; 2] = PAWN_TABLE;
static KNIGHT: [PerSquare; 2] = KNIGHT_TABLE;
static SILVER: [PerSquare; 2] = SILVER_TABLE;
static GOLD: [PerSquare; 2] = GOLD_TABLE;
static KING: PerSquare = KING_TABLE;

/// The squares that a piece of this kind and side attacks (or defends) from a square, given the occupied squares.
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

/// The squares that all of `pieces`, of one kind and side, attack together.
#[inline]
pub fn attacks_of_all(
    kind: PieceKind,
    color: Color,
    pieces: Bitboard,
    occupied: Bitboard,
) -> Bitboard {
    if pieces.is_empty() {
        return pieces;
    }
    // Steps of all pieces at once.
    match kind {
        PieceKind::Pawn => pieces.ahead(color),
        PieceKind::Knight => {
            let ahead = pieces.ahead(color).ahead(color);
            ahead.left() | ahead.right()
        }
        PieceKind::Silver => {
            let (ahead, back) = (pieces.ahead(color), pieces.ahead(!color));
            ahead | (ahead | back).left() | (ahead | back).right()
        }
        kind if kind.moves_as_gold() => {
            let ahead = pieces.ahead(color);
            let row = pieces | ahead;
            ahead | row.left() | row.right() | pieces.ahead(!color)
        }
        kind => pieces
            .iter()
            .fold(Bitboard::EMPTY, |reached, from| reached | attacks(kind, color, from, occupied)),
    }
}

/// The squares that a piece of this kind attacks, by its square, if it attacks by single steps only. `None` for
/// sliders.
#[inline]
pub fn step_table(kind: PieceKind, color: Color) -> Option<&'static [Bitboard; 81]> {
    match kind {
        PieceKind::Pawn => Some(&PAWN[color.index()]),
        PieceKind::Knight => Some(&KNIGHT[color.index()]),
        PieceKind::Silver => Some(&SILVER[color.index()]),
        PieceKind::King => Some(&KING),
        kind if kind.moves_as_gold() => Some(&GOLD[color.index()]),
        _ => None,
    }
}

/// The squares from which a piece of this kind and side would attack any of `goals`.
#[inline]
pub fn reaching(kind: PieceKind, color: Color, goals: Bitboard, occupied: Bitboard) -> Bitboard {
    // In reverse from the goals, with the steps of the other side.
    attacks_of_all(kind, !color, goals, occupied)
}

/// The squares strictly between two squares on the same file, rank or diagonal; otherwise empty.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole file, rank or diagonal through two squares, including both; empty if they have none in common or are the
/// same.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// The squares that share a file, rank or diagonal with a square, without it.
#[inline]
pub fn lines_through(square: Square) -> Bitboard {
    queen_rays(square)
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
        Color::Black => falling(from, occupied),
        Color::White => rising(1, from, occupied),
    }
}

#[inline]
pub(super) fn rook(from: Square, occupied: Bitboard) -> Bitboard {
    let mirrored = up_to_lowest(MIRRORED[0][from.index()].0, occupied.0.swap_bytes());
    falling(from, occupied)
        | rising(1, from, occupied)
        | rising(3, from, occupied)
        | Bitboard(mirrored.swap_bytes())
}

#[inline]
pub(super) fn bishop(from: Square, occupied: Bitboard) -> Bitboard {
    let mirror = occupied.0.swap_bytes();
    let mirrored = up_to_lowest(MIRRORED[1][from.index()].0, mirror)
        | up_to_lowest(MIRRORED[2][from.index()].0, mirror);
    rising(5, from, occupied) | rising(7, from, occupied) | Bitboard(mirrored.swap_bytes())
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

/// The rook's and the bishop's rays together.
#[inline]
pub(super) fn queen_rays(from: Square) -> Bitboard {
    QUEEN_RAYS[from.index()]
}

/// The squares from which the rays of a slider reach a king's square or one next to it on an empty board; empty for
/// other kinds.
#[inline]
pub fn aiming_near(kind: PieceKind, color: Color, king: Square) -> Bitboard {
    let table = match kind {
        PieceKind::Lance => &AIMING_NEAR[color.index()],
        PieceKind::Bishop | PieceKind::Horse => &AIMING_NEAR[2],
        PieceKind::Rook | PieceKind::Dragon => &AIMING_NEAR[3],
        _ => return Bitboard::EMPTY,
    };
    table[king.index()]
}

/// For black and white lances, bishops and rooks.
static AIMING_NEAR: [PerSquare; 4] = {
    // In reverse from the squares reached.
    let rays = [&RAYS_TABLE[1], &RAYS_TABLE[0], &BISHOP_RAYS_TABLE, &ROOK_RAYS_TABLE];
    let mut table = [[Bitboard::EMPTY; 81]; 4];
    let mut i = 0;
    while i < 4 * 81 {
        let (slider, king) = (i / 81, i % 81);
        let mut goals = KING_TABLE[king].0 | 1 << king;
        while goals != 0 {
            table[slider][king].0 |= rays[slider][goals.trailing_zeros() as usize].0;
            goals &= goals - 1;
        }
        i += 1;
    }
    table
};

/// The squares from which pieces of one side attack a square, by their steps and by rays on an empty board.
pub(super) struct Origins {
    pub(super) pawn: Bitboard,
    pub(super) knight: Bitboard,
    pub(super) silver: Bitboard,
    pub(super) gold: Bitboard,
    pub(super) king: Bitboard,
    pub(super) lance: Bitboard,
    pub(super) bishop: Bitboard,
    pub(super) rook: Bitboard,
}

/// The squares from which pieces of a side attack a square. All sets are found by one look-up.
#[inline]
pub(super) fn origins(color: Color, to: Square) -> &'static Origins {
    &ORIGINS[color.index()][to.index()]
}

static ORIGINS: [[Origins; 81]; 2] = {
    const NONE: Origins = Origins {
        pawn: Bitboard::EMPTY,
        knight: Bitboard::EMPTY,
        silver: Bitboard::EMPTY,
        gold: Bitboard::EMPTY,
        king: Bitboard::EMPTY,
        lance: Bitboard::EMPTY,
        bishop: Bitboard::EMPTY,
        rook: Bitboard::EMPTY,
    };
    let mut table = [const { [NONE; 81] }; 2];
    let mut i = 0;
    while i < 2 * 81 {
        // In reverse from the square, with the steps of the other side.
        let (back, to) = (1 - i / 81, i % 81);
        table[i / 81][to] = Origins {
            pawn: PAWN_TABLE[back][to],
            knight: KNIGHT_TABLE[back][to],
            silver: SILVER_TABLE[back][to],
            gold: GOLD_TABLE[back][to],
            king: KING_TABLE[to],
            lance: RAYS_TABLE[back][to],
            bishop: BISHOP_RAYS_TABLE[to],
            rook: ROOK_RAYS_TABLE[to],
        };
        i += 1;
    }
    table
};

/// The squares from which a piece attacks a square by a single step; none for lance, bishop and rook.
#[inline]
pub(super) fn stepping_to(piece: Piece, to: Square) -> Bitboard {
    STEPPING[STEPS_OF[piece.index()]][to.index()]
}

/// The index of each piece's table in `STEPPING`.
static STEPS_OF: [usize; Piece::COUNT] = {
    let mut tables = [0; Piece::COUNT];
    let mut i = 0;
    while i < 2 * PieceKind::COUNT {
        let piece = Piece::new(Color::ALL[i % 2], PieceKind::ALL[i / 2]);
        let black = match piece.kind() {
            PieceKind::Lance | PieceKind::Bishop | PieceKind::Rook => 0,
            PieceKind::King | PieceKind::Horse | PieceKind::Dragon => 1,
            PieceKind::Pawn => 2,
            PieceKind::Knight => 4,
            PieceKind::Silver => 6,
            kind => {
                assert!(kind.moves_as_gold());
                8
            }
        };
        tables[piece.index()] = if black < 2 { black } else { black + i % 2 };
        i += 1;
    }
    tables
};

/// The squares from which a piece of this kind may be able to give check with its next move, with or without promotion.
/// For pieces that move by steps it is exact, except that promotion outside the camp counts. For sliders it is all
/// squares.
#[inline]
pub(super) fn may_check(kind: PieceKind, color: Color, king: Square) -> Bitboard {
    let table = match kind {
        PieceKind::Pawn => &MAY_CHECK[0],
        PieceKind::Knight => &MAY_CHECK[1],
        PieceKind::Silver => &MAY_CHECK[2],
        kind if kind.moves_as_gold() => &MAY_CHECK[3],
        _ => return Bitboard::ALL,
    };
    table[color.index()][king.index()]
}

/// For pawn, knight, silver and gold.
static MAY_CHECK: [[PerSquare; 2]; 4] = {
    let steps = [&PAWN_TABLE, &KNIGHT_TABLE, &SILVER_TABLE, &GOLD_TABLE];
    let mut table = [[[Bitboard::EMPTY; 81]; 2]; 4];
    let mut i = 0;
    while i < 4 * 2 * 81 {
        let (kind, color, king) = (i / 162, i / 81 % 2, i % 81);
        // Backwards from the king: the steps of the other side.
        let back = &steps[kind][1 - color];
        let mut checking = back[king].0 | GOLD_TABLE[1 - color][king].0;
        while checking != 0 {
            let from = back[checking.trailing_zeros() as usize];
            table[kind][color][king] = Bitboard(table[kind][color][king].0 | from.0);
            checking &= checking - 1;
        }
        i += 1;
    }
    table
};

/// No steps, those of the king, then those of pawn, knight, silver and gold, each for black and white; by the square
/// attacked.
static STEPPING: [PerSquare; 10] = {
    let [none, king] = [[Bitboard::EMPTY; 81], KING_TABLE];
    let ([p, q], [n, m]) = (PAWN_TABLE, KNIGHT_TABLE);
    let ([s, r], [g, f]) = (SILVER_TABLE, GOLD_TABLE);
    // A black piece attacks a square from the squares that a white piece of its kind on that square would attack.
    [none, king, q, p, m, n, r, s, f, g]
};

const ROOK_RAYS_TABLE: PerSquare = all_rays(0, 4);
const BISHOP_RAYS_TABLE: PerSquare = all_rays(4, 8);
static ROOK_RAYS: PerSquare = ROOK_RAYS_TABLE;
static QUEEN_RAYS: PerSquare = all_rays(0, 8);

const fn all_rays(first: usize, end: usize) -> PerSquare {
    let mut table = [Bitboard::EMPTY; 81];
    let mut from = 0;
    while from < 81 {
        let mut d = first;
        while d < end {
            table[from] = Bitboard(table[from].0 | RAYS_TABLE[d][from].0);
            d += 1;
        }
        from += 1;
    }
    table
}

/// The ray up to and including its first blocker, in a direction that raises the index.
#[inline]
fn rising(direction: usize, from: Square, occupied: Bitboard) -> Bitboard {
    Bitboard(up_to_lowest(RAYS[direction][from.index()].0, occupied.0))
}

/// The same in the direction that lowers the index within a file.
#[inline]
fn falling(from: Square, occupied: Bitboard) -> Bitboard {
    let ray = RAYS[0][from.index()].0;
    // Without a blocker bit 0 is used, which is the end of the ray or beyond it.
    let blockers = ray & occupied.0 | 1;
    Bitboard(ray & u128::MAX << blockers.ilog2())
}

/// The bits of a ray up to and including the lowest occupied one; all of them if none is occupied.
#[inline]
const fn up_to_lowest(ray: u128, occupied: u128) -> u128 {
    let blockers = ray & occupied;
    ray & (blockers ^ blockers.wrapping_sub(1))
}

/// The rays that lower the index across files, with the order of their bytes reversed. No byte has two squares of such
/// a ray, so that the index grows along the reversed ray.
static MIRRORED: [PerSquare; 3] = {
    let mut table = [[Bitboard::EMPTY; 81]; 3];
    let mut i = 0;
    while i < 3 {
        let mut from = 0;
        while from < 81 {
            table[i][from] = Bitboard(RAYS_TABLE[2 + 2 * i][from].0.swap_bytes());
            from += 1;
        }
        i += 1;
    }
    table
};

/// The targets of moves from a square that may promote: those in the camp, or all squares if the move begins in the
/// camp.
#[inline]
pub(super) fn promoting_from(color: Color, from: Square) -> Bitboard {
    PROMOTING[color.index()][from.index()]
}

static PROMOTING: [PerSquare; 2] = {
    let mut table = [[Bitboard::EMPTY; 81]; 2];
    let mut from = 0;
    while from < 81 {
        let mut i = 0;
        while i < 2 {
            let camp = Bitboard::camp_against(Color::ALL[i]);
            let inside = camp.contains(Square::known(from as u32));
            table[i][from] = if inside { Bitboard::ALL } else { camp };
            i += 1;
        }
        from += 1;
    }
    table
};

#[cfg(test)]
mod tests;
