//! The options of a searcher.

use std::sync::Arc;

use super::parameters::{Parameters, TABLE};
use crate::eval::Evaluation;

/// The options of a [`Searcher`](super::Searcher).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchOptions {
    /// Number of search threads, at least one.
    pub threads: usize,
    /// Size of the transposition table in bytes.
    pub hash_bytes: u64,
    /// The parameters of the search.
    pub parameters: Arc<Parameters>,
    /// The evaluation.
    pub evaluation: Evaluation,
}

impl Default for SearchOptions {
    fn default() -> Self {
        let (parameters, evaluation) = (Arc::default(), Evaluation::builtin());
        Self { threads: 1, hash_bytes: 64 << 20, parameters, evaluation }
    }
}

impl SearchOptions {
    /// A checksum of what decides the scores of a search and the measure of its depth: parameters and evaluation. Threads
    /// and table have no part in it.
    pub fn checksum(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        for parameter in TABLE {
            let value = parameter.value(&self.parameters);
            hasher.update(format!("{}={value}\n", parameter.name).as_bytes());
        }
        hasher.update(&self.evaluation.checksum().to_le_bytes());
        hasher.finalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::network::Network;

    #[test]
    fn the_checksum_is_that_of_parameters_and_evaluation() {
        let usual = SearchOptions::default();
        let larger = SearchOptions { threads: 8, hash_bytes: 1 << 30, ..usual.clone() };
        assert_eq!(larger.checksum(), usual.checksum());
        let mut parameters = Parameters::default();
        parameters.set("Interest_CostK", "7000").unwrap();
        let other = SearchOptions { parameters: Arc::new(parameters), ..usual.clone() };
        assert_ne!(other.checksum(), usual.checksum());
        let with = |network: Network| SearchOptions {
            evaluation: Evaluation::Own(network.into()),
            ..usual.clone()
        };
        let other = with(Network::empty());
        assert_ne!(other.checksum(), usual.checksum());
        // Equal shape, other weights.
        let (other, third) = (with(Network::with_bias(0.5)), with(Network::with_bias(-0.5)));
        assert_ne!(other.checksum(), third.checksum());
    }
}
