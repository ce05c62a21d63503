//! The only writer of standard output.

use std::{
    io::{self, IsTerminal, Write},
    sync::Arc,
};

use parking_lot::Mutex;

/// Standard output. It is created once in [`super::main`] and passed down; clones write to the same place.
///
/// If the reader is closed (`kyomi perft … | head`), a command ends quietly: writing fails with
/// [`io::ErrorKind::BrokenPipe`], which becomes exit code 0. A running game must not end for this reason: after
/// [`Output::outlive_reader`] the output is discarded instead.
#[derive(Clone)]
pub struct Output {
    inner: Arc<Mutex<Inner>>,
    terminal: bool,
}

struct Inner {
    writer: Box<dyn Write + Send>,
    outlive_reader: bool,
    reader_gone: bool,
}

impl Output {
    /// The process's standard output.
    pub fn stdout() -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        Self::new(Box::new(stdout), terminal)
    }

    /// An output to another writer, for tests; `terminal` is whether it counts as a terminal.
    pub fn new(writer: Box<dyn Write + Send>, terminal: bool) -> Self {
        let inner = Inner { writer, outlive_reader: false, reader_gone: false };
        Self { inner: Arc::new(Mutex::new(inner)), terminal }
    }

    /// Makes a closed reader no error from now on: the output is discarded.
    pub fn outlive_reader(&self) {
        self.inner.lock().outlive_reader = true;
    }

    /// Whether the output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.lock().attempt(bytes.len(), |writer| writer.write(bytes))
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inner.lock().attempt((), |writer| writer.write_all(bytes))
    }

    /// Formats the text first, so that one call is one write and lines of two threads do not mix.
    fn write_fmt(&mut self, arguments: std::fmt::Arguments<'_>) -> io::Result<()> {
        match arguments.as_str() {
            Some(text) => self.write_all(text.as_bytes()),
            None => self.write_all(arguments.to_string().as_bytes()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.lock().attempt((), |writer| writer.flush())
    }
}

impl Inner {
    fn attempt<T>(
        &mut self,
        result_if_closed: T,
        write: impl FnOnce(&mut dyn Write) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.reader_gone {
            return Ok(result_if_closed);
        }
        match write(self.writer.as_mut()) {
            Err(error) if self.outlive_reader && is_reader_gone(&error) => {
                self.reader_gone = true;
                Ok(result_if_closed)
            }
            done => done,
        }
    }
}

/// Whether nobody can read the output any more: a closed pipe, or a terminal whose window was closed.
fn is_reader_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
        || cfg!(unix) && matches!(error.raw_os_error(), Some(EIO | ENXIO))
}

/// The system's error numbers for a terminal that is gone. They are the same on all Unix systems.
const EIO: i32 = 5;
const ENXIO: i32 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    struct ClosedPipe;

    struct ClosedTerminal;

    impl Write for ClosedTerminal {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(EIO))
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::Error::from_raw_os_error(EIO))
        }
    }

    impl Write for ClosedPipe {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_reader_is_an_error() {
        let mut output = Output::new(Box::new(ClosedPipe), false);
        let error = writeln!(output, "nodes 30").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn a_game_continues_when_its_reader_is_closed() {
        let mut output = Output::new(Box::new(ClosedPipe), false);
        output.outlive_reader();
        writeln!(output, "1 7g7f").unwrap();
        writeln!(output, "2 3c3d").unwrap();
        output.flush().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_game_continues_when_its_terminal_is_closed() {
        let mut output = Output::new(Box::new(ClosedTerminal), true);
        assert!(output.flush().is_err());
        output.outlive_reader();
        writeln!(output, "1 7g7f").unwrap();
        output.flush().unwrap();
    }
}
