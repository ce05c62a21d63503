//! Writes CSA records: 3.0, in UTF-8.

use std::fmt::Write as _;

use crate::record::{End, Header, Record, RecordMove};
use crate::shogi::Position;
use crate::shogi::notation::csa;

/// The whole record.
pub fn write(record: &Record) -> String {
    let mut text = write_header(&record.header, &record.start);
    let mut position = record.start.clone();
    for record_move in &record.moves {
        text.push_str(&write_move(&position, record_move));
        position.do_move(record_move.mv);
    }
    if let Some(end) = &record.end {
        text.push_str(&write_end(end));
    }
    text
}

/// Everything before the first move.
pub fn write_header(header: &Header, start: &Position) -> String {
    let mut text = String::from("'CSA encoding=UTF-8\nV3.0\n");
    for (sign, name) in [('+', &header.black), ('-', &header.white)] {
        if let Some(name) = name {
            let _ = writeln!(text, "N{sign}{name}");
        }
    }
    text.push_str(&csa::format_position(start));
    text
}

/// The lines of one move, made in `before`.
pub fn write_move(before: &Position, record_move: &RecordMove) -> String {
    let mut text = csa::format_move(before, record_move.mv);
    text.push('\n');
    text
}

/// The lines of the end.
pub fn write_end(end: &End) -> String {
    format!("%{}\n", end.kind.word())
}
