//! `kyomi explain` as a user runs it: tables, pages, JSON, and its errors.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// Runs `kyomi explain`.
fn kyomi(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kyomi"))
        .arg("explain")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Limits the search, to keep the tests short.
const NODES: [&str; 2] = ["--nodes", "4000"];

#[track_caller]
fn text(arguments: &[&str]) -> String {
    let output = kyomi(&[arguments, &NODES].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&text(&[arguments, &["--json"]].concat())).unwrap()
}

/// The one line of an error of the user's input.
#[track_caller]
fn refused(arguments: &[&str]) -> String {
    let output = kyomi(arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(output.stdout.is_empty());
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    stderr.trim_end().to_owned()
}

/// A middle game with many pieces in hand on both sides.
const HANDS: &str = "l4S1n1/1r4gk1/2N1Bp1pl/p3p1p1p/2p2N3/PP2G1P1P/1S1P5/2G6/L2K3+bL w GSNPrs5p 1";

#[track_caller]
fn assert_sums(object: &Value) {
    assert_eq!(object["format"], "kyomi-explain-1");
    let moves = object["moves"].as_array().unwrap();
    assert!(!moves.is_empty());
    for view in moves {
        let column = if view["exchange"] == "bad" { "bad" } else { "good" };
        let terms = view["terms"].as_array().unwrap();
        let sum: f64 = terms.iter().map(|term| term[column].as_f64().unwrap()).sum();
        // Sums of sixteenths are exact.
        assert_eq!(sum.to_bits(), view["interest"].as_f64().unwrap().to_bits(), "{view}");
        for run in view["searches"].as_array().unwrap() {
            assert!(run["steps"].as_array().is_some_and(|steps| !steps.is_empty()), "{run}");
        }
    }
}

#[test]
fn a_table_lists_every_move_and_fits_the_width() {
    for (width, room) in [("80", 80), ("120", 120)] {
        let table = text(&["startpos", "--width", width]);
        assert!(table.lines().all(|line| line.chars().count() <= room), "{table}");
        let rows = table.lines().skip_while(|line| !line.contains("move")).count();
        assert!(table.contains("Black, 30 legal moves") && rows >= 31, "{table}");
        assert!(!table.contains('\u{1b}'), "no colours in a pipe");
    }
    let short = text(&["startpos", "--top", "3"]);
    assert!(short.contains("and 27 more moves"), "{short}");
}

#[test]
fn the_output_is_the_same_every_time() {
    assert_eq!(text(&[HANDS]), text(&[HANDS]));
}

#[test]
fn a_page_shows_terms_cost_and_iterations_of_one_move() {
    let page = text(&["startpos", "7g7f", "--width", "80"]);
    for words in
        ["7g7f", "P6  develops", "even", "thousandths", "charged", "Iteration by iteration"]
    {
        assert!(page.contains(words), "{words} is not in\n{page}");
    }
    assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
}

#[test]
fn the_rest_of_the_limit_is_computed_correctly() {
    // Another test checks that the example is the program's output.
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/search.md");
    let example = std::fs::read_to_string(example).unwrap();
    let line = example.lines().find(|line| line.contains("the side to move has")).unwrap();
    let numbers: Vec<i64> = line
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    let [charge, us, taken, left, them, percent, other] = numbers[..] else {
        panic!("{line}");
    };
    assert!(charge == taken && us - taken == left, "{line}");
    assert_eq!(them - charge * percent / 100, other, "{line}");
}

#[test]
fn a_move_refuted_by_the_mate_search_is_reported_as_such() {
    const LOSING: &str = "ln1g4l/6k2/p2pPp1pp/1p7/2r6/4pB3/PP2SP2P/4G1+n2/1+b1GK2NL b G3SNrl6p 67";
    let page = |more: &[&str]| {
        let arguments = [&[LOSING, "5g6f", "--nodes", "10000"], more].concat();
        String::from_utf8(kyomi(&arguments).stdout).unwrap()
    };
    let (page, object) = (page(&[]), page(&["--json"]));
    assert!(page.contains("proven by the mate search beside the iterations: it loses"), "{page}");
    assert!(page.contains("searched before that: "), "{page}");
    let object: Value = serde_json::from_str(&object).unwrap();
    assert_sums(&object);
    let view = &object["moves"][0];
    assert_eq!(view["fate"], "proven");
    assert!(view["proven"]["mate"].as_i64().is_some_and(|plies| plies < 0), "{view}");
    assert_eq!(object["search"]["best_proven"], false);
}

#[test]
fn an_inner_node_shows_the_cut() {
    let arguments = ["startpos", "--line", "7g7f 3c3d", "--budget", "300"];
    let table = text(&arguments);
    assert!(table.contains("── the reserve") && table.contains("300 units"), "{table}");
    let object = json(&arguments);
    assert_sums(&object);
    assert_eq!(object["node"]["budgets"], serde_json::json!([300, 300]));
    let known = ["searched", "over_budget", "not_reached", "needless"];
    for view in object["moves"].as_array().unwrap() {
        assert!(known.contains(&view["fate"].as_str().unwrap()), "{view}");
    }
    let ply_weight = json(&["startpos", "--line", "7g7f", "--option", "Interest_PlyWeight=35"]);
    assert_eq!(ply_weight["node"]["cost"]["ply_weight_percent"], 3.5);
    let one = json(&["startpos", "8h2b+", "--line", "7g7f 3c3d"]);
    assert_eq!(one["moves"].as_array().unwrap().len(), 1);
}

#[test]
fn the_sums_of_json_add_up_with_every_preset() {
    for preset in ["interest", "paper", "full"] {
        let option = format!("Preset={preset}");
        let object = json(&[HANDS, "--option", &option]);
        assert_sums(&object);
        assert_eq!(object["preset"], preset);
    }
    let object = json(&[HANDS, "--option", "Penalty_Mode=on", "--option", "Plausible_Mode=mma"]);
    assert_sums(&object);
    assert_eq!(object["options"]["Plausible_Mode"], "mma");
}

#[test]
fn checks_single_moves_and_limits_are_reported() {
    // The rook checks along the file.
    let check = json(&["4k4/9/9/9/4r4/9/9/9/4K4 b P 1"]);
    assert_eq!(check["in_check"], true);
    assert_sums(&check);
    // The king can only take the rook.
    let single = json(&["8k/9/9/9/9/9/9/7r1/8K b - 1"]);
    assert_eq!(single["legal_moves"], 1, "{single}");
    let limited = kyomi(&["startpos", "--limit", "300", "--json"]);
    let object: Value = serde_json::from_slice(&limited.stdout).unwrap();
    assert_eq!(object["search"]["limits"].as_array().unwrap().last().unwrap(), 300);
    assert_eq!(object["search"]["unfinished_limit"], Value::Null);
}

#[test]
fn a_record_shows_the_position_of_a_ply() {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/kif/shogigui.kif");
    let shown = json(&[record, "--ply", "0", "--top", "1"]);
    assert_eq!(shown["sfen"], "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    assert!(refused(&[record, "--ply", "9999"]).contains("there is no ply 9999"));
}

#[test]
fn errors_are_reported_in_one_line() {
    for (arguments, part) in [
        (&["4k4/9/9/9/9/9/9/9/9/9 b - 1"][..], "the SFEN"),
        (&["lnsgkgsnl/1r5b1 b - 1"], "reading lnsgkgsnl/1r5b1 b - 1"),
        (&["startpos", "7g7e"], "7g7e is not legal there"),
        (&["startpos", "nonsense"], "the move 'nonsense'"),
        (&["4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"], "white has no legal move"),
        (&["9/9/9/9/9/9/9/9/4K4 b - 1"], "king"),
        (&["startpos", "--line", "7g7f 7g7f"], "move 2, 7g7f, is not legal there"),
        (&["startpos", "--line", " "], "no move is given"),
        (&["startpos", "--budget", "300"], "--line"),
        (&["startpos", "--option", "Interest_Nothing=1"], "no option 'Interest_Nothing'"),
        (&["startpos", "--limit", "1"], "50"),
    ] {
        let line = refused(arguments);
        assert!(line.contains(part), "{arguments:?}: {line}");
    }
}

/// The output in the worked example comes from the commands in it.
///
/// Every change of the search or the evaluation changes it. `UPDATE_EXPECT=1 cargo test --test explain` writes it anew;
/// then the text around it must be checked by hand.
#[test]
fn the_worked_example_is_the_output_of_the_program() {
    let page = include_str!("../docs/search.md");
    let mut written = String::new();
    let mut position = String::new();
    let mut printed: Option<String> = None;
    let mut skips = false;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(sfen) = line.strip_prefix("P='") {
            position = sfen.trim_end_matches('\'').to_owned();
        }
        if let Some(command) = line.strip_prefix("kyomi explain \"$P\"") {
            let words = split(command);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output = kyomi(&[&[position.as_str()], &words[..]].concat());
            assert_eq!(output.status.code(), Some(0), "{command}");
            printed = Some(String::from_utf8(output.stdout).unwrap());
        }
        if skips && line != "```" {
            continue;
        }
        skips = false;
        written.push_str(line);
        written.push('\n');
        if line == "```text"
            && let Some(text) = printed.take()
        {
            let block: Vec<&str> = lines.clone().take_while(|line| *line != "```").collect();
            written.push_str(&shown(&text, &block));
            skips = true;
        }
    }
    expect_test::expect_file!["../docs/search.md"].assert_eq(&written);
}

/// The part of an output that a block of the page shows. A first line `…` stands for the board and the facts beside it,
/// a last one for the rest of the output.
fn shown(output: &str, block: &[&str]) -> String {
    let without_board = block.first() == Some(&"…");
    let is_cut = block.len() > 1 && block.last() == Some(&"…");
    let output = if without_board { output.split_once("\n\n").unwrap().1 } else { output };
    let count = if is_cut { block.len() - 1 - usize::from(without_board) } else { usize::MAX };
    let head = without_board.then_some("…").into_iter();
    let lines = head.chain(output.lines().take(count)).chain(is_cut.then_some("…"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The words of a command; a quoted text is one word.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in command.split('\'').enumerate() {
        if at % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}
