//! Buoys, as shogi-server calls them: openings that players have set up by moves. Games under the name of a buoy begin
//! after its moves.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::split_moves;
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Game, Move, Position};

use super::super::gamename::is_buoy;

/// The buoys, by name. They last until their games are played, their owner deletes them, or the server ends. If there
/// are too many, old ones of absent owners are removed.
#[derive(Debug, Default)]
pub(super) struct Buoys(BTreeMap<String, Buoy>);

#[derive(Debug)]
struct Buoy {
    owner: String,
    moves: Vec<Move>,
    /// The number of games that may still begin with it.
    count: u32,
    set_at: Instant,
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
    /// Sets a buoy up from moves in CSA notation.
    pub(super) fn set(
        &mut self,
        owner: &str,
        name: &str,
        moves: &str,
        count: u32,
        now: Instant,
    ) -> Result<(), BuoyError> {
        let words = split_moves(moves).filter(|words| words.len() <= MOST_MOVES);
        let mut game = Game::new(Position::startpos());
        for (index, word) in words.ok_or(BuoyError::Form)?.into_iter().enumerate() {
            let illegal = BuoyError::Moves(index + 1);
            let Ok(mv) = csa::parse_move(game.position(), word) else { return Err(illegal) };
            game.push(mv).map_err(|_| illegal)?;
        }
        self.set_moves(owner, name, game.moves().to_vec(), count, now)
    }

    /// Sets a buoy up from legal moves.
    pub(super) fn set_moves(
        &mut self,
        owner: &str,
        name: &str,
        moves: Vec<Move>,
        count: u32,
        now: Instant,
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
        let owner = owner.to_owned();
        self.0.insert(name.to_owned(), Buoy { owner, moves, count, set_at: now });
        Ok(())
    }

    /// If all places are taken, removes the buoys that were set up more than [`OLD`] ago by players who are not here.
    pub(super) fn make_room(&mut self, now: Instant, is_here: impl Fn(&str) -> bool) {
        if self.0.len() >= MOST {
            self.0.retain(|_, buoy| {
                is_here(&buoy.owner) || now.saturating_duration_since(buoy.set_at) < OLD
            });
        }
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

    /// The moves with which a game of this name begins. Counts one game of the buoy as used.
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
/// The age from which a buoy of an absent player may be removed.
const OLD: Duration = Duration::from_secs(3600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_buoys_of_absent_players_make_room() {
        let (mut buoys, now) = (Buoys::default(), Instant::now());
        for number in 0..MOST {
            let owner = format!("p{}", number / MOST_OF_ONE);
            buoys.set(&owner, &format!("buoy_{number}-60-0"), "", 1, now).unwrap();
        }
        let set = |buoys: &mut Buoys, now| buoys.set("other", "buoy_x-60-0", "", 1, now);
        buoys.make_room(now, |_| false);
        assert_eq!(set(&mut buoys, now), Err(BuoyError::TooMany));
        buoys.make_room(now + OLD, |owner| owner == "p3");
        assert_eq!(set(&mut buoys, now), Ok(()));
        assert_eq!(buoys.0.len(), MOST_OF_ONE + 1);
    }
}
