//! Reports for the tests of this module.

use crate::watch::{Report, testing};
use kyomi_shogi::{Color, EndReason, GameEnd};

/// A game of kyomi against `white` has begun.
pub(super) fn started(number: u64, white: &str) -> Report {
    testing::started(number, ["kyomi", white], Color::Black)
}

/// The game is over.
pub(super) fn ended(number: u64) -> Report {
    let end = GameEnd::won(Color::Black, EndReason::Resignation, Color::White);
    Report::GameEnded { number, end, record: None }
}
