//! Turns the events that another process writes back into reports.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use serde_json::{Value, json};

use kyomi_csa::MoveEvent;
use kyomi_engine::search::SearchInfo;
use kyomi_shogi::clock::{Clocks, Controls, GameClocks, OwnTurn, TimeControl};
use kyomi_shogi::{
    Color, EndReason, Finding, Game, GameEnd, Move, Position, Score, Winner,
    notation::{csa, usi},
};

use super::{Connection, Report, SleepReason, Snapshot, event_json, ms, with};

/// The event for a snapshot, with the events that lead to its latest game and to the state of its connection, so that
/// [`EventReader`] makes a snapshot of it.
pub fn attach_json(snapshot: &Snapshot, missed: u64, at: Timestamp) -> Value {
    let report = Report::Snapshot { snapshot: Box::new(snapshot.clone()), missed };
    let latest = snapshot.games.last();
    let reports = latest.map(|game| game.reports_after(0)).unwrap_or_default();
    let reports: Vec<Value> = reports.iter().map(|report| event_json(report, at)).collect();
    let turn = latest.map(|game| ms(game.turn_began.elapsed()));
    with(event_json(&report, at), json!({ "reports": reports, "turn_ms": turn }))
}

impl Snapshot {
    /// The report that leads to the current state of the connection; `None` in a game, and before the first connection.
    pub fn connection_report(&self) -> Option<Report> {
        Some(match self.connection.clone() {
            Connection::None | Connection::Playing => return None,
            Connection::Connecting { server } => Report::Connecting { server },
            Connection::Waiting { name, pairing } => Report::Waiting { name, pairing },
            Connection::Sleeping { until, reason } => Report::Sleeping { until, reason },
            Connection::Suspended => Report::Suspended { number: self.games.last()?.number },
            Connection::Lost { reason } => {
                Report::Disconnected { number: self.games.last()?.number, reason }
            }
            Connection::Pausing { until, reason } => {
                let pause =
                    until.map_or(Duration::ZERO, |it| it.saturating_duration_since(Instant::now()));
                Report::Pausing { pause, reason }
            }
        })
    }
}

/// Reads events in order. Events and fields that are only of use in a log are ignored.
#[derive(Debug, Default)]
pub struct EventReader {
    /// The latest game and its clocks.
    game: Option<(Game, Clocks)>,
}

impl EventReader {
    /// The report of an event; `None` for one that is not known, or that contradicts the events before it.
    pub fn read(&mut self, event: &Value) -> Option<Report> {
        let text = |key: &str| event[key].as_str().map(str::to_owned);
        let number = || event["game"].as_u64();
        Some(match event["event"].as_str()? {
            "snapshot" => {
                let mut snapshot = Snapshot::default();
                *self = Self::default();
                for event in event["reports"].as_array()? {
                    // A snapshot contains none.
                    if event["event"] != "snapshot"
                        && let Some(report) = self.read(event)
                    {
                        snapshot.apply(&report);
                    }
                }
                let began = event["turn_ms"]
                    .as_u64()
                    .and_then(|age| Instant::now().checked_sub(Duration::from_millis(age)));
                if let (Some(game), Some(began)) = (snapshot.games.last_mut(), began) {
                    game.turn_began = began;
                }
                let missed = event["missed"].as_u64().unwrap_or(0);
                Report::Snapshot { snapshot: Box::new(snapshot), missed }
            }
            "engine_starting" => Report::EngineStarting { player: text("player")? },
            "engine_ready" => {
                Report::EngineReady { player: text("player")?, engine: text("engine")? }
            }
            "engine_failed" => Report::EngineFailed {
                player: text("player")?,
                text: text("text")?,
                restarted: event["restarted"].as_bool()?,
            },
            "connecting" => Report::Connecting { server: text("server")? },
            // The event has the time of the next pairing, but not the interval between pairings.
            "waiting" => Report::Waiting { name: text("name")?, pairing: None },
            "sleeping" => Report::Sleeping {
                until: text("until").and_then(|until| until.parse().ok()),
                reason: SleepReason::Closed,
            },
            "schedule_open" => {
                Report::ScheduleOpen { until: text("until").and_then(|until| until.parse().ok()) }
            }
            "suspended" if event["cause"] == "server" => Report::Suspended { number: number()? },
            "suspended" => Report::Disconnected { number: number()?, reason: text("reason")? },
            "resumed" => {
                Report::Resumed { number: number()?, clocks: self.clocks(&event["clocks"])? }
            }
            "pausing" => {
                Report::Pausing { pause: duration(&event["pause_ms"])?, reason: text("reason")? }
            }
            "server_said" => Report::ServerSaid(text("text")?),
            "warning" => Report::Warning(text("text")?),
            "game_started" => self.started(event)?,
            "thinking" => self.thinking(event)?,
            "move" => self.moved(event)?,
            "game_ended" => {
                let winner = match event["winner"].as_str()? {
                    "draw" => Some(Winner::Draw),
                    "none" => None,
                    side => Some(Winner::Side(color(side)?)),
                };
                let side_to_move = self.game.as_ref()?.0.position().side_to_move();
                let end =
                    GameEnd { winner, reason: reason(event["reason"].as_str()?), side_to_move };
                Report::GameEnded { number: number()?, end, record: text("record").map(Into::into) }
            }
            _ => return None,
        })
    }

    fn started(&mut self, event: &Value) -> Option<Report> {
        let mut game = Game::new(Position::from_sfen(event["start"].as_str()?).ok()?);
        for mv in moves(&event["moves"]) {
            game.push(mv).ok()?;
        }
        let control =
            |side: &str| event["time_controls"][side].as_str()?.parse::<TimeControl>().ok();
        let controls = Controls { black: control("black")?, white: control("white")? };
        let first = game.position().side_to_move();
        self.game = Some((game.clone(), *GameClocks::new(controls, first).clocks()));
        let clocks = self.clocks(&event["clocks"])?;
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        Some(Report::GameStarted {
            number: event["game"].as_u64()?,
            game_id: text("id"),
            names: [text("black"), text("white")],
            own: event["own"].as_str().and_then(color),
            move_times: durations(&event["moves_spent_ms"], game.len()),
            game: Arc::new(game),
            clocks,
            continued: event["continued"].as_bool().unwrap_or(false),
        })
    }

    fn moved(&mut self, event: &Value) -> Option<Report> {
        let number = event["game"].as_u64()?;
        let clocks = self.clocks(&event["clocks"])?;
        let (game, known) = self.game.as_mut()?;
        let mv = usi::parse_move(event["move"].as_str()?).ok()?;
        let side = game.position().side_to_move();
        let word = csa::format_move(game.position(), mv);
        game.push(mv).ok()?;
        *known = clocks;
        let analysis = Finding {
            // Scores in events are for the side that moves, those in records for black.
            score: score(event).map(|score| if side == Color::Black { score } else { -score }),
            pv: moves(&event["pv"]),
            depth: event["depth"].as_u64().map(|depth| depth as u32),
            nodes: event["nodes"].as_u64(),
            from_book: event["book"].as_bool().unwrap_or(false),
        };
        let measured = duration(&event["measured_ms"])?;
        let own_turn = event.get("ponder_hit").map(|hit| OwnTurn {
            measured,
            echo: duration(&event["echo_ms"]),
            before: duration(&event["before_ms"]),
            ponder_hit: hit.as_bool(),
        });
        let event = MoveEvent {
            ply: event["ply"].as_u64()? as u32,
            mv,
            word,
            color: side,
            spent: duration(&event["spent_ms"])?,
            measured,
            remaining: None,
            comment: None,
            analysis: event.get("book").map(|_| analysis),
            own_turn,
        };
        Some(Report::Moved { number, event: Box::new(event), clocks })
    }

    fn thinking(&self, event: &Value) -> Option<Report> {
        let (game, _) = self.game.as_ref()?;
        let mut game = game.clone();
        let plies = (event["ply"].as_u64()? as usize).checked_sub(1)?;
        if plies == game.len() + 1 {
            // The expected reply, which is pondered on.
            game.push(usi::parse_move(event["last"].as_str()?).ok()?).ok()?;
        }
        while game.len() > plies {
            game.pop();
        }
        if game.len() != plies {
            return None;
        }
        let info = SearchInfo {
            depth: event["depth"].as_u64()? as u32,
            seldepth: event["seldepth"].as_u64()? as u32,
            score: score(event),
            nodes: event["nodes"].as_u64()?,
            nps: event["nps"].as_u64()?,
            workers: event["workers"].as_u64().unwrap_or_default() as u32,
            time: duration(&event["search_ms"])?,
            hashfull: event["hashfull"].as_u64().map(|it| it as u32),
            multipv: event["multipv"].as_u64().map(|it| it as u32),
            pv: moves(&event["pv"]),
            ..SearchInfo::default()
        };
        let color = color(event["side"].as_str()?)?;
        Some(Report::Thinking { color, game: Arc::new(game), info: Box::new(info) })
    }

    /// The clocks of the game with these times.
    fn clocks(&self, times: &Value) -> Option<Clocks> {
        let mut clocks = self.game.as_ref()?.1;
        clocks.turn = color(times["turn"].as_str()?)?;
        for (clock, key) in [(&mut clocks.black, "black_ms"), (&mut clocks.white, "white_ms")] {
            if let Some(left) = duration(&times[key]) {
                clock.remaining = left;
            }
        }
        Some(clocks)
    }
}

/// The first times of a list; `None` where there is no number.
fn durations(list: &Value, most: usize) -> Vec<Option<Duration>> {
    list.as_array().into_iter().flatten().take(most).map(duration).collect()
}

fn moves(list: &Value) -> Vec<Move> {
    let words = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    words.map_while(|word| usi::parse_move(word).ok()).collect()
}

fn score(event: &Value) -> Option<Score> {
    if let Some(cp) = event["cp"].as_i64() {
        return Some(Score::Cp(cp as i32));
    }
    // Events of earlier versions have 0 for an unknown number.
    let is_known = event["mate_known"].as_bool().unwrap_or(true);
    let plies =
        event["mate"].as_i64().filter(|_| is_known).map(|plies| plies.unsigned_abs() as u32);
    Some(if event["wins"].as_bool()? { Score::Win(plies) } else { Score::Loss(plies) })
}

fn color(word: &str) -> Option<Color> {
    match word {
        "black" => Some(Color::Black),
        "white" => Some(Color::White),
        _ => None,
    }
}

fn reason(words: &str) -> EndReason {
    // The word of earlier versions.
    let words = if words == "suspended" { "adjourned" } else { words };
    let known = EndReason::KNOWN.iter().find(|reason| reason.words() == words);
    known.cloned().unwrap_or_else(|| EndReason::Unknown(words.to_owned()))
}

fn duration(ms: &Value) -> Option<Duration> {
    ms.as_u64().map(Duration::from_millis)
}

#[cfg(test)]
mod tests;
