//! The progress line of a long run, on standard error.

use std::time::{Duration, Instant};

use crate::terminal::speech;

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
        let terminal = speech::is_on_terminal();
        Self { terminal, every: every.max(1), shown: None, last: String::new() }
    }

    /// Shows a line of progress. `finished` is the total number of items, `new_items` the number since the program was
    /// started.
    pub fn show(&mut self, line: &str, finished: usize, new_items: usize) {
        if self.terminal {
            let soon = self.shown.is_some_and(|shown| shown.elapsed() < REDRAW);
            line.clone_into(&mut self.last);
            if soon {
                return;
            }
            self.shown = Some(Instant::now());
            speech::redraw(line);
        } else if new_items == 0 && finished > 0 {
            speech::say(format_args!("resumed: {line}"));
        } else if new_items > 0 && finished.is_multiple_of(self.every) {
            speech::say(line);
        }
    }

    /// Leaves the last line on the terminal.
    pub fn finish(&self) {
        if self.terminal && !self.last.is_empty() {
            speech::redraw(&self.last);
            speech::say("");
        }
    }
}

/// The shortest time between two redraws of a terminal.
const REDRAW: Duration = Duration::from_millis(100);
