use std::{cell::Cell, fmt::Write as _, fs, path::PathBuf};

use super::{
    parameters::{Parameters, Shape},
    rows::{Row, Rows},
    slopes::{Pass, Slopes},
    trainer::losses,
    *,
};
use crate::{
    eval::network::{KingZones, LANES, Network, NetworkInputs},
    lab::train::{PositionFilter, SelfplayPositionFilter, samples::PositionSet as _},
    shogi::{Position, machine::Work as _},
};

/// The folder of one test, with a table of short random games, won by the side with more material.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("kyomi-network-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        let mut random = fastrand::Rng::with_seed(12);
        let mut table = "#moves\tresult\n".to_owned();
        for _ in 0..24 {
            let mut game = crate::shogi::Game::default();
            for _ in 0..60 {
                let moves = game.position().legal_moves();
                if moves.is_empty() {
                    break;
                }
                game.push(moves[random.usize(..moves.len())]).unwrap();
            }
            let material = crate::eval::evaluate_material(game.position());
            let black =
                (material > 0) == (game.position().side_to_move() == crate::shogi::Color::Black);
            let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
            let result = if black { "1-0" } else { "0-1" };
            writeln!(table, "startpos moves {}\t{result}", moves.join(" ")).unwrap();
        }
        fs::write(dir.join("games.tsv"), table).unwrap();
        Self(dir)
    }

    fn task(&self, out: &str, threads: usize) -> NetworkTask {
        NetworkTask {
            tables: vec![self.0.join("games.tsv")],
            out: self.0.join(out),
            seed: 3,
            epochs: 3,
            validation: 0.2,
            choice: PositionFilter { first_ply: 20, ..PositionFilter::default() },
            selfplay: SelfplayPositionFilter::default(),
            width: LANES,
            zones: KingZones::Three,
            cache: Some(self.0.join("positions.bin")),
            descent: NetworkDescent {
                batch: 100,
                rate: 0.01,
                threads,
                ..NetworkDescent::default()
            },
        }
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
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

/// Parameters that have learnt something.
fn parameters(shape: Shape) -> Parameters {
    let mut random = fastrand::Rng::with_seed(5);
    let mut parameters = Parameters::new(shape, 4);
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

#[test]
fn slopes_are_the_differences_of_the_loss() {
    let rows = rows();
    let shape = Shape { width: LANES, zones: KingZones::One };
    let mut parameters = parameters(shape);
    let numbers: Vec<u32> = (0..rows.len() as u32).collect();
    let mut slopes = Slopes::new(shape);
    let pass = Pass {
        parameters: &parameters,
        rows: &rows,
        numbers: &numbers,
        slopes: Some(&mut slopes),
        unit: 600.0,
    };
    pass.run();
    let mut all = slopes.first.as_flattened().to_vec();
    all.extend(slopes.biases.as_flattened());
    all.extend(slopes.second.as_flattened());
    all.push(slopes.bias);
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
        let slope = (at_step(4e-3) - at_step(-4e-3)) / 8e-3;
        parameters.values[at] = kept;
        assert!((slope - f64::from(all[at])).abs() < 3e-3, "{at}: {slope} {}", all[at]);
        moved += usize::from(slope.abs() > 1e-3);
    }
    assert!(moved > 20, "{moved}");
}

#[test]
fn a_zone_is_the_sum_of_the_shared_weights_and_its_own() {
    let shape = Shape { width: LANES, zones: KingZones::Nine };
    let parameters = parameters(shape);
    let layer = shape.shared_range().len();
    for (zone, at) in [(0, 0), (4, 77), (8, layer - 1)] {
        let own = parameters.values[shape.zoned_range().start + zone * layer + at];
        let sum = parameters.values[at] + own;
        let found = parameters.first().as_flattened()[zone * layer + at];
        assert!((found - sum).abs() < 1e-6);
    }
}

#[test]
fn a_network_that_has_learnt_nothing_adds_nothing_and_whole_numbers_are_near() {
    let rows = rows();
    for zones in [KingZones::One, KingZones::Three, KingZones::Nine] {
        let shape = Shape { width: 2 * LANES, zones };
        let new = Parameters::new(shape, 1).network();
        let learnt = parameters(shape);
        let network = learnt.network();
        for row in &rows {
            assert_eq!(new.centipawns(&row.inputs), 0);
            let exact = slopes::centipawns(&learnt, row);
            let whole = network.centipawns(&row.inputs) as f32;
            assert!((exact - whole).abs() < 25.0, "{exact} {whole}");
        }
    }
}

#[test]
fn a_training_learns_and_an_interrupted_one_comes_out_the_same() {
    let folder = TestFolder::new("resume");
    let mut found = Vec::new();
    let whole = train_network(
        &folder.task("whole", 1),
        |progress| {
            if let NetworkProgress::Epoch { training, .. } = progress {
                found.push(*training);
            }
        },
        || false,
    )
    .unwrap();
    assert!(found.len() == 3 && found[2] < found[0], "{found:?}");
    assert!(whole.whole && whole.training_positions > 200 && whole.games == 24);
    assert_eq!(whole.validation.len(), 2);
    assert!(whole.validation[0].loss >= whole.validation[0].least_loss);

    // Stopped in the middle of the second epoch, then resumed, with more threads.
    let steps = Cell::new(0);
    let task = folder.task("parts", 3);
    let part = train_network(
        &task,
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
        &task,
        |progress| {
            if let NetworkProgress::Resumed(epochs) = progress {
                resumed = *epochs;
            }
        },
        || false,
    );
    assert!(rest.unwrap().whole);
    assert_eq!(resumed, 1);
    let bytes = |out: &str| fs::read(folder.0.join(out).join("network.bin")).unwrap();
    assert_eq!(bytes("whole"), bytes("parts"));
    assert_eq!(Network::from_bytes(&bytes("whole")).unwrap().zones(), KingZones::Three);

    // The second training has read the positions that the first one kept. Damage makes it read the games again.
    let kept = folder.0.join("positions.bin");
    let mut damaged = fs::read(&kept).unwrap();
    assert_eq!((damaged.len() - 68) % 98, 0);
    let good = damaged.clone();
    damaged[1000] ^= 1;
    fs::write(&kept, &damaged).unwrap();
    train_network(&task, |_| (), || true).unwrap();
    assert_eq!(fs::read(&kept).unwrap(), good);

    // Another task does not resume it.
    let other = NetworkTask { seed: 4, ..task };
    let error = train_network(&other, |_| (), || false).unwrap_err().to_string();
    assert!(error.contains("holds a fit of another task"), "{error}");
    let few = NetworkTask { validation: 0.0, out: folder.0.join("few"), ..other };
    let error = train_network(&few, |_| (), || false).unwrap_err().to_string();
    assert!(error.ends_with("both are needed; give more games"), "{error}");
}
