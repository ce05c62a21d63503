//! The log: files ([`LogFiles`]), and warnings on standard error.

use std::{
    io::{self, Write},
    sync::OnceLock,
    time::Duration,
};

use anyhow::Context as _;
use tracing::Metadata;
use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, filter_fn},
    fmt,
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::{
    config::{LogConfig, LogLevel},
    service::LogFiles,
    terminal,
};

use super::{ResultExt as _, fault::FINAL_ERROR, line_thread::LineThread};

/// Writes the rest of the log when it is dropped.
#[must_use = "the end of the log is lost unless the guard lives as long as the command"]
pub(crate) struct LogGuard(LineThread);

impl Drop for LogGuard {
    fn drop(&mut self) {
        self.0.flush(LIMIT_OF_LOG);
    }
}

/// Opens `dir/kyomi.DATE.log` and logs all lines of the level there; warnings go to standard error as well.
///
/// # Errors
/// The folder cannot be created or written.
pub(crate) fn start(log: &LogConfig) -> anyhow::Result<LogGuard> {
    let file = LogFiles::open(&log.dir, log.keep_days, log.max_size)
        .with_context(|| format!("writing the log to {}", log.dir.display()))
        .hint("set log.dir to a folder you may write to")?;
    let thread = LineThread::start("kyomi-log", LINES_OF_LOG, file)
        .context("starting the thread that writes the log")?;
    let lines = thread.clone();
    let writer = move || LogWriter(lines.clone());
    let to_file =
        fmt::layer().with_writer(writer).with_ansi(false).with_filter(level_filter(log.level));
    // The lines of libraries may contain what is secret to us.
    let to_file = to_file.with_filter(filter_fn(is_ours));
    start_stderr_thread().context("starting the thread that writes to standard error")?;
    let to_stderr = fmt::layer()
        .with_writer(WarningWriter::default)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .with_filter(LevelFilter::WARN)
        .with_filter(filter_fn(|line| is_ours(line) && line.target() != FINAL_ERROR));
    tracing_subscriber::registry()
        .with(to_file)
        .with(to_stderr)
        .try_init()
        .context("starting the log")?;
    Ok(LogGuard(thread))
}

fn is_ours(line: &Metadata<'_>) -> bool {
    // The packages of kyomi are `kyomi` and `kyomi_…`.
    let package = line.target().split("::").next().unwrap_or_default();
    package == "kyomi" || package.starts_with("kyomi_")
}

/// Writes warnings to standard error, or to the live board while it is shown, so that they do not disturb the picture.
#[derive(Default)]
struct WarningWriter {
    text: Vec<u8>,
}

impl Write for WarningWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for WarningWriter {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.text);
        for line in text.lines() {
            let line = terminal::clean(line);
            if !terminal::notice(&line) {
                send_line(&line);
            }
        }
    }
}

/// Writes lines of the log to its file. The formatter writes a whole line at a time.
struct LogWriter(LineThread);

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The thread that writes to standard error. A stalled reader must not stop a game, so lines are dropped if the queue
/// is full; they are in the log file.
static STDERR: OnceLock<LineThread> = OnceLock::new();

fn start_stderr_thread() -> io::Result<()> {
    let thread = LineThread::start("kyomi-stderr", LINES_OF_STDERR, io::stderr())?;
    // A second log cannot be opened; the first one's thread stays.
    let _ = STDERR.set(thread);
    Ok(())
}

/// Sends a line to the thread without waiting.
fn send_line(line: &str) {
    if let Some(thread) = STDERR.get() {
        thread.try_send(format!("{line}\n").into_bytes());
    }
}

/// Waits for a limited time until all lines are written, at the end of the program.
pub(crate) fn flush_stderr() {
    if let Some(thread) = STDERR.get() {
        thread.flush(LIMIT_OF_STDERR);
    }
}

/// The largest number of lines in the queue of the log.
const LINES_OF_LOG: usize = 65_536;
/// The largest number of lines in the queue of standard error.
const LINES_OF_STDERR: usize = 256;
/// The longest wait for the last lines of the log.
const LIMIT_OF_LOG: Duration = Duration::from_secs(2);
/// The longest wait for the last lines of standard error.
const LIMIT_OF_STDERR: Duration = Duration::from_secs(1);

/// Installs a panic hook that restores the terminal, logs the panic and prints it to standard error.
pub(crate) fn install_panic_hook() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        terminal::restore();
        tracing::error!("{panic}");
        before(panic);
    }));
}

fn level_filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}
