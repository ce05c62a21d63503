//! The parts of the history: places of moves in its tables, penalties that may take the place of its malus
//! (docs/search.md, section 2), and votes for counter moves.
//!
//! A quiet move that was searched before the move that cut gets points, by its distance from that move. The points are
//! subtracted from its history, so that a node reads a single table. The table is recomputed when an iteration begins.

use std::collections::HashMap;

use kyomi_shogi::{Color, Move};

/// `[side][origin][target]`, with a separate allocation for each side.
pub(super) type BySide<T> = [Box<[[T; 81]; ORIGINS]>; 2];
/// 81 squares and seven kinds in hand.
pub(super) const ORIGINS: usize = 88;
/// History values stay within `±HISTORY_MAX`.
pub(crate) const HISTORY_MAX: i32 = 16_384;

/// The place of a quiet move in the tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct MoveSlot {
    pub(super) side: usize,
    pub(super) origin: usize,
    pub(super) to: usize,
}

impl MoveSlot {
    pub(super) fn of(side: Color, mv: Move) -> Self {
        Self { side: side.index(), origin: origin(mv), to: mv.to().index() }
    }
}

pub(super) fn zeroed<T: Default + Copy>() -> BySide<T> {
    std::array::from_fn(|_| Box::new([[T::default(); 81]; ORIGINS]))
}

/// The origin of a move: a square, or 81 and more for a kind in hand.
#[inline]
pub(crate) fn origin(mv: Move) -> usize {
    usize::from(mv.to_bits() >> 7 & 127)
}

/// Points above this multiple of their mean have no further effect.
pub(crate) const MOST_MEANS: i32 = 12;
/// The least mean. With few points in a table the mean is not reliable.
pub(crate) const LEAST_MEAN: i32 = 8;
/// The largest number of points of a move.
pub(crate) const MOST_POINTS: usize = 60_000;

/// Adds points to those of a move.
pub(crate) fn add_points(value: &mut u16, points: usize) {
    *value = (usize::from(*value) + points).min(MOST_POINTS) as u16;
}

/// Mean of the points that are not 0, at least [`LEAST_MEAN`].
pub(crate) fn mean_points(points: impl Iterator<Item = u16>) -> i32 {
    let (mut sum, mut count) = (0_u64, 0_u64);
    for value in points.filter(|value| *value != 0) {
        sum += u64::from(value);
        count += 1;
    }
    ((sum / count.max(1)) as i32).max(LEAST_MEAN)
}

/// The penalty points of quiet moves, and the history without them.
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
    pub(super) fn add(&mut self, slot: MoveSlot, distance: usize) {
        add_points(&mut self.points[slot.side][slot.origin][slot.to], distance.min(self.cap));
    }

    /// The history of a move before its points are subtracted.
    pub(super) fn history_before_points(&mut self, slot: MoveSlot) -> &mut i16 {
        &mut self.before_points[slot.side][slot.origin][slot.to]
    }

    /// The history of a move after its points are subtracted.
    pub(super) fn after_points(&self, slot: MoveSlot) -> i16 {
        let MoveSlot { side, origin, to } = slot;
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
        self.mean = mean_points(points.copied());
    }
}

/// The votes of replies. A reply has one for each node that it has cut after the same last move.
#[derive(Debug, Default)]
pub(super) struct ReplyVotes {
    /// By the place of the last move and the code of the reply.
    votes: HashMap<u32, u32>,
}

/// The number of pairs of moves that are remembered.
const MOST: usize = 1 << 20;

impl ReplyVotes {
    /// Gives a reply a vote. Returns whether it now has more votes than another reply to the same move.
    pub(super) fn vote(&mut self, last: MoveSlot, reply: u16, other: u16) -> bool {
        if self.votes.len() >= MOST {
            self.forget();
        }
        let votes = self.votes.entry(key(last, reply)).or_default();
        *votes = votes.saturating_add(1);
        let votes = *votes;
        votes > self.votes.get(&key(last, other)).copied().unwrap_or(0)
    }

    /// Halves all votes, and removes replies without any.
    fn forget(&mut self) {
        while self.votes.len() > MOST / 2 {
            self.votes.retain(|_, votes| {
                *votes /= 2;
                *votes > 0
            });
        }
    }
}

fn key(last: MoveSlot, reply: u16) -> u32 {
    let place = (last.side * ORIGINS + last.origin) * 81 + last.to;
    (place as u32) << 16 | u32::from(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_table_is_filled_as_its_slots_one_by_one() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut penalties = HistoryPenalties::new(500, 8);
        let mut history: BySide<i16> = zeroed();
        for _ in 0..3000 {
            let (side, origin, to) =
                (random.usize(..2), random.usize(..ORIGINS), random.usize(..81));
            let slot = MoveSlot { side, origin, to };
            *penalties.history_before_points(slot) =
                random.i16(-HISTORY_MAX as i16..=HISTORY_MAX as i16);
            penalties.add(slot, random.usize(..20));
        }
        penalties.halve();
        penalties.fill(&mut history);
        for (side, table) in history.iter().enumerate() {
            for (origin, row) in table.iter().enumerate() {
                for (to, value) in row.iter().enumerate() {
                    let slot = MoveSlot { side, origin, to };
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

    #[test]
    fn the_reply_with_most_votes_stays_until_another_has_more() {
        let last = MoveSlot { side: 1, origin: 30, to: 40 };
        let mut votes = ReplyVotes::default();
        assert!(votes.vote(last, 7, 0));
        assert!(!votes.vote(last, 8, 7), "one each");
        assert!(votes.vote(last, 8, 7), "two against one");
        assert!(!votes.vote(last, 7, 8));
        // Replies to another move do not count.
        assert!(votes.vote(MoveSlot { side: 0, ..last }, 7, 0));
        assert!(votes.vote(last, 7, 8));
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut votes = ReplyVotes::default();
        let last = MoveSlot { side: 0, origin: 0, to: 0 };
        for _ in 0..9 {
            votes.vote(last, 1, 0);
        }
        for at in 0..MOST {
            let (origin, to) = (at >> 16 & 63, 1);
            votes.vote(MoveSlot { origin, to, ..last }, at as u16, 0);
        }
        assert!(votes.votes.len() <= MOST);
        assert!(!votes.vote(last, 2, 1), "what has many votes is remembered");
    }
}
