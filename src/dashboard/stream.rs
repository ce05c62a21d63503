//! The port of the page, and its connections, which have time limits.
//!
//! The stream of events has a message every few seconds. So if nothing was written on a connection for the time limit,
//! its viewer does not read, is gone, or sends a request too slowly. The bytes of a request do not restart the limit,
//! except its first one; otherwise a viewer that sends a byte now and then would keep its place for ever.

use std::{
    io,
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    time::{Instant, Sleep},
};

use super::places::{Place, Places};

/// The time limits of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// From the start of the connection until its first request is complete.
    pub(super) first_request: Duration,
    /// From then to the answer, from the last byte that was written to the next request, and from its first byte to the
    /// answer.
    pub(super) idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { first_request: Duration::from_secs(10), idle: Duration::from_secs(20) }
    }
}

/// A port with a limited number of connections.
#[derive(Debug)]
pub(super) struct Port {
    listener: TcpListener,
    places: Places,
    limits: Limits,
}

impl Port {
    pub(super) fn new(listener: TcpListener, limits: Limits) -> Self {
        Self { listener, places: Places::default(), limits }
    }

    /// The next connection that has a place.
    pub(super) async fn accept(&mut self) -> LimitedStream {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    let place = match self.places.take(address.ip()) {
                        Ok(place) => place,
                        Err(refusal) => {
                            refusal.tell(address.ip());
                            continue;
                        }
                    };
                    let _ = stream.set_nodelay(true);
                    // Limits the memory that the system uses for a viewer that does not read.
                    let _ = socket2::SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER);
                    return LimitedStream::new(stream, self.limits, place);
                }
                Err(error) => {
                    tracing::debug!(%error, "a viewer was not accepted");
                    tokio::time::sleep(PAUSE_AFTER_ERROR).await;
                }
            }
        }
    }
}

/// The time at which the first request of a connection was complete, once it is.
#[derive(Debug, Clone, Default)]
pub(super) struct FirstRequest(Arc<OnceLock<Instant>>);

impl FirstRequest {
    /// A request is complete. Calls for later ones change nothing.
    pub(super) fn completed(&self) {
        self.0.get_or_init(Instant::now);
    }
}

/// A connection that fails when nothing was written for a time.
#[derive(Debug)]
pub(super) struct LimitedStream {
    stream: TcpStream,
    idle: Duration,
    until: Pin<Box<Sleep>>,
    /// Whether nothing was read since the last byte that was written.
    is_between_requests: bool,
    first_request: FirstRequest,
    _place: Place,
}

impl LimitedStream {
    fn new(stream: TcpStream, limits: Limits, place: Place) -> Self {
        Self {
            stream,
            idle: limits.idle,
            until: Box::pin(tokio::time::sleep(limits.first_request)),
            is_between_requests: false,
            first_request: FirstRequest::default(),
            _place: place,
        }
    }

    /// When the first request was complete.
    pub(super) fn first_request(&self) -> FirstRequest {
        self.first_request.clone()
    }

    /// Restarts the idle limit.
    fn restart(&mut self) {
        let until = Instant::now() + self.idle;
        self.until.as_mut().reset(until);
    }

    /// Bytes are written, so the request before them was complete.
    fn written<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.restart();
            self.is_between_requests = true;
            return polled;
        }
        self.fail_late(context)
    }

    /// Fails if the time limit has passed.
    fn fail_late<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if self.until.as_mut().poll(context).is_pending() {
            return Poll::Pending;
        }
        // After the first answer this time is earlier than the limit that has passed.
        let answer_until = self.first_request.0.get().map(|complete| *complete + self.idle);
        if let Some(until) = answer_until.filter(|until| *until > self.until.deadline()) {
            self.until.as_mut().reset(until);
            if self.until.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
        }
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for LimitedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Also when there are bytes to read: a viewer may send them without end.
        if let Poll::Ready(Err(error)) = self.fail_late::<()>(context) {
            return Poll::Ready(Err(error));
        }
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if polled.is_ready() && std::mem::take(&mut self.is_between_requests) {
            self.restart();
        }
        polled
    }
}

impl AsyncWrite for LimitedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.written(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    // Flushing a socket always succeeds at once, so it does not restart the idle limit.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

const SEND_BUFFER: usize = 128 * 1024;

const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(100);
