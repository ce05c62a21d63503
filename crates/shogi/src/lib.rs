//! The rules of shogi: pieces, squares, positions, legal moves, repetition, declaration.
//!
//! - [`Position`] is one position: bitboards, a board of pieces, the hands, and precomputed checkers and pins. The
//!   generators produce legal moves only, so that no move has to be made to test it.
//! - [`Game`] is a start position with the moves made since. It detects repetition.
//! - [`notation`] reads and writes all of these as text (SFEN, USI, CSA words).
//!
//! Invariants: every function here accepts every position that [`PositionBuilder::build`] or a parser returns, even
//! without kings or with the side *not* to move in check. [`Position::check_playable`] tests whether a game can start
//! from a position. No generator produces the capture of a king.
//!
//! - [`Finding`] is what a search has found about a position, with a [`Score`].
//! - [`GameEnd`] is the end of a game: the winner, the reason, and the side to move. [`Adjudicator`] has the rules by which
//!   a game ends on the board.
//!
//! - [`clock`]: time controls and clocks; [`text`]: small forms of text.
//!
//! Not here: evaluation, records.

mod adjudicator;
mod attacks;
mod bitboard;
pub mod clock;
mod color;
mod entering_king;
mod finding;
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
pub mod text;
mod zobrist;

pub use adjudicator::Adjudicator;
pub use attacks::{Closing, aiming_near, attacks, attacks_of_all, between, line};
pub use attacks::{lines_through, reaching, step_table};
pub use bitboard::machine;
pub use bitboard::{Bitboard, Squares};
pub use color::Color;
pub use entering_king::{EnteringKingRule, EnteringKingWin};
pub use finding::Finding;
pub use game::{CountStart, Game, IllegalMove, Repetition};
pub use game_end::{EndReason, GameEnd, Outcome, Winner};
pub use hand::Hand;
pub use handicap::{HANDICAPS, Handicap};
pub use move_list::{MAX_MOVES, MoveList, MoveListIter};
pub use movegen::{MoveSet, MoveSets, Origin};
pub use moves::{Move, UsiMoveError};
pub use piece::{Piece, PieceKind};
pub use position::{
    Declaration, DeclarationFault, Position, PositionBuilder, SetupError, Undo, Unplayable,
};
pub use score::Score;
pub use square::{Square, SquareError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct ReadmeExample;
