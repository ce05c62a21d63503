//! Buoys: openings that players have set up by moves. Games under the name of a buoy begin after its moves.

use std::collections::BTreeMap;

use crate::csa::split_moves;
use crate::shogi::notation::csa;
use crate::shogi::{Game, Move, Position};

use super::super::gamename::is_buoy;

/// The buoys, by name. They last until their games are played, their owner deletes them, or the server ends.
#[derive(Debug, Default)]
pub(super) struct Buoys(BTreeMap<String, Buoy>);

#[derive(Debug)]
struct Buoy {
    owner: String,
    moves: Vec<Move>,
    /// The number of games that may still begin with it.
    count: u32,
}

/// Why a buoy is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum BuoyError {
    #[error(
        "wrong buoy game name: {0}; it begins with buoy_ and ends with the clock, as buoy_x-900-0"
    )]
    Name(String),
    #[error("duplicated buoy game name: {0}")]
    Duplicate(String),
    #[error("invalid count: {0}; 1 to {MOST_GAMES} is right")]
    Count(u32),
    #[error("wrong moves: move {0} cannot be played")]
    Moves(usize),
    #[error("wrong moves: they are written as +7776FU-3334FU, at most {MOST_MOVES}")]
    Form,
    #[error("there are too many buoys")]
    TooMany,
    #[error("buoy game not found: {0}")]
    Unknown(String),
    #[error("you are not allowed to delete a buoy game that you did not set: {0}")]
    NotOwner(String),
}

impl Buoys {
    /// Sets a buoy up from moves in the form of the protocol.
    pub(super) fn set(
        &mut self,
        owner: &str,
        name: &str,
        moves: &str,
        count: u32,
    ) -> Result<(), BuoyError> {
        let words = split_moves(moves).filter(|words| words.len() <= MOST_MOVES);
        let mut game = Game::new(Position::startpos());
        for (index, word) in words.ok_or(BuoyError::Form)?.into_iter().enumerate() {
            let illegal = BuoyError::Moves(index + 1);
            let Ok(mv) = csa::parse_move(game.position(), word) else { return Err(illegal) };
            game.push(mv).map_err(|_| illegal)?;
        }
        self.set_moves(owner, name, game.moves().to_vec(), count)
    }

    /// Sets a buoy up from legal moves.
    pub(super) fn set_moves(
        &mut self,
        owner: &str,
        name: &str,
        moves: Vec<Move>,
        count: u32,
    ) -> Result<(), BuoyError> {
        if !is_buoy(name) || name.len() > LONGEST_NAME {
            return Err(BuoyError::Name(name.chars().take(LONGEST_NAME).collect()));
        }
        if self.0.contains_key(name) {
            return Err(BuoyError::Duplicate(name.to_owned()));
        }
        if !(1..=MOST_GAMES).contains(&count) {
            return Err(BuoyError::Count(count));
        }
        if moves.len() > MOST_MOVES {
            return Err(BuoyError::Form);
        }
        let own = self.0.values().filter(|buoy| buoy.owner == owner).count();
        if own >= MOST_OF_ONE || self.0.len() >= MOST {
            return Err(BuoyError::TooMany);
        }
        self.0.insert(name.to_owned(), Buoy { owner: owner.to_owned(), moves, count });
        Ok(())
    }

    /// Deletes a buoy of this owner.
    pub(super) fn delete(&mut self, owner: &str, name: &str) -> Result<(), BuoyError> {
        match self.0.get(name) {
            None => Err(BuoyError::Unknown(name.chars().take(LONGEST_NAME).collect())),
            Some(buoy) if buoy.owner != owner => Err(BuoyError::NotOwner(name.to_owned())),
            Some(_) => {
                self.0.remove(name);
                Ok(())
            }
        }
    }

    /// The number of games that may still begin with a buoy.
    pub(super) fn count(&self, name: &str) -> Option<u32> {
        self.0.get(name).map(|buoy| buoy.count)
    }

    /// Whether games of this name wait for a buoy that is not set up.
    pub(super) fn is_missing(&self, game_name: &str) -> bool {
        is_buoy(game_name) && !self.0.contains_key(game_name)
    }

    /// The moves with which a game of this name begins, for one game.
    pub(super) fn take(&mut self, game_name: &str) -> Option<Vec<Move>> {
        let buoy = self.0.get_mut(game_name)?;
        buoy.count = buoy.count.saturating_sub(1);
        if buoy.count == 0 {
            return self.0.remove(game_name).map(|buoy| buoy.moves);
        }
        Some(buoy.moves.clone())
    }
}

/// The largest number of buoys.
const MOST: usize = 1000;
/// The largest number of buoys of one owner.
const MOST_OF_ONE: usize = 50;
/// The largest number of games from one buoy.
const MOST_GAMES: u32 = 10_000;
/// The largest number of moves of a buoy.
const MOST_MOVES: usize = 512;
const LONGEST_NAME: usize = 64;
