//! Writes JKF.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Duration;

use crate::end::END_NOTE;
use crate::japanese::{CommentStyle, engine_comments, fields, is_handicap};
use crate::{EndKind, Omission, Omissions, Record};
use kyomi_shogi::notation::csa::{self, RawMove};
use kyomi_shogi::{Color, Move, Piece, Position, Square};

use super::{start, words};

/// Writes the file of one game, an element a line. Omitted are fractions of seconds, the number of the first move,
/// and headers with a repeated key.
pub fn write(record: &Record, omissions: &mut Omissions) -> String {
    let mut text = String::from("{\"header\":{");
    let mut keys = HashSet::new();
    for (key, value) in fields(&record.header, is_handicap(record), omissions) {
        text.push_str(match (keys.is_empty(), keys.contains(&key)) {
            (_, true) => {
                omissions.add(Omission::Header(key));
                continue;
            }
            (true, _) => "\n",
            (false, _) => ",\n",
        });
        push_text(&mut text, &key);
        text.push(':');
        push_text(&mut text, &value);
        keys.insert(key);
    }
    text.push_str("},\n\"initial\":");
    start::write(&mut text, &record.start);
    if record.start.ply() != 1 {
        omissions.add(Omission::Header("move number".to_owned()));
    }
    text.push_str(",\n\"moves\":[\n{");
    push_comments(&mut text, &record.header.comments, "");
    text.push('}');
    let lists = match record.check_variations() {
        Ok(()) => record.variations_by_line(),
        Err(_) => vec![Vec::new(); record.variations.len() + 1],
    };
    let mut writer = Writer { record, lists, text, omissions, lines: 0 };
    writer.lines();
    let lost = record.variations.len() + 1 - writer.lines;
    let mut text = writer.text;
    omissions.add_many(Omission::Variations, lost);
    text.push_str("\n]}\n");
    text
}

struct Writer<'r> {
    record: &'r Record,
    /// The variations still to be written, by the line they leave, the earliest last.
    lists: Vec<Vec<usize>>,
    text: String,
    omissions: &'r mut Omissions,
    /// The number of lines begun.
    lines: usize,
}

/// A line that is being written. Frames are in a list, not on the stack, because variations may be nested deeply.
#[allow(clippy::struct_excessive_bools, reason = "independent facts about what is written")]
struct Frame {
    line: Option<usize>,
    /// The index of the next move, or of the one that is being written.
    next: usize,
    /// The board before it, and the target square of the move before it.
    position: Position,
    last: Option<Square>,
    /// The time both sides have used before it.
    spent: [Duration; 2],
    /// The variations that replace it, the next one last, while it is being written.
    forks: Option<Vec<usize>>,
    has_fork: bool,
    has_fields: bool,
    has_elements: bool,
    /// Whether the illegal move at the end is written.
    has_foul: bool,
    /// Whether it is the current element.
    awaits_end: bool,
}

impl Frame {
    fn new(line: Option<usize>, from: Option<&Self>, start: &Position) -> Self {
        Self {
            line,
            next: 0,
            position: from.map_or(start, |from| &from.position).clone(),
            last: from.and_then(|from| from.last),
            spent: from.map_or([Duration::ZERO; 2], |from| from.spent),
            forks: None,
            has_fork: false,
            has_fields: false,
            // The main line begins with an element for the start position.
            has_elements: line.is_none(),
            has_foul: false,
            awaits_end: false,
        }
    }
}

impl Writer<'_> {
    fn lines(&mut self) {
        let mut frames = vec![Frame::new(None, None, &self.record.start)];
        self.lines = 1;
        while let Some(frame) = frames.last_mut() {
            if frame.forks.is_none() {
                if !self.element(frame) {
                    if frame.line.is_some() {
                        self.text.push(']');
                    }
                    frames.pop();
                }
            } else if let Some(fork) = frame.forks.as_mut().and_then(Vec::pop) {
                self.text.push_str(match (frame.has_fork, frame.has_fields) {
                    (true, _) => ",\n[",
                    (false, true) => ",\"forks\":[\n[",
                    (false, false) => "\"forks\":[\n[",
                });
                frame.has_fork = true;
                let fork = Frame::new(Some(fork), Some(frame), &self.record.start);
                frames.push(fork);
                self.lines += 1;
            } else {
                self.close(frame);
            }
        }
    }

    /// Begins the next element; `false` if there is none.
    fn element(&mut self, frame: &mut Frame) -> bool {
        let record = self.record;
        let moves = record.line(frame.line);
        let ply = record.first_ply(frame.line) + frame.next;
        let list = &mut self.lists[frame.line.map_or(0, |line| line + 1)];
        let mut forks = Vec::new();
        while let Some(index) = list.pop_if(|index| record.variations[*index].ply == ply) {
            forks.push(index);
        }
        let end = match frame.line {
            None => &record.end,
            Some(line) => &record.variations[line].end,
        };
        let end = end.as_ref().filter(|_| frame.next == moves.len());
        let made = moves.get(frame.next);
        if let Some(made) = made
            && !frame.position.is_legal(made.mv)
        {
            self.omissions.add_many(Omission::Moves, moves.len() - frame.next);
            return false;
        }
        if made.is_none() && end.is_none() && forks.is_empty() {
            return false;
        }
        self.text.push_str(if frame.has_elements { ",\n{" } else { "{" });
        if let Some(made) = made {
            push_move(&mut self.text, &frame.position, made.mv, frame.last);
            self.push_time(frame, frame.position.side_to_move(), made.time);
            let (mut analysis, comments) =
                engine_comments(&frame.position, made, CommentStyle::Jkf, self.omissions);
            analysis.extend(comments.into_owned());
            push_comments(&mut self.text, &analysis, ",");
        } else if let Some(end) = end {
            let to_move = frame.position.side_to_move();
            if let Some(foul) = end.foul.as_ref().filter(|_| !frame.has_foul) {
                push_foul(&mut self.text, &frame.position, foul.mv);
                self.push_time(frame, to_move, foul.time);
                push_comments(&mut self.text, &foul.comments, ",");
                (frame.has_foul, frame.awaits_end, frame.has_fields) = (true, true, true);
                (frame.forks, frame.has_fork, frame.has_elements) = (Some(forks), false, true);
                return true;
            }
            let ends = if end.foul.is_some() { !to_move } else { to_move };
            self.text.push_str("\"special\":");
            let kind = end.kind_after_foul();
            let (word, note) = words::end_word(&kind, to_move);
            let is_lost = note.is_none() && matches!(end.kind, EndKind::Unknown(_));
            self.omissions.add_many(Omission::End, usize::from(is_lost));
            push_text(&mut self.text, word);
            self.push_time(frame, ends, end.time);
            let comments = end.comments.iter().map(|comment| {
                if comment.starts_with(END_NOTE) {
                    self.omissions.add(Omission::Comments);
                    return format!(" {comment}");
                }
                comment.clone()
            });
            let comments: Vec<String> = note.into_iter().chain(comments).collect();
            push_comments(&mut self.text, &comments, ",");
        }
        frame.has_fields = made.is_some() || end.is_some();
        (frame.forks, frame.has_fork, frame.has_elements) = (Some(forks), false, true);
        true
    }

    /// Ends the current element, and makes its move. The end follows an illegal move.
    fn close(&mut self, frame: &mut Frame) {
        self.text.push_str(if frame.has_fork { "]}" } else { "}" });
        frame.forks = None;
        if std::mem::take(&mut frame.awaits_end) {
            return;
        }
        if let Some(made) = self.record.line(frame.line).get(frame.next) {
            let spent = &mut frame.spent[frame.position.side_to_move().index()];
            *spent = spent.saturating_add(made.time.unwrap_or_default());
            frame.position.do_move(made.mv);
            frame.last = Some(made.mv.to());
        }
        frame.next += 1;
    }

    fn push_time(&mut self, frame: &Frame, side: Color, time: Option<Duration>) {
        let Some(time) = time else { return };
        self.omissions.add_many(Omission::TimeFractions, usize::from(time.subsec_nanos() > 0));
        let now = time.as_secs();
        let total = frame.spent[side.index()].saturating_add(time).as_secs();
        let hours = if now < 3600 { String::new() } else { format!("\"h\":{},", now / 3600) };
        let _ = write!(
            self.text,
            r#","time":{{"now":{{{hours}"m":{},"s":{}}},"total":{{"h":{},"m":{},"s":{}}}}}"#,
            now / 60 % 60,
            now % 60,
            total / 3600,
            total / 60 % 60,
            total % 60
        );
    }
}

fn push_move(text: &mut String, position: &Position, mv: Move, last: Option<Square>) {
    let (side, to) = (position.side_to_move(), mv.to());
    let _ = write!(text, r#""move":{{"color":{},"#, side.index());
    let moved = mv.from().and_then(|from| position.piece_on(from)).map(Piece::kind);
    if let Some(from) = mv.from() {
        let _ = write!(text, r#""from":{{"x":{},"y":{}}},"#, from.file(), from.rank());
    }
    let _ = write!(text, r#""to":{{"x":{},"y":{}}}"#, to.file(), to.rank());
    if let Some(kind) = moved.or_else(|| mv.dropped()) {
        let _ = write!(text, r#","piece":"{}""#, csa::piece_word(kind));
    }
    if mv.from().is_some() && last == Some(to) {
        text.push_str(r#","same":true"#);
    }
    let in_camp = |square: Square, side: Color| square.rank_for(side) <= 3;
    if let (Some(from), Some(kind)) = (mv.from(), moved)
        && kind.promoted().is_some()
        && (in_camp(from, side) || in_camp(to, side))
    {
        let _ = write!(text, r#","promote":{}"#, mv.is_promotion());
    }
    if let Some(captured) = position.piece_on(to) {
        let _ = write!(text, r#","capture":"{}""#, csa::piece_word(captured.kind()));
    }
    if let Some(relative) = words::relative(position, mv) {
        let _ = write!(text, r#","relative":"{relative}""#);
    }
    text.push('}');
}

/// A move that need not be legal.
fn push_foul(text: &mut String, position: &Position, mv: RawMove) {
    let _ = write!(text, r#""move":{{"color":{},"#, mv.color.index());
    if let Some(from) = mv.from {
        let _ = write!(text, r#""from":{{"x":{},"y":{}}},"#, from.file(), from.rank());
    }
    let _ = write!(text, r#""to":{{"x":{},"y":{}}}"#, mv.to.file(), mv.to.rank());
    let moved = mv.from.and_then(|from| position.piece_on(from)).map(Piece::kind);
    let promoting = moved.filter(|kind| kind.promoted() == Some(mv.kind));
    let _ = write!(text, r#","piece":"{}""#, csa::piece_word(promoting.unwrap_or(mv.kind)));
    if promoting.is_some() {
        text.push_str(r#","promote":true"#);
    }
    if mv.from.is_none() {
        // Without it, a move of another piece could be meant.
        text.push_str(r#","relative":"H""#);
    }
    text.push('}');
}

fn push_comments(text: &mut String, comments: &[String], separator: &str) {
    if comments.is_empty() {
        return;
    }
    text.push_str(separator);
    text.push_str("\"comments\":[");
    for (comment, number) in comments.iter().zip(0..) {
        if number > 0 {
            text.push(',');
        }
        push_text(text, comment);
    }
    text.push(']');
}

/// A text in double quotes.
fn push_text(text: &mut String, content: &str) {
    match serde_json::to_string(content) {
        Ok(quoted) => text.push_str(&quoted),
        Err(_) => text.push_str("\"\""),
    }
}
