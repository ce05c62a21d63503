//! Ctrl-C and SIGTERM, turned into two tokens.

use std::io::{self, Write};

use tokio_util::sync::CancellationToken;

/// How the user asks a running game to end.
///
/// The first Ctrl-C, or SIGTERM, cancels [`Signals::finish`]; a Ctrl-C after that cancels
/// [`Signals::leave`]; one more ends the process on the spot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    /// Finish the running game, log out, end.
    pub(crate) finish: CancellationToken,
    /// Resign and leave.
    pub(crate) leave: CancellationToken,
}

impl Signals {
    /// Listens from now on. Call it inside the network runtime.
    ///
    /// # Errors
    /// The system refuses a signal handler.
    pub(crate) fn listen() -> io::Result<Self> {
        let signals = Self::default();
        let mut source = Source::new()?;
        let heard = signals.clone();
        tokio::spawn(async move {
            loop {
                match source.next().await {
                    Asked::Interrupt => heard.interrupt(),
                    Asked::Terminate => heard.terminate(),
                }
            }
        });
        Ok(signals)
    }

    fn interrupt(&self) {
        if self.leave.is_cancelled() {
            crate::terminal::restore();
            let _ = writeln!(io::stderr(), "kyomi: ended at once");
            std::process::exit(1);
        } else if self.finish.is_cancelled() {
            tracing::warn!("second interrupt: resigning and leaving");
            self.leave.cancel();
        } else {
            tracing::warn!("interrupt: finishing the game; once more to resign and leave");
            self.finish.cancel();
        }
    }

    fn terminate(&self) {
        tracing::warn!("asked to terminate: finishing the game");
        self.finish.cancel();
    }
}

enum Asked {
    Interrupt,
    Terminate,
}

#[cfg(unix)]
struct Source {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Source {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.interrupt.recv() => Asked::Interrupt,
            _ = self.terminate.recv() => Asked::Terminate,
        }
    }
}

#[cfg(not(unix))]
struct Source;

#[cfg(not(unix))]
impl Source {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Asked {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Asked::Interrupt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_interrupt_finishes_and_second_leaves() {
        let signals = Signals::default();
        signals.interrupt();
        assert!(signals.finish.is_cancelled() && !signals.leave.is_cancelled());
        signals.interrupt();
        assert!(signals.leave.is_cancelled());
    }

    #[test]
    fn termination_finishes_however_often_it_comes() {
        let signals = Signals::default();
        signals.terminate();
        signals.terminate();
        assert!(signals.finish.is_cancelled() && !signals.leave.is_cancelled());
    }
}
