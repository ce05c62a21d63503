//! `kyomi-lab train merits`, `interest`, `moves` and `comparisons` as processes, on a few short games.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::{fs, process::Command};

use kyomi::players::{EvalOptions, NamedPath};
use tempfile::TempPath;

/// A table of games, in a file that is removed after the test.
struct Table(TempPath);

impl Table {
    fn new(games: usize) -> Self {
        let path = tempfile::Builder::new().suffix(".tsv").tempfile().unwrap().into_temp_path();
        let lines = [
            "startpos moves 7g7f 3c3d 2g2f 4c4d 3i4h 3a4b 5g5f 4b4c\t1-0\n",
            "startpos moves 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d\t0-1\n",
            "startpos moves 7g7f 8c8d 7i6h 3c3d 6g6f 7a6b 5g5f 5c5d\t1/2\n",
        ];
        let table: String = std::iter::once("#moves\tresult\n")
            .chain(lines.into_iter().cycle().take(games))
            .collect();
        fs::write(&path, table).unwrap();
        Self(path)
    }
}

fn train(what: &str, table: &Table, more: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(common::PROGRAM);
    let output = command.args(["train", what]).arg(&table.0).args(more).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn both_fits_print_their_quality_and_their_values() {
    let table = Table::new(40);
    let kept = Table::new(0);
    let path = kept.0.to_str().unwrap();
    for (what, heading, row) in [
        ("merits", "values    loss  accuracy  saving", "    CapturePawn "),
        ("interest", "figures   loss", "CaptureMajorBad "),
    ] {
        let more = ["--every", "1", "--epochs", "2", "--out", path];
        let (code, stdout, stderr) = train(what, &table, &more);
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stdout.starts_with("40 games: fitted to "), "{stdout}");
        assert!(stdout.contains(heading) && stdout.contains("\nfitted "), "{stdout}");
        assert!(stderr.contains("epoch 2  loss "), "{stderr}");
        assert!(stdout.contains(row), "{stdout}");
        let written = fs::read_to_string(&kept.0).unwrap();
        assert!(stdout.ends_with(&written), "{written}");
        assert_eq!(train(what, &table, &more).1, stdout, "it follows from its seed");
    }
}

#[test]
fn learned_moves_are_written_with_their_report() {
    let table = Table::new(40);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let more = ["--every", "1", "--epochs", "2", "--out", out.to_str().unwrap()];
    let (code, stdout, stderr) = train("moves", &table, &more);
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.starts_with("games 40, positions to learn from "), "{stdout}");
    assert!(stdout.contains("\nlearned ") && stderr.contains("epoch 2 "), "{stdout}{stderr}");
    let written = fs::read(out.join("moves.bin")).unwrap();
    let report = fs::read_to_string(out.join("moves.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report["after"]["loss"].as_f64() < report["before"]["loss"].as_f64(), "{report}");
    let command = report["command"].as_array().unwrap();
    assert!(command.iter().any(|word| word == "moves"), "{report}");
    assert_eq!(train("moves", &table, &more).1, stdout, "it follows from its seed");
    assert_eq!(fs::read(out.join("moves.bin")).unwrap(), written);
}

/// The network of the program.
const NETWORK: &str = "../engine/src/eval/weights/network.bin";

#[test]
fn a_network_learns_from_comparisons_of_moves() {
    let table = Table::new(40);
    let folder = tempfile::tempdir().unwrap();
    let run = |threads: &str| {
        let out = folder.path().join(threads);
        let more = ["--every", "1", "--first-ply", "2", "--start", NETWORK, "--threads", threads];
        train("comparisons", &table, &[&more[..], &["--out", out.to_str().unwrap()]].concat())
    };
    let (code, stdout, stderr) = run("1");
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.starts_with("games 40, comparisons to learn from "), "{stdout}");
    assert!(stdout.contains("\nafter  loss ") && stderr.contains("epoch 3 "), "{stdout}{stderr}");
    let written =
        |threads: &str| fs::read(folder.path().join(threads).join("network.bin")).unwrap();
    let first = written("1");
    assert_ne!(first, fs::read(NETWORK).unwrap());
    let report = fs::read_to_string(folder.path().join("1/network.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let (before, after) = (&report["before"]["choice"], &report["after"]["choice"]);
    assert!(after.as_f64() < before.as_f64(), "{report}");
    assert_eq!(run("2").1, stdout, "it follows from its seed");
    assert_eq!(written("2"), first);
    // A result is not replaced.
    let (code, _, stderr) = run("1");
    assert_eq!(code, Some(2));
    assert!(stderr.contains("network.bin is there; give another folder"), "{stderr}");
    assert_eq!(written("1"), first);
}

#[test]
fn the_fitted_sum_learns_from_comparisons_of_moves() {
    let table = Table::new(40);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let more = ["--every", "1", "--first-ply", "2", "--start", NETWORK, "--weights", "sum"];
    let run =
        || train("comparisons", &table, &[&more[..], &["--out", out.to_str().unwrap()]].concat());
    let (code, stdout, stderr) = run();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("\nafter  loss "), "{stdout}");
    let sum = fs::read(out.join("fitted.bin")).unwrap();
    let present = fs::read("../engine/src/eval/weights/fitted.bin").unwrap();
    assert!(sum.len() == present.len() && sum != present);
    let report = fs::read_to_string(out.join("fitted.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert!(report["weights"] == "sum" && report["sum"][0] != report["sum"][1], "{report}");
    let (before, after) = (&report["before"]["choice"], &report["after"]["choice"]);
    assert!(after.as_f64() < before.as_f64(), "{report}");
    // The network is written for the new sum, so that this program refuses it.
    let file = NamedPath { path: out.join("network.bin"), by: "--eval-file" };
    let error = EvalOptions { file: Some(file), ..EvalOptions::default() }.load().unwrap_err();
    assert!(error.contains("was trained for other fitted weights"), "{error}");
    // A result is not replaced.
    let (code, _, stderr) = run();
    assert_eq!(code, Some(2));
    assert!(stderr.contains("fitted.bin is there; give another folder"), "{stderr}");
}

#[test]
fn too_few_positions_are_reported() {
    let table = Table::new(1);
    for what in ["merits", "interest", "moves"] {
        let (code, _, stderr) = train(what, &table, &[]);
        assert_eq!(code, Some(2));
        assert!(stderr.contains("too few positions") && stderr.contains("--every"), "{stderr}");
    }
    let (code, _, stderr) = train("comparisons", &table, &["--start", NETWORK]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("both are needed; give more games"), "{stderr}");
}

#[test]
fn plausible_moves_are_counted() {
    let table = Table::new(30);
    let run = |more: &[&str]| {
        let mut command = Command::new(common::PROGRAM);
        command.args(["plausible"]).arg(&table.0).args(["--every", "1"]).args(more);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = run(&[]);
    assert!(text.starts_with("250 positions, ") && text.contains("merit from 0 (mma)"), "{text}");
    let study: serde_json::Value = serde_json::from_str(&run(&["--json"])).unwrap();
    assert_eq!(study["positions"], 250);
    assert!(study["all"]["accuracy"].as_f64().unwrap() > 0.9, "{study}");
}
