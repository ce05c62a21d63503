//! What the tests of several formats share: games read from a text, records as a format keeps them.

use std::time::Duration;

use jiff::civil::{date, time};
use proptest::prelude::*;

use super::strategy::{any_branches, any_extras, any_header, any_time, build, grow, walk};
use super::{
    Encoding, End, EndKind, Format, Header, Omissions, ReadRecord, Record, RecordMove, RecordTime,
    Winner,
};
use kyomi_shogi::clock::{Controls, TimeControl};
use kyomi_shogi::notation::usi;
use kyomi_shogi::{Color, HANDICAPS, PositionBuilder};

/// The header of the records that show how a format is written.
pub(super) fn shown_header() -> Header {
    let [minutes, increment] = [300, 10].map(Duration::from_secs);
    Header {
        black: Some("kyomi".into()),
        white: Some("other".into()),
        event: Some("LAN cup, final".into()),
        start_time: Some(RecordTime { date: date(2026, 8, 1), time: Some(time(9, 0, 0, 0)) }),
        controls: Some(Controls::both(TimeControl::fischer(minutes, increment))),
        max_moves: Some(256),
        comments: vec!["a comment".into()],
        ..Header::default()
    }
}

/// The only game of a text.
pub(super) fn only_game(format: Format, text: &str) -> ReadRecord {
    let mut games: Vec<_> = format.read_each(text.as_bytes()).collect();
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).expect(text)
}

/// The only game of a text that is read without a fault or a warning.
pub(super) fn clean_record(format: Format, text: &str) -> Record {
    let game = only_game(format, text);
    assert_eq!((game.fault, game.warnings), (None, vec![]), "{text}");
    game.record
}

/// Moves as USI has them.
pub(super) fn moves(made: &[RecordMove]) -> String {
    made.iter().map(|made| made.mv.to_string()).collect::<Vec<_>>().join(" ")
}

/// Moves written as USI has them.
pub(super) fn usi_moves(words: &str) -> Vec<RecordMove> {
    words.split(' ').map(|word| RecordMove::new(usi::parse_move(word).unwrap())).collect()
}

/// What a format keeps of a record.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) times: bool,
    pub(super) analyses: bool,
    /// The number of the first move.
    pub(super) ply: bool,
    /// The end that is read for an end with this side to move.
    pub(super) end: fn(EndKind, Color) -> EndKind,
}

impl Kept {
    /// The record as it is read again. Times become whole seconds.
    pub(super) fn of(self, record: &Record) -> Record {
        let mut record = record.clone();
        let header = &mut record.header;
        header.note = header.note.take().filter(|note| !note.is_empty());
        for text in [
            &mut header.black,
            &mut header.white,
            &mut header.event,
            &mut header.site,
            &mut header.opening,
        ] {
            *text = text.as_ref().map(|text| text.trim().to_owned());
        }
        let time = |time: &mut Option<Duration>| {
            let whole = time.map(|time| Duration::from_secs(time.as_secs()));
            *time = whole.filter(|_| self.times);
        };
        let side = record.start.side_to_move();
        let lines =
            record.variations.iter_mut().map(|line| (&mut line.moves, &mut line.end, line.ply));
        let main = std::iter::once((&mut record.moves, &mut record.end, 1));
        for (moves, end, ply) in main.chain(lines) {
            for made in moves.iter_mut() {
                time(&mut made.time);
                made.analysis = made.analysis.take().filter(|_| self.analyses);
            }
            let to_move = if (ply + moves.len()) % 2 == 1 { side } else { !side };
            let Some(end) = end else { continue };
            time(&mut end.time);
            if let Some(foul) = &mut end.foul {
                // Every format that keeps it says whose it is.
                time(&mut foul.time);
                continue;
            }
            end.kind = (self.end)(end.kind.clone(), to_move);
        }
        if !self.ply {
            record.start = PositionBuilder::from(&record.start).set_ply(1).build().unwrap();
        }
        record
    }
}

/// A record after it was written and read without a fault.
pub(super) fn read_back(
    format: Format,
    record: &Record,
    encoding: Encoding,
) -> Result<Record, TestCaseError> {
    let bytes = format.write(record, encoding, &mut Omissions::new());
    let text = String::from_utf8_lossy(&bytes);
    let games: Vec<_> = format.read_each(&bytes).collect();
    let [Ok(game)] = games.as_slice() else {
        return Err(TestCaseError::fail(format!("{games:?}: {text}")));
    };
    prop_assert_eq!(&game.fault, &None, "{}", text);
    prop_assert_eq!(game.encoding, Some(encoding));
    Ok(game.record.clone())
}

/// KIF and KI2 have one word for all offences of the side to move: `反則負け`.
pub(super) fn end_of_kif(kind: EndKind, to_move: Color) -> EndKind {
    if kind == EndKind::IllegalAction(to_move) { EndKind::IllegalMove } else { kind }
}

/// Records with everything that KIF, KI2 and JKF can hold: a start position within a game, variations, ends.
pub(super) fn any_record() -> impl Strategy<Value = Record> {
    (
        any_header(),
        (proptest::option::of(0..HANDICAPS.len()), 0..20u16),
        proptest::collection::vec((any::<u16>(), any_extras()), 0..40),
        proptest::option::of((any::<usize>(), proptest::option::of(any_time()))),
        any_branches(),
        proptest::collection::vec(proptest::option::of(0..VARIATION_ENDS + 2), 8),
    )
        .prop_map(|(header, (handicap, walked), choices, end, branches, ends)| {
            let even = kyomi_shogi::Position::startpos;
            let mut start = handicap.map_or_else(even, |index| HANDICAPS[index].position());
            for mv in walk(&start.clone(), 0..walked) {
                start.do_move(mv);
            }
            let mut record = build(header, start, &choices, end);
            grow(&mut record, &branches);
            for (variation, end) in record.variations.iter_mut().zip(ends) {
                variation.end = end.map(|end| End::new(variation_end(end)));
            }
            record
        })
}

fn variation_end(number: usize) -> EndKind {
    let words: [&str; VARIATION_ENDS] =
        ["TORYO", "SENNICHITE", "TSUMI", "HIKIWAKE", "MATTA", "odd"];
    match words.get(number) {
        Some(word) => EndKind::from_word(word),
        None if number == VARIATION_ENDS => EndKind::Decided(Winner::Draw),
        None => EndKind::Decided(Winner::Side(Color::White)),
    }
}

const VARIATION_ENDS: usize = 6;
