//! psv, the training data of `YaneuraOu` (`PackedSfenValue`): 40 bytes a position, little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 31 | the packed position |
//! | 32, 33 | score for the side to move |
//! | 34, 35 | move: bits 0 to 6 the square it goes to, 7 to 13 where from (a drop: the kind), 14 drop, 15 promotion |
//! | 36, 37 | number of the move |
//! | 38 | result for the side to move: 1 won, 0 drawn, -1 lost |
//! | 39 | nothing |
//!
//! Mates are scores of 32000 less the plies, 30000 (2000 plies) at least; of unknown length 32000.

use super::packed::{
    BYTES, DROPS, Dialect, Fields, RowForm, Rows, pack as pack_position, unpack as unpack_position,
    write as write_rows,
};
use super::{Losses, PackedFault, ReadRecord, Record, RecordError, Winner};
use crate::shogi::{Color, Move, Position, Square, Unplayable};

/// Bytes of a row.
pub const ROW_BYTES: usize = 40;

/// Reads the games of a file one by one: rows that follow on from each other are one game. A row that
/// cannot be read is an error, and the next one begins another game.
pub fn read_each(bytes: &[u8]) -> impl Iterator<Item = Result<ReadRecord, RecordError>> + '_ {
    Rows::<Psv>::new(bytes)
}

/// A row for each move of the main line. Lost is all but moves, scores and who won; a move without a
/// score gets 0, a game without a result counts as drawn, and both are told.
pub fn write(record: &Record, losses: &mut Losses) -> Vec<u8> {
    write_rows::<Psv>(record, losses)
}

/// A position in 32 bytes; the number of its next move is not in them.
///
/// # Errors
/// If a king is missing: there is no room then.
pub fn pack(position: &Position) -> Result<[u8; BYTES], Unplayable> {
    pack_position(Dialect::Psv, position)
}

/// The position of 32 bytes, with this number of its next move.
///
/// # Errors
/// What is wrong with them.
pub fn unpack(bytes: &[u8; BYTES], ply: u16) -> Result<Position, PackedFault> {
    unpack_position(Dialect::Psv, bytes, ply)
}

#[derive(Clone, Copy, Debug)]
struct Psv;

const DROP: u16 = 1 << 14;
const PROMOTION: u16 = 1 << 15;

impl RowForm for Psv {
    const DIALECT: Dialect = Dialect::Psv;
    const LENGTH: usize = ROW_BYTES;
    const MOVE: usize = 34;
    const RESULT: usize = 38;
    const HAS_PLY: bool = true;
    const EXPECTED: &'static str = "a psv file has 40 bytes for each position";
    const RESULTS: &'static str = "1 (the side to move won), 0 (drawn) or -1 (it lost)";

    fn fields(row: &[u8]) -> Option<Fields> {
        let [s0, s1, m0, m1, p0, p1, result, _] = *row.get(BYTES..)? else { return None };
        Some(Fields {
            score: i16::from_le_bytes([s0, s1]),
            mv: u16::from_le_bytes([m0, m1]),
            // Numbers begin with 1, for us as for those who write these rows.
            ply: u16::from_le_bytes([p0, p1]).max(1),
            result: result as i8,
        })
    }

    fn push(rows: &mut Vec<u8>, fields: Fields) {
        rows.extend_from_slice(&fields.score.to_le_bytes());
        rows.extend_from_slice(&fields.mv.to_le_bytes());
        rows.extend_from_slice(&fields.ply.to_le_bytes());
        rows.extend_from_slice(&[fields.result as u8, 0]);
    }

    fn read_move(bits: u16) -> Option<Move> {
        let to = Square::from_index(usize::from(bits & 127))?;
        let from = usize::from(bits >> 7 & 127);
        match (bits & DROP != 0, bits & PROMOTION != 0) {
            (true, false) => Some(Move::drop(*DROPS.get(from.checked_sub(1)?)?, to)),
            (true, true) => None,
            (false, promote) => {
                let from = Square::from_index(from).filter(|from| *from != to)?;
                Some(Move::normal(from, to, promote))
            }
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
                let number = DROPS.iter().position(|drop| Some(*drop) == kind).unwrap_or(0) + 1;
                to | (number as u16) << 7 | DROP
            }
        }
    }

    fn read_result(result: i8, side: Color) -> Option<Winner> {
        match result {
            1 => Some(Winner::Side(side)),
            0 => Some(Winner::Draw),
            -1 => Some(Winner::Side(!side)),
            _ => None,
        }
    }

    fn write_result(winner: Winner, side: Color) -> i8 {
        match winner {
            Winner::Draw => 0,
            Winner::Side(winner) if winner == side => 1,
            Winner::Side(_) => -1,
        }
    }
}
