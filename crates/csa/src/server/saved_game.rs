//! The data of a running game from which the next process restores it if the server is killed.

use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::league::BoardGame;
use crate::{GameSummary, ReadOptions};
use kyomi_record::Header;
use kyomi_shogi::Move;

use super::password::PasswordDigest;
use super::rules::GameRules;

/// The data of a game that its journal does not have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedGame {
    /// The address on which its server listens. Several servers may share a folder of records.
    #[serde(default)]
    pub address: Option<SocketAddr>,
    /// The lines of black's offer, without a token and without the moves that were played.
    pub offer: Vec<String>,
    /// The tokens with which the players may come back, `[color]`.
    pub tokens: [String; 2],
    /// The passwords with which they logged in, `[color]`.
    pub passwords: [PasswordDigest; 2],
    /// Whether they logged in in extended mode, `[color]`.
    pub extended: [bool; 2],
    /// Whether repetition counts the start position.
    pub repetition_counts_start: bool,
    /// The number of drawn games of these players directly before it.
    pub rematches: u32,
    /// Its place in the event that the server ran.
    pub board: Option<SavedBoard>,
}

/// A place in an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedBoard {
    event: String,
    round: usize,
    board: usize,
}

impl SavedBoard {
    /// A place in the event of this name.
    pub fn new(event: &str, place: BoardGame) -> Self {
        Self { event: event.to_owned(), round: place.round, board: place.board }
    }

    /// The place, if it is one in the event of this name.
    pub fn place_in(&self, event: &str) -> Option<BoardGame> {
        (self.event == event).then_some(BoardGame { round: self.round, board: self.board })
    }
}

impl SavedGame {
    /// Whether it belongs to a server with another address.
    pub fn is_foreign(&self, address: SocketAddr) -> bool {
        address.port() != 0 && self.address.is_some_and(|own| own != address)
    }

    /// The offer; `None` if it cannot be read.
    pub fn summary(&self) -> Option<GameSummary> {
        let options = ReadOptions { minute_is_stop_watch: true };
        GameSummary::parse(self.offer.iter().map(String::as_str), options).ok()
    }

    /// The rules of the game.
    pub fn rules(&self, summary: &GameSummary) -> GameRules {
        GameRules {
            max_moves: summary.max_moves.unwrap_or(0),
            declaration: summary.entering_king(),
            repetition_counts_start: self.repetition_counts_start,
            rematch_on_draw: summary.rematch_on_draw.unwrap_or(false),
            ..GameRules::default()
        }
    }
}

/// A running game of a killed server.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredGame {
    /// What the server has stored.
    pub saved: SavedGame,
    /// The offer that was stored.
    pub summary: GameSummary,
    /// The header of its record.
    pub header: Header,
    /// The moves that were played, with the time charged for each.
    pub played: Vec<(Move, Duration)>,
}
