//! Writes CSA records: 3.0, and 2.2 on wish.
//!
//! A record can be written in pieces, in the order header, moves, end: that is how a journal
//! grows. The pieces end with LF and put together are the whole.

use std::fmt::Write as _;
use std::time::Duration;

use crate::record::{Encoding, End, EndKind, Header, Losses, LostPart, Record, RecordMove, Winner};
use crate::shogi::notation::csa;
use crate::shogi::{Color, Position};

use super::analysis::{read_analysis, read_info, write_analysis};
use super::keys::{format_seconds, read_comment_key, read_end_comment, write_keys};
use super::statement::protect;

/// A version of the format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 2.2. What it has no key for stands in comments that begin like a key, as on shogi-server.
    V22,
    /// 3.0, whose first line names the encoding.
    V30(Encoding),
}

impl Version {
    /// 3.0 in UTF-8.
    const USUAL: Self = Self::V30(Encoding::Utf8);
}

/// The whole main line, in 3.0 and UTF-8.
pub fn write(record: &Record) -> String {
    write_as(record, Version::USUAL, &mut Losses::new())
}

/// The whole main line in this version, each line ended by LF. Lost are variations, the fractions of
/// seconds in 2.2, and what of a score is beyond the range of the format.
pub fn write_as(record: &Record, version: Version, losses: &mut Losses) -> String {
    losses.add_many(LostPart::Variations, record.variations.len());
    if record.start.ply() != 1 {
        losses.add(LostPart::Header("move number".to_owned()));
    }
    let mut text = head(&record.header, &record.start, version, losses);
    let mut position = record.start.clone();
    for record_move in &record.moves {
        text.push_str(&made(&position, record_move, version, losses));
        position.do_move(record_move.mv);
    }
    if let Some(end) = &record.end {
        text.push_str(&ended(end, version, losses));
    }
    text
}

/// The first line of 3.0, without its end, which names the encoding; a comment in 2.2.
pub(in crate::record) fn encoding_line(encoding: Encoding) -> String {
    match encoding {
        // As the format has it.
        Encoding::ShiftJis => "'CSA encoding=SHIFT_JIS".to_owned(),
        encoding => format!("'CSA encoding={encoding}"),
    }
}

/// Everything before the first move, in 3.0 and UTF-8.
pub fn write_header(header: &Header, start: &Position) -> String {
    head(header, start, Version::USUAL, &mut Losses::new())
}

/// The lines of one move, made in `before`.
pub fn write_move(before: &Position, record_move: &RecordMove) -> String {
    made(before, record_move, Version::USUAL, &mut Losses::new())
}

/// The lines of the end.
pub fn write_end(end: &End) -> String {
    ended(end, Version::USUAL, &mut Losses::new())
}

/// A comment: every line of it with its `'`.
pub fn write_comment(comment: &str) -> String {
    let mut text = String::with_capacity(comment.len() + 2);
    write_comments(&mut text, &[comment.to_owned()], |_| false, &mut Losses::new());
    text
}

fn head(header: &Header, start: &Position, version: Version, losses: &mut Losses) -> String {
    let mut text = match version {
        Version::V22 => "V2.2\n".to_owned(),
        Version::V30(encoding) => format!("{}\nV3.0\n", encoding_line(encoding)),
    };
    for (sign, name) in [('+', &header.black), ('-', &header.white)] {
        if let Some(name) = name {
            let _ = writeln!(text, "N{sign}{}", protect(name, losses));
        }
    }
    write_keys(&mut text, header, version, losses);
    if *start == Position::startpos() {
        text.push_str("PI\n+\n");
    } else {
        text.push_str(&csa::format_position(start));
    }
    let is_key = |line: &str| read_comment_key(&mut Header::default(), line);
    write_comments(&mut text, &header.comments, is_key, losses);
    text
}

fn made(
    before: &Position,
    record_move: &RecordMove,
    version: Version,
    losses: &mut Losses,
) -> String {
    let mut text = csa::format_move(before, record_move.mv);
    text.push('\n');
    write_time(&mut text, record_move.time, version, losses);
    if let Some(analysis) = &record_move.analysis {
        let mut after = before.clone();
        after.do_move(record_move.mv);
        write_analysis(&mut text, analysis, &after);
    }
    if record_move.comments.iter().any(|comment| comment.contains('*')) {
        let mut after = before.clone();
        after.do_move(record_move.mv);
        let played = csa::format_move(before, record_move.mv);
        let mut analysis = record_move.analysis.clone();
        let is_analysis = |line: &str| {
            analysis.is_none() && read_analysis(line, &after, &played).is_some()
                || read_info(&mut analysis, line, &after, &played)
        };
        write_comments(&mut text, &record_move.comments, is_analysis, losses);
    } else {
        write_comments(&mut text, &record_move.comments, |_| false, losses);
    }
    text
}

fn ended(end: &End, version: Version, losses: &mut Losses) -> String {
    let is_plain = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "+-_".contains(c))
    };
    let (word, meant) = match (&end.kind, version) {
        // Words that the version does not have stand behind the nearest one it has.
        (EndKind::MaxMoves, Version::V22) => (EndKind::DrawDeclared.word(), Some("MAX_MOVES")),
        (EndKind::TakeBack, Version::V30(_)) => (EndKind::Interrupted.word(), Some("MATTA")),
        (EndKind::Decided(winner), _) => ("", Some(decided_word(*winner))),
        // Of another format: 封じ手, say.
        (EndKind::Unknown(word), _) if !is_plain(word) => {
            (EndKind::Interrupted.word(), Some(word.as_str()))
        }
        (kind, _) => (kind.word(), None),
    };
    let mut text = String::new();
    if !matches!(end.kind, EndKind::Decided(_)) {
        let _ = writeln!(text, "%{word}");
        write_time(&mut text, end.time, version, losses);
    }
    if let Some(meant) = meant {
        let printed = meant.replace(|c: char| c.is_control(), " ");
        losses.add_many(LostPart::End, usize::from(printed.trim() != meant));
        let _ = writeln!(text, "'{END}{}", printed.trim());
    }
    if matches!(end.kind, EndKind::Decided(_)) {
        write_time(&mut text, end.time, version, losses);
    }
    let is_time = |line: &str| read_end_comment(&mut Header::default(), line);
    write_comments(&mut text, &end.comments, is_time, losses);
    text
}

/// Our own line for an end that the version has no word for.
pub(super) const END: &str = "*end ";

pub(super) const fn decided_word(winner: Winner) -> &'static str {
    match winner {
        Winner::Side(Color::Black) => "black",
        Winner::Side(Color::White) => "white",
        Winner::Draw => "draw",
    }
}

fn write_time(text: &mut String, time: Option<Duration>, version: Version, losses: &mut Losses) {
    let Some(time) = time else { return };
    if version == Version::V22 {
        losses.add_many(LostPart::TimeFractions, usize::from(time.subsec_millis() != 0));
        let _ = writeln!(text, "T{}", time.as_secs());
    } else {
        let _ = writeln!(text, "T{}", format_seconds(time));
    }
}

/// Each line with its `'`. One that would be read as something else, as `means` tells or as an end of ours, gets
/// a blank in front, which is told.
fn write_comments(
    text: &mut String,
    comments: &[String],
    mut means: impl FnMut(&str) -> bool,
    losses: &mut Losses,
) {
    for comment in comments {
        for (number, line) in comment.split('\n').enumerate() {
            losses.add_many(LostPart::LineBreaks, usize::from(number > 0));
            text.push('\'');
            if line.starts_with(END) || means(line) {
                losses.add(LostPart::Comments);
                text.push(' ');
            }
            push_printed(text, line, losses);
            text.push('\n');
        }
    }
}

/// A text without its control characters, which are lost.
pub(super) fn push_printed(text: &mut String, line: &str, losses: &mut Losses) {
    let mut steering = 0;
    text.extend(line.chars().filter(|c| {
        steering += usize::from(c.is_control());
        !c.is_control()
    }));
    losses.add_many(LostPart::Characters, steering);
}
