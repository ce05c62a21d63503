//! Notifications to the service manager.

use std::{
    convert::Infallible,
    ffi::{OsStr, OsString},
    io,
    pin::pin,
    time::Duration,
};

use futures_util::future::OptionFuture;
use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::watch::MergedReports;

use super::{notify_socket::NotifySocket, progress::Phases};

/// The service manager that has started the program, if one has: systemd, or another that speaks `sd_notify(3)`.
#[derive(Debug)]
pub struct ServiceManager {
    socket: Option<NotifySocket>,
    /// The interval at which it expects `WATCHDOG=1`.
    watchdog: Option<Duration>,
}

/// `NOTIFY_SOCKET` names no socket.
#[derive(Debug, thiserror::Error)]
#[error("NOTIFY_SOCKET {}: {source}; the service manager is not told what happens", name.display())]
pub struct ServiceManagerError {
    name: OsString,
    source: io::Error,
}

impl ServiceManager {
    /// No service manager.
    pub const fn none() -> Self {
        Self { socket: None, watchdog: None }
    }

    /// The one that `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID` name; none if there is no `NOTIFY_SOCKET`.
    ///
    /// # Errors
    /// The socket cannot be used.
    pub fn from_environment(
        environment: &[(OsString, OsString)],
    ) -> Result<Self, ServiceManagerError> {
        let value = |name: &str| {
            let found = environment.iter().find(|(key, _)| key == OsStr::new(name));
            found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
        };
        let Some(name) = value("NOTIFY_SOCKET") else { return Ok(Self::none()) };
        let socket = NotifySocket::connect(name)
            .map_err(|source| ServiceManagerError { name: name.to_owned(), source })?;
        let number = |name| value(name)?.to_str()?.parse::<u64>().ok();
        // A child process inherits the variables of its parent.
        let is_for_this_process = value("WATCHDOG_PID").is_none()
            || number("WATCHDOG_PID") == Some(u64::from(std::process::id()));
        let limit = number("WATCHDOG_USEC").filter(|limit| *limit > 1 && is_for_this_process);
        Ok(Self { socket: Some(socket), watchdog: limit.map(|us| Duration::from_micros(us / 2)) })
    }

    /// Runs `work` to its end, and notifies the service manager: `READY=1` when `progress` is ready, the phase as
    /// `STATUS=`, `WATCHDOG=1` at half of the time limit, `STOPPING=1` when `stopping` is cancelled or the work is
    /// done.
    ///
    /// All of it runs in the task of `work`, so `WATCHDOG=1` shows that this task is not stuck. It is sent only after
    /// another task has run, so it also shows that the runtime has a free thread.
    pub async fn run_notified<T>(
        &self,
        work: impl Future<Output = T>,
        progress: Phases,
        reports: MergedReports,
        stopping: CancellationToken,
    ) -> T {
        let Some(socket) = &self.socket else {
            drop(reports);
            return work.await;
        };
        let mut state =
            NotifiedState { socket, progress, ready: false, status: None, stopping: Stopping::No };
        let done = {
            let mut work = pin!(work);
            tokio::select! {
                done = &mut work => done,
                never = state.keep_notified(reports, stopping, self.watchdog) => match never {},
            }
        };
        if state.stopping == Stopping::No {
            state.stopping = Stopping::Pending;
        }
        state.send_changes();
        done
    }
}

/// The state that the service manager knows, and the current phases.
struct NotifiedState<'a> {
    socket: &'a NotifySocket,
    progress: Phases,
    ready: bool,
    status: Option<String>,
    stopping: Stopping,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stopping {
    No,
    Pending,
    Sent,
}

impl NotifiedState<'_> {
    async fn keep_notified(
        &mut self,
        mut reports: MergedReports,
        stopping: CancellationToken,
        watchdog: Option<Duration>,
    ) -> Infallible {
        let mut alive = watchdog.map(ticks);
        let mut retry = ticks(RETRY_INTERVAL);
        let mut reports_end = false;
        self.send_changes();
        loop {
            tokio::select! {
                report = reports.next(), if !reports_end => match report {
                    Some((number, report)) => {
                        self.progress.take(number, &report);
                        self.send_changes();
                    }
                    None => reports_end = true,
                },
                () = stopping.cancelled(), if self.stopping == Stopping::No => {
                    self.stopping = Stopping::Pending;
                    self.send_changes();
                }
                // Sends again what failed because the queue of the receiver was full.
                _ = retry.tick() => self.send_changes(),
                Some(_) = OptionFuture::from(alive.as_mut().map(Interval::tick)) => {
                    if tokio::spawn(async {}).await.is_ok() {
                        self.send("WATCHDOG=1");
                    }
                }
            }
        }
    }

    /// Sends what has changed.
    fn send_changes(&mut self) {
        if !self.ready && self.progress.is_ready() {
            self.ready = self.send("READY=1");
        }
        let status = self.progress.status();
        if self.status.as_ref() != Some(&status) && self.send(&format!("STATUS={status}")) {
            self.status = Some(status);
        }
        if self.stopping == Stopping::Pending && self.send("STOPPING=1") {
            self.stopping = Stopping::Sent;
        }
    }

    /// Returns whether the message was sent.
    fn send(&self, message: &str) -> bool {
        let sent = self.socket.send(message);
        if let Err(error) = &sent {
            tracing::debug!(message, "the service manager was not notified: {error}");
        }
        sent.is_ok()
    }
}

fn ticks(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// The interval at which failed notifications are sent again.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

#[cfg(test)]
#[cfg(unix)]
mod tests;
