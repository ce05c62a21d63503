//! Reads KIF and KI2 records in all dialects.
//!
//! Unusual lines are read with a warning if they do not change the game. An incomplete board is refused. A move that
//! cannot be played ends its line; the moves before it and the other lines are kept.

mod ends;
mod head;

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::fault::{Warnings, clip};
use crate::foul::{LastMove, lost_comments};
use crate::{Encoding, EndKind, Header, Place, ReadRecord, Record, RecordError, RecordFault};
use kyomi_shogi::Color;

use super::analysis::{self, CommentSource};
use super::board::{Setup, is_frame};
use super::cursor::Cursor;
use super::ends::{read_marked, read_word};
use super::game_lines::{GameLines, NoParent, Parent};
use super::numbers::MoveNumbers;
use super::numerals::{digits, is_blank, number};
use super::relative::{FindError, find, raw_move};
use super::words::{WrittenMove, begins_move, scan, side_mark};
use super::{header, times};

/// A game that is being read.
pub(super) struct Reader {
    header: Header,
    version: Option<String>,
    encoding: Encoding,
    setup: Setup,
    /// `None` before the first move.
    lines: Option<Box<GameLines>>,
    /// Whether the moves, or the heading before them, were reached.
    has_reached_moves: bool,
    /// Whether any part of a game was read.
    is_game: bool,
    numbers: MoveNumbers,
    /// Whether something was ignored after the end of the line.
    is_over: bool,
    /// Comments before the first move of a variation.
    pending: Vec<String>,
    /// The form of the analysis of the last move.
    source: Option<CommentSource>,
    warnings: Warnings,
    error: Option<RecordError>,
    fault: Option<RecordError>,
    /// The number of comments after moves that cannot be played.
    lost_comments: usize,
}

impl Reader {
    pub(super) fn new(encoding: Encoding) -> Self {
        Self {
            header: Header::default(),
            version: None,
            encoding,
            setup: Setup::default(),
            lines: None,
            has_reached_moves: false,
            is_game: false,
            numbers: MoveNumbers::default(),
            is_over: false,
            pending: Vec::new(),
            source: None,
            warnings: Warnings::default(),
            error: None,
            fault: None,
            lost_comments: 0,
        }
    }

    /// Whether the moves, or the heading before them, were reached.
    pub(super) fn has_reached_moves(&self) -> bool {
        self.has_reached_moves
    }

    /// Reads a line, without its end.
    pub(super) fn line(&mut self, number: usize, line: &str) {
        if self.error.is_some() {
            return;
        }
        // Control characters cannot be written again. Each becomes one space, so that columns stay the same.
        let clean = if line.contains(char::is_control) {
            Cow::Owned(line.replace(char::is_control, " "))
        } else {
            Cow::Borrowed(line)
        };
        if let Some(byte) = line.find(|c: char| c.is_control() && c != '\t') {
            let mut at = Cursor::new(number, line);
            at.skip(byte);
            self.warn(&mut at, || "a control character, read as a blank".to_owned());
        }
        let line = clean.as_ref();
        let mut at = Cursor::new(number, line);
        match line.chars().next() {
            None => return,
            Some('*') => return self.comment(&line[1..]),
            Some('&') => return self.comment(line),
            Some('#') => return self.remark(line),
            Some(_) => {}
        }
        let text = line.trim_start_matches(is_blank);
        at.skip(line.len() - text.len());
        let text = text.trim_end_matches(is_blank);
        let Some(first) = text.chars().next() else { return };
        if first == '|' {
            self.row(&mut at, text);
        } else if is_frame(text) || first == '#' {
        } else if let Some(rest) = text.strip_prefix("変化") {
            self.branch(&mut at, rest);
        } else if text.starts_with("まで") {
            self.result(&mut at, text);
        } else if header::is_heading(text) {
            self.heading(&mut at, text);
        } else if self.is_end(text) && self.lines(&at).is_some() {
            self.special(&mut at, text);
        } else if begins_move(first) && self.moves(&mut at, text) {
        } else if !self.turn(&mut at, text) && !self.key(&mut at, text) {
            self.warn(&mut at, || format!("'{}' is not understood; ignored", clip(text)));
        }
    }

    /// A line that programs write for programs.
    fn remark(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix(VERSION) {
            self.is_game = true;
            let version = rest.split_whitespace().next().unwrap_or_default();
            self.version.get_or_insert_with(|| clip(version));
        }
    }

    /// The lines of the game, which begin here if they have not begun.
    fn lines(&mut self, at: &Cursor<'_>) -> Option<&mut GameLines> {
        if self.lines.is_none() {
            (self.has_reached_moves, self.is_game) = (true, true);
            match self.setup.position(at.number) {
                Ok(start) => {
                    let place = self.setup.place().unwrap_or_else(|| Place::text(at.number, 1));
                    self.warnings.add_start(place, &start);
                    self.numbers =
                        MoveNumbers::starting_after(usize::from(start.ply()).saturating_sub(1));
                    self.lines = Some(Box::new(GameLines::new(start)));
                }
                Err(error) => self.error = Some(error),
            }
        }
        self.lines.as_deref_mut()
    }

    /// Reads a line of moves. Returns `false` if it is none.
    fn moves(&mut self, at: &mut Cursor<'_>, text: &str) -> bool {
        let mut text = text;
        // One program writes `1: ▲７六歩`.
        let numbered = digits(text).and_then(|(number, length)| {
            let rest = &text[length..];
            let rest = rest.strip_prefix([':', '：']).unwrap_or(rest);
            rest.starts_with(is_blank).then(|| (number, rest.trim_start_matches(is_blank)))
        });
        if let Some((number, rest)) = numbered {
            let is_end = |text| !matches!(read_word(text, Color::Black).0, EndKind::Unknown(_));
            if !rest.starts_with(begins_move) && !is_end(rest) {
                let is_first = self.lines.as_ref().is_none_or(|lines| lines.len() == 0);
                if rest.starts_with('#') || number == 0 && is_first && rest.contains(START) {
                    return true;
                }
                if !self.has_reached_moves || number == 0 && is_first {
                    // A number and words among the headers.
                    return false;
                }
            }
            at.skip(text.len() - rest.len());
            text = rest;
            self.is_game = true;
            if self.lines(at).is_none() {
                return true;
            }
            self.number(at, number);
            if scan(text).is_none() {
                self.special(at, text);
                return true;
            }
        } else if scan(text).is_none() {
            if !text.starts_with(|c| side_mark(c).is_some()) {
                return false;
            }
            let is_name = !self.has_reached_moves && read_marked(text, Color::Black).is_none();
            if is_name && self.names(at, text) {
                return true;
            }
        }
        if self.lines(at).is_none() {
            return true;
        }
        while !text.is_empty() && self.error.is_none() {
            let length = match (scan(text), text.chars().next()) {
                (Some((written, length)), _) => {
                    self.made(at, &written, &text[..length]);
                    length
                }
                (None, Some('(' | '（')) => self.time(at, text),
                // 6s: seconds alone.
                (None, Some(_)) if text.strip_suffix('s').is_some_and(is_number) => {
                    self.time(at, &format!("0:{}", text.trim_end_matches('s')));
                    text.len()
                }
                (None, Some(plus @ ('+' | '＋'))) => plus.len_utf8(),
                _ => {
                    self.special(at, text);
                    return true;
                }
            };
            let rest = text.get(length..).unwrap_or_default().trim_start_matches(is_blank);
            at.skip(text.len() - rest.len());
            text = rest;
        }
        true
    }

    /// The number before a move.
    fn number(&mut self, at: &mut Cursor<'_>, number: u64) {
        let Some(lines) = self.lines.as_deref_mut().filter(|lines| !lines.is_broken()) else {
            return;
        };
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        if lines.end_mut().is_some() {
            return self.numbers.after_end(number);
        }
        if let Some(odd) = self.numbers.check(number, lines.len() + 1) {
            self.warn(at, || odd);
        }
    }

    /// Removes an unknown end if the game continues after it. It does if what follows fits, or after a sealed move
    /// in any case. Returns `false` where the end stays.
    fn resume_after_end(&mut self, at: &mut Cursor<'_>, fits: bool) -> bool {
        let Some(lines) = self.lines.as_deref_mut() else { return false };
        let (ply, is_main) = (lines.len() + 1, lines.is_main());
        let Some(end) = lines.end_mut() else { return true };
        let EndKind::Unknown(word) = &end.kind else { return false };
        let (mut word, is_sealed) = (word.clone(), word == SEALED);
        // After something was ignored, the game cannot continue.
        self.is_over |= !fits && !is_sealed;
        if self.is_over {
            return false;
        }
        let (time, comments) = (end.time, std::mem::take(&mut end.comments));
        *lines.end_mut() = None;
        if !is_sealed {
            let text = clip(&word);
            self.warn(at, || {
                format!("the game continues after '{text}', which is kept as a comment")
            });
        }
        if let Some(time) = time {
            let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
            let _ = write!(word, " ({minutes}:{seconds:02})");
        }
        self.comment(&word);
        for comment in comments {
            self.comment(&comment);
        }
        if let Some(odd) = self.numbers.resume(ply, is_main) {
            self.warn(at, || odd);
        }
        true
    }

    fn made(&mut self, at: &mut Cursor<'_>, written: &WrittenMove, text: &str) {
        let Some(lines) = self.lines.as_deref_mut() else { return };
        if lines.is_broken() {
            return self.leave_out();
        }
        let found = find(lines.position(), written, lines.last_target());
        if lines.end_mut().is_some() && !self.resume_after_end(at, found.is_ok()) {
            return self.warn(at, || format!("{} is after the end; ignored", clip(text)));
        }
        let Some(lines) = self.lines.as_deref_mut() else { return };
        match found {
            Ok(mv) => {
                let is_other =
                    written.mark.is_some_and(|mark| mark != lines.position().side_to_move());
                lines.push(mv);
                self.source = None;
                for comment in std::mem::take(&mut self.pending) {
                    self.comment(&comment);
                }
                if is_other {
                    self.warn(at, || format!("{} has the mark of the other side", clip(text)));
                }
            }
            Err(why) => {
                let ply = lines.len() + 1;
                let mv = raw_move(lines.position(), written, lines.last_target());
                let found = clip(text);
                let fault = match why {
                    FindError::Illegal => RecordFault::Illegal { ply, found },
                    FindError::Misnamed(square) => RecordFault::Misnamed {
                        ply,
                        found,
                        square: format!("{}{}", square.file(), square.rank()),
                    },
                    FindError::Ambiguous(squares) => RecordFault::Ambiguous {
                        ply,
                        found,
                        squares: squares
                            .iter()
                            .map(|square| format!("{}{}", square.file(), square.rank()))
                            .collect::<Vec<_>>()
                            .join(" and "),
                    },
                };
                match LastMove::new(mv, lines.position(), at.place().error(fault)) {
                    Ok(last) => lines.break_off_at(last),
                    Err(error) => {
                        lines.break_off();
                        self.fault.get_or_insert(error);
                    }
                }
            }
        }
    }

    /// The line goes on after a move that cannot be played, or does not say that it ended the game.
    fn leave_out(&mut self) {
        let last = self.lines.as_deref_mut().and_then(|lines| lines.unplayable_mut().take());
        let Some(last) = last else { return };
        if let Some(text) = last.lost_warning() {
            self.warnings.add(last.error.place, || text);
        }
        self.fault.get_or_insert(last.error);
    }

    /// Ends a line after its last move, which may be one that cannot be played.
    fn end_line(&mut self) {
        let Some(lines) = self.lines.as_deref_mut() else { return };
        let is_main = lines.is_main();
        match lines.unplayable_mut().take_if(|last| is_main && last.is_foul_alone()) {
            Some(last) => {
                self.fault.get_or_insert_with(|| last.error.clone());
                lines.end_with(last);
            }
            None => self.leave_out(),
        }
    }

    /// Reports a text that begins like a move and is none.
    fn bad(&mut self, at: &mut Cursor<'_>, text: &str) {
        let Some(lines) = self.lines.as_deref_mut() else { return };
        if lines.is_broken() {
            return self.leave_out();
        }
        if lines.end_mut().is_some() && !self.resume_after_end(at, false) {
            return self.warn(at, || format!("{} is after the end; ignored", clip(text)));
        }
        let Some(lines) = self.lines.as_deref_mut() else { return };
        let ply = lines.len() + 1;
        lines.break_off();
        let place = at.place();
        let fault = RecordFault::NoMove { ply, found: clip(text), expected: MOVE };
        self.fault.get_or_insert_with(|| place.error(fault));
    }

    /// Reads `( 0:16/00:00:16)` of the last move or the end. Returns its length.
    fn time(&mut self, at: &mut Cursor<'_>, text: &str) -> usize {
        let end = text.find([')', '）']);
        let (inside, length) = match end {
            Some(end) => (&text[..end], end + text[end..].chars().next().map_or(0, char::len_utf8)),
            None => (text, text.len()),
        };
        let inside = inside.trim_start_matches(['(', '（']);
        let Some(lines) = self.lines.as_deref_mut() else { return length };
        if lines.is_broken() && lines.unplayable_mut().is_none() {
            return length;
        }
        let Some(time) = times::parse(inside) else {
            if !times::is_empty(inside) {
                self.warn(at, || format!("'{}' is not a time; ignored", clip(text)));
            }
            return length;
        };
        if let Some(last) = lines.unplayable_mut() {
            last.foul.time = Some(time);
        } else if let Some(end) = lines.end_mut() {
            end.time = Some(time);
        } else if let Some(last) = lines.last_mut() {
            last.time = Some(time);
        }
        length
    }

    /// `変化：12手`
    fn branch(&mut self, at: &mut Cursor<'_>, rest: &str) {
        let rest = rest.trim_start_matches(|c: char| is_blank(c) || matches!(c, '：' | ':'));
        let number = number(rest).map_or(0, |(number, _)| number);
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        if self.lines.is_none() && !self.has_reached_moves && number != 1 {
            // One program writes such lines among the headers.
            self.warn(at, || "a variation before the moves; ignored".to_owned());
            return;
        }
        self.end_line();
        self.pending.clear();
        self.is_over = false;
        let ply = self.numbers.ply_of_variation(number);
        let place = at.place();
        let Some(lines) = self.lines(at) else { return };
        match lines.begin_variation(ply) {
            Ok(Parent::Last) => {}
            Ok(Parent::Earlier) => self.warn(at, || {
                format!("the line before has no move {number}; read as leaving one that has")
            }),
            Err(NoParent) => {
                self.fault.get_or_insert_with(|| place.error(RecordFault::NoLine { number }));
            }
        }
    }

    fn comment(&mut self, comment: &str) {
        let Some(lines) = self.lines.as_deref_mut() else {
            self.header.comments.push(comment.to_owned());
            return;
        };
        if let Some(last) = lines.unplayable_mut() {
            return last.foul.comments.push(comment.to_owned());
        }
        if lines.is_broken() {
            self.lost_comments += 1;
            return;
        }
        if let Some(end) = lines.end_mut() {
            end.comments.push(comment.to_owned());
            return;
        }
        let is_main = lines.is_main();
        match lines.last_with_board() {
            Some((last, position)) => {
                if !analysis::read(last, &mut self.source, position, comment) {
                    last.comments.push(comment.to_owned());
                }
            }
            None if is_main => self.header.comments.push(comment.to_owned()),
            None => self.pending.push(comment.to_owned()),
        }
    }

    fn warn(&mut self, at: &mut Cursor<'_>, text: impl FnOnce() -> String) {
        let place = at.place();
        self.warnings.add(place, text);
    }

    /// The game; `None` if no part of one was read.
    pub(super) fn finish(mut self) -> Option<Result<ReadRecord, RecordError>> {
        if self.is_game && self.error.is_none() {
            self.lines(&Cursor::new(1, ""));
        }
        if let Some(error) = self.error {
            return Some(Err(error));
        }
        self.end_line();
        if let Some(fault) = &self.fault
            && self.lost_comments > 0
        {
            let text = lost_comments(self.lost_comments);
            self.warnings.add(fault.place, || text);
        }
        header::finish(&mut self.header);
        let record = self.lines?.finish();
        Some(Ok(ReadRecord {
            record: Record { header: self.header, ..record },
            fault: self.fault,
            warnings: self.warnings.kept,
            more_warnings: self.warnings.more,
            version: self.version,
            encoding: Some(self.encoding),
        }))
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) const VERSION: &str = "#KIF version=";
/// Part of the line with the number 0, which stands for the start position.
const START: &str = "開始局面";
const SEALED: &str = "封じ手";
const MOVE: &str = "a square and a piece, as ７六歩(77) or ▲７六歩";
