//! Writes CSA records in 3.0 or 2.2.
//!
//! A record can be written in parts: header, then moves, then end. That is how a journal grows. Each part ends with
//! LF, and all parts together are the whole record.

use std::fmt::Write as _;
use std::time::Duration;

use crate::csa_analysis::write_analysis;
use crate::end::{END_NOTE, decided_word, unknown_note};
use crate::{BOOK_MOVE, End, EndKind, Header, Omission, Omissions, Record, RecordMove};
use kyomi_shogi::Position;
use kyomi_shogi::notation::csa;

use super::comment::{Commented, plain_comment};
use super::keys::{format_seconds, read_comment_key, read_end_comment, write_keys};
use super::statement::{protect, push_printed};
use super::summary::SUMMARY;
use super::version::{Version, encoding_line};

/// Writes the main line in 3.0 and UTF-8.
pub fn write(record: &Record) -> String {
    write_as(record, Version::USUAL, &mut Omissions::new())
}

/// Writes the main line in this version, each line ended by LF. Omitted are variations, the fractions of seconds in
/// 2.2, and what exceeds the range of scores.
pub fn write_as(record: &Record, version: Version, omissions: &mut Omissions) -> String {
    omissions.add_many(Omission::Variations, record.variations.len());
    if record.start.ply() != 1 {
        omissions.add(Omission::Header("move number".to_owned()));
    }
    let mut text = header_lines(&record.header, &record.start, version, omissions);
    let mut position = record.start.clone();
    for record_move in &record.moves {
        text.push_str(&move_lines(&position, record_move, version, omissions));
        position.do_move(record_move.mv);
    }
    if let Some(end) = &record.end {
        text.push_str(&end_lines(end, version, omissions));
    }
    text
}

/// Writes everything before the first move, in 3.0 and UTF-8.
pub fn write_header(header: &Header, start: &Position) -> String {
    header_lines(header, start, Version::USUAL, &mut Omissions::new())
}

/// Writes the lines of one move, made in `before`.
pub fn write_move(before: &Position, record_move: &RecordMove) -> String {
    move_lines(before, record_move, Version::USUAL, &mut Omissions::new())
}

/// Writes the lines of the end.
pub fn write_end(end: &End) -> String {
    end_lines(end, Version::USUAL, &mut Omissions::new())
}

/// Writes a comment: each of its lines with `'`.
pub fn write_comment(comment: &str) -> String {
    let mut text = String::with_capacity(comment.len() + 2);
    write_comments(&mut text, &[comment.to_owned()], |_| false, &mut Omissions::new());
    text
}

fn header_lines(
    header: &Header,
    start: &Position,
    version: Version,
    omissions: &mut Omissions,
) -> String {
    let mut text = match version {
        Version::V22 => "V2.2\n".to_owned(),
        Version::V30(encoding) => format!("{}\nV3.0\n", encoding_line(encoding)),
    };
    for (sign, name) in [('+', &header.black), ('-', &header.white)] {
        if let Some(name) = name {
            let _ = writeln!(text, "N{sign}{}", protect(name, omissions));
        }
    }
    write_keys(&mut text, header, version, omissions);
    if *start == Position::startpos() {
        text.push_str("PI\n+\n");
    } else {
        text.push_str(&csa::format_position(start));
    }
    let is_key =
        |line: &str| read_comment_key(&mut Header::default(), line) || line.starts_with(SUMMARY);
    write_comments(&mut text, &header.comments, is_key, omissions);
    text
}

fn move_lines(
    before: &Position,
    record_move: &RecordMove,
    version: Version,
    omissions: &mut Omissions,
) -> String {
    let mut text = csa::format_move(before, record_move.mv);
    text.push('\n');
    write_time(&mut text, record_move.time, version, omissions);
    if let Some(analysis) = &record_move.analysis {
        let mut after = before.clone();
        after.do_move(record_move.mv);
        write_analysis(&mut text, analysis, &after);
    }
    let mut read = AsRead { before, written: record_move, state: None };
    write_comments(&mut text, &record_move.comments, |line| read.means(line), omissions);
    text
}

/// What the comments written on a move mean when they are read again.
struct AsRead<'a> {
    before: &'a Position,
    written: &'a RecordMove,
    /// What was read so far; `None` before the first line that may mean something.
    state: Option<(RecordMove, Position, Commented)>,
}

impl AsRead<'_> {
    /// Whether a line is more than a comment.
    fn means(&mut self, line: &str) -> bool {
        if means_end(line) {
            return true;
        }
        if !Commented::may_be_analysis(line) {
            return false;
        }
        let (made, after, commented) = self.state.get_or_insert_with(|| {
            let mut after = self.before.clone();
            after.do_move(self.written.mv);
            let mut made = RecordMove::new(self.written.mv);
            let mut commented = Commented::on(&csa::format_move(self.before, self.written.mv));
            let mut lines = String::new();
            if let Some(analysis) = &self.written.analysis {
                write_analysis(&mut lines, analysis, &after);
            }
            for line in lines.lines() {
                commented.read(&mut made, &after, line.trim_start_matches('\''));
            }
            (made, after, commented)
        });
        // Lines of an analysis only add to it, so it need not be compared word by word.
        let known = |made: &RecordMove| {
            let analysis = made.analysis.as_ref();
            let lengths = analysis.map(|known| (known.pv.len(), known.pv_rest.len()));
            (analysis.map(|known| (known.score, known.nodes, known.depth)), lengths)
        };
        let (old, count) = (known(made), made.comments.len());
        commented.read(made, after, line);
        let is_comment = made.comments.len() > count && known(made) == old;
        if !is_comment {
            self.state = None;
        }
        !is_comment
    }
}

/// Whether a comment after the moves is read as the server's result or time of the end.
fn means_end(line: &str) -> bool {
    line.starts_with(SUMMARY) || read_end_comment(&mut Header::default(), line)
}

/// Whether a comment is a line of this program.
fn has_meaning(line: &str) -> bool {
    line.strip_prefix('*').is_some_and(|rest| {
        ["end ", "info ", "clock ", "key "].iter().any(|word| rest.starts_with(word))
    })
}

/// Whether a comment is a note of this program or of a server.
fn is_note(line: &str) -> bool {
    line == BOOK_MOVE || line.split_once(':').is_some_and(|(word, _)| NOTES.contains(&word))
}

const NOTES: [&str; 15] = [
    "turn",
    "search",
    "event",
    "server",
    "reason",
    "summary",
    "illegal move",
    "interrupted",
    "kyomi analyze",
    "rating",
    "black_rate",
    "white_rate",
    "Max_Moves",
    "Least_Time_Per_Move",
    "Increment",
];

fn end_lines(end: &End, version: Version, omissions: &mut Omissions) -> String {
    let (word, meant) = match (&end.kind, version) {
        // A word that the version does not have is added to the nearest one it has.
        (EndKind::MaxMoves, Version::V22) => (EndKind::DrawDeclared.word(), Some("MAX_MOVES")),
        (EndKind::TakeBack, Version::V30(_)) => (EndKind::Interrupted.word(), Some("MATTA")),
        (EndKind::Decided(winner), _) => ("", Some(decided_word(*winner))),
        // A word of another format, such as 封じ手.
        (EndKind::Unknown(word), _) => (EndKind::Interrupted.word(), unknown_note(word)),
        (kind, _) => (kind.word(), None),
    };
    let is_lost = meant.is_none() && matches!(end.kind, EndKind::Unknown(_));
    omissions.add_many(Omission::End, usize::from(is_lost));
    let mut text = String::new();
    if let Some(foul) = &end.foul {
        let _ = writeln!(text, "{}", foul.mv);
        write_time(&mut text, foul.time, version, omissions);
        write_comments(&mut text, &foul.comments, means_end, omissions);
    }
    if !matches!(end.kind, EndKind::Decided(_)) {
        let _ = writeln!(text, "%{word}");
        write_time(&mut text, end.time, version, omissions);
    }
    if let Some(meant) = meant {
        let printed = meant.replace(|c: char| c.is_control(), " ");
        omissions.add_many(Omission::End, usize::from(printed.trim() != meant));
        let _ = writeln!(text, "'{END_NOTE}{}", printed.trim());
    }
    if matches!(end.kind, EndKind::Decided(_)) {
        write_time(&mut text, end.time, version, omissions);
    }
    let is_time = |line: &str| read_end_comment(&mut Header::default(), line);
    write_comments(&mut text, &end.comments, is_time, omissions);
    text
}

fn write_time(
    text: &mut String,
    time: Option<Duration>,
    version: Version,
    omissions: &mut Omissions,
) {
    let Some(time) = time else { return };
    if version == Version::V22 {
        omissions.add_many(Omission::TimeFractions, usize::from(time.subsec_millis() != 0));
        let _ = writeln!(text, "T{}", time.as_secs());
    } else {
        let _ = writeln!(text, "T{}", format_seconds(time));
    }
}

/// Writes each line with its `'` and a star, without which ShogiHome does not show it. The notes of programs
/// (`turn: …`, `summary:…`), and lines that would mean something with the star, have none. A line that would be read as something else (as `means` decides) gets a space in front, which is counted as an
/// omission.
fn write_comments(
    text: &mut String,
    comments: &[String],
    mut means: impl FnMut(&str) -> bool,
    omissions: &mut Omissions,
) {
    for comment in comments {
        for (number, line) in comment.split('\n').enumerate() {
            omissions.add_many(Omission::LineBreaks, usize::from(number > 0));
            text.push('\'');
            let starred = format!("*{line}");
            let mut forms = [starred.as_str(), line];
            if is_note(line) {
                forms.reverse();
            }
            let is_clear =
                |form: &&str| plain_comment(form) == line && !has_meaning(form) && !means(form);
            if let Some(form) = forms.into_iter().find(is_clear) {
                push_printed(text, form, omissions);
            } else {
                omissions.add(Omission::Comments);
                text.push(' ');
                push_printed(text, line, omissions);
            }
            text.push('\n');
        }
    }
}
