//! The book of a player: the one place that decides whether a move comes from the book, and which.

use std::sync::Arc;

use crate::shogi::{CountStart, Game, Move};

use super::{Book, BookError, BookFaults, BookMove, BookRules, BookSpec};

/// A move from the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookAnswer {
    /// The move, legal.
    pub mv: Move,
    /// The expected reply, legal after it.
    pub reply: Option<Move>,
    /// What the book knows of the move.
    pub entry: BookMove,
    /// The number of moves that the book has in the position.
    pub candidates: usize,
}

/// The book of a player, with the rules of its choice.
#[derive(Debug, Clone)]
pub struct OpeningBook {
    book: Arc<Book>,
    rules: BookRules,
    /// What chance depends on in this game.
    seed: u64,
}

impl OpeningBook {
    /// Opens the book of a player.
    ///
    /// # Errors
    /// There is no such book.
    pub fn open(spec: &BookSpec) -> Result<(Self, BookFaults), BookError> {
        let (book, faults) = Book::open(&spec.source)?;
        Ok((Self::new(book, spec.rules), faults))
    }

    /// A player's book.
    pub fn new(book: Book, rules: BookRules) -> Self {
        let mut book = Self { book: Arc::new(book), rules, seed: 0 };
        book.new_game();
        book
    }

    /// The number of positions; `None` for a book that is searched on disk.
    pub fn positions(&self) -> Option<usize> {
        match &*self.book {
            Book::Table(table) => Some(table.entries().len()),
            Book::Disk(_) => None,
        }
    }

    /// A game begins: chance decides anew, unless the seed is given.
    pub fn new_game(&mut self) {
        self.seed = self.rules.seed.unwrap_or_else(|| fastrand::u64(..));
    }

    /// The book's move after `game`. The answer for the same game is always the same.
    pub fn choose(&self, game: &Game) -> Option<BookAnswer> {
        let position = game.position();
        if u32::from(position.ply()) > self.rules.max_ply {
            return None;
        }
        let ply = (!self.rules.ignore_ply).then_some(position.ply());
        let mut moves = match self.book.moves(position, ply) {
            Ok(moves) => moves,
            Err(error) => {
                tracing::warn!(%error, "the book cannot be read");
                return None;
            }
        };
        moves.retain(|it| it.depth >= self.rules.min_depth && is_playable(game, it.mv));
        let known = self.rules.choose(&moves, self.seed ^ mix(game))?;
        let reply = known.reply.filter(|reply| {
            let mut next = position.clone();
            next.do_move(known.mv);
            next.is_legal(*reply)
        });
        Some(BookAnswer { mv: known.mv, reply, entry: known, candidates: moves.len() })
    }
}

/// Whether a move is legal and leads to a position that has not occurred yet.
fn is_playable(game: &Game, mv: Move) -> bool {
    let mut next = game.clone();
    next.push(mv).is_ok() && next.repetition_count(CountStart::Yes) == 1
}

/// A number for the game so far.
fn mix(game: &Game) -> u64 {
    let mut mixed = 0_u64;
    for key in game.keys() {
        mixed = (mixed.rotate_left(5) ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    mixed
}
