//! kyomi as a USI engine on standard input and output (layer 5).
//!
//! - `command` reads lines, `options` knows what can be set, `shell` is the engine as a state machine without I/O:
//!   a line or a report of the search goes in, lines and work come out.
//! - [`run`] gives it threads: one reads lines, one searches, the caller's thread does what the shell says.
//!
//! Invariants: every `go` is answered by one `bestmove`, never before its time (`infinite`, `ponder`), and never by
//! the move of another position; bad input is answered by `info string`, and changes nothing. Not here: CSA.

mod command;
mod options;
mod run;
mod shell;

pub use options::Settings;
pub use run::run;
