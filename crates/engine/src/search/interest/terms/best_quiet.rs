//! Term 17: the quiet move with the largest sum of the other terms. With the fitted weights it is the first of equal
//! moves and not the hash move. In the paper every move counts, and of equal moves none is the best one.

use crate::search::interest::scored::ScoredMove;

/// Finds the best quiet move while a list is filled. Of equal moves it is the first.
#[derive(Debug, Default)]
pub(in crate::search::interest) struct BestQuiet {
    interest: i32,
    at: Option<usize>,
}

impl BestQuiet {
    /// Takes account of the move at index `at` of the list.
    #[inline]
    pub(in crate::search::interest) fn update(&mut self, scored: &ScoredMove, at: usize) {
        if scored.flags.is_quiet() && scored.interest > self.interest {
            self.interest = scored.interest;
            self.at = Some(at);
        }
    }

    /// The largest interest so far.
    pub(in crate::search::interest) fn interest(&self) -> i32 {
        self.interest
    }

    /// The index of the move.
    pub(in crate::search::interest) fn place(&self) -> Option<usize> {
        self.at
    }
}

/// The index of the quiet move with the largest interest, from an iterator that returns `None` for other moves; `None`
/// if two have it.
pub(in crate::search::interest) fn single_best_quiet(
    moves: impl Iterator<Item = Option<i32>>,
) -> Option<usize> {
    let (mut best, mut place) = (0, None);
    for (at, interest) in moves.enumerate() {
        let Some(interest) = interest else { continue };
        if interest >= best {
            place = (interest > best).then_some(at);
            best = interest;
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::super::scene::mv_of;
    use super::*;
    use crate::search::interest::scored::MoveFlags;

    #[test]
    fn captures_do_not_count_and_the_first_of_equals_stays() {
        let scored = |interest, capture| ScoredMove {
            mv: mv_of("7g7f"),
            flags: MoveFlags::default().with(MoveFlags::CAPTURE, capture),
            interest,
            bad: 1,
        };
        let mut best = BestQuiet::default();
        assert_eq!(best.place(), None);
        for (at, (interest, capture)) in
            [(100, false), (900, true), (300, false), (300, false), (200, false)].iter().enumerate()
        {
            best.update(&scored(*interest, *capture), at);
        }
        assert_eq!(best.place(), Some(2));
    }

    #[test]
    fn in_the_paper_the_best_is_alone() {
        let place = |moves: &[Option<i32>]| single_best_quiet(moves.iter().copied());
        assert_eq!(place(&[Some(100), None, Some(300), Some(200)]), Some(2));
        assert_eq!(place(&[Some(300), None, Some(300), Some(200)]), None);
        assert_eq!(place(&[Some(300), Some(300), Some(301)]), Some(2));
        assert_eq!(place(&[None]), None);
    }
}
