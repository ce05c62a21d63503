//! Gradient descent whose steps shrink where much was learnt already (`AdaGrad`).

/// One descent: a step of each number is the rate times its slope, over the root of the sum of its squared slopes.
#[derive(Debug, Clone)]
pub(super) struct AdaGrad {
    rate: f64,
    squares: Vec<f64>,
}

impl AdaGrad {
    pub(super) fn new(count: usize, rate: f64) -> Self {
        Self { rate, squares: vec![0.0; count] }
    }

    /// One step down the gradient.
    pub(super) fn step(&mut self, values: &mut [f64], gradient: &[f64]) {
        for ((value, slope), square) in values.iter_mut().zip(gradient).zip(&mut self.squares) {
            *square += slope * slope;
            if *square > 0.0 {
                *value -= self.rate * slope / square.sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_is_as_long_as_the_rate_and_later_ones_are_shorter() {
        let mut descent = AdaGrad::new(3, 0.5);
        let mut values = [1.0, 1.0, 1.0];
        descent.step(&mut values, &[4.0, -0.1, 0.0]);
        let near = |found: f64, wanted: f64| (found - wanted).abs() < 1e-12;
        assert!(near(values[0], 0.5) && near(values[1], 1.5) && near(values[2], 1.0));
        descent.step(&mut values, &[3.0, 0.0, 0.0]);
        assert!(near(values[0], 0.5 - 0.5 * 3.0 / 5.0), "{values:?}");
    }
}
