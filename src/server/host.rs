//! The server as a whole: port, connections, hub and records brought together.

#[cfg(test)]
mod tests;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use crate::archive::{JournalError, open_folder};
use crate::shogi::Position;
use crate::watch::Watchers;

use super::connection::{self, Event};
use super::hub::{self, Hub};
use super::lobby::{ClientId, Lobby};
use super::recorder::Recorder;
use super::settings::{PeerLimits, ServerSettings};

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
    #[error(transparent)]
    Records(#[from] JournalError),
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

/// A server whose port is open.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    settings: ServerSettings,
    start: Position,
    watchers: Option<Watchers>,
}

impl Server {
    /// Opens the port; connections queue up until [`Server::run`].
    ///
    /// Journals that a killed server left in the records' folder become records here.
    ///
    /// # Errors
    /// The port is busy, the records' folder cannot be written, a setting makes no sense.
    pub async fn bind(settings: ServerSettings) -> Result<Self, ServerError> {
        let start = settings.check()?;
        let wanted = settings.address;
        let bound = |source| ServerError::Bind { address: wanted, source };
        let listener = TcpListener::bind(wanted).await.map_err(bound)?;
        let address = listener.local_addr().map_err(bound)?;
        if let Some(dir) = settings.records.clone() {
            let prepared = tokio::task::spawn_blocking(move || open_folder(&dir)).await;
            prepared.map_err(|error| ServerError::Settings(error.to_string()))??;
        }
        Ok(Self { listener, address, settings, start, watchers: None })
    }

    /// Where the server listens, with the port the system chose.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Reports the games to `watchers`, for which no game ever waits.
    #[must_use]
    pub fn with_watchers(mut self, watchers: Watchers) -> Self {
        self.watchers = Some(watchers);
        self
    }

    /// Serves until `shutdown`; returns when the last game is over and its record written.
    pub async fn run(self, shutdown: impl Into<Shutdown>) {
        let shutdown = shutdown.into();
        let Self { listener, settings, start, watchers, .. } = self;
        let house = match House::open(settings, start, watchers) {
            Ok(house) => house,
            Err(error) => {
                tracing::error!(%error, "cannot start the thread that keeps the records");
                return;
            }
        };
        let House { hub, door } = house;
        let tasks = door.tasks.clone();
        let accepting = tokio::spawn(door.accept(listener, shutdown.finish.clone()));
        let accepting = AbortOnDropHandle::new(accepting);
        hub.run(shutdown).await;
        drop(accepting);
        tasks.close();
        // Last lines are on their way; nobody can hold us up for longer than this.
        if tokio::time::timeout(FAREWELL, tasks.wait()).await.is_err() {
            tracing::debug!("connections left open");
        }
    }
}

/// The parts of a running server.
struct House {
    hub: Hub,
    door: Door,
}

impl House {
    fn open(
        settings: ServerSettings,
        start: Position,
        watchers: Option<Watchers>,
    ) -> io::Result<Self> {
        let recorder = Recorder::start(settings.records.clone(), settings.rules, watchers)?;
        let (events, inbox) = mpsc::channel(hub::EVENT_QUEUE);
        let limits = settings.limits;
        let lobby = Lobby::new(settings, start, fastrand::u64(..));
        let door = Door { events, limits, tasks: TaskTracker::new(), next: 0 };
        Ok(Self { hub: Hub::new(lobby, inbox, recorder), door })
    }
}

/// Where connections come in.
struct Door {
    events: mpsc::Sender<Event>,
    limits: PeerLimits,
    tasks: TaskTracker,
    next: u64,
}

impl Door {
    async fn accept(mut self, listener: TcpListener, closed: CancellationToken) {
        // A few more than may stay: those are told why before they are closed.
        let room = Arc::new(Semaphore::new(self.limits.connections.saturating_add(SPARE_ROOM)));
        loop {
            let accepted = tokio::select! {
                () = closed.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            let (stream, address) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // No more file descriptors, most likely; trying again at once would spin.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(PAUSE_AFTER_ERROR).await;
                    continue;
                }
            };
            let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
            connection::set_up(&stream);
            let after_read =
                |reader: &OwnedReadHalf| connection::acknowledge_at_once(reader.as_ref());
            self.admit(Some(address.ip()), stream.into_split(), after_read, place);
        }
    }

    fn admit<R, W>(
        &mut self,
        address: Option<IpAddr>,
        halves: (R, W),
        after_read: impl Fn(&R) + Send + Sync + 'static,
        place: impl Send + 'static,
    ) where
        R: AsyncRead + Unpin + Send + Sync + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let id = ClientId(self.next);
        self.next += 1;
        let (events, limits) = (self.events.clone(), self.limits);
        self.tasks.spawn(async move {
            connection::serve(id, address, halves, after_read, events, limits).await;
            drop(place);
        });
    }
}

/// Connections beyond the limit that are told so.
const SPARE_ROOM: usize = 64;

const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(100);

/// How long connections may take for their last lines when the server ends.
const FAREWELL: Duration = Duration::from_secs(3);
