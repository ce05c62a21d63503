//! The positions of a training.

use std::collections::HashMap;

use crate::train::samples::PositionSet;
use kyomi_engine::eval::evaluate_from_scratch;
use kyomi_engine::eval::network::NetworkInputs;
use kyomi_shogi::{Color, Position};

/// The positions of a training.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    seen: HashMap<u64, (usize, u32)>,
}

/// One position.
#[derive(Debug)]
pub(super) struct Row {
    /// The inputs of the network.
    pub(super) inputs: NetworkInputs,
    /// The fitted sum for the side to move, in centipawns.
    pub(super) base: f32,
    /// The weight of the position in the loss.
    pub(super) weight: f32,
    /// 0 to 1: black's expected score.
    black_target: f32,
}

impl Row {
    /// The number of bytes of [`to_bytes`](Self::to_bytes).
    pub(super) const BYTES: usize = NetworkInputs::BYTES + 12;

    /// The position as bytes, for a file.
    pub(super) fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let (inputs, numbers) = bytes.split_at_mut(NetworkInputs::BYTES);
        inputs.copy_from_slice(&self.inputs.to_bytes());
        let own = [self.base, self.weight, self.black_target];
        for (bytes, number) in numbers.as_chunks_mut().0.iter_mut().zip(own) {
            *bytes = number.to_le_bytes();
        }
        bytes
    }

    /// The position from its bytes; `None` if a number is out of range.
    pub(super) fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (inputs, numbers) = bytes.split_first_chunk()?;
        let &[base, weight, black_target] = numbers.as_chunks::<4>().0 else { return None };
        let [base, weight, black_target] = [base, weight, black_target].map(f32::from_le_bytes);
        let fit = base.is_finite()
            && weight.is_finite()
            && weight >= 0.0
            && (0.0..=1.0).contains(&black_target);
        let inputs = NetworkInputs::from_bytes(inputs)?;
        fit.then_some(Self { inputs, base, weight, black_target })
    }

    /// 0 to 1: the expected score of the side to move.
    #[inline]
    pub(super) fn target(&self) -> f32 {
        match self.inputs.side_to_move() {
            Color::Black => self.black_target,
            Color::White => 1.0 - self.black_target,
        }
    }
}

impl Rows {
    /// The positions of an earlier reading.
    pub(super) fn of(rows: Vec<Row>) -> Self {
        Self { rows, seen: HashMap::new() }
    }

    /// Frees the memory that only the reading of games needs.
    pub(super) fn finish(&mut self) {
        self.seen = HashMap::new();
        self.rows.shrink_to_fit();
    }
}

impl PositionSet for Rows {
    fn count(&self) -> usize {
        self.rows.len()
    }

    fn add(&mut self, position: &Position, target: f32, weight: f32) {
        self.rows.push(Row {
            inputs: NetworkInputs::of(position),
            base: evaluate_from_scratch(position) as f32,
            weight,
            black_target: target,
        });
    }

    fn target_mut(&mut self, index: usize) -> Option<&mut f32> {
        Some(&mut self.rows.get_mut(index)?.black_target)
    }

    fn seen_mut(&mut self) -> &mut HashMap<u64, (usize, u32)> {
        &mut self.seen
    }
}
