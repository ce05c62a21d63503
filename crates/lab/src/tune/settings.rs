//! The settings of a run of tuning.

use serde::{Deserialize, Serialize};

use super::spsa::Spsa;
use super::state::TuneState;
use super::tuned::MOST_PAIRS;
use super::{Rounding, Tuned, TunedError};

/// The settings of a run, except those of its games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuneSettings {
    /// The parameters.
    pub parameters: Vec<Tuned>,
    /// The number of iterations.
    pub iterations: u64,
    /// The number of pairs of games in each iteration.
    pub pairs: usize,
    /// The seed of the perturbations.
    pub seed: u64,
    /// How values are rounded to whole numbers.
    pub rounding: Rounding,
}

impl TuneSettings {
    /// Checks that a run is possible with these settings, which may come from a file.
    ///
    /// # Errors
    /// The first error in the settings.
    pub fn check(&self) -> Result<(), TunedError> {
        if !(1..=MOST_PAIRS).contains(&self.pairs) {
            return Err(TunedError::Pairs(self.pairs));
        }
        self.parameters.iter().try_for_each(Tuned::check)
    }

    /// The state before the first iteration.
    pub(super) fn state(&self) -> TuneState {
        let spsa = Spsa::new(self.parameters.clone(), self.iterations, self.seed, self.rounding);
        TuneState::new(spsa, self.pairs)
    }
}
