//! What can be wrong with a configuration.

use std::path::PathBuf;

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("reading {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
}

impl ConfigError {
    /// What would help, where there is something to say beyond the error itself.
    pub fn hint(&self) -> Option<String> {
        None
    }
}
