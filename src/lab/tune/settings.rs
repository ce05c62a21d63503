//! The settings of a run of tuning.

use serde::{Deserialize, Serialize};

use super::{Rounding, Tuned, spsa::Spsa, state::TuneState};

/// What a run is made of, beside its games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TuneSettings {
    /// The numbers.
    pub parameters: Vec<Tuned>,
    /// How often they are moved.
    pub iterations: u64,
    /// Pairs of games in each iteration.
    pub pairs: usize,
    /// The perturbations follow from it.
    pub seed: u64,
    /// How values become whole numbers.
    pub rounding: Rounding,
}

impl TuneSettings {
    /// The state before the first iteration.
    pub(super) fn state(&self) -> TuneState {
        let spsa = Spsa::new(self.parameters.clone(), self.iterations, self.seed, self.rounding);
        TuneState::new(spsa, self.pairs)
    }
}
