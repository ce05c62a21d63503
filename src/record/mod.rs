//! The one record type of a game, its readers and writers; no I/O (layer 3).
//!
//! - [`Record`]: headers, start position, moves with times, comments and analysis, the end, and
//!   variations of all of these ([`Variation`]).
//! - [`Format`]: all formats by name, with one way to read and one way to write each; what a format
//!   cannot hold is told in [`Omissions`].
//! - [`csa`]: the CSA record format: 3.0 in UTF-8 is written; 3.0, 2.2, 2.1, 2 and records without
//!   a version line are read, in UTF-8, `Shift_JIS` or EUC-JP.
//! - [`usi_list`], [`sfen_list`]: one game, or one position, a line.
//! - [`jkf`]: JSON, for web viewers, with variations.
//! - [`psv`], [`hcpe`]: rows of position, move, score and result, for training.
//! - [`kif`], [`ki2`]: the Japanese formats, in all dialects; what they share stands in `japanese`.
//!
//! Not here: files and folders (`archive`), the protocol (`csa` at the top level).

pub mod csa;
mod detect;
mod encoding;
mod fault;
mod format;
mod game;
pub mod hcpe;
mod header;
mod japanese;
pub mod jkf;
pub mod ki2;
pub mod kif;
mod lines;
mod main_line;
mod omission;
mod packed;
mod pieces;
pub mod psv;
mod score;
pub mod sfen_list;
mod spec;
#[cfg(test)]
pub(crate) mod strategy;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
pub mod usi_list;

pub use encoding::{Decoded, Encoding, decode, decode_as, encode};
pub use fault::{PackedFault, Place, RecordError, RecordFault, Warning};
pub use format::Format;
pub use game::{Analysis, End, EndKind, ReadRecord, Record, RecordMove, Variation, Winner};
pub use header::{Header, JishogiRule, RecordTime};
pub use omission::{Omission, Omissions};
pub use pieces::{HEAD, MOST_LINE_BYTES, in_utf8, is_utf16, read_bounded, read_detected};
pub use spec::{Pieces, ReadGames};
pub use tree::BadParent;
