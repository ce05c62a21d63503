//! What the search asks of an evaluation.

use crate::shogi::{Move, Position};

use super::evaluate_material;

/// A static evaluation that follows one search thread from position to position.
///
/// An evaluator owns what it carries along from move to move and all that it remembers. It computes nothing before
/// [`value`](Self::value) asks for it, except what would be lost: [`push`](Self::push) is called before the move is made,
/// because what was left undone for the position can only be computed from that position.
pub trait Evaluator {
    /// Starts at this position, the root of a search.
    fn reset(&mut self, position: &Position);

    /// A legal move is about to be made in `position`, where the evaluator is.
    fn push(&mut self, position: &Position, mv: Move);

    /// The turn is about to be passed in `position`, where the evaluator is.
    fn push_null(&mut self, position: &Position);

    /// Goes back to before the last [`push`](Self::push) or [`push_null`](Self::push_null).
    fn pop(&mut self);

    /// The value in centipawns for the side to move of `position`, where the evaluator is: within `±`[`MAX`](super::MAX).
    fn value(&mut self, position: &Position) -> i32;
}

/// The values of the pieces alone; nothing is carried along.
#[derive(Debug, Default)]
pub struct Material;

impl Evaluator for Material {
    fn reset(&mut self, _: &Position) {}

    fn push(&mut self, _: &Position, _: Move) {}

    fn push_null(&mut self, _: &Position) {}

    fn pop(&mut self) {}

    fn value(&mut self, position: &Position) -> i32 {
        evaluate_material(position)
    }
}
