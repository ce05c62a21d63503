//! Gradient descent whose steps shrink as gradients accumulate (`AdaGrad`), and fits of values by it.

/// The settings of a fit of move values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ValueFit {
    /// The number of passes over all positions.
    pub(crate) epochs: usize,
    /// The first step of a value.
    pub(crate) rate: f64,
    /// The penalty on a value's distance from its start: a distance of one unit costs half of `l2` times the
    /// log-likelihood of a position.
    pub(crate) l2: f64,
    /// The seed of the order of positions.
    pub(crate) seed: u64,
}

impl ValueFit {
    /// Fits `values` to a number of positions; `unit` is the unit of distances.
    ///
    /// `gradients` receives the indices of some positions and the values, adds the gradient of the positions' loss to
    /// its third argument, and returns the loss. `clamp` clamps the values to their ranges after each step. `show`
    /// receives the number and the mean loss of each epoch and returns whether to continue.
    pub(super) fn descend(
        &self,
        values: &mut [f64],
        unit: f64,
        positions: usize,
        mut gradients: impl FnMut(&[usize], &[f64], &mut [f64]) -> f64,
        clamp: impl Fn(&mut [f64]),
        mut show: impl FnMut(usize, f64) -> bool,
    ) {
        let start = values.to_vec();
        let mut descent = AdaGrad::new(values.len(), self.rate);
        let mut order: Vec<usize> = (0..positions).collect();
        let mut random = fastrand::Rng::with_seed(self.seed);
        let mut gradient = vec![0.0; values.len()];
        for epoch in 1..=self.epochs {
            random.shuffle(&mut order);
            let mut loss = 0.0;
            for batch in order.chunks(BATCH) {
                gradient.fill(0.0);
                loss += gradients(batch, values, &mut gradient);
                let part = batch.len() as f64 / positions as f64;
                for ((gradient, value), start) in gradient.iter_mut().zip(&*values).zip(&start) {
                    *gradient += self.l2 * part * (value - start) / (unit * unit);
                }
                descent.step(values, &gradient);
                clamp(values);
            }
            if !show(epoch, loss / positions.max(1) as f64) {
                break;
            }
        }
    }
}

/// The number of positions in one step.
const BATCH: usize = 256;

/// The state of one descent. A value's step is the rate times its gradient, divided by the root of the sum of its
/// squared gradients so far.
#[derive(Debug, Clone)]
struct AdaGrad {
    rate: f64,
    squares: Vec<f64>,
}

impl AdaGrad {
    fn new(count: usize, rate: f64) -> Self {
        Self { rate, squares: vec![0.0; count] }
    }

    /// One step down the gradient.
    fn step(&mut self, values: &mut [f64], gradient: &[f64]) {
        for ((value, gradient), square) in values.iter_mut().zip(gradient).zip(&mut self.squares) {
            *square += gradient * gradient;
            if *square > 0.0 {
                *value -= self.rate * gradient / square.sqrt();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_length_of_the_rate_and_later_ones_are_shorter() {
        let mut descent = AdaGrad::new(3, 0.5);
        let mut values = [1.0, 1.0, 1.0];
        descent.step(&mut values, &[4.0, -0.1, 0.0]);
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
        assert!(near(values[0], 0.5) && near(values[1], 1.5) && near(values[2], 1.0));
        descent.step(&mut values, &[3.0, 0.0, 0.0]);
        assert!(near(values[0], 0.5 - 0.5 * 3.0 / 5.0), "{values:?}");
    }
}
