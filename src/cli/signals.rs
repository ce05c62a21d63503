//! Ctrl-C and SIGTERM, turned into two tokens.

use std::{
    fmt,
    io::{self, Write},
};

use tokio_util::sync::CancellationToken;

/// How the user asks a running game to end.
///
/// The first signal cancels [`Signals::finish`], the second [`Signals::leave`]; one more ends the process on the
/// spot. Ctrl-C and SIGTERM count alike, in any order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Signals {
    words: Words,
    /// Finish the running game, log out, end.
    pub(crate) finish: CancellationToken,
    /// Resign and leave.
    pub(crate) leave: CancellationToken,
}

/// What the user reads when a signal was heard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words {
    /// After the first.
    pub(crate) first: &'static str,
    /// After the second.
    pub(crate) second: &'static str,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            first: "finishing the game; a second signal resigns and leaves",
            second: "resigning and leaving",
        }
    }
}

impl Signals {
    /// Listens from now on. Call it inside the network runtime.
    ///
    /// # Errors
    /// The system refuses a signal handler.
    pub(crate) fn listen() -> io::Result<Self> {
        Self::listen_with(Words::default())
    }

    /// The same, with other words.
    ///
    /// # Errors
    /// As [`listen`](Self::listen).
    pub(crate) fn listen_with(words: Words) -> io::Result<Self> {
        let signals = Self { words, ..Self::default() };
        let mut source = Source::new()?;
        let heard = signals.clone();
        tokio::spawn(async move {
            loop {
                heard.asked(source.next().await);
            }
        });
        Ok(signals)
    }

    fn asked(&self, asked: Asked) {
        if self.leave.is_cancelled() {
            crate::terminal::restore();
            let _ = writeln!(io::stderr(), "kyomi: ended at once");
            std::process::exit(1);
        } else if self.finish.is_cancelled() {
            tracing::warn!("second {asked}: {}", self.words.second);
            self.leave.cancel();
        } else {
            tracing::warn!("{asked}: {}", self.words.first);
            self.finish.cancel();
        }
    }
}

/// A signal.
#[derive(Debug, Clone, Copy)]
enum Asked {
    Interrupt,
    #[cfg_attr(not(unix), allow(dead_code, reason = "there is no SIGTERM"))]
    Terminate,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interrupt => "interrupt",
            Self::Terminate => "signal to terminate",
        })
    }
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
    fn the_first_signal_finishes_and_the_second_leaves_whatever_they_are() {
        use Asked::{Interrupt, Terminate};
        for first in [Interrupt, Terminate] {
            for second in [Interrupt, Terminate] {
                let signals = Signals::default();
                signals.asked(first);
                assert!(signals.finish.is_cancelled() && !signals.leave.is_cancelled(), "{first}");
                signals.asked(second);
                assert!(signals.leave.is_cancelled(), "{first}, {second}");
            }
        }
    }
}
