//! A game as the rows of the database.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::score;
use kyomi_record::{BOOK_MOVE, JishogiRule, Opening, Record, RecordMove, RecordTime, Winner};
use kyomi_shogi::clock::{OwnTurn, judge};
use kyomi_shogi::{Color, Position};

/// The rows of one game. They are made without the database, so several threads can do it.
#[derive(Debug, Clone, PartialEq)]
pub struct GameRows {
    pub(super) players: [Option<String>; 2],
    pub(super) event: Option<String>,
    pub(super) started: Option<String>,
    pub(super) ended: Option<String>,
    pub(super) result: i64,
    pub(super) reason: String,
    pub(super) opening: String,
    pub(super) ratings: [Option<f64>; 2],
    pub(super) controls: [Option<String>; 2],
    pub(super) start: Option<String>,
    pub(super) final_key: i64,
    pub(super) moves_hash: i64,
    pub(super) own: Option<i64>,
    pub(super) spent_ms: [Option<i64>; 2],
    pub(super) variations: i64,
    pub(super) extra: Option<String>,
    pub(super) moves: Vec<MoveRow>,
    pub(super) turns: Vec<TurnRow>,
    pub(super) events: Vec<EventRow>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MoveRow {
    pub(super) mv: String,
    pub(super) key: i64,
    pub(super) ms: Option<i64>,
    pub(super) left_ms: Option<i64>,
    pub(super) score: Option<i64>,
}

/// Data that only some moves have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TurnRow {
    pub(super) ply: i64,
    pub(super) measured_us: Option<i64>,
    pub(super) echo_us: Option<i64>,
    pub(super) before_ms: Option<i64>,
    pub(super) ponder: Option<bool>,
    pub(super) book: Option<bool>,
    pub(super) depth: Option<i64>,
    pub(super) seldepth: Option<i64>,
    pub(super) nodes: Option<i64>,
    pub(super) nps: Option<i64>,
    pub(super) table_fill: Option<i64>,
    pub(super) pv: Option<String>,
    pub(super) pv_rest: Option<String>,
    pub(super) comments: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EventRow {
    pub(super) ply: i64,
    pub(super) kind: String,
    pub(super) text: String,
}

impl GameRows {
    /// The rows of a record.
    pub fn of(record: &Record) -> Self {
        let header = &record.header;
        let mut rows = Self {
            players: Color::ALL.map(|color| header.player(color).map(str::to_owned)),
            event: header.event.clone(),
            started: header.start_time.map(time_text),
            ended: header.end_time.map(time_text),
            result: result_number(record.winner()),
            reason: record.end.as_ref().map_or_else(String::new, |end| end.kind.word().to_owned()),
            opening: Opening::of(&record.start, record.moves.iter().map(|made| made.mv))
                .to_string(),
            ratings: Color::ALL.map(|color| header.rating(color)),
            controls: [
                header.controls.map(|controls| controls.black.to_string()),
                header.controls.map(|controls| controls.white.to_string()),
            ],
            start: (record.start != Position::startpos()).then(|| record.start.to_sfen()),
            final_key: 0,
            moves_hash: 0,
            own: None,
            spent_ms: [None; 2],
            variations: record.variations.len() as i64,
            extra: extra(record),
            moves: Vec::with_capacity(record.moves.len()),
            turns: Vec::new(),
            events: Vec::new(),
        };
        rows.add_moves(record);
        for comment in record.end.iter().flat_map(|end| &end.comments) {
            rows.add_event(record.moves.len(), comment);
        }
        rows
    }

    /// The number of moves.
    pub const fn plies(&self) -> usize {
        self.moves.len()
    }

    fn add_moves(&mut self, record: &Record) {
        let controls = record.header.controls.map(|controls| [controls.black, controls.white]);
        let mut left = controls.map(|sides| sides.map(|control| Some(control.main_time())));
        let mut position = record.start.clone();
        let mut hash = mix(HASH_START, position.key());
        for comment in &record.header.comments {
            self.add_event(0, comment);
        }
        for (index, made) in record.moves.iter().enumerate() {
            let side = position.side_to_move().index();
            let mut left_ms = None;
            if let (Some(controls), Some(left)) = (&controls, &mut left)
                && !controls[side].is_unlimited()
            {
                left[side] = left[side]
                    .zip(made.time)
                    .map(|(left, spent)| judge::remaining_after(&controls[side], left, spent));
                left_ms = left[side].map(milliseconds);
            }
            let ms = made.time.map(milliseconds);
            if let Some(ms) = ms {
                let sum = self.spent_ms[side].get_or_insert(0);
                *sum = sum.saturating_add(ms);
            }
            let of_engine = made.analysis.as_ref().and_then(|analysis| analysis.score);
            self.moves.push(MoveRow {
                mv: made.mv.to_string(),
                key: position.key().cast_signed(),
                ms,
                left_ms,
                score: of_engine.map(score::to_integer),
            });
            hash = mix(hash, u64::from(made.mv.to_bits()));
            let turn = turn_row(index + 1, made);
            if turn.measured_us.is_some() {
                self.own.get_or_insert(side as i64 + 1);
            }
            if turn != (TurnRow { ply: turn.ply, ..TurnRow::default() }) {
                self.turns.push(turn);
            }
            for comment in &made.comments {
                self.add_event(index + 1, comment);
            }
            position.do_move(made.mv);
        }
        self.final_key = position.key().cast_signed();
        self.moves_hash = hash.cast_signed();
    }

    /// Adds an event, if the comment is one: `event: KIND TEXT`.
    fn add_event(&mut self, ply: usize, comment: &str) {
        let Some(event) = comment.trim().strip_prefix("event: ") else { return };
        let (kind, text) = event.split_once(' ').unwrap_or((event, ""));
        let (kind, text) = (kind.to_owned(), text.to_owned());
        self.events.push(EventRow { ply: ply as i64, kind, text });
    }
}

/// The row with the data that only some moves have.
fn turn_row(ply: usize, made: &RecordMove) -> TurnRow {
    let own: Option<OwnTurn> = made.comments.iter().find_map(|comment| comment.trim().parse().ok());
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut row = TurnRow { ply: ply as i64, ..TurnRow::default() };
    if let Some(own) = own {
        row.measured_us = Some(microseconds(own.measured));
        row.echo_us = own.echo.map(microseconds);
        row.before_ms = own.before.map(milliseconds);
        row.ponder = own.ponder_hit;
    }
    if made.comments.iter().any(|comment| comment == BOOK_MOVE) {
        row.book = Some(true);
    }
    if let Some(analysis) = &made.analysis {
        row.depth = analysis.depth.map(i64::from);
        row.nodes = analysis.nodes.map(integer);
        let pv: Vec<String> = analysis.pv.iter().map(ToString::to_string).collect();
        row.pv = (!pv.is_empty()).then(|| pv.join(" "));
        row.pv_rest = Some(analysis.pv_rest.clone()).filter(|rest| !rest.is_empty());
        // An empty row shows that there was an analysis without a score or other data.
        if analysis.score.is_none() && row.pv.is_none() {
            row.pv = Some(String::new());
        }
    }
    if let (Some(nodes), Some(measured)) = (row.nodes, row.measured_us.filter(|time| *time > 0)) {
        row.nps = Some((nodes as f64 * 1e6 / measured as f64) as i64);
    }
    for words in made.comments.iter().filter_map(|comment| comment.strip_prefix("search: ")) {
        let mut words = words.split_ascii_whitespace();
        while let (Some(key), Some(value)) = (words.next(), words.next()) {
            let value = value.parse().ok();
            match key {
                "seldepth" => row.seldepth = value,
                "nps" => row.nps = value,
                "hashfull" => row.table_fill = value,
                _ => {}
            }
        }
    }
    row.comments = (!made.comments.is_empty()).then(|| json!(made.comments).to_string());
    row
}

/// The data of a record that has no column, as JSON; `None` if there is none.
fn extra(record: &Record) -> Option<String> {
    let header = &record.header;
    let mut extra = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            extra.insert(key.to_owned(), value);
        }
    };
    put("site", header.site.as_deref().map(Value::from));
    put("opening", header.opening.as_deref().map(Value::from));
    put("max_moves", header.max_moves.map(Value::from));
    let points = |rule| match rule {
        JishogiRule::Points27 => 27,
        JishogiRule::Points24 => 24,
    };
    put("jishogi", header.jishogi.map(|rule| points(rule).into()));
    put("note", header.note.as_deref().map(Value::from));
    put("other", (!header.other.is_empty()).then(|| json!(header.other)));
    put("comments", (!header.comments.is_empty()).then(|| json!(header.comments)));
    if let Some(end) = &record.end {
        put("end_ms", end.time.map(|time| milliseconds(time).into()));
        put("end_comments", (!end.comments.is_empty()).then(|| json!(end.comments)));
        if let Some(foul) = &end.foul {
            put("foul", Some(foul.mv.to_string().into()));
            put("foul_ms", foul.time.map(|time| milliseconds(time).into()));
            put("foul_comments", (!foul.comments.is_empty()).then(|| json!(foul.comments)));
        }
    }
    (!extra.is_empty()).then(|| Value::Object(extra).to_string())
}

/// 0 not known, 1 black won, 2 white won, 3 drawn.
pub(super) const fn result_number(winner: Option<Winner>) -> i64 {
    match winner {
        None => 0,
        Some(Winner::Side(Color::Black)) => 1,
        Some(Winner::Side(Color::White)) => 2,
        Some(Winner::Draw) => 3,
    }
}

/// The winner of such a number.
pub(super) const fn winner(result: i64) -> Option<Winner> {
    match result {
        1 => Some(Winner::Side(Color::Black)),
        2 => Some(Winner::Side(Color::White)),
        3 => Some(Winner::Draw),
        _ => None,
    }
}

/// `2026-11-22 21:30:00`, or the day alone.
fn time_text(time: RecordTime) -> String {
    time.to_string().replace('/', "-")
}

/// Reads what [`time_text`] writes.
pub(super) fn parse_time(text: &str) -> Option<RecordTime> {
    RecordTime::parse(&text.replace('-', "/"))
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn microseconds(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// One step of FNV-1a over words.
const fn mix(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    mixed ^ (mixed >> 29)
}

const HASH_START: u64 = 0xcbf2_9ce4_8422_2325;
