//! Reports for the tests of this module.

use std::{sync::Arc, time::Duration};

use crate::watch::Report;
use kyomi_shogi::clock::{Clocks, Controls, DelayEstimator, TimeControl};
use kyomi_shogi::{Color, EndReason, GameEnd};

/// A game of kyomi against `white` has begun.
pub(super) fn started(number: u64, white: &str) -> Report {
    let controls = Controls::both(TimeControl::UNLIMITED);
    let (left, network) = (Duration::ZERO, DelayEstimator::default());
    Report::GameStarted {
        number,
        game_id: "id".to_owned(),
        names: ["kyomi".to_owned(), white.to_owned()],
        own: Some(Color::Black),
        game: Arc::default(),
        move_times: Vec::new(),
        clocks: Clocks::new(controls, left, left, Color::Black, network),
        continued: false,
    }
}

/// The game is over.
pub(super) fn ended(number: u64) -> Report {
    let end = GameEnd::won(Color::Black, EndReason::Resignation, Color::White);
    Report::GameEnded { number, end, record: None }
}
