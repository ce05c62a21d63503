//! `kyomi games`: the real program, from the import of files to their export.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;

use std::fmt::Write as _;
use std::fs;
use std::process::Stdio;

use common::folder::Folder;
use serde_json::Value;

const GAME: &str = "V2.2\nN+alice\nN-bob\n$EVENT:cup\n$START_TIME:2026/11/22 10:00:00\nPI\n+\n+7776FU\nT1\n-3334FU\nT2\n+2726FU\nT3\n%TORYO\n";

/// A folder with some games: by alice and bob, by others, and a list.
fn season() -> Folder {
    let folder = Folder::new();
    folder.write("in/one.csa", GAME);
    folder.write("in/two.csa", GAME.replace("%TORYO", "%SENNICHITE").replace("10:00", "12:00"));
    folder.write("in/three.csa", GAME.replace("N+alice", "N+carol").replace("+2726FU\nT3\n", ""));
    let table = "#moves\tresult\tblack\twhite\tblack_rating\twhite_rating\n\
        startpos moves 2g2f 8c8d 2f2e 8d8e\t1-0\talice\tdave\t2100\t2000\n";
    folder.write("in/table.tsv", table);
    folder
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The games without their numbers in the database.
fn all_games(folder: &Folder) -> Vec<String> {
    let (text, _) = folder.run_with_code(&["games", "list", "-n", "0", "--json"], 0);
    let mut games: Vec<String> = lines(&text)
        .into_iter()
        .map(|mut game| {
            let id = game["id"].to_string();
            let (shown, _) = folder.run_with_code(&["games", "show", &id, "--json"], 0);
            game["id"] = Value::Null;
            let mut shown: Value = serde_json::from_str(&shown).unwrap();
            shown["id"] = Value::Null;
            format!("{game} {shown}")
        })
        .collect();
    games.sort();
    games
}

#[test]
fn games_are_imported_listed_searched_and_summed() {
    let folder = season();
    let (text, _) = folder.run_with_code(&["games", "import", "in"], 0);
    assert!(text.starts_with("4 games from 4 files"), "{text}");
    let (text, _) = folder.run_with_code(&["games", "import", "in"], 0);
    assert!(text.starts_with("0 games from 0 files"), "{text}");

    let (text, _) = folder.run_with_code(&["games", "list", "--player", "ALICE"], 0);
    assert!(text.contains("3 games") && !text.contains("carol"), "{text}");
    let list = ["games", "list", "--player", "alice", "--result", "win", "--json"];
    let (text, _) = folder.run_with_code(&list, 0);
    let games = lines(&text);
    assert_eq!(games.len(), 2, "{text}");
    assert!(games.iter().all(|game| game["result"] == "1-0"), "{text}");
    let (text, _) = folder.run_with_code(&["games", "list", "--csv", "--reason", "sennichite"], 0);
    assert!(text.starts_with("id,started,black,result,white,"), "{text}");
    assert!(text.lines().nth(1).unwrap().contains(",alice,1/2,bob,3,SENNICHITE,"), "{text}");
    let (text, _) = folder.run_with_code(&["games", "list", "--min-rating", "1900"], 0);
    assert!(text.contains("dave") && text.contains("\n1 game\n"), "{text}");

    let search = ["games", "search", "startpos moves 7g7f 3c3d", "--json"];
    let (text, _) = folder.run_with_code(&search, 0);
    let found: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(found["results"]["games"], 3, "{text}");
    assert_eq!(found["moves"][0]["move"], "2g2f", "{text}");
    let unquoted = ["games", "search", "startpos", "moves", "7g7f", "3c3d", "--json"];
    let (text, _) = folder.run_with_code(&unquoted, 0);
    let again: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(again["games"], found["games"], "{text}");

    let (text, _) = folder.run_with_code(&["games", "show", "1"], 0);
    assert!(text.contains("alice 1-0 bob") || text.contains("alice ? bob"), "{text}");
    assert!(text.contains("+7776FU") && text.contains("1.000"), "{text}");

    let (text, _) = folder.run_with_code(&["games", "stats", "--player", "alice", "--json"], 0);
    let stats: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(stats["as_black"]["wins"], 2, "{text}");
    let (text, _) = folder.run_with_code(&["games", "stats"], 0);
    assert!(text.starts_with("4 games, "), "{text}");
    assert!(text.contains("Bradley–Terry"), "{text}");
}

#[test]
fn broken_files_are_listed_and_the_rest_is_read() {
    let folder = season();
    folder.write("in/bad.csa", "V2.2\nPI\n+\n+7775FU\n");
    folder.write("in/worse.zip", "no zip at all");
    let (text, stderr) = folder.run_with_code(&["games", "import", "in", "in/none.csa"], 1);
    assert!(text.starts_with("4 games from 6 files"), "{text}");
    assert!(
        stderr.contains("bad.csa: line 4, column 1: ") && stderr.contains("worse.zip: "),
        "{stderr}"
    );
    assert!(stderr.contains("none.csa: ") && stderr.contains("3 files broken"), "{stderr}");
}

#[test]
fn a_database_that_was_deleted_is_made_again_and_equal() {
    let folder = season();
    // A record of our own, which no import names.
    let own = GAME.replace("N+alice", "N+kyomi").replace(
        "T1\n",
        "T1\n'** 30 -3334FU #1000\n'turn: measured 900.5 echo 3.2 before 60000 ponder hit\n'event: resumed\n",
    );
    folder.write("logs/games/own.csa", own);
    folder.run_with_code(&["games", "import", "in"], 0);
    let before = all_games(&folder);
    assert_eq!(before.len(), 5);
    assert!(before.iter().any(|game| game.contains("resumed")), "{before:?}");
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(folder.path().join(format!("logs/kyomi.db{suffix}")));
    }
    let (text, _) = folder.run_with_code(&["games", "rebuild"], 0);
    assert!(text.starts_with("5 games from 5 files"), "{text}");
    assert_eq!(all_games(&folder), before);
    folder.run_with_code(&["games", "rebuild"], 0);
    assert_eq!(all_games(&folder), before);
}

#[test]
fn a_rebuild_that_would_lose_games_is_refused() {
    let folder = season();
    folder.run_with_code(&["games", "import", "in"], 0);
    let before = all_games(&folder);
    fs::rename(folder.path().join("in"), folder.path().join("away")).unwrap();
    let (_, stderr) = folder.run_with_code(&["games", "rebuild"], 2);
    assert!(stderr.contains("--force") && stderr.lines().count() == 1, "{stderr}");
    assert_eq!(all_games(&folder), before);
    fs::rename(folder.path().join("away"), folder.path().join("in")).unwrap();
    let database = folder.path().join("logs/kyomi.db");
    let newer = newer_version(&database);
    let (_, stderr) = folder.run_with_code(&["games", "rebuild"], 2);
    assert!(stderr.contains(&newer) && stderr.contains("--force"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    folder.run_with_code(&["games", "rebuild", "--force"], 0);
    assert_eq!(all_games(&folder), before);
}

#[test]
fn files_of_an_analysis_are_no_games_of_their_own() {
    let folder = Folder::new();
    folder.write("logs/games/a.csa", GAME);
    let (before, _) = folder.run_with_code(&["games", "list", "--json"], 0);
    let analyze = ["analyze", "logs/games/a.csa", "--nodes", "100", "--to", "all"];
    folder.run_with_code(&analyze, 0);
    assert!(folder.path().join("logs/games/a.analysis.csa").exists());
    let (text, _) = folder.run_with_code(&["games", "rebuild"], 0);
    assert!(text.starts_with("1 game from 1 file "), "{text}");
    assert_eq!(folder.run_with_code(&["games", "list", "--json"], 0).0, before);
    let export = ["games", "export", "--to", "csa", "-o", "-"];
    let (record, _) = folder.run_with_code(&export, 0);
    assert!(!record.contains("評価値"), "{record}");
    let (text, _) = folder.run_with_code(&["games", "import", "logs"], 0);
    assert!(text.starts_with("0 games from 0 files"), "{text}");

    let build = ["book", "build", "logs/games", "-o", "-", "--min-games", "1"];
    let (_, said) = folder.run_with_code(&build, 0);
    assert!(said.contains("1 game, "), "{said}");
    let convert = ["convert", "logs/games", "--to", "usi", "-o", "-"];
    let (listed, said) = folder.run_with_code(&convert, 0);
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert!(said.contains("files of `kyomi analyze`"), "{said}");
    // A file that is named is read.
    let named = ["convert", "logs/games/a.analysis.kif", "--to", "usi", "-o", "-"];
    assert_eq!(folder.run_with_code(&named, 0).0, listed);
}

#[test]
fn a_killed_import_goes_on() {
    let folder = Folder::new();
    let mut table = "#moves\tresult\tblack\twhite\n".to_owned();
    for number in 0..4000 {
        let _ = writeln!(table, "startpos moves 7g7f 3c3d 2g2f 8c8d\t1-0\tp{number}\tq");
    }
    folder.write("in/table.tsv", table);
    for _ in 0..3 {
        let mut import = folder
            .kyomi(&["games", "import", "in"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Some time into the work, or after it: both must be right.
        let database = folder.path().join("logs/kyomi.db-wal");
        while import.try_wait().unwrap().is_none() {
            if fs::metadata(&database).is_ok_and(|file| file.len() > 1 << 17) {
                break;
            }
            std::thread::yield_now();
        }
        let _ = import.kill();
        import.wait().unwrap();
    }
    let (text, _) = folder.run_with_code(&["games", "import", "in"], 0);
    assert!(text.contains(" 0 known already"), "{text}");
    let (text, _) = folder.run_with_code(&["games", "list", "-n", "1"], 0);
    assert!(text.contains("1 of 4000 games"), "{text}");
}

#[test]
fn exported_games_are_imported_without_difference() {
    let folder = season();
    folder.run_with_code(&["games", "import", "in"], 0);
    folder.run_with_code(&["games", "export", "--to", "csa3", "-o", "out"], 0);
    let strip = |games: Vec<String>| -> Vec<String> {
        let mut games: Vec<String> = games
            .into_iter()
            .map(|game| {
                let words = ["\"file\":", "\"member\":", "\"number\":"];
                let parts =
                    game.split(',').filter(|part| !words.iter().any(|it| part.contains(it)));
                parts.collect::<Vec<_>>().join(",")
            })
            .collect();
        games.sort();
        games
    };
    let before = strip(all_games(&folder));
    let other = Folder::new();
    let out = folder.path().join("out");
    other.run_with_code(&["games", "import", out.to_str().unwrap()], 0);
    assert_eq!(strip(all_games(&other)), before);

    for seed in ["1", "1", "2"] {
        let out = format!("{seed}.psv");
        let export =
            ["games", "export", "--to", "psv", "-o", &out, "--shuffle", "--seed", seed, "--force"];
        folder.run_with_code(&export, 0);
    }
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(read("1.psv").len(), read("2.psv").len());
    assert_eq!(read("1.psv").len() % 40, 0);
    let first = read("1.psv");
    let again = ["games", "export", "--to", "psv", "-o", "1.psv", "--shuffle", "--force"];
    folder.run_with_code(&again, 0);
    assert_eq!(read("1.psv"), first);
    let (_, stderr) = folder.run_with_code(&["games", "export", "--to", "usi", "-o", "1.psv"], 2);
    assert!(stderr.contains("--force"), "{stderr}");
}

#[test]
fn what_the_user_wrote_wrong_is_one_line() {
    let folder = season();
    folder.run_with_code(&["games", "import", "in"], 0);
    for (arguments, part) in [
        (&["games", "search", "startpos moves 7g7e"][..], "hint: "),
        (&["games", "show", "99"][..], "there is no game 99"),
        (&["games", "list", "--opening", "anaguma"][..], "black-nakabisha"),
        (&["games", "list", "--since", "yesterday"][..], "2026-11-22"),
        (&["games", "--db", "none.db", "list"][..], "no database"),
        (&["games", "--set", "records.index=off", "list"][..], "--db"),
    ] {
        let (_, stderr) = folder.run_with_code(arguments, 2);
        assert!(stderr.contains(part) && stderr.lines().count() == 1, "{arguments:?}: {stderr}");
    }
    let database = folder.path().join("logs/kyomi.db");
    let newer = newer_version(&database);
    let (_, stderr) = folder.run_with_code(&["games", "list"], 1);
    assert!(stderr.contains(&newer) && stderr.lines().count() == 1, "{stderr}");
}

/// Makes the database one of a newer version, and returns what the error must contain. The version is at byte 60 of the
/// file.
fn newer_version(database: &std::path::Path) -> String {
    let mut bytes = fs::read(database).unwrap();
    bytes[60..64].copy_from_slice(&77_u32.to_be_bytes());
    fs::write(database, bytes).unwrap();
    "has version 77".to_owned()
}

#[test]
fn names_and_words_that_no_game_has_are_told() {
    let folder = season();
    folder.run_with_code(&["games", "import", "in"], 0);
    let refused = |arguments: &[&str], words: &str| {
        let (stdout, stderr) = folder.run_with_code(&[&["games"], arguments].concat(), 2);
        assert!(stdout.is_empty() && stderr.contains(words), "{stderr}");
    };
    refused(&["stats", "--player", "nobody"], "no game of a player 'nobody'");
    refused(&["list", "--opponent", "alise"], "did you mean 'alice'?");
    refused(&["list", "--reason", "TIMEUP"], "did you mean TIME_UP?");
    refused(&["list", "--reason", "XYZ", "--json"], "known are TORYO, ");
    refused(&["list", "--since", "2026-11-23", "--until", "2026-11-22"], "no day is from");
    let counts = [
        (["--player", "no*"], "\n0 games\n"),
        (["--reason", "time_up"], "\n0 games\n"),
        (["--reason", "sennichite"], "\n1 game\n"),
    ];
    for (arguments, count) in counts {
        let (stdout, _) = folder.run_with_code(&[&["games", "list"][..], &arguments].concat(), 0);
        assert!(format!("\n{stdout}").ends_with(count), "{stdout}");
    }
}

#[test]
fn names_are_found_in_either_case_in_all_scripts() {
    let folder = Folder::new();
    for (number, name) in ["ÉLAN", "ＡＢＣ", "plain"].into_iter().enumerate() {
        let game = GAME.replace("N+alice", &format!("N+{name}"));
        let game = game.replace("10:00", &format!("1{number}:30"));
        folder.write(format!("in/{number}.csa"), format!("'CSA encoding=UTF-8\n{game}"));
    }
    folder.run_with_code(&["games", "import", "in"], 0);
    for name in ["ÉLAN", "élan", "Él*", "ＡＢＣ", "ａｂｃ", "PLAIN"] {
        let (stdout, _) = folder.run_with_code(&["games", "list", "--player", name], 0);
        assert!(format!("\n{stdout}").ends_with("\n1 game\n"), "{name}: {stdout}");
    }
}

#[test]
fn an_export_makes_no_tree_of_folders() {
    let folder = season();
    folder.run_with_code(&["games", "import", "in"], 0);
    for name in ["none/games.usi", "none/kif"] {
        let export = ["games", "export", "--to", "usi", "-o", name];
        let (_, stderr) = folder.run_with_code(&export, 2);
        assert!(stderr.contains("there is no folder none"), "{stderr}");
    }
    assert!(!folder.path().join("none").exists());
    folder.run_with_code(&["games", "export", "--to", "usi", "-o", "new"], 0);
    folder.run_with_code(&["games", "export", "--to", "usi", "-o", "new/games.usi"], 0);
}

#[test]
fn an_export_leaves_out_kinds_of_positions() {
    let folder = Folder::new();
    // Exchanged bishops, with a promotion and a check: 7776 3334, 8822 takes and promotes, 3122 takes.
    let moves = "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*6f 2b3c 6f3c+ 2a3c S*4b 5a4b";
    folder.write("in/table.tsv", format!("#moves\tresult\tblack\twhite\n{moves}\t1-0\ta\tb\n"));
    folder.run_with_code(&["games", "import", "in"], 0);
    let export = |name: &str, more: &[&str]| {
        let arguments = ["games", "export", "--to", "psv", "-o", name];
        folder.run_with_code(&[&arguments[..], more].concat(), 0);
        fs::read(folder.path().join(name)).unwrap()
    };
    let all = export("all.psv", &[]);
    let rows = |bytes: &[u8]| bytes.len() / 40;
    assert_eq!(rows(&all), 10);
    assert_eq!(rows(&export("a.psv", &["--without", "check"])), 8);
    assert_eq!(rows(&export("b.psv", &["--without", "promotion"])), 8);
    assert_eq!(rows(&export("c.psv", &["--without", "capture"])), 5);
    let quiet = ["--without", "check,capture,promotion", "--shuffle", "--seed", "3"];
    let (once, again) = (export("d.psv", &quiet), export("e.psv", &quiet));
    assert_eq!(rows(&once), 5);
    assert_eq!(once, again);
    let first: Vec<&[u8]> = all.chunks(40).collect();
    assert!(once.chunks(40).all(|row| first.contains(&row)));
}
