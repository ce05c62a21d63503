//! Turns the reports of one account into messages and counts.

use jiff::Timestamp;

use crate::{
    config::NotifyKind,
    watch::{Connection, LiveGame, Report, SleepReason, Snapshot, moment_words, sleeping_words},
};
use kyomi_csa::MoveEvent;
use kyomi_shogi::{Color, Game, GameEnd};

use super::tally::Tally;

/// The state of one account.
#[derive(Debug)]
pub(super) struct Digest {
    game: Option<Current>,
    /// Whether a message has said that the connection is lost.
    lost: bool,
    tally: Tally,
}

/// The running game.
#[derive(Debug)]
struct Current {
    number: u64,
    names: [String; 2],
    own: Option<Color>,
    /// The number of moves, with those of the offer.
    moves: usize,
}

impl Digest {
    /// A digest without reports.
    pub(super) fn new(now: Timestamp) -> Self {
        Self { game: None, lost: false, tally: Tally::since(now) }
    }

    /// The summary of the time since the last one.
    pub(super) fn summary(&mut self, now: Timestamp) -> String {
        std::mem::replace(&mut self.tally, Tally::since(now)).summary()
    }

    /// Applies a report, and returns the message about it, if there is one.
    pub(super) fn take(&mut self, report: &Report, now: Timestamp) -> Option<(NotifyKind, String)> {
        let (kind, text) = match report {
            Report::GameStarted { number, names, own, game, continued, .. } => {
                self.lost = false;
                let verb = if *continued { "is taken up again" } else { "begins" };
                (NotifyKind::Game, self.begins(*number, verb, names, *own, game))
            }
            Report::Moved { event, .. } => {
                self.count_move(event);
                return None;
            }
            Report::GameEnded { number, end, .. } => (NotifyKind::Game, self.ends(*number, end)),
            Report::Disconnected { number, reason } => {
                self.lost = true;
                (NotifyKind::Connection, format!("connection lost in game {number}: {reason}"))
            }
            Report::Suspended { number } => {
                (NotifyKind::Game, format!("game {number} is suspended by the server"))
            }
            Report::Resumed { number, .. } if !self.lost => {
                (NotifyKind::Game, format!("game {number} goes on"))
            }
            Report::Resumed { number, .. } => {
                self.lost = false;
                self.tally.reconnects += 1;
                (NotifyKind::Connection, format!("game {number} goes on over a new connection"))
            }
            // There may be many attempts to resume a game or to log in; only the first one is worth a message.
            Report::Pausing { reason, .. } if !std::mem::replace(&mut self.lost, true) => {
                (NotifyKind::Connection, format!("{reason}; trying again"))
            }
            Report::Waiting { name, .. } if self.lost && self.game.is_none() => {
                self.lost = false;
                self.tally.reconnects += 1;
                (NotifyKind::Connection, format!("logged in again as {name}"))
            }
            Report::EngineFailed { text, restarted, .. } => {
                let count =
                    if *restarted { &mut self.tally.restarts } else { &mut self.tally.failures };
                *count += 1;
                (NotifyKind::Engine, text.clone())
            }
            Report::NoPairing { waited } => {
                let minutes = waited.as_secs() / 60;
                (NotifyKind::Pairing, format!("no game for {minutes} min"))
            }
            Report::Sleeping { until, reason } if *reason != SleepReason::Pause => {
                (NotifyKind::Schedule, sleeping_words(*until, *reason, now))
            }
            Report::ScheduleOpen { until } => {
                let until = until.map(|until| format!(" until {}", moment_words(until, now)));
                let until = until.unwrap_or_default();
                (NotifyKind::Schedule, format!("the schedule is open{until}"))
            }
            Report::Snapshot { snapshot, .. } => {
                self.restart(snapshot);
                return None;
            }
            Report::Pausing { .. }
            | Report::Sleeping { .. }
            | Report::Waiting { .. }
            | Report::EngineStarting { .. }
            | Report::EngineReady { .. }
            | Report::Connecting { .. }
            | Report::Thinking { .. }
            | Report::ServerSaid(_)
            | Report::Warning(_) => return None,
        };
        Some((kind, text))
    }

    fn count_move(&mut self, event: &MoveEvent) {
        let Some(game) = &mut self.game else { return };
        game.moves += 1;
        self.tally.moves += 1;
        if game.own.is_none_or(|own| own == event.color) {
            self.tally.time += event.spent;
        }
        if let Some(hit) = event.own_turn.and_then(|turn| turn.ponder_hit) {
            self.tally.pondered += 1;
            self.tally.ponder_hits += u32::from(hit);
        }
    }

    fn begins(
        &mut self,
        number: u64,
        verb: &str,
        names: &[String; 2],
        own: Option<Color>,
        game: &Game,
    ) -> String {
        self.game = Some(Current { number, names: names.clone(), own, moves: game.len() });
        let [black, white] = names;
        let own = own.map_or_else(String::new, |own| format!(", we are {own}"));
        format!("game {number} {verb}: {black} - {white}{own}")
    }

    fn ends(&mut self, number: u64, end: &GameEnd) -> String {
        let game = self.game.take().filter(|game| game.number == number);
        let (winner, reason) = (end.result_word(), end.reason.words());
        let own = game.as_ref().and_then(|game| game.own).map(|own| own.to_string());
        let result = match (winner, own.as_deref()) {
            ("draw", _) => {
                self.tally.drawn += 1;
                "drawn"
            }
            ("black" | "white", Some(own)) if own == winner => {
                self.tally.won += 1;
                "won"
            }
            ("black" | "white", Some(_)) => {
                self.tally.lost += 1;
                "lost"
            }
            ("black", None) => "won by black",
            ("white", None) => "won by white",
            _ => {
                self.tally.unfinished += 1;
                "over without a result"
            }
        };
        match game {
            Some(Current { names: [black, white], moves, .. }) => {
                format!("game {number} is {result}: {black} - {white}, {reason}, {moves} moves")
            }
            None => format!("game {number} is {result}: {reason}"),
        }
    }

    /// Sets the state to a snapshot, at the beginning or after reports were lost.
    fn restart(&mut self, snapshot: &Snapshot) {
        let running = snapshot.games.iter().rfind(|game| game.end.is_none());
        self.game = running.map(|game: &LiveGame| Current {
            number: game.number,
            names: game.names.clone(),
            own: game.own,
            moves: game.start.len() + game.moves.len(),
        });
        if let Connection::Playing | Connection::Waiting { .. } = snapshot.connection {
            self.lost = false;
        }
    }
}
