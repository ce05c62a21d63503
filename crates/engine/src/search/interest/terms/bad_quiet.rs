//! A factor that is not in the paper: quiet moves without check that lose by exchange keep a part of their interest.

use crate::search::weights::{TermWeight, Weights};

/// The sum of a quiet move that gives no check, after this factor.
#[inline]
pub(in crate::search::interest) fn bad_quiet(weights: &Weights, sum: TermWeight) -> TermWeight {
    TermWeight { good: sum.good, bad: sum.bad * weights.bad_quiet / 100 }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn only_moves_that_lose_by_exchange_are_reduced() {
        let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b - 1");
        scene.parameters.bad_quiet = 40;
        let sum = TermWeight { good: 500, bad: 300 };
        assert_eq!(bad_quiet(&scene.weights(), sum), TermWeight { good: 500, bad: 120 });
    }
}
