//! Plays pairs of games of two players on this machine, without a folder.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    LabError, MatchSettings, PlayedGame, Stop, StoreError,
    queue::Queue,
    slot::{self, Finished, Shared, SlotEvent},
    store::rendered,
};

/// Plays the pairs of games with these openings and gives out each pair: the game of the first player with black is the
/// first. Seeds follow from the number of the opening. When a run is to finish, begun pairs are completed.
///
/// # Errors
/// A player does not start, or `on_pair` fails.
pub fn play_pairs(
    settings: MatchSettings,
    openings: impl Iterator<Item = usize>,
    stop: &Stop,
    on_pair: &mut dyn FnMut(usize, [PlayedGame; 2]) -> Result<(), StoreError>,
) -> Result<(), LabError> {
    let settings = Arc::new(settings);
    let games = openings.flat_map(|opening| 2 * opening..2 * opening + 2);
    let shared = Arc::new(Shared {
        settings: Arc::clone(&settings),
        queue: Queue::new(settings.schedule(), games),
        abandon: stop.abandon.clone(),
    });
    let (slots, mut events) = slot::start_all(&shared)?;

    let mut failed = None;
    let mut half_pairs: BTreeMap<usize, Finished> = BTreeMap::new();
    while let Some(event) = events.blocking_recv() {
        match event {
            SlotEvent::Finished(game) => {
                let opening = game.round.opening;
                if let Some(other) = half_pairs.remove(&opening) {
                    let mut pair = [other, *game];
                    pair.sort_by_key(|game| game.round.game);
                    let pair = pair.map(|game| rendered(&settings, game).0);
                    if let Err(error) = on_pair(opening, pair) {
                        shared.queue.close();
                        shared.abandon.cancel();
                        failed.get_or_insert(LabError::Store(error));
                    }
                } else {
                    half_pairs.insert(opening, *game);
                }
                if stop.finish.is_cancelled() {
                    shared.queue.retain(|round| half_pairs.contains_key(&round.opening));
                }
            }
            SlotEvent::Note { player, note } => tracing::debug!(player, ?note),
            SlotEvent::Failed(error) => {
                shared.queue.close();
                failed.get_or_insert(error);
            }
        }
    }
    slot::join(slots);
    failed.map_or(Ok(()), Err)
}
