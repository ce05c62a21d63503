//! A progress bar on standard error, if that is a terminal.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

use crate::terminal::speech;

/// A bar that grows with the bytes that are done. Clones show the same bar.
#[derive(Clone)]
pub(super) struct ProgressBar {
    /// `None` if nothing is shown.
    shown: Option<Arc<Mutex<Shown>>>,
}

struct Shown {
    total: u64,
    done: u64,
    message: String,
    began: Instant,
    drawn: Option<Instant>,
}

impl ProgressBar {
    /// A bar for this number of bytes. It is hidden if standard error is not a terminal, or if `quiet`.
    pub(super) fn new(total: u64, quiet: bool) -> Self {
        let shown = (!quiet && speech::is_on_terminal()).then(|| Shown {
            total,
            done: 0,
            message: String::new(),
            began: Instant::now(),
            drawn: None,
        });
        Self { shown: shown.map(|shown| Arc::new(Mutex::new(shown))) }
    }

    /// Moves the bar to this number of bytes. The message is made only if the bar is shown.
    pub(super) fn set(&self, done: u64, message: impl FnOnce() -> String) {
        let Some(mut shown) = self.shown.as_ref().map(|it| it.lock()) else { return };
        shown.done = done;
        if shown.drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW) {
            shown.message = message();
            shown.draw();
        }
    }

    /// Prints a line above the bar.
    pub(super) fn print(&self, line: &str) {
        let shown = self.shown.as_ref().map(|it| it.lock()).filter(|it| it.drawn.is_some());
        if shown.is_some() {
            speech::redraw("");
        }
        speech::say(line);
        if let Some(mut shown) = shown {
            shown.draw();
        }
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        if let Some(mut shown) = self.shown.as_ref().map(|it| it.lock()) {
            shown.clear();
        }
    }
}

impl Shown {
    fn clear(&mut self) {
        if self.drawn.take().is_some() {
            speech::redraw("");
        }
    }

    fn draw(&mut self) {
        self.drawn = Some(Instant::now());
        speech::redraw(bar_text(self.done, self.total, &self.message, self.began.elapsed()));
    }
}

/// The bar, the share, the message and the time that is left at the same speed.
fn bar_text(done: u64, total: u64, message: &str, elapsed: Duration) -> String {
    let share = if total == 0 { 1.0 } else { (done as f64 / total as f64).min(1.0) };
    let full = (share * WIDTH as f64) as usize;
    let bar = "█".repeat(full) + &"░".repeat(WIDTH - full);
    let left = if share > 0.0 { elapsed.as_secs_f64() * (1.0 / share - 1.0) } else { 0.0 };
    let left = match left.round() as u64 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    };
    format!("{bar} {:>3.0} %  {message}  {left} left", share * 100.0)
}

/// The number of characters of the bar.
const WIDTH: usize = 30;
/// The shortest time between two redraws.
const REDRAW: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_has_the_share_the_message_and_the_time_left() {
        let text = bar_text(50, 200, "3 files", Duration::from_secs(10));
        assert_eq!(text, "███████░░░░░░░░░░░░░░░░░░░░░░░  25 %  3 files  30 s left");
        let text = bar_text(1, 100, "", Duration::from_secs(10));
        assert!(text.ends_with("17 min left"), "{text}");
        for (done, total) in [(0, 0), (7, 5), (5, 5)] {
            let text = bar_text(done, total, "all", Duration::from_secs(1));
            assert!(text.ends_with("100 %  all  0 s left"), "{text}");
        }
    }
}
