//! Runs a whole match: slots play the games, a folder stores them, a tally counts them.

use std::{collections::BTreeSet, sync::Arc};

use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use super::{
    MatchSettings, Progress, Report,
    error::LabError,
    match_games::MatchGames,
    match_player::Note,
    queue::Queue,
    slot::{self, Finished, Shared, SlotEvent},
};

/// The user's requests to end a match. Finished games are never lost.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    /// Finish the running games and begin no other.
    pub finish: CancellationToken,
    /// Abandon the running games.
    pub abandon: CancellationToken,
}

/// Plays a match, or resumes the one in its folder, and returns its report. Calls `show` with the progress before the
/// first game and after every game.
///
/// # Errors
/// The reason the match could not be played to its end. Finished games are kept.
pub async fn run(
    settings: MatchSettings,
    stop: Stop,
    show: impl FnMut(&Progress),
) -> Result<Report, LabError> {
    let games = MatchGames::open(settings)?;
    let is_left = |game: &usize| !games.is_done() && !games.tally.has(*game);
    let left = (0..games.schedule.games()).filter(is_left);
    let shared = Arc::new(Shared {
        settings: Arc::clone(&games.settings),
        queue: Queue::new(games.schedule.clone(), left),
        abandon: stop.abandon,
    });
    let mut running = RunningMatch { games, shared, show, notes: BTreeSet::new(), failed: None };
    running.show_progress();
    let (slots, events) = slot::start_all(&running.shared)?;
    running.follow(events, &stop.finish).await;
    slot::join(slots);
    running.finish()
}

/// A match whose slots play.
struct RunningMatch<F> {
    games: MatchGames,
    shared: Arc<Shared>,
    show: F,
    /// What the players have said, each text once.
    notes: BTreeSet<String>,
    /// The first error.
    failed: Option<LabError>,
}

impl<F: FnMut(&Progress)> RunningMatch<F> {
    /// Handles the events of the slots until all slots have ended.
    async fn follow(
        &mut self,
        mut events: UnboundedReceiver<SlotEvent>,
        finish: &CancellationToken,
    ) {
        let mut finishing = false;
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    Some(event) => self.handle(event),
                    None => return,
                },
                () = finish.cancelled(), if !finishing => {
                    finishing = true;
                    self.shared.queue.close();
                }
            }
        }
    }

    fn handle(&mut self, event: SlotEvent) {
        match event {
            SlotEvent::Finished(game) => self.keep(*game),
            SlotEvent::Note { player, note } => {
                let (text, is_warning) = match note {
                    Note::Info(text) => (text, false),
                    Note::Warning(text) => (text, true),
                };
                if self.notes.insert(format!("{player}: {text}")) && is_warning {
                    tracing::warn!("{player}: {text}");
                }
            }
            SlotEvent::Failed(error) => {
                self.shared.queue.close();
                self.failed.get_or_insert(error);
            }
        }
    }

    /// Stores and counts a game. Without a store no further game is worth playing.
    fn keep(&mut self, game: Finished) {
        match self.games.store.add(&self.games.settings, game) {
            Ok(game) => {
                self.games.count(&game);
                self.show_progress();
                if self.games.tally.is_decided() {
                    self.shared.queue.close();
                }
            }
            Err(error) => {
                self.shared.queue.close();
                self.shared.abandon.cancel();
                self.failed.get_or_insert(LabError::Store(error));
            }
        }
    }

    fn show_progress(&mut self) {
        (self.show)(&self.games.progress());
    }

    /// Writes the report, and returns it or the first error of the match.
    fn finish(self) -> Result<Report, LabError> {
        let notes: Vec<String> = self.notes.into_iter().collect();
        let report = self.games.report(&notes)?;
        self.failed.map_or(Ok(report), Err)
    }
}
