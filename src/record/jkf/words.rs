//! Words of headers, ends and directions, and what engines said in comments.

use crate::record::csa::{read_analysis, read_info, write_analysis};
use crate::record::{
    EndKind, Header, JishogiRule, Losses, LostPart, RecordMove, RecordTime, Winner,
};
use crate::shogi::notation::csa;
use crate::shogi::notation::japanese::side_name;
use crate::shogi::{Color, Move, Piece, PieceKind, Position, Square};

/// Takes in a header. A key without a field, a value that is not clear, and what is said twice stay as
/// they are; empty values, which programs write for all keys they know, are passed over.
pub(super) fn read_header(header: &mut Header, key: &str, value: &str) {
    if value.is_empty() {
        return;
    }
    let text = match key {
        "先手" | "下手" => Some(&mut header.black),
        "後手" | "上手" => Some(&mut header.white),
        EVENT => Some(&mut header.event),
        SITE => Some(&mut header.site),
        OPENING => Some(&mut header.opening),
        NOTE => Some(&mut header.note),
        _ => None,
    };
    if let Some(field) = text
        && field.is_none()
    {
        *field = Some(value.to_owned());
        return;
    }
    let is_read = match key {
        START => fill(&mut header.start_time, RecordTime::parse(value)),
        END => fill(&mut header.end_time, RecordTime::parse(value)),
        TIME => fill(&mut header.controls, value.parse().ok()),
        MAX_MOVES => fill(&mut header.max_moves, value.parse().ok()),
        JISHOGI => {
            let rule = RULES.into_iter().find(|(_, word)| *word == value);
            fill(&mut header.jishogi, rule.map(|(rule, _)| rule))
        }
        _ => false,
    };
    if !is_read {
        header.other.push((key.to_owned(), value.to_owned()));
    }
}

/// Fills an empty field, if there is something to fill it with.
fn fill<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    let fits = field.is_none() && value.is_some();
    if fits {
        *field = value;
    }
    fits
}

/// The headers by their keys, each key once. Another one of the same key is lost.
pub(super) fn headers(
    header: &Header,
    is_handicap: bool,
    losses: &mut Losses,
) -> Vec<(String, String)> {
    let rule = header.jishogi.and_then(|rule| RULES.into_iter().find(|(known, _)| *known == rule));
    let fields = [
        (START, header.start_time.map(|time| time.to_string())),
        (END, header.end_time.map(|time| time.to_string())),
        (EVENT, header.event.clone()),
        (SITE, header.site.clone()),
        (OPENING, header.opening.clone()),
        (TIME, header.controls.as_ref().map(ToString::to_string)),
        (MAX_MOVES, header.max_moves.map(|most| most.to_string())),
        (JISHOGI, rule.map(|(_, word)| word.to_owned())),
        (side_name(Color::Black, is_handicap), header.black.clone()),
        (side_name(Color::White, is_handicap), header.white.clone()),
        (NOTE, header.note.clone()),
    ];
    let fields = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let mut written: Vec<(String, String)> = Vec::new();
    let mut keys = std::collections::HashSet::new();
    for (key, value) in fields.chain(header.other.iter().cloned()) {
        if value.is_empty() {
            continue;
        }
        if keys.insert(key.clone()) {
            written.push((key, value));
        } else {
            losses.add(LostPart::Header(key));
        }
    }
    written
}

/// The end of a word with this side to move.
pub(super) fn read_end(word: &str, to_move: Color) -> EndKind {
    match word {
        // As KIF tells it (反則勝ち): the side that moved last offended.
        "ILLEGAL_ACTION" => EndKind::IllegalAction(!to_move),
        _ => DECIDED
            .into_iter()
            .find(|(_, known)| *known == word)
            .map_or_else(|| EndKind::from_word(word), |(winner, _)| EndKind::Decided(winner)),
    }
}

/// The word of an end. Who has won without a word how is told in Japanese: viewers show words that they
/// do not know as they are.
pub(super) fn end_word(kind: &EndKind) -> &str {
    match kind {
        EndKind::Decided(winner) => {
            DECIDED.iter().find(|(known, _)| known == winner).map_or("", |(_, word)| word)
        }
        kind => kind.word(),
    }
}

/// What engines said of one move.
#[derive(Debug, Default)]
pub(super) struct Engine {
    has_spoken: bool,
}

impl Engine {
    /// Takes in a comment on the move that led to `position`. `false` if it says nothing of an engine.
    pub(super) fn read(&mut self, made: &mut RecordMove, position: &Position, text: &str) -> bool {
        let mv = made.mv;
        let digits = |it: Option<Square>| {
            it.map_or_else(|| "00".to_owned(), |it| format!("{}{}", it.file(), it.rank()))
        };
        let played = || {
            let kind = position.piece_on(mv.to()).map_or(PieceKind::Pawn, Piece::kind);
            let sign = csa::sign(!position.side_to_move());
            let (from, to) = (digits(mv.from()), digits(Some(mv.to())));
            format!("{sign}{from}{to}{}", csa::piece_word(kind))
        };
        if !text.starts_with('*') {
            return false;
        }
        if !self.has_spoken
            && made.analysis.is_none()
            && let Some(analysis) = read_analysis(text, position, &played())
        {
            made.analysis = Some(analysis);
            self.has_spoken = true;
            return true;
        }
        read_info(&mut made.analysis, text, position, &played())
    }
}

/// The comments of what an engine said with a move that led to `position`, as floodgate has them.
pub(super) fn analysis(made: &RecordMove, position: &Position) -> Vec<String> {
    let mut text = String::new();
    if let Some(analysis) = &made.analysis {
        write_analysis(&mut text, analysis, position);
    }
    text.lines().map(|line| line.trim_start_matches('\'').to_owned()).collect()
}

/// What tells a move from those of other pieces of its kind to the same square: `L`, `C`, `R` for where
/// it stands, `U`, `M`, `D` for where it goes, `H` for a drop; `None` where there are no others.
pub(super) fn relative(position: &Position, mv: Move) -> Option<String> {
    let (side, to) = (position.side_to_move(), mv.to());
    let candidates =
        |kind| position.attackers_of(side, to, position.occupied()) & position.pieces(side, kind);
    if let Some(kind) = mv.dropped() {
        let captures = position.piece_on(to).is_some();
        return (!captures && candidates(kind).any()).then(|| "H".to_owned());
    }
    let from = mv.from()?;
    let kind = position.piece_on(from)?.kind();
    let others: Vec<Square> = candidates(kind).into_iter().filter(|it| *it != from).collect();
    if others.is_empty() {
        return None;
    }
    // As the side sees it: how far left of the goal, and how far behind it.
    let place = |it: Square| match side {
        Color::Black => it.file().cmp(&to.file()),
        Color::White => to.file().cmp(&it.file()),
    };
    let motion = |it: Square| it.rank_for(side).cmp(&to.rank_for(side));
    let letter =
        |order: std::cmp::Ordering, letters: [&'static str; 3]| letters[(order as i8 + 1) as usize];
    let how = letter(motion(from), ["D", "M", "U"]);
    if others.iter().all(|it| motion(*it) != motion(from)) {
        return Some(how.to_owned());
    }
    let is_long = matches!(kind, PieceKind::Horse | PieceKind::Dragon);
    let is_straight = place(from).is_eq();
    let wherefrom = if is_straight && is_long {
        // There are but two of them: on which side is the other one?
        let is_left = others.iter().all(|it| place(*it).is_lt());
        if is_left { "L" } else { "R" }
    } else {
        letter(place(from), ["R", "C", "L"])
    };
    if is_straight || others.iter().all(|it| place(*it) != place(from)) {
        return Some(wherefrom.to_owned());
    }
    Some(format!("{wherefrom}{how}"))
}

const START: &str = "開始日時";
const END: &str = "終了日時";
const EVENT: &str = "棋戦";
const SITE: &str = "場所";
const OPENING: &str = "戦型";
const TIME: &str = "持ち時間";
const NOTE: &str = "備考";
const MAX_MOVES: &str = "最大手数";
const JISHOGI: &str = "持将棋規定";
const RULES: [(JishogiRule, &str); 2] =
    [(JishogiRule::Points27, "27点法"), (JishogiRule::Points24, "24点法")];
const DECIDED: [(Winner, &str); 3] = [
    (Winner::Side(Color::Black), "先手の勝ち"),
    (Winner::Side(Color::White), "後手の勝ち"),
    (Winner::Draw, "引分"),
];
