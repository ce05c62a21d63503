//! Reads JKF.

use std::rc::Rc;
use std::time::Duration;

use crate::end::{END_NOTE, noted_end};
use crate::fault::Warnings;
use crate::foul::{LastMove, kind_after};
use crate::japanese::{CommentSource, find_by_words, read_analysis, read_fields};
use crate::{
    Encoding, End, EndKind, Header, ReadRecord, Record, RecordError, RecordFault, RecordMove,
    Variation, decode,
};
use kyomi_shogi::clock::TimeControl;
use kyomi_shogi::notation::csa::{self, RawMove};
use kyomi_shogi::{Color, Move, Piece, PieceKind, Position, Square};

use super::json::{Document, Node};
use super::start::{self, NodeFault, kind_of, read_color, read_kind, unexpected};
use super::words;

/// Reads the game of a file: one game, or one error. The game, and each variation, is read up to a move that cannot
/// be played, see [`ReadRecord::fault`]. Faults after the first one are reported as warnings.
pub fn read_each(bytes: &[u8]) -> impl Iterator<Item = Result<ReadRecord, RecordError>> + '_ {
    std::iter::once_with(|| {
        let mut file = decode(bytes);
        let document = Document::parse(&file.text)?;
        let mut game = read(document.root(), file.encoding)?;
        game.warn_of_broken_bytes(&mut file, usize::MAX);
        Ok(game)
    })
}

fn read(root: Node<'_>, encoding: Encoding) -> Result<ReadRecord, RecordError> {
    let [header, initial, moves] = root.get(["header", "initial", "moves"]);
    let Some(moves) = moves.filter(|moves| moves.is_list()) else {
        return Err(root.place().error(NO_GAME));
    };
    let mut head = Header::default();
    let fields = header.into_iter().flat_map(Node::fields);
    let fields = fields.map(|(key, value)| {
        let value = value.text().unwrap_or_else(|| value.raw().into());
        (key.into_owned(), value.into_owned())
    });
    let handicap = header.zip(read_fields(&mut head, fields));
    let start = start::read(initial, handicap)?;
    let mut reader = Reader {
        record: Record::new(head, start.clone()),
        fault: None,
        warnings: Warnings::default(),
        waiting: Vec::new(),
    };
    reader.warnings.add_start(root.place(), &reader.record.start);
    let line = Line { parent: None, ply: 1, last: None, start: Rc::new(start) };
    let (made, end) = reader.line(moves, &line, None);
    (reader.record.moves, reader.record.end) = (made, end);
    while let Some((list, line)) = reader.waiting.pop() {
        reader.variation(list, &line);
    }
    reader.record.sort_variations();
    Ok(ReadRecord {
        record: reader.record,
        fault: reader.fault,
        warnings: reader.warnings.kept,
        more_warnings: reader.warnings.more,
        version: None,
        encoding: Some(encoding),
    })
}

/// The beginning of a line.
struct Line {
    /// The line it leaves.
    parent: Option<usize>,
    /// The ply of its first move.
    ply: usize,
    /// The target square of the move before it.
    last: Option<Square>,
    start: Rc<Position>,
}

struct Reader<'d> {
    record: Record,
    fault: Option<RecordError>,
    warnings: Warnings,
    /// Variations still to be read, the next one last.
    waiting: Vec<(Node<'d>, Line)>,
}

impl<'d> Reader<'d> {
    fn variation(&mut self, list: Node<'d>, line: &Line) {
        let index = self.record.variations.len();
        let before = self.waiting.len();
        // Its index is reserved before its own variations are read.
        let (parent, ply) = (line.parent, line.ply);
        self.record.variations.push(Variation { parent, ply, moves: Vec::new(), end: None });
        let (moves, end) = self.line(list, line, Some(index));
        if moves.is_empty() && end.is_none() {
            // Variations of its first move belong to its parent. There are no others.
            self.record.variations.pop();
            self.warn_at(list, "a variation without a move; ignored");
            for (_, line) in &mut self.waiting[before..] {
                line.parent = parent;
            }
            return;
        }
        let variation = &mut self.record.variations[index];
        (variation.moves, variation.end) = (moves, end);
    }

    /// The moves and the end of a line: of the variation of this index, or of the main line.
    fn line(
        &mut self,
        list: Node<'d>,
        line: &Line,
        index: Option<usize>,
    ) -> (Vec<RecordMove>, Option<End>) {
        let mut made: Vec<RecordMove> = Vec::new();
        let mut end: Option<End> = None;
        // The move that cannot be played after them, until it is known whether it ended the game.
        let mut unplayable: Option<LastMove> = None;
        let mut position = Position::clone(&line.start);
        let mut last = line.last;
        let mut forks = Vec::new();
        // Comments before the first move of a variation.
        let mut pending = Vec::new();
        for (element, number) in list.items().zip(0..) {
            let [comments, mv, time, special, forked] =
                element.get(["comments", "move", "time", "special", "forks"]);
            if end.is_some() {
                self.warn_at(element, "an element after the end; ignored");
                break;
            }
            if mv.is_some()
                && let Some(last) = unplayable.take()
            {
                self.leave_out(last);
                break;
            }
            let is_head = index.is_none() && number == 0 && mv.is_none() && special.is_none();
            if let Some(forked) = forked {
                let ply = line.ply + made.len();
                // What replaces the first move of a variation leaves the parent of the variation.
                let parent = if made.is_empty() && index.is_some() { line.parent } else { index };
                let start = Rc::new(position.clone());
                for list in forked.items() {
                    forks.push((list, Line { parent, ply, last, start: Rc::clone(&start) }));
                }
            }
            let time = time.and_then(|time| self.time(time));
            if let Some(mv) = mv {
                match self.find(mv, &position, last, line.ply + made.len()) {
                    Ok(found) => {
                        position.do_move(found);
                        last = Some(found.to());
                        let comments = std::mem::take(&mut pending);
                        made.push(RecordMove { time, comments, ..RecordMove::new(found) });
                    }
                    // The place takes time to compute, and most faults of a long file are not kept.
                    Err(_) if self.fault.is_some() && self.warnings.is_full() => {
                        self.warnings.more += 1;
                        break;
                    }
                    Err((bad, raw)) => match LastMove::new(raw, &position, bad.into()) {
                        Ok(mut last) => {
                            last.foul.time = time;
                            last.foul.comments = std::mem::take(&mut pending);
                            unplayable = Some(last);
                        }
                        Err(error) => {
                            self.add_fault(error);
                            break;
                        }
                    },
                }
            }
            if let Some(special) = special {
                let kind = self.end_kind(special, position.side_to_move());
                let time = if mv.is_none() { time } else { None };
                let is_offence = matches!(kind, EndKind::IllegalMove | EndKind::IllegalAction(_));
                end = match unplayable.take() {
                    Some(last) if is_offence => Some(End { time, ..last.into_end() }),
                    Some(last) => {
                        self.leave_out(last);
                        break;
                    }
                    None => {
                        let comments = std::mem::take(&mut pending);
                        Some(End { time, comments, ..End::new(kind) })
                    }
                };
            }
            if mv.is_none() && special.is_none() && !is_head && comments.or(forked).is_none() {
                self.warn_at(element, "neither a move nor an end; ignored");
            }
            let comments = comments.into_iter().flat_map(Node::items);
            let comments =
                comments.map(|text| text.text().unwrap_or_else(|| text.raw().into()).into_owned());
            match (&mut end, &mut unplayable, made.last_mut()) {
                (Some(end), _, _) => end_comments(end, comments),
                (None, Some(last), _) => last.foul.comments.extend(comments),
                (None, None, Some(last)) => comment(last, &position, comments),
                (None, None, None) if index.is_none() => {
                    self.record.header.comments.extend(comments);
                }
                (None, None, None) => pending.extend(comments),
            }
        }
        match unplayable {
            Some(last) if index.is_none() && last.is_foul_alone() => {
                self.add_fault(last.error.clone());
                end = Some(last.into_end());
            }
            Some(last) => self.leave_out(last),
            None => {}
        }
        forks.reverse();
        self.waiting.append(&mut forks);
        (made, end)
    }

    fn end_kind(&mut self, special: Node<'d>, to_move: Color) -> EndKind {
        let word = special.text().unwrap_or_else(|| special.raw().into());
        let kind = words::read_end(&word, to_move);
        if matches!(kind, EndKind::Unknown(_)) {
            self.warn_at(special, "this end is not known");
        }
        kind
    }

    /// The time of a move. Fractions of seconds, which the format does not have, are read to the millisecond.
    fn time(&mut self, time: Node<'d>) -> Option<Duration> {
        let [now] = time.get(["now"]);
        let now = now?;
        let [h, m, s] = now.get(["h", "m", "s"]);
        let seconds = |part: Option<Node<'_>>, unit: u64| match part {
            None => Some(Duration::ZERO),
            Some(part) => {
                let number = part.number()?;
                let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
                let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
                let millis = whole.parse::<u64>().ok()?.checked_mul(1000)?;
                let millis = millis.checked_add(fraction.parse().ok()?)?.checked_mul(unit)?;
                Some(Duration::from_millis(millis))
            }
        };
        let sum = || {
            let sum =
                seconds(h, 3600)?.checked_add(seconds(m, 60)?)?.checked_add(seconds(s, 1)?)?;
            (sum <= TimeControl::LONGEST).then_some(sum)
        };
        let sum = sum();
        if sum.is_none() || !now.is_object() {
            self.warn_at(now, "this is not a time of hours, minutes and seconds; ignored");
        }
        sum.filter(|_| now.is_object())
    }

    /// The move of an element. Values besides its squares are checked.
    fn find(
        &mut self,
        mv: Node<'d>,
        position: &Position,
        last: Option<Square>,
        ply: usize,
    ) -> Result<Move, (NodeFault<'d>, Option<RawMove>)> {
        let [from, to, piece, promote, color, capture, same, relative] =
            mv.get(["from", "to", "piece", "promote", "color", "capture", "same", "relative"]);
        let side = position.side_to_move();
        let is_same = same.and_then(Node::bool);
        let to = match to {
            Some(to) => square(to).map_err(no_move)?,
            None => last
                .filter(|_| is_same == Some(true))
                .ok_or_else(|| no_move(unexpected(mv, MOVE)))?,
        };
        let kind = piece.map(read_kind).transpose().map_err(no_move)?;
        let promote = promote.and_then(Node::bool);
        let from = from.map(square).transpose().map_err(no_move)?;
        let found = if let Some(from) = from {
            on_board(position, from, to, kind, promote)
        } else {
            let kind = kind.ok_or_else(|| no_move(unexpected(mv, MOVE)))?;
            let words =
                relative.and_then(Node::text).and_then(|letters| words::japanese_words(&letters));
            match words.filter(|words| !words.is_empty()) {
                Some(words) => find_by_words(position, to, kind, &words, promote),
                None => drop_or_only(position, to, kind, promote),
            }
        };
        let illegal = || {
            let digits = |it: Option<Square>| {
                it.map_or_else(|| "00".to_owned(), |it| format!("{}{}", it.file(), it.rank()))
            };
            let name = kind.map_or("", csa::piece_word);
            let plus = if promote == Some(true) { "+" } else { "" };
            let found =
                format!("{}{}{}{name}{plus}", csa::sign(side), digits(from), digits(Some(to)));
            let named = kind.or_else(|| position.piece_on(from?).map(Piece::kind));
            let after = named.and_then(|kind| kind_after(kind, promote == Some(true)));
            let color = read_color(color, mv).unwrap_or(side);
            let raw = after.map(|kind| RawMove { color, from, to, kind });
            let raw = raw.filter(|raw| raw.from != Some(raw.to));
            (NodeFault { at: mv, fault: RecordFault::Illegal { ply, found } }, raw)
        };
        let found = found.ok_or_else(illegal)?;
        if color.is_some() && read_color(color, mv).map_err(no_move)? != side {
            self.warn_at(mv, "the color is that of the other side");
        }
        let captured = position.piece_on(to).map(Piece::kind);
        if capture.is_some_and(|named| kind_of(named) != captured) {
            self.warn_at(mv, "another piece is captured than the one named");
        }
        if is_same == Some(true) && last != Some(to) {
            self.warn_at(mv, "the move does not go where the one before went");
        }
        Ok(found)
    }

    /// Ends a line before a move that cannot be played.
    fn add_fault(&mut self, error: RecordError) {
        if self.fault.is_none() {
            self.fault = Some(error);
        } else {
            self.warnings.add(error.place, || format!("in a variation: {}", error.fault));
        }
    }

    /// Ends a line before a move that cannot be played and did not end the game.
    fn leave_out(&mut self, last: LastMove) {
        if let Some(text) = last.lost_warning() {
            self.warnings.add(last.error.place, || text);
        }
        self.add_fault(last.error);
    }

    fn warn_at(&mut self, node: Node<'_>, text: &str) {
        // The place takes time to compute, and most warnings of a long file are not kept.
        if self.warnings.is_full() {
            self.warnings.more += 1;
        } else {
            self.warnings.add(node.place(), || text.to_owned());
        }
    }
}

/// A fault without a move.
const fn no_move(bad: NodeFault<'_>) -> (NodeFault<'_>, Option<RawMove>) {
    (bad, None)
}

/// Reads the comments on an end. The first may name the end that has no word in the format.
fn end_comments(end: &mut End, comments: impl Iterator<Item = String>) {
    for comment in comments {
        match comment.strip_prefix(END_NOTE) {
            Some(word) if end.comments.is_empty() && end.foul.is_none() => {
                end.kind = noted_end(word);
            }
            _ => end.comments.push(comment),
        }
    }
}

/// Reads the comments on a move that led to `position`. The first analysis counts.
fn comment(made: &mut RecordMove, position: &Position, comments: impl Iterator<Item = String>) {
    let mut source: Option<CommentSource> = None;
    for comment in comments {
        // An analysis has no line ends.
        let is_line = !comment.contains(char::is_control);
        if !is_line || !read_analysis(made, &mut source, position, &comment) {
            made.comments.push(comment);
        }
    }
}

/// The legal move of the piece on a square. If `kind` is the promoted piece, the move promotes. Without a value it
/// does not, unless the piece could never move again.
fn on_board(
    position: &Position,
    from: Square,
    to: Square,
    kind: Option<PieceKind>,
    promote: Option<bool>,
) -> Option<Move> {
    let there = position.piece_on(from)?.kind();
    let promote = match kind {
        Some(kind) if kind == there => promote,
        Some(kind) if there.promoted() == Some(kind) && promote != Some(false) => Some(true),
        Some(_) => return None,
        None => promote,
    };
    let legal = |promote| {
        (from != to).then(|| Move::normal(from, to, promote)).filter(|mv| position.is_legal(*mv))
    };
    match promote {
        // Some programs write `false` for pieces that cannot promote, and for moves that cannot.
        Some(promote) => legal(promote),
        None => legal(false).or_else(|| legal(true)),
    }
}

/// The drop; if it is illegal, the only move of such a piece to that square.
fn drop_or_only(
    position: &Position,
    to: Square,
    kind: PieceKind,
    promote: Option<bool>,
) -> Option<Move> {
    let drop = kind.is_droppable().then(|| Move::drop(kind, to));
    if let Some(drop) = drop.filter(|drop| position.is_legal(*drop)) {
        return Some(drop);
    }
    let side = position.side_to_move();
    let mut found = position
        .pieces(side, kind)
        .into_iter()
        .filter_map(|from| on_board(position, from, to, Some(kind), promote));
    found.next().filter(|_| found.next().is_none())
}

fn square(place: Node<'_>) -> Result<Square, NodeFault<'_>> {
    let [x, y] = place.get(["x", "y"]);
    let part = |part: Option<Node<'_>>| part.and_then(Node::integer)?.try_into().ok();
    let square = part(x).zip(part(y)).and_then(|(x, y)| Square::new(x, y));
    square.ok_or_else(|| unexpected(place, SQUARE))
}

const NO_GAME: RecordFault =
    RecordFault::NoGame { expected: "a JKF file is one object with a list of moves" };
const MOVE: &str = "move (from and to, or to and piece)";
const SQUARE: &str = "square (x and y, 1 to 9)";
