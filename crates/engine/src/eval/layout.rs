//! The numbers of the features.
//!
//! A feature is a property of a position from the view of one side. Its weight counts for that side and against the
//! other. Squares are from the view of the side: the board is turned for white, and mirrored if the side's king is on
//! its files 6 to 9, so that the king is on one of 45 squares.

use kyomi_shogi::{Color, Piece, PieceKind, Square};

/// Squares that a king may be on after the board is mirrored.
pub const KINGS: usize = 45;
/// Pieces on the board with a king: own and enemy's, 14 kinds each. The own king occurs on its own square only.
pub const PIECES_BY_SIDE: usize = 2 * PieceKind::COUNT;
/// Numbers of pieces of a kind in hand, 0 to 18.
pub const COUNTS: usize = 19;

/// `[king][own, enemy][kind][square]`: a piece of the board.
pub const PIECES: usize = 0;
/// `[king][own, enemy][kind][count]`: this number of pieces in hand; 0 has no weight.
pub const HANDS: usize = PIECES + KINGS * PIECES_BY_SIDE * Square::COUNT;
/// `[king's rank][file beside the king][attacked, guarded, filled]`: three squares of a file around the king.
pub const COLUMNS: usize = HANDS + KINGS * 2 * 7 * COUNTS;
/// `[file beside the king][attacked twice, guarded twice, attacked]`.
pub const DOUBLE_ATTACKS: usize = COLUMNS + 4 * 3 * 512;
/// `[unguarded attacked squares][squares attacked twice][escapes][strength of the enemy's hand]`.
pub const DANGER: usize = DOUBLE_ATTACKS + 3 * 512;
/// `[kind in the enemy's hand][attacked holes][escapes][other holes]`.
pub const DROPS: usize = DANGER + 7 * 5 * 6 * 6;
/// `[set of the nine squares around the king with a gold]`, including promoted pieces that move as golds.
pub const GOLDS: usize = DROPS + 7 * DROP_KEYS;
/// The same for silvers.
pub const SILVERS: usize = GOLDS + 512;
/// `[lance, bishop, rook, horse, dragon][free squares]`.
pub const MOBILITY: usize = SILVERS + 512;
/// `[to move or not][kind]`: a piece that is attacked and not guarded.
pub const HANGING: usize = MOBILITY + 5 * FREE;
/// The same: a piece that is guarded, but attacked by a pawn.
pub const ATTACKED_BY_PAWN: usize = HANGING + 2 * PieceKind::COUNT;
/// The same: a bishop, rook, horse or dragon that is guarded, but attacked by a lesser piece other than a pawn.
pub const ATTACKED_BY_LESSER: usize = ATTACKED_BY_PAWN + 2 * PieceKind::COUNT;
/// `[kind]`: a piece pinned to its king.
pub const PINNED: usize = ATTACKED_BY_LESSER + 2 * PieceKind::COUNT;
/// The side to move.
pub const TEMPO: usize = PINNED + PieceKind::COUNT;
/// `[kind][offset][rank][own, enemy][kind]`: a piece on this rank, and another piece at this relative place.
pub const PAIRS: usize = TEMPO + 1;
/// The number of features.
pub const FEATURES: usize = PAIRS + PieceKind::COUNT * RELATIVE_PLACES * RANKS * OTHER_PIECES;

/// Relative places of a piece near another one: zero to two files aside, each with two ranks ahead to two behind.
pub const RELATIVE_PLACES: usize = 3 * 5;
/// Ranks that the first piece of a pair may be on.
pub const RANKS: usize = 9;
/// Second pieces of a pair: own and enemy's, 14 kinds each.
pub const OTHER_PIECES: usize = 2 * PieceKind::COUNT;

/// The number of weights of each kind that may be dropped: by attacked holes, escapes and other holes around a king.
pub const DROP_KEYS: usize = 4 * 5 * 4;
/// Free squares of a slider, 0 to 20.
pub const FREE: usize = 21;

/// The view of one side, which depends on the square of its king.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    color: Color,
    king: KingPlace,
}

/// The data of a king's square, from the view of its side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KingPlace {
    /// The first feature of pieces on the board with the king on this square.
    pieces: u32,
    /// The first feature of hands with the king on this square.
    hands: u32,
    /// Index into the tables of symmetries: 2 if the board is turned, plus 1 if it is mirrored.
    symmetry: u8,
    /// Its rank from the home rank, 0 to 8.
    rank: u8,
}

impl View {
    /// The view of a side with its king on a square. A missing king (in mate problems) counts as on its first square.
    #[inline]
    pub(super) fn new(color: Color, king: Option<Square>) -> Self {
        let at = king.map_or_else(|| HOME[color.index()], Square::index);
        Self { color, king: KING_PLACES[color.index()][at] }
    }

    /// The index of the symmetry, 0 to 3.
    #[inline]
    pub(super) fn symmetry(self) -> usize {
        usize::from(self.king.symmetry)
    }

    /// The king's square in this view, one of [`KINGS`].
    #[inline]
    pub(super) fn king(self) -> usize {
        (self.king.pieces as usize - PIECES) / (PIECES_BY_SIDE * Square::COUNT)
    }

    /// The king's rank from its home rank, 0 to 8.
    #[inline]
    pub(super) fn rank_from_home(self) -> usize {
        usize::from(self.king.rank)
    }

    /// The feature of a piece on a square. The own king on its own square has one as well.
    #[inline]
    pub(super) fn piece(self, piece: Piece, square: Square) -> usize {
        self.row(piece).feature(square)
    }

    /// The features of a piece on all squares.
    #[inline]
    pub(super) fn row(self, piece: Piece) -> Row {
        let row = ROWS[self.color.index()][piece.index()];
        let first = self.king.pieces as usize + usize::from(row);
        Row { first, squares: &SQUARES[self.symmetry()] }
    }

    /// The feature of a number of pieces in a hand.
    #[inline]
    pub(super) fn hand(self, color: Color, kind: PieceKind, count: u8) -> usize {
        let beside = usize::from(color != self.color) * 7 + kind.index();
        self.king.hands as usize + beside * COUNTS + usize::from(count)
    }
}

/// The features of one piece on all squares, from the view of one side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    first: usize,
    /// Each square from the view of the side.
    squares: &'static [u8; 81],
}

impl Row {
    /// The feature of the piece on a square.
    #[inline]
    pub(super) fn feature(&self, square: Square) -> usize {
        self.first + usize::from(self.squares[square.index()])
    }
}

/// `[color][piece]`: the first feature of a piece among those with a king of that color.
static ROWS: [[u16; Piece::COUNT]; 2] = {
    let mut table = [[0; Piece::COUNT]; 2];
    let mut i = 0;
    while i < 4 * PieceKind::COUNT {
        let (side, color, kind) = (i % 2, i / 2 % 2, i / 4);
        let piece = Piece::new(Color::ALL[color], PieceKind::ALL[kind]);
        let beside = if side == color { kind } else { PieceKind::COUNT + kind };
        table[side][piece.index()] = (beside * Square::COUNT) as u16;
        i += 1;
    }
    table
};

/// The first squares of the kings.
const HOME: [usize; 2] = [4 * 9 + 8, 4 * 9];

/// `[turned, mirrored][square]`.
static SQUARES: [[u8; 81]; 4] = {
    let mut table = [[0; 81]; 4];
    let mut i = 0;
    while i < 4 * 81 {
        let (symmetry, square) = (i / 81, i % 81);
        let (file, rank) = (square / 9, square % 9);
        let (file, rank) = if symmetry >= 2 { (8 - file, 8 - rank) } else { (file, rank) };
        let file = if symmetry % 2 == 1 { 8 - file } else { file };
        table[symmetry][square] = (file * 9 + rank) as u8;
        i += 1;
    }
    table
};

/// `[color][king]`.
static KING_PLACES: [[KingPlace; 81]; 2] = {
    let mut table = [[KingPlace { pieces: 0, hands: 0, symmetry: 0, rank: 0 }; 81]; 2];
    let mut i = 0;
    while i < 2 * 81 {
        let (color, square) = (i / 81, i % 81);
        let (file, rank) = (square / 9, square % 9);
        let (file, rank) = if color == 1 { (8 - file, 8 - rank) } else { (file, rank) };
        let mirrored = file > 4;
        let king = if mirrored { 8 - file } else { file } * 9 + rank;
        table[color][square] = KingPlace {
            pieces: (PIECES + king * PIECES_BY_SIDE * Square::COUNT) as u32,
            hands: (HANDS + king * 14 * COUNTS) as u32,
            symmetry: (2 * color + mirrored as usize) as u8,
            rank: (8 - rank) as u8,
        };
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_turned_for_white_and_mirrored_for_a_king_on_the_left() {
        let square = |file, rank| Square::new(file, rank).unwrap();
        let black = View::new(Color::Black, Some(square(2, 8)));
        let mirrored = View::new(Color::Black, Some(square(8, 8)));
        let white = View::new(Color::White, Some(square(8, 2)));
        let white_mirrored = View::new(Color::White, Some(square(2, 2)));
        let of = |view: View, color, file, rank| {
            view.piece(Piece::new(color, PieceKind::Gold), square(file, rank))
        };
        let feature = of(black, Color::Black, 4, 9);
        assert_eq!(feature, of(mirrored, Color::Black, 6, 9));
        assert_eq!(feature, of(white, Color::White, 6, 1));
        assert_eq!(feature, of(white_mirrored, Color::White, 4, 1));
        assert_ne!(feature, of(black, Color::White, 4, 9));
        assert_eq!(black.rank_from_home(), 1);
        assert_eq!(white.rank_from_home(), 1);
        assert_eq!(View::new(Color::White, None), View::new(Color::White, Some(square(5, 1))));
    }

    #[test]
    fn pieces_and_hands_have_distinct_features() {
        let mut seen = vec![0; COLUMNS];
        for king in Square::all().filter(|square| square.file() <= 5) {
            let view = View::new(Color::Black, Some(king));
            for color in Color::ALL {
                for kind in PieceKind::ALL {
                    for square in Square::all() {
                        seen[view.piece(Piece::new(color, kind), square)] += 1;
                    }
                }
                for kind in PieceKind::HAND {
                    for count in 0..COUNTS as u8 {
                        seen[view.hand(color, kind, count)] += 1;
                    }
                }
            }
        }
        assert!(seen.iter().all(|times| *times == 1));
    }
}
