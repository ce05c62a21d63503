//! Game records: one type for them, and a reader and a writer for each format. No I/O, except that large books and tables
//! are read from their files piece by piece.
//!
//! - [`Record`]: header, start position, moves with times, comments and analysis, the end, and variations with all
//!   of these ([`Variation`]).
//! - [`Format`]: the formats by name. What a format cannot hold is reported in [`Omissions`]. Each public module is
//!   a format, described by its `FormatSpec` (`spec`), with a row in the table of `format`; [`book`] and [`html`] are not.
//! - [`csa`]: the CSA record format. 3.0 in UTF-8 is written, or 2.2; 3.0, 2.2, 2.1, 2 and records without a version
//!   line are read, in any encoding.
//! - [`usi_list`], [`sfen_list`]: one game, or one position, a line.
//! - [`jkf`]: JSON, for web viewers, with variations.
//! - [`psv`], [`hcpe`]: rows of position, move, score and result, for training.
//! - [`GameColumns`]: tables of games, one a line, with columns for the result, the players, scores and times. [`Games`]
//!   reads whole tables for training, with the moves made.
//! - [`Opening`]: the opening of a game by name.
//! - [`html`]: the frame of pages, and text that cannot leave its element.
//! - [`book`]: opening books in YaneuraOu's format, and the choice of a move from them.
//! - [`kif`], [`ki2`]: the Japanese formats, in all dialects; their common parts are in `japanese`.
//!
//! Not here: files and folders (`archive`), the protocol (`csa` at the top level).

pub mod book;
mod castle;
pub mod csa;
mod csa_analysis;
mod detect;
mod encoding;
mod end;
mod fault;
mod file_lines;
mod format;
mod foul;
mod game;
mod game_rows;
mod game_table;
pub mod hcpe;
mod header;
pub mod html;
mod input;
mod japanese;
pub mod jkf;
pub mod ki2;
pub mod kif;
mod lines;
mod main_line;
mod omission;
mod opening;
mod packed;
pub mod psv;
mod score;
pub mod sfen_list;
mod spec;
#[cfg(any(test, feature = "proptest"))]
pub mod strategy;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
pub mod usi_list;

pub use castle::{Castle, castle, castles};
pub use encoding::{Decoded, Encoding, decode, decode_as, encode};
pub use fault::{PackedFault, Place, RecordError, RecordFault, Warning};
pub use format::Format;
pub use game::{
    Analysis, BOOK_MOVE, End, EndKind, Foul, ReadRecord, Record, RecordMove, Variation,
};
pub use game_rows::GameColumns;
pub use game_table::{Games, GamesError, RowFault, TrainingGame, is_table};
pub use header::{Header, JishogiRule, RecordTime};
pub use input::{HEAD_BYTES, LONGEST_LINE, in_utf8, is_utf16, read_bounded, read_detected};
pub use kyomi_shogi::Winner;
pub use omission::{Omission, Omissions};
pub use opening::{NoOpening, Opening, Range};
pub use score::{score_fields, score_json};
pub use spec::{Pieces, ReadGames};
pub use tree::BadParent;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
