//! Opening books with the real program: `kyomi book`, and games that begin from one.

#![allow(clippy::unwrap_used, reason = "a test: what cannot be had fails it")]

mod common;

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::Stdio,
};

use serde_json::Value;

use common::folder::Folder;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
const SECOND: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/P8/1PPPPPPPP/1B5R1/LNSGKGSNL w -";

/// A book of two moves that no engine would play by itself.
fn odd_book() -> String {
    format!(
        "#YANEURAOU-DB2016 1.00\nsfen {SECOND} 2\n1c1d none 0 0 3\nsfen {START} 1\n9g9f 1c1d 0 0 7\n"
    )
}

impl Folder {
    /// Sends lines to `kyomi usi`, and returns all that it says. After `-> word` at the end of a line it waits for a
    /// line that begins with this word.
    fn usi(&self, lines: &str) -> Vec<String> {
        let mut child = self
            .kyomi(&["usi", "--set", "engine.threads=1", "--set", "engine.hash=1MiB"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut heard = Vec::new();
        for line in lines.lines() {
            let (line, expected) = line.split_once(" -> ").unwrap_or((line, ""));
            writeln!(input, "{}", line.trim()).unwrap();
            while !expected.is_empty() {
                let line = output.next().unwrap_or_else(|| panic!("no {expected}: {heard:?}"));
                heard.push(line.unwrap());
                if heard.last().unwrap().starts_with(expected) {
                    break;
                }
            }
        }
        writeln!(input, "quit").unwrap();
        assert!(child.wait().unwrap().success());
        heard
    }

    /// Runs `kyomi match`: two games from the start at few nodes.
    #[track_caller]
    fn matched(&self, a: &str, b: &str, more: &[&str], code: i32) -> (String, String) {
        self.write("start.sfen", "startpos\n");
        let arguments = ["match", "--a", a, "--b", b, "--tc", "nodes=50", "--games", "2"];
        let openings = ["--openings", "start.sfen"];
        self.run_with_code(&[&arguments[..], &openings, more].concat(), code)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The one record in a folder.
    fn record(&self, dir: &str) -> String {
        let mut files = fs::read_dir(self.path().join(dir)).unwrap();
        let path = files.find_map(|it| {
            let path = it.unwrap().path();
            path.extension().is_some_and(|it| it == "csa").then_some(path)
        });
        fs::read_to_string(path.unwrap()).unwrap()
    }
}

#[test]
fn games_become_a_book_and_books_are_joined_and_filtered() {
    let folder = Folder::new();
    folder.write(
        "records/a.csa",
        "V3.0\nPI\n+\n+7776FU\n-3334FU\n+2726FU\n%TORYO\n/\nV3.0\nPI\n+\n+7776FU\n-8384FU\n%TORYO\n",
    );
    folder.write("records/b.usi", "startpos moves 7g7f 3c3d 2g2f\nstartpos moves 2g2f 8c8d\n");
    folder.write(
        "games.tsv",
        "#moves\tresult\nstartpos moves 7g7f 3c3d\t1-0\nstartpos moves 2g2f 3c3d\t?\n",
    );
    let build = ["book", "build", "records", "games.tsv", "-o", "my.db", "--min-games", "2"];
    let (_, said) = folder.run_with_code(&build, 0);
    assert!(said.contains("6 games, 3 positions, 4 moves"), "{said}");
    let book = folder.text("my.db");
    assert!(book.starts_with("#YANEURAOU-DB2016 1.00\n# 6 games, moves 1 to 40"), "{book}");
    // The same games in another order make the same book.
    let again = ["book", "build", "games.tsv", "records", "-o", "-", "--min-games", "2"];
    assert_eq!(folder.run_with_code(&again, 0).0, book);
    let (_, said) = folder.run_with_code(&build, 2);
    assert!(said.contains("exists already"), "{said}");

    let (shown, _) = folder.run_with_code(&["book", "show", "my.db", "startpos", "--json"], 0);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["moves"][0]["move"], "7g7f");
    assert_eq!(shown["moves"][0]["count"], 4);
    assert_eq!(shown["moves"][0]["reply"], "3c3d");
    let (table, _) = folder.run_with_code(&["book", "show", "my.db", "startpos moves 7g7f"], 0);
    assert!(table.contains("3c3d   2g2f"), "{table}");
    let (none, _) = folder.run_with_code(&["book", "show", "my.db", "startpos moves 9g9f"], 0);
    assert!(none.ends_with("not in the book\n"), "{none}");

    folder.write("odd.db", odd_book());
    folder.run_with_code(&["book", "merge", "my.db", "odd.db", "my.db", "-o", "both.db"], 0);
    let (both, _) = folder.run_with_code(&["book", "show", "both.db", "--json"], 0);
    let both: Value = serde_json::from_str(&both).unwrap();
    let counts: Vec<u64> =
        both["moves"].as_array().unwrap().iter().map(|it| it["count"].as_u64().unwrap()).collect();
    assert!(counts.contains(&8) && counts.contains(&7), "{counts:?}");
    folder.run_with_code(
        &["book", "filter", "both.db", "-o", "few.db", "--min-count", "7", "--max-ply", "1"],
        0,
    );
    let few = folder.text("few.db");
    assert_eq!(few.lines().filter(|line| line.starts_with("sfen ")).count(), 1, "{few}");

    // Comments and unknown values stay, and a position is shown by its turned entry.
    folder.write(
        "notes.db",
        format!("# notes\nsfen {START} 1\n#even\n9g9f none none none 4\n#slow\n7g7f 3c3d none 1\n"),
    );
    folder.run_with_code(&["book", "merge", "my.db", "notes.db", "-o", "noted.db"], 0);
    let noted = folder.text("noted.db");
    for line in ["# 6 games, moves 1 to 40, of 2 games or more", "# notes", "#even", "#slow"] {
        assert!(noted.lines().any(|it| it == line), "{line}: {noted}");
    }
    assert!(noted.contains("\n9g9f none none none 4\n#slow\n"), "{noted}");
    let turned = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 2";
    let (shown, _) = folder.run_with_code(&["book", "show", "notes.db", turned], 0);
    assert!(shown.contains("colours exchanged") && shown.contains("1c1d   -"), "{shown}");
    let (shown, _) = folder.run_with_code(&["book", "show", "notes.db", turned, "--json"], 0);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&shown["flipped"], &shown["moves"][0]["score"]), (&true.into(), &Value::Null));

    folder.run_with_code(&["book", "merge", "my.db", "builtin", "-o", "more.db"], 0);
    let positions = |name: &str| folder.text(name).matches("\nsfen ").count();
    assert!(positions("more.db") > positions("my.db") + 10);
    folder.run_with_code(&["book", "filter", "builtin", "-o", "first.db", "--max-ply", "1"], 0);
    assert_eq!(positions("first.db"), 1);
}

#[test]
fn what_is_wrong_is_told() {
    let folder = Folder::new();
    folder.write("broken.db", format!("{}7g7e none 0 0 1\n", odd_book()));
    let (_, said) = folder.run_with_code(&["book", "show", "broken.db"], 0);
    assert!(said.contains("broken.db, line 6: 7g7e is not legal there"), "{said}");
    for (arguments, words) in [
        (&["book", "show", "none.db"][..], "reading the book none.db"),
        (&["book", "show", "broken.db", "nonsense"], "the position"),
        (&["book", "build", "no.csa", "-o", "x.db"], "no games were read"),
        (&["book", "merge", "-o", "x.db"], "BOOK"),
    ] {
        let (_, said) = folder.run_with_code(arguments, 2);
        assert!(said.contains(words), "{said}");
    }
    assert!(!folder.path().join("x.db").exists());
}

#[test]
fn the_usi_engine_plays_from_its_book_and_says_so() {
    let folder = Folder::new();
    folder.write("book/odd.db", odd_book());
    let heard = folder.usi(
        "setoption name USI_OwnBook value true
         setoption name BookFile value odd.db
         isready -> readyok
         usinewgame
         position startpos
         go btime 1000 wtime 1000 -> bestmove
         position startpos moves 9g9f
         go nodes 10 -> bestmove",
    );
    let expected = [
        "readyok",
        "info string book 9g9f score 0 depth 0 count 7",
        "bestmove 9g9f ponder 1c1d",
        "info string book 1c1d score 0 depth 0 count 3",
        "bestmove 1c1d",
    ];
    assert_eq!(heard, expected);
    let missing = folder.usi(
        "setoption name BookFile value none.db
         isready -> readyok",
    );
    assert!(missing[0].contains("info string reading the book none.db: "), "{missing:?}");
}

#[test]
fn a_ponder_hit_in_the_book_is_answered_from_it() {
    let folder = Folder::new();
    folder.write("odd.db", odd_book());
    let heard = folder.usi(
        "setoption name BookFile value odd.db
         isready -> readyok
         position startpos moves 9g9f
         go ponder btime 600000 wtime 600000
         ponderhit -> bestmove",
    );
    assert!(heard.iter().any(|line| line.starts_with("info string book 1c1d")), "{heard:?}");
    assert_eq!(heard.last().map(String::as_str), Some("bestmove 1c1d"));
}

#[test]
fn a_local_game_begins_from_the_book_and_the_record_says_so() {
    let folder = Folder::new();
    folder.write("odd.db", odd_book());
    folder.write(
        "my.toml",
        "[time]\ntotal = \"1s\"\n[engine]\nthreads = 1\nhash = \"1MiB\"\n[book]\nfile = \"odd.db\"\n\
         [opponent]\nname = \"chance\"\nkind = \"random\"\n[rules]\nmax_moves = 8\n",
    );
    let (stdout, _) = folder.run_with_code(&["play", "--config", "my.toml"], 0);
    assert!(stdout.contains("+9796FU"), "{stdout}");
    let record = folder.record("logs/games");
    let at = record.find("+9796FU").unwrap();
    let after: Vec<&str> = record[at..].lines().take(4).collect();
    assert!(
        after.iter().any(|line| line.trim_start_matches(['\'', '*', ' ']) == "book"),
        "{record}"
    );
    let (checked, _) = folder.run_with_code(&["check", "--config", "my.toml"], 0);
    assert!(checked.contains("book: ok: the book odd.db: 2 positions"), "{checked}");
}

#[test]
fn players_of_a_match_have_books_of_their_own() {
    let folder = Folder::new();
    folder.write("odd.db", odd_book());
    let (book, none) = ("builtin name=book hash=1 BookFile=odd.db", "builtin name=none hash=1");
    folder.matched(book, none, &["--max-moves", "6", "--out", "m"], 0);
    let results = folder.text("m/results.jsonl");
    let first: Vec<String> = results
        .lines()
        .map(|line| {
            let game: Value = serde_json::from_str(line).unwrap();
            game["turns"][0]["answer"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(first.iter().filter(|answer| answer.contains("9g9f")).count(), 1, "{first:?}");
    let (_, said) = folder.matched("builtin BookFile=no.db", none, &["--out", "other"], 2);
    assert!(said.contains("reading the book no.db"), "{said}");
}

#[test]
fn a_book_stands_before_a_usi_engine_too() {
    let folder = Folder::new();
    folder.write("odd.db", odd_book());
    let engine = "usi name=front path=sh book=odd.db args=\"-c 'while read -r line; do case $line in usi) echo usiok;; \
                  isready) echo readyok;; go*) echo bestmove resign;; quit) exit 0;; esac; done'\"";
    folder.matched(engine, "random seed=1", &["--out", "m"], 0);
    let results = folder.text("m/results.jsonl");
    assert!(results.contains("9g9f"), "{results}");
}
