//! Ctrl-C and SIGTERM, turned into two tokens.

use std::{
    fmt,
    io::{self, Write},
};

use tokio_util::sync::CancellationToken;

/// How the user asks what is running to end.
///
/// The first signal cancels [`Signals::finish`], the second [`Signals::leave`]; one more ends the process on the
/// spot. Ctrl-C and SIGTERM count alike, in any order.
#[derive(Debug, Clone)]
pub(crate) struct Signals {
    scope: SignalScope,
    /// Finish what is begun, then end.
    pub(crate) finish: CancellationToken,
    /// Give up what is begun.
    pub(crate) leave: CancellationToken,
}

/// What the signals are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignalScope {
    /// The game that the client plays.
    Game,
    /// Games among players of this machine, or guests of the server.
    Games,
    /// Files, one after the other.
    Files,
    /// A computation that can be stopped at any time. Nothing is lost, so a second signal ends the
    /// process.
    Work,
}

impl SignalScope {
    /// The message after the first signal.
    const fn first(self) -> &'static str {
        match self {
            Self::Game => "finishing the game; a second signal resigns and leaves",
            Self::Games => "finishing the running games; a second signal abandons them",
            Self::Files => "stopping after this file; a second signal stops in it",
            Self::Work => "stopping; a second signal ends at once",
        }
    }

    /// The message after the second signal, if it does not end the process.
    const fn second(self) -> Option<&'static str> {
        match self {
            Self::Game => Some("resigning and leaving"),
            Self::Games => Some("abandoning the running games"),
            Self::Files => Some("stopping in this file"),
            Self::Work => None,
        }
    }
}

impl Signals {
    /// Listens from now on. Call it inside the network runtime.
    ///
    /// # Errors
    /// The system refuses a signal handler.
    pub(crate) fn listen(scope: SignalScope) -> io::Result<Self> {
        let signals = Self::new(scope);
        let mut source = Source::new()?;
        let heard = signals.clone();
        tokio::spawn(async move {
            loop {
                let asked = source.next().await;
                if !heard.asked(asked) {
                    crate::terminal::restore();
                    let _ = writeln!(io::stderr(), "kyomi: ended at once");
                    std::process::exit(1);
                }
            }
        });
        Ok(signals)
    }

    fn new(scope: SignalScope) -> Self {
        Self { scope, finish: CancellationToken::new(), leave: CancellationToken::new() }
    }

    /// Whether there is still something to ask for.
    fn asked(&self, asked: Asked) -> bool {
        if !self.finish.is_cancelled() {
            tracing::warn!("{asked}: {}", self.scope.first());
            self.finish.cancel();
            return true;
        }
        match self.scope.second() {
            Some(words) if !self.leave.is_cancelled() => {
                tracing::warn!("second {asked}: {words}");
                self.leave.cancel();
                true
            }
            _ => false,
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
                let signals = Signals::new(SignalScope::Game);
                assert!(signals.asked(first));
                assert!(signals.finish.is_cancelled() && !signals.leave.is_cancelled(), "{first}");
                assert!(signals.asked(second) && signals.leave.is_cancelled(), "{first}, {second}");
                assert!(!signals.asked(first), "a third one ends the process");
            }
        }
    }

    #[test]
    fn a_second_signal_ends_work_in_which_nothing_is_left_to_give_up() {
        let signals = Signals::new(SignalScope::Work);
        assert!(signals.asked(Asked::Interrupt) && signals.finish.is_cancelled());
        assert!(!signals.asked(Asked::Terminate) && !signals.leave.is_cancelled());
    }
}
