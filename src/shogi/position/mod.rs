//! One position, with everything the move generators want to know kept ready.
//!
//! `setup` builds positions and checks them, `apply` makes and takes back moves, `legality` answers questions about
//! single moves, `declaration` counts points.

mod apply;
mod declaration;
mod legality;
mod setup;

pub use apply::Undo;
pub use declaration::{Declaration, DeclarationFault};
pub use setup::{PositionBuilder, SetupError, Unplayable};

use super::attacks;
use super::{Bitboard, Color, Hand, Move, MoveList, Piece, PieceKind, Square, movegen};

/// A position: board, hands, side to move, number of the next move; and kept ready with it the Zobrist key, the
/// pieces that give check and those that shield a king.
///
/// ```
/// # use kyomi::shogi::{Position, notation::usi};
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
    kinds: [Bitboard; PieceKind::COUNT],
    /// All that move as golds.
    golds: Bitboard,
    /// What gives check to the side to move.
    checkers: Bitboard,
    /// For each side's king: the single pieces, of either side, between it and an enemy slider.
    shields: [Bitboard; 2],
    /// Of board, hands and side to move.
    key: u64,
    hands: [Hand; 2],
    board: [Option<Piece>; 81],
    kings: [Option<Square>; 2],
    side: Color,
    /// The side not to move is in check: possible in positions set up by hand only.
    exposed: bool,
    ply: u16,
}

impl Position {
    /// The start of an even game.
    pub fn startpos() -> Self {
        super::Handicap::EVEN.position()
    }

    /// Reads an SFEN; see [`notation::sfen`](super::notation::sfen).
    ///
    /// # Errors
    /// With the column and what is wrong there.
    pub fn from_sfen(text: &str) -> Result<Self, super::notation::sfen::SfenError> {
        super::notation::sfen::parse(text)
    }

    /// The SFEN, with the number of the next move.
    pub fn to_sfen(&self) -> String {
        super::notation::sfen::format(self)
    }

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

    /// Where a side's king is; positions of mate problems may lack one.
    #[inline]
    pub fn king_square(&self, color: Color) -> Option<Square> {
        self.kings[color.index()]
    }

    /// The Zobrist key of board, hands and side to move. The number of the move is not part of it.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The key of board and side to move alone: equal for positions that differ in the hands only.
    #[inline]
    pub fn board_key(&self) -> u64 {
        use super::zobrist::whole_hand;
        self.key ^ whole_hand(Color::Black, self.hands[0]) ^ whole_hand(Color::White, self.hands[1])
    }

    /// The key computed from nothing: always equal to [`Position::key`].
    pub fn recomputed_key(&self) -> u64 {
        use super::zobrist;
        let mut key = if self.side == Color::White { zobrist::white_to_move() } else { 0 };
        for square in Square::all() {
            if let Some(piece) = self.piece_on(square) {
                key ^= zobrist::piece(piece, square);
            }
        }
        for color in Color::ALL {
            key ^= zobrist::whole_hand(color, self.hand(color));
        }
        key
    }

    /// All pieces of the board.
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
        self.kinds[kind.index()] & self.colors[color.index()]
    }

    /// All pieces of a kind.
    #[inline]
    pub fn of_kind(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// All pieces of a side that move as golds, promoted ones too.
    #[inline]
    pub fn golds(&self, color: Color) -> Bitboard {
        self.golds & self.colors[color.index()]
    }

    /// What gives check to the side to move.
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
        self.shields[color.index()] & self.colors[color.index()]
    }

    /// The pieces of a side that give check by a slider behind them if they leave their line.
    #[inline]
    pub fn discoverers(&self, color: Color) -> Bitboard {
        self.shields[(!color).index()] & self.colors[color.index()]
    }

    /// Whether the side *not* to move is in check, so that its king could be taken. Never after a legal move.
    #[inline]
    pub fn is_exposed(&self) -> bool {
        self.exposed
    }

    /// All pieces of both sides that attack a square, were just `occupied` on the board.
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.attackers_of(Color::Black, square, occupied)
            | self.attackers_of(Color::White, square, occupied)
    }

    /// The pieces of `color` that attack a square, were just `occupied` on the board.
    #[inline]
    pub fn attackers_of(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let mut found = self.step_attackers(color, square);
        for slider in self.sliders_aiming(color, square) {
            if (attacks::between(square, slider) & occupied).is_empty() {
                found = found.with(slider);
            }
        }
        found
    }

    /// Whether any piece of `by` attacks a square, were just `occupied` on the board.
    #[inline]
    pub fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        self.step_attackers(by, square).any()
            || self
                .sliders_aiming(by, square)
                .iter()
                .any(|slider| (attacks::between(square, slider) & occupied).is_empty())
    }

    /// The pieces of `color` that attack a square by a single step, horses and dragons too.
    #[inline]
    fn step_attackers(&self, color: Color, square: Square) -> Bitboard {
        let kind = |kind: PieceKind| self.kinds[kind.index()];
        let found = attacks::pawn(!color, square) & kind(PieceKind::Pawn)
            | attacks::knight(!color, square) & kind(PieceKind::Knight)
            | attacks::silver(!color, square) & kind(PieceKind::Silver)
            | attacks::gold(!color, square) & self.golds
            | attacks::king(square)
                & (kind(PieceKind::King) | kind(PieceKind::Horse) | kind(PieceKind::Dragon));
        found & self.colors[color.index()]
    }

    /// The sliders of `color` that would attack a square on an empty board. Mostly there are none or one, so that
    /// looking at what stands between is quicker than following the rays.
    #[inline]
    fn sliders_aiming(&self, color: Color, square: Square) -> Bitboard {
        let kind = |kind: PieceKind| self.kinds[kind.index()];
        let found = attacks::rook_rays(square) & (kind(PieceKind::Rook) | kind(PieceKind::Dragon))
            | attacks::bishop_rays(square) & (kind(PieceKind::Bishop) | kind(PieceKind::Horse))
            | attacks::lance_ray(!color, square) & kind(PieceKind::Lance);
        found & self.colors[color.index()]
    }

    /// All legal moves. Not promoting where one may do either is a move of its own; capturing a king is none.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        movegen::all(self, &mut list);
        list
    }

    /// How many legal moves there are, counted without listing them.
    pub fn count_legal_moves(&self) -> usize {
        movegen::count(self)
    }

    /// Whether there is any legal move. Without one the side to move has lost, in check or not.
    pub fn has_legal_move(&self) -> bool {
        movegen::any(self)
    }

    /// Whether the side to move is in check and has no legal move.
    pub fn is_checkmate(&self) -> bool {
        self.in_check() && !self.has_legal_move()
    }

    /// Adds the legal captures, and the legal promotions whether they capture or not.
    ///
    /// Together with [`Position::quiets`] and [`Position::drops`] these are all legal moves, each once, in check too.
    pub fn captures_and_promotions(&self, list: &mut MoveList) {
        movegen::captures_and_promotions(self, list);
    }

    /// Adds the legal moves on the board that neither capture nor promote.
    pub fn quiets(&self, list: &mut MoveList) {
        movegen::quiets(self, list);
    }

    /// Adds the legal drops.
    pub fn drops(&self, list: &mut MoveList) {
        movegen::drops(self, list);
    }

    /// Adds the legal answers to a check, generated from the checkers; nothing if the side to move is not in check.
    pub fn evasions(&self, list: &mut MoveList) {
        if self.in_check() {
            movegen::all(self, list);
        }
    }

    /// Adds the legal moves that give check.
    pub fn checks(&self, list: &mut MoveList) {
        movegen::checks(self, list);
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Position({})", self.to_sfen())
    }
}

#[cfg(test)]
mod tests;
