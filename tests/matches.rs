//! `kyomi match` with the real program: results, resuming, bad engines.

#![allow(clippy::unwrap_used, reason = "a test: what cannot be had fails it")]

mod common;

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use serde_json::Value;

use common::folder::Folder;

impl Folder {
    fn command(&self, arguments: &[&str]) -> Command {
        self.kyomi(&[&["match"], arguments].concat())
    }

    #[track_caller]
    fn run(&self, arguments: &[&str], code: i32) -> (String, String) {
        self.run_with_code(&[&["match"], arguments].concat(), code)
    }

    /// Runs to the end and reads the JSON report.
    #[track_caller]
    fn report(&self, arguments: &[&str]) -> Value {
        let (stdout, _) = self.run(&[arguments, &["--json"]].concat(), 0);
        serde_json::from_str(&stdout).unwrap()
    }

    /// The lines of `results.jsonl`.
    fn results(&self, dir: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path().join(dir).join("results.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// For each game number the result, the kind of end, and all answers.
fn games(results: &[Value]) -> BTreeMap<u64, (String, String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    results
        .iter()
        .map(|game| {
            let turns = game["turns"].as_array().unwrap();
            let answers = turns.iter().map(|turn| text(&turn["answer"])).collect();
            (game["game"].as_u64().unwrap(), (text(&game["result"]), text(&game["end"]), answers))
        })
        .collect()
}

/// A shell script that speaks USI; `arms` are `case` arms on `$line`.
fn script(name: &str, arms: &str) -> String {
    format!(
        "usi name={name} path=sh args=\"-c 'while read -r line; do case \\$line in usi) echo usiok;; \
         isready) echo readyok;; {arms} quit) exit 0;; esac; done'\""
    )
    .replace("\\$", "$")
}

/// A list of openings with only the standard start position.
fn start_alone(folder: &Folder) -> String {
    let path = folder.path().join("start.sfen");
    fs::write(&path, "startpos\n").unwrap();
    path.to_str().unwrap().to_owned()
}

const BUILTIN: &str = "builtin name=b nodes=50 hash=1";
const RANDOM: &str = "random name=r";

#[test]
fn a_match_has_the_rule_for_entering_kings_that_it_is_given() {
    let folder = Folder::new();
    folder.write("try.sfen", "sfen 9/4K4/9/9/9/9/9/8k/9 b - 1\n");
    let usual = ["--a", "builtin nodes=200", "--b", "random", "--games", "2"];
    let openings = ["--openings", "try.sfen", "--max-moves", "4"];
    let arguments =
        |rule, out| [&usual[..], &openings, &["--entering-king", rule, "--out", out]].concat();
    folder.run(&arguments("TryRule", "try"), 0);
    let played = games(&folder.results("try"));
    // Black is the built-in engine in one game. The random player moves its king anywhere in the other.
    assert!(
        played.values().any(|(result, end, _)| result == "black" && end == "try"),
        "{played:?}"
    );
    let record = folder.path().join("try/games");
    let records: Vec<String> = fs::read_dir(record)
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    assert!(
        records.iter().all(|text| text.contains("'*Entering_King_Rule:TryRule\n")),
        "{records:?}"
    );
    assert!(records.iter().any(|text| text.contains("'reason: try\n")), "{records:?}");
    folder.run(&arguments("CSARule24", "points"), 0);
    let played = games(&folder.results("points"));
    assert!(played.values().all(|(_, end, _)| end != "try"), "{played:?}");
    let (_, said) = folder.run(&arguments("CSARule28", "none"), 2);
    assert!(said.contains("known are NoEnteringKing, CSARule24"), "{said}");
}

#[test]
fn the_games_do_not_depend_on_the_number_of_parallel_games() {
    let folder = Folder::new();
    fs::write(
        folder.path().join("openings.sfen"),
        "startpos moves 7g7f 3c3d\nstartpos moves 2g2f\nsfen 4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G 1\n",
    )
    .unwrap();
    let common = ["--a", BUILTIN, "--b", RANDOM, "--games", "6", "--openings", "openings.sfen"];
    let one = folder.report(&[&common[..], &["--out", "one"]].concat());
    let three = folder.report(&[&common[..], &["--out", "three", "--concurrency", "3"]].concat());
    let (alone, parallel) = (folder.results("one"), folder.results("three"));
    assert_eq!(alone.len(), 6);
    assert_eq!(games(&alone), games(&parallel));
    assert_eq!(one["pairings"], three["pairings"]);
    assert_eq!(one["games"], 6);
    assert_eq!(one["players"][0]["most_nodes"], 50);
    // Both games of a pair begin with the same opening.
    for pair in alone.chunks(2) {
        assert_eq!(pair[0]["opening"], pair[1]["opening"]);
        assert_eq!(pair[0]["black"], pair[1]["white"]);
    }
    for game in &alone {
        let path = folder.path().join("one").join(game["record"].as_str().unwrap());
        let records = kyomi_record::csa::read(&fs::read(&path).unwrap()).unwrap();
        let [read] = records.as_slice() else { panic!("{} records", records.len()) };
        assert_eq!(read.record.moves.len() as u64, game["plies"].as_u64().unwrap());
        assert_eq!(read.fault, None);
        assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    }
    let report = fs::read_to_string(folder.path().join("one/report.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&report).unwrap(), one);
}

#[test]
fn a_killed_match_is_resumed_and_loses_no_game() {
    let folder = Folder::new();
    let common =
        ["--a", "random name=x seed=1", "--b", RANDOM, "--games", "40", "--max-moves", "60"];
    let whole = [&common[..], &["--out", "whole"]].concat();
    let broken = [&common[..], &["--out", "broken", "--concurrency", "2", "--every", "1"]].concat();
    folder.run(&whole, 0);

    let mut child = folder.command(&broken).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("5/40")));
    child.kill().unwrap();
    child.wait().unwrap();
    let path = folder.path().join("broken/results.jsonl");
    let mut text = fs::read_to_string(&path).unwrap();
    let kept = text.matches('\n').count();
    assert!(kept >= 5);
    // An incomplete last line, as after a kill.
    text.push_str("{\"game\":17,\"open");
    fs::write(&path, &text).unwrap();

    let (stdout, _) = folder.run(&broken, 0);
    assert!(stdout.starts_with("40 of 40 games"), "{stdout}");
    let results = folder.results("broken");
    assert_eq!(results.len(), 40);
    assert_eq!(games(&results), games(&folder.results("whole")));
    let again = fs::read_to_string(&path).unwrap();
    let first = |text: &str| text.lines().take(kept).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(first(&again), first(&text), "finished games stay as they are");
}

#[test]
fn another_match_is_refused_and_a_longer_one_is_not() {
    let folder = Folder::new();
    let run = |more: &[&str], code| {
        let start = start_alone(&folder);
        let common = ["--b", RANDOM, "--max-moves", "10", "--openings", &start, "--out", "m"];
        folder.run(&[&common[..], more].concat(), code)
    };
    run(&["--a", "random name=x", "--games", "2"], 0);
    let (_, stderr) = run(&["--a", "random name=x", "--games", "2", "--seed", "2"], 2);
    assert!(stderr.contains("seed was 1 and is 2") && stderr.contains("--out"), "{stderr}");
    let (_, stderr) = run(&["--a", "random name=y", "--games", "2"], 2);
    assert!(stderr.contains("players[0].name"), "{stderr}");
    let (stdout, _) = run(&["--a", "random name=x", "--games", "6"], 0);
    assert!(stdout.starts_with("6 of 6 games"), "{stdout}");
    assert_eq!(folder.results("m").len(), 6);
}

#[test]
fn an_interrupt_ends_after_the_running_games() {
    let folder = Folder::new();
    let arguments =
        ["--a", "random name=x", "--b", RANDOM, "--games", "100000", "--every", "1", "--out", "m"];
    let mut child =
        folder.command(&arguments).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("3/100000")));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
    let rest: Vec<String> = lines.map(Result::unwrap).collect();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("of 100000 games"), "{stdout}");
    assert!(
        rest.iter().any(|line| line.contains("the same command resumes it with --out m")),
        "{rest:?}"
    );
    let counted = folder.results("m").len();
    assert!(stdout.starts_with(&format!("{counted} of")), "{stdout}");
}

#[test]
fn a_crashed_engine_loses_and_the_match_continues() {
    let folder = Folder::new();
    let crash = script("c", "go*) echo something broke >&2; exit 7;;");
    let report = folder.report(&["--a", &crash, "--b", RANDOM, "--tc", "nodes=1", "--games", "4"]);
    let player = &report["players"][0];
    assert_eq!(player["crashes"], 4);
    assert_eq!(report["pairings"][0]["wdl"]["losses"], 4);
    let words = report["faults"][0]["words"].as_str().unwrap();
    assert!(words.contains("something broke") && words.contains("move 1"), "{words}");
    assert_eq!(report["ends"][0][0], "crash");
}

#[test]
fn an_illegal_move_loses() {
    let folder = Folder::new();
    let illegal = script("i", "go*) echo bestmove 1a1b;;");
    let report =
        folder.report(&["--a", &illegal, "--b", RANDOM, "--tc", "nodes=1", "--games", "2"]);
    assert_eq!(report["players"][0]["illegal_moves"], 2);
    assert_eq!(report["players"][0]["crashes"], 0);
    let words = report["faults"][0]["words"].as_str().unwrap();
    assert!(words.contains("'1a1b'"), "{words}");
}

#[test]
fn the_referees_clock_counts() {
    let folder = Folder::new();
    // It answers only to `stop`.
    let late = script("late", "stop) echo bestmove resign;;");
    let common = ["--a", &late, "--b", RANDOM, "--games", "2", "--margin", "10ms"];
    for (number, control, part) in [
        ("1", "0.02,byoyomi=0.01", "0.020 s of main time and 0.010 s"),
        ("2", "movetime=20ms", "movetime=0.02 and a margin of 0.010 s"),
    ] {
        let report = folder.report(&[&common[..], &["--tc", control, "--out", number]].concat());
        assert_eq!(report["players"][0]["time_losses"], 2, "{report}");
        assert_eq!(report["players"][0]["over"], 2);
        let words = report["faults"][0]["words"].as_str().unwrap();
        assert!(words.contains(part) && words.contains("no answer after"), "{words}");
    }
    // The match does not wait for ever for a player that does not support its limit.
    let more = ["--tc", "nodes=1000", "--patience", "20ms", "--out", "3"];
    let report = folder.report(&[&common[..], &more].concat());
    let words = report["faults"][0]["words"].as_str().unwrap();
    assert!(words.contains("which it may not support"), "{words}");
}

#[test]
fn limits_that_are_not_kept_are_reported() {
    let folder = Folder::new();
    let greedy = script("g", "go*) echo info depth 9 nodes 5000 score cp 10; echo bestmove 7g7f;;");
    let start = start_alone(&folder);
    let arguments = ["--a", &greedy, "--b", RANDOM, "--tc", "nodes=100", "--games", "2"];
    let report = folder.report(&[&arguments[..], &["--openings", &start]].concat());
    let kept = report["players"][0]["kept"].as_str().unwrap();
    assert_eq!(kept, "limit of 100 nodes, 5000 used on average: not kept");
}

#[test]
fn a_test_ends_as_soon_as_it_is_decided() {
    let folder = Folder::new();
    let arguments = ["--a", BUILTIN, "--b", RANDOM, "--games", "1000", "--sprt", "elo0=0,elo1=100"];
    let (stdout, _) = folder.run(&arguments, 0);
    assert!(stdout.contains("elo1 accepted: better"), "{stdout}");
    assert!(!stdout.starts_with("1000 of"), "{stdout}");
}

#[test]
fn more_than_two_players_meet() {
    let folder = Folder::new();
    let players = ["--player", "random", "--player", "random", "--player", "random name=third"];
    let common = [&players[..], &["--games", "2", "--max-moves", "20"]].concat();
    let report = folder.report(&[&common[..], &["--out", "all"]].concat());
    assert_eq!(report["games"], 6);
    let names = |pairing: &Value| format!("{}-{}", pairing["first"], pairing["second"]);
    let pairings = report["pairings"].as_array().unwrap();
    let met: Vec<String> = pairings.iter().map(names).collect();
    assert_eq!(met, ["\"A\"-\"B\"", "\"A\"-\"third\"", "\"B\"-\"third\""]);
    let report = folder.report(&[&common[..], &["--gauntlet", "--out", "first"]].concat());
    assert_eq!(report["games"], 4);
}

#[test]
fn pondering_players_are_counted() {
    let folder = Folder::new();
    let path = env!("CARGO_BIN_EXE_kyomi");
    let usi = format!("usi name=u path={path} args=usi Threads=1 hash=1 ponder=true nodes=200");
    let builtin = "builtin name=b hash=1 ponder=true nodes=200";
    let report = folder.report(&["--a", &usi, "--b", builtin, "--games", "2", "--max-moves", "40"]);
    assert_eq!(report["games"], 2);
    for player in report["players"].as_array().unwrap() {
        assert!(player["ponders"].as_u64().unwrap() > 0, "{report}");
        let faults = ["crashes", "time_losses", "illegal_moves"].map(|fault| &player[fault]);
        assert_eq!(faults, [&Value::from(0); 3], "{report}");
    }
}

#[test]
fn agreed_scores_end_a_game() {
    let folder = Folder::new();
    let arguments = ["--a", BUILTIN, "--b", RANDOM, "--games", "2", "--adjudicate"];
    let one_sided = folder.report(&[&arguments[..], &["score=1,plies=2,both=true"]].concat());
    assert_eq!(one_sided["ends"][0][0], "mate", "a random player has no scores to agree with");
    let level = script("l", "go*) echo info score cp 0 pv 7g7f; echo bestmove 7g7f;;");
    let reply = script("m", "go*) echo info score cp 5 pv 3c3d; echo bestmove 3c3d;;");
    let common = ["--a", &level, "--b", &reply, "--tc", "nodes=1", "--games", "2"];
    let more = ["--draw", "score=5,plies=2,after=2", "--openings", &start_alone(&folder)];
    let report = folder.report(&[&common[..], &more].concat());
    // With colours changed both moves are illegal.
    assert_eq!(report["ends"][0][0], "agreed_draw");
    assert_eq!(report["ends"][1][0], "illegal_move");
}

#[test]
fn without_a_file_the_openings_are_built_in_and_differ() {
    let folder = Folder::new();
    let arguments = ["--a", "random name=x", "--b", RANDOM, "--games", "40", "--max-moves", "20"];
    let report = folder.report(&[&arguments[..], &["--out", "m"]].concat());
    assert_eq!(report["openings"], "built in");
    assert!(report["openings_count"].as_u64() > Some(300), "{report}");
    let results = folder.results("m");
    assert!(results.iter().all(|game| game["opening_plies"].as_u64() >= Some(6)), "{report}");
    let (_, stderr) = folder.run(&[&arguments[..], &["--opening-plies", "4"]].concat(), 2);
    assert!(stderr.contains("--openings"), "{stderr}");
}

#[test]
fn errors_of_the_user_are_explained() {
    let folder = Folder::new();
    for (arguments, part) in [
        (&["--a", "builtin nodes=1"][..], "needs two players"),
        (&["--a", "builtin", "--b", "builtin"][..], "it has no clock or limit"),
        (&["--a", RANDOM, "--b", RANDOM][..], "two players are called 'r'"),
        (&["--a", RANDOM, "--b", "random", "--games", "3"][..], "an even number"),
        (&["--a", RANDOM, "--b", "random", "--openings", "none.sfen"][..], "none.sfen"),
        (&["--a", RANDOM, "--b", "random", "--sprt", "elo0=0"][..], "both hypotheses"),
        (&["--a", RANDOM, "--b", "builtin nodes=1 Nonsense=1"][..], "no option Nonsense"),
    ] {
        let (_, stderr) = folder.run(arguments, 2);
        assert!(stderr.contains(part), "{arguments:?}: {stderr}");
    }
    let (_, stderr) = folder.run(&["--a", RANDOM, "--b", "usi path=no/such/engine nodes=1"], 1);
    assert!(stderr.contains("cannot start the engine no/such/engine"), "{stderr}");
    assert!(folder.path().join("logs").is_dir());
}
