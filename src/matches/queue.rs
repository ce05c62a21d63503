//! The queue of games that have not begun.

use std::{collections::VecDeque, ops::Range};

use parking_lot::Mutex;

use super::{Round, Schedule};

/// The games that have not begun, shared by all slots.
///
/// They are ranges of numbers: a match of millions of games is one range, or a few when it is resumed.
#[derive(Debug)]
pub(super) struct Queue {
    schedule: Schedule,
    games: Mutex<VecDeque<Range<usize>>>,
}

impl Queue {
    /// The games of the schedule with these numbers, in this order.
    pub(super) fn new(schedule: Schedule, games: impl IntoIterator<Item = usize>) -> Self {
        Self { schedule, games: Mutex::new(ranges(games)) }
    }

    /// Takes the next game; `None` if none is left.
    pub(super) fn next(&self) -> Option<Round> {
        let mut games = self.games.lock();
        let first = games.front_mut()?;
        let game = first.next();
        if Range::is_empty(first) {
            games.pop_front();
        }
        game.map(|game| self.schedule.round(game))
    }

    /// Removes all games.
    pub(super) fn close(&self) {
        self.games.lock().clear();
    }

    /// Removes all games except those that `keep` accepts.
    pub(super) fn retain(&self, keep: impl Fn(&Round) -> bool) {
        let mut games = self.games.lock();
        let kept = games.drain(..).flatten().filter(|game| keep(&self.schedule.round(*game)));
        let kept = ranges(kept);
        *games = kept;
    }

    pub(super) fn len(&self) -> usize {
        self.games.lock().iter().map(Range::len).sum()
    }
}

/// These numbers as ranges. None of the ranges is empty.
fn ranges(games: impl IntoIterator<Item = usize>) -> VecDeque<Range<usize>> {
    let mut ranges: VecDeque<Range<usize>> = VecDeque::new();
    for game in games {
        match ranges.back_mut() {
            Some(last) if last.end == game => last.end += 1,
            _ => ranges.push_back(game..game + 1),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;

    fn games(queue: &Queue) -> Vec<usize> {
        std::iter::from_fn(|| queue.next()).map(|round| round.game).collect()
    }

    #[test]
    fn games_come_in_their_order_and_as_long_as_they_are_kept() {
        let queue = |games: &[usize]| {
            Queue::new(Schedule::new(Shape::RoundRobin, 3, 4), games.iter().copied())
        };
        let some = [0, 1, 2, 5, 7, 8];
        assert_eq!(queue(&some).len(), 6);
        assert_eq!(games(&queue(&some)), some);
        let left = queue(&some);
        assert_eq!(left.next().map(|round| round.game), Some(0));
        left.retain(|round| round.game != 7);
        assert_eq!((left.len(), games(&left)), (4, vec![1, 2, 5, 8]));
        let closed = queue(&some);
        closed.close();
        assert_eq!((closed.len(), closed.next()), (0, None));
    }

    #[test]
    fn a_large_match_that_begins_takes_no_memory() {
        let queue = Queue::new(Schedule::new(Shape::RoundRobin, 2, 5_000_000), 0..10_000_000);
        assert_eq!((queue.len(), queue.games.lock().len()), (10_000_000, 1));
    }
}
