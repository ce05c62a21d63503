//! One connection: passes lines from the peer to the hub and from the hub to the peer.
//!
//! The resources of a peer are bounded: one incomplete line (the codec's limit), [`UNREAD_LINES`] read and not
//! yet handled (the peer is not read until they are), a queue of lines to be written (the hub drops a peer whose
//! queue is full, see [`Waiting`]), and the time for each write.

use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use futures_util::StreamExt;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;
use tokio_util::codec::{Encoder, FramedRead};
use tokio_util::sync::CancellationToken;

use kyomi_csa::server::{ClientId, PeerLimits};
use kyomi_csa::{Line, LineCodec};

use super::waiting::Waiting;

/// An event that a connection reports to the hub.
#[derive(Debug)]
pub(super) enum Event {
    /// The connection is open.
    Connected(ClientId, Option<IpAddr>, Outbox),
    /// A line arrived. The permit is released when the line has been handled.
    Line(ClientId, Line, Instant, OwnedSemaphorePermit),
    /// The connection is closed.
    Gone(ClientId),
}

/// The hub's end of a connection.
#[derive(Debug)]
pub(super) struct Outbox {
    lines: mpsc::Sender<Outgoing>,
    waiting: Arc<Waiting>,
    /// Ends the connection immediately.
    kill: CancellationToken,
}

/// An item of the queue to be sent.
#[derive(Debug)]
enum Outgoing {
    /// Lines as they are written.
    Lines(BytesMut),
    Close,
}

impl Outbox {
    /// Queues lines that belong together. Returns false if the queue is full or the connection is closed.
    pub(super) fn send(&self, lines: &[String]) -> bool {
        let mut bytes = BytesMut::with_capacity(size_of_lines(lines));
        let mut codec = LineCodec::new();
        lines.iter().all(|line| codec.encode(line.as_str(), &mut bytes).is_ok())
            && self.waiting.add(bytes.len())
            && self.lines.try_send(Outgoing::Lines(bytes)).is_ok()
    }

    /// Closes the connection after all queued lines are sent.
    pub(super) fn close(&self) {
        if self.lines.try_send(Outgoing::Close).is_err() {
            self.kill.cancel();
        }
    }

    /// Closes the connection immediately.
    pub(super) fn kill(&self) {
        self.kill.cancel();
    }
}

/// Serves a connection over any stream; `after_read` is called after each read.
pub(super) async fn serve<R, W>(
    id: ClientId,
    address: Option<IpAddr>,
    (reader, writer): (R, W),
    after_read: impl Fn(&R),
    hub: mpsc::Sender<Event>,
    (limits, all_waiting): (PeerLimits, Arc<AtomicUsize>),
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let kill = CancellationToken::new();
    let (lines, queue) = mpsc::channel(limits.queued_lines.max(LEAST_QUEUE));
    let waiting = Arc::new(Waiting::new(all_waiting, limits));
    let outbox = Outbox { lines, waiting: Arc::clone(&waiting), kill: kill.clone() };
    if hub.send(Event::Connected(id, address, outbox)).await.is_err() {
        return;
    }
    {
        let mut read = pin!(read_lines(id, reader, after_read, &hub, limits.line_bytes + 1));
        let mut write = pin!(write_lines(writer, (queue, waiting), limits.write_time));
        let both = async {
            tokio::select! {
                // The peer has closed its side: it loses a running game now, and may still read
                // the result.
                () = &mut read => {
                    if hub.send(Event::Gone(id)).await.is_ok() {
                        let _ = timeout(LINGER, &mut write).await;
                    }
                }
                // The hub has closed the connection. Closing a socket with unread bytes would reset
                // it, and the peer might lose our last lines.
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
    // A second `Gone` has no effect.
    let _ = hub.send(Event::Gone(id)).await;
}

async fn read_lines<R: AsyncRead + Unpin>(
    id: ClientId,
    reader: R,
    after_read: impl Fn(&R),
    hub: &mpsc::Sender<Event>,
    longest: usize,
) {
    let unread = Arc::new(Semaphore::new(UNREAD_LINES));
    let mut lines = FramedRead::new(reader, LineCodec::with_longest(longest));
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

/// The number of bytes of these lines with their line breaks.
fn size_of_lines(lines: &[String]) -> usize {
    lines.iter().map(|line| line.len() + 1).sum()
}

async fn write_lines<W: AsyncWrite + Unpin>(
    mut writer: W,
    (mut queue, waiting): (mpsc::Receiver<Outgoing>, Arc<Waiting>),
    limit: Duration,
) {
    let mut buffer = BytesMut::new();
    let mut open = true;
    while open {
        let mut next = queue.recv().await;
        // All queued lines are sent in one write.
        loop {
            match next {
                Some(Outgoing::Lines(lines)) => {
                    waiting.remove(lines.len());
                    buffer.extend_from_slice(&lines);
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
        match timeout(limit, writer.write_all(&buffer)).await {
            Ok(Ok(())) => buffer.clear(),
            Ok(Err(_)) | Err(_) => return,
        }
        if timeout(limit, writer.flush()).await.is_err() {
            return;
        }
    }
    let _ = timeout(limit, writer.shutdown()).await;
}

/// Sets the options of a new socket: small packets are sent immediately, dead peers are detected.
pub(super) fn set_up(stream: &TcpStream) {
    let socket = socket2::SockRef::from(stream);
    let keep_alive = socket2::TcpKeepalive::new().with_time(Duration::from_secs(60));
    #[cfg(any(target_os = "linux", target_os = "macos", windows))]
    let keep_alive = keep_alive.with_interval(Duration::from_secs(10));
    let done = stream.set_nodelay(true).and_then(|()| socket.set_tcp_keepalive(&keep_alive));
    #[cfg(target_os = "linux")]
    let done = done.and_then(|()| socket.set_tcp_user_timeout(Some(Duration::from_secs(90))));
    // Limits the memory that the system uses for a peer that does not read.
    let done = done.and_then(|()| socket.set_send_buffer_size(SEND_BUFFER));
    if let Err(error) = done {
        tracing::debug!(%error, "socket options");
    }
    acknowledge_at_once(stream);
}

/// Requests immediate acknowledgement. Linux resets this option, so it is set after each read: a peer without
/// `TCP_NODELAY` waits for our acknowledgement before it sends its second line.
pub(super) fn acknowledge_at_once(stream: &TcpStream) {
    #[cfg(target_os = "linux")]
    if let Err(error) = socket2::SockRef::from(stream).set_tcp_quickack(true) {
        tracing::trace!(%error, "quick acknowledgement");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = stream;
}

/// Maximum number of lines of one peer that wait to be handled. The peer is not read until then, so that it
/// cannot crowd out the others.
const UNREAD_LINES: usize = 16;

/// Minimum length of the queue. An offer has about 40 lines, which are queued at once.
const LEAST_QUEUE: usize = 64;

const SEND_BUFFER: usize = 128 * 1024;

/// Number of bytes after which queued lines are written.
const WRITE_AT_ONCE: usize = 16 * 1024;

/// How long a connection stays open for its last lines.
const LINGER: Duration = Duration::from_secs(2);
