//! The table of *Negative Plausibility* (docs/search.md, section 6.2): the confidence that `a` wins against `b` losses
//! give.

/// `P(p > ½)` for the probability `p` of winning a game that is not drawn, after `wins` and `losses`, with all `p`
/// equally likely beforehand: the Beta(wins + 1, losses + 1) posterior, which is `P(Bin(wins + losses + 1, ½) <=
/// wins)`.
pub fn p_better(wins: u64, losses: u64) -> f64 {
    if wins < losses {
        return 1.0 - p_better(losses, wins);
    }
    // The upper tail, Bin > wins, has the smaller terms: Bin <= losses by symmetry.
    1.0 - lower_tail(wins + losses + 1, losses)
}

/// `P(Bin(n, ½) <= k)` for `k <= n/2`: sums the largest terms first, until the sum does not change.
fn lower_tail(n: u64, k: u64) -> f64 {
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    for i in 1..=k {
        log_term += ((n - k + i) as f64 / i as f64).ln();
    }
    let mut term = log_term.exp();
    let mut sum = 0.0;
    let mut left = k;
    loop {
        sum += term;
        if left == 0 || term < sum * 1e-17 {
            return sum;
        }
        // C(n, k-1) = C(n, k) · k / (n - k + 1).
        term *= left as f64 / (n - left + 1) as f64;
        left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By hand: 7-3 is P(Bin(11, ½) <= 7), of 2048 cases the lower half, 1024, and C(11,6) + C(11,7) = 462 + 330.
    #[test]
    fn small_counts_equal_a_calculation_by_hand() {
        assert!((p_better(7, 3) - 1816.0 / 2048.0).abs() < 1e-15);
        assert!((p_better(0, 0) - 0.5).abs() < 1e-15);
        // One win: P(p > ½) of the density 2p is 3/4.
        assert!((p_better(1, 0) - 0.75).abs() < 1e-15);
    }

    /// 268 wins and 206 losses: 0.997802 as published, 0.9978024386522344 by exact fractions in Python.
    #[test]
    fn the_published_value_is_reproduced() {
        assert!((p_better(268, 206) - 0.997_802_438_652_234_4).abs() < 1e-13);
    }

    /// Published: after 268-206 the winning rate is above 52.8 % with 95 % and above 51.2 % with 99 %.
    #[test]
    fn the_published_bounds_are_reproduced() {
        let above = |p: f64| {
            // P(Beta(269, 207) > p) = P(Bin(475, p) <= 268).
            let (n, k) = (475u64, 268u64);
            let mut log_term = n as f64 * (1.0 - p).ln();
            let mut sum = log_term.exp();
            for i in 1..=k {
                log_term += ((n - i + 1) as f64 / i as f64).ln() + (p / (1.0 - p)).ln();
                sum += log_term.exp();
            }
            sum
        };
        assert!((above(0.528) - 0.95).abs() < 0.005, "{}", above(0.528));
        assert!((above(0.512) - 0.99).abs() < 0.003, "{}", above(0.512));
        assert!((above(0.5) - p_better(268, 206)).abs() < 1e-10);
    }

    #[test]
    fn a_hundred_thousand_games_stay_finite() {
        let p = p_better(50_000, 50_000);
        assert!((p - 0.5).abs() < 1e-9, "{p}");
        assert!(p_better(60_000, 40_000) > 0.999_999);
    }

    proptest! {
        #[test]
        fn both_sides_give_complementary_probabilities(wins in 0..2000u64, losses in 0..2000u64) {
            prop_assert!((p_better(wins, losses) + p_better(losses, wins) - 1.0).abs() < 1e-9);
            prop_assert!(p_better(wins + 1, losses) > p_better(wins, losses) - 1e-12);
        }
    }
}
