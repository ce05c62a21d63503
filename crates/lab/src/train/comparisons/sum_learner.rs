//! The fitted sum that learns from comparisons. The network stays as it is.

use crate::train::fit::{self, Descent, Fit, UNIT};
use crate::train::model::{self, WEIGHTS};
use crate::train::parallel::{LossSums as _, sum_losses};
use kyomi_engine::eval::network::NetworkInputs;
use kyomi_engine::eval::{Features, weight_bytes};
use kyomi_shogi::{Color, Position};

use super::choice::{Comparison, LeafContent, MOST_MOVES};
use super::learner::Learner;
use super::rule::{ComparisonLosses, ComparisonRule};

/// The features of a position.
#[derive(Debug)]
pub(super) struct SumContent {
    /// Black's features, then white's.
    features: Box<[u32]>,
    /// The number of black's features.
    black: u32,
    /// 0 to 1: the progress of the game.
    progress: f32,
    /// 1 if black is to move, otherwise -1.
    mover: f32,
}

impl LeafContent for SumContent {
    fn of(position: &Position, _: NetworkInputs, _: i32) -> Self {
        let Features { sides: [black, white], progress } = Features::of(position);
        let count = black.len() as u32;
        let features = [black, white].concat();
        Self {
            features: features.into(),
            black: count,
            progress: progress as f32 / Features::WHOLE as f32,
            mover: if position.side_to_move() == Color::Black { 1.0 } else { -1.0 },
        }
    }
}

impl SumContent {
    /// The sum of weights for the side to move, in centipawns.
    pub(super) fn value(&self, weights: &[f32]) -> f32 {
        let (black, white) = self.sides();
        self.mover * fit::score(weights, self.progress, black, white) * UNIT
    }

    /// Black's features and white's.
    fn sides(&self) -> (&[u32], &[u32]) {
        self.features.split_at(self.black as usize)
    }
}

/// The losses of changed weights on some comparisons, and their gradients.
pub(super) fn pass(
    changes: &[f32],
    comparisons: &[Comparison<SumContent>],
    numbers: &[u32],
    rule: &ComparisonRule,
    mut gradients: Option<&mut [f32]>,
) -> ComparisonLosses {
    let mut values = [0.0; MOST_MOVES];
    let mut losses = ComparisonLosses::default();
    for &number in numbers {
        let leaves = &comparisons[number as usize].leaves;
        let values = &mut values[..leaves.len()];
        for (leaf, value) in leaves.iter().zip(&mut *values) {
            *value = leaf.before + leaf.sign * leaf.content.value(changes);
        }
        rule.add_losses(leaves, values, &mut losses, |at, gradient| {
            let Some(gradients) = gradients.as_deref_mut() else { return };
            let leaf = &leaves[at];
            let (black, white) = leaf.content.sides();
            let gradient = gradient * leaf.sign * leaf.content.mover * UNIT;
            fit::add_gradients(gradients, gradient, leaf.content.progress, black, white);
        });
    }
    losses
}

/// The fitted sum that learns from comparisons.
pub(super) struct SumLearner {
    /// The changes of the weights.
    fit: Fit,
    rule: ComparisonRule,
    descent: Descent,
}

impl SumLearner {
    /// The learner of the changes of the weights in use.
    pub(super) fn new(rule: &ComparisonRule, descent: Descent) -> Self {
        Self { fit: Fit::of_changes(), rule: rule.clone(), descent }
    }
}

impl Learner for SumLearner {
    type Content = SumContent;
    type Rounded = Vec<u8>;

    fn step(
        &mut self,
        comparisons: &[Comparison<SumContent>],
        batch: &[u32],
        _: u32,
    ) -> ComparisonLosses {
        let Self { fit, rule, descent } = self;
        let changes = fit.weights();
        let part = |numbers: &[u32]| {
            let mut gradients = vec![0.0; WEIGHTS];
            let losses = pass(changes, comparisons, numbers, rule, Some(&mut gradients));
            (losses, gradients)
        };
        let mut losses = ComparisonLosses::default();
        let gradients =
            fit::summed_gradients(batch, descent.threads, part, |part| losses.add(part));
        fit.step_by(&gradients, losses.weight(), comparisons.len(), descent);
        losses
    }

    fn rounded(&self) -> Vec<u8> {
        let present = model::from_bytes(weight_bytes());
        let changed =
            present.iter().zip(self.fit.weights()).map(|(weight, change)| weight + change);
        model::in_bytes(&changed.collect::<Vec<f32>>())
    }

    fn losses(
        &self,
        weights: &Vec<u8>,
        comparisons: &[Comparison<SumContent>],
    ) -> ComparisonLosses {
        let pairs = model::from_bytes(weights).into_iter().zip(model::from_bytes(weight_bytes()));
        let changes: Vec<f32> = pairs.map(|(new, present)| new - present).collect();
        sum_losses(comparisons.len(), self.descent.threads, |numbers| {
            pass(&changes, comparisons, numbers, &self.rule, None)
        })
    }
}
