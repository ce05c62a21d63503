//! The offer of a game: `BEGIN Game_Summary` to `END Game_Summary`.
//!
//! Keys may come in any order, so all lines are collected first and interpreted at the end, including the units of
//! numbers. Unknown keys and sections are kept. A required value that is missing, contradictory or not playable is a
//! [`SummaryError`], which the session answers with `REJECT`. A value that has a default in the protocol, or follows
//! from the position, is a [`SummaryWarning`], and the game is played.
//! Source: CSA server protocol 1.2.1, `Game_Summary`.

mod entering_king;
mod fault;
mod keys;
mod reader;
mod time;
mod write;

use std::time::Duration;

use crate::text::Secret;
use kyomi_shogi::clock::{Controls, TimeControl};
use kyomi_shogi::{Color, Game, Move, Position};

use super::message::WireTime;
use super::profile::SpentUnit;

pub use fault::{SummaryError, SummaryWarning};
pub use reader::{ReadOptions, SummaryReader};
#[cfg(test)]
pub(crate) use tests::without_board;

/// A move that the offer already contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetupMove {
    /// The move.
    pub mv: Move,
    /// The time written with it. The reference server writes `T1` with each move and does not charge it.
    pub spent: Option<WireTime>,
}

/// An offer of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameSummary {
    /// `Protocol_Version`
    pub protocol_version: Option<String>,
    /// `Protocol_Mode`: `Server` or `Direct`.
    pub protocol_mode: Option<String>,
    /// `Format`: `Shogi 1.0`.
    pub format: Option<String>,
    /// `Declaration`: `Jishogi 1.1`. [`GameSummary::entering_king`] is its meaning.
    pub declaration: Option<String>,
    /// `Game_ID`; untrusted, never used as a path.
    pub game_id: String,
    /// `Name+` and `Name-`, `[color]`.
    pub names: [String; 2],
    /// `Your_Turn`
    pub your_turn: Color,
    /// `Rematch_On_Draw`
    pub rematch_on_draw: Option<bool>,
    /// `Max_Moves`, including the moves of the offer; `None` without a limit (sent as `0`).
    pub max_moves: Option<u32>,
    /// The clocks.
    pub times: Controls,
    /// The position before the moves of the offer.
    pub start: Position,
    /// The moves already made.
    pub moves: Vec<SetupMove>,
    /// `Entering_King_Rule` (rshogi): a value of the USI option. It goes before `Declaration`.
    pub entering_king_rule: Option<String>,
    /// `Reconnect_Token` (rshogi). Whoever knows it can enter the game.
    pub reconnect_token: Option<Secret>,
    /// Unknown keys in order, then the lines of unknown sections with the section as key.
    pub other: Vec<(String, String)>,
}

impl GameSummary {
    /// An offer of an even game from the standard start position with default values.
    pub fn new(
        game_id: impl Into<String>,
        black: impl Into<String>,
        white: impl Into<String>,
    ) -> Self {
        Self {
            protocol_version: Some("1.2".to_owned()),
            protocol_mode: Some("Server".to_owned()),
            format: Some("Shogi 1.0".to_owned()),
            declaration: Some(keys::JISHOGI.to_owned()),
            game_id: game_id.into(),
            names: [black.into(), white.into()],
            your_turn: Color::Black,
            rematch_on_draw: Some(false),
            max_moves: None,
            times: Controls::default(),
            start: Position::startpos(),
            moves: Vec::new(),
            entering_king_rule: None,
            reconnect_token: None,
            other: Vec::new(),
        }
    }

    /// The name of a player.
    pub fn name(&self, color: Color) -> &str {
        &self.names[color.index()]
    }

    /// The time control of a player.
    pub fn time(&self, color: Color) -> &TimeControl {
        self.times.of(color)
    }

    /// The game after the moves of the offer.
    ///
    /// # Errors
    /// The number of the first illegal move, starting at 1. Never occurs for a parsed offer.
    pub fn game(&self) -> Result<Game, usize> {
        let mut game = Game::new(self.start.clone());
        for (index, setup) in self.moves.iter().enumerate() {
            game.push(setup.mv).map_err(|_| index + 1)?;
        }
        Ok(game)
    }

    /// The times given with the moves of the offer; `None` where there is none, or an impossible one. `unit`: what the
    /// server counts.
    pub fn move_times(&self, unit: SpentUnit) -> Vec<Option<Duration>> {
        let mut side = self.start.side_to_move();
        let time = |setup: &SetupMove| {
            let length = unit.length(self.time(side));
            side = !side;
            let spent = setup.spent.map(|spent| spent.to_duration(length));
            spent.filter(|spent| *spent <= TimeControl::LONGEST)
        };
        self.moves.iter().map(time).collect()
    }

    /// The side to move after the moves of the offer: `To_Move`.
    pub fn to_move(&self) -> Color {
        let start = self.start.side_to_move();
        if self.moves.len().is_multiple_of(2) { start } else { !start }
    }
}

#[cfg(test)]
mod tests;
