//! What a piece is worth by where it stands to the kings: attackers near the enemy's, guards near the own one.

use crate::shogi::{Color, Piece, PieceKind, Square};

/// Centipawns, from black's view, of a piece on `square` for a king of `king_color` on `king`.
#[inline]
pub(super) fn bonus(piece: Piece, square: Square, king_color: Color, king: Square) -> i32 {
    let (here, there) = (COORDINATE[square.index()], COORDINATE[king.index()]);
    // The board is turned for white's pieces, so that one table serves both.
    let (offset, sign) = match piece.color() {
        Color::Black => (CENTRE + here - there, 1),
        Color::White => (CENTRE + there - here, -1),
    };
    let table = if piece.color() == king_color { &GUARD } else { &ATTACK };
    sign * i32::from(table[piece.kind().index()][offset])
}

/// A square as one number, so that the difference of two numbers tells the way between them.
static COORDINATE: [usize; 81] = {
    let mut table = [0; 81];
    let mut index = 0;
    while index < 81 {
        table[index] = (index / 9) * WIDTH + index % 9;
        index += 1;
    }
    table
};

const WIDTH: usize = 17;
const CENTRE: usize = 8 * WIDTH + 8;
const SIZE: usize = WIDTH * WIDTH;

/// `[kind][files and ranks from the enemy's king]`, for the piece's side, board seen from black.
static ATTACK: [[i16; SIZE]; PieceKind::COUNT] = relative(true);
/// `[kind][files and ranks from the own king]`.
static GUARD: [[i16; SIZE]; PieceKind::COUNT] = relative(false);

const fn relative(enemy: bool) -> [[i16; SIZE]; PieceKind::COUNT] {
    let mut table = [[0; SIZE]; PieceKind::COUNT];
    let mut kind = 0;
    while kind < PieceKind::COUNT {
        let mut index = 0;
        while index < SIZE {
            let files = (index / WIDTH) as i32 - 8;
            let ranks = (index % WIDTH) as i32 - 8;
            let aside = if files < 0 { -files } else { files } as usize;
            let kind_of = PieceKind::ALL[kind];
            table[kind][index] = if files == 0 && ranks == 0 {
                0
            } else if enemy {
                attack(kind_of, aside, ranks)
            } else {
                guard(kind_of, aside, ranks)
            };
            index += 1;
        }
        kind += 1;
    }
    table
}

/// An attacker `aside` files away and `ranks` below (black's side of) the enemy's king, which looks down at it.
const fn attack(kind: PieceKind, aside: usize, ranks: i32) -> i16 {
    let steps = if ranks < 0 { -ranks } else { ranks } as usize;
    let distance = if aside > steps { aside } else { steps };
    // Percent by distance.
    let near = [0, 100, 92, 62, 34, 16, 6, 0, 0][distance];
    let weight = match kind {
        PieceKind::Pawn => 10,
        PieceKind::Lance => 8,
        PieceKind::Silver => 38,
        PieceKind::Gold => 42,
        PieceKind::Knight | PieceKind::Bishop => 20,
        PieceKind::Rook => 26,
        PieceKind::ProPawn => 56,
        PieceKind::ProLance | PieceKind::ProKnight | PieceKind::ProSilver => 52,
        PieceKind::Horse => 60,
        PieceKind::Dragon => 70,
        PieceKind::King => 0,
    };
    // Pieces that go forward have little to say once they have passed the king.
    let passed = match kind {
        PieceKind::Pawn | PieceKind::Lance | PieceKind::Knight if ranks <= 0 => 10,
        PieceKind::Silver if ranks < 0 => 60,
        PieceKind::Gold
        | PieceKind::ProPawn
        | PieceKind::ProLance
        | PieceKind::ProKnight
        | PieceKind::ProSilver
            if ranks < 0 =>
        {
            75
        }
        _ => 100,
    };
    (weight * near * passed / 10_000) as i16
}

/// A guard `aside` files away and `ranks` below its own king; above it (negative) stands what shields it.
const fn guard(kind: PieceKind, aside: usize, ranks: i32) -> i16 {
    let steps = if ranks < 0 { -ranks } else { ranks } as usize;
    let distance = if aside > steps { aside } else { steps };
    match kind {
        PieceKind::Gold | PieceKind::Silver => {
            let near = [0, 46, 30, 12, 2, -4, -8, -10, -10][distance];
            // Before or beside the king a general guards more than behind it.
            let behind = if ranks > 0 { 14 } else { 0 };
            near - behind
        }
        PieceKind::Pawn => match (aside, ranks) {
            (0, -1) => 18,
            (0, -2) | (1, -1) => 12,
            (1, -2) => 8,
            (2, -1 | -2) => 4,
            _ => 0,
        },
        PieceKind::Knight => match (aside, ranks) {
            (1, 0 | 1) => 10,
            _ => 0,
        },
        PieceKind::Lance => match (aside, ranks) {
            (0 | 1, 0..=8) => 10,
            _ => 0,
        },
        PieceKind::Rook | PieceKind::Dragon => {
            // King and rook side by side are hit together.
            if distance <= 1 {
                -34
            } else if distance == 2 {
                -16
            } else {
                0
            }
        }
        PieceKind::Horse => [0, 50, 46, 30, 14, 4, 0, 0, 0][distance],
        PieceKind::ProPawn | PieceKind::ProLance | PieceKind::ProKnight | PieceKind::ProSilver => {
            [0, 26, 18, 8, 0, 0, 0, 0, 0][distance]
        }
        PieceKind::Bishop | PieceKind::King => 0,
    }
}
