//! A line connection to a server.

use std::{
    io,
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

use crate::csa::{Cause, ClientMessage, Line, LineCodec};

/// Lines in, messages out, over any stream: a socket, or a duplex pipe in tests.
#[derive(Debug)]
pub(super) struct Connection<S> {
    framed: Framed<S, LineCodec>,
    /// Why nothing can be sent any more, and until when the lines that have arrived are read.
    broken: Option<(Cause, Instant)>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { framed: Framed::new(stream, LineCodec::new()), broken: None }
    }

    /// The next line, or why there is none. Cancel-safe.
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

    /// Sends one line, in one write where the system takes it whole.
    ///
    /// When that fails the connection is over, but what the server said before, the result of a game say, may
    /// still lie unread: [`Self::line`] gives it first and then the cause.
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

    /// Says goodbye on the transport; what went wrong with it does not matter any more.
    pub(super) async fn close(mut self) {
        let _ = timeout(CLOSE_LIMIT, self.framed.get_mut().shutdown()).await;
    }
}

/// Connects to a server: the socket sends each line at once and notices a dead peer by itself.
///
/// # Errors
/// The name cannot be resolved, nobody listens, or nobody answers in [`CONNECT_LIMIT`].
pub(super) async fn connect(host: &str, port: u16) -> io::Result<Socket> {
    match timeout(CONNECT_LIMIT, connect_to_any(host, port)).await {
        Ok(done) => done,
        Err(_) => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("no answer within {} s", CONNECT_LIMIT.as_secs()),
        )),
    }
}

async fn connect_to_any(host: &str, port: u16) -> io::Result<Socket> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let mut last = None;
    for address in lookup_host((host, port)).await? {
        match TcpStream::connect(address).await {
            Ok(stream) => return Socket::new(stream),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the name has no address")))
}

/// A TCP stream that acknowledges at once what it reads.
///
/// Reference servers leave Nagle's algorithm on: two lines close together, the echo of our move
/// and a fast reply, would stall for some 40 ms in delayed acknowledgement, at our cost.
#[derive(Debug)]
pub(super) struct Socket(TcpStream);

impl Socket {
    /// Takes a connected stream.
    pub(super) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        let keep_alive =
            TcpKeepalive::new().with_time(KEEP_ALIVE_AFTER).with_interval(KEEP_ALIVE_INTERVAL);
        if let Err(error) = SockRef::from(&stream).set_tcp_keepalive(&keep_alive) {
            tracing::warn!(%error, "no TCP keep-alive");
        }
        let socket = Self(stream);
        socket.acknowledge_at_once();
        Ok(socket)
    }

    /// The system forgets this wish, so it is renewed after each read.
    fn acknowledge_at_once(&self) {
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
            self.acknowledge_at_once();
        }
        done
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

/// Name resolution and all addresses together.
const CONNECT_LIMIT: Duration = Duration::from_secs(15);

/// A line that cannot be written for so long means a peer that is gone.
const WRITE_LIMIT: Duration = Duration::from_secs(30);

/// What has arrived on a broken connection is read at once.
const LAST_LINES_LIMIT: Duration = Duration::from_secs(2);

const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// TCP's own probing, besides the protocol's blank lines.
const KEEP_ALIVE_AFTER: Duration = Duration::from_secs(60);
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, duplex};

    use super::*;

    #[tokio::test]
    async fn lines_come_one_by_one_and_the_end_is_told() {
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
    async fn what_was_said_before_the_line_broke_is_still_heard() {
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

    #[tokio::test]
    async fn nobody_listening_is_an_error() {
        let free = {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            listener.local_addr().unwrap().port()
        };
        let error = connect("127.0.0.1", free).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
    }
}
