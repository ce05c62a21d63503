//! Delayed loss: a loss counts less the later it comes, so that the losing side resists and the winning side hurries.

/// The score after the rule: a negative score is raised by `delta`, at most to 0.
#[inline]
pub(super) fn delayed(score: i32, delta: i32) -> i32 {
    if score < 0 { (score + delta).min(0) } else { score }
}

/// The largest score that is at most `alpha` after the rule.
#[inline]
pub(super) fn lower_limit(alpha: i32, delta: i32) -> i32 {
    if alpha < 0 { alpha - delta } else { alpha }
}

/// The smallest score that is at least `beta` after the rule.
#[inline]
pub(super) fn upper_limit(beta: i32, delta: i32) -> i32 {
    if beta <= 0 { beta - delta } else { beta }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn scores_keep_their_order(score in -32_000..32_000i32, more in 0..500i32, delta in 0..=100i32) {
            prop_assert!(delayed(score, delta) <= delayed(score + more, delta));
            prop_assert!(delayed(score, delta).signum() * score.signum() >= 0);
        }

        #[test]
        fn limits_invert_the_rule(limit in prop_oneof![-200..200i32, -32_000..32_000i32], delta in 0..=100i32) {
            let below = lower_limit(limit, delta);
            prop_assert!(delayed(below, delta) <= limit && limit < delayed(below + 1, delta));
            let above = upper_limit(limit, delta);
            prop_assert!(delayed(above, delta) >= limit && limit > delayed(above - 1, delta));
        }
    }
}
