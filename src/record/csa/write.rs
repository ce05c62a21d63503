//! Writes CSA records: 3.0, in UTF-8.
//!
//! A record can be written in pieces, in the order header, moves, end: that is how a journal
//! grows. The pieces end with LF and put together are the whole.

use std::fmt::Write as _;
use std::time::Duration;

use crate::record::{End, Header, Record, RecordMove};
use crate::shogi::Position;
use crate::shogi::notation::csa;

use super::analysis::write_analysis;
use super::keys::{format_seconds, write_keys};
use super::statement::protect;

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
            let _ = writeln!(text, "N{sign}{}", protect(name));
        }
    }
    write_keys(&mut text, header);
    if *start == Position::startpos() {
        text.push_str("PI\n+\n");
    } else {
        text.push_str(&csa::format_position(start));
    }
    write_comments(&mut text, &header.comments);
    text
}

/// The lines of one move, made in `before`.
pub fn write_move(before: &Position, record_move: &RecordMove) -> String {
    let mut text = csa::format_move(before, record_move.mv);
    text.push('\n');
    write_time(&mut text, record_move.time);
    if let Some(analysis) = &record_move.analysis {
        let mut after = before.clone();
        after.do_move(record_move.mv);
        write_analysis(&mut text, analysis, &after);
    }
    write_comments(&mut text, &record_move.comments);
    text
}

/// The lines of the end.
pub fn write_end(end: &End) -> String {
    let word: String = end
        .kind
        .word()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || "+-_".contains(*c))
        .collect();
    let mut text = format!("%{word}\n");
    write_time(&mut text, end.time);
    write_comments(&mut text, &end.comments);
    text
}

/// A comment: every line of it with its `'`.
pub fn write_comment(comment: &str) -> String {
    let mut text = String::with_capacity(comment.len() + 2);
    write_comments(&mut text, &[comment.to_owned()]);
    text
}

fn write_time(text: &mut String, time: Option<Duration>) {
    if let Some(time) = time {
        let _ = writeln!(text, "T{}", format_seconds(time));
    }
}

fn write_comments(text: &mut String, comments: &[String]) {
    for line in comments.iter().flat_map(|comment| comment.split('\n')) {
        text.push('\'');
        text.extend(line.chars().filter(|c| !c.is_control()));
        text.push('\n');
    }
}
