//! Turns the reports of one account into messages and counts.

use jiff::Timestamp;

use crate::{
    config::NotifyKind,
    watch::{Connection, Report, SleepReason, Snapshot, moment_words, sleeping_words},
};
use kyomi_csa::MoveEvent;
use kyomi_shogi::GameEnd;

use super::tally::Tally;

/// The state of one account.
#[derive(Debug)]
pub(super) struct Digest {
    state: Snapshot,
    /// Whether a message has said that the connection is lost.
    lost: bool,
    tally: Tally,
}

impl Digest {
    /// A digest without reports.
    pub(super) fn new(now: Timestamp) -> Self {
        Self { state: Snapshot::default(), lost: false, tally: Tally::since(now) }
    }

    /// The summary of the time since the last one.
    pub(super) fn summary(&mut self, now: Timestamp) -> String {
        std::mem::replace(&mut self.tally, Tally::since(now)).summary()
    }

    /// Applies a report, and returns the message about it, if there is one.
    pub(super) fn take(&mut self, report: &Report, now: Timestamp) -> Option<(NotifyKind, String)> {
        self.state.apply(report);
        let (kind, text) = match report {
            Report::GameStarted { number, names: [black, white], own, continued, .. } => {
                self.lost = false;
                let verb = if *continued { "is taken up again" } else { "begins" };
                let own = own.map_or_else(String::new, |own| format!(", we are {own}"));
                (NotifyKind::Game, format!("game {number} {verb}: {black} - {white}{own}"))
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
            Report::Waiting { name, .. } if self.lost && self.state.running().is_none() => {
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
                if let Connection::Playing | Connection::Waiting { .. } = snapshot.connection {
                    self.lost = false;
                }
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
        let Some(game) = self.state.running() else { return };
        self.tally.moves += 1;
        if game.own.is_none_or(|own| own == event.color) {
            self.tally.time += event.spent;
        }
        if let Some(hit) = event.own_turn.and_then(|turn| turn.ponder_hit) {
            self.tally.pondered += 1;
            self.tally.ponder_hits += u32::from(hit);
        }
    }

    fn ends(&mut self, number: u64, end: &GameEnd) -> String {
        let game = self.state.game(number);
        let (winner, reason) = (end.result_word(), end.reason.words());
        let own = game.and_then(|game| game.own).map(|own| own.to_string());
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
            Some(game) => {
                let ([black, white], moves) = (&game.names, game.plies());
                format!("game {number} is {result}: {black} - {white}, {reason}, {moves} moves")
            }
            None => format!("game {number} is {result}: {reason}"),
        }
    }
}
