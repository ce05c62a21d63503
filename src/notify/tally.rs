//! The counts for the daily summary.

use std::{fmt::Write as _, time::Duration};

use jiff::{Timestamp, tz::TimeZone};

use kyomi_shogi::text::counted;

/// Counts of games and failures in a period.
#[derive(Debug, Clone)]
pub(super) struct Tally {
    since: Timestamp,
    pub(super) won: u32,
    pub(super) lost: u32,
    pub(super) drawn: u32,
    /// Ended without a result.
    pub(super) unfinished: u32,
    pub(super) moves: u64,
    /// The time charged for our moves.
    pub(super) time: Duration,
    /// Number of our moves before which the player had pondered, and how often on the right reply.
    pub(super) pondered: u32,
    pub(super) ponder_hits: u32,
    pub(super) restarts: u32,
    pub(super) failures: u32,
    pub(super) reconnects: u32,
}

impl Tally {
    /// Empty counts of a period that begins at this time.
    pub(super) fn since(since: Timestamp) -> Self {
        Self {
            since,
            won: 0,
            lost: 0,
            drawn: 0,
            unfinished: 0,
            moves: 0,
            time: Duration::ZERO,
            pondered: 0,
            ponder_hits: 0,
            restarts: 0,
            failures: 0,
            reconnects: 0,
        }
    }

    /// The summary of the period in one line.
    pub(super) fn summary(&self) -> String {
        let since = self.since.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
        let games = self.won + self.lost + self.drawn + self.unfinished;
        let mut text = format!("summary since {since}: {}", counted(games, "game"));
        if games > 0 {
            let (won, lost, drawn) = (self.won, self.lost, self.drawn);
            let _ = write!(text, " ({won} won, {lost} lost, {drawn} drawn");
            if self.unfinished > 0 {
                let _ = write!(text, ", {} without a result", self.unfinished);
            }
            text.push(')');
        }
        let (secs, moves) = (self.time.as_secs(), self.moves);
        let _ = write!(
            text,
            ", {moves} moves, time used {}:{:02}:{:02}, {}, {}, {}",
            secs / 3600,
            secs / 60 % 60,
            secs % 60,
            counted(self.restarts, "engine restart"),
            counted(self.failures, "failed engine"),
            counted(self.reconnects, "reconnect")
        );
        if self.pondered > 0 {
            let _ = write!(text, ", {} of {} ponder hits", self.ponder_hits, self.pondered);
        }
        text
    }
}
