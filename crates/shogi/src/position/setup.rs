//! Building and checking positions.

use super::{Bitboard, Color, Hand, NO_KING, Piece, PieceKind, Position, Square};

/// A builder of positions: board, hands, side to move, and number of the next move.
///
/// ```
/// # use kyomi_shogi::{Color, Piece, PieceKind, PositionBuilder, Square};
/// let mut builder = PositionBuilder::new();
/// builder.put(Square::new(5, 1).unwrap(), Piece::new(Color::White, PieceKind::King));
/// builder.put(Square::new(5, 3).unwrap(), Piece::new(Color::Black, PieceKind::Pawn));
/// builder.set_hand(Color::Black, PieceKind::Gold, 1);
/// let position = builder.build().unwrap();
/// assert_eq!(position.to_sfen(), "4k4/9/4P4/9/9/9/9/9/9 b G 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionBuilder {
    board: [Option<Piece>; 81],
    /// `[color][kind]`
    hands: [[u8; 7]; 2],
    side: Color,
    ply: u16,
}

/// Why pieces are not a valid position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// A side has more than one king.
    #[error("{color} has a second king on {square}; take one away")]
    TwoKings {
        /// The side.
        color: Color,
        /// The square of the second one.
        square: Square,
    },
    /// A piece that could never move.
    #[error("the {color} {} on {square} could never move; promote it or place it elsewhere", kind.name())]
    DeadSquare {
        /// The piece's side.
        color: Color,
        /// The piece's kind.
        kind: PieceKind,
        /// Its square.
        square: Square,
    },
    /// More pieces of a kind than a set has, on the board and in hands, including promoted ones.
    #[error("there are {count} {}s on the board and in hand; a set has {}", kind.name(), kind.total())]
    TooMany {
        /// The unpromoted kind.
        kind: PieceKind,
        /// Their number.
        count: u32,
    },
}

/// Why no game can start from a position, although moves can be made in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    /// A side has no king.
    #[error("{0} has no king; a game needs both")]
    NoKing(Color),
    /// The side not to move is in check.
    #[error("{0} is in check but it is not its turn; the king could be captured")]
    Exposed(Color),
    /// Two unpromoted pawns of one side on one file.
    #[error("{color} has a second pawn on file {file}; only one is allowed")]
    TwoPawns {
        /// The pawns' side.
        color: Color,
        /// The file, 1 to 9.
        file: u8,
    },
}

impl Default for PositionBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl PositionBuilder {
    /// An empty board, empty hands, black to move, move 1.
    pub const fn new() -> Self {
        Self { board: [None; 81], hands: [[0; 7]; 2], side: Color::Black, ply: 1 }
    }

    /// Puts a piece on a square and replaces a piece there.
    pub fn put(&mut self, square: Square, piece: Piece) -> &mut Self {
        self.board[square.index()] = Some(piece);
        self
    }

    /// Empties a square.
    pub fn clear(&mut self, square: Square) -> &mut Self {
        self.board[square.index()] = None;
        self
    }

    /// The piece on a square.
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// Sets the number of pieces of a kind in a hand. Promoted kinds and kings are never in hand and change nothing.
    pub fn set_hand(&mut self, color: Color, kind: PieceKind, count: u8) -> &mut Self {
        if let Some(held) = self.hands[color.index()].get_mut(kind.index()) {
            *held = count;
        }
        self
    }

    /// The number of pieces of a kind in a hand.
    pub fn hand_count(&self, color: Color, kind: PieceKind) -> u8 {
        self.hands[color.index()].get(kind.index()).copied().unwrap_or(0)
    }

    /// Sets the side to move.
    pub fn set_side(&mut self, side: Color) -> &mut Self {
        self.side = side;
        self
    }

    /// Sets the number of the next move; 0 means 1.
    pub fn set_ply(&mut self, ply: u16) -> &mut Self {
        self.ply = ply.max(1);
        self
    }

    /// The total number of pieces of an unpromoted kind, including promoted ones.
    pub fn count(&self, kind: PieceKind) -> u32 {
        let on_board = self.board.iter().flatten();
        let on_board = on_board.filter(|piece| piece.kind().unpromoted() == kind).count() as u32;
        let in_hands = Color::ALL.map(|color| u32::from(self.hand_count(color, kind)));
        on_board + in_hands[0] + in_hands[1]
    }

    /// Builds the position. Kings may be missing, either side may be in check, and a file may have two pawns of a side;
    /// see [`Position::check_playable`].
    ///
    /// # Errors
    /// If a side has two kings, a piece could never move, or there are more pieces than a set has.
    pub fn build(&self) -> Result<Position, SetupError> {
        self.check()?;
        let mut hands = [Hand::EMPTY; 2];
        for color in Color::ALL {
            for kind in PieceKind::HAND {
                hands[color.index()] =
                    hands[color.index()].with(kind, self.hand_count(color, kind));
            }
        }
        let mut position = Position {
            colors: [Bitboard::EMPTY; 2],
            kinds: [Bitboard::EMPTY; 16],
            checkers: Bitboard::EMPTY,
            king_blockers: [Bitboard::EMPTY; 2],
            board_key: 0,
            hand_key: 0,
            hands,
            board: [None; 81],
            kings: [NO_KING; 2],
            side: self.side,
            exposed: false,
            ply: self.ply,
        };
        for square in Square::all() {
            if let Some(piece) = self.piece_on(square) {
                position.put(square, piece);
            }
        }
        position.board_key = position.recomputed_board_key();
        position.hand_key = position.recomputed_hand_key();
        position.refresh();
        let waiting = !self.side;
        position.exposed = position
            .king_square(waiting)
            .is_some_and(|king| position.is_attacked(king, self.side, position.occupied()));
        Ok(position)
    }

    fn check(&self) -> Result<(), SetupError> {
        let mut kings = [0; 2];
        for square in Square::all() {
            let Some(piece) = self.piece_on(square) else { continue };
            let (color, kind) = (piece.color(), piece.kind());
            if square.rank_for(color) <= kind.dead_ranks() {
                return Err(SetupError::DeadSquare { color, kind, square });
            }
            if kind == PieceKind::King {
                kings[color.index()] += 1;
                if kings[color.index()] > 1 {
                    return Err(SetupError::TwoKings { color, square });
                }
            }
        }
        for kind in PieceKind::HAND {
            let count = self.count(kind);
            if count > u32::from(kind.total()) {
                return Err(SetupError::TooMany { kind, count });
            }
        }
        Ok(())
    }
}

impl From<&Position> for PositionBuilder {
    fn from(position: &Position) -> Self {
        let mut builder = Self::new();
        builder.board = position.board;
        builder.side = position.side;
        builder.ply = position.ply;
        for color in Color::ALL {
            for (kind, count) in position.hand(color).iter() {
                builder.set_hand(color, kind, count);
            }
        }
        builder
    }
}

impl Position {
    /// The same position from the other side: the board turned by half a circle, the colours exchanged.
    ///
    /// ```
    /// # use kyomi_shogi::Position;
    /// let position = Position::from_sfen("4k4/9/9/9/9/9/9/7R1/K8 b P 3").unwrap();
    /// assert_eq!(position.rotated().to_sfen(), "8k/1r7/9/9/9/9/9/9/4K4 w p 3");
    /// ```
    #[must_use]
    pub fn rotated(&self) -> Self {
        let mut builder = PositionBuilder::new();
        for square in Square::all() {
            if let Some(piece) = self.piece_on(square) {
                builder.put(square.rotated(), Piece::new(!piece.color(), piece.kind()));
            }
        }
        for color in Color::ALL {
            for (kind, count) in self.hand(color).iter() {
                builder.set_hand(!color, kind, count);
            }
        }
        builder.set_side(!self.side).set_ply(self.ply);
        builder.build().expect("a position that is turned has the same pieces")
    }

    /// Whether a game can start from this position: both kings exist, the side not to move is not in check, and no file
    /// has two pawns of a side. The side to move may still have no legal move; see [`Position::has_legal_move`].
    ///
    /// # Errors
    /// The condition that is not met.
    pub fn check_playable(&self) -> Result<(), Unplayable> {
        for color in Color::ALL {
            if self.king_square(color).is_none() {
                return Err(Unplayable::NoKing(color));
            }
        }
        if self.exposed {
            return Err(Unplayable::Exposed(!self.side));
        }
        let mut pawns = [[0; 10]; 2];
        for color in Color::ALL {
            for square in self.pieces(color, PieceKind::Pawn) {
                let count = &mut pawns[color.index()][usize::from(square.file())];
                *count += 1;
                if *count > 1 {
                    return Err(Unplayable::TwoPawns { color, file: square.file() });
                }
            }
        }
        Ok(())
    }
}
