//! A line connection to a server.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_util::{SinkExt, StreamExt};
use socket2::{SockRef, TcpKeepalive};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf},
    net::{TcpStream, lookup_host},
    time::{Instant, timeout, timeout_at},
};
use tokio_util::codec::Framed;

use kyomi_csa::{Cause, ClientMessage, Line, LineCodec};

/// Receives lines and sends messages over any stream: a socket, or a duplex pipe in tests.
#[derive(Debug)]
pub(super) struct Connection<S> {
    framed: Framed<S, LineCodec>,
    /// Why sending failed, and until when lines that have already arrived are still read.
    broken: Option<(Cause, Instant)>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { framed: Framed::new(stream, LineCodec::new()), broken: None }
    }

    /// Returns the next line, or why the connection was lost. Cancel-safe.
    pub(super) async fn line(&mut self) -> Result<Line, Cause> {
        if let Some((cause, until)) = &self.broken {
            return match timeout_at(*until, self.framed.next()).await {
                Ok(Some(Ok(line))) => Ok(line),
                Ok(Some(Err(_)) | None) | Err(_) => Err(cause.clone()),
            };
        }
        match self.framed.next().await {
            Some(Ok(line)) => Ok(line),
            Some(Err(error)) => Err(Cause::Broken(error.to_string())),
            None => Err(Cause::EndOfStream),
        }
    }

    /// Sends one line, in one write if the system accepts it whole.
    ///
    /// If that fails the connection is lost, but lines that arrived before, such as the result of a game, may be
    /// unread: [`Self::line`] returns them first and then the cause.
    pub(super) async fn send(&mut self, message: &ClientMessage) {
        if self.broken.is_some() {
            return;
        }
        let cause = match timeout(WRITE_LIMIT, self.framed.send(message)).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the server does not read what we send".to_owned(),
        };
        self.broken = Some((Cause::Broken(cause), Instant::now() + LAST_LINES_LIMIT));
    }

    /// Shuts the connection down. Errors are ignored.
    pub(super) async fn close(mut self) {
        let _ = timeout(CLOSE_LIMIT, self.framed.get_mut().shutdown()).await;
    }
}

/// Connects to a server. The socket sends each line immediately and detects a dead peer by TCP keep-alive. `known` is
/// an address of the server, which is used if the look-up of the name fails.
///
/// # Errors
/// The name cannot be resolved, the connection is refused, or no address answers within [`ADDRESS_LIMIT`].
pub(super) async fn connect(
    host: &str,
    port: u16,
    known: Option<SocketAddr>,
) -> io::Result<Socket> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let limit = if known.is_some() { KNOWN_LOOKUP_LIMIT } else { LOOKUP_LIMIT };
    let found = match timeout(limit, lookup_host((host, port))).await {
        Ok(found) => found.map(Iterator::collect::<Vec<_>>),
        Err(_) => Err(no_answer("the name service", limit)),
    };
    let addresses = addresses_or_known(found, known)?.into_iter();
    let stream = first_of(addresses, async |address| TcpStream::connect(address).await).await?;
    Socket::new(stream)
}

/// The addresses that were found, or else the known one.
fn addresses_or_known(
    found: io::Result<Vec<SocketAddr>>,
    known: Option<SocketAddr>,
) -> io::Result<Vec<SocketAddr>> {
    match (found, known) {
        (Err(error), Some(known)) => {
            tracing::warn!(%error, "the name of the server is not found; its last address is used");
            Ok(vec![known])
        }
        (found, _) => found,
    }
}

/// Connects to the first address that accepts. Each address has its own time limit, so that one that drops all
/// packets does not use up the time of the others.
async fn first_of<T>(
    addresses: impl Iterator<Item = SocketAddr>,
    connect: impl AsyncFn(SocketAddr) -> io::Result<T>,
) -> io::Result<T> {
    let mut last = None;
    for address in addresses {
        match timeout(ADDRESS_LIMIT, connect(address)).await {
            Ok(Ok(connected)) => return Ok(connected),
            Ok(Err(error)) => last = Some(error),
            Err(_) => last = Some(no_answer(&address.to_string(), ADDRESS_LIMIT)),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the name has no address")))
}

fn no_answer(who: &str, limit: Duration) -> io::Error {
    let text = format!("no answer from {who} within {} s", limit.as_secs());
    io::Error::new(io::ErrorKind::TimedOut, text)
}

/// A TCP stream that acknowledges immediately what it reads.
///
/// Reference servers use Nagle's algorithm: of two lines in quick succession, such as the echo of our move and
/// a fast reply, the second would be delayed by about 40 ms by delayed acknowledgement, on our clock.
#[derive(Debug)]
pub(super) struct Socket(TcpStream);

impl Socket {
    /// Whether the server is on this machine or in its local network.
    pub(super) fn is_on_local_network(&self) -> bool {
        self.0.peer_addr().is_ok_and(|address| is_on_local_network(address.ip()))
    }

    /// The server's address.
    pub(super) fn peer(&self) -> Option<SocketAddr> {
        self.0.peer_addr().ok()
    }

    /// Sets the options of a connected stream.
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let keep_alive =
            TcpKeepalive::new().with_time(KEEP_ALIVE_AFTER).with_interval(KEEP_ALIVE_INTERVAL);
        let options = SockRef::from(&stream);
        let done = options.set_tcp_keepalive(&keep_alive);
        // Otherwise TCP would retransmit a line to a dead peer for a quarter of an hour, on our clock.
        #[cfg(target_os = "linux")]
        let done = done.and_then(|()| options.set_tcp_user_timeout(Some(UNACKNOWLEDGED_LIMIT)));
        if let Err(error) = done {
            tracing::warn!(%error, "a dead connection may be noticed late");
        }
        let socket = Self(stream);
        socket.acknowledge_immediately();
        Ok(socket)
    }

    /// Requests immediate acknowledgement. The system resets the option, so it is set after each read.
    fn acknowledge_immediately(&self) {
        #[cfg(target_os = "linux")]
        if let Err(error) = SockRef::from(&self.0).set_tcp_quickack(true) {
            tracing::trace!(%error, "no quick acknowledgement");
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.0).poll_read(context, buffer);
        if done.is_ready() {
            self.acknowledge_immediately();
        }
        done
    }
}

/// Whether the address is on this machine or in its local network.
fn is_on_local_network(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            address.is_loopback() || address.is_private() || address.is_link_local()
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

const LOOKUP_LIMIT: Duration = Duration::from_secs(15);

/// As [`LOOKUP_LIMIT`], if an address of the server is known: a clock may be running.
const KNOWN_LOOKUP_LIMIT: Duration = Duration::from_secs(3);

/// Long enough for a TCP handshake with its first retransmission.
const ADDRESS_LIMIT: Duration = Duration::from_secs(4);

/// If a line cannot be written within this time, the peer is dead.
const WRITE_LIMIT: Duration = Duration::from_secs(30);

/// How long lines that arrived before a connection broke are still read.
const LAST_LINES_LIMIT: Duration = Duration::from_secs(2);

const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// TCP keep-alive, in addition to the empty lines of the protocol: a dead connection must be noticed while the game can
/// still be resumed.
const KEEP_ALIVE_AFTER: Duration = Duration::from_secs(20);
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(5);

/// The connection is dead if the peer's system does not acknowledge what we send within this time.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED_LIMIT: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, duplex};

    use super::*;

    #[tokio::test]
    async fn lines_are_returned_one_by_one_and_then_the_end_of_the_stream() {
        let (near, mut far) = duplex(1024);
        let mut connection = Connection::new(near);
        far.write_all(b"LOGIN:a OK\r\n#WIN\n\nhalf").await.unwrap();
        drop(far);
        for expected in ["LOGIN:a OK", "#WIN", "", "half"] {
            assert_eq!(connection.line().await, Ok(Line::text(expected)));
        }
        assert_eq!(connection.line().await, Err(Cause::EndOfStream));
    }

    #[tokio::test]
    async fn a_message_is_one_line() {
        let (near, mut far) = duplex(1024);
        let mut connection = Connection::new(near);
        connection.send(&ClientMessage::KeepAlive).await;
        connection.send(&ClientMessage::Logout).await;
        connection.close().await;
        let mut text = String::new();
        far.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "\nLOGOUT\n");
    }

    #[tokio::test]
    async fn lines_that_arrived_before_the_connection_broke_are_still_read() {
        let (incoming, mut far) = duplex(1024);
        let (outgoing, gone) = duplex(1024);
        drop(gone);
        far.write_all(b"#TIME_UP\n#LOSE\n").await.unwrap();
        let mut connection = Connection::new(tokio::io::join(incoming, outgoing));
        connection.send(&ClientMessage::KeepAlive).await;
        connection.send(&ClientMessage::KeepAlive).await;
        drop(far);
        assert_eq!(connection.line().await, Ok(Line::text("#TIME_UP")));
        assert_eq!(connection.line().await, Ok(Line::text("#LOSE")));
        assert!(matches!(connection.line().await, Err(Cause::Broken(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_that_drops_packets_leaves_time_for_the_others() {
        let addresses = ["[2001:db8::1]:4081", "192.0.2.1:4081", "192.0.2.2:4081"]
            .map(|text| text.parse::<SocketAddr>().unwrap());
        let only = async |good: &str| {
            let connect = async |address: SocketAddr| {
                if address.to_string() != good {
                    std::future::pending::<()>().await;
                }
                Ok(address)
            };
            first_of(addresses.into_iter(), connect).await
        };
        assert_eq!(only("192.0.2.2:4081").await.unwrap(), addresses[2]);
        let error = only("none").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(error.to_string().contains("192.0.2.2:4081"), "{error}");
    }

    #[test]
    fn addresses_of_the_local_network_are_near() {
        let is_on_local_network = |text: &str| is_on_local_network(text.parse().unwrap());
        for near in ["127.0.0.1", "::1", "10.1.2.3", "192.168.0.7", "fe80::1", "fd00::1"] {
            assert!(is_on_local_network(near), "{near}");
        }
        assert!(is_on_local_network("::ffff:127.0.0.1"));
        for far in ["133.11.12.13", "8.8.8.8", "172.32.0.1", "2001:db8::1", "::ffff:8.8.8.8"] {
            assert!(!is_on_local_network(far), "{far}");
        }
    }

    #[test]
    fn the_last_address_is_used_if_the_name_is_not_found() {
        let [found, known] = ["192.0.2.1:1", "192.0.2.2:1"].map(|text| text.parse().unwrap());
        let fails = || Err(io::Error::other("no name service"));
        assert_eq!(addresses_or_known(fails(), Some(known)).unwrap(), [known]);
        assert_eq!(addresses_or_known(Ok(vec![found]), Some(known)).unwrap(), [found]);
        assert!(addresses_or_known(fails(), None).is_err());
    }

    #[tokio::test]
    async fn a_refused_connection_is_an_error() {
        let free = {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            listener.local_addr().unwrap().port()
        };
        let error = connect("127.0.0.1", free, None).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
