//! Keeps the machine from going to sleep while a game runs.

use std::{collections::HashMap, process::Stdio, time::Duration};

use futures_util::future::OptionFuture;
use tokio::{
    io::AsyncReadExt as _,
    process::{Child, ChildStdin, Command},
    time::timeout,
};

use crate::watch::{MergedReports, Snapshot};
use kyomi_csa::text::printable;

/// Keeps the machine awake while one of these clients plays, until the reports end. Uses a program of the system
/// (`systemd-inhibit`, `caffeinate`); without one it does nothing. If the program ends by itself, as when the system
/// refuses, there is one warning.
pub async fn keep_awake(reports: MergedReports) {
    if let Some(command) = system_command() {
        follow(reports, command).await;
    }
}

/// Tries for a moment to keep the machine awake, for `kyomi check`; `None` if there is no program for it.
///
/// # Errors
/// Why it is not possible.
pub async fn awake_now() -> Option<Result<(), String>> {
    try_command(system_command()?).await
}

async fn try_command(command: &[&str]) -> Option<Result<(), String>> {
    let mut lock = match Lock::take(command) {
        Ok(lock) => lock,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return Some(Err(error.to_string())),
    };
    // A program that is refused ends at once.
    Some(match timeout(TRIAL, lock.ended()).await {
        Ok(reason) => Err(reason),
        Err(_) => Ok(()),
    })
}

/// The command that keeps this system awake while its child, `cat`, runs. `cat` ends with this process, even if this
/// process is killed, because its standard input is closed then.
fn system_command() -> Option<&'static [&'static str]> {
    if cfg!(target_os = "linux") {
        // Without a running systemd nobody would listen to its program.
        std::path::Path::new("/run/systemd/system").exists().then_some(&[
            "systemd-inhibit",
            "--what=idle:sleep",
            "--who=kyomi",
            "--why=a game is running",
            "--mode=block",
            "cat",
        ])
    } else if cfg!(target_os = "macos") {
        Some(&["caffeinate", "-i", "cat"])
    } else {
        None
    }
}

async fn follow(mut reports: MergedReports, command: &[&str]) {
    let mut clients: HashMap<usize, Snapshot> = HashMap::new();
    let mut lock: Option<Lock> = None;
    loop {
        let next = tokio::select! {
            next = reports.next() => next,
            Some(reason) = OptionFuture::from(lock.as_mut().map(Lock::ended)) => {
                tracing::warn!("the machine may go to sleep in a game: {reason}");
                return;
            }
        };
        let Some((client, report)) = next else { return };
        clients.entry(client).or_default().apply(&report);
        if clients.values().all(|client| client.running().is_none()) {
            lock = None;
        } else if lock.is_none() {
            match Lock::take(command) {
                Ok(taken) => lock = Some(taken),
                Err(error) => {
                    tracing::info!(program = command.first(), %error, "the machine may go to sleep in a game");
                    return;
                }
            }
        }
    }
}

/// The running program. When it is dropped, its standard input is closed, and it ends.
struct Lock {
    program: String,
    child: Child,
    /// Apart from `child`, which would close it while we wait for its end.
    _stdin: Option<ChildStdin>,
}

impl Lock {
    fn take(command: &[&str]) -> std::io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .env_clear();
        // The program needs only the variables that locate programs and the system bus.
        for name in ["PATH", "DBUS_SYSTEM_BUS_ADDRESS", "XDG_RUNTIME_DIR"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        // A Ctrl-C in our terminal must not end it, since the running game is finished first.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        Ok(Self { program: (*program).to_owned(), child, _stdin: stdin })
    }

    /// Waits until the program ends by itself, and returns why. Cancel-safe.
    async fn ended(&mut self) -> String {
        let status = self.child.wait().await;
        let mut said = String::new();
        if let Some(stderr) = &mut self.child.stderr {
            let _ = timeout(TRIAL, stderr.take(MOST_WORDS).read_to_string(&mut said)).await;
        }
        let said = said.lines().next().map(|line| format!(": {}", printable(line)));
        let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        format!("{} ended ({status}){}", self.program, said.unwrap_or_default())
    }
}

/// A program that the system refuses ends within this time.
const TRIAL: Duration = Duration::from_millis(500);

/// The most that is read of the program's message, in bytes.
const MOST_WORDS: u64 = 1000;

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::time::Duration;

    use super::super::test_reports::{ended, started};
    use super::*;
    use crate::watch::Watchers;

    /// Waits until the program has written these lines.
    async fn until(path: &std::path::Path, text: &str) {
        while std::fs::read_to_string(path).unwrap_or_default() != text {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn the_lock_is_held_while_any_client_plays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("states");
        let script = format!("echo on >> {0}; cat; echo off >> {0}", path.display());
        let watchers = [Watchers::new(), Watchers::new()];
        let reports = MergedReports::new(watchers.iter().map(Watchers::subscribe));
        let following = tokio::spawn(async move { follow(reports, &["sh", "-c", &script]).await });
        watchers[0].report(started(1, "b"));
        until(&path, "on\n").await;
        watchers[0].report(started(2, "b"));
        watchers[0].report(ended(1));
        watchers[0].report(ended(2));
        until(&path, "on\noff\n").await;
        watchers[1].report(started(1, "b"));
        until(&path, "on\noff\non\n").await;
        drop(watchers);
        following.await.unwrap();
        until(&path, "on\noff\non\noff\n").await;
    }

    #[tokio::test]
    async fn a_system_without_the_program_is_no_error() {
        let watchers = Watchers::new();
        let reports = MergedReports::new([watchers.subscribe()]);
        watchers.report(started(1, "b"));
        follow(reports, &["/nonexistent/kyomi-awake"]).await;
    }

    #[tokio::test]
    async fn a_program_that_is_refused_is_noticed() {
        let watchers = Watchers::new();
        let reports = MergedReports::new([watchers.subscribe()]);
        watchers.report(started(1, "b"));
        let refused = ["sh", "-c", "echo 'Access denied' >&2; exit 1"];
        // It returns although the reports go on.
        follow(reports, &refused).await;
        let said = try_command(&refused).await;
        assert_eq!(said, Some(Err("sh ended (exit status: 1): Access denied".to_owned())));
        assert_eq!(try_command(&["sh", "-c", "cat"]).await, Some(Ok(())));
        assert_eq!(try_command(&["/nonexistent/kyomi-awake"]).await, None);
    }
}
