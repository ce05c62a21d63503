use std::cell::Cell;

use super::*;
use crate::train::test_folder::TestFolder;

fn task(folder: &TestFolder, out: &str, epochs: u32) -> EvaluationTask {
    EvaluationTask {
        source: folder.source(),
        out: folder.path(out),
        epochs,
        descent: Descent { batch: 100, ..Descent::default() },
    }
}

#[test]
fn a_fit_lowers_the_loss_and_an_interrupted_one_gives_the_same_result() {
    let folder = TestFolder::new();
    let mut losses = Vec::new();
    let whole = fit_evaluation(
        &task(&folder, "whole", 3),
        |progress| {
            if let FitProgress::Epoch { training, .. } = progress {
                losses.push(training.mean());
            }
        },
        || false,
    )
    .unwrap();
    assert!(losses.len() == 3 && losses[2] < losses[0], "{losses:?}");
    assert!(whole.whole && whole.data.training_positions > 200 && whole.data.games == 24);
    assert!(whole.validation_loss >= whole.least_validation_loss);

    // Stopped in the middle of the second epoch, then resumed.
    let steps = Cell::new(0);
    let parts = task(&folder, "parts", 3);
    let part = fit_evaluation(
        &parts,
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
        &parts,
        |progress| {
            if let FitProgress::Resumed(epochs) = progress {
                resumed = *epochs;
            }
        },
        || false,
    );
    assert!(rest.unwrap().whole);
    assert_eq!(resumed, 1);
    let bytes = |out: &str| fs::read(folder.path(out).join("fitted.bin")).unwrap();
    assert_eq!(bytes("whole"), bytes("parts"));
    assert_eq!(bytes("whole").len(), 4 * FEATURES);

    // Another task does not resume it.
    let source = DataSource { seed: 4, ..folder.source() };
    let other = EvaluationTask { source, ..parts };
    let error = fit_evaluation(&other, |_| (), || false).unwrap_err().to_string();
    assert!(error.contains("holds a fit of another task"), "{error}");
}

#[test]
fn too_few_positions_are_reported_in_one_line() {
    let folder = TestFolder::new();
    let mut few = task(&folder, "out", 1);
    few.source.validation = 0.0;
    let error = fit_evaluation(&few, |_| (), || false).unwrap_err().to_string();
    assert!(error.ends_with("both are needed; give more games"), "{error}");
    few.source.tables = vec![folder.path("none.tsv")];
    let error = fit_evaluation(&few, |_| (), || false).unwrap_err().to_string();
    assert!(error.starts_with("reading games from "), "{error}");
}
