//! The server as a whole: port, connections, hub and records.

#[cfg(test)]
pub(super) mod memory;
#[cfg(test)]
mod tests;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use crate::archive::JournalError;
use crate::config::Config;
use crate::watch::Watchers;
use kyomi_csa::league::{self, Arbiter, EventState};
use kyomi_csa::server::{ClientId, Lobby, PeerLimits, ServerSettings};
use kyomi_shogi::Position;

use super::connection::{self, Event};
use super::error::ServerError;
use super::hub::{self, Hub};
use super::recorder::Recorder;
use super::saved_game::{HeldGame, recover_others};
use super::shutdown::Shutdown;

/// A server whose port is open.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    settings: ServerSettings,
    start: Position,
    watchers: Option<Watchers>,
    event: Option<(Arbiter, EventSink)>,
    /// Running games of a killed server.
    held: Vec<HeldGame>,
    /// The address of which it restores saved games; with port 0 it restores all.
    own: SocketAddr,
}

/// Receives the state of the event whenever it has changed.
type EventSink = Box<dyn FnMut(&league::Event, &EventState) + Send>;

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// The settings of `kyomi serve`: `[listen]`, `[rules]` and `[time]`.
    pub fn settings(config: &Config) -> ServerSettings {
        ServerSettings {
            address: config.listen.address,
            after_game: config.listen.after_game,
            resume_time: config.listen.resume_time,
            records: Some(config.listen.records.clone()),
            ..Self::embedded_settings(config)
        }
    }

    /// The settings of the server inside `kyomi play`: a free loopback port, `[rules]` and `[time]`, no records
    /// of its own.
    pub fn embedded_settings(config: &Config) -> ServerSettings {
        ServerSettings { time: [config.time; 2], rules: config.rules, ..ServerSettings::default() }
    }

    /// Opens the port; connections wait until [`Server::run`].
    ///
    /// The running games of a killed server in the folder of the records are held for their players, if they may come
    /// back to games. Other journals are converted into records, except those that a server at another address may go
    /// on with.
    ///
    /// # Errors
    /// The port is in use, the folder of the records cannot be written, or a setting is not valid.
    pub async fn bind(mut settings: ServerSettings) -> Result<Self, ServerError> {
        let fault = |text: String| ServerError::Settings(text);
        let start = settings.check().map_err(|error| fault(error.to_string()))?;
        let wanted = settings.address;
        let bound = |source| ServerError::Bind { address: wanted, source };
        let listener = TcpListener::bind(wanted).await.map_err(bound)?;
        let address = listener.local_addr().map_err(bound)?;
        // Games are saved under the port that players know. A server whose port is chosen by the system restores all
        // games.
        settings.address = address;
        let own = if wanted.port() == 0 { wanted } else { address };
        let mut held = Vec::new();
        if let Some(dir) = settings.records.clone() {
            let resume_time = settings.resume_time;
            let prepare = move || {
                // A game that is held keeps its journal.
                let held = HeldGame::find(&dir, own, resume_time);
                recover_others(&dir, own, resume_time)?;
                Ok::<_, JournalError>(held)
            };
            let prepared = tokio::task::spawn_blocking(prepare).await;
            held = prepared.map_err(|error| fault(error.to_string()))??;
        }
        Ok(Self { listener, address, settings, start, watchers: None, event: None, held, own })
    }

    /// The address of the server, with the port that the system chose.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Reports the games to `watchers`. A slow watcher never delays a game.
    #[must_use]
    pub fn with_watchers(mut self, watchers: Watchers) -> Self {
        self.watchers = Some(watchers);
        self
    }

    /// Runs an event: its players log in, and only the games of its rounds are played. `changed` is called on a
    /// separate thread, in order, whenever a round has begun or a game is over. The server ends when the event is over.
    #[must_use]
    pub fn with_event(
        mut self,
        event: league::Event,
        state: EventState,
        changed: impl FnMut(&league::Event, &EventState) + Send + 'static,
    ) -> Self {
        self.event = Some((Arbiter::new(event, state), Box::new(changed)));
        self
    }

    /// Serves until `shutdown`; returns when the last game is over and its record written.
    pub async fn run(self, shutdown: impl Into<Shutdown>) {
        let shutdown = shutdown.into();
        let Self { listener, settings, start, watchers, event, held, own, .. } = self;
        let records = settings.records.clone();
        let resume_time = settings.resume_time;
        let parts = match ServerParts::new(settings, start, watchers) {
            Ok(parts) => parts,
            Err(error) => {
                tracing::error!(%error, "cannot start the thread that writes the records");
                return;
            }
        };
        let ServerParts { mut hub, acceptor } = parts;
        let storing = event.map(|(arbiter, mut changed)| {
            let (sender, states) = std::sync::mpsc::channel();
            let event = arbiter.event().clone();
            hub.run_event(arbiter, sender);
            tokio::task::spawn_blocking(move || {
                for state in states {
                    changed(&event, &state);
                }
            })
        });
        let refused = hub.restore(held).await;
        if let (false, Some(dir)) = (refused.is_empty(), records) {
            let interrupt = move || {
                drop(refused);
                recover_others(&dir, own, resume_time)
            };
            match tokio::task::spawn_blocking(interrupt).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::error!(%error, "interrupted games not recovered"),
                Err(error) => tracing::error!(%error, "interrupted games not recovered"),
            }
        }
        let tasks = acceptor.tasks.clone();
        let accepting = tokio::spawn(acceptor.accept(listener, shutdown.finish.clone()));
        let accepting = AbortOnDropHandle::new(accepting);
        // A separate task runs on the thread that has read the line, which saves a thread switch.
        let serving = AbortOnDropHandle::new(tokio::spawn(hub.run(shutdown)));
        if let Err(error) = serving.await
            && let Ok(panic) = error.try_into_panic()
        {
            resume_unwind(panic);
        }
        drop(accepting);
        if let Some(storing) = storing
            && storing.await.is_err()
        {
            tracing::error!("storing the event has failed");
        }
        tasks.close();
        // Waits, for a limited time, until the connections have sent their last lines.
        if tokio::time::timeout(LAST_LINES_LIMIT, tasks.wait()).await.is_err() {
            tracing::debug!("connections left open");
        }
    }
}

/// The parts of a running server.
struct ServerParts {
    hub: Hub,
    acceptor: Acceptor,
}

impl ServerParts {
    fn new(
        settings: ServerSettings,
        start: Position,
        watchers: Option<Watchers>,
    ) -> io::Result<Self> {
        let recorder = Recorder::start(settings.records.clone(), settings.rules, watchers)?;
        let (events, inbox) = mpsc::channel(hub::EVENT_QUEUE);
        let limits = settings.limits;
        let lobby = Lobby::new(settings, start, fastrand::u64(..));
        let acceptor = Acceptor {
            events,
            limits,
            all_waiting: Arc::default(),
            tasks: TaskTracker::new(),
            next: 0,
        };
        Ok(Self { hub: Hub::new(lobby, inbox, recorder), acceptor })
    }
}

/// Accepts connections.
struct Acceptor {
    events: mpsc::Sender<Event>,
    limits: PeerLimits,
    /// The number of bytes that wait to be written to all peers.
    all_waiting: Arc<AtomicUsize>,
    tasks: TaskTracker,
    next: u64,
}

impl Acceptor {
    async fn accept(mut self, listener: TcpListener, closed: CancellationToken) {
        // Connections over the limit receive an error line before they are closed.
        let places = self.limits.connections;
        let places = places.saturating_add(EXTRA_CONNECTIONS.min(places));
        let permits = Arc::new(Semaphore::new(places));
        loop {
            let accepted = tokio::select! {
                () = closed.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            let (stream, address) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Probably no file descriptors are left; trying again immediately would spin.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(PAUSE_AFTER_ERROR).await;
                    continue;
                }
            };
            let Ok(permit) = Arc::clone(&permits).try_acquire_owned() else { continue };
            connection::set_up(&stream);
            let after_read =
                |reader: &OwnedReadHalf| connection::acknowledge_at_once(reader.as_ref());
            self.admit(Some(address.ip()), stream.into_split(), after_read, permit);
        }
    }

    fn admit<R, W>(
        &mut self,
        address: Option<IpAddr>,
        halves: (R, W),
        after_read: impl Fn(&R) + Send + Sync + 'static,
        permit: impl Send + 'static,
    ) where
        R: AsyncRead + Unpin + Send + Sync + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let id = ClientId(self.next);
        self.next += 1;
        let events = self.events.clone();
        let limits = (self.limits, Arc::clone(&self.all_waiting));
        self.tasks.spawn(async move {
            connection::serve(id, address, halves, after_read, events, limits).await;
            drop(permit);
        });
    }
}

/// Largest number of connections over the limit that receive an error line.
const EXTRA_CONNECTIONS: usize = 64;

const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(100);

/// How long connections may take for their last lines when the server ends.
const LAST_LINES_LIMIT: Duration = Duration::from_secs(3);
