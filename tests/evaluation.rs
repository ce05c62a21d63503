//! Evaluation files of other programs: values, and every place where a user sets one.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod common;

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::{Output, Stdio},
};

use common::folder::Folder;
use kyomi_engine::eval::nnue::{Architecture, write_random};
use serde_json::Value;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const SMALL: &str = "K-P-256x2-32-32";

impl Folder {
    /// A folder with `eval/nn.bin`, a small network with random weights.
    fn with_network() -> Self {
        let folder = Self::new();
        fs::create_dir(folder.path().join("eval")).unwrap();
        let mut network = Vec::new();
        write_random(Architecture::by_name(SMALL).unwrap(), 7, &mut network).unwrap();
        folder.write("eval/nn.bin", network);
        folder
    }

    fn with_input(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = self.kyomi(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn values_of_lines_are_printed_in_both_units() {
    let folder = Folder::with_network();
    let input = format!("# a comment\n\n{START}\nstartpos\nsfen {START}\n");
    let output = folder.with_input(&["eval", "--file", "eval/nn.bin", "-"], &input);
    let stdout = text(&output.stdout);
    let lines: Vec<Vec<&str>> = stdout.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 3, "{stdout}");
    let value: i32 = lines[0][1].parse().unwrap();
    assert!(lines.iter().all(|line| line[1..] == lines[0][1..]));
    assert_eq!(lines[0][2].parse::<i32>().unwrap(), value * 95 / 100);
    let scaled = ["eval", "--file", "eval", "--fv-scale", "8", "--eval-scale", "50", "--json", "-"];
    let output = folder.with_input(&scaled, START);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let twice = i32::try_from(found["value"].as_i64().unwrap()).unwrap();
    assert!((twice - 2 * value).abs() <= 1, "{found}");
    assert_eq!(found["centipawns"], twice * 50 / 100);
    assert_eq!(found["sfen"], START);
    // Without a file it is the built-in evaluation.
    let output = folder.with_input(&["eval"], "startpos\n");
    let stdout = text(&output.stdout);
    let fields: Vec<&str> = stdout.trim().split('\t').collect();
    assert_eq!(fields[1], fields[2]);
}

#[test]
fn wrong_input_is_one_line_with_its_place() {
    let folder = Folder::with_network();
    let output = folder.with_input(&["eval", "-"], "startpos\nnonsense\n");
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.starts_with("error: standard input, line 2: "), "{error}");
    assert_eq!(text(&output.stdout).lines().count(), 1);
    let whole = fs::read(folder.path().join("eval/nn.bin")).unwrap();
    folder.write("short.bin", &whole[..1000]);
    for (file, part) in [
        ("short.bin", "the file short.bin has 1000 bytes instead of 893917; it was cut short"),
        ("none.bin", "there is no file none.bin in the working directory or in "),
    ] {
        let (_, error) = folder.run_with_code(&["eval", "--file", file], 2);
        assert!(error.starts_with(&format!("error: --file: {part}")), "{error}");
        let (_, error) = folder.run_with_code(&["bench", "--eval-file", file], 2);
        assert!(error.starts_with(&format!("error: --eval-file: {part}")), "{error}");
    }
}

#[test]
fn a_usi_host_sets_a_folder_and_a_bad_one_changes_nothing() {
    let folder = Folder::with_network();
    fs::create_dir(folder.path().join("empty")).unwrap();
    let mut command = folder.kyomi(&["usi"]);
    let mut host = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = host.stdin.take().unwrap();
    let mut lines = BufReader::new(host.stdout.take().unwrap()).lines();
    // Sends commands and reads the answer to the last one.
    let mut answer = |commands: &str, last: &str| -> String {
        writeln!(input, "{commands}").unwrap();
        let mut text = String::new();
        while !text.lines().any(|line| line.starts_with(last)) {
            text += &lines.next().unwrap().unwrap();
            text.push('\n');
        }
        text
    };
    let options = "setoption name USI_OwnBook value false\nsetoption name USI_Hash value 1\n\
                   setoption name EvalDir value eval\nsetoption name FV_SCALE value 24";
    let loaded = answer(&format!("usi\n{options}\nisready"), "readyok");
    let start = format!("info string evaluation: {SMALL}, 893917 bytes, checksum ");
    assert!(loaded.contains(&start), "{loaded}");
    assert!(loaded.contains(", FV_SCALE 24, 100 units = 95 centipawns; loaded in "), "{loaded}");
    assert!(!answer("isready", "readyok").contains("evaluation"));
    let kept = answer("setoption name EvalDir value empty\nisready", "readyok");
    assert!(kept.contains("info string EvalDir: the folder empty has no nn.bin; "), "{kept}");
    assert!(kept.contains(&format!("; the evaluation stays: {SMALL}, ")), "{kept}");
    answer("position startpos\ngo nodes 500", "bestmove ");
    writeln!(input, "quit").unwrap();
    assert!(host.wait().unwrap().success());
}

#[test]
fn a_game_is_played_with_the_file_and_without_it_if_it_is_bad() {
    for (eval, name, is_bad) in
        [("eval", SMALL, false), ("eval/nn.bin", SMALL, false), ("elsewhere", "built-in", true)]
    {
        let folder = Folder::with_network();
        folder.write(
            "my.toml",
            format!(
                "[time]\ntotal = \"3s\"\n[rules]\nmax_moves = 20\n[book]\nenabled = false\n\
                 [engine]\nthreads = 1\nhash = \"1MiB\"\neval = \"{eval}\"\n\
                 [opponent]\nname = \"other\"\nkind = \"random\"\n"
            ),
        );
        let (_, stderr) = folder.run_with_code(&["play", "--config", "my.toml"], 0);
        let logs = fs::read_dir(folder.path().join("logs")).unwrap();
        let logs = logs.map(|entry| entry.unwrap().path());
        let log = logs.filter(|path| path.extension().is_some_and(|it| it == "log"));
        let log: String = log.map(|path| fs::read_to_string(path).unwrap()).collect();
        assert!(log.contains(&format!("engine ready: kyomi ({name}, ")), "{log}");
        let since = ", since the file that is set cannot be used)";
        assert_eq!(log.contains(since), is_bad, "{log}");
        let fault = "the key eval: there is no file elsewhere in the working directory or in ";
        for text in [&stderr, &log] {
            assert_eq!(text.contains(fault), is_bad, "{text}");
            assert_eq!(text.contains("; playing with the built-in evaluation"), is_bad, "{text}");
        }
    }
}

#[test]
fn a_key_that_has_no_effect_causes_a_warning() {
    let folder = Folder::new();
    folder.write(
        "my.toml",
        "[rules]\nmax_moves = 4\n[engine]\nkind = \"random\"\neval = \"eval\"\n\
         [opponent]\nname = \"other\"\nkind = \"random\"\n",
    );
    let (_, stderr) = folder.run_with_code(&["play", "--config", "my.toml"], 0);
    let warning = "my.toml:5: engine.eval is not used, since engine.kind is not \"builtin\"";
    assert!(stderr.contains(warning), "{stderr}");
}

#[test]
fn a_match_and_an_explanation_use_the_file() {
    let folder = Folder::with_network();
    let explained = |more: &[&str]| {
        let all = [&["explain", "startpos", "--nodes", "2000", "--json"], more].concat();
        serde_json::from_str::<Value>(&folder.run_with_code(&all, 0).0).unwrap()
    };
    assert_ne!(explained(&[]), explained(&["--eval-file", "eval"]));
    let player = "builtin EvalFile=eval/nn.bin FV_SCALE=24";
    let arguments = ["match", "--a", player, "--b", "builtin", "--tc", "nodes=50"];
    let more = ["--games", "2", "--max-moves", "20", "--out", "m", "--json"];
    folder.run_with_code(&[&arguments[..], &more].concat(), 0);
    let plan = fs::read_to_string(folder.path().join("m/match.json")).unwrap();
    assert!(plan.contains("\"eval_file\": \"00000000"), "{plan}");
    let wrong = ["match", "--a", "builtin EvalDir=nowhere", "--b", "builtin"];
    let wrong = [&wrong[..], &["--tc", "nodes=50", "--out", "n"]].concat();
    let (_, error) = folder.run_with_code(&wrong, 2);
    assert!(error.contains("EvalDir: there is no folder nowhere"), "{error}");
}

/// The public network of the full data sets; `None` where it is not.
fn petite() -> Option<std::path::PathBuf> {
    let path = common::data_dir().join("nnue/petite.bin");
    let is_required = std::env::var_os("KYOMI_REQUIRE_DATA").is_some_and(|it| it == "1");
    assert!(path.exists() || !is_required, "{} is missing", path.display());
    path.exists().then_some(path)
}

#[test]
fn a_public_network_has_the_values_of_yaneuraou() {
    let Some(path) = petite() else {
        return eprintln!("skipped: nnue/petite.bin is not among the data");
    };
    let rows = fs::read_to_string(path.with_file_name("petite_eval.tsv")).unwrap();
    let rows: Vec<&str> = rows.lines().filter(|line| !line.starts_with('#')).collect();
    let sfens: Vec<&str> = rows.iter().map(|row| row.split('\t').next().unwrap()).collect();
    let folder = Folder::new();
    let file = path.to_str().unwrap();
    let output = folder.with_input(&["eval", "--file", file, "-"], &sfens.join("\n"));
    let stdout = text(&output.stdout);
    let found: Vec<&str> = stdout.lines().map(|line| line.rsplit_once('\t').unwrap().0).collect();
    assert_eq!(found.len(), rows.len());
    assert_eq!(found, rows);
}
