//! What a command says to its user, on standard error. Data go to standard output.

use std::{
    fmt::Display,
    io::{self, IsTerminal as _, Write as _},
};

use super::{clean, text::cut};

/// Says something in a line. What a terminal would act on is removed, since names of files and texts of others may
/// contain it. Nobody may be listening: a closed standard error is no error.
pub fn say(text: impl Display) {
    let _ = writeln!(io::stderr(), "{}", clean(&text.to_string()));
}

/// Says what is wrong, although the command goes on.
pub fn warn(text: impl Display) {
    say(format_args!("warning: {text}"));
}

/// Whether a terminal shows what is said, so that a line can be redrawn.
pub fn is_on_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Draws a line of progress in the place of the one before, on a terminal.
pub fn redraw(line: impl Display) {
    let line = line.to_string();
    // A line that wraps could not be drawn over.
    let columns = crossterm::terminal::size().map_or(usize::MAX, |(columns, _)| columns.into());
    let _ = write!(io::stderr(), "\r{}\x1b[K", cut(&line, columns));
}
