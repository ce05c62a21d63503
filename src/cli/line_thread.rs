//! A thread that writes lines, so that a slow disk or a stalled reader does not hold up a game for each of them.

use std::{
    io::{self, Write},
    sync::mpsc::{self, Receiver, SyncSender, TrySendError},
    thread,
    time::{Duration, Instant},
};

/// The queue of a thread that writes lines.
#[derive(Debug, Clone)]
pub(super) struct LineThread {
    queue: SyncSender<Message>,
}

enum Message {
    Line(Vec<u8>),
    /// A request to confirm that all lines before it are written.
    Flush(SyncSender<()>),
}

impl LineThread {
    /// Starts the thread with room for this number of lines in its queue.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(super) fn start(
        name: &str,
        room: usize,
        to: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let (queue, messages) = mpsc::sync_channel(room);
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || write_messages(&messages, to))?;
        Ok(Self { queue })
    }

    /// Gives the thread a line with its end. Waits while the queue is full, so that no line is lost.
    ///
    /// # Errors
    /// The thread has ended.
    pub(super) fn send(&self, line: Vec<u8>) -> io::Result<()> {
        self.queue.send(Message::Line(line)).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Gives the thread a line with its end, unless the queue is full.
    pub(super) fn try_send(&self, line: Vec<u8>) {
        let _ = self.queue.try_send(Message::Line(line));
    }

    /// Waits until all lines are written, but no longer than this.
    pub(super) fn flush(&self, limit: Duration) {
        let end = Instant::now() + limit;
        let (done, written) = mpsc::sync_channel(1);
        let mut flush = Message::Flush(done);
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

fn write_messages(messages: &Receiver<Message>, mut to: impl Write) {
    while let Ok(message) = messages.recv() {
        // A full disk or a closed reader must not end a game, and there is no other place to report it.
        let _ = match message {
            Message::Line(line) => to.write_all(&line),
            Message::Flush(done) => {
                let flushed = to.flush();
                let _ = done.try_send(());
                flushed
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::{Condvar, Mutex};

    use super::*;

    /// A reader that stalls until it is let go.
    #[derive(Clone, Default)]
    struct Stalled(Arc<Reader>);

    #[derive(Default)]
    struct Reader {
        read: Mutex<Option<Vec<u8>>>,
        let_go: Condvar,
    }

    impl Stalled {
        fn let_go(&self) {
            *self.0.read.lock() = Some(Vec::new());
            self.0.let_go.notify_all();
        }

        fn read(&self) -> Vec<u8> {
            self.0.read.lock().clone().unwrap_or_default()
        }
    }

    impl Write for Stalled {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut read = self.0.read.lock();
            self.0.let_go.wait_while(&mut read, |read| read.is_none());
            read.get_or_insert_default().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_line_that_was_sent_is_written_although_the_queue_was_full() {
        let to = Stalled::default();
        let lines = LineThread::start("test", 4, to.clone()).unwrap();
        let sender = lines.clone();
        let sending = thread::spawn(move || {
            for number in 0..100 {
                sender.send(format!("{number:02}\n").into_bytes()).unwrap();
            }
        });
        // The queue is full and nothing is written: the end of the program does not wait for ever.
        lines.flush(Duration::from_millis(20));
        to.let_go();
        sending.join().unwrap();
        lines.flush(Duration::from_secs(60));
        let text = String::from_utf8(to.read()).unwrap();
        assert_eq!(
            text,
            (0..100).map(|number| format!("{number:02}")).collect::<Vec<_>>().join("\n") + "\n"
        );
    }

    #[test]
    fn a_stalled_reader_loses_lines_and_holds_nobody_up() {
        let to = Stalled::default();
        let lines = LineThread::start("test", 4, to.clone()).unwrap();
        for _ in 0..100 {
            lines.try_send(b"x".to_vec());
        }
        to.let_go();
        lines.flush(Duration::from_secs(60));
        assert!((4..=5).contains(&to.read().len()));
    }
}
