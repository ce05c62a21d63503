//! Writes JKF.

use std::collections::HashSet;
use std::time::Duration;

use serde::Serialize;

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
        push_json(&mut text, &key);
        text.push(':');
        push_json(&mut text, &value);
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
            push_json(&mut self.text, word);
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
        let total = frame.spent[side.index()].saturating_add(time);
        let now = ClockTime { h: Some(time.as_secs() / 3600).filter(|it| *it > 0), ..time.into() };
        self.text.push_str(",\"time\":");
        push_json(&mut self.text, &TimeFields { now, total: total.into() });
    }
}

/// The time of a move, alone and with those of its side before it.
#[derive(Serialize)]
struct TimeFields {
    now: ClockTime,
    total: ClockTime,
}

#[derive(Serialize)]
struct ClockTime {
    #[serde(skip_serializing_if = "Option::is_none")]
    h: Option<u64>,
    m: u64,
    s: u64,
}

impl From<Duration> for ClockTime {
    fn from(time: Duration) -> Self {
        let secs = time.as_secs();
        Self { h: Some(secs / 3600), m: secs / 60 % 60, s: secs % 60 }
    }
}

#[derive(Serialize)]
struct MoveFields {
    color: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<SquareFields>,
    to: SquareFields,
    #[serde(skip_serializing_if = "Option::is_none")]
    piece: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    same: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    promote: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capture: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    relative: Option<String>,
}

#[derive(Serialize)]
struct SquareFields {
    x: u8,
    y: u8,
}

impl From<Square> for SquareFields {
    fn from(square: Square) -> Self {
        Self { x: square.file(), y: square.rank() }
    }
}

fn push_move(text: &mut String, position: &Position, mv: Move, last: Option<Square>) {
    let (side, to) = (position.side_to_move(), mv.to());
    let moved = mv.from().and_then(|from| position.piece_on(from)).map(Piece::kind);
    let in_camp = |square: Square| square.rank_for(side) <= 3;
    let may_promote = mv.from().is_some_and(|from| in_camp(from) || in_camp(to))
        && moved.is_some_and(|kind| kind.promoted().is_some());
    text.push_str("\"move\":");
    let fields = MoveFields {
        color: side.index(),
        from: mv.from().map(Into::into),
        to: to.into(),
        piece: moved.or_else(|| mv.dropped()).map(csa::piece_word),
        same: (mv.from().is_some() && last == Some(to)).then_some(true),
        promote: may_promote.then_some(mv.is_promotion()),
        capture: position.piece_on(to).map(|captured| csa::piece_word(captured.kind())),
        relative: words::relative(position, mv),
    };
    push_json(text, &fields);
}

/// A move that need not be legal.
fn push_foul(text: &mut String, position: &Position, mv: RawMove) {
    let moved = mv.from.and_then(|from| position.piece_on(from)).map(Piece::kind);
    let promoting = moved.filter(|kind| kind.promoted() == Some(mv.kind));
    text.push_str("\"move\":");
    let fields = MoveFields {
        color: mv.color.index(),
        from: mv.from.map(Into::into),
        to: mv.to.into(),
        piece: Some(csa::piece_word(promoting.unwrap_or(mv.kind))),
        same: None,
        promote: promoting.map(|_| true),
        capture: None,
        // Without it, a move of another piece could be meant.
        relative: mv.from.is_none().then(|| "H".to_owned()),
    };
    push_json(text, &fields);
}

fn push_comments(text: &mut String, comments: &[String], separator: &str) {
    if comments.is_empty() {
        return;
    }
    text.push_str(separator);
    text.push_str("\"comments\":");
    push_json(text, comments);
}

fn push_json(text: &mut String, value: &(impl Serialize + ?Sized)) {
    // Only a map whose keys are no texts fails.
    text.push_str(&serde_json::to_string(value).unwrap_or_default());
}
