//! The network that belongs to the program.

use std::sync::{Arc, LazyLock};

use super::Network;

/// The file of the network in use. `network.json` beside it has the settings of its last training, the other
/// files of that kind those of the trainings before.
const BYTES: &[u8] = include_bytes!("../weights/network.bin");

static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
    // A test reads the file. Without it the fitted sum would be used alone.
    Arc::new(Network::from_bytes(BYTES).unwrap_or_else(|_| Network::empty()))
});

impl Network {
    /// The file of [`Network::builtin`].
    pub const fn builtin_bytes() -> &'static [u8] {
        BYTES
    }

    /// The network that is used if no other is given. It is read once.
    pub fn builtin() -> Arc<Self> {
        Arc::clone(&NETWORK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtin_file_is_a_network_for_the_fitted_weights() {
        let network = Network::from_bytes(BYTES).unwrap();
        assert_eq!(network, *Network::builtin());
        assert!(network.width() > 0);
        assert_eq!(network.to_bytes(), BYTES);
    }
}
