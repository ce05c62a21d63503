//! hcpe, the training data of Apery (`HuffmanCodedPosAndEval`): 38 bytes a position, little-endian.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 31 | the packed position |
//! | 32, 33 | score for the side to move |
//! | 34, 35 | move: bits 0 to 6 the target square, 7 to 13 the origin (a drop: 81 and the kind), 14 promotion |
//! | 36 | result: 0 drawn, 1 black won, 2 white won |
//! | 37 | unused |
//!
//! Rows have no move numbers: every game begins with number 1. Scores of mates are those of [`psv`].

use super::packed::{CodeSet, MoveBits, ResultCode, RowLayout, Rows, write as write_rows};
use super::spec::{FormatSpec, Pieces, Write};
use super::{Omissions, ReadRecord, Record, RecordError, psv};
use kyomi_shogi::Square;

pub(super) const HCPE: FormatSpec = FormatSpec {
    name: "hcpe",
    summary: "training rows of 38 bytes, Apery and dlshogi",
    extension: "hcpe",
    utf8_extension: "hcpe",
    pieces: Pieces::Rows(ROW_BYTES),
    read: |bytes| Box::new(read_each(bytes)),
    write: Write::Rows(write),
    ..psv::PSV
};

static LAYOUT: RowLayout = RowLayout {
    codes: CodeSet::Hcp,
    has_ply: false,
    move_bits: MoveBits { first_drop: Square::COUNT, drop: 0, promotion: 1 << 14 },
    result: ResultCode::ByColor,
    expected: "an hcpe file has 38 bytes for each position",
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
