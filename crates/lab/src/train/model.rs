//! The parameters of the fit, of which the weights of the evaluation are sums.
//!
//! - The weight of a piece and a king is the sum of three parameters: one for the piece's square, one for its offset
//!   from the king, and one for this square with this king. The first two are learnt from all games, the third where
//!   there is enough data.
//! - The weight of two pieces near each other is a parameter for the pair plus a parameter for the pair on this rank.
//! - The weight of n pieces of a kind in hand is a sum with one term for each of them.
//!
//! Every number exists twice, for the beginning and for the end of a game.

use kyomi_engine::eval::layout::{
    COLUMNS, COUNTS, FEATURES, HANDS, KINGS, OTHER_PIECES, PAIRS, PIECES, PIECES_BY_SIDE, RANKS,
    RELATIVE_PLACES as NEAR,
};
use kyomi_engine::eval::{SCALE, board_value, hand_value};
use kyomi_shogi::{PieceKind, Square};

/// Weights, or the gradients of a loss in them: `[feature][beginning, end]`.
pub(super) type Weights = Vec<f32>;

/// The number of weights.
pub(super) const WEIGHTS: usize = 2 * FEATURES;

const SQUARES: usize = Square::COUNT;
/// The number of offsets from a king to a square.
const OFFSETS: usize = 17 * 17;
/// The number of kinds in both hands.
const HELD: usize = 14;

/// A group of parameters with a common spread and rate: the parameters from `begin` to before `end`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) begin: usize,
    pub(super) end: usize,
    /// The usual difference between such a parameter and its expected value, in centipawns.
    pub(super) spread: f32,
    /// The factor on the learning rate for these parameters.
    pub(super) rate: f32,
}

/// The number of parameters, spread and rate of each group: a piece by its square, by its offset from the king, by
/// both; pieces in hand, the same by the king's square; the weights that are parameters themselves; a pair of near
/// pieces, the same by its rank.
const SIZES: [(usize, f32, f32); 8] = [
    (PIECES_BY_SIDE * SQUARES, 80.0, 1.0),
    (PIECES_BY_SIDE * OFFSETS, 30.0, 0.6),
    (KINGS * PIECES_BY_SIDE * SQUARES, 14.0, 0.4),
    (HELD * COUNTS, 60.0, 1.0),
    (KINGS * HELD * COUNTS, 8.0, 0.3),
    (PAIRS - COLUMNS, 30.0, 0.6),
    (PieceKind::COUNT * NEAR * OTHER_PIECES, 10.0, 0.4),
    (FEATURES - PAIRS, 10.0, 0.4),
];

const BEGINS: [usize; 9] = {
    let mut begins = [0; 9];
    let mut i = 0;
    while i < 8 {
        begins[i + 1] = begins[i] + 2 * SIZES[i].0;
        i += 1;
    }
    begins
};

/// The number of parameters.
pub(super) const PARAMETERS: usize = BEGINS[8];

/// The groups of parameters, in the order of their indices.
pub(super) fn groups() -> [Group; 8] {
    std::array::from_fn(|i| Group {
        begin: BEGINS[i],
        end: BEGINS[i + 1],
        spread: SIZES[i].1,
        rate: SIZES[i].2,
    })
}

/// The expected values of the parameters, before any game is read: the plain values of the pieces, one half of each for
/// either king.
pub(super) fn expected() -> Vec<f32> {
    let mut parameters = vec![0.0; PARAMETERS];
    for enemy in 0..2 {
        let sign = if enemy == 0 { 0.5 } else { -0.5 };
        for kind in PieceKind::ALL {
            let first = BEGINS[0] + 2 * (enemy * PieceKind::COUNT + kind.index()) * SQUARES;
            parameters[first..first + 2 * SQUARES].fill(sign * board_value(kind) as f32);
        }
        for kind in PieceKind::HAND {
            let first = BEGINS[3] + 2 * (enemy * 7 + kind.index()) * COUNTS;
            parameters[first + 2..first + 2 * COUNTS].fill(sign * hand_value(kind) as f32);
        }
    }
    parameters
}

/// Weights in the file format of the evaluation: 16 bits each, in units of a centipawn divided by [`SCALE`].
pub(super) fn in_bytes(weights: &[f32]) -> Vec<u8> {
    let rounded = |weight: &f32| {
        let parts = (weight * SCALE as f32).round();
        parts.clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16
    };
    weights.iter().flat_map(|weight| rounded(weight).to_le_bytes()).collect()
}

/// The weights of a file.
pub(super) fn from_bytes(bytes: &[u8]) -> Weights {
    let weight = |bytes: &[u8; 2]| f32::from(i16::from_le_bytes(*bytes)) / SCALE as f32;
    bytes.as_chunks::<2>().0.iter().map(weight).collect()
}

/// Computes the weights from the parameters.
pub(super) fn expand(parameters: &[f32], weights: &mut Weights) {
    weights.clear();
    weights.resize(WEIGHTS, 0.0);
    for_pieces(|weight, parts| {
        weights[weight] = parts.iter().map(|part| parameters[*part]).sum();
    });
    for_hands(|first, shared, own| {
        let mut sum = 0.0;
        for count in 1..COUNTS {
            sum += parameters[shared + 2 * count] + parameters[own + 2 * count];
            weights[first + 2 * count] = sum;
        }
    });
    weights[2 * COLUMNS..2 * PAIRS].copy_from_slice(&parameters[BEGINS[5]..BEGINS[6]]);
    for_pairs(|weight, parts| weights[weight] = parameters[parts[0]] + parameters[parts[1]]);
}

/// Computes the gradients in the parameters from the gradients in the weights.
pub(super) fn fold(gradients: &[f32], folded: &mut Vec<f32>) {
    folded.clear();
    folded.resize(PARAMETERS, 0.0);
    for_pieces(|weight, parts| {
        for part in parts {
            folded[part] += gradients[weight];
        }
    });
    for_hands(|first, shared, own| {
        let mut sum = 0.0;
        for count in (1..COUNTS).rev() {
            sum += gradients[first + 2 * count];
            folded[shared + 2 * count] += sum;
            folded[own + 2 * count] += sum;
        }
    });
    folded[BEGINS[5]..BEGINS[6]].copy_from_slice(&gradients[2 * COLUMNS..2 * PAIRS]);
    for_pairs(|weight, parts| {
        for part in parts {
            folded[part] += gradients[weight];
        }
    });
}

/// Passes the index of the weight of each piece with each king, and the indices of its three parameters, to `visit`.
fn for_pieces(mut visit: impl FnMut(usize, [usize; 3])) {
    for king in 0..KINGS {
        for beside in 0..PIECES_BY_SIDE {
            for square in 0..SQUARES {
                let both = (king * PIECES_BY_SIDE + beside) * SQUARES + square;
                let offset = 17 * (8 + square / 9 - king / 9) + 8 + square % 9 - king % 9;
                for phase in 0..2 {
                    let at = |group: usize, index: usize| BEGINS[group] + 2 * index + phase;
                    let parts = [
                        at(0, beside * SQUARES + square),
                        at(1, beside * OFFSETS + offset),
                        at(2, both),
                    ];
                    visit(2 * (PIECES + both) + phase, parts);
                }
            }
        }
    }
}

/// Passes the first index of the weights of each kind in hand with each king, and the first indices of its two rows of
/// parameters, to `visit`.
fn for_hands(mut visit: impl FnMut(usize, usize, usize)) {
    for king in 0..KINGS {
        for held in 0..HELD {
            for phase in 0..2 {
                let own = (king * HELD + held) * COUNTS;
                visit(
                    2 * (HANDS + own) + phase,
                    BEGINS[3] + 2 * held * COUNTS + phase,
                    BEGINS[4] + 2 * own + phase,
                );
            }
        }
    }
}

/// Passes the index of the weight of each pair on each rank, and the indices of its two parameters, to `visit`.
fn for_pairs(mut visit: impl FnMut(usize, [usize; 2])) {
    for way in 0..PieceKind::COUNT * NEAR {
        for rank in 0..RANKS {
            for second in 0..OTHER_PIECES {
                let (near, both) =
                    (way * OTHER_PIECES + second, (way * RANKS + rank) * OTHER_PIECES + second);
                for phase in 0..2 {
                    let parts = [BEGINS[6] + 2 * near + phase, BEGINS[7] + 2 * both + phase];
                    visit(2 * (PAIRS + both) + phase, parts);
                }
            }
        }
    }
}

/// The value of a piece by its parameters, at the beginning and at the end of a game: on the board the mean over all
/// squares, in hand the value of the first piece.
pub(super) fn piece_value(parameters: &[f32], kind: PieceKind, in_hand: bool) -> [f32; 2] {
    [0, 1].map(|phase| {
        let mean = |enemy: usize| {
            if in_hand {
                return parameters
                    [BEGINS[3] + 2 * ((enemy * 7 + kind.index()) * COUNTS + 1) + phase];
            }
            let first = BEGINS[0] + 2 * (enemy * PieceKind::COUNT + kind.index()) * SQUARES + phase;
            let squares = (0..SQUARES).map(|square| parameters[first + 2 * square]);
            squares.sum::<f32>() / SQUARES as f32
        };
        mean(0) - mean(1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_engine::eval::Features;
    use kyomi_shogi::Position;

    #[test]
    fn folding_is_the_transpose_of_expanding() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut numbers =
            |count: usize| -> Vec<f32> { (0..count).map(|_| random.f32() - 0.5).collect() };
        let (parameters, gradients) = (numbers(PARAMETERS), numbers(WEIGHTS));
        let (mut weights, mut folded) = (Vec::new(), Vec::new());
        expand(&parameters, &mut weights);
        // No piece in hand has weight 0, and no parameter.
        fold(&gradients, &mut folded);
        let dot = |a: &[f32], b: &[f32]| -> f64 {
            a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let (one, other) = (dot(&weights, &gradients), dot(&parameters, &folded));
        assert!((one - other).abs() < 1e-3 * one.abs().max(1.0), "{one} {other}");
    }

    #[test]
    fn the_expected_weights_equal_the_piece_values() {
        let mut weights = Vec::new();
        expand(&expected(), &mut weights);
        let sum = |sfen: &str| -> f32 {
            let features = Features::of(&Position::from_sfen(sfen).unwrap());
            let of = |list: &[u32]| list.iter().map(|at| weights[2 * *at as usize]).sum::<f32>();
            of(&features.sides[0]) - of(&features.sides[1])
        };
        let value = sum("4k4/9/9/9/9/9/9/R8/4K4 b 2Pg 1");
        let plain = board_value(PieceKind::Rook) + 2 * hand_value(PieceKind::Pawn)
            - hand_value(PieceKind::Gold);
        assert!((value - plain as f32).abs() < 0.1, "{value} {plain}");
        assert!((piece_value(&expected(), PieceKind::Rook, false)[1] - 850.0).abs() < 0.1);
        assert!((piece_value(&expected(), PieceKind::Pawn, true)[0] - 115.0).abs() < 0.1);
    }
}
