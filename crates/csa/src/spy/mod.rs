//! The client's side of extended mode for watching: lists the games of a server and follows them, without I/O.
//!
//! [`SpySession`] takes the lines of the server with the time and returns [`SpyAction`]s.
//!
//! | file | contents |
//! |---|---|
//! | `session` | the protocol: commands to the server and its answers |
//! | `watched` | parses the lines of one game: record so far, moves, end |
//! | `plain_monitor` | converts the monitor of rshogi to the lines that `watched` reads |
//!
//! Everything from the server is untrusted: moves are checked, and the numbers of games, lines and comments are
//! limited. An id may hold any visible ASCII, so it is no name of a file.

mod plain_monitor;
mod session;
mod watched;

pub use session::{SpyAction, SpyOptions, SpySession};
pub use watched::{Update, WatchFault, unknown_end};
