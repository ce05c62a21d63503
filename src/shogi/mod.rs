//! The rules of shogi, pure: pieces, squares, positions, legal moves, repetition, declaration (layer 1).
//!
//! - [`Position`] is one position, laid out for speed: bitboards, a board of pieces, the hands, and ready-made
//!   checkers and pins. Its moves are generated legal, never tried and taken back.
//! - [`Game`] is a start position with the moves made since, and judges repetition.
//! - [`notation`] is the text of all of these (SFEN, USI, CSA words).
//!
//! Invariants: every position that [`PositionBuilder::build`] or a parser lets through is safe for every function
//! here, also without kings or with the side *not* to move in check ([`Position::check_playable`] separates those
//! from positions that a game can start from). A king is never captured: no generator makes such a move.
//!
//! - [`GameEnd`] is the end of a game: who won, why, who was to move.
//!
//! Not here: clocks, evaluation, records.

#![cfg_attr(
    not(feature = "program"),
    allow(dead_code, unused_imports, reason = "the search uses parts that are not public")
)]

mod attacks;
mod bitboard;
mod color;
mod game;
mod game_end;
mod hand;
mod handicap;
mod move_list;
mod movegen;
mod moves;
pub mod notation;
pub mod perft;
mod piece;
mod position;
mod score;
mod square;
mod text;
mod zobrist;

pub use attacks::{attacks, attacks_of_all, between, line};
pub(crate) use attacks::{reaching, step_table};
pub(crate) use bitboard::machine;
pub use bitboard::{Bitboard, Squares};
pub use color::Color;
pub use game::{CountStart, Game, IllegalMove, Repetition};
pub use game_end::{EndReason, GameEnd, Outcome, Winner};
pub use hand::Hand;
pub use handicap::{HANDICAPS, Handicap};
pub use move_list::{MAX_MOVES, MoveList, MoveListIter};
pub(crate) use movegen::{MoveSet, MoveSets, Origin};
pub use moves::{Move, UsiMoveError};
pub use piece::{Piece, PieceKind};
pub use position::{
    Declaration, DeclarationFault, Position, PositionBuilder, SetupError, Undo, Unplayable,
};
pub use score::Score;
pub use square::{Square, SquareError};
