//! The terminal itself: another screen while a game runs, redrawn where it changed.

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

/// Whether a screen of ours is up. The process has one terminal, so this is the process's.
static UP: AtomicBool = AtomicBool::new(false);

/// Warnings that came while the screen was up and still wait to be shown.
static NOTICES: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

/// More than these are not kept; all are in the log anyway.
const NOTICES_KEPT: usize = 50;

/// Leaves the terminal as it was found: cursor shown, normal screen. Harmless when nothing was
/// changed, so that a panic hook and a signal handler may call it.
pub fn restore() {
    if UP.swap(false, Ordering::SeqCst) {
        let mut stdout = io::stdout();
        let _ = queue!(stdout, LeaveAlternateScreen, Show);
        let _ = stdout.flush();
    }
}

/// Takes a line of speech while the screen is up, to be shown there; `false`: print it yourself.
pub fn notice(text: &str) -> bool {
    if !UP.load(Ordering::SeqCst) {
        return false;
    }
    let mut notices = NOTICES.lock();
    if notices.len() == NOTICES_KEPT {
        notices.pop_front();
    }
    notices.push_back(clean(text.trim()));
    true
}

/// All notices since the last call.
pub(super) fn take_notices() -> Vec<String> {
    NOTICES.lock().drain(..).collect()
}

/// What is on the screen now.
pub(super) struct Screen {
    paint: Paint,
    shown: Vec<String>,
    size: (u16, u16),
    frames: u32,
}

/// A key pressed or a stray program may have written over the picture: so often, in frames, it is
/// drawn anew as a whole.
const FRAMES_UNTIL_ALL: u32 = 20;

impl Screen {
    pub(super) fn new(paint: Paint) -> Self {
        Self { paint, shown: Vec::new(), size: (0, 0), frames: 0 }
    }

    /// Opens the screen, if it is not open.
    pub(super) fn enter(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if UP.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        self.shown.clear();
        self.frames = 0;
        let mut bytes = Vec::new();
        queue!(bytes, EnterAlternateScreen, Hide, Clear(ClearType::All))?;
        out.write_all(&bytes)?;
        out.flush()
    }

    /// Closes it, if it is open.
    pub(super) fn leave(out: &mut dyn Write) -> io::Result<()> {
        if !UP.swap(false, Ordering::SeqCst) {
            return Ok(());
        }
        let mut bytes = Vec::new();
        queue!(bytes, LeaveAlternateScreen, Show)?;
        out.write_all(&bytes)?;
        out.flush()
    }

    /// Draws everything next time, whatever is thought to be there.
    pub(super) fn repair(&mut self) {
        self.frames = 0;
    }

    /// Columns and rows; 80 by 24 where the terminal does not report its size.
    pub(super) fn size() -> (usize, usize) {
        match terminal::size() {
            Ok((columns, rows)) if columns > 0 && rows > 0 => (columns.into(), rows.into()),
            _ => (80, 24),
        }
    }

    /// Brings the lines onto the screen in one write, only those that changed.
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
                // A line as wide as the screen leaves the cursor on its last column, where
                // clearing would take the last letter away.
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

/// Columns of the terminal; 80 where it does not report them.
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
