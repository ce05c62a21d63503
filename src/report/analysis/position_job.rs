//! A position to search as a job for another machine.

use std::{num::NonZeroUsize, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    analyst::{Analyst as _, AnalystSettings, PositionLimit},
    builtin_analyst::BuiltinAnalyst,
    searched::Searched,
};
use crate::cluster::{
    jobs::{LONGEST_TIME, compute},
    message::LARGEST_NUMBER,
};
use kyomi_engine::search::StopFlag;
use kyomi_shogi::{Game, notation::usi};

/// A position to search, as the broker stores it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionJob {
    /// A `position` line.
    position: String,
    /// The number of positions to search, or else the time in milliseconds.
    nodes: Option<u64>,
    time_ms: Option<u64>,
    threads: NonZeroUsize,
    /// The number of lines to find.
    lines: NonZeroUsize,
    hash_bytes: u64,
}

impl PositionJob {
    /// The kind of these jobs.
    pub const KIND: &'static str = "analysis";

    /// The search of the position that a game has reached.
    pub(super) fn new(game: &Game, settings: &AnalystSettings) -> Self {
        let (nodes, time_ms) = match settings.limit {
            PositionLimit::Nodes(nodes) => (Some(nodes), None),
            PositionLimit::Time(time) => (None, u64::try_from(time.as_millis()).ok()),
        };
        Self {
            position: usi::format_position_line(game),
            nodes,
            time_ms,
            threads: settings.threads,
            lines: settings.lines,
            hash_bytes: settings.hash_bytes,
        }
    }

    /// Reads and checks a job.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub fn read(work: Value) -> Result<Self, String> {
        let job: Self = serde_json::from_value(work).map_err(|error| error.to_string())?;
        job.settings()?;
        let game = job.game()?;
        game.start().check_playable().map_err(|error| error.to_string())?;
        if !game.position().has_legal_move() {
            return Err("there is no move".to_owned());
        }
        Ok(job)
    }

    /// Checks the settings of the search.
    ///
    /// # Errors
    /// Why there is no such search.
    pub(super) fn check(&self) -> Result<(), String> {
        self.settings().map(drop)
    }

    /// The position, as a `position` line.
    pub(super) fn position(&self) -> &str {
        &self.position
    }

    /// The job as the broker stores it.
    pub fn write(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Searches the position. Dropping the future ends the search.
    ///
    /// # Errors
    /// Why it cannot be searched.
    pub async fn search(self) -> Result<Value, String> {
        let stop = StopFlag::new();
        let _abandon = StopAtEnd(stop.clone());
        compute(move |_| self.search_here(stop)).await
    }

    fn search_here(&self, stop: StopFlag) -> Result<Value, String> {
        let analyst = BuiltinAnalyst::new(self.settings()?, stop);
        let mut analyst = analyst.map_err(|error| error.to_string())?;
        let found = analyst.search(&self.game()?).map_err(|error| error.to_string())?;
        let found = found.ok_or("the search was stopped")?;
        Ok(Value::String(found.to_text()))
    }

    /// Reads and checks the result that a worker sent.
    ///
    /// # Errors
    /// Why it cannot be a result of this job.
    pub fn result(&self, value: &Value) -> Result<Searched, String> {
        let game = self.game()?;
        let text = value.as_str().ok_or("it is no text")?;
        let found = Searched::from_text(text, game.position());
        let found = found.ok_or("it is no result of a search of its position")?;
        let longest = found.lines.iter().map(|line| line.moves.len()).max().unwrap_or(0);
        let most = u32::try_from(LONGEST_LINE).unwrap_or(u32::MAX);
        if found.lines.len() > self.lines.get() || longest > LONGEST_LINE || found.depth > most {
            return Err("it has too many lines or moves".to_owned());
        }
        if found.nodes > LARGEST_NUMBER || found.time > LONGEST_TIME {
            return Err("it has an impossible time or number of nodes".to_owned());
        }
        Ok(found)
    }

    fn game(&self) -> Result<Game, String> {
        usi::parse_position_line(&self.position).map_err(|error| error.to_string())
    }

    fn settings(&self) -> Result<AnalystSettings, String> {
        let limit = match (self.nodes, self.time_ms) {
            (Some(nodes @ 1..), None) => PositionLimit::Nodes(nodes),
            (None, Some(ms @ 1..=LONGEST_MS)) => PositionLimit::Time(Duration::from_millis(ms)),
            _ => return Err("a search has a number of nodes or a time".to_owned()),
        };
        let Self { threads, lines, hash_bytes, .. } = *self;
        if threads.get() > MOST_THREADS || lines.get() > MOST_LINES || hash_bytes > LARGEST_HASH {
            return Err(format!(
                "a search on workers has at most {MOST_THREADS} threads, {MOST_LINES} lines and {} MiB",
                LARGEST_HASH >> 20
            ));
        }
        Ok(AnalystSettings { limit, threads, lines, hash_bytes })
    }
}

/// Stops a search when it is dropped.
struct StopAtEnd(StopFlag);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        self.0.stop();
    }
}

const LONGEST_MS: u64 = 24 * 3600 * 1000;
const MOST_THREADS: usize = 256;
const MOST_LINES: usize = 600;
const LARGEST_HASH: u64 = 4 << 30;
/// The largest number of moves of a line. A mate that is proved at the root may be longer than the search depth.
const LONGEST_LINE: usize = 2_000;
