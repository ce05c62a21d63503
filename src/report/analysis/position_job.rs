//! A position to search as a job for another machine.

use std::{num::NonZeroUsize, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    analyst::{Analyst as _, AnalystSettings, PositionLimit},
    builtin_analyst::BuiltinAnalyst,
    searched::Searched,
};
use crate::cluster::{
    jobs::{Abandon, Job, LONGEST_TIME},
    message::LARGEST_NUMBER,
};
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

    /// The position, as a `position` line.
    pub(super) fn position(&self) -> &str {
        &self.position
    }

    /// Reads and checks the result that a worker sent.
    ///
    /// # Errors
    /// Why it cannot be a result of this job.
    pub fn result(&self, text: &str) -> Result<Searched, String> {
        let game = self.game()?;
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

    /// The settings of the search.
    ///
    /// # Errors
    /// Why there is no such search.
    pub(super) fn settings(&self) -> Result<AnalystSettings, String> {
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

impl Job for PositionJob {
    const KIND: &'static str = "analysis";
    type Tools = ();
    /// The text of the result, which needs the position to be read.
    type Done = String;

    fn check(&self) -> Result<(), String> {
        self.settings()?;
        let game = self.game()?;
        game.start().check_playable().map_err(|error| error.to_string())?;
        if game.position().has_legal_move() { Ok(()) } else { Err("there is no move".to_owned()) }
    }

    fn tools(&self) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, (): &mut (), abandon: &Abandon) -> Result<String, String> {
        let analyst = BuiltinAnalyst::new(self.settings()?, abandon.search.clone());
        let mut analyst = analyst.map_err(|error| error.to_string())?;
        let found = analyst.search(&self.game()?).map_err(|error| error.to_string())?;
        Ok(found.ok_or("the search was stopped")?.to_text())
    }
}

const LONGEST_MS: u64 = 24 * 3600 * 1000;
const MOST_THREADS: usize = 256;
const MOST_LINES: usize = 600;
const LARGEST_HASH: u64 = 4 << 30;
/// The largest number of moves of a line. A mate that is proved at the root may be longer than the search depth.
const LONGEST_LINE: usize = 2_000;
