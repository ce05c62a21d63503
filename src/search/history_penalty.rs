//! Negative plausibility in the place of the malus of history (docs/search.md, section 2).
//!
//! Quiet moves that were searched in vain before a move that cut have points, by their distance from it. The points are
//! subtracted from the history of the move, so that a node reads a single table. Only the begin of an iteration takes
//! time: the table is computed anew.

use super::history_layout::{BySide, HISTORY_MAX, Slot, zeroed};
use super::penalty_points::{LEAST_MEAN, STEEPEST, add, mean};

/// The points of one thread, and the history without them.
pub(crate) struct HistoryPenalties {
    /// What the mean of the points takes from a history.
    strength: i32,
    /// The most points of one move at one cut.
    cap: usize,
    /// Mean of the points that are not 0, at the start of the iteration.
    mean: i32,
    points: BySide<u16>,
    earned: BySide<i16>,
}

impl HistoryPenalties {
    pub(super) fn new(strength: i32, cap: usize) -> Self {
        Self { strength, cap, mean: LEAST_MEAN, points: zeroed(), earned: zeroed() }
    }

    /// Halves the points.
    pub(super) fn halve(&mut self) {
        for value in self.points.iter_mut().flat_map(|side| side.iter_mut()).flatten() {
            *value /= 2;
        }
        self.weigh();
    }

    /// Halves the history without the points.
    pub(super) fn halve_earned(&mut self) {
        for value in self.earned.iter_mut().flat_map(|side| side.iter_mut()).flatten() {
            *value /= 2;
        }
    }

    /// Adds the points of a move that was searched this many quiet moves before the one that cut.
    pub(super) fn add(&mut self, slot: Slot, distance: usize) {
        add(&mut self.points[slot.side][slot.origin][slot.to], distance.min(self.cap));
    }

    /// The history of a move without its points.
    pub(super) fn earned(&mut self, slot: Slot) -> &mut i16 {
        &mut self.earned[slot.side][slot.origin][slot.to]
    }

    /// The history of a move with its points.
    pub(super) fn with_points(&self, slot: Slot) -> i16 {
        let points = i32::from(self.points[slot.side][slot.origin][slot.to]);
        let earned = i32::from(self.earned[slot.side][slot.origin][slot.to]);
        let counted = points.min(STEEPEST * self.mean);
        (earned - self.strength * counted / self.mean).max(-HISTORY_MAX) as i16
    }

    /// Relates the points to their mean.
    fn weigh(&mut self) {
        let points = self.points.iter().flat_map(|side| side.iter()).flatten();
        self.mean = mean(points.copied());
    }
}
