//! The transport through a NATS server.

use std::{
    collections::HashSet,
    fmt,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use async_nats::{Client, ClientError, ConnectOptions, Event, ServerError, connection::State};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot, watch},
    time::timeout,
};

use super::{
    message::printable,
    tls,
    transport::{
        Incoming, LONGEST_MESSAGE, LinkState, MOST_WAITING, SharedTransport, Subscription,
        Transport,
    },
};
use crate::config::{BrokerLogin, ClusterConfig};

/// A connection to a NATS server, which is restored after each loss until this value is dropped.
///
/// Its state and its errors are logged, each error once. Nothing that it logs contains a password or a token.
pub struct NatsTransport {
    client: Client,
    servers: String,
    requires_tls: bool,
    outgoing: mpsc::Sender<Outgoing>,
    state: watch::Receiver<LinkState>,
    runtime: Handle,
    events: Arc<Events>,
}

/// Why a connection cannot be attempted.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// The file with the credentials cannot be read.
    #[error("reading the credentials in {}", path.display())]
    Credentials {
        /// The file.
        path: PathBuf,
        /// The error.
        source: std::io::Error,
    },
    /// The file holds no credentials.
    #[error("{} holds no credentials; it is made by `nsc generate creds`", .0.display())]
    NoCredentials(PathBuf),
    /// The file of authorities cannot be used.
    #[error("cluster.tls_ca: {}: {reason}", path.display())]
    Authorities {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The client refuses the settings.
    #[error("connecting to {servers}: {reason}")]
    Refused {
        /// The servers.
        servers: String,
        /// The reason.
        reason: String,
    },
}

/// A request to the task that publishes.
enum Outgoing {
    Message { subject: String, payload: Vec<u8> },
    Flush(oneshot::Sender<()>),
}

impl NatsTransport {
    /// Starts connecting in the background, and again after each loss. Must be called inside a runtime. `role` is part
    /// of the name of the connection on the server.
    ///
    /// # Errors
    /// The settings cannot be used. An unreachable server is not an error, but a [`LinkState`].
    pub async fn connect(config: &ClusterConfig, role: &str) -> Result<Arc<Self>, BrokerError> {
        Self::connect_with(config, role, Events::new).await
    }

    /// The same, but what the server refuses is not logged as a warning: the caller tries what is allowed.
    ///
    /// # Errors
    /// The settings cannot be used.
    pub async fn connect_to_try(
        config: &ClusterConfig,
        role: &str,
    ) -> Result<Arc<Self>, BrokerError> {
        let quiet = |servers, state| Events { is_quiet: true, ..Events::new(servers, state) };
        Self::connect_with(config, role, quiet).await
    }

    async fn connect_with(
        config: &ClusterConfig,
        role: &str,
        events: impl FnOnce(String, watch::Sender<LinkState>) -> Events,
    ) -> Result<Arc<Self>, BrokerError> {
        let servers = config.shown_servers();
        let (state_sender, state) = watch::channel(LinkState::Connecting);
        let events = Arc::new(events(servers.clone(), state_sender));
        let options = options(config, role, &events)?;
        let refused = |reason: String| BrokerError::Refused { servers: servers.clone(), reason };
        let addresses = config
            .servers
            .iter()
            .map(|server| server.to_string().parse::<async_nats::ServerAddr>())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| refused(error.to_string()))?;
        let client =
            options.connect(addresses).await.map_err(|error| refused(error.kind().to_string()))?;
        let (outgoing, queue) = mpsc::channel(MOST_OUTGOING);
        tokio::spawn(publish_all(client.clone(), queue));
        let (requires_tls, runtime) = (tls::is_required(config), Handle::current());
        Ok(Arc::new(Self { client, servers, requires_tls, outgoing, state, runtime, events }))
    }

    /// The client of the server, for work queues.
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// The servers, without passwords.
    pub fn servers(&self) -> &str {
        &self.servers
    }

    /// Whether the connection that exists is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.requires_tls || self.client.server_info().tls_required
    }

    /// Waits until the connection is made or the first attempt has failed, at most this long. Returns the state.
    pub async fn wait_while_connecting(&self, longest: Duration) -> LinkState {
        let mut state = self.state.clone();
        let _ = timeout(longest, state.wait_for(|it| *it != LinkState::Connecting)).await;
        self.state.borrow().clone()
    }

    /// The errors that the server has reported so far, such as a subject without permission.
    pub fn server_errors(&self) -> Vec<String> {
        self.events.errors.lock().iter().cloned().collect()
    }

    /// Waits until everything published so far has been sent, at most this long.
    pub async fn flush(&self, longest: Duration) {
        let (sender, done) = oneshot::channel();
        let flushed = async {
            if self.outgoing.send(Outgoing::Flush(sender)).await.is_ok() {
                let _ = done.await;
            }
        };
        let _ = timeout(longest, flushed).await;
    }

    /// This transport as a trait object.
    pub fn shared(self: &Arc<Self>) -> SharedTransport {
        self.clone()
    }
}

impl Transport for NatsTransport {
    fn publish(&self, subject: &str, payload: Vec<u8>) {
        if payload.len() > LONGEST_MESSAGE {
            tracing::debug!("a message of {} bytes to {subject} is too long", payload.len());
            return;
        }
        // If the queue is full, the server accepts nothing, and the message is lost.
        let _ = self.outgoing.try_send(Outgoing::Message { subject: subject.to_owned(), payload });
    }

    fn subscribe(&self, subject: &str) -> Subscription {
        let (sender, receiver) = mpsc::channel(MOST_WAITING);
        let (client, subject) = (self.client.clone(), subject.to_owned());
        self.runtime.spawn(forward(client, subject, sender, self.events.clone()));
        receiver
    }

    fn state(&self) -> watch::Receiver<LinkState> {
        self.state.clone()
    }
}

impl Drop for NatsTransport {
    fn drop(&mut self) {
        self.events.is_closed.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for NatsTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NatsTransport").field("servers", &self.servers).finish_non_exhaustive()
    }
}

fn options(
    config: &ClusterConfig,
    role: &str,
    events: &Arc<Events>,
) -> Result<ConnectOptions, BrokerError> {
    let (told, asked) = (events.clone(), events.clone());
    let mut options = ConnectOptions::new()
        .name(format!("kyomi {role}"))
        // The server answers to these subjects. With separate prefixes one role cannot read the answers to another.
        .custom_inbox_prefix(if role == "worker" { "_INBOX.worker" } else { "_INBOX.coordinator" })
        .retry_on_initial_connect()
        .ping_interval(PING)
        .connection_timeout(CONNECT_LIMIT)
        .request_timeout(Some(REQUEST_LIMIT))
        .subscription_capacity(MOST_WAITING)
        .client_capacity(MOST_OUTGOING)
        .ignore_discovered_servers()
        .reconnect_delay_callback(delay)
        .event_callback(move |event| {
            told.event(&event);
            std::future::ready(())
        })
        // Called before each attempt. It does not choose a server; it only records why the last attempt failed.
        .reconnect_to_server_callback(move |servers, _| {
            let events = asked.clone();
            let reason = servers.iter().find_map(|server| server.last_error.clone());
            async move {
                if events.is_closed.load(Ordering::Relaxed) {
                    // The transport was dropped.
                    std::future::pending::<()>().await;
                }
                if let Some(reason) = reason {
                    events.failed(&reason);
                }
                None
            }
        });
    // Otherwise a connection is encrypted where the broker announces that it demands it, before the login is sent.
    options = options.require_tls(tls::is_required(config));
    if let Some(path) = &config.tls_ca {
        tls::check_authorities(path)
            .map_err(|reason| BrokerError::Authorities { path: path.clone(), reason })?;
        options = options.add_root_certificates(path.clone());
    }
    match &config.login {
        BrokerLogin::None => Ok(options),
        BrokerLogin::Password { user, password } => {
            Ok(options.user_and_password(user.clone(), password.expose().to_owned()))
        }
        BrokerLogin::Token(token) => Ok(options.token(token.expose().to_owned())),
        BrokerLogin::Credentials(path) => {
            let text = crate::config::read_file(path)
                .map_err(|source| BrokerError::Credentials { path: path.clone(), source })?;
            let text =
                String::from_utf8(text).map_err(|_| BrokerError::NoCredentials(path.clone()))?;
            // The error of the client is not shown, since it may quote the file.
            options.credentials(&text).map_err(|_| BrokerError::NoCredentials(path.clone()))
        }
    }
}

/// The pause before an attempt: none before the first one, later up to two seconds.
fn delay(attempt: usize) -> Duration {
    let doublings = u32::try_from(attempt.saturating_sub(2)).unwrap_or(u32::MAX).min(5);
    if attempt <= 1 { Duration::ZERO } else { (FIRST_PAUSE * (1 << doublings)).min(LONGEST_PAUSE) }
}

/// Publishes messages from the queue. Without a connection they are dropped: they would be too late afterwards.
async fn publish_all(client: Client, mut queue: mpsc::Receiver<Outgoing>) {
    while let Some(outgoing) = queue.recv().await {
        let is_connected = client.connection_state() == State::Connected;
        match outgoing {
            Outgoing::Message { subject, payload } if is_connected => {
                if let Err(error) = client.publish(subject, payload.into()).await {
                    tracing::debug!("a message is not published: {error}");
                }
            }
            Outgoing::Message { .. } => {}
            Outgoing::Flush(done) => {
                if is_connected {
                    let _ = client.flush().await;
                }
                let _ = done.send(());
            }
        }
    }
}

/// Forwards the messages of a subject until their receiver is dropped.
async fn forward(
    client: Client,
    subject: String,
    readers: mpsc::Sender<Incoming>,
    events: Arc<Events>,
) {
    let subscribing = tokio::select! {
        subscribing = client.subscribe(subject.clone()) => subscribing,
        () = readers.closed() => return,
    };
    let mut messages = match subscribing {
        Ok(messages) => messages,
        Err(error) => return tracing::warn!("{subject} is not subscribed to: {error}"),
    };
    // A clone of the client would keep the connection open as long as the subscription lives.
    drop(client);
    loop {
        let message = tokio::select! {
            message = messages.next() => message,
            () = readers.closed() => break,
        };
        let Some(message) = message else { break };
        let incoming = Incoming::new(&message.subject, &message.payload);
        if let Err(mpsc::error::TrySendError::Full(_)) = readers.try_send(incoming) {
            events.slow();
        }
    }
}

/// Turns the events of the client into a state and into few log lines.
struct Events {
    servers: String,
    state: watch::Sender<LinkState>,
    /// The error lines of the server so far.
    errors: Mutex<HashSet<String>>,
    slow: Mutex<Option<Instant>>,
    /// The last reason that was logged as a warning.
    warned: Mutex<Option<String>>,
    is_closed: AtomicBool,
    /// Whether errors of the server are expected.
    is_quiet: bool,
}

impl Events {
    fn new(servers: String, state: watch::Sender<LinkState>) -> Self {
        Self {
            servers,
            state,
            errors: Mutex::default(),
            slow: Mutex::default(),
            warned: Mutex::default(),
            is_closed: AtomicBool::new(false),
            is_quiet: false,
        }
    }

    fn event(&self, event: &Event) {
        match event {
            Event::Connected => {
                tracing::info!("connected to the broker {}", self.servers);
                *self.warned.lock() = None;
                self.state.send_replace(LinkState::Connected);
            }
            Event::Disconnected if self.is_closed.load(Ordering::Relaxed) => {}
            Event::Disconnected => self.failed("the connection is lost"),
            Event::Closed => {
                self.state.send_replace(LinkState::Lost("it was closed".to_owned()));
            }
            Event::SlowConsumer(_) | Event::ServerError(ServerError::SlowConsumer(_)) => {
                self.slow();
            }
            // The reason for other failures becomes known, in more detail, at the next attempt.
            Event::ClientError(ClientError::Other(text)) if text.contains("authorization") => {
                self.failed(text);
            }
            Event::ServerError(ServerError::AuthorizationViolation) => {
                self.failed("authorization violation");
            }
            Event::ServerError(ServerError::Other(text)) => self.server_error(text),
            Event::ClientError(_) | Event::LameDuckMode | Event::Draining => {
                tracing::debug!("broker {}: {event}", self.servers);
            }
        }
    }

    /// Notes that there is no connection, and logs the reason unless it is the last one again.
    fn failed(&self, reason: &str) {
        let reason = if reason.to_ascii_lowercase().contains("authorization violation") {
            "the login is refused; check user and password (or token) of [cluster]".to_owned()
        } else {
            // The client's messages begin with the kind of error.
            let reason = reason.strip_prefix("IO error: ").unwrap_or(reason);
            tls::fault(reason).unwrap_or_else(|| printable(reason, 200))
        };
        if self.warned.lock().replace(reason.clone()).as_ref() != Some(&reason) {
            tracing::warn!("broker {}: {reason}; trying again", self.servers);
        }
        self.state.send_replace(LinkState::Lost(reason));
    }

    fn server_error(&self, text: &str) {
        let text = printable(text, 200);
        let mut errors = self.errors.lock();
        if errors.len() < MOST_ERRORS && errors.insert(text.clone()) {
            if self.is_quiet {
                tracing::debug!("broker {}: {text}", self.servers);
            } else {
                tracing::warn!("broker {}: {text}", self.servers);
            }
        }
    }

    fn slow(&self) {
        let mut last = self.slow.lock();
        if last.is_none_or(|last| last.elapsed() >= SLOW_PAUSE) {
            *last = Some(Instant::now());
            tracing::warn!("messages came faster than they were read; some are lost");
        }
    }
}

/// The time between two pings. Two without an answer end a connection.
const PING: Duration = Duration::from_secs(2);
/// The time limit for one attempt to connect.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// The longest time for an answer of the server about a work queue.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// The number of messages that may wait to be sent.
const MOST_OUTGOING: usize = 1024;
/// The largest number of different error lines of a server that are logged as warnings.
const MOST_ERRORS: usize = 32;
/// The time between two warnings about lost messages.
const SLOW_PAUSE: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    fn events() -> (Events, watch::Receiver<LinkState>) {
        let (sender, state) = watch::channel(LinkState::Connecting);
        (Events::new("nats://a:4222".to_owned(), sender), state)
    }

    #[test]
    fn the_state_follows_the_events() {
        let (events, state) = events();
        events.event(&Event::Connected);
        assert_eq!(*state.borrow(), LinkState::Connected);
        events.event(&Event::Disconnected);
        assert!(matches!(&*state.borrow(), LinkState::Lost(_)));
        events.failed("IO error: Connection refused\u{1b}[31m");
        assert_eq!(*state.borrow(), LinkState::Lost("Connection refused[31m".to_owned()));
        events.event(&Event::ClientError(ClientError::Other("authorization violation".into())));
        assert!(
            matches!(&*state.borrow(), LinkState::Lost(reason) if reason.contains("[cluster]"))
        );
    }

    #[test]
    fn the_errors_of_a_server_take_little_memory() {
        let (events, _state) = events();
        for number in 0..1000 {
            events.server_error(&format!("Permissions Violation {number}"));
        }
        assert_eq!(events.errors.lock().len(), MOST_ERRORS);
    }

    #[test]
    fn attempts_are_made_at_least_every_two_seconds() {
        assert_eq!(delay(1), Duration::ZERO);
        assert_eq!(delay(2), FIRST_PAUSE);
        assert_eq!(delay(usize::MAX), LONGEST_PAUSE);
    }
}
