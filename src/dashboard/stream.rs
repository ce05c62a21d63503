//! The port of the page, and its connections, which have an idle time limit.
//!
//! The stream of events has a message every few seconds. So if nothing was read or written on a connection for the time
//! limit, its viewer does not read or is gone.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::serve::Listener;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep},
};

/// A port with a limited number of connections.
#[derive(Debug)]
pub(super) struct Port {
    pub(super) listener: TcpListener,
    pub(super) slots: Arc<Semaphore>,
    pub(super) idle: Duration,
}

impl Listener for Port {
    type Io = LimitedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else { continue };
                    let _ = stream.set_nodelay(true);
                    // Limits the memory that the system uses for a viewer that does not read.
                    let _ = socket2::SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER);
                    return (LimitedStream::new(stream, self.idle, slot), address);
                }
                Err(error) => {
                    tracing::debug!(%error, "a viewer was not accepted");
                    tokio::time::sleep(PAUSE_AFTER_ERROR).await;
                }
            }
        }
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A connection that fails when nothing was read or written for a time.
#[derive(Debug)]
pub(super) struct LimitedStream {
    stream: TcpStream,
    idle: Duration,
    until: Pin<Box<Sleep>>,
    _slot: OwnedSemaphorePermit,
}

impl LimitedStream {
    fn new(stream: TcpStream, idle: Duration, slot: OwnedSemaphorePermit) -> Self {
        Self { stream, idle, until: Box::pin(tokio::time::sleep(idle)), _slot: slot }
    }

    /// Passes on the result of a poll. Restarts the idle limit if it is ready, and fails if the limit has passed.
    fn watch<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            let until = Instant::now() + self.idle;
            self.until.as_mut().reset(until);
            return polled;
        }
        match self.until.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for LimitedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.watch(context, polled)
    }
}

impl AsyncWrite for LimitedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.watch(context, polled)
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
