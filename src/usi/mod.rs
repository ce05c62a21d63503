//! kyomi as a USI engine on standard input and output.
//!
//! - `command` parses lines and `options` holds the options. `shell` is the engine as a state machine without I/O: it
//!   takes lines and reports of the search, and returns lines and search tasks.
//! - [`run`] adds the threads: one reads lines, one searches, and the caller's thread carries out the actions. With
//!   workers (`workers`, cargo feature `cluster`) one more coordinates them.
//!
//! Invariants: every `go` is answered by one `bestmove`, never before its time (`infinite`, `ponder`), and never with
//! a move for another position; invalid input is answered by `info string` and changes nothing. Not here: CSA.

mod command;
mod options;
mod run;
mod shell;
mod worker_options;
mod workers;

pub use options::Settings;
pub use run::run;
pub use worker_options::WorkerOptions;
