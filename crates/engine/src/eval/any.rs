//! The evaluator of a search thread, which is chosen at run time.

use std::sync::Arc;

use kyomi_shogi::{Move, Position};

use super::{Evaluation, Evaluator, Fitted, Material, network::SumAndNetwork, nnue::NnueEvaluator};

/// An evaluator that is chosen at run time, so that one search serves all evaluations.
#[derive(Debug)]
pub enum AnyEvaluator {
    /// The fitted evaluation with a network.
    Network(SumAndNetwork),
    /// A network of the NNUE family.
    Nnue(NnueEvaluator),
    /// The fitted evaluation alone.
    Fitted(Fitted),
    /// The values of the pieces alone.
    Material(Material),
}

impl AnyEvaluator {
    /// The evaluator of an evaluation.
    pub fn of(evaluation: &Evaluation) -> Self {
        match evaluation {
            Evaluation::Own(network) => Self::Network(SumAndNetwork::new(Arc::clone(network))),
            Evaluation::Nnue(weights, scale) => {
                Self::Nnue(NnueEvaluator::new(Arc::clone(weights), *scale))
            }
        }
    }

    /// The value of `position`, the current position, for the side to move in the own unit of a network's file, else in
    /// centipawns.
    pub fn units(&mut self, position: &Position) -> i32 {
        match self {
            Self::Nnue(evaluator) => evaluator.units(position),
            other => other.value(position),
        }
    }
}

/// Calls the evaluator that it is.
macro_rules! call {
    ($any:expr, $method:ident $(, $argument:expr)*) => {
        match $any {
            Self::Network(evaluator) => evaluator.$method($($argument),*),
            Self::Nnue(evaluator) => evaluator.$method($($argument),*),
            Self::Fitted(evaluator) => evaluator.$method($($argument),*),
            Self::Material(evaluator) => evaluator.$method($($argument),*),
        }
    };
}

impl Evaluator for AnyEvaluator {
    fn reset(&mut self, position: &Position) {
        call!(self, reset, position);
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        call!(self, prefetch, key);
    }

    #[inline]
    fn push(&mut self, position: &Position, mv: Move) {
        call!(self, push, position, mv);
    }

    #[inline]
    fn push_null(&mut self, position: &Position) {
        call!(self, push_null, position);
    }

    #[inline]
    fn pop(&mut self) {
        call!(self, pop);
    }

    #[inline]
    fn value(&mut self, position: &Position) -> i32 {
        call!(self, value, position)
    }
}
