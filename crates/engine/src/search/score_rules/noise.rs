//! Noise on evaluations, for variety: always the same for the same position.

use super::random_bonus::{below, scrambled};
use crate::eval::MAX;

/// The evaluation with 0 to `range` − 1 added, by the key of its position.
pub(crate) fn noise(eval: i32, key: u64, range: u32) -> i32 {
    (eval + below(scrambled(key), range)).min(MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_stays_in_its_range_and_below_all_mates() {
        let seen: Vec<_> = (0..500).map(|key| noise(-20, key, 9)).collect();
        assert_eq!((seen.iter().min(), seen.iter().max()), (Some(&-20), Some(&-12)));
        assert!((0..500).all(|key| noise(MAX - 1, key, 50) <= MAX));
    }
}
