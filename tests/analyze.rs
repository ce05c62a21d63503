//! `kyomi analyze`: the whole program on small games.

#![allow(clippy::unwrap_used, reason = "this code is for tests only")]

mod common;

use std::fs;

use common::folder::Folder;
use serde_json::Value;

const GAME: &str = include_str!("data/csa_samples/own_01_mate.csa");

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_slice(&fs::read(folder.path().join(name)).unwrap()).unwrap()
}

#[test]
fn a_game_is_analysed_in_every_form_and_not_searched_twice() {
    let folder = Folder::new();
    folder.write("game.csa", GAME);
    let arguments = ["analyze", "game.csa", "--nodes", "1000", "--to", "all", "--no-why"];
    let (stdout, _) = folder.run_with_code(&arguments, 0);
    assert!(stdout.contains("wrote game.analysis.html"), "{stdout}");
    let first = fs::read(folder.path().join("game.analysis.json")).unwrap();
    let (stdout, _) = folder.run_with_code(&arguments, 0);
    let head = stdout.lines().next().unwrap();
    let numbers: Vec<&str> = head.split(' ').filter(|word| word.parse::<u32>().is_ok()).collect();
    assert!(numbers.len() == 3 && numbers[1] == numbers[2], "{head}");
    assert_eq!(fs::read(folder.path().join("game.analysis.json")).unwrap(), first);

    let analysis = json(&folder, "game.analysis.json");
    let positions = analysis["positions"].as_array().unwrap();
    assert_eq!(analysis["format"], "kyomi-analysis-1");
    assert_eq!((&analysis["complete"], positions[0]["ply"].as_u64()), (&true.into(), Some(0)));
    // The game ends in a mate: the winner's chance is certain.
    let last = positions.last().unwrap()["black_chance"].as_f64().unwrap();
    assert!(last.min(1.0 - last).abs() < 1e-9, "{last}");

    // The records are read again with the same moves; the scores are where programs look for them.
    let (listed, _) = folder.run_with_code(
        &[
            "convert",
            "game.csa",
            "game.analysis.csa",
            "game.analysis.kif",
            "--to",
            "usi",
            "-o",
            "-",
        ],
        0,
    );
    let lines: Vec<&str> = listed.lines().filter(|line| line.starts_with("startpos")).collect();
    assert_eq!(lines.len(), 3, "{listed}");
    let moves = |line: &str| line.split(" moves ").nth(1).unwrap().split_whitespace().count();
    assert!(lines.iter().all(|line| moves(line) == moves(lines[0])), "{listed}");
    let csa = fs::read_to_string(folder.path().join("game.analysis.csa")).unwrap();
    assert!(csa.contains("\n'*#評価値=") && csa.contains("\n'** "), "{csa}");
    let again =
        folder.run_with_code(&["convert", "game.analysis.kif", "--to", "jkf", "-o", "-"], 0).0;
    assert!(again.contains("*解析 0 "), "{again}");
}

#[test]
fn a_killed_analysis_continues_and_ends_as_if_nothing_had_happened() {
    let folder = Folder::new();
    folder.write("game.csa", GAME);
    let arguments = ["analyze", "game.csa", "--nodes", "3000", "--to", "json"];
    let whole = Folder::new();
    whole.write("game.csa", GAME);
    whole.run_with_code(&arguments, 0);

    let mut child = folder.kyomi(&arguments).stderr(std::process::Stdio::piped()).spawn().unwrap();
    // The first line of progress comes after twenty positions.
    let stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let line = std::io::BufRead::lines(stderr).map_while(Result::ok).next();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.is_some_and(|line| line.contains("20 of ")));

    let (stdout, _) = folder.run_with_code(&arguments, 0);
    let head = stdout.lines().next().unwrap();
    assert!(!head.contains(" 0 known before"), "{head}");
    let read = |folder: &Folder| fs::read(folder.path().join("game.analysis.json")).unwrap();
    assert_eq!(read(&folder), read(&whole));
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_found_and_says_so() {
    use rustix::process::{Pid, Signal, kill_process};
    let folder = Folder::new();
    folder.write("game.csa", GAME);
    let arguments = ["analyze", "game.csa", "--nodes", "30000", "--to", "json,html"];
    let mut child = folder
        .kyomi(&arguments)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut lines = std::io::BufRead::lines(stderr).map_while(Result::ok);
    assert!(lines.next().unwrap().contains("20 of "));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let rest: Vec<String> = lines.collect();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("the same command continues")), "{rest:?}");
    let analysis = json(&folder, "game.analysis.json");
    assert_eq!(analysis["complete"], false);
    let known = |position: &&Value| !position["lines"].is_null();
    assert!(analysis["positions"].as_array().unwrap().iter().filter(known).count() >= 20);
}

#[test]
fn a_folder_has_an_index_and_what_is_broken_stops_nothing() {
    let folder = Folder::new();
    folder.write("season/one.csa", GAME);
    folder.write("season/may/two.csa", GAME.replace("N+", "N+<b>").replace("N-", "N-&amp; "));
    folder.write("season/broken.csa", "V2.2\nPI\n+\n+9999XX\n");
    let arguments = ["analyze", "season", "--nodes", "300", "--no-why"];
    let (stdout, stderr) = folder.run_with_code(&arguments, 1);
    assert!(stderr.contains("broken.csa") && stderr.contains("analysed"), "{stderr}");
    assert!(stdout.contains("index: season/analysis/index.html"), "{stdout}");
    let index = fs::read_to_string(folder.path().join("season/analysis/index.html")).unwrap();
    assert!(index.contains("href=\"./one.analysis.html\""));
    assert!(index.contains("href=\"./may/two.analysis.html\""));
    assert!(index.contains("&lt;b&gt;") && !index.contains("<b>"));
    // What was written is not taken for records.
    fs::remove_file(folder.path().join("season/broken.csa")).unwrap();
    let (stdout, _) = folder.run_with_code(&arguments, 0);
    assert_eq!(stdout.matches(" moves; ").count(), 2, "{stdout}");
}

#[test]
fn pages_of_one_run_do_not_overwrite_each_other() {
    let folder = Folder::new();
    folder.write("x/game.csa", GAME);
    folder.write("y/game.csa", GAME.replace("N+", "N+second "));
    let arguments = ["analyze", "x", "y/game.csa", "-o", "out", "--nodes", "50", "--no-why"];
    let (stdout, _) = folder.run_with_code(&arguments, 0);
    assert_eq!(stdout.matches("index: ").count(), 1, "{stdout}");
    let page = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    assert!(!page("game.analysis.html").contains("second "));
    assert!(page("game-2.analysis.html").contains("second "));
    let index = page("index.html");
    assert!(index.contains("href=\"./game.analysis.html\""));
    assert!(index.contains("href=\"./game-2.analysis.html\""));
}

#[test]
fn a_broken_game_of_a_file_does_not_stop_the_others() {
    let folder = Folder::new();
    let broken = "V2.2\nP1-KY-KE\n+\n+7776FU\n";
    folder.write("many/games.csa", [GAME, GAME, broken, GAME].join("/\n"));
    let (stdout, stderr) =
        folder.run_with_code(&["analyze", "many", "--nodes", "50", "--no-why"], 1);
    assert!(stderr.contains("game 3: "), "{stderr}");
    assert!(stderr.contains("1 game was not analysed whole"), "{stderr}");
    assert_eq!(stdout.matches(" moves; ").count(), 3, "{stdout}");
    let index = fs::read_to_string(folder.path().join("many/analysis/index.html")).unwrap();
    for number in [1, 2, 4] {
        assert!(index.contains(&format!("games-{number}.analysis.html")), "{number}");
    }
}

#[test]
fn files_of_others_are_not_overwritten_and_faults_are_one_line() {
    let folder = Folder::new();
    folder.write("game.csa", GAME);
    folder.write("game.analysis.html", "my own page");
    let arguments = ["analyze", "game.csa", "--nodes", "100", "--no-why"];
    let (_, stderr) = folder.run_with_code(&arguments, 2);
    assert!(stderr.contains("--force"), "{stderr}");
    assert_eq!(
        fs::read_to_string(folder.path().join("game.analysis.html")).unwrap(),
        "my own page"
    );
    folder.run_with_code(&[&arguments[..], &["--force"]].concat(), 0);
    for (more, word) in [
        (&["--engine", "no/such/engine"][..], "no/such/engine"),
        (&["--time-per-move", "0s"][..], "no time"),
        (&["--engine-option", "x=1"][..], "--engine"),
        (&["--db", "game.csa"][..], "game.csa: this file is no database; name another one"),
        (&["--set", "records.index=game.csa"][..], "game.csa: this file is no database"),
    ] {
        let arguments = [&["analyze", "game.csa"][..], more].concat();
        let output = folder.kyomi(&arguments).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && stderr.contains(word), "{stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    }
    let (_, stderr) = folder.run_with_code(&["analyze", "nowhere.csa"], 2);
    assert!(stderr.contains("nowhere.csa"), "{stderr}");
}

#[test]
fn a_game_of_a_file_that_has_no_moves_is_there() {
    let folder = Folder::new();
    folder.write("two.csa", format!("{GAME}/\nV2.2\nPI\n+\n%TORYO\n"));
    let analyze = |number| ["analyze", "two.csa", "--nodes", "20", "--game", number];
    let (_, stderr) = folder.run_with_code(&analyze("2"), 1);
    assert!(stderr.contains("no moves") && !stderr.contains("no game"), "{stderr}");
    let (_, stderr) = folder.run_with_code(&analyze("3"), 2);
    assert!(stderr.contains("no game 3; the file has 2 games"), "{stderr}");
}

#[test]
fn a_usi_engine_analyses() {
    let folder = Folder::new();
    folder.write("game.csa", GAME.lines().take(30).collect::<Vec<_>>().join("\n"));
    let program = env!("CARGO_BIN_EXE_kyomi");
    folder.write("engine.sh", format!("#!/bin/sh\nexec {program} usi\n"));
    let path = folder.path().join("engine.sh");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let engine = path.to_str().unwrap();
    let arguments = [
        "analyze",
        "game.csa",
        "--nodes",
        "500",
        "--multipv",
        "2",
        "--to",
        "json",
        "--no-why",
        "--engine",
        engine,
    ];
    folder.run_with_code(&arguments, 0);
    let analysis = json(&folder, "game.analysis.json");
    assert!(analysis["settings"].as_str().unwrap().starts_with("usi "), "{analysis}");
    let positions = analysis["positions"].as_array().unwrap();
    assert!(positions.iter().all(|position| {
        let lines = position["lines"].as_array().unwrap();
        !lines.is_empty() && !lines[0]["pv"].as_array().unwrap().is_empty()
    }));
}

#[test]
fn without_a_game_there_is_no_page() {
    let folder = Folder::new();
    let noise: Vec<u8> =
        (0..5000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    folder.write("noise.csa", noise);
    folder.write("words.txt", "no game\n");
    folder.write("empty.csa", "");
    folder.write("start.csa", "V2.2\nPI\n+\n");
    for name in ["noise.csa", "words.txt", "empty.csa", "start.csa"] {
        let (_, stderr) = folder.run_with_code(&["analyze", name, "--nodes", "100"], 1);
        let last = stderr.trim_end().lines().last().unwrap();
        let says = last.contains("no game here") || last.contains("nothing to analyse");
        assert!(last.starts_with("error: ") && says, "{stderr}");
        assert!(last.contains(name), "{stderr}");
    }
    let pages = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!pages.into_iter().any(|name| name.to_string_lossy().contains("analysis")));
    // In a folder the games are analysed, and the rest is named.
    folder.write("game.csa", GAME);
    let (stdout, stderr) = folder.run_with_code(&["analyze", ".", "--nodes", "100", "--no-why"], 1);
    assert!(stdout.contains("index: "), "{stdout}");
    assert!(stderr.contains("start.csa") && stderr.contains("not analysed whole"), "{stderr}");
}

#[test]
fn results_are_kept_in_the_database_of_the_configuration() {
    let folder = Folder::new();
    folder.write("game.csa", GAME);
    let arguments = ["analyze", "game.csa", "--nodes", "100", "--no-why", "--set"];
    folder.run_with_code(&[&arguments[..], &["records.index=season.db"]].concat(), 0);
    assert!(folder.path().join("season.db").exists() && !folder.path().join("logs").exists());
    let (stdout, _) = folder.run_with_code(&[&arguments[..5], &["--db", "season.db"]].concat(), 0);
    assert!(!stdout.contains(" 0 known before"), "{stdout}");
    let off = folder.run_with_code(&[&arguments[..], &["records.index=off"]].concat(), 0).0;
    assert!(off.contains(" 0 known before"), "{off}");
}
