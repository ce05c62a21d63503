//! The studies of `kyomi-lab` on a few real games: its text, its JSON, and that its output is the same every time.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    process::Command,
};

use flate2::read::MultiGzDecoder;
use tempfile::TempPath;

/// The first games of the data set of engine games, in a file that is removed after the test.
struct Table(TempPath);

impl Table {
    fn new(games: usize) -> Self {
        let source = common::data_dir().join("games_engine.tsv.gz");
        let lines = BufReader::new(MultiGzDecoder::new(File::open(source).unwrap())).lines();
        let text: String = lines.take(games + 1).map(|line| line.unwrap() + "\n").collect();
        let path = tempfile::Builder::new().suffix(".tsv").tempfile().unwrap().into_temp_path();
        fs::write(&path, text).unwrap();
        Self(path)
    }

    fn run(&self, experiment: &str, more: &[&str]) -> String {
        let mut command = Command::new(common::PROGRAM);
        command.args([experiment]).arg(&self.0).args(more);
        let output = command.output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, experiment: &str, more: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.run(experiment, &[more, &["--json"]].concat())).unwrap()
    }
}

#[test]
fn plausible_moves_of_real_games() {
    let table = Table::new(12);
    let text = table.run("plausible", &["--every", "4"]);
    for part in ["of any generator", "beyond 30", "G1 takes a piece", "capture or promotion"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let study = table.json("plausible", &["--every", "4", "--left-out", "2"]);
    let positions = study["positions"].as_u64().unwrap();
    assert!(positions > 200, "{positions}");
    assert!(study["all"]["accuracy"].as_f64().unwrap() > 0.95, "{study}");
    assert!(study["left_out"].as_array().unwrap().len() <= 2);
    let ranks: u64 = study["by_merit"]["counts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|count| count.as_u64().unwrap())
        .sum();
    assert_eq!(ranks, positions);
}

#[test]
fn stretches_of_real_games() {
    let table = Table::new(8);
    let text = table.run("chains", &["--every", "1"]);
    assert!(text.starts_with("8 games, ") && text.contains("legal moves by ply"), "{text}");
    let study = table.json("chains", &["--every", "1"]);
    for chain in study["chains"].as_array().unwrap() {
        let of = |name: &str| chain[name].as_f64().unwrap();
        assert!(of("accuracy") > 0.8 && of("survived") < of("accuracy"), "{chain}");
    }
    assert_eq!(study["legal"][0]["mean"], 30.0);
}

#[test]
fn searches_of_real_positions() {
    let table = Table::new(10);
    let few = ["--every", "30"];
    let likeness = [&few[..], &["--nodes", "100"]].concat();
    let study = table.json("likeness", &likeness);
    assert_eq!(study, table.json("likeness", &likeness), "it follows from its seed");
    let presets = study["presets"].as_array().unwrap();
    assert_eq!(presets.len(), 2);
    assert!(presets[0]["bands"][0]["positions"].as_u64() > Some(3), "{study}");
    assert!(table.run("likeness", &likeness).contains("of the first 3"));

    let stops = [&few[..], &["--nodes", "300", "--judge", "50"]].concat();
    let study = table.json("stops", &stops);
    assert_eq!(study, table.json("stops", &stops));
    let stopped = &study["presets"][0];
    assert!(stopped["moves"].as_u64() >= stopped["lines"].as_u64(), "{study}");
    assert!(table.run("stops", &stops).contains("above 200 cp"));

    let ordering = ["--every", "10", "--nodes", "300", "--judge", "600"];
    let study = table.json("ordering", &ordering);
    assert_eq!(study, table.json("ordering", &ordering));
    for order in study["orders"].as_array().unwrap() {
        let sum = |curve: &str| -> u64 {
            let counts = order[curve]["counts"].as_array().unwrap();
            counts.iter().map(|count| count.as_u64().unwrap()).sum()
        };
        assert!(sum("played") > 3 && sum("cuts") > sum("played"), "{study}");
        assert_eq!(sum("best"), sum("played_by_other_terms"), "{study}");
    }
    assert!(table.run("ordering", &ordering).contains("played, by other terms"));

    let lengths = ["--every", "10", "--each", "1", "--depth", "1"];
    let text = table.run("lengths", &lengths);
    assert!(text.contains("to 50") && text.contains("nodes saved"), "{text}");
    let study = table.json("lengths", &lengths);
    assert!(study["bands"][0]["on"]["nodes"].as_u64().unwrap() > 0, "{study}");
}
