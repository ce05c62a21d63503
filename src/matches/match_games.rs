//! The games of a match: stored, counted and shown, wherever they are played.

use std::{sync::Arc, time::Instant};

use super::{
    LabError, MatchSettings, PlayedGame, Progress, Report, Schedule, StoreError, store::Store,
    tally::Tally,
};

/// The games of a match and the progress of this run.
#[derive(Debug)]
pub(super) struct MatchGames {
    pub(super) settings: Arc<MatchSettings>,
    pub(super) schedule: Schedule,
    pub(super) store: Store,
    pub(super) tally: Tally,
    /// The number of games that this run has played.
    new_games: usize,
    started: Instant,
}

impl MatchGames {
    /// Opens the folder of a match, with the games that are already finished.
    ///
    /// # Errors
    /// The settings are not valid, or the folder cannot be used.
    pub(super) fn open(settings: MatchSettings) -> Result<Self, LabError> {
        settings.check()?;
        let mut tally = Tally::new(&settings);
        let store = Store::open(&settings, |game| {
            tally.add(&game);
        })?;
        let (schedule, started) = (settings.schedule(), Instant::now());
        Ok(Self { settings: Arc::new(settings), schedule, store, tally, new_games: 0, started })
    }

    /// Whether no further game is needed.
    pub(super) fn is_done(&self) -> bool {
        self.tally.is_decided() || self.tally.games >= self.schedule.games()
    }

    pub(super) fn progress(&self) -> Progress {
        Progress::new(&self.tally, self.schedule.games(), self.new_games, self.started.elapsed())
    }

    /// Counts a game that was stored.
    pub(super) fn count(&mut self, game: &PlayedGame) {
        self.tally.add(game);
        self.new_games += 1;
    }

    /// Writes the report.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn report(&self, notes: &[String]) -> Result<Report, StoreError> {
        let report = Report::new(&self.settings, &self.tally, notes);
        let text = serde_json::to_string_pretty(&report).unwrap_or_default();
        self.store.write_whole("report.json", &(text + "\n"))?;
        Ok(report)
    }
}
