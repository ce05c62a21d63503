//! The options of a searcher.

use std::sync::Arc;

use super::parameters::Parameters;
use crate::eval::network::Network;

/// The options of a [`Searcher`](super::Searcher).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchOptions {
    /// Number of search threads, at least one.
    pub threads: usize,
    /// Size of the transposition table in bytes.
    pub hash_bytes: u64,
    /// The parameters of the search.
    pub parameters: Arc<Parameters>,
    /// The network whose output is added to the fitted sum.
    pub network: Arc<Network>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        let (parameters, network) = (Arc::default(), Network::builtin());
        Self { threads: 1, hash_bytes: 64 << 20, parameters, network }
    }
}
