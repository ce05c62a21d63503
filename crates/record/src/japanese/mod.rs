//! The common parts of the Japanese formats KIF and KI2: words, boards, headers, ends, lines.
//!
//! - [`read_each`] reads both formats. They differ only in how a move is written: KIF names the square that it comes
//!   from, KI2 what distinguishes it from other moves.
//! - The writers of the two formats are in [`kif`](super::kif) and [`ki2`](super::ki2). They share the header, the
//!   comments and the order of the variations.

mod analysis;
mod board;
mod clock;
mod cursor;
mod dates;
mod ends;
mod engine_comments;
mod fields;
mod game_lines;
mod games;
mod header;
mod line_writer;
mod numbers;
mod numerals;
mod one_line;
mod read;
mod relative;
mod times;
mod words;
mod write;

pub(super) use analysis::{CommentSource, may_be_analysis, read as read_analysis};
pub(super) use ends::{end_from_result, end_from_word, end_word, english_end, read_word, result};
pub(super) use engine_comments::{
    CommentStyle, engine_comments, foul_word, move_word, target_word,
};
pub(super) use fields::{fields, find_by_words, handicap, read_fields};
pub use games::{Games, read_each};
pub(super) use line_writer::{EndContext, LineWriter, MoveContext, write_lines};
pub(super) use relative::relative_words;
pub(super) use times::write as write_time;
pub(super) use words::{begins_move, begins_with_mark, piece_word};
pub(super) use write::{is_handicap, write_comments, write_head};
