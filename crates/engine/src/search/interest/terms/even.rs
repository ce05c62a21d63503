//! Term 1: every legal move has the same share of a thousand points (at 100 percent).

use crate::search::weights::{TermWeight, Weights};

/// The share of each of `count` legal moves.
pub(in crate::search::interest) fn even(weights: &Weights, count: usize) -> TermWeight {
    TermWeight::both(weights.even / (count.max(1) as i32))
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;
    use crate::search::weights::POINT;

    #[test]
    fn all_moves_share_a_thousand_points() {
        let weights = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b - 1").weights();
        assert_eq!(even(&weights, 50), TermWeight::both(20 * POINT));
        assert_eq!(even(&weights, 0), TermWeight::both(1000 * POINT));
    }
}
