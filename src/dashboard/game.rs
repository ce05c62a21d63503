//! One game as the page shows it.

use std::{
    iter::repeat,
    path::{Path, PathBuf},
    sync::Arc,
};

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use serde_json::{Value, json};

use crate::{
    archive::index::GameLine,
    watch::{LiveGame, color, ms, with},
};
use kyomi_csa::MoveEvent;
use kyomi_csa::text::printable;
use kyomi_engine::search::SearchInfo;
use kyomi_record::{BOOK_MOVE, EndKind, Record, score_json};
use kyomi_shogi::clock::{Clocks, SideClock};
use kyomi_shogi::{
    Color, EndReason, Game, GameEnd, Move, Square, Winner,
    notation::{japanese, western},
};

/// A running game, or one that is over.
#[derive(Debug)]
pub(super) struct PageGame {
    /// Unique in this process.
    pub(super) key: String,
    pub(super) number: u64,
    pub(super) client: usize,
    id: String,
    names: [String; 2],
    pub(super) own: Option<Color>,
    /// When it was first seen.
    began: Timestamp,
    start_sfen: String,
    state: Game,
    /// Each as JSON: as a value it takes several times the memory.
    moves: Vec<Box<str>>,
    clocks: Clocks,
    /// When the turn began, in milliseconds of the page's clock.
    turn_at: u64,
    /// The last search report of black and of white, with its other lines.
    lines: [Option<Value>; 2],
    /// Why the game stands still, and since when, in milliseconds of the page's clock.
    stopped: Option<(Stop, u64)>,
    pub(super) end: Option<Ending>,
}

/// Why a game stands still.
#[derive(Debug)]
enum Stop {
    /// Its connection is lost, for this reason.
    Disconnected(String),
    /// The server has suspended it.
    Suspended,
}

#[derive(Debug)]
pub(super) struct Ending {
    result: &'static str,
    reason: String,
    record: Option<PathBuf>,
    at: Timestamp,
}

impl PageGame {
    /// The game at its beginning.
    pub(super) fn new(client: usize, live: &LiveGame, now: u64) -> Self {
        let start = live.start.start().clone();
        let mut new = Self {
            key: format!("{client}-{}", live.number),
            number: live.number,
            client,
            id: text(&live.game_id, LONGEST_TEXT),
            names: live.names.each_ref().map(|name| text(name, LONGEST_NAME)),
            own: live.own,
            began: Timestamp::now(),
            start_sfen: start.to_sfen(),
            state: Game::new(start),
            moves: Vec::new(),
            clocks: live.start_clocks,
            turn_at: now,
            lines: [None, None],
            stopped: None,
            end: None,
        };
        let times = live.move_times.iter().copied().chain(repeat(None));
        for (mv, time) in live.start.moves().iter().zip(times) {
            let fields = time.map_or_else(|| json!({}), |time| json!({ "spent_ms": ms(time) }));
            new.push(*mv, fields);
        }
        new
    }

    fn last_square(&self) -> Option<Square> {
        self.state.moves().last().map(|mv| mv.to())
    }

    /// Adds a move with these further fields. An illegal one is ignored here; the rules of the game decide about it.
    fn push(&mut self, mv: Move, fields: Value) -> Option<Value> {
        let position = self.state.position();
        let side = color(position.side_to_move());
        let words = japanese::move_text(position, mv, self.last_square());
        let english = western::move_text(position, mv);
        self.state.push(mv).ok()?;
        let own = json!({
            "ply": self.state.len(),
            "side": side,
            "usi": mv.to_string(),
            "text": words,
            "text_en": english,
            "sfen": self.state.position().to_sfen(),
        });
        let added = with(own, fields);
        self.moves.push(added.to_string().into());
        Some(added)
    }

    /// Adds a move, and returns the change.
    pub(super) fn add_move(&mut self, event: &MoveEvent, clocks: &Clocks, now: u64) -> Value {
        self.clocks = *clocks;
        self.turn_at = now;
        self.stopped = None;
        let mut fields = json!({
            "spent_ms": ms(event.spent),
            "measured_ms": ms(event.measured),
            "left_ms": [left(&clocks.black), left(&clocks.white)],
        });
        if let Some(turn) = &event.own_turn {
            fields["echo_ms"] = json!(turn.echo.map(ms));
            fields["ponder_hit"] = json!(turn.ponder_hit);
        }
        let mut after = self.state.position().clone();
        if let Some(analysis) = &event.analysis {
            fields["score"] = score_json(analysis.score);
            fields["depth"] = json!(analysis.depth);
            fields["nodes"] = json!(analysis.nodes);
            fields["book"] = json!(analysis.from_book);
            if after.is_legal(event.mv) {
                after.do_move(event.mv);
                let pv = &analysis.pv[..analysis.pv.len().min(LONGEST_LINE)];
                fields["pv"] = japanese::line(&after, pv, Some(event.mv.to())).into();
                fields["pv_en"] = western::line(&after, pv).into();
            }
        }
        let added = self.push(event.mv, fields);
        json!({ "key": self.key, "move": added, "clocks": self.clocks_json() })
    }

    /// The game goes on, over a new connection if its connection was lost.
    pub(super) fn resume(&mut self, clocks: &Clocks, now: u64) -> Value {
        self.clocks = *clocks;
        self.turn_at = now;
        self.stopped = None;
        self.clock_change()
    }

    /// The connection of the game is lost. What the clocks show from now on is not known.
    pub(super) fn disconnect(&mut self, reason: &str, now: u64) -> Value {
        let since = self.stopped.as_ref().map_or(now, |(_, since)| *since);
        self.stopped = Some((Stop::Disconnected(text(reason, LONGEST_TEXT)), since));
        self.clock_change()
    }

    /// The server has suspended the game. The clocks keep what they had before the turn.
    pub(super) fn suspend(&mut self) -> Value {
        self.stopped = Some((Stop::Suspended, self.turn_at));
        self.clock_change()
    }

    fn stop_json(&self) -> Value {
        self.stopped.as_ref().map_or(Value::Null, |(stop, _)| match stop {
            Stop::Disconnected(reason) => json!({ "cause": "connection", "reason": reason }),
            Stop::Suspended => json!({ "cause": "server", "reason": "" }),
        })
    }

    fn clock_change(&self) -> Value {
        json!({ "key": self.key, "clocks": self.clocks_json(), "suspended": self.stop_json() })
    }

    /// Stores a search report of a side's engine, and returns the change. A line other than the best one is added to
    /// the best line of the same search; `None` if there is none.
    pub(super) fn set_line(
        &mut self,
        side: Color,
        searched: &Arc<Game>,
        info: &SearchInfo,
        now: u64,
    ) -> Option<Value> {
        let position = searched.position();
        let last = searched.moves().last();
        let black = position.side_to_move() == Color::Black;
        // While pondering, the last move of the searched game is the expected reply.
        let expected = last.filter(|_| searched.len() > self.state.len());
        let ponder =
            expected.map(|mv| japanese::move_text(self.state.position(), *mv, self.last_square()));
        let ponder_en = expected.map(|mv| western::move_text(self.state.position(), *mv));
        let pv = &info.pv[..info.pv.len().min(LONGEST_LINE)];
        let sfen = position.to_sfen();
        let slot = &mut self.lines[side.index()];
        let of_same_search = slot.as_mut().filter(|it| it["sfen"] == sfen.as_str());
        let others = of_same_search.map(|it| it["others"].take());
        let mut others = match others {
            Some(Value::Array(others)) => others,
            None if !info.is_best_line() => return None,
            _ => Vec::new(),
        };
        if let Some(number) = info.multipv.filter(|_| !info.is_best_line()) {
            let line = json!({
                "line": number,
                "depth": info.depth,
                "score": score_json(info.score.map(|it| if black { it } else { -it })),
                "pv": japanese::line(position, pv, last.map(|mv| mv.to())),
                "pv_en": western::line(position, pv),
            });
            let place = others.partition_point(|it| it["line"].as_u64() < Some(number.into()));
            match others.get_mut(place).filter(|it| it["line"] == number) {
                Some(known) => *known = line,
                None => others.insert(place, line),
            }
            others.truncate(MOST_OTHER_LINES);
            if let Some(best) = slot {
                best["others"] = others.into();
                best["at"] = now.into();
            }
            return Some(json!({ "key": self.key, "line": slot }));
        }
        let line = json!({
            "side": color(side),
            "ply": searched.len() + 1,
            "sfen": sfen,
            "ponder": ponder,
            "ponder_en": ponder_en,
            "depth": info.depth,
            "seldepth": info.seldepth,
            "score": score_json(info.score.map(|it| if black { it } else { -it })),
            "nodes": info.nodes,
            "nps": info.nps,
            "workers": info.workers,
            "search_ms": ms(info.time),
            "hashfull": info.hashfull,
            "pv": japanese::line(position, pv, last.map(|mv| mv.to())),
            "pv_en": western::line(position, pv),
            "pv_usi": pv.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "others": others,
            "at": now,
        });
        *slot = Some(line);
        Some(json!({ "key": self.key, "line": slot }))
    }

    pub(super) fn finish(&mut self, end: &GameEnd, record: Option<&Path>) {
        self.stopped = None;
        self.end = Some(Ending {
            result: end.result_word(),
            reason: text(&end.reason.words(), LONGEST_TEXT),
            record: record.map(Path::to_owned),
            at: Timestamp::now(),
        });
    }

    /// The record, once the game is over.
    pub(super) fn record(&self) -> Option<&Path> {
        self.end.as_ref()?.record.as_deref()
    }

    /// The game with all its moves.
    pub(super) fn whole(&self) -> Value {
        let controls = [&self.clocks.black, &self.clocks.white].map(|it| it.control.to_string());
        let moves = self.moves.iter().map(|it| serde_json::from_str(it).unwrap_or_default());
        with(
            self.brief(),
            json!({
                "sfen": self.start_sfen,
                "controls": controls,
                "moves": moves.collect::<Vec<Value>>(),
                "clocks": self.clocks_json(),
                "lines": self.lines,
                "suspended": self.stop_json(),
            }),
        )
    }

    /// The players and the result, without moves.
    pub(super) fn brief(&self) -> Value {
        let end = self.end.as_ref().map(|end| {
            json!({
                "result": end.result,
                "reason": end.reason,
                "record": end.record.as_deref().map(shown_path),
                "at": end.at.to_string(),
            })
        });
        json!({
            "key": self.key,
            "client": self.client,
            "number": self.number,
            "id": self.id,
            "names": self.names,
            "own": self.own.map(color),
            "began": self.began.to_string(),
            "plies": self.state.len(),
            "end": end,
        })
    }

    fn clocks_json(&self) -> Value {
        let side = |clock: &SideClock| {
            let control = &clock.control;
            json!({
                "left": left(clock),
                "increment": ms(control.increment),
                "byoyomi": ms(control.byoyomi),
                "delay": ms(control.delay),
            })
        };
        json!({
            "turn": color(self.clocks.turn),
            "at": self.turn_at,
            "running": self.end.is_none() && self.stopped.is_none(),
            "stopped_at": self.stopped.as_ref().map(|(_, since)| since),
            "sides": [side(&self.clocks.black), side(&self.clocks.white)],
        })
    }
}

/// A game of the database, as [`PageGame::whole`] returns those of this run. Its clocks are not known any more.
pub(super) fn past_game(line: &GameLine, path: &Path, record: &Record) -> Value {
    let mut state = Game::new(record.start.clone());
    let mut moves = Vec::new();
    for made in &record.moves {
        let (position, last) = (state.position(), state.moves().last().map(|mv| mv.to()));
        let side = position.side_to_move();
        let words = japanese::move_text(position, made.mv, last);
        let english = western::move_text(position, made.mv);
        if state.push(made.mv).is_err() {
            break;
        }
        let mut fields = json!({
            "ply": state.len(),
            "side": color(side),
            "usi": made.mv.to_string(),
            "text": words,
            "text_en": english,
            "sfen": state.position().to_sfen(),
            "book": made.comments.iter().any(|comment| comment == BOOK_MOVE),
        });
        if let Some(time) = made.time {
            fields["spent_ms"] = json!(ms(time));
        }
        if let Some(analysis) = &made.analysis {
            fields["score"] = score_json(analysis.score);
            fields["depth"] = json!(analysis.depth);
            fields["nodes"] = json!(analysis.nodes);
        }
        moves.push(fields);
    }
    let controls = record.header.controls.map(|it| [it.black.to_string(), it.white.to_string()]);
    with(
        past_brief(line, path),
        json!({
            "sfen": record.start.to_sfen(),
            "controls": controls.as_ref().map_or(&[][..], |it| it),
            "moves": moves,
            "clocks": null,
            "lines": [null, null],
            "suspended": null,
            "now": 0,
        }),
    )
}

/// The same as [`PageGame::brief`] of a game of the database. `path` is that of its file, as the configuration
/// names the folder.
pub(super) fn past_brief(line: &GameLine, path: &Path) -> Value {
    let name = |name: &Option<String>| text(name.as_deref().unwrap_or_default(), LONGEST_NAME);
    let is_file = line.file.1.is_empty();
    let record = is_file.then(|| shown_path(path));
    json!({
        "key": format!("{PAST}{}", line.id),
        "number": line.id,
        "id": text(line.event.as_deref().unwrap_or_default(), LONGEST_TEXT),
        "names": line.players.each_ref().map(name),
        "own": line.own.map(color),
        "began": line.started.as_deref().map(began),
        "plies": line.plies,
        "end": { "result": result_word(line.winner), "reason": reason(&line.reason), "record": record },
    })
}

/// A path for viewers. Of an absolute path only the last component is shown, so that the folders of this machine stay
/// private.
fn shown_path(path: &Path) -> String {
    let name = path.file_name().filter(|_| path.has_root()).map_or(path, Path::new);
    text(&name.display().to_string(), LONGEST_TEXT)
}

/// The prefix of the keys of games of the database.
pub(super) const PAST: &str = "past-";

/// A local time of the database as a moment; a day stays one.
fn began(started: &str) -> String {
    let time = started.parse::<DateTime>().ok().filter(|_| started.contains(':'));
    let moment = time.and_then(|time| time.to_zoned(TimeZone::system()).ok());
    moment.map_or_else(|| text(started, LONGEST_NAME), |moment| moment.timestamp().to_string())
}

fn result_word(winner: Option<Winner>) -> &'static str {
    match winner {
        Some(Winner::Side(side)) => color(side),
        Some(Winner::Draw) => "draw",
        None => "none",
    }
}

/// The text of [`EndReason`] for the end word of a record.
fn reason(word: &str) -> String {
    let reason = match EndKind::from_word(word) {
        EndKind::Resign => EndReason::Resignation,
        EndKind::Interrupted => EndReason::Interrupted,
        EndKind::Sennichite => EndReason::Sennichite,
        EndKind::TimeUp => EndReason::TimeUp,
        EndKind::IllegalMove => EndReason::IllegalMove,
        EndKind::IllegalAction(_) => EndReason::IllegalAction,
        EndKind::Jishogi | EndKind::Declaration => EndReason::Declaration,
        EndKind::DrawDeclared => EndReason::AgreedDraw,
        EndKind::Mate => EndReason::Mate,
        EndKind::MaxMoves => EndReason::MaxMoves,
        EndKind::Error => EndReason::Abnormal,
        EndKind::Unknown(word) if word.is_empty() => EndReason::Unstated,
        EndKind::Decided(_) => EndReason::Unstated,
        EndKind::TakeBack | EndKind::NoMate => EndReason::Unknown(word.to_owned()),
        EndKind::Unknown(word) => EndReason::Unknown(word),
    };
    text(&reason.words(), LONGEST_TEXT)
}

fn left(clock: &SideClock) -> Option<u64> {
    clock.main_time_left().map(ms)
}

/// A text from outside: without control characters, and not too long.
pub(super) fn text(untrusted: &str, most: usize) -> String {
    printable(untrusted).chars().take(most).collect()
}

/// Servers allow names of 32 characters.
pub(super) const LONGEST_NAME: usize = 64;

/// The longest text of another kind, in characters.
pub(super) const LONGEST_TEXT: usize = 400;

/// The number of lines below the best one that are shown of one search.
const MOST_OTHER_LINES: usize = 9;

/// The largest number of moves shown of a line.
const LONGEST_LINE: usize = 32;
