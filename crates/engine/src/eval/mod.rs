//! The static evaluation: the value of a position in centipawns for the side to move.
//!
//! ```text
//!  RunningSum ─┬─ pieces and hands relative to each king, progress ── updated from move to move
//!              └─ pairs ── pieces near each other
//!  terms ─┬─ maps ──────────── what each side attacks, mobility of its sliders
//!         ├─ zone ── attackers, guards, escapes, drops and castle around each king
//!         └─ threats ── hanging pieces, pins
//!  network ── one hidden layer over all pieces, updated from move to move
//!  nnue ── networks of other programs, in place of all this
//! ```
//!
//! The built-in evaluation is a sum of weights plus the output of a small [`network`]. The weights are those of
//! features, which `layout` numbers. Each feature has one weight for the beginning and one for the end of a game; the progress of the
//! game interpolates between them. `kyomi-lab train eval` fits the weights to games with the code that also evaluates. All
//! numbers are integers, so that the result is the same on all machines. It is symmetric: turning the board and
//! swapping the sides does not change the value for the side to move.
//!
//! Invariant: `|evaluate| <= MAX`, which is below all scores of mates and repetitions. Not here: immediate captures and
//! other moves that quiescence search finds.

#![allow(
    clippy::inline_always,
    reason = "code that is not inlined is compiled without the instructions that its caller has chosen"
)]

mod accumulator;
mod any;
mod better;
mod cache;
mod evaluation;
mod evaluator;
#[cfg(feature = "fit")]
mod features;
mod fitted;
mod hands;
#[cfg(feature = "fit")]
pub mod layout;
#[cfg(not(feature = "fit"))]
mod layout;
mod maps;
mod material;
mod moved_pieces;
pub mod network;
pub mod nnue;
mod pairs;
mod placement;
mod progress;
mod running;
mod speed;
mod terms;
mod threats;
mod weights;
mod zone;

pub use any::AnyEvaluator;
pub use better::BetterSquares;
pub use evaluation::{Evaluation, EvaluationFileError};
pub use evaluator::{Evaluator, Material};
#[cfg(feature = "fit")]
pub use features::Features;
pub use fitted::Fitted;
pub use material::{board_value, capture_value, hand_value, piece_class};
pub use placement::Placements;
pub use speed::EvaluationSpeed;
#[cfg(feature = "fit")]
pub use weights::SCALE;
pub use weights::weight_bytes;

use kyomi_shogi::{
    Color, Position,
    machine::{Work, run_with_bit_instructions},
};
use running::RunningSum;
#[cfg(not(feature = "fit"))]
use weights::SCALE;
use weights::Sum;
use weights::TaperedWeight;

/// Evaluations lie within `±MAX`.
pub const MAX: i32 = 31_616;

/// The value for the side to move. `running` is the running sum of the position.
fn evaluate(position: &Position, running: &RunningSum) -> i32 {
    let sum = running.total() + run_with_bit_instructions(Terms(position));
    let (progress, whole) = (running.progress(), progress::WHOLE);
    let value = (sum.begin() * (whole - progress) + sum.end() * progress) / (whole * SCALE);
    for_side_to_move(position, value)
}

/// The sum of all features that are not part of the running sum, from black's view.
struct Terms<'a>(&'a Position);

impl Work for Terms<'_> {
    type Output = TaperedWeight;

    #[inline(always)]
    fn run(self) -> TaperedWeight {
        let mut sums = [Sum::default(), Sum::default()];
        terms::all(self.0, &mut sums);
        let [black, white] = sums;
        black.0 - white.0
    }
}

/// Builds the tables that the first evaluation would otherwise build during a game.
fn prepare() {
    pairs::prepare();
}

/// The value for the side to move in centipawns, computed without a running sum.
pub fn evaluate_from_scratch(position: &Position) -> i32 {
    evaluate(position, &RunningSum::of(position))
}

/// The material balance for the side to move, by the piece values of exchanges.
pub fn evaluate_material(position: &Position) -> i32 {
    for_side_to_move(position, material::balance(position))
}

/// Converts a value from black's view to one for the side to move.
fn for_side_to_move(position: &Position, value: i32) -> i32 {
    let value = match position.side_to_move() {
        Color::Black => value,
        Color::White => -value,
    };
    value.clamp(-MAX, MAX)
}

#[cfg(test)]
mod tests;
