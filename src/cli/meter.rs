//! The progress line of a long run, on standard error.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

/// On a terminal a line that is drawn anew, elsewhere a line every so often.
pub(crate) struct Meter {
    terminal: bool,
    every: usize,
    shown: Option<Instant>,
    last: String,
}

impl Meter {
    /// Without a terminal, the number of items after which a line is printed.
    pub(crate) fn new(every: usize) -> Self {
        let terminal = io::stderr().is_terminal();
        Self { terminal, every: every.max(1), shown: None, last: String::new() }
    }

    /// Shows the progress after a total number of items, and a number of items since the start.
    pub(crate) fn show(&mut self, line: &str, finished: usize, now: usize) {
        let mut stderr = io::stderr();
        // A closed reader is not a reason to stop.
        let _ = if self.terminal {
            let soon = self.shown.is_some_and(|shown| shown.elapsed() < REDRAW);
            line.clone_into(&mut self.last);
            if soon {
                return;
            }
            self.shown = Some(Instant::now());
            write!(stderr, "\r{line}\x1b[K")
        } else if now == 0 && finished > 0 {
            writeln!(stderr, "resumed: {line}")
        } else if now > 0 && finished.is_multiple_of(self.every) {
            writeln!(stderr, "{line}")
        } else {
            Ok(())
        };
    }

    /// The line stays.
    pub(crate) fn finish(&self) {
        if self.terminal && !self.last.is_empty() {
            let _ = writeln!(io::stderr(), "\r{}\x1b[K", self.last);
        }
    }
}

/// A terminal is not drawn on more often than this.
const REDRAW: Duration = Duration::from_millis(100);
