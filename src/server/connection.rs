//! One connection: lines from the peer to the hub, lines from the hub to the peer.
//!
//! A peer costs a bounded amount of everything: one line in the making (the codec's limit),
//! [`UNREAD_LINES`] read and not yet judged (then it is simply not read any more), a queue of
//! lines to be written (the hub gives up on a peer whose queue is full), and so much time for
//! each write.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use futures_util::StreamExt;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;
use tokio_util::codec::{Encoder, FramedRead};
use tokio_util::sync::CancellationToken;

use crate::csa::{Line, LineCodec};

use super::lobby::ClientId;
use super::settings::PeerLimits;

/// What a connection tells the hub.
#[derive(Debug)]
pub(super) enum Event {
    /// It is there.
    Connected(ClientId, Option<IpAddr>, Outbox),
    /// A line came; the permit is given back when the line has been dealt with.
    Line(ClientId, Line, Instant, OwnedSemaphorePermit),
    /// It is gone.
    Gone(ClientId),
}

/// The hub's end of a connection.
#[derive(Debug)]
pub(super) struct Outbox {
    lines: mpsc::Sender<Outgoing>,
    /// Ends the connection on the spot.
    kill: CancellationToken,
}

/// What waits to be sent.
#[derive(Debug)]
enum Outgoing {
    Line(String),
    Close,
}

impl Outbox {
    /// Queues a line; false if the queue is full, or the connection gone.
    pub(super) fn send(&self, line: String) -> bool {
        self.lines.try_send(Outgoing::Line(line)).is_ok()
    }

    /// Closes the connection when all lines are sent.
    pub(super) fn close(&self) {
        if self.lines.try_send(Outgoing::Close).is_err() {
            self.kill.cancel();
        }
    }

    /// Closes the connection now.
    pub(super) fn kill(&self) {
        self.kill.cancel();
    }
}

/// A connection over any stream; `after_read` is called after each read from it.
pub(super) async fn serve<R, W>(
    id: ClientId,
    address: Option<IpAddr>,
    (reader, writer): (R, W),
    after_read: impl Fn(&R),
    hub: mpsc::Sender<Event>,
    limits: PeerLimits,
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let kill = CancellationToken::new();
    let (lines, queue) = mpsc::channel(limits.queued_lines.max(LEAST_QUEUE));
    let outbox = Outbox { lines, kill: kill.clone() };
    if hub.send(Event::Connected(id, address, outbox)).await.is_err() {
        return;
    }
    {
        let mut read = pin!(read_lines(id, reader, after_read, &hub));
        let mut write = pin!(write_lines(writer, queue, limits.write_time));
        let both = async {
            tokio::select! {
                // The peer is gone or has nothing more to say: it loses a running game now, and
                // may still read how it ended.
                () = &mut read => {
                    if hub.send(Event::Gone(id)).await.is_ok() {
                        let _ = timeout(LINGER, &mut write).await;
                    }
                }
                // We are done with it. Closing a socket with unread bytes would reset it, and the
                // peer might lose our last lines.
                () = &mut write => {
                    let _ = timeout(LINGER, &mut read).await;
                }
            }
        };
        tokio::select! {
            () = both => {}
            () = kill.cancelled() => {}
        }
    }
    // A second time changes nothing.
    let _ = hub.send(Event::Gone(id)).await;
}

async fn read_lines<R: AsyncRead + Unpin>(
    id: ClientId,
    reader: R,
    after_read: impl Fn(&R),
    hub: &mpsc::Sender<Event>,
) {
    let unread = Arc::new(Semaphore::new(UNREAD_LINES));
    let mut lines = FramedRead::new(reader, LineCodec::new());
    loop {
        let Ok(permit) = Arc::clone(&unread).acquire_owned().await else { return };
        let Some(Ok(line)) = lines.next().await else { return };
        let arrived = tokio::time::Instant::now().into_std();
        after_read(lines.get_ref());
        if hub.send(Event::Line(id, line, arrived, permit)).await.is_err() {
            return;
        }
    }
}

async fn write_lines<W: AsyncWrite + Unpin>(
    mut writer: W,
    mut queue: mpsc::Receiver<Outgoing>,
    patience: Duration,
) {
    let mut codec = LineCodec::new();
    let mut buffer = BytesMut::new();
    let mut open = true;
    while open {
        let mut next = queue.recv().await;
        // What has gathered leaves in one write.
        loop {
            match next {
                Some(Outgoing::Line(line)) => {
                    if codec.encode(line, &mut buffer).is_err() {
                        open = false;
                    }
                }
                Some(Outgoing::Close) | None => open = false,
            }
            if !open || buffer.len() >= WRITE_AT_ONCE {
                break;
            }
            match queue.try_recv() {
                Ok(more) => next = Some(more),
                Err(_) => break,
            }
        }
        match timeout(patience, writer.write_all(&buffer)).await {
            Ok(Ok(())) => buffer.clear(),
            Ok(Err(_)) | Err(_) => return,
        }
        if timeout(patience, writer.flush()).await.is_err() {
            return;
        }
    }
    let _ = timeout(patience, writer.shutdown()).await;
}

/// Sets a new socket up: no waiting for company of small packets, dead peers found out.
pub(super) fn set_up(stream: &TcpStream) {
    let socket = socket2::SockRef::from(stream);
    let keep_alive = socket2::TcpKeepalive::new().with_time(Duration::from_secs(60));
    #[cfg(any(target_os = "linux", target_os = "macos", windows))]
    let keep_alive = keep_alive.with_interval(Duration::from_secs(10));
    let done = stream.set_nodelay(true).and_then(|()| socket.set_tcp_keepalive(&keep_alive));
    #[cfg(target_os = "linux")]
    let done = done.and_then(|()| socket.set_tcp_user_timeout(Some(Duration::from_secs(90))));
    if let Err(error) = done {
        tracing::debug!(%error, "socket options");
    }
    acknowledge_at_once(stream);
}

/// Linux falls back to delayed acknowledgements by itself, so this is said after each read: a peer
/// without `TCP_NODELAY` waits for our acknowledgement before its second line leaves.
pub(super) fn acknowledge_at_once(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    if let Err(error) = socket2::SockRef::from(stream).set_tcp_quickack(true) {
        tracing::trace!(%error, "quick acknowledgement");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

/// Lines of one peer that wait to be judged; it is not read while they do, so that nobody can
/// crowd out the others.
const UNREAD_LINES: usize = 16;

/// An offer is some 40 lines, and all of them are queued at once.
const LEAST_QUEUE: usize = 64;

/// Bytes after which gathering ends and writing begins.
const WRITE_AT_ONCE: usize = 16 * 1024;

/// How long a connection is kept for its last lines.
const LINGER: Duration = Duration::from_secs(2);
