//! The terminal: shows a game on the alternate screen and redraws the lines that changed.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use crossterm::{
    cursor::{Hide, MoveTo, Show},
    queue,
    terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen},
};
use parking_lot::Mutex;

use super::{
    clean,
    style::{Line, Paint},
};

/// Whether the alternate screen is shown. The value is global, since a process has one terminal.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Warnings that came while the alternate screen was shown, and that are not displayed yet.
static NOTICES: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

/// The largest number of warnings that are kept. All of them are in the log.
const NOTICES_KEPT: usize = 50;

/// Restores the terminal: shows the cursor and the normal screen. Does nothing if the terminal was not changed, so that
/// a panic hook and a signal handler may call it.
pub fn restore() {
    if SHOWN.swap(false, Ordering::SeqCst) {
        let mut stdout = io::stdout();
        let _ = queue!(stdout, LeaveAlternateScreen, Show);
        let _ = stdout.flush();
    }
}

/// Takes a warning for the screen while it is shown. Returns false if it is not shown; then the caller prints the
/// warning.
pub fn notice(text: &str) -> bool {
    if !SHOWN.load(Ordering::SeqCst) {
        return false;
    }
    let mut notices = NOTICES.lock();
    if notices.len() == NOTICES_KEPT {
        notices.pop_front();
    }
    notices.push_back(clean(text.trim()));
    true
}

/// Returns all notices since the last call.
pub(super) fn take_notices() -> Vec<String> {
    NOTICES.lock().drain(..).collect()
}

/// The screen with its present content.
pub(super) struct Screen {
    paint: Paint,
    shown: Vec<String>,
    size: (u16, u16),
    frames: u32,
}

/// The number of frames after which the whole picture is redrawn, since a key or another program may have written over
/// it.
const FRAMES_UNTIL_ALL: u32 = 20;

impl Screen {
    pub(super) fn new(paint: Paint) -> Self {
        Self { paint, shown: Vec::new(), size: (0, 0), frames: 0 }
    }

    /// Shows the alternate screen, unless it is shown already.
    pub(super) fn enter(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if SHOWN.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        self.shown.clear();
        self.frames = 0;
        let mut bytes = Vec::new();
        queue!(bytes, EnterAlternateScreen, Hide, Clear(ClearType::All))?;
        out.write_all(&bytes)?;
        out.flush()
    }

    /// Returns to the normal screen, if the alternate screen is shown.
    pub(super) fn leave(out: &mut dyn Write) -> io::Result<()> {
        if !SHOWN.swap(false, Ordering::SeqCst) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        queue!(bytes, LeaveAlternateScreen, Show)?;
        out.write_all(&bytes)?;
        out.flush()
    }

    /// Requests that the next frame redraws the whole picture.
    pub(super) fn repair(&mut self) {
        self.frames = 0;
    }

    /// The number of columns and rows; 80 by 24 if the terminal does not report its size.
    pub(super) fn size() -> (usize, usize) {
        match terminal::size() {
            Ok((columns, rows)) if columns > 0 && rows > 0 => (columns.into(), rows.into()),
            _ => (80, 24),
        }
    }

    /// Writes the lines that changed to the screen in one write.
    pub(super) fn show(
        &mut self,
        out: &mut dyn Write,
        lines: &[Line],
        (columns, rows): (usize, usize),
    ) -> io::Result<()> {
        let size = (columns as u16, rows as u16);
        let all = self.size != size || self.frames.is_multiple_of(FRAMES_UNTIL_ALL);
        if self.size != size {
            self.shown.clear();
        }
        let bytes = self.changes(lines, columns, rows, all)?;
        self.size = size;
        self.frames = self.frames.wrapping_add(1);
        if bytes.is_empty() {
            return Ok(());
        }
        out.write_all(&bytes)?;
        out.flush()
    }

    fn changes(
        &mut self,
        lines: &[Line],
        columns: usize,
        rows: usize,
        all: bool,
    ) -> io::Result<Vec<u8>> {
        let rendered: Vec<_> =
            lines.iter().take(rows).map(|line| line.render(columns, self.paint)).collect();
        let mut bytes = Vec::new();
        for (row, line) in rendered.iter().enumerate() {
            if all || self.shown.get(row) != Some(line) {
                queue!(bytes, MoveTo(0, row as u16))?;
                bytes.extend_from_slice(line.as_bytes());
                // A line as wide as the screen leaves the cursor on the last column, where clearing would delete the
                // last letter.
                if line.is_empty() || lines[row].width() < columns {
                    queue!(bytes, Clear(ClearType::UntilNewLine))?;
                }
            }
        }
        if rendered.len() < rows && (all || rendered.len() < self.shown.len()) {
            queue!(bytes, MoveTo(0, rendered.len() as u16), Clear(ClearType::FromCursorDown))?;
        }
        self.shown = rendered;
        Ok(bytes)
    }
}

/// The number of columns of the terminal; 80 if it does not report it.
pub(crate) fn columns() -> usize {
    Screen::size().0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_lines_are_written() {
        let mut screen = Screen::new(Paint::Plain);
        let lines = [Line::plain("one"), Line::plain("two")];
        let first = screen.changes(&lines, 10, 5, true).unwrap();
        assert!(String::from_utf8(first).unwrap().contains("one"));
        assert!(screen.changes(&lines, 10, 5, false).unwrap().is_empty());
        let lines = [Line::plain("one"), Line::plain("three")];
        let bytes = String::from_utf8(screen.changes(&lines, 10, 5, false).unwrap()).unwrap();
        assert!(bytes.contains("three") && !bytes.contains("one"), "{bytes:?}");
    }

    #[test]
    fn no_more_lines_than_rows_are_written() {
        let mut screen = Screen::new(Paint::Plain);
        let lines = vec![Line::plain("x"); 30];
        let bytes = screen.changes(&lines, 10, 4, true).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap().matches('x').count(), 4);
    }
}
