//! A choice between the evaluators at run time.

use crate::shogi::{Move, Position};

use super::{Evaluator, Fitted, Material, network::SumAndNetwork};

/// An evaluator that is chosen at run time, for experiments.
#[derive(Debug)]
pub enum AnyEvaluator {
    /// The fitted evaluation.
    Fitted(Fitted),
    /// The fitted evaluation with a network.
    Network(Box<SumAndNetwork>),
    /// The values of the pieces alone.
    Material(Material),
}

impl Evaluator for AnyEvaluator {
    fn reset(&mut self, position: &Position) {
        match self {
            Self::Fitted(fitted) => fitted.reset(position),
            Self::Network(network) => network.reset(position),
            Self::Material(material) => material.reset(position),
        }
    }

    fn prefetch(&self, key: u64) {
        match self {
            Self::Fitted(fitted) => fitted.prefetch(key),
            Self::Network(network) => network.prefetch(key),
            Self::Material(material) => material.prefetch(key),
        }
    }

    fn push(&mut self, position: &Position, mv: Move) {
        match self {
            Self::Fitted(fitted) => fitted.push(position, mv),
            Self::Network(network) => network.push(position, mv),
            Self::Material(material) => material.push(position, mv),
        }
    }

    fn push_null(&mut self, position: &Position) {
        match self {
            Self::Fitted(fitted) => fitted.push_null(position),
            Self::Network(network) => network.push_null(position),
            Self::Material(material) => material.push_null(position),
        }
    }

    fn pop(&mut self) {
        match self {
            Self::Fitted(fitted) => fitted.pop(),
            Self::Network(network) => network.pop(),
            Self::Material(material) => material.pop(),
        }
    }

    fn value(&mut self, position: &Position) -> i32 {
        match self {
            Self::Fitted(fitted) => fitted.value(position),
            Self::Network(network) => network.value(position),
            Self::Material(material) => material.value(position),
        }
    }
}
