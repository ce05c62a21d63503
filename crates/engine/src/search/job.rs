//! One search for all threads, with the places of their results.

use std::{sync::atomic::AtomicI32, time::Instant};

use parking_lot::Mutex;

use super::limits::{SearchLimits, StopFlag};
use super::line::RootLine;
use kyomi_shogi::Game;

/// One search for all threads.
pub(crate) struct Job {
    pub(crate) id: u64,
    pub(crate) game: Game,
    pub(crate) limits: SearchLimits,
    /// Stops the first thread.
    pub(crate) stop: StopFlag,
    /// Stops the others. The first thread sets it when it is done.
    pub(crate) stop_others: StopFlag,
    /// The largest limit that any thread has completed.
    pub(crate) largest_limit: AtomicI32,
    /// Score of the previous search in the same game.
    pub(crate) last_score: Option<i32>,
    pub(crate) started: Instant,
}

impl Job {
    /// A search by a single worker without a team.
    pub(crate) fn alone(game: Game, limits: SearchLimits) -> Self {
        Self {
            id: 1,
            game,
            limits,
            stop: StopFlag::new(),
            stop_others: StopFlag::new(),
            largest_limit: AtomicI32::new(0),
            last_score: None,
            started: Instant::now(),
        }
    }
}

/// The place in which a thread publishes its best line for the other threads.
#[derive(Debug, Default)]
pub(crate) struct ResultSlot(Mutex<(u64, RootLine)>);

impl ResultSlot {
    pub(crate) fn publish(&self, job: &Job, best_line: &RootLine) {
        let mut slot = self.0.lock();
        slot.0 = job.id;
        slot.1.clone_from(best_line);
    }

    /// The line that the thread published for this job. Never blocks.
    pub(crate) fn read(&self, job: &Job) -> Option<RootLine> {
        let slot = self.0.try_lock()?;
        (slot.0 == job.id).then(|| slot.1.clone())
    }
}
