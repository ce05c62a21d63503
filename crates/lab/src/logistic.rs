//! The logistic function: scores as expected results.

/// The expected result of a score in logistic units, 0 to 1; one half for score 0.
pub(crate) fn sigmoid(score: f32) -> f32 {
    1.0 / (1.0 + (-score).exp())
}

/// The cross-entropy between a target of 0 to 1 and the expected result of a score.
pub(crate) fn loss(score: f32, target: f32) -> f32 {
    // ln(1 + e^score) without overflow.
    let soft = score.max(0.0) + (-score.abs()).exp().ln_1p();
    soft - target * score
}

/// The least cross-entropy that a prediction of this target can have.
pub(crate) fn entropy(target: f32) -> f32 {
    let part = |p: f32| if p > 0.0 { -p * p.ln() } else { 0.0 };
    part(target) + part(1.0 - target)
}

/// Newton's method ends after fewer steps if there is a minimum.
const MOST_STEPS: usize = 100;

/// The logistic unit with the highest likelihood of targets of 0 to 1, by Newton's method on its inverse, which starts
/// at 1/600. `scored` are the scores, each with its target and weight. `None` if no unit is best: the scores are all 0,
/// or predict every result (or its opposite), so that smaller units fit ever better.
pub(crate) fn best_unit(scored: &(impl Iterator<Item = (f32, f32, f32)> + Clone)) -> Option<f32> {
    let mut inverse = 1.0 / 600.0_f64;
    for _ in 0..MOST_STEPS {
        let (mut first, mut second) = (0.0, 0.0);
        for (score, target, weight) in scored.clone() {
            let (score, weight) = (f64::from(score), f64::from(weight));
            let p = 1.0 / (1.0 + (-score * inverse).exp());
            first += weight * score * (p - f64::from(target));
            second += weight * score * score * p * (1.0 - p);
        }
        if second <= 0.0 {
            return None;
        }
        // A whole step from far away can overshoot the minimum, with ever larger steps after it.
        let step = first / second;
        let longest = (inverse.abs() / 2.0).max(5e-4);
        inverse -= step.clamp(-longest, longest);
        if step.abs() < 1e-9 {
            return Some((1.0 / inverse) as f32);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_unit_is_that_of_the_targets() {
        for unit in [20.0_f32, 150.0, 600.0, 3000.0] {
            let scores = [-700.0_f32, -50.0, 120.0, 400.0, 900.0];
            let scored = scores.map(|score| (score, sigmoid(score / unit), 0.5));
            let found = best_unit(&scored.into_iter()).unwrap();
            assert!((found - unit).abs() < 0.01 * unit, "{unit} {found}");
        }
        assert_eq!(best_unit(&[(0.0, 0.5, 1.0)].into_iter()), None);
        // Results that the signs of the scores predict have no best unit, nor have their opposites.
        let certain = [(-700.0, 0.0, 1.0), (10.0, 1.0, 1.0), (300.0, 1.0, 2.0)];
        assert_eq!(best_unit(&certain.into_iter()), None);
        let opposite = certain.map(|(score, target, weight)| (score, 1.0 - target, weight));
        assert_eq!(best_unit(&opposite.into_iter()), None);
    }

    #[test]
    fn the_gradient_of_the_loss_is_the_error() {
        for target in [0.0, 0.3, 1.0] {
            for score in [-3.0_f32, -0.2, 0.0, 1.5] {
                let gradient = (loss(score + 1e-2, target) - loss(score - 1e-2, target)) / 2e-2;
                assert!((gradient - (sigmoid(score) - target)).abs() < 1e-3, "{score} {target}");
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
