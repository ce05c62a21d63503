//! The log: files ([`LogFiles`]), and a brief word on standard error.

use std::{
    io::{self, Write},
    sync::{
        OnceLock,
        mpsc::{self, Receiver, SyncSender},
    },
    thread,
    time::Duration,
};

use anyhow::Context as _;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
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
    let file = LogFiles::open(&log.dir, log.keep_days, log.max_size)
        .with_context(|| format!("writing the log to {}", log.dir.display()))
        .hint("set log.dir to a folder you may write to")?;
    // Lossless: a full queue makes the writer wait instead of dropping lines.
    let (writer, guard) = NonBlockingBuilder::default().lossy(false).finish(file);
    let to_file =
        fmt::layer().with_writer(writer).with_ansi(false).with_filter(level_filter(log.level));
    start_speaking().context("starting the thread that writes to standard error")?;
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
                speak(line);
            }
        }
    }
}

/// A message to the thread that writes to standard error.
enum Word {
    Line(String),
    /// Say when all before this is written.
    Mark(SyncSender<()>),
}

/// The way to that thread. A reader of standard error that stalls must not stop a game: what finds the queue full
/// is lost there, but is in the log file.
static SPEAKER: OnceLock<SyncSender<Word>> = OnceLock::new();

const MOST_UNREAD: usize = 256;

fn start_speaking() -> io::Result<()> {
    let (words, queue) = mpsc::sync_channel(MOST_UNREAD);
    thread::Builder::new()
        .name("kyomi-stderr".to_owned())
        .spawn(move || write_words(&queue, io::stderr()))?;
    // A second log cannot be opened; the first one's thread stays.
    let _ = SPEAKER.set(words);
    Ok(())
}

fn write_words(queue: &Receiver<Word>, mut to: impl Write) {
    while let Ok(word) = queue.recv() {
        // If standard error is closed, the error cannot be reported.
        let _ = match word {
            Word::Line(line) => writeln!(to, "{line}"),
            Word::Mark(done) => {
                let _ = done.try_send(());
                Ok(())
            }
        };
    }
}

/// Never waits.
fn speak(line: String) {
    if let Some(words) = SPEAKER.get() {
        let _ = words.try_send(Word::Line(line));
    }
}

/// Waits for a limited time until all messages are written; for the end of the program.
pub(crate) fn finish_speaking() {
    if let Some(words) = SPEAKER.get() {
        let (done, written) = mpsc::sync_channel(1);
        if words.try_send(Word::Mark(done)).is_ok() {
            let _ = written.recv_timeout(LAST_WORDS_LIMIT);
        }
    }
}

const LAST_WORDS_LIMIT: Duration = Duration::from_secs(1);

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

fn level_filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}
