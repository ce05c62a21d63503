//! Reads CSA records: 3.0, 2.2, 2.1, 2, and those without a version line.
//!
//! Real files often break the format. What does not change the game is read with a warning: a missing side line,
//! times at the wrong place, anything after the end. What would change the game is not: a piece that does not exist
//! or a board with missing rows is refused, and a move that cannot be played ends the game there. The moves before
//! it are kept, and so is an illegal move that ended the game, see [`Foul`].

mod ends;

use std::borrow::Cow;

use crate::fault::{Warnings, clip};
use crate::file_lines::FileLines;
use crate::foul::{LastMove, lost_comments};
use crate::{
    Encoding, End, Header, Place, ReadRecord, Record, RecordError, RecordFault, RecordMove,
};
use kyomi_shogi::notation::csa::{self, CsaPositionError, PositionBlock, RawMove};
use kyomi_shogi::{Color, Position};

use super::comment::{Commented, plain_comment};
use super::keys::{derive_controls, read_comment_key, read_end_comment, read_key, seconds};
use super::statement::{is_key_byte, next_statement};

/// Reads all games of a file.
///
/// # Errors
/// The first game that cannot be read at all. A game with a move that cannot be played is read up
/// to that move, see [`ReadRecord::fault`].
pub fn read(bytes: &[u8]) -> Result<Vec<ReadRecord>, RecordError> {
    read_each(bytes).collect()
}

/// Reads the games of a file one by one. A line `/` separates them. Each game is read independently: a broken one
/// does not affect the others. A part that is not a game, such as a version line alone, is a warning of the game
/// before it. A file without any game is one error.
pub fn read_each(bytes: &[u8]) -> Games {
    Games { lines: FileLines::new(bytes), is_empty: true, ahead: None }
}

/// The games of a file, read on demand.
#[derive(Clone, Debug)]
pub struct Games {
    lines: FileLines,
    /// Whether no game was found yet.
    is_empty: bool,
    /// The next game, found in the search for parts that belong to the game before.
    ahead: Option<Result<ReadRecord, RecordError>>,
}

/// What is between two lines `/`.
enum Part {
    Game(Box<Result<ReadRecord, RecordError>>),
    /// Text that has neither a position nor a move.
    NoGame(RecordError),
}

impl Games {
    /// The next part that is not empty.
    fn part(&mut self) -> Option<Part> {
        while !self.lines.is_at_end() {
            let mut game = Reader::new(self.lines.encoding());
            while let Some((number, line)) = self.lines.next_unless(|_| false) {
                if line.trim_end() == "/" {
                    break;
                }
                game.line(number, line);
            }
            if let Some(mut part) = game.finish() {
                if let Part::Game(game) = &mut part
                    && let Ok(game) = game.as_mut()
                {
                    self.lines.warn_of_broken_bytes(game);
                }
                return Some(part);
            }
        }
        None
    }
}

impl Iterator for Games {
    type Item = Result<ReadRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut game = self.ahead.take();
        while let Some(part) = self.part() {
            self.is_empty = false;
            match (part, &mut game) {
                (Part::NoGame(error), None) => game = Some(Err(error)),
                (Part::NoGame(error), Some(Ok(game))) => {
                    let kept = std::mem::take(&mut game.warnings);
                    let mut warnings = Warnings { kept, more: game.more_warnings };
                    warnings.add(error.place, || "no game here; ignored".to_owned());
                    (game.warnings, game.more_warnings) = (warnings.kept, warnings.more);
                }
                // The game before has an error already.
                (Part::NoGame(_), Some(Err(_))) => {}
                (Part::Game(found), None) => game = Some(*found),
                (Part::Game(found), Some(_)) => {
                    self.ahead = Some(*found);
                    break;
                }
            }
        }
        if game.is_some() {
            return game;
        }
        std::mem::replace(&mut self.is_empty, false)
            .then_some(Err(Place::text(1, 1).error(NO_GAME)))
    }
}

/// A game that is being read.
struct Reader {
    header: Header,
    version: Option<String>,
    encoding: Encoding,
    /// The line of the first statement that is not a comment.
    first_line: Option<usize>,
    stage: Stage,
    warnings: Warnings,
    /// Why the game cannot be read at all.
    error: Option<RecordError>,
    fault: Option<RecordError>,
    /// The number of comments after the fault.
    lost_comments: usize,
}

/// How far the game has been read.
enum Stage {
    /// Names, keys, the start position. Boxed because it is large.
    Head(Box<Head>),
    /// Moves, then the end.
    Moves(Box<Moves>),
}

#[derive(Default)]
struct Head {
    block: PositionBlock,
    /// The place of each line of the position: its line, and the columns before it.
    places: Vec<(usize, usize)>,
    has_board: bool,
}

impl Head {
    /// A fault of the position, with its place in the file; at `line` if the fault has no place.
    fn error(&self, error: CsaPositionError, line: usize) -> RecordError {
        let (at, column, fault) = from_position(error);
        let first = self.places.first().map_or(line, |(line, _)| *line);
        let place = at.and_then(|at| self.places.get(at.checked_sub(1)?));
        match place {
            Some((line, before)) => Place::text(*line, before + column).error(fault),
            None => Place::text(first, column).error(fault),
        }
    }
}

struct Moves {
    start: Position,
    position: Position,
    made: Vec<RecordMove>,
    /// How the comments on the last move are read.
    commented: Commented,
    /// The move after the last one that cannot be played. It may have ended the game.
    unplayable: Option<LastMove>,
    end: Option<End>,
    /// Only a comment says that the game ended. If the game continues, these comments take its place, and those on
    /// the end follow.
    if_continued: Option<Vec<String>>,
    /// The server's comment with the time of the end. If the game continues, it is an ordinary comment.
    end_time: Option<String>,
}

impl Reader {
    fn new(encoding: Encoding) -> Self {
        Self {
            header: Header::default(),
            version: None,
            encoding,
            first_line: None,
            stage: Stage::Head(Box::default()),
            warnings: Warnings::default(),
            error: None,
            fault: None,
            lost_comments: 0,
        }
    }

    fn line(&mut self, number: usize, line: &str) {
        // Control characters cannot be written again. Each becomes one space, so that columns stay the same.
        let clean = if line.contains(char::is_control) {
            Cow::Owned(line.replace(char::is_control, " "))
        } else {
            Cow::Borrowed(line)
        };
        // Lines copied from a letter or a web page may be indented.
        let line = clean.trim_start();
        let indent = clean[..clean.len() - line.len()].chars().count();
        let mut from = 0;
        // The column is counted on from statement to statement, because a line may have very many.
        let (mut counted, mut column) = (0, 1 + indent);
        while let Some((start, text)) = next_statement(line, &mut from) {
            if self.error.is_some() {
                return;
            }
            column += line.get(counted..start).map_or(0, |passed| passed.chars().count());
            counted = start;
            self.statement(At { number, column }, text);
        }
    }

    fn statement(&mut self, mut place: At, text: &str) {
        let indented = text;
        let text = indented.trim_start();
        place.column += indented[..indented.len() - text.len()].chars().count();
        let bytes = text.as_bytes();
        match bytes.first() {
            None => return,
            Some(b'\'') => return self.comment(place, &text[1..]),
            Some(_) => {}
        }
        self.first_line.get_or_insert(place.number);
        match bytes {
            [b'V', b'0'..=b'9', ..] => self.version(place, text[1..].trim()),
            [b'N', sign @ (b'+' | b'-'), ..] => self.name(place, *sign == b'+', &text[2..]),
            [b'$', ..] => self.key(place, text),
            [b'P', b'I' | b'+' | b'-' | b'1'..=b'9', ..] => self.position_line(place, text),
            [b'+' | b'-', ..] if text[1..].trim().is_empty() => self.position_line(place, text),
            [b'+' | b'-', ..] => self.move_statement(place, text.trim_end()),
            [b'T', ..] => self.time(place, &text[1..]),
            [b'%', ..] if text[1..].trim().is_empty() => {
                self.warn(place, || "'%' without a word is not an end; ignored".to_owned());
            }
            [b'%', ..] => self.end(place, text[1..].trim()),
            [b'#', ..] => self.server_line(place, &text[1..]),
            _ => self.warn(place, || format!("'{}' is not a statement; ignored", clip(text))),
        }
    }

    fn version(&mut self, place: At, version: &str) {
        if !matches!(version, "1" | "1.0" | "2" | "2.0" | "2.1" | "2.2" | "3" | "3.0") {
            self.warn(place, || format!("version {} is not known; read as 3.0", clip(version)));
        }
        self.version.get_or_insert_with(|| version.to_owned());
    }

    fn name(&mut self, place: At, is_black: bool, text: &str) {
        let field = if is_black { &mut self.header.black } else { &mut self.header.white };
        if text.trim().is_empty() {
            return;
        }
        match field {
            Some(known) if known != text => {
                self.warn(place, || format!("a second name, {}; ignored", clip(text)));
            }
            field => *field = Some(text.to_owned()),
        }
    }

    fn key(&mut self, place: At, text: &str) {
        let Some((key, value)) = text[1..].split_once(':') else {
            return self.warn(place, || format!("'{}' has no value; ignored", clip(text)));
        };
        if key.is_empty() || !key.bytes().all(is_key_byte) {
            return self.warn(place, || format!("'{}' is not a key; ignored", clip(text)));
        }
        if !read_key(&mut self.header, key, value) {
            self.warn(place, || format!("'{}' cannot be understood; kept as it is", clip(text)));
        }
    }

    fn position_line(&mut self, place: At, text: &str) {
        let Stage::Head(head) = &mut self.stage else {
            let after = if self.has_ended() { "the end" } else { "the first move" };
            return self.warn(place, || format!("'{}' is after {after}; ignored", clip(text)));
        };
        head.places.push((place.number, place.column - 1));
        head.has_board |= text.starts_with('P');
        // Some programs end a row with a full stop.
        let row = text.trim_end_matches('.');
        if let Err(error) = head.block.push(row) {
            self.error = Some(head.error(error, place.number));
        }
    }

    /// Ends the header, if that has not happened, and returns the moves.
    fn moves(&mut self, place: At) -> Option<&mut Moves> {
        if let Stage::Head(head) = &self.stage {
            let mut warnings = Vec::new();
            let start = match start_position(head, |text| warnings.push(text)) {
                Ok(start) => start,
                Err(error) => {
                    self.error = Some(head.error(error, place.number));
                    return None;
                }
            };
            let first = head.places.first().map_or(place.number, |(line, _)| *line);
            self.warnings.add_start(Place::text(first, 1), &start);
            self.stage = Stage::Moves(Box::new(Moves {
                position: start.clone(),
                start,
                made: Vec::new(),
                commented: Commented::default(),
                unplayable: None,
                end: None,
                if_continued: None,
                end_time: None,
            }));
            for text in warnings {
                self.warn(place, || text);
            }
        }
        match &mut self.stage {
            Stage::Moves(moves) => Some(moves),
            Stage::Head(_) => None,
        }
    }

    fn move_statement(&mut self, place: At, text: &str) {
        if self.fault.is_some() {
            return;
        }
        if self.take_back_comment() {
            let what = "the game continues after a comment with its end; read as a comment";
            self.warn(place, || what.to_owned());
        }
        if self.has_ended() {
            return self.warn(place, || format!("{} is after the end; ignored", clip(text)));
        }
        let Some(moves) = self.moves(place) else { return };
        if let Some(before) = moves.unplayable.take() {
            // The game went on after it.
            return self.leave_out(place, before);
        }
        if let Some(comment) = moves.end_time.take() {
            match moves.made.last_mut() {
                Some(last) => last.comments.push(comment),
                None => self.header.comments.push(comment),
            }
            return self.move_statement(place, text);
        }
        let ply = moves.made.len() + 1;
        let (text, after) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        if !has_form(text) {
            self.fault =
                Some(place.error(RecordFault::NoMove { ply, found: clip(text), expected: MOVE }));
            return;
        }
        let fault = match csa::parse_move(&moves.position, text) {
            Ok(mv) if moves.position.is_legal(mv) => {
                moves.position.do_move(mv);
                moves.made.push(RecordMove::new(mv));
                moves.commented = Commented::on(text);
                None
            }
            Ok(_) => Some(RecordFault::Illegal { ply, found: clip(text) }),
            Err(source) => Some(RecordFault::Unfit { ply, source }),
        };
        if let Some(fault) = fault {
            match LastMove::new(RawMove::parse(text), &moves.position, place.error(fault)) {
                Ok(last) => moves.unplayable = Some(last),
                Err(error) => self.fault = Some(error),
            }
        }
        match after.trim_start() {
            "" => {}
            rest => match rest.strip_prefix('\'') {
                Some(comment) => self.comment(place, comment),
                None => self.warn(place, || format!("'{}' is after the move; ignored", clip(rest))),
            },
        }
    }

    fn time(&mut self, place: At, text: &str) {
        if self.fault.is_some() && !self.has_ended() {
            return;
        }
        let Some(time) = seconds(text) else {
            return self.warn(place, || format!("'T{}' is not a time; ignored", clip(text)));
        };
        let slot = match &mut self.stage {
            Stage::Head(_) => None,
            Stage::Moves(moves) => {
                match (&mut moves.end, &mut moves.unplayable, moves.made.last_mut()) {
                    (Some(end), _, _) => Some(&mut end.time),
                    (None, Some(last), _) => Some(&mut last.foul.time),
                    (None, None, Some(last)) => Some(&mut last.time),
                    (None, None, None) => None,
                }
            }
        };
        match slot {
            Some(slot) if slot.is_none() => *slot = Some(time),
            Some(_) => self.warn(place, || "a second time for one move; ignored".to_owned()),
            None => self.warn(place, || "a time before any move; ignored".to_owned()),
        }
    }

    fn comment(&mut self, place: At, comment: &str) {
        // The first line of a file, or of one of several games of a file.
        let is_first = self.first_line.is_none() && self.header.comments.is_empty();
        if is_first && comment.starts_with("CSA encoding=") {
            return;
        }
        let has_position = !matches!(&self.stage, Stage::Head(head) if head.places.is_empty());
        if has_position && (self.end_note(place, comment) || self.summary(place, comment)) {
            return;
        }
        // A comment among the moves may be written by a player and passed on by a server, so it does not change the
        // header. The server marks the comments of players with a star.
        let Stage::Moves(moves) = &mut self.stage else {
            if !read_comment_key(&mut self.header, comment) {
                self.header.comments.push(plain_comment(comment).to_owned());
            }
            return;
        };
        let is_end_time = read_end_comment(&mut Header::default(), comment);
        if moves.end.is_none() && moves.end_time.is_none() && is_end_time {
            moves.end_time = Some(comment.to_owned());
        } else if let Some(end) = &mut moves.end {
            if !read_end_comment(&mut self.header, comment) {
                end.comments.push(plain_comment(comment).to_owned());
            }
        } else if let Some(last) = &mut moves.unplayable {
            last.foul.comments.push(plain_comment(comment).to_owned());
        } else if self.fault.is_some() {
            // It belongs to a move that cannot be played, and is not kept.
            self.lost_comments += 1;
        } else if let Some(last) = moves.made.last_mut() {
            moves.commented.read(last, &moves.position, comment);
        }
    }

    fn has_ended(&self) -> bool {
        matches!(&self.stage, Stage::Moves(moves) if moves.end.is_some())
    }

    fn warn(&mut self, place: At, text: impl FnOnce() -> String) {
        self.warnings.add(Place::text(place.number, place.column), text);
    }

    /// The game; `None` where there were only empty lines and comments.
    fn finish(mut self) -> Option<Part> {
        let first_line = self.first_line?;
        let place = At { number: first_line, column: 1 };
        let at_all = match &self.stage {
            Stage::Head(head) => !head.places.is_empty(),
            Stage::Moves(_) => true,
        };
        if self.error.is_none() && !at_all {
            return Some(Part::NoGame(place.error(NO_GAME)));
        }
        if self.error.is_none() {
            self.moves(place);
        }
        if let Some(error) = self.error {
            return Some(Part::Game(Box::new(Err(error))));
        }
        let Stage::Moves(moves) = self.stage else { return None };
        derive_controls(&mut self.header);
        let Moves { start, made, mut end, unplayable, end_time, .. } = *moves;
        if let Some(fault) = &self.fault
            && self.lost_comments > 0
        {
            let text = lost_comments(self.lost_comments);
            self.warnings.add(fault.place, || text);
        }
        if let Some(comment) = end_time {
            read_end_comment(&mut self.header, &comment);
        }
        if let Some(last) = unplayable {
            let place = last.error.place;
            if last.is_foul_alone() {
                self.fault = Some(last.error.clone());
                end = Some(last.into_end());
            } else {
                if let Some(text) = last.lost_warning() {
                    self.warnings.add(place, || text);
                }
                self.fault = Some(last.error);
            }
        }
        Some(Part::Game(Box::new(Ok(ReadRecord {
            record: Record { header: self.header, start, moves: made, end, variations: Vec::new() },
            fault: self.fault,
            warnings: self.warnings.kept,
            more_warnings: self.warnings.more,
            version: self.version,
            encoding: Some(self.encoding),
        }))))
    }
}

/// The start position. Missing parts that are safe to assume are assumed, with a warning.
fn start_position(head: &Head, mut warn: impl FnMut(String)) -> Result<Position, CsaPositionError> {
    let side = head.block.side().unwrap_or_else(|| {
        warn("the line with the side to move (+ or -) is missing; read as black's turn".to_owned());
        Color::Black
    });
    if !head.has_board {
        warn("the start position is missing; read as the initial one".to_owned());
        let text = if side == Color::Black { "+" } else { "-" };
        return csa::parse_position_block(["PI", text]);
    }
    head.block.finish_with(side)
}

/// Whether a text has the form of a move: sign, four digits, a piece that exists.
fn has_form(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 7
        && matches!(bytes[0], b'+' | b'-')
        && bytes[1..5].iter().all(u8::is_ascii_digit)
        && text.get(5..).and_then(csa::word_piece).is_some()
}

/// The place of a statement: line, and column in characters, counted from 1.
#[derive(Clone, Copy)]
struct At {
    number: usize,
    column: usize,
}

impl At {
    fn error(self, fault: RecordFault) -> RecordError {
        Place::text(self.number, self.column).error(fault)
    }
}

/// Converts an error of the position block, with its line (within the block) and column.
fn from_position(error: CsaPositionError) -> (Option<usize>, usize, RecordFault) {
    match error {
        CsaPositionError::UnknownLine { line, found } => (
            Some(line),
            1,
            RecordFault::Word { found: clip(&found), expected: "line of a position" },
        ),
        CsaPositionError::Word { line, column, found, expected } => {
            (Some(line), column, RecordFault::Word { found: clip(&found), expected })
        }
        CsaPositionError::LongRow { line, column } => (Some(line), column, RecordFault::LongRow),
        CsaPositionError::Square { line, column, square, problem } => {
            (Some(line), column, RecordFault::Square(format!("{square} {problem}")))
        }
        CsaPositionError::Setup { line, column, source } => {
            (Some(line), column, RecordFault::Setup(source))
        }
        CsaPositionError::MissingRow(row) => (None, 1, RecordFault::MissingRow(row)),
        CsaPositionError::NoBoard | CsaPositionError::NoSide => (None, 1, NO_GAME),
    }
}

const NO_GAME: RecordFault = RecordFault::NoGame {
    expected: "a CSA record needs a start position (PI, or P1 to P9) and its side line",
};
const MOVE: &str = "a sign, two squares and a piece, as +7776FU";
