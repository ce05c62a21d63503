//! The parameters of a network in training.
//!
//! With several king zones, a weight of the first layer is the sum of a parameter that all zones share and of one of
//! the zone. The shared weights are learnt from the positions of all zones.

use std::ops::Range;

use kyomi_engine::eval::network::{FloatNetwork, INPUTS, KingZones, LANES, Network};

/// The sizes of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::train) struct Shape {
    /// The number of hidden units of each view, a multiple of [`LANES`].
    pub(in crate::train) width: usize,
    pub(in crate::train) zones: KingZones,
}

/// Some adjacent numbers.
pub(in crate::train) type Lanes = [f32; LANES];

impl Shape {
    pub(in crate::train) const fn blocks(self) -> usize {
        self.width / LANES
    }

    /// The number of weights of one zone's first layer.
    const fn layer(self) -> usize {
        INPUTS * self.width
    }

    /// The number of parameters that all zones share.
    const fn shared(self) -> usize {
        if self.zones.count() == 1 { 0 } else { self.layer() }
    }

    /// The number of weights of the first layer.
    pub(super) const fn first(self) -> usize {
        self.zones.count() * self.layer()
    }

    /// The number of parameters behind those of the first layer: biases, second layer, bias of the output.
    pub(super) const fn rest(self) -> usize {
        3 * self.width + 1
    }

    /// The number of parameters.
    pub(in crate::train) const fn parameters(self) -> usize {
        self.shared() + self.first() + self.rest()
    }

    /// The parameters that all zones share; empty if there is one zone.
    pub(super) const fn shared_range(self) -> Range<usize> {
        0..self.shared()
    }

    /// The parameters of the zones, `[zone][input][unit]`.
    pub(super) const fn zoned_range(self) -> Range<usize> {
        self.shared()..self.shared() + self.first()
    }

    /// The parameters of biases `[unit]`, second layer `[mover, opponent][unit]` and bias of the output.
    pub(in crate::train) const fn rest_range(self) -> Range<usize> {
        self.shared() + self.first()..self.parameters()
    }
}

/// The parameters, and the weights that they add up to.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::train) struct Parameters {
    pub(in crate::train) shape: Shape,
    pub(in crate::train) values: Vec<f32>,
    /// `[zone][input][block]`: the first layer.
    first: Vec<Lanes>,
}

impl Parameters {
    /// A network that has learnt nothing: its output is 0.
    pub(in crate::train) fn new(shape: Shape, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut values = vec![0.0; shape.parameters()];
        // About forty inputs are active. A unit is half active on average.
        let layer = if shape.shared() == 0 { shape.zoned_range() } else { shape.shared_range() };
        for value in &mut values[layer] {
            *value = (random.f32() * 2.0 - 1.0) * 0.08;
        }
        let rest = shape.rest_range().start;
        values[rest..rest + shape.width].fill(0.4);
        let mut parameters = Self { shape, values, first: Vec::new() };
        parameters.refresh();
        parameters
    }

    /// The parameters of a network, to train it further. What its zones share is their mean.
    pub(in crate::train) fn of_network(network: &Network) -> Self {
        let shape = Shape { width: network.width(), zones: network.zones() };
        let mut values = vec![0.0; shape.shared()];
        values.extend(network.to_floats());
        let (shared, rest) = values.split_at_mut(shape.shared());
        if !shared.is_empty() {
            let zones = &mut rest[..shape.first()];
            for zone in zones.chunks_exact(shared.len()) {
                for (mean, weight) in shared.iter_mut().zip(zone) {
                    *mean += weight / shape.zones.count() as f32;
                }
            }
            for zone in zones.chunks_exact_mut(shared.len()) {
                for (weight, mean) in zone.iter_mut().zip(&*shared) {
                    *weight -= mean;
                }
            }
        }
        let mut parameters = Self { shape, values, first: Vec::new() };
        parameters.refresh();
        parameters
    }

    /// Recomputes the first layer after a change of the values.
    pub(in crate::train) fn refresh(&mut self) {
        self.first.resize(self.shape.first() / LANES, [0.0; LANES]);
        let zoned = &self.values[self.shape.zoned_range()];
        let first = self.first.as_flattened_mut();
        first.copy_from_slice(zoned);
        let shared = &self.values[self.shape.shared_range()];
        if !shared.is_empty() {
            for layer in first.chunks_exact_mut(shared.len()) {
                for (weight, shared) in layer.iter_mut().zip(shared) {
                    *weight += shared;
                }
            }
        }
    }

    /// `[zone][input][block]`: the first layer.
    pub(super) fn first(&self) -> &[Lanes] {
        &self.first
    }

    fn rest(&self) -> &[f32] {
        &self.values[self.shape.rest_range()]
    }

    /// `[block]`.
    pub(super) fn biases(&self) -> &[Lanes] {
        self.rest()[..self.shape.width].as_chunks().0
    }

    /// `[mover, opponent][block]`: the second layer.
    pub(super) fn second(&self) -> &[Lanes] {
        self.rest()[self.shape.width..3 * self.shape.width].as_chunks().0
    }

    /// The bias of the output.
    pub(super) fn bias(&self) -> f32 {
        self.rest().last().copied().unwrap_or(0.0)
    }

    /// The network with whole numbers that is nearest.
    pub(in crate::train) fn network(&self) -> Network {
        Network::nearest(&FloatNetwork {
            width: self.shape.width,
            zones: self.shape.zones,
            first: self.first.as_flattened(),
            biases: self.biases().as_flattened(),
            second: self.second().as_flattened(),
            bias: self.bias(),
        })
    }
}

#[cfg(test)]
impl Parameters {
    /// Parameters that have learnt something.
    pub(in crate::train) fn learnt(shape: Shape) -> Self {
        let mut random = fastrand::Rng::with_seed(5);
        let mut parameters = Self::new(shape, 4);
        for value in &mut parameters.values {
            *value += (random.f32() * 2.0 - 1.0) * 0.06;
        }
        let rest = shape.rest_range().start + shape.width;
        for value in &mut parameters.values[rest..] {
            *value = (random.f32() * 2.0 - 1.0) * 0.5;
        }
        parameters.refresh();
        parameters
    }
}
