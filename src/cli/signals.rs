//! Turns Ctrl-C, SIGTERM and, for the client, SIGHUP into two cancellation tokens.

use std::{fmt, io};

#[cfg(unix)]
use futures_util::future::OptionFuture;
use tokio_util::sync::CancellationToken;

use crate::terminal::{self, speech};

/// The user's requests to end the work.
///
/// The first signal cancels [`Signals::finish`], the second [`Signals::abandon`], and a further one ends the process at
/// once. Ctrl-C and SIGTERM count alike, in any order.
///
/// In [`SignalScope::Game`] a lost terminal (SIGHUP) finishes the game, however often it is reported: it never resigns.
/// A client that was started with SIGHUP ignored, as by `nohup`, plays on. Other work ends as the system decides.
#[derive(Debug, Clone)]
pub struct Signals {
    scope: SignalScope,
    /// Requests to finish the current work, then end.
    pub finish: CancellationToken,
    /// Requests to abandon the current work.
    pub abandon: CancellationToken,
}

/// The kind of work that signals end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalScope {
    /// The game that the client plays.
    Game,
    /// Games of several players on this machine or on our server.
    Games,
    /// Jobs that workers do.
    #[cfg(feature = "cluster")]
    Jobs,
    /// Files, one after the other.
    Files,
    /// A computation that can be stopped at any time without loss, so a second signal ends the process.
    Work,
    /// A view of another process.
    Watching,
}

impl SignalScope {
    /// The message after the first signal.
    const fn first(self) -> &'static str {
        match self {
            Self::Game => "finishing the game, if one runs; a second signal resigns and leaves",
            Self::Games => "finishing the running games; a second signal abandons them",
            #[cfg(feature = "cluster")]
            Self::Jobs => "taking back what nobody has begun; the same command goes on",
            Self::Files => "stopping after this file; a second signal stops in it",
            Self::Watching => "the client plays on",
            Self::Work => "stopping; a second signal ends at once",
        }
    }

    /// The message after the second signal, if it does not end the process.
    const fn second(self) -> Option<&'static str> {
        match self {
            Self::Game => Some("resigning and leaving"),
            Self::Games => Some("abandoning the running games"),
            Self::Files => Some("stopping in this file"),
            #[cfg(feature = "cluster")]
            Self::Jobs => None,
            Self::Work | Self::Watching => None,
        }
    }
}

impl Signals {
    /// Starts to listen for signals. Must be called inside the network runtime.
    ///
    /// # Errors
    /// The system refuses a signal handler.
    pub fn listen(scope: SignalScope) -> io::Result<Self> {
        let signals = Self::new(scope);
        let mut source = SignalSource::new(scope)?;
        let received = signals.clone();
        tokio::spawn(async move {
            loop {
                let kind = source.next().await;
                if !received.receive(kind) {
                    terminal::restore();
                    speech::say("kyomi: ended at once");
                    std::process::exit(1);
                }
            }
        });
        Ok(signals)
    }

    fn new(scope: SignalScope) -> Self {
        Self { scope, finish: CancellationToken::new(), abandon: CancellationToken::new() }
    }

    /// Handles a signal. Returns false if the process must end at once.
    fn receive(&self, kind: SignalKind) -> bool {
        if matches!(kind, SignalKind::Hangup) && self.finish.is_cancelled() {
            return true;
        }
        if !self.finish.is_cancelled() {
            tracing::warn!("{kind}: {}", self.scope.first());
            self.finish.cancel();
            return true;
        }
        match self.scope.second() {
            Some(words) if !self.abandon.is_cancelled() => {
                tracing::warn!("second {kind}: {words}");
                self.abandon.cancel();
                true
            }
            _ => false,
        }
    }
}

/// The kind of a signal.
#[derive(Debug, Clone, Copy)]
enum SignalKind {
    Interrupt,
    #[cfg_attr(not(unix), allow(dead_code, reason = "there is no SIGTERM"))]
    Terminate,
    #[cfg_attr(not(unix), allow(dead_code, reason = "there is no SIGHUP"))]
    Hangup,
}

impl fmt::Display for SignalKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interrupt => "interrupt",
            Self::Terminate => "signal to terminate",
            Self::Hangup => "the terminal was closed (SIGHUP)",
        })
    }
}

#[cfg(unix)]
struct SignalSource {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// None if the default of the system is kept.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl SignalSource {
    fn new(scope: SignalScope) -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind as UnixSignal, signal};
        let handles_hangup = scope == SignalScope::Game && !ignores_hangup();
        Ok(Self {
            interrupt: signal(UnixSignal::interrupt())?,
            terminate: signal(UnixSignal::terminate())?,
            hangup: handles_hangup.then(|| signal(UnixSignal::hangup())).transpose()?,
        })
    }

    async fn next(&mut self) -> SignalKind {
        tokio::select! {
            _ = self.interrupt.recv() => SignalKind::Interrupt,
            _ = self.terminate.recv() => SignalKind::Terminate,
            Some(_) = OptionFuture::from(self.hangup.as_mut().map(tokio::signal::unix::Signal::recv)) => SignalKind::Hangup,
        }
    }
}

/// Whether this process was started with SIGHUP ignored. Linux only: other systems do not show it in a file.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| is_hangup_ignored(&status))
}

/// Whether the mask of ignored signals in the text of `/proc/self/status` has signal 1.
#[cfg(unix)]
fn is_hangup_ignored(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 == 1)
}

#[cfg(not(unix))]
struct SignalSource;

#[cfg(not(unix))]
impl SignalSource {
    fn new(_scope: SignalScope) -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> SignalKind {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        SignalKind::Interrupt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_signal_finishes_and_the_second_abandons() {
        use SignalKind::{Interrupt, Terminate};
        for first in [Interrupt, Terminate] {
            for second in [Interrupt, Terminate] {
                let signals = Signals::new(SignalScope::Game);
                assert!(signals.receive(first));
                assert!(
                    signals.finish.is_cancelled() && !signals.abandon.is_cancelled(),
                    "{first}"
                );
                assert!(
                    signals.receive(second) && signals.abandon.is_cancelled(),
                    "{first}, {second}"
                );
                assert!(!signals.receive(first), "a third one ends the process");
            }
        }
    }

    #[test]
    fn a_closed_terminal_finishes_the_game_and_never_resigns() {
        let signals = Signals::new(SignalScope::Game);
        for _ in 0..3 {
            assert!(signals.receive(SignalKind::Hangup));
            assert!(signals.finish.is_cancelled() && !signals.abandon.is_cancelled());
        }
        assert!(signals.receive(SignalKind::Terminate) && signals.abandon.is_cancelled());
        assert!(signals.receive(SignalKind::Hangup));
    }

    #[cfg(unix)]
    #[test]
    fn nohup_is_recognized() {
        assert!(is_hangup_ignored("SigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n"));
        assert!(!is_hangup_ignored("SigIgn:\t0000000000001000\nSigCgt:\t0000000000000001\n"));
        assert!(!is_hangup_ignored(""));
    }

    #[test]
    fn a_second_signal_ends_work_in_which_nothing_is_left_to_give_up() {
        let signals = Signals::new(SignalScope::Work);
        assert!(signals.receive(SignalKind::Interrupt) && signals.finish.is_cancelled());
        assert!(!signals.receive(SignalKind::Terminate) && !signals.abandon.is_cancelled());
    }
}
