//! The I/O for the [`Driver`]: a child process, its streams and a timer.
//!
//! The engine has its own process group, so that Ctrl-C does not reach it and its child processes end with it. At the
//! end the whole group is killed, and the child is reaped. On Linux a [`Guard`] does so if kyomi itself is killed.

use kyomi_csa::text::{Line, LineCodec};

use std::{
    env,
    ffi::OsString,
    future::pending,
    io,
    path::{self, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use futures_util::{StreamExt, future::OptionFuture};
use tokio::{
    io::{AsyncRead, AsyncWriteExt},
    process::{Child, ChildStdin, Command},
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::codec::FramedRead;

#[cfg(target_os = "linux")]
use super::guard::Guard;
use super::{
    super::{PlayerCommand, PlayerHandle, PlayerPort, pair},
    UsiSpec,
    driver::{Driver, Input, Output},
};

/// Starts the player's task, which then starts the process.
pub(in crate::players) fn start(spec: UsiSpec) -> PlayerHandle {
    let (handle, port) = pair();
    tokio::spawn(run(spec, port));
    handle
}

async fn run(spec: UsiSpec, mut port: PlayerPort) {
    let mut driver = Driver::new(spec.clone());
    let mut process: Option<Process> = None;
    let mut wake: Option<Instant> = None;
    let mut has_quit = false;
    let mut outputs = driver.begin(Instant::now().into_std());
    loop {
        let mut failed = None;
        for output in outputs {
            match output {
                Output::Start => match Process::start(&spec) {
                    Ok(started) => process = Some(started),
                    Err(error) => failed = Some(error),
                },
                Output::Kill => process = None,
                Output::Send(line) => {
                    if let Some(process) = &process {
                        tracing::debug!(%line, "to the engine");
                        process.send(line);
                    }
                }
                Output::Event(event) => port.events.send(event),
                Output::WakeAt(at) => wake = at.map(Instant::from_std),
                Output::Finish => {
                    if let Some(process) = process {
                        process.finish().await;
                    }
                    return;
                }
            }
        }
        let input = if let Some(error) = failed {
            Input::NotStarted(error)
        } else {
            tokio::select! {
                command = port.commands.recv(), if !has_quit => {
                    let command = command.unwrap_or(PlayerCommand::Quit);
                    has_quit = matches!(command, PlayerCommand::Quit);
                    Input::Command(command)
                }
                input = next_input(&mut process) => input,
                Some(()) = OptionFuture::from(wake.map(sleep_until)) => Input::Tick,
            }
        };
        outputs = driver.handle(Instant::now().into_std(), input);
    }
}

async fn next_input(process: &mut Option<Process>) -> Input {
    match process {
        Some(process) => process.next().await,
        None => pending().await,
    }
}

/// Removes kyomi's settings from the engine's environment, since they include the server's password.
fn hide_settings(command: &mut Command, names: impl Iterator<Item = OsString>) {
    for name in names {
        if name.to_string_lossy().to_ascii_uppercase().starts_with("KYOMI_") {
            command.env_remove(name);
        }
    }
}

/// A running engine.
struct Process {
    stdin: mpsc::UnboundedSender<String>,
    events: mpsc::Receiver<ProcessEvent>,
    group: Group,
    /// Ends the group if we are killed. Dropped after the group.
    #[cfg(target_os = "linux")]
    _guard: Option<Guard>,
    /// The exit status and the end of the output; they arrive in any order.
    status: Option<String>,
    output_ended: bool,
    /// The end of the standard error, with the last words of an engine that fails.
    stderr_ended: bool,
    /// After the first of the three, the deadline for the others.
    deadline: Option<Instant>,
}

/// Events of the tasks around the process.
enum ProcessEvent {
    Line(Line),
    Stderr(String),
    OutputEnded,
    StderrEnded,
    Exited(String),
}

impl Process {
    fn start(spec: &UsiSpec) -> io::Result<Self> {
        let mut command = Command::new(program(spec)?);
        command
            .args(&spec.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        hide_settings(&mut command, env::vars_os().map(|(name, _)| name));
        #[cfg(unix)]
        command.process_group(0);
        if let Some(dir) = &spec.working_dir {
            if !dir.is_dir() {
                let text = format!("the working directory {} does not exist", dir.display());
                return Err(io::Error::new(io::ErrorKind::NotFound, text));
            }
            command.current_dir(dir);
        }
        let mut child = command.spawn()?;
        let group = Group::of(&child);
        #[cfg(target_os = "linux")]
        let guard = group.leader.and_then(Guard::start);
        let (stdin, lines) = mpsc::unbounded_channel();
        let (sender, events) = mpsc::channel(MAX_UNREAD_LINES);
        if let Some(pipe) = child.stdin.take() {
            tokio::spawn(write_lines(pipe, lines));
        }
        if let Some(pipe) = child.stdout.take() {
            tokio::spawn(read_output(pipe, sender.clone()));
        }
        if let Some(pipe) = child.stderr.take() {
            let sender = sender.clone();
            tokio::spawn(async move {
                read_stderr(pipe, sender.clone()).await;
                let _ = sender.send(ProcessEvent::StderrEnded).await;
            });
        }
        tokio::spawn(wait_for_end(child, sender));
        Ok(Self {
            stdin,
            events,
            group,
            #[cfg(target_os = "linux")]
            _guard: guard,
            status: None,
            output_ended: false,
            stderr_ended: false,
            deadline: None,
        })
    }

    fn send(&self, line: String) {
        let _ = self.stdin.send(line);
    }

    /// The next event of the engine; [`Input::Ended`] is the last one. Cancel-safe.
    async fn next(&mut self) -> Input {
        loop {
            let event = tokio::select! {
                event = self.events.recv() => event,
                Some(()) = OptionFuture::from(self.deadline.map(sleep_until)) => None,
            };
            let patience = match event {
                Some(ProcessEvent::Line(line)) => return Input::Line(line),
                Some(ProcessEvent::Stderr(line)) => return Input::Stderr(line),
                Some(ProcessEvent::OutputEnded) => {
                    self.output_ended = true;
                    Duration::from_secs(1)
                }
                // An engine may close it and play on.
                Some(ProcessEvent::StderrEnded) => {
                    self.stderr_ended = true;
                    if self.deadline.is_none() {
                        continue;
                    }
                    Duration::from_millis(300)
                }
                // Its last output may not have arrived yet.
                Some(ProcessEvent::Exited(status)) => {
                    self.status = Some(status);
                    Duration::from_millis(300)
                }
                None => Duration::ZERO,
            };
            let has_ended = self.output_ended && self.stderr_ended && self.status.is_some();
            if has_ended || patience.is_zero() {
                self.deadline = None;
                let silent = || "its output ended".to_owned();
                return Input::Ended(self.status.clone().unwrap_or_else(silent));
            }
            self.deadline = Some(Instant::now() + patience);
        }
    }

    /// Waits briefly for the engine to end after `quit`; dropping kills the rest of its group.
    async fn finish(mut self) {
        let ended = async { while !matches!(self.next().await, Input::Ended(_)) {} };
        if timeout(QUIT_LIMIT, ended).await.is_err() {
            tracing::warn!("the engine does not quit; killing it");
        }
        self.group.kill();
        // Reaped here, so that no zombie is left even if the program ends right after this.
        if self.status.is_none() {
            let exited = async {
                while let Some(event) = self.events.recv().await {
                    if matches!(event, ProcessEvent::Exited(_)) {
                        break;
                    }
                }
            };
            let _ = timeout(QUIT_LIMIT, exited).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// The engine's process group.
#[derive(Debug)]
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

impl Group {
    fn of(child: &Child) -> Self {
        #[cfg(unix)]
        {
            let leader = child.id().and_then(|id| i32::try_from(id).ok());
            Self { leader: leader.and_then(rustix::process::Pid::from_raw) }
        }
        #[cfg(not(unix))]
        {
            let _ = child;
            Self {}
        }
    }

    /// Kills the group, once.
    fn kill(&mut self) {
        #[cfg(unix)]
        if let Some(leader) = self.leader.take() {
            // Fails if no process of the group is left, which is fine.
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }
}

/// A path with a folder is relative to kyomi's working directory, not to the engine's.
fn program(spec: &UsiSpec) -> io::Result<PathBuf> {
    if spec.path.components().count() > 1 {
        path::absolute(&spec.path)
    } else {
        Ok(spec.path.clone())
    }
}

async fn write_lines(mut pipe: ChildStdin, mut lines: mpsc::UnboundedReceiver<String>) {
    while let Some(mut text) = lines.recv().await {
        text.push('\n');
        // `position` and `go` in one piece: the engine is woken once.
        while let Ok(line) = lines.try_recv() {
            text.push_str(&line);
            text.push('\n');
        }
        if pipe.write_all(text.as_bytes()).await.is_err() || pipe.flush().await.is_err() {
            return;
        }
    }
}

async fn read_output(pipe: impl AsyncRead + Unpin, sender: mpsc::Sender<ProcessEvent>) {
    let mut lines = FramedRead::new(pipe, LineCodec::default());
    while let Some(Ok(line)) = lines.next().await {
        if sender.send(ProcessEvent::Line(line)).await.is_err() {
            return;
        }
    }
    let _ = sender.send(ProcessEvent::OutputEnded).await;
}

async fn read_stderr(pipe: impl AsyncRead + Unpin, sender: mpsc::Sender<ProcessEvent>) {
    let mut lines = FramedRead::new(pipe, LineCodec::default());
    while let Some(Ok(line)) = lines.next().await {
        if let Line::Text(line) = line
            && sender.send(ProcessEvent::Stderr(line)).await.is_err()
        {
            return;
        }
    }
}

/// Reaps the child.
async fn wait_for_end(mut child: Child, sender: mpsc::Sender<ProcessEvent>) {
    let status = match child.wait().await {
        Ok(status) => exit_text(status),
        Err(error) => error.to_string(),
    };
    let _ = sender.send(ProcessEvent::Exited(status)).await;
}

fn exit_text(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("exit code {code}"),
        None => "no exit code".to_owned(),
    }
}

/// Maximum number of unread lines. Further lines wait in the pipe.
const MAX_UNREAD_LINES: usize = 256;

/// The time limit from `quit` to the end of the process.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

#[cfg(all(test, unix))]
mod tests;
