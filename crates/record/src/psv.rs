//! psv, the training data of `YaneuraOu` (`PackedSfenValue`): 40 bytes a position, little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 31 | the packed position |
//! | 32, 33 | score for the side to move |
//! | 34, 35 | move: bits 0 to 6 the target square, 7 to 13 the origin (a drop: the kind), 14 drop, 15 promotion |
//! | 36, 37 | number of the move |
//! | 38 | result for the side to move: 1 won, 0 drawn, -1 lost |
//! | 39 | unused |
//!
//! A mate in `n` plies has the score 32000 - `n`, but at least 30000 (2000 plies); a mate of unknown length has
//! 32000.

use super::packed::{
    BYTES, CodeSet, MoveBits, ResultCode, RowLayout, Rows, pack as pack_position,
    unpack as unpack_position, write as write_rows,
};
use super::spec::{FormatSpec, Pieces, Recognize, Write};
use super::{Omissions, PackedFault, ReadRecord, Record, RecordError};
use kyomi_shogi::{Position, Unplayable};

pub(super) const PSV: FormatSpec = FormatSpec {
    name: "psv",
    summary: "training rows of 40 bytes, YaneuraOu",
    omits: "all but positions, moves, scores, who won",
    extension: "psv",
    utf8_extension: "psv",
    other_extensions: &[],
    separator: Some(""),
    pieces: Pieces::Rows(ROW_BYTES),
    largest_file: None,
    recognize: Recognize::Never,
    read: |bytes| Box::new(read_each(bytes)),
    write: Write::Rows(write),
};

static LAYOUT: RowLayout = RowLayout {
    codes: CodeSet::Psv,
    has_ply: true,
    move_bits: MoveBits { first_drop: 1, drop: 1 << 14, promotion: 1 << 15 },
    result: ResultCode::BySideToMove,
    expected: "a psv file has 40 bytes for each position",
};

/// Bytes of a row.
pub const ROW_BYTES: usize = LAYOUT.length();

/// Reads the games of a file one by one. Rows that follow on from each other are one game. A row that cannot be
/// read is an error, and the next row begins another game.
pub fn read_each(bytes: &[u8]) -> impl Iterator<Item = Result<ReadRecord, RecordError>> + '_ {
    Rows::new(&LAYOUT, bytes)
}

/// Writes a row for each move of the main line. Only moves, scores and the winner are kept. A move without a score
/// gets 0 and a game without a result is written as a draw; both are counted as omissions.
pub fn write(record: &Record, omissions: &mut Omissions) -> Vec<u8> {
    write_rows(&LAYOUT, record, omissions)
}

/// Packs a position into 32 bytes. They do not include the number of its next move.
///
/// # Errors
/// If a king is missing: the packed form has no code for that.
pub fn pack(position: &Position) -> Result<[u8; BYTES], Unplayable> {
    pack_position(CodeSet::Psv, position)
}

/// Unpacks the position of 32 bytes, with this number of its next move.
pub fn unpack(bytes: &[u8; BYTES], ply: u16) -> Result<Position, PackedFault> {
    unpack_position(CodeSet::Psv, bytes, ply)
}
