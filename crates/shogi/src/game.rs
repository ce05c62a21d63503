//! A game: a start position and the moves made since. It also detects repetition.

use super::position::Undo;
use super::{Color, EnteringKingRule, Move, Position};

/// A start position and legal moves from it.
#[derive(Clone, Debug)]
pub struct Game {
    start: Position,
    position: Position,
    moves: Vec<Move>,
    undos: Vec<Undo>,
    /// One entry for the start position and one for each move.
    plies: Vec<Ply>,
}

/// The data of each position of the game.
#[derive(Clone, Copy, Debug)]
struct Ply {
    key: u64,
    /// Whether the side to move is in check.
    check: bool,
}

/// The move was not legal; the game is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("move {ply}: {mv} is not legal")]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
    /// Its number, which begins with that of the start position.
    pub ply: u16,
}

/// Whether the start position counts as an occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountStart {
    /// It counts, as in the rules.
    Yes,
    /// Only positions after a move count, as on the known servers.
    No,
}

/// The meaning of the fourth occurrence of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repetition {
    /// A draw.
    Sennichite,
    /// One side gave check with every move, and loses.
    PerpetualCheck {
        /// That side.
        loser: Color,
    },
}

impl Game {
    /// The most moves of a game that comes from outside. It is longer than any real game, and bounds the memory and the
    /// time that such a game can take. [`Game::push`] does not check it.
    pub const MAX_PLIES: usize = 10_000;

    /// A game without moves.
    pub fn new(start: Position) -> Self {
        let position = start.clone();
        let plies = vec![Ply { key: position.key(), check: position.in_check() }];
        Self { start, position, moves: Vec::new(), undos: Vec::new(), plies }
    }

    /// Makes a move.
    ///
    /// # Errors
    /// If it is not legal; the game is then unchanged.
    pub fn push(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.position.is_legal(mv) {
            return Err(IllegalMove { mv, ply: self.position.ply() });
        }
        self.undos.push(self.position.do_move(mv));
        self.moves.push(mv);
        self.plies.push(Ply { key: self.position.key(), check: self.position.in_check() });
        Ok(())
    }

    /// Takes back the last move.
    pub fn pop(&mut self) -> Option<Move> {
        let (mv, undo) = (self.moves.pop()?, self.undos.pop()?);
        self.plies.pop();
        self.position.undo_move(mv, undo);
        Some(mv)
    }

    /// The start position.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The moves made, first to last.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The number of moves made.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Whether no move was made yet.
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Whether two games have the same start and the same moves.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.moves() == other.moves() && self.start() == other.start()
    }

    /// The keys of all positions from the start to the current one. Their number is one more than the number of moves.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = u64> + ExactSizeIterator {
        self.plies.iter().map(|ply| ply.key)
    }

    /// Whether the side to move was in check, for all positions from the start to the current one.
    pub fn checks(&self) -> impl DoubleEndedIterator<Item = bool> + ExactSizeIterator {
        self.plies.iter().map(|ply| ply.check)
    }

    /// Whether the last move won the game: by this rule it took the king to the square that wins.
    pub fn is_won_by_try(&self, rule: EnteringKingRule) -> bool {
        let mover = !self.position.side_to_move();
        rule.try_square(mover).is_some_and(|square| {
            self.position.king_square(mover) == Some(square)
                && self.moves.last().is_some_and(|mv| mv.to() == square)
        })
    }

    /// The number of occurrences of the current position, including this one. It is at least 1, except for a start
    /// position that does not count.
    pub fn repetition_count(&self, count_start: CountStart) -> usize {
        let key = self.position.key();
        self.counted(count_start).iter().filter(|ply| ply.key == key).count()
    }

    /// The result of the repetition rule for the current position; `None` before its fourth occurrence.
    ///
    /// A side that gave check with every move of the repetition loses (perpetual check). Its unbroken run of checks,
    /// which may begin anywhere in the game, must contain all four occurrences if it made the last move. If the other
    /// side made the last move, three occurrences suffice, since the run may begin within the first cycle. With
    /// [`CountStart::No`] this is exactly the rule of the reference server (docs/csa-protocol.md, section 7.4). A start
    /// position in check counts as if a check had led to it.
    pub fn repetition(&self, count_start: CountStart) -> Option<Repetition> {
        if self.repetition_count(count_start) < 4 {
            return None;
        }
        let mover = !self.position.side_to_move();
        for (checker, needed) in [(mover, 4), (!mover, 3)] {
            if self.occurrences_in_run(checker, count_start) >= needed {
                return Some(Repetition::PerpetualCheck { loser: checker });
            }
        }
        Some(Repetition::Sennichite)
    }

    /// The number of occurrences of the current position since `checker` began to give check with every move.
    fn occurrences_in_run(&self, checker: Color, count_start: CountStart) -> usize {
        let key = self.position.key();
        let mut victim_to_move = self.position.side_to_move() != checker;
        let mut found = 0;
        let mut pending = 0;
        for ply in self.counted(count_start).iter().rev() {
            if victim_to_move && !ply.check {
                break;
            }
            pending += usize::from(ply.key == key);
            if victim_to_move {
                // A run begins with a check.
                found += pending;
                pending = 0;
            }
            victim_to_move = !victim_to_move;
        }
        found
    }

    fn counted(&self, count_start: CountStart) -> &[Ply] {
        match count_start {
            CountStart::Yes => &self.plies,
            CountStart::No => &self.plies[1..],
        }
    }
}

impl Default for Game {
    /// An even game without moves.
    fn default() -> Self {
        Self::new(Position::startpos())
    }
}

#[cfg(test)]
mod tests;
