//! Negative plausibility instead of the malus of history (docs/search.md, section 2).
//!
//! A quiet move that was searched before the move that cut gets points, by its distance from that move. The points are
//! subtracted from its history, so that a node reads a single table. The table is recomputed when an iteration begins.

use super::history_layout::{BySide, HISTORY_MAX, Slot, zeroed};
use super::penalty_points::{LEAST_MEAN, MOST_MEANS, add, mean};

/// The points of one thread, and the history without them.
pub(crate) struct HistoryPenalties {
    /// The amount that the mean of the points subtracts from a history.
    strength: i32,
    /// The most points of one move at one cut.
    cap: usize,
    /// Mean of the points that are not 0, at the start of the iteration.
    mean: i32,
    points: BySide<u16>,
    bonuses: BySide<i16>,
}

impl HistoryPenalties {
    pub(super) fn new(strength: i32, cap: usize) -> Self {
        Self { strength, cap, mean: LEAST_MEAN, points: zeroed(), bonuses: zeroed() }
    }

    /// Halves the points.
    pub(super) fn halve(&mut self) {
        for value in self.points.iter_mut().flat_map(|side| side.iter_mut()).flatten() {
            *value /= 2;
        }
        self.update_mean();
    }

    /// Halves the history before points are subtracted.
    pub(super) fn halve_bonuses(&mut self) {
        for value in self.bonuses.iter_mut().flat_map(|side| side.iter_mut()).flatten() {
            *value /= 2;
        }
    }

    /// Adds the points of a move that was searched this many quiet moves before the one that cut.
    pub(super) fn add(&mut self, slot: Slot, distance: usize) {
        add(&mut self.points[slot.side][slot.origin][slot.to], distance.min(self.cap));
    }

    /// The history of a move before its points are subtracted.
    pub(super) fn bonuses(&mut self, slot: Slot) -> &mut i16 {
        &mut self.bonuses[slot.side][slot.origin][slot.to]
    }

    /// The history of a move after its points are subtracted.
    pub(super) fn after_points(&self, slot: Slot) -> i16 {
        let points = i32::from(self.points[slot.side][slot.origin][slot.to]);
        let bonuses = i32::from(self.bonuses[slot.side][slot.origin][slot.to]);
        let counted = points.min(MOST_MEANS * self.mean);
        (bonuses - self.strength * counted / self.mean).max(-HISTORY_MAX) as i16
    }

    /// Recomputes the mean of the points.
    fn update_mean(&mut self) {
        let points = self.points.iter().flat_map(|side| side.iter()).flatten();
        self.mean = mean(points.copied());
    }
}
