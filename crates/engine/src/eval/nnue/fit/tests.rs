use std::sync::Arc;

use super::*;
use crate::eval::{Evaluator as _, nnue::NnueEvaluator};
use kyomi_shogi::Position;

const POSITIONS: [&str; 5] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "k8/9/1P7/9/9/9/9/7p1/8K b 2R2B4G4S4N4L8P8p 1",
    "1n1g3nl/+B1s1k1g2/p1pppp1sp/1p6r/3R2P2/9/PPNPPP2P/2GSK1S2/L6L1 w B3Pgnlp 60",
    "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
];

fn random(seed: u64, count: usize, most: f32) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| (random.f32() * 2.0 - 1.0) * most).collect()
}

#[test]
fn a_written_file_has_the_nearest_numbers_and_its_outputs_from_scratch_are_those_of_the_evaluator()
{
    let numbers = [(256, 1.0), (256 * 1710, 8.0), (32, 3.0), (512 * 32, 3.0), (32, 3.0)];
    let more = [(32 * 32, 1.0), (1, 3.0), (32, 3.0)];
    let all: Vec<Vec<f32>> = (0..)
        .zip(numbers.into_iter().chain(more))
        .map(|(seed, (n, most))| random(seed, n, most))
        .collect();
    let [biases, rows, b1, w1, b2, w2, b3, w3] = &all[..] else { unreachable!() };
    let grids = Grids::new(600.0);
    let network = FloatNnue { biases, rows, layers: [(b1, w1), (b2, w2), (b3, w3)] };
    let weights = NnueWeights::from_bytes(&network.to_file(&grids)).unwrap();
    assert_eq!(weights.architecture(), Architecture::KING_AND_PIECE);
    for at in [0, 31, 32, 255] {
        let found = weights.biases[at / 32].0[at % 32];
        assert!((f32::from(found) - biases[at] * 127.0).abs() <= 0.5);
        let found = f32::from(weights.row(1709)[at / 32].0[at % 32]);
        assert!((found - rows[1709 * 256 + at].clamp(-6.0, 6.0) * 127.0).abs() <= 0.501);
    }
    assert!(w1.iter().any(|weight| weight.abs() > grids.hidden.most));
    let weights = Arc::new(weights);
    let mut evaluator = NnueEvaluator::new(Arc::clone(&weights), Scale::usual());
    for sfen in POSITIONS {
        let position = Position::from_sfen(sfen).unwrap();
        evaluator.reset(&position);
        let inputs = NetworkInputs::of(&position);
        assert_eq!(weights.king_and_piece_output(&inputs), evaluator.output(&position), "{sfen}");
    }
}

#[test]
fn the_usual_scale_makes_the_centipawns_of_an_output_of_one() {
    let grids = Grids::new(600.0);
    let centipawns = Scale::usual().centipawns(grids.output_bias.whole(1.0) as i32);
    assert!((599..=600).contains(&centipawns), "{centipawns}");
    assert!((grids.hidden.most - 127.0 / 64.0).abs() < 1e-6);
    // Rows of all pieces and a bias are within 16 bits.
    let most = grids.first.whole(f32::INFINITY) as i32;
    assert!(most * (SET_WITH_KINGS as i32 + 1) <= i16::MAX.into());
}

#[test]
fn mirrored_inputs_are_those_of_the_mirrored_position() {
    let rows = |sfen: &str, is_mirrored: bool| {
        let position = Position::from_sfen(sfen).unwrap();
        NetworkInputs::of(&position).king_and_piece_rows(is_mirrored).map(|mut rows| {
            rows.sort_unstable();
            rows
        })
    };
    let (left, right) = ("k8/9/9/9/9/9/1P7/K8/9 w R2p 1", "8k/9/9/9/9/9/7P1/8K/9 w R2p 1");
    assert_eq!(rows(left, true), rows(right, false));
    assert_eq!(rows(left, false), rows(right, true));
    assert_ne!(rows(left, true), rows(left, false));
}
