//! Generation of legal moves. No move is made to test whether it is legal.
//!
//! A generator chooses sets of target squares (`board` for moves on the board, `drops` for drops, `checks` for moves
//! that give check) and passes "this piece to these squares" to a [`Sink`], which lists or only counts the moves. In
//! check the targets of all pieces except the king are the squares that answer the check, so that all generators
//! produce legal moves in check as well.

#![allow(
    clippy::inline_always,
    reason = "each generator is compiled for its sink, and the count with the processor's bit instructions"
)]

mod board;
mod checks;
mod drops;
mod lists;
mod sets;
mod sink;

use super::bitboard::machine::{Work, run_with_bit_instructions};
use super::{Bitboard, MoveList, Position};
use board::Targets;
use sink::{Any, Count, Sink};

use checks::{checks, chosen as chosen_checks};
pub use sets::{MoveSet, MoveSets, Origin};

/// All legal moves.
fn all(position: &Position, list: &mut MoveList) {
    into(position, list);
}

/// The number of legal moves.
fn count(position: &Position) -> usize {
    run_with_bit_instructions(Counting(position))
}

/// The same with the instructions of every processor, as [`count`] on a processor without newer ones.
fn count_plainly(position: &Position) -> usize {
    Counting(position).run()
}

struct Counting<'a>(&'a Position);

impl Work for Counting<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let mut count = Count(0);
        into(self.0, &mut count);
        count.0
    }
}

/// All legal moves as sets.
fn sets(position: &Position, sets: &mut MoveSets) {
    sets.clear();
    run_with_bit_instructions(Collecting(position, sets));
}

struct Collecting<'a>(&'a Position, &'a mut MoveSets);

impl Work for Collecting<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        into(self.0, self.1);
    }
}

/// Whether a legal move exists.
fn any(position: &Position) -> bool {
    let mut any = Any(false);
    let free = position.enterable();
    board::king(position, free, &mut any);
    if !any.0 {
        board::pieces(position, Targets { plain: free, promoting: free }, &mut any);
    }
    if !any.0 {
        drops::to(position, !position.occupied(), &mut any);
    }
    any.0
}

/// Captures and promotions, whether these capture or not.
fn captures_and_promotions(position: &Position, list: &mut MoveList) {
    let free = position.enterable();
    let captures = free & position.occupied();
    board::king(position, captures, list);
    board::pieces(position, Targets { plain: captures, promoting: free }, list);
}

/// Moves on the board that neither capture nor promote.
fn quiets(position: &Position, list: &mut MoveList) {
    let empty = !position.occupied();
    board::king(position, empty, list);
    board::pieces(position, Targets { plain: empty, promoting: Bitboard::EMPTY }, list);
}

/// Drops.
fn drops(position: &Position, list: &mut MoveList) {
    drops::to(position, !position.occupied(), list);
}

#[inline(always)]
fn into(position: &Position, sink: &mut impl Sink) {
    let free = position.enterable();
    board::king(position, free, sink);
    board::pieces(position, Targets { plain: free, promoting: free }, sink);
    drops::to(position, !position.occupied(), sink);
}
