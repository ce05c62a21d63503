use std::{cell::Cell, fmt::Write as _};

use super::*;

/// The folder of one test, with a table of short random games, won by the side with more material.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("kyomi-train-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        let mut random = fastrand::Rng::with_seed(11);
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

    fn task(&self, out: &str, epochs: u32) -> EvaluationTask {
        EvaluationTask {
            tables: vec![self.0.join("games.tsv")],
            out: self.0.join(out),
            seed: 3,
            epochs,
            validation: 0.2,
            choice: PositionFilter { first_ply: 20, ..PositionFilter::default() },
            selfplay: SelfplayPositionFilter::default(),
            descent: Descent { batch: 100, ..Descent::default() },
        }
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_fit_learns_and_an_interrupted_one_comes_out_the_same() {
    let folder = TestFolder::new("resume");
    let mut losses = Vec::new();
    let whole = fit_evaluation(
        &folder.task("whole", 3),
        |progress| {
            if let FitProgress::Epoch { training, .. } = progress {
                losses.push(training.mean());
            }
        },
        || false,
    )
    .unwrap();
    assert!(losses.len() == 3 && losses[2] < losses[0], "{losses:?}");
    assert!(whole.whole && whole.training_positions > 200 && whole.games == 24);
    assert!(whole.validation_loss >= whole.least_validation_loss);

    // Stopped in the middle of the second epoch, then resumed.
    let steps = Cell::new(0);
    let task = folder.task("parts", 3);
    let part = fit_evaluation(
        &task,
        |progress| {
            if matches!(progress, FitProgress::Epoch { .. } | FitProgress::Step { epoch: 2, .. }) {
                steps.set(steps.get() + 1);
            }
        },
        || steps.get() >= 2,
    );
    assert!(!part.unwrap().whole);
    let mut resumed = 0;
    let rest = fit_evaluation(
        &task,
        |progress| {
            if let FitProgress::Resumed(epochs) = progress {
                resumed = *epochs;
            }
        },
        || false,
    );
    assert!(rest.unwrap().whole);
    assert_eq!(resumed, 1);
    let bytes = |out: &str| fs::read(folder.0.join(out).join("fitted.bin")).unwrap();
    assert_eq!(bytes("whole"), bytes("parts"));
    assert_eq!(bytes("whole").len(), 4 * FEATURES);

    // Another task does not resume it.
    let other = EvaluationTask { seed: 4, ..task };
    let error = fit_evaluation(&other, |_| (), || false).unwrap_err().to_string();
    assert!(error.contains("holds a fit of another task"), "{error}");
}

#[test]
fn too_few_positions_are_reported_in_one_line() {
    let folder = TestFolder::new("few");
    let task = EvaluationTask { validation: 0.0, ..folder.task("out", 1) };
    let error = fit_evaluation(&task, |_| (), || false).unwrap_err().to_string();
    assert!(error.ends_with("both are needed; give more games"), "{error}");
    let task = EvaluationTask { tables: vec![folder.0.join("none.tsv")], ..task };
    let error = fit_evaluation(&task, |_| (), || false).unwrap_err().to_string();
    assert!(error.starts_with("reading games from "), "{error}");
}
