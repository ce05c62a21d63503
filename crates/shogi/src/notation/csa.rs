//! CSA: moves (`+7776FU`), piece words (`FU`), position blocks.

mod block;

pub use block::{CsaPositionError, PositionBlock, format_position, parse_position_block};

use std::fmt;

use super::clip;
use crate::{Color, Move, Piece, PieceKind, Position, Square};

/// Why a CSA move cannot be parsed in a position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CsaMoveError {
    /// The text does not have the form of a move.
    #[error("'{token}' is no move; expected a sign, two squares and a piece, as +7776FU")]
    Form {
        /// The text.
        token: String,
    },
    /// The sign is the other side's.
    #[error("{token}: it is {to_move}'s turn")]
    WrongSide {
        /// The move.
        token: String,
        /// The side to move.
        to_move: Color,
    },
    /// No piece of the side to move is on the square that the move comes from.
    #[error("{token}: {to_move} has no piece on {from}")]
    NoPiece {
        /// The move.
        token: String,
        /// The side to move.
        to_move: Color,
        /// The square it should come from.
        from: Square,
    },
    /// The piece on the square is another one and cannot promote to the one named.
    #[error("{token}: the piece on {from} is {}, not {}", piece_word(*found), piece_word(*named))]
    WrongPiece {
        /// The move.
        token: String,
        /// The square it comes from.
        from: Square,
        /// The kind of the piece there.
        found: PieceKind,
        /// The kind named.
        named: PieceKind,
    },
    /// A drop of a kind that is never in hand.
    #[error("{token}: {} cannot be dropped", piece_word(*named))]
    Undroppable {
        /// The move.
        token: String,
        /// The kind named.
        named: PieceKind,
    },
}

/// Parses a move of the side to move: sign, squares, and the piece after the move.
///
/// Sign and piece are checked against the board. Legality is not checked; see [`Position::is_legal`].
///
/// ```
/// # use kyomi_shogi::{Position, notation::csa};
/// let position = Position::startpos();
/// let mv = csa::parse_move(&position, "+7776FU").unwrap();
/// assert_eq!(mv.to_string(), "7g7f");
/// assert_eq!(csa::format_move(&position, mv), "+7776FU");
/// assert!(csa::parse_move(&position, "+7776KI").is_err());
/// assert!(csa::parse_move(&position, "-3334FU").is_err());
/// ```
///
/// # Errors
/// If the text is not a move, or does not fit the board.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, CsaMoveError> {
    let token = || clip(text);
    let form = || CsaMoveError::Form { token: token() };
    let word = RawMove::parse(text).ok_or_else(form)?;
    let to_move = position.side_to_move();
    if word.color != to_move {
        return Err(CsaMoveError::WrongSide { token: token(), to_move });
    }
    let named = word.kind;
    let Some(from) = word.from else {
        if !named.is_droppable() {
            return Err(CsaMoveError::Undroppable { token: token(), named });
        }
        return Ok(Move::drop(named, word.to));
    };
    let piece = position.piece_on(from).filter(|piece| piece.color() == to_move);
    let Some(piece) = piece else {
        return Err(CsaMoveError::NoPiece { token: token(), to_move, from });
    };
    let found = piece.kind();
    if found == named {
        Ok(Move::normal(from, word.to, false))
    } else if found.promoted() == Some(named) {
        Ok(Move::normal(from, word.to, true))
    } else {
        Err(CsaMoveError::WrongPiece { token: token(), from, found, named })
    }
}

/// The CSA text of a move that is legal in `position`.
pub fn format_move(position: &Position, mv: Move) -> String {
    let color = position.side_to_move();
    let (from, kind) = match (mv.from(), mv.dropped()) {
        (Some(from), _) => {
            let kind = position.piece_on(from).map_or(PieceKind::Pawn, Piece::kind);
            let kind = kind.promoted().filter(|_| mv.is_promotion()).unwrap_or(kind);
            (format!("{}{}", from.file(), from.rank()), kind)
        }
        (None, kind) => ("00".to_owned(), kind.unwrap_or(PieceKind::Pawn)),
    };
    let to = mv.to();
    format!("{}{from}{}{}{}", sign(color), to.file(), to.rank(), piece_word(kind))
}

/// `+` for black, `-` for white.
pub const fn sign(color: Color) -> char {
    match color {
        Color::Black => '+',
        Color::White => '-',
    }
}

/// A move as it is written. Only its form is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawMove {
    /// The side, by its sign.
    pub color: Color,
    /// The square it comes from; `None` (written `00`) for a drop.
    pub from: Option<Square>,
    /// The square it goes to.
    pub to: Square,
    /// The piece after the move.
    pub kind: PieceKind,
}

impl RawMove {
    /// Parses exactly seven characters; `None` if they are not a move.
    pub fn parse(text: &str) -> Option<Self> {
        let &[sign, from_file, from_rank, to_file, to_rank, a, b] = text.as_bytes() else {
            return None;
        };
        let color = match sign {
            b'+' => Color::Black,
            b'-' => Color::White,
            _ => return None,
        };
        let from = match (from_file, from_rank) {
            (b'0', b'0') => None,
            _ => Some(square(from_file, from_rank)?),
        };
        let to = square(to_file, to_rank)?;
        let kind = kind_of_bytes([a, b])?;
        (from != Some(to)).then_some(Self { color, from, to, kind })
    }
}

/// Prints what [`RawMove::parse`] reads.
impl fmt::Display for RawMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, to, kind) = (sign(self.color), self.to, piece_word(self.kind));
        match self.from {
            Some(from) => write!(f, "{sign}{}{}", from.file(), from.rank())?,
            None => write!(f, "{sign}00")?,
        }
        write!(f, "{}{}{kind}", to.file(), to.rank())
    }
}

/// The square of two digits.
fn square(file: u8, rank: u8) -> Option<Square> {
    Square::new(file.checked_sub(b'0')?, rank.checked_sub(b'0')?)
}

/// The two-letter words of pieces, by [`PieceKind::index`].
const WORDS: [&str; 14] =
    ["FU", "KY", "KE", "GI", "KI", "KA", "HI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];

/// The word of a kind: `FU` for a pawn.
pub const fn piece_word(kind: PieceKind) -> &'static str {
    WORDS[kind.index()]
}

/// The kind of a word in capitals.
pub fn word_piece(word: &str) -> Option<PieceKind> {
    kind_of_bytes(word.as_bytes().try_into().ok()?)
}

fn kind_of_bytes(word: [u8; 2]) -> Option<PieceKind> {
    PieceKind::ALL.into_iter().find(|kind| WORDS[kind.index()].as_bytes() == word)
}

#[cfg(test)]
mod tests;
