//! The pairings of a round: which players meet.

mod matching;
mod round_robin;
mod swiss;

#[cfg(test)]
mod tests;

pub(super) use round_robin::round_robin;
pub(super) use swiss::{Entrant, swiss};

/// The pairing of one round, by the indices of players.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Pairing {
    /// `[black, white]` of each game.
    pub(super) games: Vec<[usize; 2]>,
    /// The player without an opponent.
    pub(super) bye: Option<usize>,
}
