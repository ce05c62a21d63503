//! Negative plausibility in the place of the malus of history (docs/search.md, section 2).
//!
//! Quiet moves that were searched in vain before a move that cut have points, by their distance from it. The points are
//! subtracted from the history of the move, so that the search reads a single table and the penalty costs no time.

use super::history_layout::{BySide, HISTORY_MAX, Slot, zeroed};

/// The points of one thread, and the history without them.
pub(crate) struct HistoryPenalties {
    /// What the mean of the points takes from a history.
    strength: i32,
    /// The most points of one move at one cut.
    cap: usize,
    /// What one point takes from a history, in 256ths.
    per_point: i32,
    points: BySide<u16>,
    earned: BySide<i16>,
}

impl HistoryPenalties {
    pub(super) fn new(strength: i32, cap: usize) -> Self {
        let mut penalties =
            Self { strength, cap, per_point: 0, points: zeroed(), earned: zeroed() };
        penalties.weigh();
        penalties
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
        let points = &mut self.points[slot.side][slot.origin][slot.to];
        *points = (usize::from(*points) + distance.min(self.cap)).min(MOST) as u16;
    }

    /// The history of a move without its points.
    pub(super) fn earned(&mut self, slot: Slot) -> &mut i16 {
        &mut self.earned[slot.side][slot.origin][slot.to]
    }

    /// The history of a move with its points.
    pub(super) fn with_points(&self, slot: Slot) -> i16 {
        let points = i32::from(self.points[slot.side][slot.origin][slot.to]);
        let earned = i32::from(self.earned[slot.side][slot.origin][slot.to]);
        let taken = (i64::from(points) * i64::from(self.per_point) / 256).min(2 * MOST_TAKEN);
        (earned - taken as i32).max(-HISTORY_MAX) as i16
    }

    /// Relates the points to their mean.
    fn weigh(&mut self) {
        let (mut sum, mut count) = (0_u64, 0_u64);
        let points = self.points.iter().flat_map(|side| side.iter()).flatten();
        for &value in points.filter(|value| **value != 0) {
            sum += u64::from(value);
            count += 1;
        }
        let mean = ((sum / count.max(1)) as i32).max(LEAST_MEAN);
        self.per_point = self.strength * 256 / mean;
    }
}

/// The least mean. With few points in the table the mean is not reliable.
const LEAST_MEAN: i32 = 8;
/// The largest number of points of a move.
const MOST: usize = 60_000;
/// Enough to take all that a history can have.
const MOST_TAKEN: i64 = HISTORY_MAX as i64;
