//! The step sizes of each iteration: how far the parameters are perturbed, and how far they move by the result.

/// The gain sequences of a run with a given number of iterations: `c` falls with the power 0.101 of the iteration, `a`
/// with the power 0.602 of the iteration plus a tenth of the run, as Spall advises.
///
/// Both are scaled by their values at the end of the run: `c_end` in units of the parameter, and `r_end`, the ratio of
/// `a` to the square of `c`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gains {
    iterations: f64,
}

impl Gains {
    /// The sequences of a run with this number of iterations; 0 counts as 1.
    pub fn new(iterations: u64) -> Self {
        Self { iterations: iterations.max(1) as f64 }
    }

    /// The distance by which a parameter is moved up and down in iteration `k`, from 1: `c`.
    pub fn step(&self, c_end: f64, k: u64) -> f64 {
        c_end * (self.iterations / k.max(1) as f64).powf(GAMMA)
    }

    /// The distance that a parameter moves in iteration `k` for each game of the difference between wins and losses, in
    /// units of the parameter: `a / c`.
    pub fn rate(&self, c_end: f64, r_end: f64, k: u64) -> f64 {
        let stability = self.iterations * STABILITY;
        let shrunk = (stability + self.iterations) / (stability + k.max(1) as f64);
        r_end * c_end * c_end * shrunk.powf(ALPHA) / self.step(c_end, k)
    }
}

const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// The stability constant as a part of the run: it is added to the iteration so that the first steps are not too large.
const STABILITY: f64 = 0.1;

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-4 * expected.abs()
    }

    #[test]
    fn the_sequences_equal_a_calculation_by_hand() {
        let gains = Gains::new(100);
        // At the end: c is c_end, and a / c is r_end times c_end.
        assert!(near(gains.step(8.0, 100), 8.0));
        assert!(near(gains.rate(8.0, 0.01, 100), 0.08));
        // At the beginning: 100^0.101 = 1.59221, and (110 / 11)^0.602 = 3.99945.
        assert!(near(gains.step(8.0, 1), 8.0 * 1.59221));
        assert!(near(gains.rate(8.0, 0.01, 1), 0.01 * 8.0 * 3.99945 / 1.59221));
        // Half-way: 2^0.101 = 1.07251, and (110 / 60)^0.602 = 1.44038.
        assert!(near(gains.step(8.0, 50), 8.0 * 1.07251));
        assert!(near(gains.rate(8.0, 0.01, 50), 0.08 * 1.44038 / 1.07251));
    }
}
