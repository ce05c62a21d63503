//! The end of an engine whose kyomi was killed.
//!
//! An engine that is busy, or does not read its input, does not notice that. On Linux each engine therefore has a
//! guard: a process of our own program that waits for the end of its input, which only kyomi holds open, and then kills
//! the engine's process group. When kyomi ends an engine itself, it ends the guard too.

use std::{
    ffi::OsString,
    io::Read as _,
    process::{ExitCode, Stdio},
    sync::atomic::{AtomicBool, Ordering},
};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

/// The guard of one engine; dropping it ends it.
#[derive(Debug)]
pub(super) struct Guard {
    /// Its input ends with us.
    _process: Child,
}

impl Guard {
    /// Starts the guard of this process group. `None` if this program has no guards, or it cannot be started.
    pub(super) fn start(group: Pid) -> Option<Self> {
        // Relaxed: it is set before the first engine is started, and guards no other data.
        if !IS_ENABLED.load(Ordering::Relaxed) {
            return None;
        }
        let mut command = Command::new(OWN_PROGRAM);
        command
            .args([ARGUMENT, &group.as_raw_nonzero().to_string()])
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true);
        let started = command.spawn();
        started
            .inspect_err(|error| tracing::debug!(%error, "the engine has no guard"))
            .ok()
            .map(|process| Self { _process: process })
    }
}

/// Runs as the guard of an engine if the arguments say so. Otherwise returns `None`, and the engines of this process
/// will have guards.
///
/// It is called first in `main`, since a guard is this program too.
pub fn run_as_engine_guard(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.nth(1).is_none_or(|argument| argument != ARGUMENT) {
        IS_ENABLED.store(true, Ordering::Relaxed);
        return None;
    }
    let group = arguments.next().and_then(|id| id.to_str()?.parse().ok()).and_then(Pid::from_raw);
    let Some(group) = group else { return Some(ExitCode::FAILURE) };
    let mut input = std::io::stdin().lock();
    let mut bytes = [0; 64];
    loop {
        match input.read(&mut bytes) {
            Ok(0) => break,
            Err(error) if error.kind() != std::io::ErrorKind::Interrupted => break,
            Ok(_) | Err(_) => {}
        }
    }
    // Fails if no process of the group is left, which is fine.
    let _ = kill_process_group(group, Signal::KILL);
    Some(ExitCode::SUCCESS)
}

static IS_ENABLED: AtomicBool = AtomicBool::new(false);

/// Also after the program's file was replaced by a newer one.
const OWN_PROGRAM: &str = "/proc/self/exe";

/// The first argument of a guard; the second one is the process group.
const ARGUMENT: &str = "__engine-guard";
