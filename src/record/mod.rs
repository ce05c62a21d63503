//! The one record type of a game, its readers and writers; no I/O (floor 3).
//!
//! - [`Record`]: headers, start position, moves with times, comments and analysis, and the end.
//! - [`csa`]: the CSA record format: 3.0 in UTF-8 is written; 3.0, 2.2, 2.1, 2 and records without
//!   a version line are read, in UTF-8, `Shift_JIS` or EUC-JP.
//!
//! A record holds the main line: [`Record::moves`] is one list of [`RecordMove`]. Variations would
//! join as further lists at a move, without changing what is here.
//!
//! Not here: files and folders (`archive`), the protocol (`csa` at the top level), other formats.

pub mod csa;
mod encoding;
mod game;
mod header;

pub use encoding::{Encoding, decode};
pub use game::{Analysis, End, EndKind, Record, RecordMove, RecordScore, Winner};
pub use header::{Header, JishogiRule, RecordTime};
