//! What follows the packed position in a row: score, move, number of the move, result.

use super::code::CodeSet;
use super::position::BYTES;
use crate::Winner;
use kyomi_shogi::{Color, Move, PieceKind, Square};

/// A binary format that has a row for each move.
#[derive(Debug)]
pub(crate) struct RowLayout {
    /// The codes of its positions.
    pub(crate) codes: CodeSet,
    /// Whether its rows have the number of the move, after the move.
    pub(crate) has_ply: bool,
    pub(crate) move_bits: MoveBits,
    pub(crate) result: ResultCode,
    /// What a file of this format has, for messages.
    pub(crate) expected: &'static str,
}

/// The bits of a move: 0 to 6 are the square it goes to, 7 to 13 the square it comes from. A drop has a number in
/// place of the latter.
#[derive(Debug)]
pub(crate) struct MoveBits {
    /// The number of the first kind of [`DROPS`].
    pub(crate) first_drop: usize,
    /// The bit that is set for drops; 0 if the number alone shows them.
    pub(crate) drop: u16,
    /// The bit that is set for promotions.
    pub(crate) promotion: u16,
}

/// What the number of a result means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultCode {
    /// 1: the side to move won, 0: drawn, -1: it lost.
    BySideToMove,
    /// 0: drawn, 1: black won, 2: white won.
    ByColor,
}

/// What follows the position of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    /// For the side to move.
    pub(super) score: i16,
    pub(super) mv: u16,
    /// The number of the move; 1 where the format has none.
    pub(super) ply: u16,
    pub(super) result: i8,
}

impl RowLayout {
    /// Bytes of a row. Its last byte has no meaning.
    pub(crate) const fn length(&self) -> usize {
        self.result_at() + 2
    }

    /// The byte of the result, counted from 0.
    pub(super) const fn result_at(&self) -> usize {
        MOVE_AT + if self.has_ply { 4 } else { 2 }
    }

    /// What follows the position of a row; `None` for a row of another length.
    pub(super) fn read(&self, row: &[u8]) -> Option<Fields> {
        if row.len() != self.length() {
            return None;
        }
        let word = |at: usize| row.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
        let number = if self.has_ply { word(MOVE_AT + 2)? } else { 1 };
        Some(Fields {
            score: word(BYTES)? as i16,
            mv: word(MOVE_AT)?,
            // Numbers begin with 1, here as in the programs that write these rows.
            ply: number.max(1),
            result: *row.get(self.result_at())? as i8,
        })
    }

    /// Adds what follows the position of a row.
    pub(super) fn write(&self, rows: &mut Vec<u8>, fields: Fields) {
        rows.extend_from_slice(&fields.score.to_le_bytes());
        rows.extend_from_slice(&fields.mv.to_le_bytes());
        if self.has_ply {
            rows.extend_from_slice(&fields.ply.to_le_bytes());
        }
        rows.extend_from_slice(&[fields.result as u8, 0]);
    }
}

impl MoveBits {
    /// The move of these bits, if they are one.
    pub(super) fn read(&self, bits: u16) -> Option<Move> {
        if bits & !(SQUARES | self.drop | self.promotion) != 0 {
            return None;
        }
        let to = Square::from_index(usize::from(bits & 127))?;
        let from = usize::from(bits >> 7 & 127);
        let promotes = bits & self.promotion != 0;
        let is_drop = match self.drop {
            0 => from >= self.first_drop,
            drop => bits & drop != 0,
        };
        if is_drop {
            let kind = *DROPS.get(from.checked_sub(self.first_drop)?)?;
            return (!promotes).then(|| Move::drop(kind, to));
        }
        let from = Square::from_index(from).filter(|from| *from != to)?;
        Some(Move::normal(from, to, promotes))
    }

    /// The bits of a move.
    pub(super) fn write(&self, mv: Move) -> u16 {
        let to = mv.to().index() as u16;
        if let Some(from) = mv.from() {
            let promotion = if mv.is_promotion() { self.promotion } else { 0 };
            return to | (from.index() as u16) << 7 | promotion;
        }
        let number = DROPS.iter().position(|drop| Some(*drop) == mv.dropped()).unwrap_or(0);
        to | ((self.first_drop + number) as u16) << 7 | self.drop
    }
}

impl ResultCode {
    /// Who won; `None` for a number without a meaning.
    pub(super) fn read(self, result: i8, side_to_move: Color) -> Option<Winner> {
        match (self, result) {
            (_, 0) => Some(Winner::Draw),
            (Self::BySideToMove, 1) => Some(Winner::Side(side_to_move)),
            (Self::BySideToMove, -1) => Some(Winner::Side(!side_to_move)),
            (Self::ByColor, 1) => Some(Winner::Side(Color::Black)),
            (Self::ByColor, 2) => Some(Winner::Side(Color::White)),
            _ => None,
        }
    }

    /// The number of a result.
    pub(super) fn write(self, winner: Winner, side_to_move: Color) -> i8 {
        match (self, winner) {
            (_, Winner::Draw) => 0,
            (Self::BySideToMove, Winner::Side(winner)) if winner == side_to_move => 1,
            (Self::BySideToMove, Winner::Side(_)) => -1,
            (Self::ByColor, Winner::Side(Color::Black)) => 1,
            (Self::ByColor, Winner::Side(Color::White)) => 2,
        }
    }

    /// What the numbers mean, for messages.
    pub(super) const fn expected(self) -> &'static str {
        match self {
            Self::BySideToMove => "1 (the side to move won), 0 (drawn) or -1 (it lost)",
            Self::ByColor => "0 (drawn), 1 (black won) or 2 (white won)",
        }
    }
}

/// The byte of the move in a row, counted from 0. The score is before it.
pub(super) const MOVE_AT: usize = BYTES + 2;

/// The bits of both squares.
const SQUARES: u16 = (1 << 14) - 1;

/// The kinds in the order in which both formats number those that are dropped.
const DROPS: [PieceKind; 7] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::Gold,
];
