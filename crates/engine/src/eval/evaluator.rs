//! The interface between the search and an evaluation.

use kyomi_shogi::{Move, Position};

use super::evaluate_material;

/// A static evaluation that follows one search thread from position to position.
///
/// An evaluator owns its caches and the data that it updates from move to move. It may delay all computations until
/// [`value`](Self::value) is called, except those that need a position which is about to be left. For that reason
/// [`push`](Self::push) is called before the move is made.
pub trait Evaluator {
    /// Starts at this position, the root of a search.
    fn reset(&mut self, position: &Position);

    /// Takes note that the position with this key may be evaluated soon.
    fn prefetch(&self, _key: u64) {}

    /// Follows a legal move that is about to be made in `position`, the current position.
    fn push(&mut self, position: &Position, mv: Move);

    /// Follows a null move that is about to be made in `position`, the current position.
    fn push_null(&mut self, position: &Position);

    /// Goes back to the position before the last [`push`](Self::push) or [`push_null`](Self::push_null).
    fn pop(&mut self);

    /// The value of `position`, the current position, in centipawns for the side to move, within
    /// `±`[`MAX`](super::MAX).
    fn value(&mut self, position: &Position) -> i32;
}

/// The values of the pieces alone. It keeps no data.
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
