//! Reports for the tests of several modules.

use std::sync::Arc;
use std::time::Duration;

use kyomi_csa::MoveEvent;
use kyomi_shogi::clock::{Clocks, Controls, GameClocks, TimeControl};
use kyomi_shogi::{Color, Move};

use super::Report;

/// The clocks of a game in which each side has a minute.
pub(crate) fn minute() -> Clocks {
    let control = TimeControl::sudden_death(Duration::from_secs(60));
    *GameClocks::new(Controls::both(control), Color::Black).clocks()
}

/// A game has begun.
pub(crate) fn started(number: u64, [black, white]: [&str; 2], own: Color) -> Report {
    Report::GameStarted {
        number,
        game_id: format!("game {number}"),
        names: [black.to_owned(), white.to_owned()],
        own: Some(own),
        game: Arc::default(),
        move_times: Vec::new(),
        clocks: minute(),
        continued: false,
    }
}

/// A move that took a second.
pub(crate) fn made(ply: u32, mv: Move, color: Color) -> MoveEvent {
    MoveEvent {
        ply,
        mv,
        word: String::new(),
        color,
        spent: Duration::from_secs(1),
        measured: Duration::from_secs(1),
        remaining: None,
        comment: None,
        analysis: None,
        own_turn: None,
    }
}

/// Reports a move of a game.
pub(crate) fn moved(number: u64, event: MoveEvent) -> Report {
    Report::Moved { number, event: Box::new(event), clocks: minute() }
}
