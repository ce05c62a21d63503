//! A network that learns from comparisons. The fitted sum stays as it is.

use crate::train::network::{
    Gradients, Lanes, Moments, NetworkDescent, Parameters, Trainer, backward, forward,
};
use crate::train::parallel::sum_losses;
use kyomi_engine::eval::network::{LANES, Network, NetworkInputs, OUTPUT_UNIT};
use kyomi_shogi::Position;
use kyomi_shogi::machine::{Work, run_with_wide_vectors};

use super::choice::{Comparison, Leaf, LeafContent, MOST_MOVES};
use super::learner::Learner;
use super::rule::{ComparisonLosses, ComparisonRule};

/// What the output of a network is computed from.
#[derive(Debug)]
pub(super) struct NetworkContent {
    inputs: NetworkInputs,
    /// The fitted sum for the side to move, in centipawns.
    base: f32,
}

impl LeafContent for NetworkContent {
    fn of(_: &Position, inputs: NetworkInputs, sum: i32) -> Self {
        Self { inputs, base: sum as f32 }
    }
}

/// A network that learns from comparisons.
pub(super) struct NetworkLearner {
    trainer: Trainer<Parameters>,
    rule: ComparisonRule,
    descent: NetworkDescent,
}

impl NetworkLearner {
    /// The learner of a network that is trained further.
    pub(super) fn new(start: &Network, rule: &ComparisonRule, descent: NetworkDescent) -> Self {
        let parameters = Parameters::of_network(start);
        let moments = Moments::new(parameters.shape.parameters());
        let trainer = Trainer::new(parameters, moments);
        Self { trainer, rule: rule.clone(), descent }
    }
}

impl Learner for NetworkLearner {
    type Content = NetworkContent;
    type Rounded = Network;

    fn step(
        &mut self,
        comparisons: &[Comparison<NetworkContent>],
        batch: &[u32],
        steps: u32,
    ) -> ComparisonLosses {
        let Self { trainer, rule, descent } = self;
        trainer.step(batch, steps, descent, |parameters, numbers, gradients| {
            run_with_wide_vectors(ComparisonPass {
                parameters,
                comparisons,
                numbers,
                gradients,
                rule,
            })
        })
    }

    fn rounded(&self) -> Network {
        self.trainer.model.network()
    }

    fn losses(
        &self,
        network: &Network,
        comparisons: &[Comparison<NetworkContent>],
    ) -> ComparisonLosses {
        let parameters = Parameters::of_network(network);
        comparison_losses(&parameters, comparisons, &self.rule, self.descent.threads)
    }
}

/// The losses of a network on some comparisons.
pub(super) fn comparison_losses(
    parameters: &Parameters,
    comparisons: &[Comparison<NetworkContent>],
    rule: &ComparisonRule,
    threads: usize,
) -> ComparisonLosses {
    sum_losses(comparisons.len(), threads, |numbers| {
        run_with_wide_vectors(ComparisonPass {
            parameters,
            comparisons,
            numbers,
            gradients: None,
            rule,
        })
    })
}

/// Computes the losses of some comparisons, and adds their gradients if `gradients` is given.
pub(super) struct ComparisonPass<'a> {
    pub(super) parameters: &'a Parameters,
    pub(super) comparisons: &'a [Comparison<NetworkContent>],
    /// The indices of the comparisons.
    pub(super) numbers: &'a [u32],
    pub(super) gradients: Option<&'a mut Gradients>,
    pub(super) rule: &'a ComparisonRule,
}

impl Work for ComparisonPass<'_> {
    type Output = ComparisonLosses;

    #[allow(clippy::inline_always, reason = "see `Work`")]
    #[inline(always)]
    fn run(self) -> ComparisonLosses {
        let Self { parameters, comparisons, numbers, mut gradients, rule } = self;
        let zones = parameters.shape.zones;
        let width = 2 * parameters.shape.blocks();
        let output_unit = OUTPUT_UNIT as f32;
        let mut units: Vec<Lanes> = vec![[0.0; LANES]; MOST_MOVES * width];
        let mut values = [0.0; MOST_MOVES];
        let mut losses = ComparisonLosses::default();
        for &number in numbers {
            let leaves = &comparisons[number as usize].leaves;
            let values = &mut values[..leaves.len()];
            for ((leaf, value), units) in
                leaves.iter().zip(&mut *values).zip(units.chunks_exact_mut(width))
            {
                let Leaf { content, sign, .. } = leaf;
                let output = forward(parameters, &content.inputs.rows(zones), units);
                *value = sign * (content.base + output * output_unit);
            }
            rule.add_losses(leaves, values, &mut losses, |at, gradient| {
                let Some(gradients) = gradients.as_deref_mut() else { return };
                let Leaf { content, sign, .. } = &leaves[at];
                let units = &units[at * width..][..width];
                let gradient = sign * output_unit * gradient;
                backward(parameters, &content.inputs.rows(zones), units, gradient, gradients);
            });
        }
        losses
    }
}
