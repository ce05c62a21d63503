//! Terms that are the same for all moves or compare the moves of a list, and changes of the sum of the others.

use super::super::scored::ScoredMove;
use crate::search::history::HISTORY_MAX;
use crate::search::weights::{Evasion, POINT, TermWeight, Weights};

/// Term 1: every legal move has the same share of a thousand points (at 100 percent). `count` is their number.
pub(in crate::search::interest) fn even(weights: &Weights, count: usize) -> TermWeight {
    TermWeight::both(weights.even / (count.max(1) as i32))
}

/// Term 2: evasions of check. The interest added to each of `count` evasions, given the sum of their interest. With it,
/// evasions of equal interest have the least cost unless there are very many.
pub(in crate::search::interest) fn evasion(weights: &Weights, sum: i64, count: usize) -> i32 {
    match weights.evasion {
        Evasion::Each(weight) => weight,
        Evasion::Share(percent) => {
            // 16 times the square root.
            let root = (256 * count as u64).isqrt().max(1) as i64;
            let bonus = 16 * sum / root * i64::from(percent) / 100;
            bonus.min(MOST_EVASION) as i32
        }
    }
}

/// Far above every sum of the usual weights.
const MOST_EVASION: i64 = 1 << 28;

/// Term 17: the quiet move with the largest sum of the other terms. With the fitted weights it is the first of equal
/// moves and not the hash move. In the paper every move counts, and of equal moves none is the best one. This finds it
/// while a list is filled.
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

/// Term 3: the move of the transposition table leads the list. The interest of the hash move. `best` is the largest
/// interest of the other moves, `own` its interest by the other terms if it is in the list. With the weights of the
/// paper it is `own` and a bonus.
pub(in crate::search::interest) fn hash_move(
    weights: &Weights,
    best: i32,
    own: Option<i32>,
) -> i32 {
    let before = match own {
        Some(own) if !weights.hash_leads => own,
        _ => weights.hash_least.max(best),
    };
    (before + weights.hash).max(1)
}

/// A term that is not in the paper: how well a quiet move has done in the search so far. A positive history is added. A
/// negative one is a factor, which is at least an eighth (at 100 percent).
#[inline]
pub(in crate::search::interest) fn with_history(
    weights: &Weights,
    sum: TermWeight,
    history: i32,
) -> TermWeight {
    if history == 0 {
        return sum;
    }
    let with = |interest| of_interest(weights, interest, history);
    TermWeight { good: with(sum.good), bad: with(sum.bad) }
}

#[inline]
pub(super) fn of_interest(weights: &Weights, interest: i32, history: i32) -> i32 {
    let history = history * weights.history_percent / 100;
    if history >= 0 {
        interest + history * POINT / weights.history
    } else {
        let factor = (HISTORY_MAX + history).max(HISTORY_MAX / 8);
        (i64::from(interest) * i64::from(factor) / i64::from(HISTORY_MAX)) as i32
    }
}

/// A factor that is not in the paper: quiet moves without check that lose by exchange keep a part of their interest.
#[inline]
pub(in crate::search::interest) fn bad_quiet(weights: &Weights, sum: TermWeight) -> TermWeight {
    TermWeight { good: sum.good, bad: sum.bad * weights.bad_quiet / 100 }
}
