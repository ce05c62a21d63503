//! The inputs of the network: pieces on squares, pieces in hand.
//!
//! From the view of a side, an input is `[own, enemy][kind][square]` or `[own, enemy][n-th piece of a kind in hand]`. A
//! promoted pawn, lance, knight or silver is the same kind as a gold. A hand with n pieces of a kind has the inputs of
//! the first to the n-th. So a position has one input for each of its pieces, at most 40.

use super::super::layout::View;
use kyomi_shogi::{Color, Piece, PieceKind, Position, Square};

/// Pawn, lance, knight, silver, gold, bishop, rook, horse, dragon, king.
const KINDS: usize = 10;
/// The number of pieces that a hand can have.
const HELD: usize = 38;
/// The first input of pieces in hand.
const HANDS: usize = 2 * KINDS * Square::COUNT;
/// The number of inputs of a view.
pub const INPUTS: usize = HANDS + 2 * HELD;
/// The largest number of inputs that a position has.
pub(super) const MOST: usize = 40;

/// Visits the inputs of a position from black's view.
pub(super) fn visit_inputs(position: &Position, mut visit: impl FnMut(u16)) {
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            visit(on_board(piece, square));
        }
    }
    for color in Color::ALL {
        for (kind, count) in position.hand(color).iter() {
            for nth in 1..=count {
                visit(in_hand(color, kind, nth));
            }
        }
    }
}

/// The input of a piece on a square, from black's view.
#[inline]
pub(in crate::eval) fn on_board(piece: Piece, square: Square) -> u16 {
    FIRST[piece.index()] + square.index() as u16
}

/// The input of the n-th piece of a kind in a hand, from black's view.
#[inline]
pub(in crate::eval) fn in_hand(color: Color, kind: PieceKind, nth: u8) -> u16 {
    let first = HANDS + color.index() * HELD;
    first as u16 + HAND_FIRST[kind.index() % HAND_FIRST.len()] + u16::from(nth) - 1
}

/// The number of the first piece of each kind in hand.
static HAND_FIRST: [u16; 8] = [0, 18, 22, 26, 30, 34, 36, 0];

/// `[piece]`: the input of the piece on the first square, from black's view.
static FIRST: [u16; Piece::COUNT] = {
    let mut table = [0; Piece::COUNT];
    let mut i = 0;
    while i < 2 * PieceKind::COUNT {
        let (color, kind) = (Color::ALL[i % 2], PieceKind::ALL[i / 2]);
        let row = match kind {
            PieceKind::Pawn => 0,
            PieceKind::Lance => 1,
            PieceKind::Knight => 2,
            PieceKind::Silver => 3,
            PieceKind::Bishop => 5,
            PieceKind::Rook => 6,
            PieceKind::Horse => 7,
            PieceKind::Dragon => 8,
            PieceKind::King => 9,
            // Golds, and promoted pieces that move as golds.
            _ => 4,
        };
        let row = color.index() * KINDS + row;
        table[Piece::new(color, kind).index()] = (row * Square::COUNT) as u16;
        i += 1;
    }
    table
};

/// The view of a side, which depends on the square of its king: the symmetry of the board, and the king's square after
/// it, one of 45.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KingView {
    pub(super) symmetry: u8,
    pub(super) king: u8,
}

impl KingView {
    /// The view of a side with its king on a square. A missing king (in mate problems) counts as on its first square.
    #[inline]
    pub(super) fn of(color: Color, king: Option<Square>) -> Self {
        let view = View::new(color, king);
        Self { symmetry: view.symmetry() as u8, king: view.king() as u8 }
    }

    /// Whether the other view maps all inputs to the same rows.
    #[inline]
    pub(super) fn has_same_rows_as(self, other: Self, zones: KingZones) -> bool {
        self.symmetry == other.symmetry && zones.of(self.king) == zones.of(other.king)
    }

    /// The number of an input of black's view in this view, without its zone.
    #[inline]
    pub(super) fn input(self, input: u16) -> u16 {
        VIEW_INPUTS[usize::from(self.symmetry % 4)][usize::from(input) % INPUTS]
    }

    /// The first row of the first layer for this view.
    #[inline]
    pub(super) fn first_row(self, zones: KingZones) -> u32 {
        zones.of(self.king) * INPUTS as u32
    }
}

/// `[turned, mirrored][input of black's view]`.
static VIEW_INPUTS: [[u16; INPUTS]; 4] = {
    let mut table = [[0; INPUTS]; 4];
    let mut i = 0;
    while i < 4 * INPUTS {
        let (symmetry, input) = (i / INPUTS, i % INPUTS);
        let turned = symmetry >= 2;
        table[symmetry][input] = if input < HANDS {
            let (row, square) = (input / Square::COUNT, input % Square::COUNT);
            let row = if turned { (row + KINDS) % (2 * KINDS) } else { row };
            let (file, rank) = (square / 9, square % 9);
            let (file, rank) = if turned { (8 - file, 8 - rank) } else { (file, rank) };
            let file = if symmetry % 2 == 1 { 8 - file } else { file };
            row * Square::COUNT + file * 9 + rank
        } else if turned {
            HANDS + (input - HANDS + HELD) % (2 * HELD)
        } else {
            input
        } as u16;
        i += 1;
    }
    table
};

/// The zones of a king's square. Each has its own set of weights of the first layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KingZones {
    /// All squares.
    One,
    /// The middle of the two home ranks, the side of the two home ranks, all other ranks.
    Three,
    /// Six parts of the two home ranks, and three pairs or triples of the other ranks.
    Nine,
}

impl KingZones {
    /// The zones with this number.
    pub const fn with_count(count: usize) -> Option<Self> {
        match count {
            1 => Some(Self::One),
            3 => Some(Self::Three),
            9 => Some(Self::Nine),
            _ => None,
        }
    }

    /// The number of zones.
    pub const fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::Three => 3,
            Self::Nine => 9,
        }
    }

    /// The zone of a king's square, one of 45.
    #[inline]
    fn of(self, king: u8) -> u32 {
        let king = usize::from(king);
        u32::from(match self {
            Self::One => 0,
            Self::Three => THREE[king % THREE.len()],
            Self::Nine => NINE[king % NINE.len()],
        })
    }
}

/// `[file][rank]`, from the corner that the king is nearer to and from the enemy's home rank.
static THREE: [u8; 45] = zone_table([[1, 1], [1, 1], [1, 1], [0, 0], [0, 0]], [2; 7]);
static NINE: [u8; 45] = zone_table([[5, 5], [4, 5], [3, 3], [2, 1], [0, 0]], [8, 8, 8, 7, 7, 6, 6]);

/// The zones of the two home ranks, for each file from the corner, and of the other ranks.
const fn zone_table(home: [[u8; 2]; 5], others: [u8; 7]) -> [u8; 45] {
    let mut table = [0; 45];
    let mut i = 0;
    while i < table.len() {
        let (file, rank) = (i / 9, i % 9);
        table[i] = if rank < 7 { others[rank] } else { home[file][rank - 7] };
        i += 1;
    }
    table
}
