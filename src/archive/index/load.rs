//! Loads a record from the rows of a game.

use std::time::Duration;

use rusqlite::{OptionalExtension as _, Row};
use serde_json::Value;

use super::{Index, IndexError, rows, score};
use kyomi_record::{Analysis, End, EndKind, Foul, Header, JishogiRule, Record, RecordMove};
use kyomi_shogi::clock::{Controls, TimeControl};
use kyomi_shogi::{
    Move, Position,
    notation::{csa::RawMove, usi},
};

impl Index {
    /// The record of a game, without the variations of its file; `None` if there is no such game.
    ///
    /// # Errors
    /// The database cannot be read, or its rows do not form a game.
    pub fn record(&self, game: i64) -> Result<Option<Record>, IndexError> {
        let load = || -> rusqlite::Result<Option<Record>> {
            let query = "SELECT b.name, w.name, g.event, g.started, g.ended, g.result, g.reason,
                    g.black_control, g.white_control, g.start, g.extra
                FROM games g LEFT JOIN players b ON b.id = g.black LEFT JOIN players w ON w.id = g.white
                WHERE g.id = ?1";
            let mut statement = self.connection().prepare_cached(query)?;
            let Some(mut record) = statement.query_row([game], header_and_end).optional()? else {
                return Ok(None);
            };
            record.moves = self.moves_of(game, &record.start)?;
            Ok(Some(record))
        };
        load().map_err(|error| self.fail(error))
    }

    fn moves_of(&self, game: i64, start: &Position) -> rusqlite::Result<Vec<RecordMove>> {
        let query = "SELECT m.move, m.ms, m.score, t.depth, t.nodes, t.pv, t.pv_rest, t.comments
            FROM moves m LEFT JOIN turns t ON t.game = m.game AND t.ply = m.ply
            WHERE m.game = ?1 ORDER BY m.ply";
        let mut statement = self.connection().prepare_cached(query)?;
        let mut rows = statement.query([game])?;
        let mut moves = Vec::new();
        let mut position = start.clone();
        while let Some(row) = rows.next()? {
            let Some(made) = read_move(row, &position)? else { break };
            position.do_move(made.mv);
            moves.push(made);
        }
        Ok(moves)
    }
}

/// A move of a game; `None` if it is not legal, which is possible only if the database was changed by other means.
fn read_move(row: &Row<'_>, before: &Position) -> rusqlite::Result<Option<RecordMove>> {
    let word = row.get_ref(0)?.as_str().unwrap_or_default();
    let Some(mv) = usi::parse_move(word).ok().filter(|mv| before.is_legal(*mv)) else {
        return Ok(None);
    };
    let mut made = RecordMove::new(mv);
    made.time = row.get::<_, Option<i64>>(1)?.map(milliseconds);
    let score: Option<i64> = row.get(2)?;
    let depth: Option<u32> = row.get(3)?;
    let nodes: Option<i64> = row.get(4)?;
    let pv: Option<String> = row.get(5)?;
    let pv_rest: Option<String> = row.get(6)?;
    if score.is_some() || depth.is_some() || nodes.is_some() || pv.is_some() {
        let moves = pv.as_deref().unwrap_or_default().split_ascii_whitespace();
        made.analysis = Some(Analysis {
            score: score.map(score::from_integer),
            pv: moves.map_while(|word| usi::parse_move(word).ok()).collect::<Vec<Move>>(),
            pv_rest: pv_rest.unwrap_or_default(),
            nodes: nodes.and_then(|nodes| u64::try_from(nodes).ok()),
            depth,
        });
    }
    if let Some(comments) = row.get::<_, Option<String>>(7)? {
        made.comments = serde_json::from_str(&comments).unwrap_or_default();
    }
    Ok(Some(made))
}

fn header_and_end(row: &Row<'_>) -> rusqlite::Result<Record> {
    let text = |index| row.get::<_, Option<String>>(index);
    let time =
        |index| Ok::<_, rusqlite::Error>(text(index)?.and_then(|text| rows::parse_time(&text)));
    let extra: Value =
        text(10)?.and_then(|extra| serde_json::from_str(&extra).ok()).unwrap_or_default();
    let words = |key: &str| extra[key].as_str().map(str::to_owned);
    let list = |key: &str| -> Vec<String> {
        serde_json::from_value(extra[key].clone()).unwrap_or_default()
    };
    let control = |index| -> rusqlite::Result<Option<TimeControl>> {
        Ok(text(index)?.and_then(|text| text.parse().ok()))
    };
    let header = Header {
        black: text(0)?,
        white: text(1)?,
        event: text(2)?,
        site: words("site"),
        start_time: time(3)?,
        end_time: time(4)?,
        controls: control(7)?.zip(control(8)?).map(|(black, white)| Controls { black, white }),
        opening: words("opening"),
        max_moves: extra["max_moves"].as_u64().and_then(|most| u32::try_from(most).ok()),
        jishogi: match extra["jishogi"].as_u64() {
            Some(27) => Some(JishogiRule::Points27),
            Some(_) => Some(JishogiRule::Points24),
            None => None,
        },
        note: words("note"),
        other: serde_json::from_value(extra["other"].clone()).unwrap_or_default(),
        comments: list("comments"),
    };
    let start = text(9)?.and_then(|sfen| Position::from_sfen(&sfen).ok());
    let mut record = Record::new(header, start.unwrap_or_else(Position::startpos));
    let (result, reason): (i64, String) = (row.get(5)?, row.get(6)?);
    let kind = match (reason.as_str(), rows::winner(result)) {
        ("", winner) => winner.map(EndKind::Decided),
        (word, _) => Some(EndKind::from_word(word)),
    };
    let time = |key: &str| extra[key].as_i64().map(milliseconds);
    let foul = words("foul")
        .and_then(|mv| RawMove::parse(&mv))
        .map(|mv| Box::new(Foul { mv, time: time("foul_ms"), comments: list("foul_comments") }));
    record.end =
        kind.map(|kind| End { kind, time: time("end_ms"), comments: list("end_comments"), foul });
    Ok(record)
}

fn milliseconds(number: i64) -> Duration {
    Duration::from_millis(u64::try_from(number).unwrap_or_default())
}
