//! `kyomi-lab tune` as a process: a few iterations, killed and resumed, and error messages.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use serde_json::Value;

use common::folder::Folder;

impl Folder {
    fn command(&self, arguments: &[&str]) -> Command {
        self.kyomi(&[&["tune"], arguments].concat())
    }

    #[track_caller]
    fn run(&self, arguments: &[&str], code: i32) -> (String, String) {
        self.run_with_code(&[&["tune"], arguments].concat(), code)
    }

    fn lines(&self, dir: &str) -> String {
        fs::read_to_string(self.path().join(dir).join("pairs.jsonl")).unwrap()
    }
}

const COMMON: [&str; 12] = [
    "--tune",
    "Interest_CostK",
    "--tune",
    "interest_killer,min=0,max=300,r_end=0.05",
    "--tc",
    "nodes=20",
    "--player",
    "builtin hash=1",
    "--max-moves",
    "24",
    "--every",
    "1",
];

#[test]
fn a_killed_run_is_resumed_with_the_same_result() {
    let folder = Folder::new();
    let whole = [&COMMON[..], &["--iterations", "12", "--out", "whole"]].concat();
    let broken = [&COMMON[..], &["--iterations", "12", "--out", "broken"]].concat();
    let (stdout, stderr) = folder.run(&whole, 0);
    assert!(stdout.starts_with("12 of 12 iterations, 24 games"), "{stdout}");
    assert!(stderr.contains("12/12  24 games  CostK "), "{stderr}");
    let options = stdout.lines().last().unwrap();
    assert!(options.starts_with("options: Interest_CostK="), "{stdout}");
    assert!(options.contains(" Interest_Killer="), "{stdout}");

    let mut child = folder.command(&broken).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("4/12")));
    child.kill().unwrap();
    child.wait().unwrap();
    let (so_far, _) = folder.run(&["--out", "broken", "--report", "--json"], 0);
    let so_far: Value = serde_json::from_str(&so_far).unwrap();
    assert!(so_far["iterations"].as_u64().unwrap() >= 4, "{so_far}");

    let (again, stderr) = folder.run(&broken, 0);
    assert_eq!(again, stdout);
    assert!(stderr.contains("resumed: "), "{stderr}");
    assert_eq!(folder.lines("broken"), folder.lines("whole"));
    // The two sides of a pair have different values.
    let first: Value = serde_json::from_str(folder.lines("whole").lines().next().unwrap()).unwrap();
    assert_ne!(first["plus"], first["minus"]);
    assert_eq!(first["ends"].as_array().unwrap().len(), 2);
}

#[test]
fn games_of_an_iteration_can_run_in_parallel() {
    let folder = Folder::new();
    let more = ["--iterations", "3", "--pairs", "2"];
    let (one, _) = folder.run(&[&COMMON[..], &more, &["--out", "one"]].concat(), 0);
    let at_once = ["--out", "many", "--concurrency", "4"];
    let (many, _) = folder.run(&[&COMMON[..], &more, &at_once].concat(), 0);
    assert_eq!(one, many);
}

#[test]
fn errors_are_one_clear_line() {
    let folder = Folder::new();
    fs::write(folder.path().join("bad.toml"), "[Interest_CostK]\nstep = 3\n").unwrap();
    fs::write(folder.path().join("good.toml"), "[Interest_CostK]\nmin = 3000\nmax = 12000\n")
        .unwrap();
    for (arguments, part) in [
        (&[][..], "nothing to tune"),
        (&["--tune", "Interest_CostQ"], "no option 'Interest_CostQ'"),
        (&["--tune", "Interest_Cut"], "is a switch"),
        (&["--tune", "Interest_CostK,min=1"], "the option allows 1000 to 30000"),
        (&["--file", "bad.toml"], "unknown field `step`"),
        (&["--file", "none.toml"], "reading none.toml"),
        (&["--file", "good.toml", "--tune", "Interest_CostK"], "named twice"),
        (&["--tune", "Interest_CostK", "--player", "builtin Preset=x"], "tournament or interest"),
        (&["--tune", "Interest_CostK", "--player", "builtin room=kyomi"], "play without workers"),
        (&["--tune", "Interest_CostK", "--concurrency", "3"], "an iteration has 2 games"),
        (&["--report", "--out", "nowhere"], "nowhere"),
    ] {
        let (_, stderr) = folder.run(arguments, 2);
        assert!(stderr.contains(part) && stderr.trim_end().lines().count() == 1, "{stderr}");
    }
    let run = ["--file", "good.toml", "--tc", "nodes=10", "--max-moves", "4", "--iterations"];
    folder.run(&[&run[..], &["1", "--out", "x"]].concat(), 0);
    let (_, stderr) = folder.run(&[&run[..], &["2", "--out", "x"]].concat(), 2);
    assert!(stderr.contains("holds another tuning: tuning.iterations was 1"), "{stderr}");
}
