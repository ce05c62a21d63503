//! The weights of learned move probabilities by the real squares of moves and kings.

use std::sync::{Arc, LazyLock};

use super::file::{LearnedFileError, weights_of};
use super::layout::{CLASSES, Class, PROMOTION, WEIGHTS, square_weight};
use super::{DROP_STEP, MOST, OCTAVE};
use crate::search::parameters::Parameters;
use kyomi_shogi::{Bitboard, Color, PieceKind, Square};

/// Weights by square.
pub(in crate::search::interest) type SquareWeights = [i8; Square::COUNT];

/// The number of different weights of the target of a drop.
const DROP_LEVELS: usize = 5;

/// The weights of the moves of a side, seen from the square of one of the kings.
#[derive(Debug)]
pub(in crate::search::interest) struct View {
    /// `[class]`: by target. Those of drops are rounded.
    pub(in crate::search::interest) targets: [SquareWeights; CLASSES],
    /// `[kind]`: by origin.
    pub(in crate::search::interest) origins: [SquareWeights; PieceKind::COUNT],
    /// `[kind dropped][level]`: the targets with this weight.
    pub(in crate::search::interest) drops: [[Bitboard; DROP_LEVELS]; PieceKind::HAND.len()],
}

/// The weights of a file.
#[derive(Debug)]
pub struct LearnedWeights {
    /// `[mover][own, enemy][king]`.
    pub(in crate::search::interest) views: Box<[View]>,
    /// The weights other than those of squares, from [`PROMOTION`] on.
    plain: [i8; WEIGHTS - PROMOTION],
}

impl LearnedWeights {
    /// The weights in the bytes of a file.
    ///
    /// # Errors
    /// The bytes are not a whole file of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LearnedFileError> {
        weights_of(bytes).map(Self::of)
    }

    /// These weights, a signed byte each.
    fn of(weights: &[u8]) -> Self {
        let weight = |number: usize| weights.get(number).map_or(0, |byte| *byte as i8);
        let row = |mover, own, king, class| -> SquareWeights {
            std::array::from_fn(|square| {
                let square = Square::from_index(square);
                square.map_or(0, |to| weight(square_weight(mover, own, king, class, to)))
            })
        };
        let view = |mover, own, king| {
            let mut targets =
                std::array::from_fn(|class| row(mover, own, king, Class::Target(class)));
            for row in &mut targets[PieceKind::COUNT..] {
                *row = row.map(|weight| level_weight(level(weight)) as i8);
            }
            let origins = std::array::from_fn(|kind| row(mover, own, king, Class::Origin(kind)));
            let drops = std::array::from_fn(|kind| {
                let row = &targets[PieceKind::COUNT + kind];
                std::array::from_fn(|wanted| {
                    Square::all().filter(|square| level(row[square.index()]) == wanted).collect()
                })
            });
            View { targets, origins, drops }
        };
        let mut views = Vec::new();
        for mover in Color::ALL {
            for own in [true, false] {
                views.extend(Square::all().map(|king| view(mover, own, king)));
            }
        }
        let plain = std::array::from_fn(|at| weight(PROMOTION + at));
        Self { views: views.into(), plain }
    }

    /// The weights that are part of the program.
    fn builtin() -> Arc<Self> {
        static BUILTIN: LazyLock<Arc<LearnedWeights>> = LazyLock::new(|| {
            // A test reads the file. Weights of 0 change nothing.
            let weights = LearnedWeights::from_bytes(BYTES);
            Arc::new(weights.unwrap_or_else(|_| LearnedWeights::of(&[0; WEIGHTS])))
        });
        Arc::clone(&BUILTIN)
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "inlined code has the instructions of its caller")]
    pub(in crate::search::interest) fn plain(&self, number: usize) -> i32 {
        self.plain.get(number - PROMOTION).map_or(0, |weight| i32::from(*weight))
    }
}

/// `kyomi-lab train moves` writes it. `moves.json` has the settings of that run.
static BYTES: &[u8] = include_bytes!("moves.bin");

/// The level of the weight of a drop.
fn level(weight: i8) -> usize {
    let middle = DROP_LEVELS as i32 / 2;
    let steps = (i32::from(weight) + DROP_STEP / 2).div_euclid(DROP_STEP);
    (steps.clamp(-middle, middle) + middle) as usize
}

/// The weight of a drop of a level.
pub(in crate::search::interest) const fn level_weight(level: usize) -> i32 {
    (level as i32 - DROP_LEVELS as i32 / 2) * DROP_STEP
}

/// Learned move probabilities as a search uses them.
#[derive(Debug)]
pub(in crate::search) struct LearnedInterest {
    pub(in crate::search::interest) weights: Arc<LearnedWeights>,
    /// The factor for each sum of weights from `-MOST` on, in 256ths.
    pub(in crate::search::interest) factors: [i32; 2 * MOST as usize + 1],
}

impl LearnedInterest {
    /// `None` if the parameters switch it off.
    pub(in crate::search) fn new(p: &Parameters) -> Option<Box<Self>> {
        (p.learned != 0).then(|| Box::new(Self::with(LearnedWeights::builtin(), p)))
    }

    pub(super) fn with(weights: Arc<LearnedWeights>, p: &Parameters) -> Self {
        let factor = |at: usize| factor((at as i32 - MOST) * p.learned / 100);
        let factors = std::array::from_fn(factor);
        Self { weights, factors }
    }
}

/// Two to the power of a logarithm, in 256ths.
fn factor(logarithm: i32) -> i32 {
    let logarithm = logarithm.clamp(-2 * MOST, 2 * MOST);
    let root = ROOTS[logarithm.rem_euclid(OCTAVE) as usize];
    match logarithm.div_euclid(OCTAVE) - 4 {
        octaves @ 0.. => root << octaves,
        octaves => (root >> -octaves).max(1),
    }
}

/// The powers of the sixteenth root of 2, times 4096.
const ROOTS: [i32; OCTAVE as usize] = [
    4096, 4277, 4467, 4664, 4871, 5087, 5312, 5547, 5793, 6049, 6317, 6597, 6889, 7194, 7512, 7845,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_program_is_valid() {
        assert!(LearnedWeights::from_bytes(BYTES).is_ok());
    }

    #[test]
    fn sixteen_units_are_a_factor_of_two() {
        assert_eq!([-32, -16, -8, 0, 8, 16, 48].map(factor), [64, 128, 181, 256, 362, 512, 2048]);
        assert_eq!((factor(-9999), factor(9999)), (4, 16384));
    }

    #[test]
    fn the_weights_of_drops_are_rounded() {
        let rounded = |weight: i8| level_weight(level(weight));
        assert_eq!([-127, -31, -30, -9, 9, 10, 127].map(rounded), [-40, -40, -20, 0, 0, 20, 40]);
    }
}
