//! Reads KIF and KI2 records, in all dialects that are about.
//!
//! Much is read that is odd, with a warning. What would make another game of it is not: a board that
//! is not whole is refused, and a move that cannot be played ends its line there, with what stands
//! before it, and other lines, kept.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::record::fault::{Warnings, clip};
use crate::record::{
    Encoding, End, EndKind, Header, Place, ReadRecord, Record, RecordError, RecordFault, decode,
};
use crate::shogi::Color;

use super::analysis::{self, Source};
use super::board::Setup;
use super::ends::{end_from_result, read_word};
use super::fork::{Left, Lines, NoLine};
use super::numbers::Numbers;
use super::numerals::{arabic, digits, is_blank, number, trim};
use super::place::At;
use super::relative::{Unfound, find};
use super::words::{Said, begins_move, scan, side_mark};
use super::{header, times};

/// Reads the games of a file one by one. There is mostly one; in files put together a header line
/// behind the moves of one game begins the next. A file without any game is one error.
pub fn read_each(bytes: &[u8]) -> Games {
    let mut bytes = bytes;
    while let [before @ .., DOS_END] = bytes {
        bytes = before;
    }
    let (text, encoding) = decode(bytes);
    Games { text, encoding, at: 0, number: 0, is_empty: true }
}

/// The games of a file, read as they are asked for.
#[derive(Clone, Debug)]
pub struct Games {
    text: String,
    encoding: Encoding,
    /// Where the next line begins, and how many stand before it.
    at: usize,
    number: usize,
    /// Whether no game was found yet.
    is_empty: bool,
}

impl Iterator for Games {
    type Item = Result<ReadRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut game = Reader::new(self.encoding);
        for line in self.text.get(self.at..)?.split_inclusive('\n') {
            let text = line.strip_suffix('\n').unwrap_or(line);
            let text = text.strip_suffix('\r').unwrap_or(text);
            if game.is_begun && begins_game(text) {
                break;
            }
            self.at += line.len();
            self.number += 1;
            game.line(self.number, text);
        }
        let found = game.finish();
        if found.is_some() {
            self.is_empty = false;
            return found;
        }
        let nothing = std::mem::replace(&mut self.is_empty, false);
        nothing.then_some(Err(Place::text(1, 1).error(NO_GAME)))
    }
}

/// Whether a line behind the moves of a game begins another one.
fn begins_game(line: &str) -> bool {
    line.starts_with(VERSION)
        || header::split(line).is_some_and(|(key, _)| header::begins_game(key))
}

/// One game in the making.
struct Reader {
    header: Header,
    version: Option<String>,
    encoding: Encoding,
    setup: Setup,
    /// `None` before the first move.
    lines: Option<Box<Lines>>,
    /// Whether the moves, or their heading, were met.
    is_begun: bool,
    /// Whether anything of a game was met.
    is_game: bool,
    numbers: Numbers,
    /// Something was passed over behind the end of the line.
    is_over: bool,
    /// Comments before the first move of a variation.
    pending: Vec<String>,
    /// Who said something of the last move.
    source: Option<Source>,
    warnings: Warnings,
    error: Option<RecordError>,
    fault: Option<RecordError>,
}

impl Reader {
    fn new(encoding: Encoding) -> Self {
        Self {
            header: Header::default(),
            version: None,
            encoding,
            setup: Setup::default(),
            lines: None,
            is_begun: false,
            is_game: false,
            numbers: Numbers::default(),
            is_over: false,
            pending: Vec::new(),
            source: None,
            warnings: Warnings::default(),
            error: None,
            fault: None,
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        if self.error.is_some() {
            return;
        }
        // No value holds what would not come back when it is written; columns stay as they are.
        let clean = if line.contains(char::is_control) {
            Cow::Owned(line.replace(char::is_control, " "))
        } else {
            Cow::Borrowed(line)
        };
        if let Some(byte) = line.find(|c: char| c.is_control() && c != '\t') {
            let mut at = At::new(number, line);
            at.skip(byte);
            self.warn(&mut at, || "a control character, read as a blank".to_owned());
        }
        let line = clean.as_ref();
        let mut at = At::new(number, line);
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
        } else if is_frame(text) {
        } else if let Some(rest) = text.strip_prefix("変化") {
            self.branch(&mut at, rest);
        } else if text.starts_with("まで") {
            self.result(&mut at, text);
        } else if text.starts_with("手数") {
            self.heading(&mut at, text);
        } else if begins_move(first) && self.moves(&mut at, text) {
        } else if !self.turn(&mut at, text) && !self.key(&mut at, text) {
            self.warn(&mut at, || format!("'{}' is not understood; passed over", clip(text)));
        }
    }

    /// A line of a program to programs.
    fn remark(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix(VERSION) {
            self.is_game = true;
            let version = rest.split_whitespace().next().unwrap_or_default();
            self.version.get_or_insert_with(|| clip(version));
        }
    }

    fn row(&mut self, at: &mut At<'_>, text: &str) {
        if self.is_late(at, text) {
            return;
        }
        self.is_game = true;
        if let Err(error) = self.setup.row(at.place(), text) {
            self.error = Some(error);
        }
    }

    /// `後手番`
    fn turn(&mut self, at: &mut At<'_>, text: &str) -> bool {
        let Some(side) = text.strip_suffix('番').and_then(side_of) else { return false };
        if !self.is_late(at, text) {
            self.is_game = true;
            self.setup.side(side);
        }
        true
    }

    /// `手数----指手---------消費時間--`, or `手数＝33  △３三角  まで` under a board.
    fn heading(&mut self, at: &mut At<'_>, text: &str) {
        self.is_game = true;
        let rest = &text["手数".len()..];
        let value = rest.strip_prefix(['＝', '=', '：', ':']).map(trim);
        match value.and_then(number) {
            Some((number, _)) => {
                if !self.is_late(at, text) {
                    self.setup.moves_before(number);
                }
            }
            None => self.is_begun = true,
        }
    }

    /// A header line.
    fn key(&mut self, at: &mut At<'_>, text: &str) -> bool {
        let Some((key, _)) = header::split(text) else { return false };
        // With the blanks at the end of the line.
        let value = header::split(&at.line[at.byte..]).map_or("", |(_, value)| value);
        let is_setup = key == "手合割" || key == "手番" || header::hand_of(key).is_some();
        if is_setup && self.is_late(at, text) {
            return true;
        }
        self.is_game = true;
        let place = at.place();
        if key == "手合割" {
            self.setup.handicap(place, trim(value));
        } else if let Some(color) = header::hand_of(key) {
            if let Err(error) = self.setup.hand(place, color, value) {
                self.error = Some(error);
            }
        } else if let Some(side) = side_of(trim(value)).filter(|_| key == "手番") {
            self.setup.side(side);
        } else {
            header::read(&mut self.header, key, value);
        }
        true
    }

    /// Whether a line of the start position stands behind the first move, which is warned of.
    fn is_late(&mut self, at: &mut At<'_>, text: &str) -> bool {
        let is_late = self.lines.is_some();
        if is_late {
            self.warn(at, || format!("'{}' stands behind the first move; passed over", clip(text)));
        }
        is_late
    }

    /// The lines, which begin here at the latest.
    fn lines(&mut self, at: &At<'_>) -> Option<&mut Lines> {
        if self.lines.is_none() {
            (self.is_begun, self.is_game) = (true, true);
            match self.setup.position(at.number) {
                Ok(start) => self.lines = Some(Box::new(Lines::new(start))),
                Err(error) => self.error = Some(error),
            }
        }
        self.lines.as_deref_mut()
    }

    /// A line of moves. `false` if it is none.
    fn moves(&mut self, at: &mut At<'_>, text: &str) -> bool {
        let mut text = text;
        let numbered = digits(text).filter(|(_, length)| text[*length..].starts_with(is_blank));
        if let Some((number, length)) = numbered {
            let rest = text[length..].trim_start_matches(is_blank);
            let is_end = |text| !matches!(read_word(text, Color::Black).0, EndKind::Unknown(_));
            if !self.is_begun && !rest.starts_with(begins_move) && !is_end(rest) {
                // A number and words among the headers.
                return false;
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
        } else if scan(text).is_none() && !text.starts_with(|c| side_mark(c).is_some()) {
            return false;
        }
        if self.lines(at).is_none() {
            return true;
        }
        while !text.is_empty() && self.error.is_none() {
            let length = match (scan(text), text.chars().next()) {
                (Some((said, length)), _) => {
                    self.made(at, &said, &text[..length]);
                    length
                }
                (None, Some('(' | '（')) => self.time(at, text),
                (None, Some('+' | '＋')) => 1,
                (None, Some(first)) if begins_move(first) => {
                    self.bad(at, text);
                    return true;
                }
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
    fn number(&mut self, at: &mut At<'_>, number: u64) {
        let Some(lines) = self.lines.as_deref_mut().filter(|lines| !lines.is_broken()) else {
            return;
        };
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        if lines.end_mut().is_some() {
            return self.numbers.pass(number);
        }
        if let Some(odd) = self.numbers.take(number, lines.len() + 1) {
            self.warn(at, || odd);
        }
    }

    /// Takes back an unknown end behind which the game goes on. It does if what follows fits; behind a
    /// sealed move, with whatever follows. `false` where the end stands.
    fn go_on(&mut self, at: &mut At<'_>, fits: bool) -> bool {
        let Some(lines) = self.lines.as_deref_mut() else { return false };
        let (ply, is_main) = (lines.len() + 1, lines.is_main());
        let Some(end) = lines.end_mut() else { return true };
        let EndKind::Unknown(word) = &end.kind else { return false };
        let (mut word, is_sealed) = (word.clone(), word == SEALED);
        // What is passed over once leaves no game to go on with.
        self.is_over |= !fits && !is_sealed;
        if self.is_over {
            return false;
        }
        let (time, comments) = (end.time, std::mem::take(&mut end.comments));
        *lines.end_mut() = None;
        if !is_sealed {
            let text = clip(&word);
            self.warn(at, || format!("the game goes on behind '{text}', which stays a comment"));
        }
        if let Some(time) = time {
            let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
            let _ = write!(word, " ({minutes}:{seconds:02})");
        }
        self.comment(&word);
        for comment in comments {
            self.comment(&comment);
        }
        if let Some(odd) = self.numbers.go_on(ply, is_main) {
            self.warn(at, || odd);
        }
        true
    }

    fn made(&mut self, at: &mut At<'_>, said: &Said, text: &str) {
        let Some(lines) = self.lines.as_deref_mut() else { return };
        if lines.is_broken() {
            return;
        }
        let found = find(lines.position(), said, lines.before());
        if lines.end_mut().is_some() && !self.go_on(at, found.is_ok()) {
            return self.warn(at, || format!("{} stands behind the end; passed over", clip(text)));
        }
        let Some(lines) = self.lines.as_deref_mut() else { return };
        match found {
            Ok(mv) => {
                let is_other =
                    said.mark.is_some_and(|mark| mark != lines.position().side_to_move());
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
                lines.break_off();
                let found = clip(text);
                let fault = match why {
                    Unfound::Illegal => RecordFault::Illegal { ply, found },
                    Unfound::Misnamed(square) => RecordFault::Misnamed {
                        ply,
                        found,
                        square: format!("{}{}", square.file(), square.rank()),
                    },
                    Unfound::Ambiguous(squares) => RecordFault::Ambiguous {
                        ply,
                        found,
                        squares: squares
                            .iter()
                            .map(|square| format!("{}{}", square.file(), square.rank()))
                            .collect::<Vec<_>>()
                            .join(" and "),
                    },
                };
                let place = at.place();
                self.fault.get_or_insert_with(|| place.error(fault));
            }
        }
    }

    /// What begins like a move and is none.
    fn bad(&mut self, at: &mut At<'_>, text: &str) {
        let Some(lines) = self.lines.as_deref_mut() else { return };
        if lines.is_broken() {
            return;
        }
        if lines.end_mut().is_some() && !self.go_on(at, false) {
            return self.warn(at, || format!("{} stands behind the end; passed over", clip(text)));
        }
        let Some(lines) = self.lines.as_deref_mut() else { return };
        let ply = lines.len() + 1;
        lines.break_off();
        let place = at.place();
        let fault = RecordFault::NoMove { ply, found: clip(text), expected: MOVE };
        self.fault.get_or_insert_with(|| place.error(fault));
    }

    /// A word that stands where a move could: an end, with its time.
    fn special(&mut self, at: &mut At<'_>, text: &str) {
        if text.starts_with(begins_move) {
            return self.bad(at, text);
        }
        let Some(lines) = self.lines.as_deref_mut() else { return };
        let (kind, word) = read_word(text, lines.position().side_to_move());
        if lines.is_broken() {
            // The move that cannot be played was an offence, and this says so.
            let is_main = lines.is_main();
            if word == "反則勝ち" && is_main && lines.end_mut().is_none() {
                *lines.end_mut() = Some(End::new(EndKind::IllegalMove));
            }
            return;
        }
        if word.is_empty() {
            return;
        }
        let is_unknown = matches!(kind, EndKind::Unknown(_));
        let rest = &text[word.len()..];
        if lines.end_mut().is_some() && (is_unknown || !self.go_on(at, true)) {
            return self.warn(at, || format!("{} stands behind the end; passed over", clip(word)));
        }
        let Some(lines) = self.lines.as_deref_mut() else { return };
        *lines.end_mut() = Some(End::new(kind));
        if is_unknown {
            self.warn(at, || format!("the end '{}' is not known", clip(word)));
        }
        let rest = rest.trim_start_matches(is_blank);
        at.skip(text.len() - rest.len());
        if rest.starts_with(['(', '（']) {
            self.time(at, rest);
        }
    }

    /// `( 0:16/00:00:16)` of the move or the end before. Returns its length.
    fn time(&mut self, at: &mut At<'_>, text: &str) -> usize {
        let end = text.find([')', '）']);
        let (inside, length) = match end {
            Some(end) => (&text[..end], end + text[end..].chars().next().map_or(0, char::len_utf8)),
            None => (text, text.len()),
        };
        let inside = inside.trim_start_matches(['(', '（']);
        let Some(lines) = self.lines.as_deref_mut().filter(|lines| !lines.is_broken()) else {
            return length;
        };
        let Some(time) = times::parse(inside) else {
            if !trim(inside.split('/').next().unwrap_or_default()).is_empty() {
                self.warn(at, || format!("'{}' is no time; passed over", clip(text)));
            }
            return length;
        };
        if let Some(end) = lines.end_mut() {
            end.time = Some(time);
        } else if let Some(last) = lines.last_mut() {
            last.time = Some(time);
        }
        length
    }

    /// `変化：12手`
    fn branch(&mut self, at: &mut At<'_>, rest: &str) {
        let rest = rest.trim_start_matches(|c: char| is_blank(c) || matches!(c, '：' | ':'));
        let number = number(rest).map_or(0, |(number, _)| number);
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        if self.lines.is_none() && !self.is_begun && number != 1 {
            // One program writes such lines among the headers.
            self.warn(at, || "a variation stands before the moves; passed over".to_owned());
            return;
        }
        self.pending.clear();
        self.is_over = false;
        let ply = self.numbers.leave(number);
        let place = at.place();
        let Some(lines) = self.lines(at) else { return };
        match lines.leave(ply) {
            Ok(Left::Before) => {}
            Ok(Left::Earlier) => self.warn(at, || {
                format!("the line before has no move {number}; read as leaving one that has")
            }),
            Err(NoLine) => {
                self.fault.get_or_insert_with(|| place.error(RecordFault::NoLine { number }));
            }
        }
    }

    /// `まで113手で先手の勝ち`
    fn result(&mut self, at: &mut At<'_>, text: &str) {
        let Some(lines) = self.lines(at) else { return };
        if lines.is_broken() || lines.end_mut().is_some() {
            return;
        }
        let Some(kind) = end_from_result(text, lines.position().side_to_move()) else { return };
        let is_unknown = matches!(kind, EndKind::Unknown(_));
        *lines.end_mut() = Some(End::new(kind));
        if is_unknown {
            self.warn(at, || format!("the end '{}' is not known", clip(text)));
        }
    }

    fn comment(&mut self, comment: &str) {
        let Some(lines) = self.lines.as_deref_mut() else {
            self.header.comments.push(comment.to_owned());
            return;
        };
        if lines.is_broken() {
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

    fn warn(&mut self, at: &mut At<'_>, text: impl FnOnce() -> String) {
        let place = at.place();
        self.warnings.add(place, text);
    }

    /// The game; `None` where nothing of one stood.
    fn finish(mut self) -> Option<Result<ReadRecord, RecordError>> {
        if self.is_game && self.error.is_none() {
            self.lines(&At::new(1, ""));
        }
        if let Some(error) = self.error {
            return Some(Err(error));
        }
        header::finish(&mut self.header);
        let record = self.lines?.finish();
        Some(Ok(ReadRecord {
            record: Record { header: self.header, ..record },
            fault: self.fault,
            warnings: self.warnings.0,
            version: self.version,
            encoding: Some(self.encoding),
        }))
    }
}

/// Whether a line is part of the frame of a board: a border, or the numbers of the files.
fn is_frame(text: &str) -> bool {
    let is_border = text.starts_with('+') && text.bytes().all(|byte| matches!(byte, b'+' | b'-'));
    let is_files = |c| is_blank(c) || arabic(c).is_some();
    is_border
        || text.chars().filter(|c| arabic(*c).is_some()).take(10).count() == 9
            && text.chars().all(is_files)
}

fn side_of(name: &str) -> Option<Color> {
    match name {
        "先手" | "下手" => Some(Color::Black),
        "後手" | "上手" => Some(Color::White),
        _ => None,
    }
}

const VERSION: &str = "#KIF version=";
const SEALED: &str = "封じ手";
const MOVE: &str = "a square and a piece, as ７六歩(77) or ▲７六歩";
const NO_GAME: RecordFault = RecordFault::NoGame {
    expected: "a KIF or KI2 record has headers as 先手：, or moves as ７六歩(77) or ▲７六歩",
};

/// Ends a text file under DOS.
const DOS_END: u8 = 0x1a;
