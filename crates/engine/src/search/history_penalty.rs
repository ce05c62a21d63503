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
    before_points: BySide<i16>,
}

impl HistoryPenalties {
    pub(super) fn new(strength: i32, cap: usize) -> Self {
        Self { strength, cap, mean: LEAST_MEAN, points: zeroed(), before_points: zeroed() }
    }

    /// Halves the points.
    pub(super) fn halve(&mut self) {
        for value in self.points.iter_mut().flat_map(|side| side.iter_mut()).flatten() {
            *value /= 2;
        }
        self.update_mean();
    }

    /// Halves the history before points are subtracted.
    pub(super) fn halve_history(&mut self) {
        for value in self.before_points.iter_mut().flat_map(|side| side.iter_mut()).flatten() {
            *value /= 2;
        }
    }

    /// Adds the points of a move that was searched this many quiet moves before the one that cut.
    pub(super) fn add(&mut self, slot: Slot, distance: usize) {
        add(&mut self.points[slot.side][slot.origin][slot.to], distance.min(self.cap));
    }

    /// The history of a move before its points are subtracted.
    pub(super) fn history_before_points(&mut self, slot: Slot) -> &mut i16 {
        &mut self.before_points[slot.side][slot.origin][slot.to]
    }

    /// The history of a move after its points are subtracted.
    pub(super) fn after_points(&self, slot: Slot) -> i16 {
        let Slot { side, origin, to } = slot;
        self.subtract_points(self.before_points[side][origin][to], self.points[side][origin][to])
    }

    /// Sets a table to the history of all moves after their points are subtracted.
    pub(super) fn fill(&self, history: &mut BySide<i16>) {
        for ((history, before), points) in
            history.iter_mut().zip(&self.before_points).zip(&self.points)
        {
            let rows = history.iter_mut().zip(before.iter()).zip(points.iter());
            for ((history, before), points) in rows {
                for ((value, bonus), points) in history.iter_mut().zip(before).zip(points) {
                    *value = self.subtract_points(*bonus, *points);
                }
            }
        }
    }

    /// A history without its points.
    #[inline]
    fn subtract_points(&self, bonus: i16, points: u16) -> i16 {
        if points == 0 {
            // Most moves have none, and a division takes long.
            return bonus;
        }
        let counted = i32::from(points).min(MOST_MEANS * self.mean);
        (i32::from(bonus) - self.strength * counted / self.mean).max(-HISTORY_MAX) as i16
    }

    /// Recomputes the mean of the points.
    fn update_mean(&mut self) {
        let points = self.points.iter().flat_map(|side| side.iter()).flatten();
        self.mean = mean(points.copied());
    }
}

#[cfg(test)]
mod tests {
    use super::super::history_layout::ORIGINS;
    use super::*;

    #[test]
    fn a_whole_table_is_filled_as_its_slots_one_by_one() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut penalties = HistoryPenalties::new(500, 8);
        let mut history: BySide<i16> = zeroed();
        for _ in 0..3000 {
            let (side, origin, to) =
                (random.usize(..2), random.usize(..ORIGINS), random.usize(..81));
            let slot = Slot { side, origin, to };
            *penalties.history_before_points(slot) =
                random.i16(-HISTORY_MAX as i16..=HISTORY_MAX as i16);
            penalties.add(slot, random.usize(..20));
        }
        penalties.halve();
        penalties.fill(&mut history);
        for (side, table) in history.iter().enumerate() {
            for (origin, row) in table.iter().enumerate() {
                for (to, value) in row.iter().enumerate() {
                    let slot = Slot { side, origin, to };
                    assert_eq!(*value, penalties.after_points(slot));
                    let points = i32::from(penalties.points[side][origin][to]);
                    let counted = points.min(MOST_MEANS * penalties.mean);
                    let lost = penalties.strength * counted / penalties.mean;
                    let bonus = i32::from(*penalties.history_before_points(slot));
                    assert_eq!(i32::from(*value), (bonus - lost).max(-HISTORY_MAX));
                }
            }
        }
    }
}
