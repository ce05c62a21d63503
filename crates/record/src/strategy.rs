//! Random records, for the tests of every format.

use std::time::Duration;

use jiff::civil::{date, time};
use proptest::prelude::*;

use super::{
    Analysis, End, EndKind, Foul, Header, JishogiRule, Record, RecordMove, RecordTime, Variation,
};
use kyomi_shogi::clock::{Controls, TimeControl};
use kyomi_shogi::notation::csa::RawMove;
use kyomi_shogi::{Color, PieceKind, Position, Score};

/// Runs `usual` cases, or as many as the variable `PROPTEST_CASES` asks for.
pub fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let config = ProptestConfig::default();
    if asked { config } else { ProptestConfig { cases: usual, ..config } }
}

/// Text of a name or key that is written unchanged: no line ends, no spaces at either end.
pub fn plain() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9あ-ん歩 _@.:;!-]{0,20}[a-z歩]"
}

/// A time of a move.
pub fn any_time() -> impl Strategy<Value = Duration> {
    prop_oneof![0..100_000u64, (0..5_000u64).prop_map(|s| s * 1000)].prop_map(Duration::from_millis)
}

/// A date, with or without its time of day.
pub fn any_record_time() -> impl Strategy<Value = RecordTime> {
    (1900..2100i16, 1..13i8, 1..29i8, proptest::option::of((0..24i8, 0..60i8, 0..60i8))).prop_map(
        |(year, month, day, clock)| RecordTime {
            date: date(year, month, day),
            time: clock.map(|(hour, minute, second)| time(hour, minute, second, 0)),
        },
    )
}

/// A time control that every format can write.
pub fn any_control() -> impl Strategy<Value = TimeControl> {
    let unit = prop_oneof![Just(1000), Just(1), Just(100)].prop_map(Duration::from_millis);
    let total = proptest::option::of(any_time());
    (total, any_time(), any_time(), any_time(), unit).prop_map(
        |(total, byoyomi, increment, least, unit)| match total {
            None => TimeControl::UNLIMITED,
            Some(total) => {
                TimeControl { increment, least, unit, ..TimeControl::byoyomi(total, byoyomi) }
            }
        },
    )
}

prop_compose! {
    /// A header.
    pub fn any_header()(
        names in proptest::array::uniform2(proptest::option::of(plain())),
        texts in proptest::array::uniform3(proptest::option::of(plain())),
        times in proptest::array::uniform2(proptest::option::of(any_record_time())),
        controls in proptest::option::of((any_control(), any_control())),
        max_moves in proptest::option::of(1..2000u32),
        jishogi in proptest::option::of(any::<bool>()),
        // A note of blanks is no note.
        note in proptest::option::of("[a-z\\\\\n, ]{0,29}[a-z]"),
        comments in proptest::collection::vec("[a-z,%+ ]{0,30}", 0..4),
    ) -> Header {
        let [black, white] = names;
        let [event, site, opening] = texts;
        let [start_time, end_time] = times;
        Header {
            black, white, event, site, opening, start_time, end_time, max_moves, note, comments,
            controls: controls.map(|(black, white)| Controls { black, white }),
            jishogi: jishogi.map(|more| if more { JishogiRule::Points27 } else { JishogiRule::Points24 }),
            other: vec![("X_KEY".into(), "a value, with a comma".into())],
        }
    }
}

/// What a move has besides the move itself, which is chosen later.
pub(crate) type Extras =
    (Option<Duration>, Option<(Option<i32>, u8, Option<u64>, Option<u32>)>, Vec<String>);

/// What a move has besides itself.
pub fn any_extras() -> impl Strategy<Value = Extras> {
    let analysis = (
        proptest::option::of(-31_000..31_000i32),
        any::<u8>(),
        proptest::option::of(0..u64::MAX / 2),
        proptest::option::of(0..200u32),
    );
    // A comment that begins with an asterisk may look like an analysis, and is then written with a blank before it.
    let comment = "([a-z,%+:' #0-9][a-z,%+:' *#0-9]{0,29})?";
    let comments = proptest::collection::vec(comment, 0..3);
    (proptest::option::of(any_time()), proptest::option::of(analysis), comments)
}

/// Legal moves from `position`, chosen by these numbers.
pub fn walk(position: &Position, choices: impl IntoIterator<Item = u16>) -> Vec<kyomi_shogi::Move> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for choice in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[usize::from(choice) % moves.len()];
        position.do_move(mv);
        line.push(mv);
    }
    line
}

/// A record of a game from a position.
pub fn build(
    header: Header,
    start: Position,
    choices: &[(u16, Extras)],
    end: Option<(usize, Option<Duration>)>,
) -> Record {
    let line = walk(&start, choices.iter().map(|(choice, _)| *choice));
    let mut record = Record::new(header, start.clone());
    let mut position = start;
    for (mv, (choice, (time, analysis, comments))) in line.into_iter().zip(choices) {
        position.do_move(mv);
        let analysis = analysis.map(|(score, length, nodes, depth)| {
            let score = score.map(|cp| match cp {
                -29_999..=29_999 => Score::Cp(cp),
                _ => super::score::mate(
                    if cp < 0 { Color::White } else { Color::Black },
                    Some(cp.unsigned_abs() - 29_999).filter(|plies| *plies > 3),
                ),
            });
            let pv = walk(&position, (0..u16::from(length % 8)).map(|n| choice.wrapping_mul(n)));
            Analysis { score, pv, pv_rest: String::new(), nodes, depth }
        });
        // An empty analysis is not written.
        let analysis = analysis.filter(|analysis| *analysis != Analysis::default());
        record.moves.push(RecordMove { mv, time: *time, analysis, comments: comments.clone() });
    }
    let words = ["TORYO", "CHUDAN", "+ILLEGAL_ACTION", "MAX_MOVES", "KACHI", "TIME_UP", "FOUL"];
    record.end = end.map(|(word, time)| match words[word % words.len()] {
        "FOUL" => End { time, ..foul(&position, time) },
        word => End { time, ..End::new(EndKind::from_word(word)) },
    });
    record
}

/// The end by a drop on the own king.
fn foul(position: &Position, time: Option<Duration>) -> End {
    let color = position.side_to_move();
    let to = position
        .king_square(color)
        .unwrap_or(kyomi_shogi::Square::new(5, 5).expect("5e is on the board"));
    let mv = RawMove { color, from: None, to, kind: PieceKind::Gold };
    let foul = Foul { time, comments: vec!["why".to_owned()], ..Foul::new(mv) };
    End::by_foul(foul, color)
}

/// Where a variation leaves (the line and the ply, as numbers to be reduced), and its moves.
pub(crate) type Branch = (usize, usize, Vec<(u16, Extras)>);

/// Branches for [`grow`].
pub fn any_branches() -> impl Strategy<Value = Vec<Branch>> {
    let moves = proptest::collection::vec((any::<u16>(), any_extras()), 1..6);
    proptest::collection::vec((any::<usize>(), any::<usize>(), moves), 0..8)
}

/// Adds variations to a record, in order. Their first moves differ from those they replace.
pub fn grow(record: &mut Record, branches: &[Branch]) {
    for (line, ply, choices) in branches {
        let lines = record.variations.len() + 1;
        let parent = (line % lines).checked_sub(1);
        let first = record.first_ply(parent) + usize::from(parent.is_some());
        let last = record.first_ply(parent) + record.line(parent).len();
        if last < first {
            continue;
        }
        let ply = first + ply % (last - first + 1);
        let Some(position) = position_before(record, parent, ply) else { continue };
        let grown = build(Header::default(), position, choices, None);
        if grown.moves.is_empty() || is_taken(record, parent, ply, &grown.moves[0]) {
            continue;
        }
        record.variations.push(Variation { parent, ply, moves: grown.moves, end: None });
    }
    record.sort_variations();
}

/// Whether a line already continues with this move there.
fn is_taken(record: &Record, parent: Option<usize>, ply: usize, made: &RecordMove) -> bool {
    let in_parent = record.line(parent).get(ply - record.first_ply(parent));
    let siblings = record.variations.iter().filter(|v| v.parent == parent && v.ply == ply);
    let firsts = siblings.filter_map(|variation| variation.moves.first());
    in_parent.into_iter().chain(firsts).any(|other| other.mv == made.mv)
}

/// The position before a ply of a line.
pub fn position_before(record: &Record, line: Option<usize>, ply: usize) -> Option<Position> {
    let mut moves = Vec::new();
    let (mut line, mut before) = (line, ply);
    loop {
        let first = record.first_ply(line);
        let own = record.line(line).get(..before.checked_sub(first)?)?;
        moves.extend(own.iter().rev().map(|made| made.mv));
        before = first;
        match line {
            Some(index) => line = record.variations.get(index)?.parent,
            None => break,
        }
    }
    let mut position = record.start.clone();
    for mv in moves.into_iter().rev() {
        position.do_move(mv);
    }
    Some(position)
}
