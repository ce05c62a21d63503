//! The log: a file per day, and a brief word on standard error.

use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
};

use anyhow::Context as _;
use tracing_appender::{
    non_blocking::{NonBlockingBuilder, WorkerGuard},
    rolling::{RollingFileAppender, Rotation},
};
use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, filter_fn},
    fmt,
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::{
    config::{LogConfig, LogLevel},
    terminal,
};

use super::{ResultExt as _, fault::LAST_WORD};

/// Writes out what is left of the log when dropped.
#[must_use = "the end of the log is lost unless the guard lives as long as the command"]
pub(crate) struct LogGuard {
    _file: WorkerGuard,
}

/// Opens `dir/kyomi.DATE.log` and sends everything of the level there, warnings to standard error
/// as well.
///
/// # Errors
/// The folder cannot be made or written.
pub(crate) fn start(log: &LogConfig) -> anyhow::Result<LogGuard> {
    let file = open(&log.dir)
        .with_context(|| format!("writing the log to {}", log.dir.display()))
        .hint("set log.dir to a folder you may write to")?;
    // Lossless: a full queue makes the writer wait instead of dropping lines.
    let (writer, guard) = NonBlockingBuilder::default().lossy(false).finish(file);
    let to_file =
        fmt::layer().with_writer(writer).with_ansi(false).with_filter(level_filter(log.level));
    let to_stderr = fmt::layer()
        .with_writer(Speech::default)
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .with_filter(LevelFilter::WARN)
        .with_filter(filter_fn(|line| line.target() != LAST_WORD));
    tracing_subscriber::registry()
        .with(to_file)
        .with(to_stderr)
        .try_init()
        .context("starting the log")?;
    Ok(LogGuard { _file: guard })
}

/// Standard error, or the live board while one is up: a line of speech must not tear the picture.
#[derive(Default)]
struct Speech {
    text: Vec<u8>,
}

impl Write for Speech {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Speech {
    fn drop(&mut self) {
        let text = String::from_utf8_lossy(&self.text);
        for line in text.lines() {
            let line = terminal::clean(line);
            if !terminal::notice(&line) {
                let _ = writeln!(io::stderr(), "{line}");
            }
        }
    }
}

/// A warning from before the log is open.
pub(crate) fn warn_early(text: &str) {
    let _ = writeln!(io::stderr(), "warning: {text}");
}

/// A panic is a bug: it leaves the terminal usable, and its place goes to the log and, briefly, to
/// standard error.
pub(crate) fn install_panic_hook() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        terminal::restore();
        tracing::error!("{panic}");
        before(panic);
    }));
}

fn open(dir: &PathBuf) -> anyhow::Result<RollingFileAppender> {
    fs::create_dir_all(dir)?;
    let appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("kyomi")
        .filename_suffix("log")
        .build(dir)?;
    Ok(appender)
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
