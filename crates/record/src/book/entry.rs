//! The entry of a book for one position.

use std::cmp::Reverse;

use kyomi_shogi::{Move, Position};

use super::comment::{BookComment, comment_lines, join_comments};

/// A move of a book, with its statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// The expected reply.
    pub reply: Option<Move>,
    /// Centipawns for the side to move, if the book has them.
    pub score: Option<i32>,
    /// The depth of the score in plies, if the book has it; 0 if there was no search.
    pub depth: Option<u32>,
    /// The number of games with this move; 0 if not counted.
    pub count: u64,
}

impl BookMove {
    /// The score by which moves are compared. A move without one counts as even.
    pub(super) fn compared_score(&self) -> i32 {
        self.score.unwrap_or_default()
    }

    /// Whether the move is worse than `best` by more than `margin` centipawns. A move without a score is not.
    pub(super) fn is_beyond(&self, best: i32, margin: u32) -> bool {
        self.score.is_some_and(|score| i64::from(score) < i64::from(best) - i64::from(margin))
    }

    /// The same move of the position seen from the other side.
    pub(super) fn rotated(self) -> Self {
        Self { mv: self.mv.rotated(), reply: self.reply.map(Move::rotated), ..self }
    }
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
    /// The comments: that of the position, then those of the moves in their order.
    pub comments: Vec<BookComment>,
}

impl BookEntry {
    /// An entry without moves.
    pub fn new(position: &Position) -> Self {
        Self {
            sfen: key_of(position),
            ply: position.ply(),
            moves: Vec::new(),
            comments: Vec::new(),
        }
    }

    /// Adds a line to the comment of a move, or of the position.
    pub(super) fn comment(&mut self, of: Option<Move>, line: &str) {
        for line in comment_lines(line) {
            match self.comments.last_mut().filter(|last| last.of == of) {
                Some(last) => last.text = format!("{}\n{line}", last.text).into(),
                None => self.comments.push(BookComment { of, text: line.into() }),
            }
        }
    }

    /// Joins the comments of the same move, in the order of the moves. Those of moves that the entry does not have are
    /// dropped.
    pub(super) fn sort_comments(&mut self) {
        let all = std::mem::take(&mut self.comments);
        if all.is_empty() {
            return;
        }
        let mut sorted = Vec::new();
        for of in std::iter::once(None).chain(self.moves.iter().map(|it| Some(it.mv))) {
            let texts = all.iter().filter(|it| it.of == of).map(|it| &*it.text);
            let is_new = sorted.iter().all(|it: &BookComment| it.of != of);
            if let Some(text) = join_comments(texts.collect()).filter(|_| is_new) {
                sorted.push(BookComment { of, text });
            }
        }
        self.comments = sorted;
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
    moves.sort_by_key(|it| Reverse((it.compared_score(), it.count)));
    moves
}
