use std::cell::Cell;
use std::sync::Arc;

use super::choice::{Comparer, Comparison, LeafContent};
use super::network_learner::{ComparisonPass, NetworkContent, comparison_losses};
use super::sum_learner::{SumContent, pass};
use super::*;
use crate::train::fit::UNIT;
use crate::train::model::{self, WEIGHTS};
use crate::train::network::{Gradients, Parameters, Shape};
use crate::train::{Descent, NetworkDescent};
use kyomi_engine::eval::network::{KingZones, LANES, Network, NetworkFileError, NetworkInputs};
use kyomi_engine::eval::{evaluate_from_scratch, weight_bytes};
use kyomi_shogi::Position;
use kyomi_shogi::machine::Work as _;
use kyomi_shogi::notation::usi;

#[test]
fn moves_that_mate_or_decided_games_are_not_compared() {
    let mut comparer = Comparer::new(&Network::builtin());
    let mut compare = |sfen: &str, word: &str| {
        let mv = usi::parse_move(word).unwrap();
        comparer.compare::<NetworkContent>(&Position::from_sfen(sfen).unwrap(), mv)
    };
    // A gold in front of the king, guarded by a pawn, mates.
    let mates = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
    assert!(compare(mates, "G*5b").is_none());
    // A rook and a bishop for nothing.
    let decided = "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L 1";
    assert!(compare(decided, "5i5h").is_none());
    // The move played is compared even where sixteen others are better: a rook is left to a pawn.
    let start = "lnsgkgsnl/1r5b1/p1pppp1pp/6p2/1p5P1/2P6/PP1PPPP1P/1B5R1/LNSGKGSNL b - 1";
    assert!(compare(start, "2h2f").is_some());
    assert!(compare(start, "1a1b").is_none(), "not a legal move");
}

/// A training on the moves of an opening.
fn task(weights: LearningWeights, epochs: u32) -> ComparisonTask {
    let mut position = Position::startpos();
    let mut choices = Vec::new();
    for word in ["7g7f", "3c3d", "2g2f", "4c4d", "3i4h", "8b4b"] {
        let played = usi::parse_move(word).unwrap();
        choices.push(Choice { position: position.clone(), played });
        position.do_move(played);
    }
    ComparisonTask {
        validation: choices[..2].to_vec(),
        training: choices,
        start: Network::builtin(),
        weights,
        rule: ComparisonRule::FOR_NETWORK,
        epochs,
        seed: 1,
    }
}

#[test]
fn a_training_by_comparisons_can_be_stopped_and_learns() {
    // At these rates every step lowers the loss, and a network changes by whole numbers.
    let of_network = NetworkDescent { rate: 0.002, ..LearningWeights::network_descent() };
    let of_sum = Descent { rate: 0.3, ..LearningWeights::sum_descent() };
    let learners = [LearningWeights::Network(of_network), LearningWeights::Sum(of_sum)];
    for learner in learners {
        let task = |epochs| task(learner.clone(), epochs);
        let found = train_by_comparisons(task(3), |_| (), || false).unwrap();
        assert!(found.after.choice < found.before.choice && found.epoch > 0, "{found:?}");
        assert_eq!((found.training, found.validation), (6, 2));
        let error = train_by_comparisons(task(3), |_| (), || true).unwrap_err().to_string();
        assert!(error.starts_with("no epoch is done"), "{error}");
        // Stopped in the second epoch: the weights of the first one.
        let steps = Cell::new(0);
        let count = |progress| {
            if matches!(progress, ComparisonProgress::Step { .. }) {
                steps.set(steps.get() + 1);
            }
        };
        let part = train_by_comparisons(task(3), count, || steps.get() > 0).unwrap();
        assert_eq!(part.epoch, 1);
        let none = ComparisonTask { training: Vec::new(), ..task(3) };
        let error = train_by_comparisons(none, |_| (), || false).unwrap_err().to_string();
        assert!(error.ends_with("both are needed; give more games"), "{error}");
    }
    let still = [
        LearningWeights::Network(NetworkDescent {
            rate: 0.0,
            ..LearningWeights::network_descent()
        }),
        LearningWeights::Sum(Descent { rate: 0.0, ..LearningWeights::sum_descent() }),
    ];
    for learner in still {
        let error = train_by_comparisons(task(learner, 1), |_| (), || false).unwrap_err();
        assert!(error.to_string().starts_with("no epoch lowered the loss"), "{error}");
    }
}

#[test]
fn a_trained_sum_does_not_depend_on_the_number_of_threads() {
    let train = |threads| {
        let descent = Descent { threads, rate: 0.3, ..LearningWeights::sum_descent() };
        let task = task(LearningWeights::Sum(descent), 2);
        match train_by_comparisons(task, |_| (), || false).unwrap().weights {
            ComparedWeights::Sum { sum, .. } => sum,
            ComparedWeights::Network(_) => panic!("the sum was to be trained"),
        }
    };
    let sum = train(1);
    assert!(sum.len() == weight_bytes().len() && sum != weight_bytes());
    assert!(sum == train(3));
}

#[test]
fn the_file_of_a_network_names_the_sum_that_it_is_written_for() {
    let sum = vec![1; weight_bytes().len()];
    let network = Network::builtin();
    let (own, other) = (network.to_bytes(), network.to_bytes_for(&sum));
    // It is the same network, but this program refuses it.
    let error = Network::from_bytes(&other).unwrap_err();
    assert!(matches!(error, NetworkFileError::OtherWeights), "{error}");
    assert_eq!(other[12..16], crc32fast::hash(&sum).to_le_bytes());
    assert_eq!(other[16..other.len() - 4], own[16..own.len() - 4]);
    let checksum = u32::from_le_bytes(*other.last_chunk().unwrap());
    assert_eq!(network.checksum_for(&sum), checksum);
    assert_eq!(network.checksum_for(weight_bytes()), network.checksum());
}

#[test]
fn the_features_of_a_leaf_add_up_to_the_sum_for_the_side_to_move() {
    let weights = model::from_bytes(weight_bytes());
    let mut position = Position::startpos();
    for word in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e", "2c2d", "4e3d"] {
        position.do_move(usi::parse_move(word).unwrap());
        let content = SumContent::of(&position, NetworkInputs::of(&position), 0);
        let (found, sum) = (content.value(&weights), evaluate_from_scratch(&position) as f32);
        assert!((found - sum).abs() <= 1.0, "{word}: {found} {sum}");
    }
}

#[test]
fn gradients_of_the_sum_equal_differences_of_the_loss() {
    let comparisons: Vec<Comparison<SumContent>> = compared(&Network::builtin());
    let numbers: Vec<u32> = (0..comparisons.len() as u32).collect();
    let rule = ComparisonRule { temperature: 150.0, anchor: 0.2 };
    let mut random = fastrand::Rng::with_seed(7);
    let mut changes: Vec<f32> = (0..WEIGHTS).map(|_| random.f32() * 20.0 - 10.0).collect();
    let mut gradients = vec![0.0; WEIGHTS];
    pass(&changes, &comparisons, &numbers, &rule, Some(&mut gradients));
    let used: Vec<usize> = (0..WEIGHTS).filter(|at| gradients[*at] != 0.0).collect();
    assert!(used.len() > 500, "{}", used.len());
    let mut moved = 0;
    for &at in used.iter().step_by(used.len() / 100) {
        let kept = changes[at];
        let mut at_step = |step: f32| {
            changes[at] = kept + step;
            let losses = pass(&changes, &comparisons, &numbers, &rule, None);
            losses.choice + losses.anchor
        };
        // Gradients are for one logistic unit.
        let gradient = (at_step(2.0) - at_step(-2.0)) / 4.0 * f64::from(UNIT);
        changes[at] = kept;
        let found = f64::from(gradients[at]);
        assert!((gradient - found).abs() < 0.02 + 0.02 * found.abs(), "{at}: {gradient} {found}");
        moved += usize::from(gradient.abs() > 0.05);
    }
    assert!(moved > 20, "{moved}");
}

/// Comparisons of a few positions, with a network that has learnt something.
fn compared<L: LeafContent>(start: &Arc<Network>) -> Vec<Comparison<L>> {
    let mut comparer = Comparer::new(start);
    let mut position = Position::startpos();
    let mut found = Vec::new();
    for word in ["7g7f", "3c3d", "8h2b+", "3a2b", "2h6h", "B*4e"] {
        let mv = usi::parse_move(word).unwrap();
        found.extend(comparer.compare(&position, mv));
        position.do_move(mv);
    }
    assert_eq!(found.len(), 6);
    // A king that has one move.
    let forced = Position::from_sfen("8k/7G1/9/9/9/9/9/9/4K4 w - 1").unwrap();
    let only = forced.legal_moves()[0];
    assert!(comparer.compare::<L>(&forced, only).is_none());
    found
}

#[test]
fn gradients_of_comparisons_equal_differences_of_the_loss() {
    let shape = Shape { width: LANES, zones: KingZones::One };
    let mut parameters = Parameters::learnt(shape);
    let comparisons: Vec<Comparison<NetworkContent>> =
        compared(&Arc::new(Parameters::new(shape, 4).network()));
    let numbers: Vec<u32> = (0..comparisons.len() as u32).collect();
    let rule = ComparisonRule { temperature: 150.0, anchor: 0.2 };
    let mut gradients = Gradients::new(shape);
    let pass = ComparisonPass {
        parameters: &parameters,
        comparisons: &comparisons,
        numbers: &numbers,
        gradients: Some(&mut gradients),
        rule: &rule,
    };
    let losses = pass.run();
    assert!(losses.anchor > 0.0 && losses.choice > 0.0, "{losses:?}");
    let mut all = gradients.first.as_flattened().to_vec();
    all.extend(gradients.biases.as_flattened());
    all.extend(gradients.second.as_flattened());
    all.push(gradients.bias);
    let mut random = fastrand::Rng::with_seed(6);
    let rest = shape.rest_range();
    let mut moved = 0;
    // Some weights of the first layer that are in use, and all the others.
    let first = NetworkInputs::of(&Position::startpos()).rows(KingZones::One)[0][3] as usize;
    let mut checked: Vec<usize> = (0..20).map(|unit| first * shape.width + unit).collect();
    checked.extend((0..60).map(|_| random.usize(rest.clone())));
    for at in checked {
        let kept = parameters.values[at];
        let mut at_step = |step: f32| {
            parameters.values[at] = kept + step;
            parameters.refresh();
            let losses = comparison_losses(&parameters, &comparisons, &rule, 1);
            losses.choice + losses.anchor
        };
        let gradient = (at_step(4e-3) - at_step(-4e-3)) / 8e-3;
        parameters.values[at] = kept;
        let found = f64::from(all[at]);
        assert!((gradient - found).abs() < 0.01 + 0.02 * found.abs(), "{at}: {gradient} {found}");
        moved += usize::from(gradient.abs() > 0.02);
    }
    assert!(moved > 20, "{moved}");
}
