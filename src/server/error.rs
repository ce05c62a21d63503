//! Why a server could not be started.

use std::io;
use std::net::SocketAddr;

use crate::archive::JournalError;

/// Why a server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Bind {
        /// The requested address.
        address: SocketAddr,
        /// Why not; a port in use is `AddrInUse`.
        #[source]
        source: io::Error,
    },
    /// The folder of the records cannot be made or written.
    #[error(transparent)]
    Records(#[from] JournalError),
    /// A setting with which no game can be played.
    #[error("{0}")]
    Settings(String),
}
