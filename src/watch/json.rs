//! Reports as JSON, one object per report: the lines of `kyomi play --events` (docs/formats.md).

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use kyomi_csa::MoveEvent;
use kyomi_csa::text::printable;
use kyomi_engine::search::{Bound, SearchInfo};
use kyomi_shogi::clock::{Clocks, SideClock};
use kyomi_shogi::{Color, Game, Move, Score};

use super::{Report, Snapshot, next_pairing};

/// The version of the format. It increases when a key is removed or changes its meaning; keys and events may be added
/// without a new version.
pub const EVENTS_VERSION: u32 = 1;

/// The event for a report.
pub fn event_json(report: &Report, at: Timestamp) -> Value {
    let (event, fields) = match report {
        Report::Snapshot { snapshot, missed } => ("snapshot", snapshot_fields(snapshot, *missed)),
        Report::EngineStarting { player } => ("engine_starting", json!({ "player": player })),
        Report::EngineReady { player, engine } => {
            ("engine_ready", json!({ "player": player, "engine": text(engine) }))
        }
        Report::EngineFailed { player, text: what, restarted } => (
            "engine_failed",
            json!({ "player": player, "text": text(what), "restarted": restarted }),
        ),
        Report::Connecting { server } => ("connecting", json!({ "server": server })),
        Report::Waiting { name, pairing } => {
            let next = pairing.map(|every| next_pairing(every, at).to_string());
            ("waiting", json!({ "name": text(name), "pairing": next }))
        }
        Report::NoPairing { waited } => ("no_pairing", json!({ "waited_ms": ms(*waited) })),
        Report::Sleeping { until, reason } => (
            "sleeping",
            json!({ "until": until.map(|at| at.to_string()), "reason": reason.to_string() }),
        ),
        Report::ScheduleOpen { until } => {
            ("schedule_open", json!({ "until": until.map(|at| at.to_string()) }))
        }
        Report::Disconnected { number, reason } => {
            let cause = "connection";
            ("suspended", json!({ "game": number, "cause": cause, "reason": text(reason) }))
        }
        Report::Suspended { number } => {
            ("suspended", json!({ "game": number, "cause": "server", "reason": "#CHUDAN" }))
        }
        Report::Resumed { number, clocks } => {
            ("resumed", json!({ "game": number, "clocks": clocks_json(clocks) }))
        }
        Report::GameStarted {
            number,
            game_id,
            names,
            own,
            game,
            move_times,
            clocks,
            continued,
        } => (
            "game_started",
            with(
                json!({ "game": number, "continued": continued, "own": own.map(color) }),
                started_fields(game_id, names, (game, move_times), clocks),
            ),
        ),
        Report::Thinking { color: side, game, info } => (
            "thinking",
            with(
                json!({
                    "side": color(*side),
                    "ply": game.len() + 1,
                    "last": game.moves().last().map(ToString::to_string),
                }),
                search_fields(info),
            ),
        ),
        Report::Moved { number, event, clocks } => ("move", moved_fields(*number, event, clocks)),
        Report::GameEnded { number, end, record } => (
            "game_ended",
            json!({
                "game": number,
                "winner": end.result_word(),
                "reason": text(&end.reason.words()),
                "record": record.as_ref().map(|path| path.display().to_string()),
            }),
        ),
        Report::Pausing { pause, reason } => {
            ("pausing", json!({ "pause_ms": ms(*pause), "reason": text(reason) }))
        }
        Report::ServerSaid(said) => ("server_said", json!({ "text": text(said) })),
        Report::Warning(warning) => ("warning", json!({ "text": text(warning) })),
    };
    let head = json!({ "v": EVENTS_VERSION, "time": at.to_string(), "event": event });
    with(head, fields)
}

fn moved_fields(number: u64, event: &MoveEvent, clocks: &Clocks) -> Value {
    let mut fields = json!({
        "game": number,
        "ply": event.ply,
        "side": color(event.color),
        "move": event.mv.to_string(),
        "csa": event.word,
        "spent_ms": ms(event.spent),
        "measured_ms": ms(event.measured),
        "clocks": clocks_json(clocks),
    });
    if let Some(turn) = &event.own_turn {
        fields = with(
            fields,
            json!({
                "echo_ms": turn.echo.map(ms),
                "before_ms": turn.before.map(ms),
                "ponder_hit": turn.ponder_hit,
            }),
        );
    }
    if let Some(analysis) = &event.analysis {
        // Scores of a record are seen from black; here every score is seen from the side that moves.
        let score = analysis.score.map(|score| match event.color {
            Color::Black => score,
            Color::White => -score,
        });
        fields = with(
            fields,
            with(
                json!({
                    "depth": analysis.depth,
                    "nodes": analysis.nodes,
                    "pv": moves(&analysis.pv),
                    "book": analysis.from_book,
                }),
                score_fields(score),
            ),
        );
    }
    fields
}

fn started_fields(
    game_id: &str,
    [black, white]: &[String; 2],
    (game, move_times): (&Game, &[Option<Duration>]),
    clocks: &Clocks,
) -> Value {
    json!({
        "id": text(game_id),
        "black": text(black),
        "white": text(white),
        "start": game.start().to_sfen(),
        "moves": moves(game.moves()),
        "moves_spent_ms": move_times.iter().map(|time| time.map(ms)).collect::<Vec<_>>(),
        "time_controls": {
            "black": clocks.black.control.to_string(),
            "white": clocks.white.control.to_string(),
        },
        "clocks": clocks_json(clocks),
    })
}

fn snapshot_fields(snapshot: &Snapshot, missed: u64) -> Value {
    let games: Vec<_> = snapshot
        .games
        .iter()
        .map(|game| {
            json!({
                "game": game.number,
                "id": text(&game.game_id),
                "black": text(&game.names[0]),
                "white": text(&game.names[1]),
                "own": game.own.map(color),
                "continued": game.continued,
                "start": game.start.start().to_sfen(),
                "plies": game.plies(),
                "clocks": clocks_json(&game.clocks),
                "over": game.end.is_some(),
            })
        })
        .collect();
    json!({ "missed": missed, "games": games })
}

fn search_fields(info: &SearchInfo) -> Value {
    let fields = json!({
        "depth": info.depth,
        "seldepth": info.seldepth,
        "nodes": info.nodes,
        "nps": info.nps,
        "workers": info.workers,
        "search_ms": ms(info.time),
        "hashfull": info.hashfull,
        "multipv": info.multipv,
        "pv": moves(&info.pv),
    });
    let bound = match info.bound {
        Bound::Exact => json!({}),
        Bound::Lower => json!({ "bound": "lower" }),
        Bound::Upper => json!({ "bound": "upper" }),
    };
    with(with(fields, score_fields(info.score)), bound)
}

/// The keys of [`record::score_fields`], and `mate_known` beside `mate`; no keys without a score.
fn score_fields(score: Option<Score>) -> Value {
    let mut fields = score.map(kyomi_record::score_fields).unwrap_or_default();
    if let Some(plies) = fields.get("mate") {
        let known = !plies.is_null();
        fields.insert("mate_known".to_owned(), known.into());
    }
    Value::Object(fields)
}

fn clocks_json(clocks: &Clocks) -> Value {
    let left = |clock: &SideClock| clock.main_time_left().map(ms);
    json!({
        "turn": color(clocks.turn),
        "black_ms": left(&clocks.black),
        "white_ms": left(&clocks.white),
    })
}

fn moves(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

/// The word for a side.
pub(crate) fn color(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// A duration in milliseconds.
pub(crate) fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn text(untrusted: &str) -> String {
    printable(untrusted).into_owned()
}

/// The fields of both objects.
pub(crate) fn with(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Object(first), Value::Object(second)) => {
            Value::Object(first.into_iter().chain(second).collect::<Map<_, _>>())
        }
        (first, _) => first,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kyomi_shogi::clock::{Controls, GameClocks, OwnTurn, TimeControl};
    use kyomi_shogi::{EndReason, Finding, GameEnd, Position};

    use super::*;
    use crate::watch::testing::made;

    fn event(report: &Report) -> Value {
        let event = event_json(report, Timestamp::UNIX_EPOCH);
        assert_eq!((&event["v"], &event["time"]), (&json!(1), &json!("1970-01-01T00:00:00Z")));
        assert!(!event.to_string().contains('\n'));
        event
    }

    fn clocks() -> Clocks {
        let control = TimeControl::fischer(Duration::from_secs(60), Duration::from_secs(5));
        *GameClocks::new(Controls::both(control), Color::Black).clocks()
    }

    #[test]
    fn a_game_is_reported_with_both_clocks() {
        let started = event(&Report::GameStarted {
            number: 3,
            game_id: "id\u{1b}[2J".to_owned(),
            names: ["a".to_owned(), "b".to_owned()],
            own: Some(Color::White),
            game: Arc::new(Game::new(Position::startpos())),
            move_times: Vec::new(),
            clocks: clocks(),
            continued: false,
        });
        assert_eq!(started["event"], "game_started");
        assert_eq!(started["continued"], false);
        assert_eq!((&started["own"], &started["game"]), (&json!("white"), &json!(3)));
        assert_eq!(started["clocks"]["black_ms"], 60_000);
        assert_eq!(started["time_controls"]["white"], "60+5");
        assert!(!started["id"].as_str().unwrap().contains('\u{1b}'));
    }

    #[test]
    fn scores_are_seen_from_the_side_that_moves() {
        let mv = kyomi_shogi::notation::usi::parse_move("3c3d").unwrap();
        let moved = |color, score| {
            let analysis = Finding {
                score: Some(score),
                pv: vec![mv],
                depth: Some(9),
                nodes: None,
                ..Finding::default()
            };
            event(&Report::Moved {
                number: 1,
                event: Box::new(MoveEvent {
                    word: "-3334FU".to_owned(),
                    spent: Duration::from_secs(2),
                    measured: Duration::from_millis(2150),
                    analysis: Some(analysis),
                    own_turn: Some(OwnTurn {
                        measured: Duration::from_millis(2150),
                        echo: Some(Duration::from_millis(12)),
                        before: None,
                        ponder_hit: Some(true),
                    }),
                    ..made(2, mv, color)
                }),
                clocks: clocks(),
            })
        };
        let white = moved(Color::White, Score::Cp(-30));
        assert_eq!((&white["echo_ms"], &white["ponder_hit"]), (&json!(12), &json!(true)));
        assert_eq!((&white["cp"], &white["move"]), (&json!(30), &json!("3c3d")));
        assert_eq!((&white["spent_ms"], &white["measured_ms"]), (&json!(2000), &json!(2150)));
        assert_eq!(moved(Color::Black, Score::Loss(Some(4)))["mate"], -4);
        let unknown = moved(Color::White, Score::Loss(None));
        assert_eq!((&unknown["mate_known"], &unknown["wins"]), (&json!(false), &json!(true)));
        assert!(unknown["mate"].is_null() && unknown.get("mate").is_some());
    }

    #[test]
    fn the_end_names_winner_reason_and_record() {
        let end = GameEnd::lost(Color::Black, EndReason::TimeUp, Color::Black);
        let ended = event(&Report::GameEnded { number: 1, end, record: Some("x.csa".into()) });
        assert_eq!((&ended["winner"], &ended["record"]), (&json!("white"), &json!("x.csa")));
        let said = event(&Report::ServerSaid("[CHAT][a] hello\n".to_owned()));
        assert_eq!(
            (&said["event"], &said["text"]),
            (&json!("server_said"), &json!("[CHAT][a] hello"))
        );
        assert_eq!(event(&Report::Warning("a\nb".to_owned()))["event"], "warning");
    }
}
