//! The network of one hidden layer whose output is added to the fitted sum, as a [`Model`].

use std::path::Path;

use kyomi_engine::eval::network::{MAX_BIAS, MAX_OUTPUT_WEIGHT, MAX_WEIGHT, Network};
use kyomi_shogi::machine::run_with_wide_vectors;

use super::gradients::{self, Gradients, Pass};
use super::losses::NetworkLosses;
use super::model::{Model, ValueModel, WholeNetwork, move_numbers};
use super::parameters::Parameters;
use super::rows::Row;

impl Model for Parameters {
    type Gradients = Gradients;

    fn zero_gradients(&self) -> Gradients {
        Gradients::new(self.shape)
    }

    fn values(&self) -> &[f32] {
        &self.values
    }

    fn values_mut(&mut self) -> &mut [f32] {
        &mut self.values
    }

    fn limits(&self) -> Vec<(usize, f32)> {
        let shape = self.shape;
        let rest = shape.rest_range();
        let of_part = if shape.shared_range().is_empty() { MAX_WEIGHT } else { MAX_WEIGHT / 2.0 };
        vec![
            (rest.start, of_part),
            (rest.start + shape.width, MAX_WEIGHT),
            (rest.start + 3 * shape.width, MAX_OUTPUT_WEIGHT),
            (rest.end, MAX_BIAS),
        ]
    }

    fn move_gradients(&self, from: &mut Gradients, to: &mut [f32]) {
        let shape = self.shape;
        let Gradients { first, biases, second, bias } = from;
        let (before, rest) = to.split_at_mut(shape.rest_range().start);
        move_numbers(first.as_flattened_mut(), &mut before[shape.zoned_range()]);
        let (to_biases, rest) = rest.split_at_mut(shape.width);
        move_numbers(biases.as_flattened_mut(), to_biases);
        move_numbers(second.as_flattened_mut(), rest);
        if let Some(last) = rest.last_mut() {
            *last += std::mem::take(bias);
        }
    }

    fn complete_gradients(&self, gradients: &mut [f32]) {
        let (shared, rest) = gradients.split_at_mut(self.shape.shared_range().end);
        if shared.is_empty() {
            return;
        }
        for layer in rest[..self.shape.first()].chunks_exact(shared.len()) {
            for (shared, gradient) in shared.iter_mut().zip(layer) {
                *shared += gradient;
            }
        }
    }

    fn changed(&mut self) {
        self.refresh();
    }
}

impl ValueModel for Parameters {
    type Whole = Network;

    fn pass(
        &self,
        rows: &[Row],
        numbers: &[u32],
        gradients: Option<&mut Gradients>,
        unit: f32,
    ) -> NetworkLosses {
        run_with_wide_vectors(Pass { parameters: self, rows, numbers, gradients, unit })
    }

    fn score(&self, row: &Row, unit: f32) -> f32 {
        (row.base + gradients::centipawns(self, row)) / unit
    }

    fn whole(&self) -> Network {
        self.network()
    }
}

impl WholeNetwork for Network {
    const FILE: &'static str = "network.bin";

    fn read(path: &Path) -> Option<Self> {
        Self::read(path).ok()
    }

    fn bytes(&self) -> Vec<u8> {
        self.to_bytes()
    }

    fn checksum(&self) -> u32 {
        self.checksum()
    }

    fn score(&self, row: &Row, unit: f32) -> f32 {
        (row.base + self.centipawns(&row.inputs) as f32) / unit
    }
}
