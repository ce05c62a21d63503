//! Events with pairings: round robin and Swiss, without I/O.
//!
//! | file | contents |
//! |---|---|
//! | `event` | an event: players, format, clock, openings, schedule |
//! | `pairing` | who meets whom: the circle method, Swiss pairing |
//! | `state` | the rounds so far and their results; what is stored on disk |
//! | `standings` | scores and tie-breaks |
//! | `arbiter` | when a round begins, which game is next, who forfeits |
//! | `table` | the results as text, JSON and HTML |
//!
//! The arbiter has no connections of its own: the server reports to it which players are present and how games end, and
//! starts the games that it returns.
//!
//! Invariants: the same file, seed and results give the same pairings; an event continues from its stored state; a
//! result that was set is never changed.

mod arbiter;
mod event;
mod pairing;
mod standings;
mod state;
mod table;

pub use arbiter::{Arbiter, BoardGame, Presence, Start};
pub use event::{Event, Format, Opening, Player, RoundStart, Schedule};
pub use standings::{Row, standings};
pub use state::{EventState, GameResult, PairedGame, Round, StateError};
pub use table::{to_html, to_json, to_text};
