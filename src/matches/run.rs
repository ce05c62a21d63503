//! Runs a whole match: slots play the games, a folder stores them, a tally counts them.

use std::{collections::BTreeSet, sync::Arc, thread::JoinHandle, time::Instant};

use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio_util::sync::CancellationToken;

use super::{
    MatchSettings, Progress, Report,
    error::LabError,
    match_player::Note,
    queue::Queue,
    slot::{self, Finished, Shared, SlotEvent},
    store::Store,
    tally::Tally,
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
    settings.check()?;
    let mut tally = Tally::new(&settings);
    let store = Store::open(&settings, |game| {
        tally.add(&game);
    })?;
    let settings = Arc::new(settings);
    let mut running = RunningMatch {
        shared: Arc::new(shared(&settings, &tally, &stop)),
        games: settings.schedule().games(),
        settings,
        store,
        tally,
        show,
        started: Instant::now(),
        new_games: 0,
        notes: BTreeSet::new(),
        failed: None,
    };
    running.show_progress();
    let (slots, events) = running.start_slots()?;
    running.follow(events, &stop.finish).await;
    for slot in slots {
        // The channel is closed, so all slots have ended.
        if slot.join().is_err() {
            tracing::error!("the thread of a slot panicked");
        }
    }
    running.finish()
}

/// What the slots share: the games that are left are in the queue.
fn shared(settings: &Arc<MatchSettings>, tally: &Tally, stop: &Stop) -> Shared {
    let schedule = settings.schedule();
    let decided = tally.is_decided();
    let left = (0..schedule.games()).filter(|game| !decided && !tally.has(*game));
    Shared {
        settings: Arc::clone(settings),
        queue: Queue::new(schedule.clone(), left),
        abandon: stop.abandon.clone(),
    }
}

/// A match whose slots play.
struct RunningMatch<F> {
    settings: Arc<MatchSettings>,
    shared: Arc<Shared>,
    store: Store,
    tally: Tally,
    show: F,
    /// The number of games of the whole match.
    games: usize,
    started: Instant,
    /// The number of games that this run has played.
    new_games: usize,
    /// What the players have said, each text once.
    notes: BTreeSet<String>,
    /// The first error.
    failed: Option<LabError>,
}

impl<F: FnMut(&Progress)> RunningMatch<F> {
    fn start_slots(&self) -> Result<(Vec<JoinHandle<()>>, UnboundedReceiver<SlotEvent>), LabError> {
        let (sender, events) = mpsc::unbounded_channel();
        let sets = core_sets(&self.settings).into_iter().enumerate().take(self.shared.queue.len());
        let slots = sets
            .map(|(number, cores)| {
                slot::start(Arc::clone(&self.shared), number, cores, sender.clone())
                    .map_err(LabError::Thread)
            })
            .collect::<Result<_, _>>()?;
        Ok((slots, events))
    }

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
        match self.store.add(&self.settings, game) {
            Ok(game) => {
                self.tally.add(&game);
                self.new_games += 1;
                self.show_progress();
                if self.tally.is_decided() {
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
        let elapsed = self.started.elapsed();
        (self.show)(&Progress::new(&self.tally, self.games, self.new_games, elapsed));
    }

    /// Writes the report, and returns it or the first error of the match.
    fn finish(self) -> Result<Report, LabError> {
        let notes: Vec<String> = self.notes.into_iter().collect();
        let report = Report::new(&self.settings, &self.tally, &notes);
        let text = serde_json::to_string_pretty(&report).unwrap_or_default();
        self.store.write_whole("report.json", &(text + "\n"))?;
        match self.failed {
            Some(error) => Err(error),
            None => Ok(report),
        }
    }
}

/// The cores of each slot.
pub(super) fn core_sets(settings: &MatchSettings) -> Vec<Vec<usize>> {
    let each = settings.cores.len() / settings.concurrency.max(1);
    (0..settings.concurrency)
        .map(|slot| settings.cores[slot * each..(slot + 1) * each].to_vec())
        .collect()
}
