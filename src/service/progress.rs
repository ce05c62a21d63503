//! The current activity of the program as one line of text.

use jiff::Timestamp;

use crate::watch::{Connection, Report, Snapshot, sleeping_words, waiting_words};
use kyomi_csa::text::printable;

/// Follows the reports of a client or a server: whether it has started, and its phase as one line of text.
#[derive(Debug)]
pub struct Progress {
    role: Role,
    phase: String,
    games: Vec<Game>,
    ended: u64,
}

#[derive(Debug)]
enum Role {
    /// It has started when its engine is ready.
    Client { ready: bool },
    /// It has started.
    Server { address: String },
}

/// A game that runs.
#[derive(Debug)]
struct Game {
    number: u64,
    names: [String; 2],
    moves: usize,
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
        Self::new(Role::Client { ready: false }, "starting the engine")
    }

    /// The progress of a server that listens on this address.
    pub fn of_server(address: impl std::fmt::Display) -> Self {
        Self::new(Role::Server { address: address.to_string() }, "")
    }

    fn new(role: Role, phase: &str) -> Self {
        Self { role, phase: phase.to_owned(), games: Vec::new(), ended: 0 }
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
        let text = match &self.role {
            Role::Server { address } => {
                let (running, ended) = (self.games.len(), self.ended);
                format!("listening on {address}; {running} games running, {ended} ended")
            }
            Role::Client { .. } => match self.games.last() {
                Some(game) => {
                    let [black, white] = &game.names;
                    let (number, moves) = (game.number, game.moves);
                    let line = format!("game {number}, {moves} moves: {black} - {white}");
                    if self.phase.is_empty() { line } else { format!("{line}; {}", self.phase) }
                }
                None => self.phase.clone(),
            },
        };
        printable(&text).chars().take(MOST_CHARACTERS).collect()
    }

    /// Applies a report.
    pub fn take(&mut self, report: &Report) {
        match report {
            Report::Snapshot { snapshot, .. } => self.restart(snapshot),
            Report::EngineStarting { player } => {
                if !self.is_ready() {
                    self.phase = format!("starting the engine of {player}");
                }
            }
            Report::EngineReady { engine, .. } => {
                if !self.is_ready() {
                    self.phase = format!("engine ready: {engine}");
                    self.started();
                }
            }
            Report::Connecting { server } => {
                self.started();
                self.phase = format!("connecting to {server}");
            }
            Report::Waiting { name, pairing } => {
                let words = waiting_words(name, *pairing, Timestamp::now());
                self.phase = format!("{words}; {} played", self.ended);
            }
            Report::Sleeping { until, reason } => {
                self.phase = sleeping_words(*until, *reason, Timestamp::now());
            }
            Report::Disconnected { reason, .. } => {
                self.phase = format!("connection lost: {reason}");
            }
            Report::Suspended { number } => self.phase = format!("game {number} is suspended"),
            Report::Resumed { .. } => self.phase.clear(),
            Report::GameStarted { number, names, game, .. } => {
                self.started();
                self.phase.clear();
                let moves = game.len();
                self.games.push(Game { number: *number, names: names.clone(), moves });
            }
            Report::Moved { number, .. } => {
                if let Some(game) = self.games.iter_mut().find(|game| game.number == *number) {
                    game.moves += 1;
                }
            }
            Report::GameEnded { number, end, .. } => {
                self.games.retain(|game| game.number != *number);
                self.ended += 1;
                self.phase = format!("game {number} ended: {}", end.result_word());
            }
            Report::Pausing { pause, reason } => {
                self.phase = format!("pausing for {} s: {reason}", pause.as_secs());
            }
            Report::Thinking { .. }
            | Report::ServerSaid(_)
            | Report::Warning(_)
            | Report::EngineFailed { .. }
            | Report::NoPairing { .. }
            | Report::ScheduleOpen { .. } => {}
        }
    }

    fn started(&mut self) {
        if let Role::Client { ready } = &mut self.role {
            *ready = true;
        }
    }

    /// Sets the state to a snapshot, at the beginning or after reports were lost.
    fn restart(&mut self, snapshot: &Snapshot) {
        let running = snapshot.games.iter().filter(|game| game.end.is_none());
        self.games = running
            .map(|game| Game {
                number: game.number,
                names: game.names.clone(),
                moves: game.moves.len(),
            })
            .collect();
        // Some of the games that have ended may be forgotten.
        let last = snapshot.games.iter().map(|game| game.number).max().unwrap_or_default();
        self.ended = self.ended.max(last.saturating_sub(self.games.len() as u64));
        if snapshot.engines.iter().any(|(_, engine)| engine.is_some()) {
            self.started();
        }
        match &snapshot.connection {
            Connection::None => {}
            Connection::Playing => self.phase.clear(),
            Connection::Connecting { server } => self.phase = format!("connecting to {server}"),
            Connection::Waiting { name, pairing } => {
                self.phase = waiting_words(name, *pairing, Timestamp::now());
            }
            Connection::Sleeping { until, reason } => {
                self.phase = sleeping_words(*until, *reason, Timestamp::now());
            }
            Connection::Suspended => "the game is suspended".clone_into(&mut self.phase),
            Connection::Lost { reason } => self.phase = format!("connection lost: {reason}"),
            Connection::Pausing { reason, .. } => self.phase = format!("pausing: {reason}"),
        }
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
