//! What the training of a network of the K-P architecture needs: its inputs as data, the numbers that a file can hold,
//! and the file.

use std::sync::LazyLock;

use arrayvec::ArrayVec;

use super::{
    accumulate::removed_and_added,
    architecture::Architecture,
    file::header,
    layers::{self, Code, Inputs, Task, WEIGHT_BITS},
    machine::Machine,
    pieces::{KINGS, MISSING, PieceNumber, SET, SET_WITH_KINGS, mirrored},
    scale::Scale,
    weights::{Block, NnueWeights},
};
use crate::eval::network::{INPUTS, NetworkInputs, in_hand, on_board};
use kyomi_shogi::{Color, Piece, PieceKind, Square};

impl Architecture {
    /// The smallest of the field: pieces and kings, each alone.
    pub const KING_AND_PIECE: Self = Self::KNOWN[0];
}

/// The rows of the first layer that are active in a view.
pub type ActiveRows = ArrayVec<u16, SET_WITH_KINGS>;

impl NetworkInputs {
    /// The rows of the K-P architecture for the view of the side to move and of its opponent, of the position itself or
    /// with the board mirrored left to right.
    pub fn king_and_piece_rows(&self, is_mirrored: bool) -> [ActiveRows; 2] {
        let (mover, other) = (self.side_to_move(), !self.side_to_move());
        [mover, other].map(|color| {
            let number = |input: &u16| {
                let number = NUMBERS[usize::from(*input)].0[color.index()];
                if is_mirrored { mirrored(number) } else { number }
            };
            let mut rows: ActiveRows = self.for_black().iter().map(number).collect();
            let pieces = rows.iter().filter(|row| **row < KINGS).count();
            for _ in pieces..SET {
                // A position with more kings than sets have has no room for all.
                let _ = rows.try_push(MISSING);
            }
            rows
        })
    }
}

/// The number of the piece of each input from black's view.
static NUMBERS: LazyLock<[PieceNumber; INPUTS]> = LazyLock::new(|| {
    let mut numbers = [PieceNumber::default(); INPUTS];
    for color in Color::ALL {
        for kind in PieceKind::ALL {
            let piece = Piece::new(color, kind);
            for square in Square::all() {
                let input = usize::from(on_board(piece, square));
                numbers[input] = PieceNumber::on_board(piece, square);
            }
        }
        for kind in PieceKind::HAND {
            for n in 1..=kind.total() {
                let input = usize::from(in_hand(color, kind, n));
                numbers[input] = PieceNumber::in_hand(color, kind, n);
            }
        }
    }
    numbers
});

/// The numbers that a weight of a file can have: the multiples of `1 / one` up to `most`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// The whole number that stands for 1.
    pub one: f32,
    /// The largest absolute value.
    pub most: f32,
}

impl Grid {
    /// The whole number of the nearest weight that a file can have.
    #[inline]
    pub fn whole(self, weight: f32) -> f32 {
        (weight.clamp(-self.most, self.most) * self.one).round()
    }

    /// The nearest weight that a file can have.
    #[inline]
    pub fn nearest(self, weight: f32) -> f32 {
        self.whole(weight) / self.one
    }
}

/// The grids of a network whose hidden units lie between 0 and 1, and whose output 1 is a number of centipawns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grids {
    /// Weights and biases of the first layer.
    pub first: Grid,
    /// Weights of the two hidden layers.
    pub hidden: Grid,
    /// Biases of the two hidden layers.
    pub hidden_bias: Grid,
    /// Weights of the output.
    pub output: Grid,
    /// The bias of the output.
    pub output_bias: Grid,
}

/// The whole number of an active unit.
const ACTIVE: f32 = 127.0;
/// The largest weight of a hidden layer as a whole number.
const MOST_WHOLE: f32 = 127.0;
/// The largest weight of the first layer. With it a bias and the rows of all pieces stay within 16 bits.
const MOST_FIRST: f32 = 6.0;
/// No bias of a hidden layer or of the output needs to be larger.
const MOST_BIAS: f32 = 1000.0;

impl Grids {
    /// The grids for this number of centipawns, which [`Scale::usual`] makes of the output 1.
    pub fn new(centipawns: f32) -> Self {
        let hidden_one = (1 << WEIGHT_BITS) as f32;
        let Scale { fv_scale, percent } = Scale::usual();
        let output_one = centipawns * f32::from(fv_scale) * 100.0 / f32::from(percent);
        let layer = |one: f32| Grid { one, most: MOST_WHOLE / one };
        let bias = |one: f32| Grid { one, most: MOST_BIAS };
        Self {
            first: Grid { one: ACTIVE, most: MOST_FIRST },
            hidden: layer(hidden_one),
            hidden_bias: bias(hidden_one * ACTIVE),
            output: layer(output_one / ACTIVE),
            output_bias: bias(output_one),
        }
    }
}

/// A network of the K-P architecture with floating-point weights.
#[derive(Debug, Clone, Copy)]
pub struct FloatNnue<'a> {
    /// `[unit]`.
    pub biases: &'a [f32],
    /// `[row][unit]`.
    pub rows: &'a [f32],
    /// For each layer its biases `[output]` and its weights `[output][input]`.
    pub layers: [(&'a [f32], &'a [f32]); 3],
}

impl FloatNnue<'_> {
    /// The file of the nearest network that a file can hold.
    ///
    /// # Panics
    /// If a list of weights does not have the length that follows from the architecture.
    pub fn to_file(&self, grids: &Grids) -> Vec<u8> {
        let architecture = Architecture::KING_AND_PIECE;
        let Architecture { features, half, .. } = architecture;
        assert_eq!((self.biases.len(), self.rows.len()), (half, features.rows() * half));
        let mut bytes = header(architecture);
        for weight in self.biases.iter().chain(self.rows) {
            bytes.extend((grids.first.whole(*weight) as i16).to_le_bytes());
        }
        bytes.extend([0; 4]);
        let shapes = architecture.layers().into_iter().zip(self.layers);
        for (at, ((inputs, outputs), (biases, weights))) in shapes.enumerate() {
            assert_eq!((biases.len(), weights.len()), (outputs, inputs * outputs));
            let is_last = at + 1 == self.layers.len();
            let (bias, weight, half) = if is_last {
                (grids.output_bias, grids.output, 0)
            } else {
                // A half of what the shift removes, so that it rounds to the nearest.
                (grids.hidden_bias, grids.hidden, 1 << (WEIGHT_BITS - 1))
            };
            for number in biases {
                bytes.extend((bias.whole(*number) as i32 + half).to_le_bytes());
            }
            // The inputs of these layers are multiples of 32, so that nothing is padded.
            bytes.extend(weights.iter().map(|number| weight.whole(*number) as i8 as u8));
        }
        bytes
    }
}

impl NnueWeights {
    /// The output for a position, computed from scratch.
    ///
    /// # Panics
    /// If the network has another architecture than K-P.
    pub fn king_and_piece_output(&self, inputs: &NetworkInputs) -> i32 {
        assert_eq!(self.architecture, Architecture::KING_AND_PIECE);
        let rows = inputs.king_and_piece_rows(false);
        Machine::fastest().run(FromScratch { weights: self, rows })
    }
}

/// Computes the sums of both views, then the output.
struct FromScratch<'a> {
    weights: &'a NnueWeights,
    /// Those of the side to move, then of its opponent.
    rows: [ActiveRows; 2],
}

impl Task for FromScratch<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self, code: impl Code) -> i32 {
        let Self { weights, rows } = self;
        let mut sums = [weights.biases.clone(), weights.biases.clone()];
        for (sums, rows) in sums.iter_mut().zip(&rows) {
            for row in rows {
                removed_and_added(weights, sums, &[], &[u32::from(*row)]);
            }
        }
        let [mover, other]: &[Vec<Block>; 2] = &sums;
        layers::output(weights, [mover, other], 0, &mut Inputs::default(), code)
    }
}

#[cfg(test)]
mod tests;
