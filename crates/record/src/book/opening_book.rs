//! The book of a player. Only this module decides whether a move comes from the book, and which one.

use std::{io, sync::Arc};

use kyomi_shogi::{CountStart, Game, Move, Position};

use super::{Book, BookError, BookFaults, BookMove, BookRules, BookSpec};

/// A move from the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookAnswer {
    /// The move, legal.
    pub mv: Move,
    /// The expected reply, legal after it.
    pub reply: Option<Move>,
    /// The entry of the move.
    pub entry: BookMove,
    /// The number of moves that the book has in the position.
    pub candidates: usize,
}

/// The book of a player, with the rules of its choice.
#[derive(Debug, Clone)]
pub struct OpeningBook {
    book: Arc<Book>,
    rules: BookRules,
    /// The seed of random choices in this game.
    seed: u64,
}

impl OpeningBook {
    /// Opens the book of a player.
    ///
    /// # Errors
    /// The book cannot be opened.
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

    /// Begins a game: draws a new seed, unless the rules give one.
    pub fn new_game(&mut self) {
        self.seed = self.rules.seed.unwrap_or_else(|| fastrand::u64(..));
    }

    /// The moves of the book, by the turned position if it does not have the position itself.
    fn moves(&self, position: &Position, ply: Option<u16>) -> io::Result<Vec<BookMove>> {
        let moves = self.book.moves(position, ply)?;
        if moves.is_empty() && self.rules.flipped {
            return self.book.flipped_moves(position, ply);
        }
        Ok(moves)
    }

    /// The book's move after `game`. The same game and seed give the same move.
    pub fn choose(&self, game: &Game) -> Option<BookAnswer> {
        let position = game.position();
        if u32::from(position.ply()) > self.rules.max_ply {
            return None;
        }
        let ply = (!self.rules.ignore_ply).then_some(position.ply());
        let mut moves = match self.moves(position, ply) {
            Ok(moves) => moves,
            Err(error) => {
                tracing::warn!(%error, "the book cannot be read");
                return None;
            }
        };
        moves.retain(|it| {
            it.depth.unwrap_or_default() >= self.rules.min_depth && is_playable(game, it.mv)
        });
        let entry = self.rules.choose(&moves, self.seed ^ hash_game(game))?;
        let reply = entry.reply.filter(|reply| {
            let mut next = position.clone();
            next.do_move(entry.mv);
            next.is_legal(*reply)
        });
        Some(BookAnswer { mv: entry.mv, reply, entry, candidates: moves.len() })
    }
}

/// Whether a move is legal and leads to a position that has not occurred yet.
fn is_playable(game: &Game, mv: Move) -> bool {
    let mut next = game.clone();
    next.push(mv).is_ok() && next.repetition_count(CountStart::Yes) == 1
}

/// A hash of all positions of the game.
fn hash_game(game: &Game) -> u64 {
    let mut hash = 0_u64;
    for key in game.keys() {
        hash = (hash.rotate_left(5) ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    hash
}
