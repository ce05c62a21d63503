//! hcpe, the training data of Apery (`HuffmanCodedPosAndEval`): 38 bytes a position, little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 31 | the packed position |
//! | 32, 33 | score for the side to move |
//! | 34, 35 | move: bits 0 to 6 the square it goes to, 7 to 13 where from (a drop: 81 and the kind), 14 promotion |
//! | 36 | result: 0 drawn, 1 black won, 2 white won |
//! | 37 | nothing |
//!
//! There are no numbers of moves: every game begins with number 1. Mates are scores as in
//! [psv](super::psv).

use super::packed::{BYTES, DROPS, Dialect, Fields, RowForm, Rows, write as write_rows};
use super::{Losses, ReadRecord, Record, RecordError, Winner};
use crate::shogi::{Color, Move, Square};

/// Bytes of a row.
pub const ROW_BYTES: usize = 38;

/// Reads the games of a file one by one: rows that follow on from each other are one game. A row that
/// cannot be read is an error, and the next one begins another game.
pub fn read_each(bytes: &[u8]) -> impl Iterator<Item = Result<ReadRecord, RecordError>> + '_ {
    Rows::<Hcpe>::new(bytes)
}

/// A row for each move of the main line. Lost is all but moves, scores and who won; a move without a
/// score gets 0, a game without a result counts as drawn, and both are told.
pub fn write(record: &Record, losses: &mut Losses) -> Vec<u8> {
    write_rows::<Hcpe>(record, losses)
}

#[derive(Clone, Copy, Debug)]
struct Hcpe;

const PROMOTION: u16 = 1 << 14;

impl RowForm for Hcpe {
    const DIALECT: Dialect = Dialect::Hcp;
    const LENGTH: usize = ROW_BYTES;
    const MOVE: usize = 34;
    const RESULT: usize = 36;
    const HAS_PLY: bool = false;
    const EXPECTED: &'static str = "an hcpe file has 38 bytes for each position";
    const RESULTS: &'static str = "0 (drawn), 1 (black won) or 2 (white won)";

    fn fields(row: &[u8]) -> Option<Fields> {
        let [s0, s1, m0, m1, result, _] = *row.get(BYTES..)? else { return None };
        Some(Fields {
            score: i16::from_le_bytes([s0, s1]),
            mv: u16::from_le_bytes([m0, m1]),
            ply: 1,
            result: result as i8,
        })
    }

    fn push(rows: &mut Vec<u8>, fields: Fields) {
        rows.extend_from_slice(&fields.score.to_le_bytes());
        rows.extend_from_slice(&fields.mv.to_le_bytes());
        rows.extend_from_slice(&[fields.result as u8, 0]);
    }

    fn read_move(bits: u16) -> Option<Move> {
        let to = Square::from_index(usize::from(bits & 127))?;
        let from = usize::from(bits >> 7 & 127);
        let promote = bits & PROMOTION != 0;
        if bits >> 15 != 0 {
            return None;
        }
        match (Square::from_index(from), promote) {
            (Some(from), _) => (from != to).then(|| Move::normal(from, to, promote)),
            (None, true) => None,
            (None, false) => Some(Move::drop(*DROPS.get(from - Square::COUNT)?, to)),
        }
    }

    fn write_move(mv: Move) -> u16 {
        let to = mv.to().index() as u16;
        match (mv.from(), mv.dropped()) {
            (Some(from), _) => {
                let promotion = if mv.is_promotion() { PROMOTION } else { 0 };
                to | (from.index() as u16) << 7 | promotion
            }
            (None, kind) => {
                let number = DROPS.iter().position(|drop| Some(*drop) == kind).unwrap_or(0);
                to | ((Square::COUNT + number) as u16) << 7
            }
        }
    }

    fn read_result(result: i8, _side: Color) -> Option<Winner> {
        match result {
            0 => Some(Winner::Draw),
            1 => Some(Winner::Side(Color::Black)),
            2 => Some(Winner::Side(Color::White)),
            _ => None,
        }
    }

    fn write_result(winner: Winner, _side: Color) -> i8 {
        match winner {
            Winner::Draw => 0,
            Winner::Side(Color::Black) => 1,
            Winner::Side(Color::White) => 2,
        }
    }
}
