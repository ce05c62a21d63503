//! Gradient descent whose steps shrink where much was learnt already (`AdaGrad`), and fits of values by it.

/// How values of moves are fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ValueFit {
    /// The number of passes over all positions.
    pub(crate) epochs: usize,
    /// The first step of a value.
    pub(crate) rate: f64,
    /// How dear a value's distance from where it began is: that of one unit costs half of this many positions'
    /// log-likelihoods.
    pub(crate) l2: f64,
    /// The order of positions follows from it.
    pub(crate) seed: u64,
}

impl ValueFit {
    /// Fits values to this number of positions; `unit` is the unit of distances.
    ///
    /// `slopes` is given the numbers of some positions and the values, adds the gradient of these positions' loss, and
    /// returns the loss; `settle` clamps the values to their ranges after each step; `show` receives the number and mean
    /// loss of each epoch and returns whether to continue.
    pub(super) fn descend(
        &self,
        values: &mut [f64],
        unit: f64,
        positions: usize,
        mut slopes: impl FnMut(&[usize], &[f64], &mut [f64]) -> f64,
        settle: impl Fn(&mut [f64]),
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
                loss += slopes(batch, values, &mut gradient);
                let part = batch.len() as f64 / positions as f64;
                for ((slope, value), began) in gradient.iter_mut().zip(&*values).zip(&start) {
                    *slope += self.l2 * part * (value - began) / (unit * unit);
                }
                descent.step(values, &gradient);
                settle(values);
            }
            if !show(epoch, loss / positions.max(1) as f64) {
                break;
            }
        }
    }
}

/// Positions of one step.
const BATCH: usize = 256;

/// One descent: a step of each number is the rate times its slope, over the root of the sum of its squared slopes.
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
