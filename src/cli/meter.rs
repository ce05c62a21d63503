//! The progress line of a long run, on standard error.

use std::{
    io::{self, IsTerminal, Write},
    time::{Duration, Instant},
};

/// Shows progress: on a terminal one line that is redrawn, elsewhere a line after every `every` items.
pub struct Meter {
    terminal: bool,
    every: usize,
    shown: Option<Instant>,
    last: String,
}

impl Meter {
    /// A meter that, without a terminal, prints a line after every `every` items.
    pub fn new(every: usize) -> Self {
        let terminal = io::stderr().is_terminal();
        Self { terminal, every: every.max(1), shown: None, last: String::new() }
    }

    /// Shows a line of progress. `finished` is the total number of items, `new_items` the number since the program was
    /// started.
    pub fn show(&mut self, line: &str, finished: usize, new_items: usize) {
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
        } else if new_items == 0 && finished > 0 {
            writeln!(stderr, "resumed: {line}")
        } else if new_items > 0 && finished.is_multiple_of(self.every) {
            writeln!(stderr, "{line}")
        } else {
            Ok(())
        };
    }

    /// Leaves the last line on the terminal.
    pub fn finish(&self) {
        if self.terminal && !self.last.is_empty() {
            let _ = writeln!(io::stderr(), "\r{}\x1b[K", self.last);
        }
    }
}

/// The shortest time between two redraws of a terminal.
const REDRAW: Duration = Duration::from_millis(100);
