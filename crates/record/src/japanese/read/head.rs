//! Reads what precedes the moves: the start position, headers, names.

use crate::fault::clip;
use kyomi_shogi::Color;
use kyomi_shogi::notation::japanese::side_name;

use super::super::cursor::Cursor;
use super::super::header;
use super::super::numerals::{digit, is_blank, number, trim};
use super::super::words::{board_piece, side_mark};
use super::Reader;

impl Reader {
    pub(super) fn row(&mut self, at: &mut Cursor<'_>, text: &str) {
        if self.ignores_late(at, text) {
            return;
        }
        self.is_game = true;
        if let Err(error) = self.setup.row(at.place(), text) {
            self.error = Some(error);
        }
    }

    /// `後手番`
    pub(super) fn turn(&mut self, at: &mut Cursor<'_>, text: &str) -> bool {
        let Some(side) = text.strip_suffix('番').and_then(side_of) else { return false };
        if !self.ignores_late(at, text) {
            self.is_game = true;
            self.setup.side(side);
        }
        true
    }

    /// `手数----指手---------消費時間--`, or `手数＝33  △３三角  まで` below a board.
    pub(super) fn heading(&mut self, at: &mut Cursor<'_>, text: &str) {
        self.is_game = true;
        let rest = text.strip_prefix(header::PLIES).unwrap_or(text);
        let Some(value) = rest.strip_prefix(['＝', '=']) else {
            self.has_reached_moves = true;
            return;
        };
        if self.ignores_late(at, text) {
            return;
        }
        match number(trim(value)).filter(|_| self.setup.has_board()) {
            Some((number, length)) => {
                self.setup.moves_before(number);
                // The last move and `まで`. The number alone is written again with the board.
                let last = trim(&trim(value)[length..]);
                if let Some(side) = last.chars().next().and_then(side_mark) {
                    self.setup.last_mover(side);
                }
                if !last.is_empty() {
                    self.header.comments.push(text.to_owned());
                }
            }
            None => self.warn(at, || {
                format!("'{}' does not number the moves of a board; ignored", clip(text))
            }),
        }
    }

    /// Reads a header line.
    pub(super) fn key(&mut self, at: &mut Cursor<'_>, text: &str) -> bool {
        let Some((key, _)) = header::split(text) else { return false };
        // The value keeps the spaces at the end of the line.
        let value = header::split(&at.line[at.byte..]).map_or("", |(_, value)| value);
        let is_handicap = header::names_handicap(key, value);
        let is_setup = is_handicap || key == "手番" || header::hand_of(key).is_some();
        if is_setup && self.ignores_late(at, text) {
            return true;
        }
        self.is_game = true;
        let place = at.place();
        if is_handicap {
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

    /// Reads `▲羽生善治　△渡辺明`, `▲先手：羽生善治`: the players' names after the marks of their sides. Returns `false` for what
    /// may be moves: a part looks like one, or its side has another name already.
    pub(super) fn names(&mut self, at: &mut Cursor<'_>, text: &str) -> bool {
        let mut names: Vec<(Color, &str)> = Vec::new();
        let mut rest = text;
        let mut is_any = false;
        while let Some(side) = rest.chars().next().and_then(side_mark) {
            rest = rest.trim_start_matches(|c| side_mark(c) == Some(side) || is_blank(c));
            let end = rest.find(|c| side_mark(c).is_some()).unwrap_or(rest.len());
            let name = name_of(side, trim(&rest[..end]));
            rest = &rest[end..];
            if name.is_empty() {
                continue;
            }
            is_any = true;
            let header = &self.header;
            let known = if side == Color::Black { &header.black } else { &header.white };
            let before = names.iter().find(|(other, _)| *other == side).map(|(_, name)| *name);
            match before.or(known.as_deref()) {
                _ if looks_like_a_move(name) => return false,
                Some(known) if !begins_with(known, name) => return false,
                Some(_) => {}
                None => names.push((side, name)),
            }
        }
        self.is_game |= is_any;
        if !is_any {
            self.warn(at, || format!("'{}' is not understood; ignored", clip(text)));
        }
        for (side, name) in names {
            let key = side_name(side, false);
            self.warn(at, || format!("'{}' is taken as the name of {key}", clip(name)));
            header::read(&mut self.header, key, name);
        }
        true
    }

    /// Warns about a line of the start position that stands after the first move. Returns whether it does.
    pub(super) fn ignores_late(&mut self, at: &mut Cursor<'_>, text: &str) -> bool {
        let is_late = self.lines.is_some();
        if is_late {
            self.warn(at, || format!("'{}' is after the first move; ignored", clip(text)));
        }
        is_late
    }
}

fn side_of(name: &str) -> Option<Color> {
    match name {
        "先手" | "下手" => Some(Color::Black),
        "後手" | "上手" => Some(Color::White),
        _ => None,
    }
}

/// Whether the text after the mark of a side is a move rather than a name: it begins with a square, has a piece
/// right after a digit, has a digit and ends in a piece, is only a piece, or is a Western move such as `P-7f`. Names
/// may end in pieces too (`竜馬`, `桂香`).
fn looks_like_a_move(text: &str) -> bool {
    let chars: Vec<char> = text.chars().filter(|c| !is_blank(*c)).collect();
    let is_piece = |c: &char| board_piece(*c).is_some();
    let begins_with_square = match chars.as_slice() {
        ['同' | '仝', ..] => true,
        [file, rank, ..] => digit(*file).is_some() && digit(*rank).is_some(),
        _ => false,
    };
    let has_digit = chars.iter().any(|c| digit(*c).is_some());
    begins_with_square
        || chars.array_windows().any(|[before, c]| digit(*before).is_some() && is_piece(c))
        || has_digit && chars.last().is_some_and(is_piece)
        || matches!(chars.as_slice(), [only] | ['成', only] if is_piece(only))
        || is_western(&chars)
}

/// `P-7f`, `+Rx23`, `G4i-5h`, `P*55`.
fn is_western(chars: &[char]) -> bool {
    let is_square = |file: &char, rank: &char| {
        matches!(file, '1'..='9') && matches!(rank, '1'..='9' | 'a'..='i')
    };
    let rest = chars.strip_prefix(&['+']).unwrap_or(chars);
    let [kind, rest @ ..] = rest else { return false };
    let rest = match rest {
        [file, rank, rest @ ..] if is_square(file, rank) => rest,
        rest => rest,
    };
    matches!(kind, 'P' | 'L' | 'N' | 'S' | 'G' | 'B' | 'R' | 'K')
        && matches!(rest, ['-' | 'x' | '*' | '\'', file, rank, ..] if is_square(file, rank))
}

/// Whether a name begins with another one, apart from spaces. Only the first 100 characters are compared.
fn begins_with(known: &str, name: &str) -> bool {
    let inner = |name: &str| name.chars().take(100).filter(|c| !is_blank(*c)).collect::<String>();
    inner(known).starts_with(&inner(name))
}

/// The name in `先手：羽生善治`, `先手　羽生善治`, `：羽生善治` or `羽生善治`, after the mark of this side.
fn name_of(side: Color, text: &str) -> &str {
    let is_gap = |c: char| is_blank(c) || matches!(c, '：' | ':');
    let named = [false, true].into_iter().find_map(|is_handicap| {
        let after = text.strip_prefix(side_name(side, is_handicap))?;
        (after.is_empty() || after.starts_with(is_gap)).then_some(after)
    });
    named.unwrap_or(text).trim_start_matches(is_gap)
}
