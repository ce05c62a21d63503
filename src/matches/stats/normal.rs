//! The standard normal distribution.

/// `P(Z <= z)` of a standard normal `Z`, to about 1e-14.
pub(super) fn cumulative(z: f64) -> f64 {
    if z.is_nan() {
        return 0.5;
    }
    let x = z.abs() / std::f64::consts::SQRT_2;
    let tail = 0.5 * if x < 2.5 { 1.0 - error_by_series(x) } else { complement_by_fraction(x) };
    if z < 0.0 { tail } else { 1.0 - tail }
}

/// `z` with `P(|Z| <= z)` = 95 %.
pub(super) const Z95: f64 = 1.959_963_984_540_054;

/// `erf(x)` by `2/√π · e^(-x²) · Σ 2ⁿ x^(2n+1) / (1·3·…·(2n+1))`, all of whose terms are positive.
fn error_by_series(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    let mut n = 1.0;
    while term > sum * 1e-17 {
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
        n += 1.0;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

/// `erfc(x)` by Laplace's continued fraction, from its far end: quick for large `x`.
fn complement_by_fraction(x: f64) -> f64 {
    let mut below = x;
    for k in (1..=120).rev() {
        below = x + f64::from(k) / 2.0 / below;
    }
    (-x * x).exp() / (below * std::f64::consts::PI.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_equal_the_printed_tables() {
        // Values of any table of the normal distribution (here: Python's math.erfc).
        for (z, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_542_9),
            (Z95, 0.975),
            (-Z95, 0.025),
            (3.0, 0.998_650_101_968_369_9),
            (3.6, 0.999_840_891_409_842_4),
            (-6.0, 9.865_876_450_376_946e-10),
        ] {
            assert!((cumulative(z) - p).abs() < 1e-13 * p.max(1e-3), "{z}: {}", cumulative(z));
        }
    }

    #[test]
    fn both_formulas_agree_at_their_boundary() {
        let (series, fraction) = (1.0 - error_by_series(2.5), complement_by_fraction(2.5));
        assert!((series - fraction).abs() < 1e-15, "{series} {fraction}");
    }
}
