use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::eval::nnue::{Architecture, InputFeatures, write_random};
use kyomi_shogi::{PieceKind, Undo};

/// A network with random weights for each kind of inputs. Those whose files are large have one size only.
static NETWORKS: LazyLock<Vec<Arc<NnueWeights>>> = LazyLock::new(|| {
    let network = |architecture| {
        let mut bytes = Vec::new();
        write_random(architecture, 7, &mut bytes).unwrap();
        Arc::new(NnueWeights::from_bytes(&bytes).unwrap())
    };
    [0, 1, 5, 6].map(|which: usize| network(Architecture::KNOWN[which])).into()
});

const SCALE: Scale = Scale { fv_scale: 16, percent: 100 };

/// The output of an evaluator that knows only this position.
fn afresh(machine: Machine, weights: &Arc<NnueWeights>, position: &Position) -> i32 {
    let mut evaluator = NnueEvaluator::on(machine, Arc::clone(weights), SCALE);
    evaluator.reset(position);
    evaluator.output(position)
}

/// Positions with a missing piece, with kings on all parts of the board, and with one king.
const STARTS: [&str; 6] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "k8/9/1P7/9/9/9/9/7p1/8K b 2R2B4G4S4N4L8P8p 1",
    "1n1g3nl/+B1s1k1g2/p1pppp1sp/1p6r/3R2P2/9/PPNPPP2P/2GSK1S2/L6L1 w B3Pgnlp 60",
    "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
    "ln7/1ks+P5/2pp5/1pn1p4/ps1Pb4/2P6/PPSG4P/1K1G5/LN7 w RN2LPrb2gs6p 1",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// On random lines with null moves and take-backs about every third position is compared, so that one to many moves
    /// lie between two values.
    #[test]
    fn updated_outputs_equal_outputs_from_scratch(seed: u64, which in 0_usize..4, start in 0_usize..6) {
        let weights = &NETWORKS[which];
        let mut random = fastrand::Rng::with_seed(seed);
        let mut position = Position::from_sfen(STARTS[start]).unwrap();
        let machines: Vec<Machine> = Machine::available().collect();
        let machine = machines[random.usize(..machines.len())];
        let mut evaluator = NnueEvaluator::on(machine, Arc::clone(weights), SCALE);
        evaluator.reset(&position);
        let mut line: Vec<(Option<Move>, Undo)> = Vec::new();
        for _ in 0..80 {
            let moves = position.legal_moves();
            match random.u32(..8) {
                0 | 1 if !line.is_empty() => {
                    let (mv, undo) = line.pop().unwrap();
                    evaluator.pop();
                    match mv {
                        Some(mv) => position.undo_move(mv, undo),
                        None => position.undo_null_move(undo),
                    }
                }
                2 if !position.in_check() => {
                    evaluator.push_null(&position);
                    line.push((None, position.do_null_move()));
                }
                _ if !moves.is_empty() => {
                    // Kings move more often than by chance.
                    let is_king = |mv: &&Move| {
                        let piece = mv.from().and_then(|from| position.piece_on(from));
                        piece.is_some_and(|piece| piece.kind() == PieceKind::King)
                    };
                    let kings: Vec<_> = moves.iter().filter(is_king).copied().collect();
                    let kings = if kings.is_empty() { moves.to_vec() } else { kings };
                    let of_kings = random.u8(..3) == 0;
                    let chosen = if of_kings { &kings } else { &moves[..] };
                    let mv = chosen[random.usize(..chosen.len())];
                    evaluator.push(&position, mv);
                    line.push((Some(mv), position.do_move(mv)));
                }
                _ => {}
            }
            if random.u32(..3) == 0 {
                prop_assert_eq!(
                    evaluator.output(&position),
                    afresh(machines[machines.len() - 1], weights, &position)
                );
            }
        }
    }
}

#[test]
fn all_machines_give_the_same_values() {
    for weights in &*NETWORKS {
        for sfen in STARTS {
            let position = Position::from_sfen(sfen).unwrap();
            let values = Machine::available().map(|machine| afresh(machine, weights, &position));
            let values: Vec<i32> = values.collect();
            assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
        }
    }
}

/// `sfen<TAB>K-P<TAB>HalfKP<TAB>HalfKP_vm<TAB>SFNN`: the values that YaneuraOu prints for these networks.
#[test]
fn values_are_those_of_yaneuraou() {
    let rows = include_str!("values.tsv").lines().filter(|line| !line.starts_with('#'));
    let mut spread = 0;
    for row in rows {
        let mut fields = row.split('\t');
        let position = Position::from_sfen(fields.next().unwrap()).unwrap();
        for (weights, value) in NETWORKS.iter().zip(fields) {
            let found = SCALE.units(afresh(Machine::fastest(), weights, &position));
            assert_eq!(found.to_string(), value, "{row}: {}", weights.architecture());
            spread = spread.max(found.abs());
        }
    }
    assert!(spread > 2000, "{spread}");
}

#[test]
fn values_are_in_centipawns_and_limited() {
    let weights = &NETWORKS[0];
    let position = Position::from_sfen(STARTS[3]).unwrap();
    let output = afresh(Machine::fastest(), weights, &position);
    let value = |fv_scale: u8, percent: u16| {
        let scale = Scale { fv_scale, percent };
        let mut evaluator = NnueEvaluator::new(Arc::clone(weights), scale);
        evaluator.reset(&position);
        evaluator.value(&position)
    };
    assert_eq!(value(16, 100), output / 16);
    assert_eq!(value(24, 50), output / 24 * 50 / 100);
    assert_eq!(value(1, 1000).abs(), MAX);
    assert_eq!(weights.architecture().features, InputFeatures::KingAndPiece);
}
