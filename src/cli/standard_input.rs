//! Standard input whose reading Ctrl-C can interrupt.

use std::io::{self, Read};

use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;

use super::NetworkRuntime;

/// Standard input, read until it ends or a stop is requested.
pub(crate) struct StandardInput<'a> {
    runtime: &'a NetworkRuntime,
    input: tokio::io::Stdin,
    stop: CancellationToken,
}

impl<'a> StandardInput<'a> {
    /// Creates the reader. Reads nothing until the first call of `read`.
    pub(crate) fn new(runtime: &'a NetworkRuntime, stop: CancellationToken) -> Self {
        Self { runtime, input: tokio::io::stdin(), stop }
    }
}

impl Read for StandardInput<'_> {
    /// # Errors
    /// The operating system's error, and one of kind [`io::ErrorKind::Other`] after `stop`.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (input, stop) = (&mut self.input, &self.stop);
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                () = stop.cancelled() => Err(io::Error::other("interrupted")),
                read = input.read(buffer) => read,
            }
        })
    }
}
