//! Means with their standard errors.

use serde::Serialize;

/// A mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Mean {
    /// The mean; 0 of no numbers.
    pub value: f64,
    /// Its standard error; 0 of fewer than two numbers.
    pub error: f64,
}

impl Mean {
    /// The mean of these numbers.
    pub(super) fn of(numbers: impl Iterator<Item = f64> + Clone) -> Self {
        let count = numbers.clone().count() as f64;
        // The sum of no floats is -0.0.
        let value = (0.0 + numbers.clone().sum::<f64>()) / count.max(1.0);
        let squares: f64 = numbers.map(|number| (number - value).powi(2)).sum();
        let error = if count < 2.0 { 0.0 } else { (squares / (count - 1.0) / count).sqrt() };
        Self { value, error }
    }
}

/// The geometric mean of positive numbers; `None` of none.
pub(super) fn geometric_mean(numbers: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let count = numbers.clone().count();
    (count > 0).then(|| (numbers.map(f64::ln).sum::<f64>() / count as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_errors() {
        let mean = Mean::of([1.0, 0.0, 1.0, 0.0].into_iter());
        assert!((mean.value - 0.5).abs() < 1e-9 && (mean.error - 0.288_675).abs() < 1e-6);
        assert_eq!(Mean::of([7.0].into_iter()), Mean { value: 7.0, error: 0.0 });
        assert_eq!(Mean::of([].into_iter()), Mean::default());
        assert!(Mean::of([].into_iter()).value.is_sign_positive());
        assert!((geometric_mean([2.0, 8.0].into_iter()).unwrap() - 4.0).abs() < 1e-9);
        assert_eq!(geometric_mean([].into_iter()), None);
    }
}
