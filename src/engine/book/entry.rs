//! The entry of a book for one position.

use std::cmp::Reverse;

use crate::shogi::{Move, Position};

/// A move of a book, with its statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// The expected reply.
    pub reply: Option<Move>,
    /// Centipawns for the side to move; 0 also if unknown.
    pub score: i32,
    /// The depth of the score in plies; 0 if there was no search.
    pub depth: u32,
    /// The number of games with this move; 0 if not counted.
    pub count: u64,
}

/// A position of a book and its moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookEntry {
    /// Board, side to move and hands as SFEN writes them, without the number of the move.
    pub sfen: Box<str>,
    /// The number of the move, from 1; 0 if the book does not give it.
    pub ply: u16,
    /// The moves.
    pub moves: Vec<BookMove>,
}

impl BookEntry {
    /// An entry without moves.
    pub fn new(position: &Position) -> Self {
        Self { sfen: key_of(position), ply: position.ply(), moves: Vec::new() }
    }
}

/// The key of a position: its SFEN without the ply.
pub(super) fn key_of(position: &Position) -> Box<str> {
    let sfen = position.to_sfen();
    sfen.rsplit_once(' ').map_or(sfen.as_str(), |(key, _)| key).into()
}

/// Merges equal moves, and sorts them: the highest score first, then the largest count.
///
/// Counts are added. Score, depth and reply are those of the deepest of the equal moves, then of the most frequent one.
/// The result does not depend on the order of the moves.
pub fn combine(mut moves: Vec<BookMove>) -> Vec<BookMove> {
    let rank = |it: &BookMove| {
        (it.mv.to_bits(), Reverse((it.depth, it.count, it.score, it.reply.map(Move::to_bits))))
    };
    moves.sort_unstable_by_key(rank);
    moves.dedup_by(|next, kept| {
        let is_same = next.mv == kept.mv;
        if is_same {
            kept.count = kept.count.saturating_add(next.count);
        }
        is_same
    });
    moves.sort_by_key(|it| Reverse((it.score, it.count)));
    moves
}
