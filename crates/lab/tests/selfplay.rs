//! `kyomi-lab selfplay` as a process: killed and resumed, several processes, a full disk, exports.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use common::folder::Folder;

const QUICK: [&str; 9] =
    ["selfplay", "--nodes", "30", "--max-moves", "40", "--hash", "1", "--every", "1"];

impl Folder {
    #[track_caller]
    fn play(&self, arguments: &[&str]) -> (String, String) {
        self.run_with_code(&[&QUICK, arguments].concat(), 0)
    }

    /// Plays until a line on standard error contains `words`.
    fn play_until(&self, arguments: &[&str], words: &str) -> Child {
        let mut command = self.kyomi(&[&QUICK, arguments].concat());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains(words)));
        // Standard error must be read until the end, so that the program does not block.
        std::thread::spawn(move || lines.map_while(Result::ok).count());
        child
    }

    #[track_caller]
    fn status(&self, dir: &str) -> Value {
        let (text, _) = self.run_with_code(&["selfplay", "--check", dir, "--json"], 0);
        serde_json::from_str(&text).unwrap()
    }
}

#[test]
fn a_killed_run_is_resumed_and_every_game_is_complete() {
    let folder = Folder::new();
    folder.play(&["--out", "whole", "--games", "12"]);
    for games in ["2/12 games", "5/12 games", "9/12 games"] {
        let mut child = folder.play_until(&["--out", "killed", "--games", "12"], games);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let (_, stderr) = folder.play(&["--out", "killed", "--games", "12"]);
    assert!(stderr.contains("resumed: "), "{stderr}");
    let status = folder.status("killed");
    assert_eq!((&status["games"], &status["runs"]), (&12.into(), &4.into()), "{status}");
    assert_eq!(status["starts"], 12);
    for dir in ["whole", "killed"] {
        let to = format!("{dir}.usi");
        folder.run_with_code(&["selfplay", "--out", dir, "--export", &to], 0);
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("whole.usi"), read("killed.usi"));
}

#[test]
fn processes_share_a_folder_by_their_seeds() {
    let folder = Folder::new();
    let mut first = folder.play_until(&["--out", "all"], "1 games");
    let (_, stderr) = folder.run_with_code(&[&QUICK[..], &["--out", "all"]].concat(), 2);
    assert_eq!(
        stderr,
        "error: another process is playing the games of all/1.kyg; give another --seed\n"
    );
    folder.play(&["--out", "all", "--seed", "2", "--games", "5", "--threads", "2"]);
    first.kill().unwrap();
    first.wait().unwrap();
    let status = folder.status("all");
    assert_eq!(status["files"], 2);
    assert_eq!(status["starts"], status["games"]);
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_one_line_and_loses_no_game() {
    let folder = Folder::new();
    // Files may not grow beyond some kilobytes; the signal for that is ignored.
    let play = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' {} --out full",
        common::PROGRAM,
        QUICK.join(" ")
    );
    let mut shell = Command::new("sh");
    let output = shell.args(["-c", &play]).current_dir(folder.path()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let line = stderr.lines().last().unwrap();
    let status = folder.status("full");
    let games = status["games"].as_u64().unwrap();
    assert!(games > 3, "{status}");
    assert!(line.starts_with("error: adding a game to full/1.kyg: "), "{stderr}");
    assert!(line.ends_with(&format!("; the {games} games in it are kept")), "{stderr}");
}

#[test]
fn games_are_reported_shown_and_learnt_from() {
    let folder = Folder::new();
    // With fewer nodes most searches reach no limit, and there is nothing to learn from.
    let play = ["selfplay", "--nodes", "300", "--max-moves", "40", "--hash", "1"];
    folder.run_with_code(&[&play[..], &["--out", "games", "--games", "30"]].concat(), 0);
    let (stdout, _) = folder.run_with_code(&["selfplay", "--status", "games"], 0);
    assert!(stdout.starts_with("games            30 (1 files, 1 runs)\nrows "), "{stdout}");
    let export = ["selfplay", "--out", "games", "--export", "some.csa", "--to", "csa3"];
    let (stdout, _) = folder.run_with_code(&[&export[..], &["--only", "3..5"]].concat(), 0);
    assert!(stdout.starts_with("some.csa: 3 games, "), "{stdout}");
    let (_, stderr) = folder.run_with_code(&export, 2);
    assert_eq!(stderr, "error: some.csa exists; --force writes over it\n");
    let shown = fs::read_to_string(folder.path().join("some.csa")).unwrap();
    assert!(shown.contains("kyomi self-play, seed 1, game 4"), "{shown}");
    let train = |games: &'static str, out: &'static str| {
        ["train", "eval", games, "--out", out, "--epochs", "1", "--validate", "0.3", "--json"]
    };
    let (stdout, stderr) = folder.run_with_code(&train("games", "fit"), 0);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&report["games"], &report["tables"][0]), (&30.into(), &"games".into()), "{stderr}");
    assert!(report["training_positions"].as_u64().unwrap() > 10, "{report}");
    // A file can be read like a folder, and a damaged block loses one game.
    let mut bytes = fs::read(folder.path().join("games/1.kyg")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    folder.write("bent.kyg", bytes);
    let (stdout, stderr) = folder.run_with_code(&train("bent.kyg", "fit-2"), 0);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["games"], 29);
    assert!(stderr.contains("bytes are damaged: "), "{stderr}");
}

#[test]
fn errors_are_one_clear_line() {
    let folder = Folder::new();
    folder.write("other.kyg", "something else");
    for (arguments, expected) in [
        (&["--status", "nowhere"][..], "reading nowhere: "),
        (&["--export", "x.abc"], "no format has this extension"),
        (&["--random-plies", "8..4"], "expected two numbers, the smaller one first, at most 255"),
        (&["--records", "none.tsv"], "reading games from none.tsv"),
        (&["--option", "Preset=nonsense"], "Preset"),
        (&["--nodes", "0"], "nodes a move 0; expected 1 to 1000000000"),
        (&["--max-moves", "5"], "--max-moves 5: an opening has at least 4 moves"),
        (&["--option", "X=1"], "engine option: there is no option 'X'"),
        (&["--record-share", "100"], "were not provided: --records <FILE>..."),
        (&["--records", "."], "hint: . is a folder; name its files: ./*"),
        (&["--json"], "--status"),
        (&["--status", "--games", "5"], "cannot be used with"),
        (&["--check", "--every", "5"], "cannot be used with"),
        (&["--export", "x.psv", "--seed", "2"], "cannot be used with"),
        (&["--status", "other.kyg"], "other.kyg holds no games of self-play"),
    ] {
        let (_, stderr) = folder.run_with_code(&[&["selfplay"], arguments].concat(), 2);
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_reported_before_the_log() {
    let folder = Folder::new();
    folder.write("file", "");
    let play = ["selfplay", "--out", "file/games", "--set", "log.dir=file/log"];
    let (_, stderr) = folder.run_with_code(&play, 1);
    assert!(stderr.starts_with("error: making file/games: "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    folder.write("empty.kyg", "");
    let (stdout, _) = folder.run_with_code(&["selfplay", "--status", "empty.kyg"], 0);
    assert!(stdout.starts_with("no games yet "), "{stdout}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_finishes_the_games_and_a_second_one_abandons_them() {
    let folder = Folder::new();
    // The games are long, so that the second signal comes before their end.
    let arguments = ["selfplay", "--out", "games", "--nodes", "1000000000", "--threads", "2"];
    let mut child = folder.kyomi(&arguments).stderr(Stdio::piped()).spawn().unwrap();
    let id = child.id().to_string();
    let interrupt =
        || assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    // The program listens for signals before it opens the file of the games.
    while !folder.path().join("games/1.kyg").exists() {
        std::thread::yield_now();
    }
    interrupt();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    assert!(
        line.ends_with("interrupt: finishing the running games; a second signal abandons them"),
        "{line}"
    );
    interrupt();
    let line = lines.next().unwrap().unwrap();
    assert!(line.ends_with("second interrupt: abandoning the running games"), "{line}");
    child.kill().unwrap();
    child.wait().unwrap();
}
