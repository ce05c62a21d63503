//! The studies of `kyomi-lab` on a few real games: its text, its JSON, and that its output is the same every time.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    process::{Command, Stdio},
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

/// Two positions with their best moves.
const POSITIONS: &str = "# sfen\tbest\n\
    lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\t7g7f\n\
    4k4/9/4P4/9/9/9/9/9/4K4 b G 1\tG*5b\n";

#[test]
fn engines_search_positions_and_are_resumed() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("positions.tsv"), POSITIONS).unwrap();
    let run = |study: &str, more: &[&str]| {
        let mut command = Command::new(common::PROGRAM);
        command.current_dir(dir.path()).args([study, "positions.tsv", "--out", study]);
        let output = command.args(more).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let engines =
        ["--engine", "builtin name=plies Preset=lmr hash=1", "--engine", "builtin hash=1"];
    let one = [&engines[..], &["--nodes", "400,200", "--rows", "1"]].concat();
    let (code, text, error) = run("agreement", &one);
    assert!(code == Some(0) && text.starts_with("1 positions\n"), "{text}{error}");
    let both = [&engines[..], &["--nodes", "200,400", "--json"]].concat();
    let (code, text, error) = run("agreement", &both);
    assert_eq!(code, Some(0), "{error}");
    let study: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&study["positions"], &study["engines"][3]["engine"]), (&2.into(), &"B".into()));
    // Every engine finds the mate.
    for engine in study["engines"].as_array().unwrap() {
        assert!(engine["hits"].as_u64() >= Some(1), "{study}");
    }
    assert_eq!(study["pairs"].as_array().unwrap().len(), 2);
    let searches = fs::read_to_string(dir.path().join("agreement/searches.jsonl")).unwrap();
    assert_eq!(searches.lines().count(), 8, "the first position is searched once");
    let (code, _, error) = run("agreement", &[&engines[..], &["--nodes", "300"]].concat());
    assert!(code == Some(2) && error.contains("holds another study"), "{error}");

    let (code, text, error) = run("growth", &[&engines[..], &["--nodes", "600"]].concat());
    assert_eq!(code, Some(0), "{error}");
    for part in ["four times the nodes gain", "moves searched again", "static evaluation"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = fs::read_to_string(dir.path().join("growth/growth.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 9);
    for faulty in ["builtin nodes=5", "builtin ponder=true", "usi path=none book=builtin"] {
        let (code, _, error) = run("growth", &["--engine", faulty]);
        assert!(code == Some(2) && error.contains("has no effect"), "{error}");
    }
}

/// A USI engine is asked for nodes, and its reports are read.
#[cfg(unix)]
#[test]
fn a_usi_engine_is_compared() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let engine = dir.path().join("engine.sh");
    fs::write(&engine, ENGINE).unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(dir.path().join("positions.tsv"), POSITIONS).unwrap();
    let mut command = Command::new(common::PROGRAM);
    command.current_dir(dir.path()).args(["growth", "positions.tsv", "--rows", "1", "--json"]);
    command.args(["--nodes", "1000", "--out", "out", "--engine", "usi path=./engine.sh"]);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let study: serde_json::Value = serde_json::from_str(&text).unwrap();
    let engine = &study["engines"][0];
    assert_eq!((&engine["nodes"], &engine["hashfull"]), (&1000.into(), &7.0.into()), "{study}");
    // The last depth was not completed.
    let depths = engine["depths"].as_array().unwrap();
    let nodes: Vec<_> = depths.iter().map(|it| it["nodes"].as_f64().unwrap().round()).collect();
    assert_eq!(nodes, [10.0, 200.0]);
}

/// Ctrl-C ends a run whose engine does not answer, at its start or when it searches.
#[cfg(unix)]
#[test]
fn a_silent_engine_does_not_hold_the_run() {
    use std::os::unix::fs::PermissionsExt as _;
    for silent in ["echo readyok", "echo 'bestmove 7g7f'"] {
        let dir = tempfile::tempdir().unwrap();
        let engine = dir.path().join("engine.sh");
        fs::write(&engine, ENGINE.replace(silent, "touch asked")).unwrap();
        fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(dir.path().join("positions.tsv"), POSITIONS).unwrap();
        let mut command = Command::new(common::PROGRAM);
        command.current_dir(dir.path()).args(["agreement", "positions.tsv", "--nodes", "1000"]);
        command.args(["--engine", "usi path=./engine.sh dir=."]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        while !dir.path().join("asked").exists() {
            assert_eq!(child.try_wait().unwrap(), None, "it ended before {silent}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("the same command resumes the run"), "{error}");
    }
}

#[cfg(unix)]
const ENGINE: &str = "#!/bin/sh
while read word rest; do
  case \"$word $rest\" in
    'usi ') echo usiok;;
    'isready ') echo readyok;;
    'go nodes 1000')
      echo 'info depth 1 seldepth 2 nodes 10 time 1 score cp 5 pv 7g7f'
      echo 'info depth 2 seldepth 3 nodes 200 time 2 hashfull 5 score cp 5 pv 2g2f'
      echo 'info depth 3 seldepth 4 nodes 900 time 3 score cp 5 upperbound pv 2g2f'
      echo 'info depth 3 seldepth 4 nodes 1000 time 4 hashfull 7 score cp 5 pv 7g7f'
      echo 'bestmove 7g7f';;
    'quit ') exit;;
  esac
done
";
