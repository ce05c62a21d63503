//! The current activity of the program as one line of text.

use jiff::Timestamp;

use crate::watch::{Connection, Report, Snapshot, sleeping_words, waiting_words};
use kyomi_csa::text::printable;

/// Follows the reports of a client or a server: whether it has started, and its phase as one line of text.
#[derive(Debug)]
pub struct Progress {
    role: Role,
    state: Snapshot,
}

#[derive(Debug)]
enum Role {
    /// It has started when its engine is ready.
    Client { ready: bool },
    /// It has started.
    Server { address: String },
}

/// Several clients of one process.
#[derive(Debug)]
pub struct Phases(Vec<(String, Progress)>);

impl Phases {
    /// The phases of one client or server.
    pub fn one(progress: Progress) -> Self {
        Self(vec![(String::new(), progress)])
    }

    /// The phases of several clients, each with its prefix.
    pub fn of_clients(prefixes: impl IntoIterator<Item = String>) -> Self {
        Self(prefixes.into_iter().map(|prefix| (prefix, Progress::of_client())).collect())
    }

    /// Whether the program has started: at least one of them has. The others may have failed.
    pub(super) fn is_ready(&self) -> bool {
        self.0.iter().any(|(_, progress)| progress.is_ready())
    }

    /// The phases in one line without control characters.
    pub(super) fn status(&self) -> String {
        let phases: Vec<_> = self
            .0
            .iter()
            .map(|(prefix, progress)| format!("{prefix}{}", progress.status()))
            .collect();
        phases.join(" | ").chars().take(MOST_CHARACTERS).collect()
    }

    /// Applies a report of the client with this number.
    pub(super) fn take(&mut self, number: usize, report: &Report) {
        if let Some((_, progress)) = self.0.get_mut(number) {
            progress.take(report);
        }
    }
}

impl Progress {
    /// The progress of a client.
    pub fn of_client() -> Self {
        Self { role: Role::Client { ready: false }, state: Snapshot::default() }
    }

    /// The progress of a server that listens on this address.
    pub fn of_server(address: impl std::fmt::Display) -> Self {
        Self { role: Role::Server { address: address.to_string() }, state: Snapshot::default() }
    }

    /// Whether the program has started: the engine was ready once, or the server listens.
    pub const fn is_ready(&self) -> bool {
        match self.role {
            Role::Client { ready } => ready,
            Role::Server { .. } => true,
        }
    }

    /// The phase in one line without control characters.
    pub fn status(&self) -> String {
        let state = &self.state;
        let text = match &self.role {
            Role::Server { address } => {
                let running = state.games.iter().filter(|game| game.end.is_none()).count();
                let ended = state.ended_games;
                format!("listening on {address}; {running} games running, {ended} ended")
            }
            Role::Client { .. } => match state.running() {
                Some(game) => {
                    let ([black, white], phase) = (&game.names, phase(state));
                    let (number, moves) = (game.number, game.plies());
                    let line = format!("game {number}, {moves} moves: {black} - {white}");
                    if phase.is_empty() { line } else { format!("{line}; {phase}") }
                }
                None => phase(state),
            },
        };
        printable(&text).chars().take(MOST_CHARACTERS).collect()
    }

    /// Applies a report.
    pub fn take(&mut self, report: &Report) {
        self.state.apply(report);
        if let Role::Client { ready } = &mut self.role {
            *ready |= self.state.connection != Connection::None
                || self.state.engines.iter().any(|engine| engine.name.is_some());
        }
    }
}

/// The phase of a client; empty if its game runs undisturbed.
fn phase(state: &Snapshot) -> String {
    let now = Timestamp::now();
    match &state.connection {
        Connection::None => match (
            state.engines.iter().find_map(|engine| engine.name.as_ref()),
            state.engines.last(),
        ) {
            (Some(name), _) => format!("engine ready: {name}"),
            (None, Some(engine)) => format!("starting the engine of {}", engine.player),
            (None, None) => "starting the engine".to_owned(),
        },
        Connection::Connecting { server } => format!("connecting to {server}"),
        Connection::Waiting { name, pairing } => {
            let words = waiting_words(name, *pairing, now);
            format!("{words}; {} played", state.ended_games)
        }
        Connection::Sleeping { until, reason } => sleeping_words(*until, *reason, now),
        Connection::Pausing { until, reason } => {
            let pause = until.zip(state.connection_since).map(|(until, since)| until - since);
            format!("pausing for {} s: {reason}", pause.unwrap_or_default().as_secs())
        }
        // These are states of a game.
        connection => match (state.running(), connection) {
            (None, _) => state
                .games
                .last()
                .and_then(|game| Some((game, game.end.as_ref()?)))
                .map_or_else(String::new, |(game, (end, _))| {
                    format!("game {} ended: {}", game.number, end.result_word())
                }),
            (Some(_), Connection::Lost { reason }) => format!("connection lost: {reason}"),
            (Some(game), Connection::Suspended) => format!("game {} is suspended", game.number),
            (Some(_), _) => String::new(),
        },
    }
}

/// `systemctl status` shows one line.
const MOST_CHARACTERS: usize = 200;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::test_reports::{ended, started};
    use super::*;

    #[test]
    fn a_client_is_ready_with_its_engine_and_tells_each_phase() {
        let mut progress = Progress::of_client();
        let mut told = |report: Report| {
            progress.take(&report);
            format!("{} {}", progress.is_ready(), progress.status())
        };
        let player = || "kyomi".to_owned();
        assert_eq!(
            told(Report::EngineStarting { player: player() }),
            "false starting the engine of kyomi"
        );
        let engine = "kyomi 1".to_owned();
        assert_eq!(
            told(Report::EngineReady { player: player(), engine }),
            "true engine ready: kyomi 1"
        );
        let server = "host:4081".to_owned();
        assert_eq!(told(Report::Connecting { server }), "true connecting to host:4081");
        assert_eq!(
            told(Report::Waiting { name: player(), pairing: None }),
            "true waiting for a game as kyomi; 0 played"
        );
        assert_eq!(told(started(1, "b")), "true game 1, 0 moves: kyomi - b");
        let reason = "reset".to_owned();
        assert_eq!(
            told(Report::Disconnected { number: 1, reason }),
            "true game 1, 0 moves: kyomi - b; connection lost: reset"
        );
        assert_eq!(told(ended(1)), "true game 1 ended: black");
        let reason = "refused".to_owned();
        assert_eq!(
            told(Report::Pausing { pause: Duration::from_secs(9), reason }),
            "true pausing for 9 s: refused"
        );
    }

    #[test]
    fn several_clients_share_the_line() {
        let mut phases = Phases::of_clients(["a: ".to_owned(), "b: ".to_owned()]);
        assert!(!phases.is_ready());
        phases.take(1, &started(1, "c"));
        phases.take(7, &started(1, "c"));
        let status = "a: starting the engine | b: game 1, 0 moves: kyomi - c";
        assert_eq!((phases.is_ready(), phases.status().as_str()), (true, status));
    }

    #[test]
    fn a_server_counts_its_games() {
        let mut progress = Progress::of_server("[::1]:4081");
        assert!(progress.is_ready());
        progress.take(&started(1, "b"));
        progress.take(&started(2, "c"));
        progress.take(&ended(1));
        assert_eq!(progress.status(), "listening on [::1]:4081; 1 games running, 1 ended");
    }

    #[test]
    fn a_name_cannot_add_a_line() {
        let mut progress = Progress::of_client();
        progress.take(&started(1, "b\nSTOPPING=1\r\u{1b}"));
        assert_eq!(progress.status(), "game 1, 0 moves: kyomi - bSTOPPING=1");
        progress.take(&started(2, &"x".repeat(5000)));
        assert_eq!(progress.status().chars().count(), MOST_CHARACTERS);
    }
}
