//! Writes the log in a thread of its own, so that a slow disk does not hold up a game for each line.

use std::{
    io::{self, Write},
    sync::mpsc::{self, Receiver, SyncSender, TrySendError},
    thread,
    time::{Duration, Instant},
};

use tracing_subscriber::fmt::MakeWriter;

/// The writer of the log. Each call of `write` is a whole line, and waits while the queue is full: no line is lost.
#[derive(Debug, Clone)]
pub(super) struct LogWriter {
    queue: SyncSender<Message>,
}

/// Writes the rest of the log when it is dropped.
#[derive(Debug)]
#[must_use = "the end of the log is lost unless the guard lives as long as the command"]
pub(crate) struct LogGuard {
    queue: SyncSender<Message>,
}

enum Message {
    Line(Vec<u8>),
    /// A request to confirm that all lines before it are written.
    Flush(SyncSender<()>),
}

impl LogWriter {
    /// Starts the thread.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn start(file: impl Write + Send + 'static) -> io::Result<(Self, LogGuard)> {
        let (queue, messages) = mpsc::sync_channel(QUEUE);
        thread::Builder::new()
            .name("kyomi-log".to_owned())
            .spawn(move || write_messages(&messages, file))?;
        Ok((Self { queue: queue.clone() }, LogGuard { queue }))
    }
}

fn write_messages(messages: &Receiver<Message>, mut file: impl Write) {
    while let Ok(message) = messages.recv() {
        // A full disk must not end a game, and there is no other place to report it.
        let _ = match message {
            Message::Line(line) => file.write_all(&line),
            Message::Flush(done) => {
                let flushed = file.flush();
                let _ = done.try_send(());
                flushed
            }
        };
    }
}

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.queue.send(Message::Line(bytes.to_vec()));
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for LogWriter {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        let (done, written) = mpsc::sync_channel(1);
        let mut flush = Message::Flush(done);
        // A disk that hangs must not keep the program alive.
        let end = Instant::now() + FLUSH_LIMIT;
        while let Err(TrySendError::Full(message)) = self.queue.try_send(flush) {
            if Instant::now() >= end {
                return;
            }
            flush = message;
            thread::sleep(Duration::from_millis(5));
        }
        let _ = written.recv_timeout(end.saturating_duration_since(Instant::now()));
    }
}

/// The largest number of lines in the queue.
const QUEUE: usize = 65_536;
/// The longest wait for the last lines.
const FLUSH_LIMIT: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            thread::sleep(Duration::from_millis(1));
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_line_is_written_before_the_guard_is_gone() {
        let kept = Kept::default();
        let (mut writer, guard) = LogWriter::start(kept.clone()).unwrap();
        for number in 0..100 {
            writeln!(writer, "{number:03}").unwrap();
        }
        drop(guard);
        let text = String::from_utf8(kept.0.lock().clone()).unwrap();
        assert!(text.starts_with("000\n001\n") && text.ends_with("099\n"), "{text}");
    }
}
