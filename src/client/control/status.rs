//! The state of a client in one line, as the answer to `kyomi ctl status`.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use jiff::Timestamp;

use crate::watch::{Connection, LiveGame, Snapshot, sleeping_words, waiting_words};
use kyomi_csa::text::printable;
use kyomi_shogi::clock::SideClock;
use kyomi_shogi::{Color, text::counted};

/// The state of the client and its duration; in a game both clocks, the time until the flag falls, and the last score;
/// and the names of the engines.
pub(super) fn status_line(snapshot: &Snapshot, now: Instant) -> String {
    let running = snapshot.running();
    let over = snapshot.ended_games;
    let lasted = |since: Instant| clock_words(now.saturating_duration_since(since));
    let agreed = snapshot.agreed.as_ref().filter(|_| running.is_none());
    let starting =
        snapshot.engine_starting.map(|since| format!("engine starting for {}", lasted(since)));
    let mut line = match running {
        Some(game) => game_words(game, now),
        None if agreed.is_some() => "between games".to_owned(),
        None if starting.is_some() => String::new(),
        None if snapshot.engines.iter().any(|engine| engine.name.is_some()) => {
            "between games".to_owned()
        }
        None => "no engine yet".to_owned(),
    };
    if let Some(starting) = starting {
        if !line.is_empty() {
            line.push_str("; ");
        }
        line.push_str(&starting);
    }
    if let Some((id, since)) = agreed {
        let (id, lasts) = (player_name(id), lasted(*since));
        let _ = write!(line, "; agreed to the game {id}, waiting for START for {lasts}");
    }
    let lasts = lasted(snapshot.connection_since.unwrap_or(now));
    let connection = match &snapshot.connection {
        Connection::None | Connection::Playing => None,
        Connection::Waiting { .. } if agreed.is_some() => None,
        Connection::Connecting { server } => Some(format!("connecting to {server} for {lasts}")),
        Connection::Waiting { name, pairing } => {
            let words = waiting_words(name, *pairing, Timestamp::now());
            Some(format!("{words} for {lasts}"))
        }
        Connection::Sleeping { until, reason } => {
            Some(sleeping_words(*until, *reason, Timestamp::now()))
        }
        Connection::Suspended => Some(format!("suspended by the server for {lasts}")),
        Connection::Lost { reason } => {
            Some(format!("connection lost {lasts} ago: {}", printable(reason)))
        }
        Connection::Pausing { until, reason } => {
            let left = until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
            Some(format!("trying again in {}: {}", clock_words(left), printable(reason)))
        }
    };
    if let Some(connection) = connection {
        let _ = write!(line, "; {connection}");
    }
    if over > 0 {
        let _ = write!(line, "; {} over", counted(over, "game"));
    }
    for engine in snapshot.engines.iter().filter_map(|engine| engine.name.as_deref()) {
        let name: String = printable(engine).chars().take(LONGEST_ENGINE).collect();
        let _ = write!(line, "; engine {name}");
    }
    line
}

fn game_words(game: &LiveGame, now: Instant) -> String {
    let [black, white] = &game.names;
    let ply = game.plies() + 1;
    let turn = game.clocks.turn;
    let gone = now.saturating_duration_since(game.turn_began);
    let whose = match game.own {
        Some(own) if own == turn => "our turn".to_owned(),
        Some(_) => "their turn".to_owned(),
        None => format!("{turn} to move"),
    };
    let mut words = format!(
        "game {}: {} - {}, move {ply}, {whose} for {}",
        game.number,
        player_name(black),
        player_name(white),
        clock_words(gone)
    );
    let left = |color: Color| {
        let clock: &SideClock = game.clocks.of(color);
        if clock.control.is_unlimited() {
            return "no clock".to_owned();
        }
        let gone = if color == turn { gone } else { Duration::ZERO };
        clock_words(clock.remaining.saturating_sub(gone))
    };
    let _ = write!(words, ", clocks {} / {}", left(Color::Black), left(Color::White));
    if let Some(after) = game.clocks.running().flag_after() {
        let _ = write!(words, ", flag in {}", clock_words(after.saturating_sub(gone)));
    }
    let own = game.own.unwrap_or(turn);
    if let Some(line) = &game.lines[own.index()]
        && let Some(score) = line.info.score
    {
        // Scores are from the side to move of the position that is searched.
        let score = if line.game.position().side_to_move() == own { score } else { -score };
        let _ = write!(words, ", score {score} at depth {}", line.info.depth);
        match line.info.workers {
            0 => {}
            1 => words.push_str(", 1 worker"),
            workers => {
                let _ = write!(words, ", {workers} workers");
            }
        }
    }
    words
}

/// A name from the server, without control characters and shortened.
fn player_name(name: &str) -> String {
    printable(name).chars().take(LONGEST_NAME).collect()
}

/// `12 s`, `3:05` or `1:02:03`.
fn clock_words(time: Duration) -> String {
    let secs = time.as_secs();
    match (secs / 3600, secs / 60 % 60, secs % 60) {
        (0, 0, secs) => format!("{secs} s"),
        (0, minutes, secs) => format!("{minutes}:{secs:02}"),
        (hours, minutes, secs) => format!("{hours}:{minutes:02}:{secs:02}"),
    }
}

/// The name of the built-in engine has its evaluation.
const LONGEST_ENGINE: usize = 140;
/// Servers allow names of 32 characters.
const LONGEST_NAME: usize = 40;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::watch::{Report, Watchers};
    use kyomi_shogi::clock::{Controls, GameClocks, TimeControl};
    use kyomi_shogi::{Game, Position};

    #[test]
    fn a_running_game_is_one_line_with_clocks_and_flag() {
        let watchers = Watchers::new();
        let line = |watchers: &Watchers| {
            status_line(&watchers.snapshot(), Instant::now() + Duration::from_millis(65_500))
        };
        assert_eq!(line(&watchers), "no engine yet");
        watchers.report(Report::EngineStarting { player: "a".to_owned() });
        assert_eq!(line(&watchers), "engine starting for 1:05");
        watchers.report(Report::EngineReady { player: "a".to_owned(), engine: "e".to_owned() });
        assert_eq!(line(&watchers), "between games; engine e");
        watchers.report(Report::Waiting { name: "a".to_owned(), pairing: None });
        assert_eq!(line(&watchers), "between games; waiting for a game as a for 1:05; engine e");
        let pairing = Some(Duration::from_secs(1800));
        watchers.report(Report::Waiting { name: "a".to_owned(), pairing });
        let floodgate = line(&watchers);
        assert!(floodgate.starts_with("between games; waiting for the pairing at "), "{floodgate}");
        assert!(floodgate.ends_with(") as a for 1:05; engine e"), "{floodgate}");
        watchers.agreed(Some("x+y"));
        assert_eq!(
            line(&watchers),
            "between games; agreed to the game x+y, waiting for START for 1:05; engine e"
        );
        watchers.agreed(None);
        assert!(line(&watchers).contains("; waiting for the pairing at "));
        watchers.agreed(Some("x+y"));
        let control = TimeControl::sudden_death(Duration::from_secs(1200));
        watchers.report(Report::GameStarted {
            number: 2,
            game_id: "id".to_owned(),
            names: ["a".to_owned(), format!("b\u{7}{}", "b".repeat(99))],
            own: Some(Color::White),
            game: Arc::new(Game::new(Position::startpos())),
            move_times: Vec::new(),
            clocks: *GameClocks::new(Controls::both(control), Color::Black).clocks(),
            continued: false,
        });
        assert_eq!(watchers.snapshot().agreed, None);
        let line = line(&watchers);
        assert!(line.starts_with(&format!("game 2: a - {}, ", "b".repeat(40))), "{line}");
        assert!(
            line.contains("move 1, their turn for 1:05, clocks 18:54 / 20:00, flag in 18:54"),
            "{line}"
        );
        assert!(!line.contains('\u{7}'));
    }
}
