//! A term that is not in the paper: how well a quiet move has done in the search so far.

use crate::search::history::HISTORY_MAX;
use crate::search::weights::{POINT, TermWeight, Weights};

/// The sum of a quiet move with its history. A positive history is added. A negative one is a factor, which is at least
/// an eighth (at 100 percent).
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
fn of_interest(weights: &Weights, interest: i32, history: i32) -> i32 {
    let history = history * weights.history_percent / 100;
    if history >= 0 {
        interest + history * POINT / weights.history
    } else {
        let factor = (HISTORY_MAX + history).max(HISTORY_MAX / 8);
        (i64::from(interest) * i64::from(factor) / i64::from(HISTORY_MAX)) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn good_history_adds_and_bad_history_takes_away() {
        let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b - 1");
        let weights = scene.weights();
        assert_eq!(of_interest(&weights, 800, 0), 800);
        assert_eq!(of_interest(&weights, 800, 1600), 800 + 10 * POINT);
        assert_eq!(of_interest(&weights, 800, -HISTORY_MAX / 2), 400);
        assert_eq!(of_interest(&weights, 800, -HISTORY_MAX), 100);
        scene.parameters.history = 0;
        assert_eq!(of_interest(&scene.weights(), 800, -HISTORY_MAX), 800);
    }
}
