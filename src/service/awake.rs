//! Keeps the machine from going to sleep while a game runs.

use std::{collections::HashSet, process::Stdio};

use tokio::process::{Child, Command};

use crate::watch::{MergedReports, Report};

/// Keeps the machine awake while one of these clients plays, until the reports end. Uses a program of the system
/// (`systemd-inhibit`, `caffeinate`); without one it does nothing.
pub async fn keep_awake(reports: MergedReports) {
    if let Some(command) = system_command() {
        follow(reports, command).await;
    }
}

/// The command that keeps this system awake while its child, `cat`, runs. `cat` ends with this process, even if this
/// process is killed, because its standard input is closed then.
fn system_command() -> Option<&'static [&'static str]> {
    if cfg!(target_os = "linux") {
        Some(&[
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
    let mut running: HashSet<(usize, u64)> = HashSet::new();
    let mut lock: Option<Lock> = None;
    while let Some((client, report)) = reports.next().await {
        match report {
            Report::GameStarted { number, .. } => {
                running.insert((client, number));
            }
            Report::GameEnded { number, .. } => {
                running.remove(&(client, number));
            }
            Report::Snapshot { snapshot, .. } => {
                running.retain(|(other, _)| *other != client);
                let games = snapshot.games.iter().filter(|game| game.end.is_none());
                running.extend(games.map(|game| (client, game.number)));
            }
            _ => continue,
        }
        if running.is_empty() {
            lock = None;
        } else if lock.is_none() {
            match Lock::take(command) {
                Ok(taken) => lock = Some(taken),
                Err(error) => {
                    tracing::debug!(program = command.first(), %error, "the machine may go to sleep");
                    return;
                }
            }
        }
    }
}

/// The running program. When it is dropped, its standard input is closed, and it ends.
struct Lock {
    _child: Child,
}

impl Lock {
    fn take(command: &[&str]) -> std::io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
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
        Ok(Self { _child: command.spawn()? })
    }
}

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
        let path = std::env::temp_dir().join(format!("kyomi-awake-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
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
        std::fs::remove_file(&path).unwrap();
    }

    #[tokio::test]
    async fn a_system_without_the_program_is_no_error() {
        let watchers = Watchers::new();
        let reports = MergedReports::new([watchers.subscribe()]);
        watchers.report(started(1, "b"));
        follow(reports, &["/nonexistent/kyomi-awake"]).await;
    }
}
