use std::cell::Cell;
use std::fs;

use kyomi_shogi::Position;
use kyomi_shogi::machine::Work as _;

use super::super::model::{Model as _, ValueModel as _, WholeNetwork as _, losses};
use super::super::rows::{Row, Rows};
use super::super::{
    NetworkDescent, NetworkKind, NetworkProgress, NetworkReport, NetworkTask, train_network,
};
use super::parameters::{KingAndPiece, Weights};
use super::pass::{Pass, score};
use crate::train::samples::PositionSet as _;
use crate::train::test_folder::TestFolder;

const UNIT: f32 = 600.0;

/// Positions with all kinds of pieces, missing ones, and one king.
fn rows() -> Vec<Row> {
    let mut rows = Rows::default();
    for (sfen, target) in [
        ("lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w B 1", 0.9),
        ("lnsg1gsnl/1r4kb1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKG1NL b s 1", 0.2),
        ("1n1g3nl/+B1s1k1g2/p1pppp1sp/1p6r/3R2P2/9/PPNPPP2P/2GSK1S2/L6L1 w B3Pgnlp 60", 0.6),
        ("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", 0.1),
    ] {
        rows.add(&Position::from_sfen(sfen).unwrap(), target, 1.0);
    }
    rows.rows
}

/// A network whose values differ between positions.
fn learnt() -> KingAndPiece {
    let mut random = fastrand::Rng::with_seed(5);
    let mut network = KingAndPiece::new(4, UNIT);
    for value in network.values_mut() {
        *value += (random.f32() * 2.0 - 1.0) * 0.08;
    }
    network.changed();
    network
}

#[test]
fn gradients_equal_differences_of_the_loss() {
    let rows = rows();
    let numbers: Vec<u32> = (0..rows.len() as u32).collect();
    let mut weights = learnt().weights;
    let mut gradients = Weights::zero();
    let pass =
        Pass { weights: &weights, rows: &rows, numbers: &numbers, gradients: Some(&mut gradients) };
    pass.run();
    let loss = |weights: &Weights| {
        let gradients = None;
        Pass { weights, rows: &rows, numbers: &numbers, gradients }.run().losses.loss
    };
    let mut random = fastrand::Rng::with_seed(6);
    for part in 0..gradients.parts().len() {
        // Parameters with a gradient, and any others.
        let found = gradients.parts()[part];
        let used: Vec<usize> = (0..found.len()).filter(|at| found[*at].abs() > 1e-3).collect();
        assert!(!used.is_empty(), "{part}");
        let mut checked: Vec<usize> = (0..20).map(|_| used[random.usize(..used.len())]).collect();
        checked.extend((0..5).map(|_| random.usize(..found.len())));
        for at in checked {
            let mut at_step = |step: f32| {
                weights.parts_mut()[part][at] += step;
                let loss = loss(&weights);
                weights.parts_mut()[part][at] -= step;
                loss
            };
            let slope = (at_step(2e-3) - at_step(-2e-3)) / 4e-3;
            let found = gradients.parts()[part][at];
            assert!((slope - f64::from(found)).abs() < 3e-3, "{part} {at}: {slope} {found}");
        }
    }
}

#[test]
fn groups_and_threads_do_not_change_losses() {
    let network = learnt();
    let mut many = Vec::new();
    for _ in 0..150 {
        many.extend(rows());
    }
    let few = losses(&network, &rows(), UNIT, 1);
    let sums = losses(&network, &many, UNIT, 1);
    assert!((sums.losses.mean() - few.losses.mean()).abs() < 1e-6);
    assert_eq!(sums, losses(&network, &many, UNIT, 3));
}

#[test]
fn the_written_file_has_the_values_of_the_network() {
    let network = learnt();
    let whole = network.whole();
    let mut scores = Vec::new();
    for row in rows() {
        let (exact, written) = (score(&network.weights, &row), whole.score(&row, UNIT));
        // What is left is the rounding of hidden units.
        let centipawns = UNIT * (exact - written).abs();
        assert!(centipawns < 8.0, "{exact} {written}");
        scores.push(written);
    }
    scores.sort_by(f32::total_cmp);
    assert!(scores[3] - scores[0] > 0.02, "{scores:?}");
}

fn task(folder: &TestFolder, out: &str, threads: usize) -> NetworkTask {
    NetworkTask {
        source: folder.source(),
        out: folder.path(out),
        epochs: 3,
        kind: NetworkKind::KingAndPiece { unit: UNIT, mirrors: true },
        cache: None,
        descent: NetworkDescent {
            batch: 100,
            rate: 0.003,
            warmup: 2,
            threads,
            ..NetworkDescent::default()
        },
    }
}

/// Trains until `stop` says so of the number of steps. Returns the training losses of the epochs.
fn train(task: &NetworkTask, stop: impl Fn(u32) -> bool) -> (NetworkReport, Vec<f64>) {
    let steps = Cell::new(0);
    let mut losses = Vec::new();
    let note = |progress: &NetworkProgress| match progress {
        NetworkProgress::Step { .. } => steps.set(steps.get() + 1),
        NetworkProgress::Epoch { training, .. } => losses.push(*training),
        _ => {}
    };
    let report = train_network(task, note, || stop(steps.get())).unwrap();
    (report, losses)
}

#[test]
fn training_lowers_the_loss_and_an_interrupted_one_gives_the_same_file() {
    let folder = TestFolder::new();
    let whole = task(&folder, "whole", 1);
    let (report, losses) = train(&whole, |_| false);
    assert!(report.whole && losses.len() == 3 && losses[2] < losses[0], "{losses:?}");
    assert_eq!(report.architecture.as_deref(), Some("K-P-256x2-32-32"));
    assert!(report.rounding < 8.0, "{}", report.rounding);
    // Stopped in the second epoch, then resumed, with more threads.
    let parts = task(&folder, "parts", 3);
    let steps = report.data.training_positions.div_ceil(100) as u32;
    let (part, _) = train(&parts, |done| done > steps);
    assert!(!part.whole && part.epochs == 1);
    let (rest, losses) = train(&parts, |_| false);
    assert!(rest.whole && losses.len() == 2);
    let file = |out: &str| fs::read(folder.path(out).join("nn.bin")).unwrap();
    assert_eq!(file("whole"), file("parts"));
    // Another unit is another task.
    let other =
        NetworkTask { kind: NetworkKind::KingAndPiece { unit: 500.0, mirrors: true }, ..parts };
    let error = train_network(&other, |_| (), || false).unwrap_err().to_string();
    assert!(error.contains("holds a fit of another task"), "{error}");
}
