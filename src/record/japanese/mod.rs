//! What the Japanese records, KIF and KI2, have in common: words, boards, headers, ends, lines.
//!
//! - [`read_each`] reads both forms, which differ in how a move is told only: KIF names the square
//!   it comes from, KI2 what distinguishes it from other moves.
//! - The writers of the two forms stand in [`kif`](super::kif) and [`ki2`](super::ki2) and share
//!   the head, the comments and the way through the variations.

mod analysis;
mod apart;
mod board;
mod clock;
mod dates;
mod ends;
mod fork;
mod games;
mod header;
mod numbers;
mod numerals;
mod one_line;
mod place;
mod read;
mod relative;
mod thoughts;
mod times;
mod walk;
mod words;
mod write;

pub(super) use analysis::{Source, read as read_analysis};
pub(super) use apart::{fields, find_told, handicap, read_fields};
pub(super) use ends::{end_from_result, end_from_word, end_word, read_word, result};
pub use games::{Games, read_each};
pub(super) use relative::relative_words;
pub(super) use thoughts::{Medium, move_word, thoughts};
pub(super) use times::write as write_time;
pub(super) use walk::{Form, Step, Stop, walk};
pub(super) use words::{begins_move, begins_with_mark, piece_word};
pub(super) use write::{is_handicap, write_comments, write_head};
