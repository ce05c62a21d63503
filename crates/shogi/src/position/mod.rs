//! One position, with the data that move generators need.
//!
//! `setup` builds and checks positions, `apply` makes moves and takes them back, `legality` tests single moves, and
//! `declaration` tells whether an entered king
//! wins.

mod apply;
mod declaration;
mod legality;
mod setup;

pub use apply::Undo;
pub use declaration::{Declaration, DeclarationFault};
pub use setup::{PositionBuilder, SetupError, Unplayable};

use std::hash::{Hash, Hasher};

use super::attacks;
use super::{Bitboard, Color, Hand, Move, Piece, PieceKind, Square, zobrist};

/// A position: board, hands, side to move, and number of the next move. It also stores its Zobrist key, the pieces that
/// give check, and those that block lines to a king (king blockers).
///
/// Two positions are equal, and have the same hash, if their SFENs are equal: board, hands, side to move and the number
/// of the next move. Repetition and [`Position::key`] ignore the number.
///
/// ```
/// # use kyomi_shogi::{Position, notation::usi};
/// let mut position = Position::startpos();
/// assert_eq!(position.legal_moves().len(), 30);
/// let before = position.clone();
/// let mv = usi::parse_move("7g7f").unwrap();
/// let undo = position.do_move(mv);
/// assert_eq!(
///     position.to_sfen(),
///     "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2"
/// );
/// position.undo_move(mv, undo);
/// assert_eq!(position, before);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Position {
    colors: [Bitboard; 2],
    /// Indexed by [`Piece::kind_bits`], which needs no look-up of the kind. The first set has all pieces that move as
    /// golds.
    kinds: [Bitboard; 16],
    /// The pieces that give check to the side to move.
    checkers: Bitboard,
    /// For each side's king: the pieces of either side that are the only one between it and an enemy slider.
    king_blockers: [Bitboard; 2],
    /// Key of board and side to move.
    board_key: u64,
    /// Key of both hands.
    hand_key: u64,
    hands: [Hand; 2],
    board: [Option<Piece>; 81],
    /// The index of each king's square; [`NO_KING`] if it is missing.
    kings: [u8; 2],
    side: Color,
    /// Whether the side not to move is in check, which occurs only in set-up positions.
    exposed: bool,
    ply: u16,
}

/// An index that is no square.
const NO_KING: u8 = 81;

impl Position {
    /// The side whose turn it is.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// The number of the next move, 1 at the start of a game.
    pub fn ply(&self) -> u16 {
        self.ply
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// A side's hand.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color.index()]
    }

    /// The square of a side's king; `None` if it is missing, as in mate problems.
    #[inline]
    pub fn king_square(&self, color: Color) -> Option<Square> {
        Square::from_index(self.kings[color.index()].into())
    }

    /// The Zobrist key of board, hands and side to move. The number of the move is not part of it.
    #[inline]
    pub fn key(&self) -> u64 {
        self.board_key ^ self.hand_key
    }

    /// The key of board and side to move alone. It is equal for positions that differ only in the hands.
    #[inline]
    pub fn board_key(&self) -> u64 {
        self.board_key
    }

    /// The key, recomputed. It is always equal to [`Position::key`].
    pub fn recomputed_key(&self) -> u64 {
        self.recomputed_board_key() ^ self.recomputed_hand_key()
    }

    fn recomputed_board_key(&self) -> u64 {
        let start = if self.side == Color::White { zobrist::white_to_move() } else { 0 };
        let placed = Square::all().filter_map(|square| Some((self.piece_on(square)?, square)));
        placed.fold(start, |key, (piece, square)| key ^ zobrist::piece(piece, square))
    }

    fn recomputed_hand_key(&self) -> u64 {
        Color::ALL
            .into_iter()
            .fold(0, |key, color| key ^ zobrist::whole_hand(color, self.hand(color)))
    }

    /// The squares of all pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// All pieces of a side.
    #[inline]
    pub fn of_color(&self, color: Color) -> Bitboard {
        self.colors[color.index()]
    }

    /// All pieces of a kind and a side.
    #[inline]
    pub fn pieces(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.of_kind(kind) & self.colors[color.index()]
    }

    /// All pieces of a kind.
    #[inline]
    pub fn of_kind(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index() + 1]
    }

    /// All pieces of a side that move as golds, including promoted ones.
    #[inline]
    pub fn golds(&self, color: Color) -> Bitboard {
        self.all_golds() & self.colors[color.index()]
    }

    #[inline]
    fn all_golds(&self) -> Bitboard {
        self.kinds[0]
    }

    /// The pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The pieces of a side that are pinned: they may move only on the line with their own king.
    #[inline]
    pub fn pinned(&self, color: Color) -> Bitboard {
        self.king_blockers[color.index()] & self.colors[color.index()]
    }

    /// The pieces of a side that give check by a slider behind them if they leave their line.
    #[inline]
    pub fn discoverers(&self, color: Color) -> Bitboard {
        self.king_blockers[(!color).index()] & self.colors[color.index()]
    }

    /// Whether the side *not* to move is in check, so that its king could be captured. This is never so after a legal
    /// move.
    #[inline]
    pub fn is_exposed(&self) -> bool {
        self.exposed
    }

    /// Those of `sliders` without a piece between them and a square, if exactly the squares `occupied` are occupied.
    #[inline]
    pub fn open_to(square: Square, sliders: Bitboard, occupied: Bitboard) -> Bitboard {
        let open = |slider: &Square| (attacks::between(square, *slider) & occupied).is_empty();
        sliders.iter().filter(open).collect()
    }

    /// The pieces of `color` that attack a square, if exactly the squares `occupied` are occupied.
    #[inline]
    pub fn attackers_of(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let found = self.step_attackers(color, square);
        let sliders = self.sliders_aiming(color, square);
        if sliders.is_empty() { found } else { found | Self::open_to(square, sliders, occupied) }
    }

    /// Whether any piece of `by` attacks a square, if exactly the squares `occupied` are occupied.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        self.step_attackers(by, square).any() || self.is_aimed_at(square, by, occupied)
    }

    /// The squares that pieces of `color` attack by a single step, including horses and dragons. They are computed for
    /// all pieces at once by shifting sets.
    #[inline]
    pub fn steps(&self, color: Color) -> Bitboard {
        let all = |kind: PieceKind| self.pieces(color, kind);
        let (silvers, golds) = (all(PieceKind::Silver), self.golds(color));
        let round = all(PieceKind::King) | all(PieceKind::Horse) | all(PieceKind::Dragon);
        let flat = golds | round;
        // The left and right neighbours of these squares are attacked as well.
        let ahead = (flat | silvers).ahead(color);
        let back = (silvers | round).ahead(!color);
        all(PieceKind::Pawn).ahead(color)
            | all(PieceKind::Knight).knight_jumps(color)
            | ahead
            | flat.ahead(!color)
            | (ahead | flat | back).sides()
    }

    /// Whether a slider of `by` attacks a square, if exactly the squares `occupied` are occupied.
    #[inline]
    pub fn is_aimed_at(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        self.sliders_aiming(by, square)
            .iter()
            .any(|slider| (attacks::between(square, slider) & occupied).is_empty())
    }

    /// The pieces of `color` that attack a square by a single step, including horses and dragons.
    #[inline]
    fn step_attackers(&self, color: Color, square: Square) -> Bitboard {
        let kind = |kind: PieceKind| self.of_kind(kind);
        let from = attacks::origins(color, square);
        let found = from.pawn & kind(PieceKind::Pawn)
            | from.knight & kind(PieceKind::Knight)
            | from.silver & kind(PieceKind::Silver)
            | from.gold & self.all_golds()
            | from.king
                & (kind(PieceKind::King) | kind(PieceKind::Horse) | kind(PieceKind::Dragon));
        found & self.colors[color.index()]
    }

    /// The sliders of `color` that would attack a square on an empty board. Usually there are none or one, so that
    /// testing the squares between is faster than computing rays.
    #[inline]
    pub fn sliders_aiming(&self, color: Color, square: Square) -> Bitboard {
        let kind = |kind: PieceKind| self.of_kind(kind);
        let from = attacks::origins(color, square);
        let found = from.rook & (kind(PieceKind::Rook) | kind(PieceKind::Dragon))
            | from.bishop & (kind(PieceKind::Bishop) | kind(PieceKind::Horse))
            | from.lance & kind(PieceKind::Lance);
        found & self.colors[color.index()]
    }

    /// The pieces of a side that would be pinned to its king on `king`, if the squares `occupied` were occupied and the
    /// pieces outside `left` removed or replaced.
    pub fn pinned_when(
        &self,
        color: Color,
        king: Square,
        occupied: Bitboard,
        left: Bitboard,
    ) -> Bitboard {
        let mut pinned = Bitboard::EMPTY;
        for slider in self.sliders_aiming(!color, king) & left {
            let blockers = attacks::between(king, slider) & occupied;
            if !blockers.more_than_one() {
                pinned |= blockers & self.colors[color.index()] & left;
            }
        }
        pinned
    }
}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Equal positions have equal keys.
        self.key().hash(state);
        self.ply.hash(state);
    }
}

#[cfg(test)]
mod tests;
