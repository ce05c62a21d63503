//! Runs a whole match: slots play the games, a folder stores them, a tally counts them.

use std::{collections::BTreeSet, sync::Arc, time::Instant};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{
    MatchSettings, Progress, Report,
    error::LabError,
    match_player::Note,
    queue::Queue,
    slot::{self, Shared, SlotEvent},
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
    mut show: impl FnMut(&Progress),
) -> Result<Report, LabError> {
    settings.check()?;
    let mut tally = Tally::new(&settings);
    let mut store = Store::open(&settings, |game| {
        tally.add(&game);
    })?;
    let settings = Arc::new(settings);
    let schedule = settings.schedule();
    let started = Instant::now();
    let mut new_games = 0;
    show(&Progress::new(&tally, schedule.games(), new_games, started.elapsed()));

    let decided = tally.is_decided();
    let left = (0..schedule.games()).filter(|game| !decided && !tally.has(*game));
    let shared = Arc::new(Shared {
        settings: Arc::clone(&settings),
        queue: Queue::new(left.map(|game| schedule.round(game))),
        abandon: stop.abandon.clone(),
    });
    let (sender, mut events) = mpsc::unbounded_channel();
    let mut slots = Vec::new();
    for (number, cores) in core_sets(&settings).into_iter().enumerate().take(shared.queue.len()) {
        let started = slot::start(Arc::clone(&shared), number, cores, sender.clone());
        slots.push(started.map_err(LabError::Thread)?);
    }
    drop(sender);

    let mut failed = None;
    let mut notes = BTreeSet::new();
    let mut finishing = false;
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            () = stop.finish.cancelled(), if !finishing => {
                finishing = true;
                shared.queue.close();
                continue;
            }
        };
        match event {
            None => break,
            Some(SlotEvent::Finished(game)) => match store.add(&settings, *game) {
                Ok(game) => {
                    tally.add(&game);
                    new_games += 1;
                    show(&Progress::new(&tally, schedule.games(), new_games, started.elapsed()));
                    if tally.is_decided() {
                        shared.queue.close();
                    }
                }
                Err(error) => {
                    shared.queue.close();
                    shared.abandon.cancel();
                    failed.get_or_insert(LabError::Store(error));
                }
            },
            Some(SlotEvent::Note { player, note }) => {
                let (text, is_warning) = match note {
                    Note::Info(text) => (text, false),
                    Note::Warning(text) => (text, true),
                };
                if notes.insert(format!("{player}: {text}")) && is_warning {
                    tracing::warn!("{player}: {text}");
                }
            }
            Some(SlotEvent::Failed(error)) => {
                shared.queue.close();
                failed.get_or_insert(error);
            }
        }
    }
    for slot in slots {
        // The channel is closed, so all slots have ended.
        if slot.join().is_err() {
            tracing::error!("the thread of a slot panicked");
        }
    }
    let notes: Vec<String> = notes.into_iter().collect();
    let report = Report::new(&settings, &tally, &notes);
    let text = serde_json::to_string_pretty(&report).unwrap_or_default();
    store.write_whole("report.json", &(text + "\n"))?;
    match failed {
        Some(error) => Err(error),
        None => Ok(report),
    }
}

/// The cores of each slot.
pub(super) fn core_sets(settings: &MatchSettings) -> Vec<Vec<usize>> {
    let each = settings.cores.len() / settings.concurrency.max(1);
    (0..settings.concurrency)
        .map(|slot| settings.cores[slot * each..(slot + 1) * each].to_vec())
        .collect()
}
