use std::cell::Cell;
use std::fs;

use super::gradients::{Gradients, Pass};
use super::model::losses;
use super::parameters::{Parameters, Shape};
use super::rows::{Row, Rows};
use super::*;
use crate::train::DataSource;
use crate::train::samples::PositionSet as _;
use crate::train::test_folder::TestFolder;
use kyomi_engine::eval::network::{KingZones, LANES, Network, NetworkInputs, UNKNOWN_CHECKSUM};
use kyomi_shogi::Position;
use kyomi_shogi::machine::Work as _;

fn task(folder: &TestFolder, out: &str, threads: usize) -> NetworkTask {
    NetworkTask {
        source: folder.source(),
        out: folder.path(out),
        epochs: 3,
        kind: NetworkKind::BesideSum { width: LANES, zones: KingZones::Three, start: None },
        cache: Some(folder.path("positions.bin")),
        descent: NetworkDescent { batch: 100, rate: 0.01, threads, ..NetworkDescent::default() },
    }
}

fn rows() -> Vec<Row> {
    let mut rows = Rows::default();
    for (sfen, target) in [
        ("lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w B 1", 0.9),
        ("lnsg1gsnl/1r4kb1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKG1NL b s 1", 0.2),
        ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 0.99),
        ("4k4/9/9/9/9/9/9/9/4K4 w RS3Pgp 1", 0.6),
    ] {
        rows.add(&Position::from_sfen(sfen).unwrap(), target, 1.0);
    }
    rows.rows
}

#[test]
fn gradients_equal_differences_of_the_loss() {
    let rows = rows();
    let shape = Shape { width: LANES, zones: KingZones::One };
    let mut parameters = Parameters::learnt(shape);
    let numbers: Vec<u32> = (0..rows.len() as u32).collect();
    let mut gradients = Gradients::new(shape);
    let pass = Pass {
        parameters: &parameters,
        rows: &rows,
        numbers: &numbers,
        gradients: Some(&mut gradients),
        unit: 600.0,
    };
    pass.run();
    let mut all = gradients.first.as_flattened().to_vec();
    all.extend(gradients.biases.as_flattened());
    all.extend(gradients.second.as_flattened());
    all.push(gradients.bias);
    assert_eq!(all.len(), shape.parameters());
    let mut random = fastrand::Rng::with_seed(6);
    let first = NetworkInputs::of(&Position::startpos()).rows(KingZones::One)[0][3] as usize;
    let rest = shape.rest_range();
    let mut checked: Vec<usize> = (0..20).map(|unit| first * shape.width + unit).collect();
    checked.extend((0..60).map(|_| random.usize(rest.clone())));
    checked.push(rest.end - 1);
    let mut moved = 0;
    for at in checked {
        let kept = parameters.values[at];
        let mut at_step = |step: f32| {
            parameters.values[at] = kept + step;
            parameters.refresh();
            losses(&parameters, &rows, 600.0, 1).losses.loss
        };
        let gradient = (at_step(4e-3) - at_step(-4e-3)) / 8e-3;
        parameters.values[at] = kept;
        assert!((gradient - f64::from(all[at])).abs() < 3e-3, "{at}: {gradient} {}", all[at]);
        moved += usize::from(gradient.abs() > 1e-3);
    }
    assert!(moved > 20, "{moved}");
}

#[test]
fn a_zone_is_the_sum_of_the_shared_weights_and_its_own() {
    let shape = Shape { width: LANES, zones: KingZones::Nine };
    let parameters = Parameters::learnt(shape);
    let layer = shape.shared_range().len();
    for (zone, at) in [(0, 0), (4, 77), (8, layer - 1)] {
        let own = parameters.values[shape.zoned_range().start + zone * layer + at];
        let sum = parameters.values[at] + own;
        let found = parameters.first().as_flattened()[zone * layer + at];
        assert!((found - sum).abs() < 1e-6);
    }
}

#[test]
fn an_untrained_network_outputs_zero_and_quantization_is_close() {
    let rows = rows();
    for zones in [KingZones::One, KingZones::Three, KingZones::Nine] {
        let shape = Shape { width: 2 * LANES, zones };
        let new = Parameters::new(shape, 1).network();
        let learnt = Parameters::learnt(shape);
        let network = learnt.network();
        for row in &rows {
            assert_eq!(new.centipawns(&row.inputs), 0);
            let exact = gradients::centipawns(&learnt, row);
            let whole = network.centipawns(&row.inputs) as f32;
            assert!((exact - whole).abs() < 25.0, "{exact} {whole}");
        }
    }
}

#[test]
fn a_network_is_trained_further_from_its_own_weights() {
    for zones in [KingZones::One, KingZones::Nine] {
        let network = Parameters::learnt(Shape { width: LANES, zones }).network();
        let again = Parameters::of_network(&network);
        assert_eq!(again.network().to_floats(), network.to_floats());
        let shared = &again.values[again.shape.shared_range()];
        assert_eq!(shared.iter().any(|weight| *weight != 0.0), zones == KingZones::Nine);
    }
    let folder = TestFolder::new();
    // The losses while the first epoch learns.
    let losses = |task: &NetworkTask| {
        let mut losses = Vec::new();
        let note = |progress: &NetworkProgress| {
            if let NetworkProgress::Epoch { training, .. } = progress {
                losses.push(*training);
            }
        };
        let report = train_network(task, note, || false).unwrap();
        (losses[0], report)
    };
    let first = task(&folder, "first", 1);
    let (fresh, _) = losses(&first);
    let start = Network::read(&first.out.join("network.bin")).unwrap();
    let from = start.checksum();
    let (width, zones) = (LANES, KingZones::Three);
    let kind = NetworkKind::BesideSum { width, zones, start: Some(start) };
    let further = NetworkTask { kind, out: folder.path("further"), ..first };
    let (loss, report) = losses(&further);
    assert!(loss < fresh, "{loss} {fresh}");
    assert!(report.settings.ends_with(&format!(", from {from:08x}")), "{}", report.settings);
    // It is another task than one from random weights.
    let kind = NetworkKind::BesideSum { width, zones, start: None };
    let other = NetworkTask { kind, ..further };
    assert!(train_network(&other, |_| (), || false).is_err());
}

#[test]
fn training_lowers_the_loss_and_an_interrupted_one_gives_the_same_result() {
    let folder = TestFolder::new();
    let mut found = Vec::new();
    let whole = train_network(
        &task(&folder, "whole", 1),
        |progress| {
            if let NetworkProgress::Epoch { training, .. } = progress {
                found.push(*training);
            }
        },
        || false,
    )
    .unwrap();
    assert!(found.len() == 3 && found[2] < found[0], "{found:?}");
    assert!(whole.whole && whole.data.training_positions > 200 && whole.data.games == 24);
    assert_eq!(whole.validation.len(), 2);
    assert!(whole.validation[0].loss >= whole.validation[0].least_loss);

    // Stopped in the middle of the second epoch, then resumed, with more threads.
    let steps = Cell::new(0);
    let parts = task(&folder, "parts", 3);
    let part = train_network(
        &parts,
        |progress| {
            if matches!(
                progress,
                NetworkProgress::Epoch { .. } | NetworkProgress::Step { epoch: 2, .. }
            ) {
                steps.set(steps.get() + 1);
            }
        },
        || steps.get() >= 2,
    );
    assert!(!part.unwrap().whole);
    let mut resumed = 0;
    let rest = train_network(
        &parts,
        |progress| {
            if let NetworkProgress::Resumed(epochs) = progress {
                resumed = *epochs;
            }
        },
        || false,
    );
    assert!(rest.unwrap().whole);
    assert_eq!(resumed, 1);
    let bytes = |out: &str| fs::read(folder.path(out).join("network.bin")).unwrap();
    assert_eq!(bytes("whole"), bytes("parts"));
    assert_eq!(Network::from_bytes(&bytes("whole")).unwrap().zones(), KingZones::Three);

    // The second training has read the positions that the first one kept. Damage makes it read the games again.
    let kept = folder.path("positions.bin");
    let mut damaged = fs::read(&kept).unwrap();
    assert_eq!((damaged.len() - 68) % 98, 0);
    let good = damaged.clone();
    damaged[1000] ^= 1;
    fs::write(&kept, &damaged).unwrap();
    train_network(&parts, |_| (), || true).unwrap();
    assert_eq!(fs::read(&kept).unwrap(), good);

    // Another task does not resume it.
    let source = DataSource { seed: 4, ..folder.source() };
    let other = NetworkTask { source, ..parts };
    let error = train_network(&other, |_| (), || false).unwrap_err().to_string();
    assert!(error.contains("holds a fit of another task"), "{error}");
    let source = DataSource { validation: 0.0, ..folder.source() };
    let few = NetworkTask { source, out: folder.path("few"), ..other };
    let error = train_network(&few, |_| (), || false).unwrap_err().to_string();
    assert!(error.ends_with("both are needed; give more games"), "{error}");
}

#[test]
fn foreign_files_are_neither_replaced_nor_read() {
    let folder = TestFolder::new();
    let train = |task: &NetworkTask| train_network(task, |_| (), || false);
    let error = |task: &NetworkTask| train(task).unwrap_err().to_string();
    // The table of games as the file of positions.
    let own = task(&folder, "own", 1);
    let table = fs::read(folder.path("games.tsv")).unwrap();
    let wrong = NetworkTask { cache: Some(folder.path("games.tsv")), ..own.clone() };
    assert!(error(&wrong).contains("games.tsv was written by something else"), "{}", error(&wrong));
    assert_eq!(fs::read(folder.path("games.tsv")).unwrap(), table);
    // The folder of the positions is made.
    let far = folder.path("a/b/positions.bin");
    train(&NetworkTask { cache: Some(far.clone()), ..own.clone() }).unwrap();
    assert!(far.exists());
    // Another network in the folder, with and without a checkpoint.
    let (network, checkpoint) = (own.out.join("network.bin"), own.out.join("checkpoint.bin"));
    let trained = fs::read(&network).unwrap();
    fs::write(&network, "other").unwrap();
    assert!(error(&own).contains("network.bin is not the one that"), "{}", error(&own));
    let kept = fs::read(&checkpoint).unwrap();
    fs::remove_file(&checkpoint).unwrap();
    assert!(error(&own).contains("network.bin was written by something else"));
    assert_eq!(fs::read(&network).unwrap(), b"other");
    // The same for a network of the same shape.
    fs::write(&network, Network::with_bias(0.5).to_bytes()).unwrap();
    fs::write(&checkpoint, &kept).unwrap();
    assert!(error(&own).contains("network.bin is not the one that"), "{}", error(&own));
    // A checkpoint of an earlier version does not know its network.
    let mut earlier = kept.clone();
    let end = earlier.len() - 4;
    earlier[28..32].copy_from_slice(&UNKNOWN_CHECKSUM.to_le_bytes());
    let checksum = crc32fast::hash(&earlier[..end]).to_le_bytes();
    earlier[end..].copy_from_slice(&checksum);
    fs::write(&checkpoint, earlier).unwrap();
    fs::write(&network, &trained).unwrap();
    assert!(train(&own).unwrap().whole);
    // A damaged checkpoint, and a whole one.
    let mut damaged = kept.clone();
    damaged[500] ^= 1;
    fs::write(&checkpoint, damaged).unwrap();
    assert!(error(&own).contains("checkpoint.bin is damaged"), "{}", error(&own));
    fs::write(&checkpoint, kept).unwrap();
    assert!(train(&own).unwrap().whole);
    // Without an epoch there is no result.
    let none = NetworkTask { out: folder.path("none"), ..own };
    let stopped = train_network(&none, |_| (), || true).unwrap_err().to_string();
    assert!(stopped.starts_with("no epoch is done"), "{stopped}");
    assert!(!none.out.join("network.json").exists());
}
