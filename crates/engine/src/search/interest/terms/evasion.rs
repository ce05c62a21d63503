//! Term 2: evasions of check.

use crate::search::weights::{Evasion, Weights};

/// The interest added to each of `count` evasions, given the sum of their interest. With it, evasions of equal interest
/// have the least cost unless there are very many.
pub(in crate::search::interest) fn evasion(weights: &Weights, sum: i64, count: usize) -> i32 {
    match weights.evasion {
        Evasion::Each(weight) => weight,
        Evasion::Share(percent) => {
            // 16 times the square root.
            let root = (256 * count as u64).isqrt().max(1) as i64;
            let bonus = 16 * sum / root * i64::from(percent) / 100;
            bonus.min(MOST) as i32
        }
    }
}

/// Far above every sum of the usual weights.
const MOST: i64 = 1 << 28;

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;
    use crate::search::weights::POINT;

    #[test]
    fn the_bonus_is_the_sum_over_the_root_of_the_count() {
        let mut scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b - 1");
        assert_eq!(evasion(&scene.weights(), 9000, 9), 3000);
        assert_eq!(evasion(&scene.weights(), 9000, 0), 144_000);
        assert_eq!(evasion(&scene.weights(), i64::MAX / 100_000, 1), 1 << 28);
        scene.parameters.in_check = 50;
        assert_eq!(evasion(&scene.weights(), 9000, 9), 1500);
        scene.parameters.figures = 1;
        assert_eq!(evasion(&scene.weights(), 9000, 9), 500 * POINT);
    }
}
