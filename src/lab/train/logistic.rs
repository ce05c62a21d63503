//! The logistic function: scores as expected results.

/// The expected result of a score in logistic units, 0 to 1; one half for score 0.
pub(super) fn sigmoid(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// The cross-entropy between a target of 0 to 1 and the expected result of a score.
pub(super) fn loss(score: f32, target: f32) -> f32 {
    // ln(1 + e^score) without overflow.
    let soft = score.max(0.0) + (-score.abs()).exp().ln_1p();
    soft - target * score
}

/// The least cross-entropy that a prediction of this target can have.
pub(super) fn entropy(target: f32) -> f32 {
    let part = |p: f32| if p > 0.0 { -p * p.ln() } else { 0.0 };
    part(target) + part(1.0 - target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_of_the_loss_is_the_error() {
        for target in [0.0, 0.3, 1.0] {
            for score in [-3.0_f32, -0.2, 0.0, 1.5] {
                let slope = (loss(score + 1e-2, target) - loss(score - 1e-2, target)) / 2e-2;
                assert!((slope - (sigmoid(score) - target)).abs() < 1e-3, "{score} {target}");
            }
        }
        assert!((loss(0.0, 0.5) - std::f32::consts::LN_2).abs() < 1e-6);
        assert!((loss(200.0, 1.0)).abs() < 1e-6);
        assert!((loss(-200.0, 1.0) - 200.0).abs() < 1e-3);
        let p = sigmoid(0.7);
        assert!((loss(0.7, p) - entropy(p)).abs() < 1e-6);
        assert!(entropy(0.0).abs() < 1e-6);
    }
}
