//! The rounds so far and their results: what is stored on disk after every game.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::event::Event;

/// The state of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventState {
    /// The version of the file format, 1.
    pub version: u32,
    /// The name of the event.
    pub event: String,
    /// The names of the players, in the order of the event's file.
    pub players: Vec<String>,
    /// The rounds that have begun.
    pub rounds: Vec<Round>,
}

/// A round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// When it began.
    pub began: Timestamp,
    /// When its last game ended.
    pub ended: Option<Timestamp>,
    /// Its games.
    pub games: Vec<PairedGame>,
    /// The player without an opponent in a Swiss round, by its index, who gets a point.
    pub bye: Option<usize>,
}

/// A game of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairedGame {
    /// The players by their index, `[black, white]`.
    pub players: [usize; 2],
    /// The result; `None` until the game has ended.
    pub result: Option<GameResult>,
    /// Why it ended, as one word.
    pub reason: Option<String>,
    /// The id of the game on the server.
    pub game_id: Option<String>,
}

/// The result of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameResult {
    /// Black has won.
    Black,
    /// White has won.
    White,
    /// Nobody has won.
    Draw,
    /// White was absent.
    BlackByForfeit,
    /// Black was absent.
    WhiteByForfeit,
    /// Both were absent, and get nothing.
    DoubleForfeit,
}

impl GameResult {
    /// Half points, `[black, white]`.
    pub fn half_points(self) -> [u32; 2] {
        match self {
            Self::Black | Self::BlackByForfeit => [2, 0],
            Self::White | Self::WhiteByForfeit => [0, 2],
            Self::Draw => [1, 1],
            Self::DoubleForfeit => [0, 0],
        }
    }

    /// Whether the game was played, and not decided by forfeit.
    pub fn is_played(self) -> bool {
        matches!(self, Self::Black | Self::White | Self::Draw)
    }
}

/// Why a stored state does not belong to an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// It is not JSON of this form.
    #[error("it is no state of an event: {0}")]
    Form(String),
    /// It belongs to another event.
    #[error("it belongs to another event, or the players of this one have changed")]
    OtherEvent,
    /// A round is inconsistent.
    #[error("round {0} contradicts itself")]
    Round(usize),
}

impl EventState {
    /// The state before the first round.
    pub fn new(event: &Event) -> Self {
        let players = event.players.iter().map(|player| player.name.clone()).collect();
        Self { version: VERSION, event: event.name.clone(), players, rounds: Vec::new() }
    }

    /// Reads a stored state of this event.
    ///
    /// # Errors
    /// It is not one.
    pub fn parse(text: &str, event: &Event) -> Result<Self, StateError> {
        let state: Self =
            serde_json::from_str(text).map_err(|error| StateError::Form(error.to_string()))?;
        let new = Self::new(event);
        if (state.version, &state.event, &state.players) != (VERSION, &new.event, &new.players)
            || state.rounds.len() > event.rounds()
        {
            return Err(StateError::OtherEvent);
        }
        for (number, round) in state.rounds.iter().enumerate() {
            let mut seen = vec![false; state.players.len()];
            let players = round.games.iter().flat_map(|game| game.players).chain(round.bye);
            for player in players {
                match seen.get_mut(player) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err(StateError::Round(number + 1)),
                }
            }
            // The last round may have all results but no end, if its last result was entered by hand.
            let is_last = number + 1 == state.rounds.len();
            let is_played = round.games.iter().all(|game| game.result.is_some());
            if (round.ended.is_some() || !is_last) && !is_played
                || round.ended.is_none() && !is_last
            {
                return Err(StateError::Round(number + 1));
            }
        }
        Ok(state)
    }

    /// The state as it is stored.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Whether all rounds of the event are over.
    pub fn is_over(&self, event: &Event) -> bool {
        self.rounds.len() >= event.rounds() && self.rounds.iter().all(|it| it.ended.is_some())
    }
}

const VERSION: u32 = 1;
