//! Files of every kind, broken ones, and imports that were stopped.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use zip::write::SimpleFileOptions;

use super::*;
use crate::archive::index::{Filter, GameRows, Index, Order};
use crate::record::{Record, csa, strategy};
use crate::shogi::{Outcome, Position, notation::usi};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("kyomi-import-{:x}", fastrand::u64(..)));
        fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn index(&self) -> Index {
        Index::open(&self.0.join("db/kyomi.db")).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(index: &Index, inputs: &[PathBuf]) -> Report {
    let (files, faults) = find_files(inputs);
    assert!(faults.is_empty(), "{faults:?}");
    let stop = AtomicBool::new(false);
    import(index, &files, ImportOptions { threads: 2 }, &stop, &mut |_| {}).unwrap()
}

#[test]
fn own_games_have_results_and_the_ratings_of_their_opponents() {
    let folder = Folder::new();
    let game = |black: &str, white: &str, ratings: &str, own: &str, end: &str, day: u32| {
        format!(
            "V2.2\nN+{black}\nN-{white}\n$START_TIME:2026/11/{day:02} 10:00:00\n{ratings}PI\n+\n+7776FU\nT1\n{own}-3334FU\nT1\n%{end}\n"
        )
    };
    let own = "'turn: measured 1000\n";
    folder.write("a/1.csa", game("me", "strong", "", own, "TORYO", 3));
    folder.write(
        "a/2.csa",
        game("me", "rated", "'white_rate:rated+x:1500.0\n", own, "SENNICHITE", 2),
    );
    folder
        .write("a/3.csa", game("strong", "other", "'black_rate:strong+x:1800.0\n", "", "TORYO", 1));
    folder
        .write("a/4.csa", game("other", "strong", "'white_rate:strong+x:1900.0\n", "", "TORYO", 1));
    folder.write("a/5.csa", game("me", "unknown", "", own, "CHUDAN", 4));
    let index = folder.index();
    catch_up(&index, &[folder.0.join("a"), folder.0.join("none")]).unwrap();
    let games = index.own_games(&Filter::default()).unwrap();
    let found: Vec<_> = games
        .iter()
        .map(|it| (it.name.as_str(), it.opponent.as_deref(), it.opponent_rating, it.outcome))
        .collect();
    assert_eq!(
        found,
        [
            ("me", Some("rated"), Some(1500.0), Outcome::Draw),
            ("me", Some("strong"), Some(1850.0), Outcome::Loss),
            ("me", Some("unknown"), None, Outcome::None),
        ]
    );
    let own = index.games(&Filter { is_own: true, ..Filter::default() }, Order::Latest, Some(2));
    assert_eq!(own.unwrap().len(), 2);
}

/// Everything that is known of each game, in no order.
fn games(index: &Index) -> Vec<String> {
    let ids = index.ids(&Filter::default()).unwrap();
    let mut games: Vec<String> = ids
        .into_iter()
        .map(|id| {
            let line = index.game(id).unwrap().unwrap();
            let rest = (line.opening, line.ratings, line.plies, line.own, line.control);
            let record = index.record(id).unwrap().unwrap();
            format!("{rest:?} {}", csa::write(&record))
        })
        .collect();
    games.sort();
    games
}

/// A table of games of random moves, all different.
fn table(rows: usize) -> String {
    let mut text = "#moves\tresult\tend\tblack\twhite\tblack_rating\tevals\tseconds\n".to_owned();
    let mut random = fastrand::Rng::with_seed(7);
    for row in 0..rows {
        let mut position = Position::startpos();
        let mut moves = Vec::new();
        for _ in 0..20 {
            let legal = position.legal_moves();
            let mv = legal[random.usize(..legal.len())];
            position.do_move(mv);
            moves.push(mv.to_string());
        }
        let evals = vec!["12"; 20].join(" ");
        let seconds = vec!["1.5"; 20].join(" ");
        let result = ["1-0", "0-1", "1/2", "?"][row % 4];
        let _ = writeln!(
            text,
            "startpos moves {}\t{result}\ttoryo\tp{}\tp{}\t2{:03}\t{evals}\t{seconds}",
            moves.join(" "),
            row % 7,
            row % 5 + 7,
            row % 1000
        );
    }
    text
}

const GAME: &str =
    "V2.2\nN+a\nN-b\n$START_TIME:2026/11/22 10:00:00\nPI\n+\n+7776FU\nT1\n-3334FU\nT2\n%TORYO\n";

#[test]
fn files_folders_and_archives_are_read_and_doubles_found() {
    let folder = Folder::new();
    folder.write("in/a.csa", GAME);
    folder.write("in/deep/same.csa", GAME);
    folder.write("in/later.csa", GAME.replace("10:00:00", "11:00:00"));
    folder.write("in/list.usi", "startpos moves 7g7f 3c3d 2g2f\nstartpos moves 2g2f\n");
    folder.write("in/table.tsv", table(40));
    folder.write("in/readme.md", "no game");
    folder.write("in/.hidden.csa", GAME.replace("N+a", "N+hidden"));
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(GAME.replace("N+a", "N+packed").as_bytes()).unwrap();
    folder.write("in/one.csa.gz", packer.finish().unwrap());
    let index = folder.index();
    let report = run(&index, &[folder.0.join("in")]);
    assert_eq!(report.broken, []);
    assert_eq!((report.counts.games, report.counts.doubles), (2 + 2 + 40 + 1, 1));
    assert_eq!(index.count(&Filter::default()).unwrap(), 45);
    // Nothing is read again.
    let report = run(&index, &[folder.0.join("in")]);
    assert_eq!((report.counts.games, report.counts.doubles, report.files), (0, 0, 0));
    // A file that has changed is read again, without its old games.
    folder.write("in/list.usi", "startpos moves 7g7f 3c3d 2g2f\n");
    let report = run(&index, &[folder.0.join("in")]);
    assert_eq!((report.counts.games, report.files), (1, 1));
    assert_eq!(index.count(&Filter::default()).unwrap(), 44);
}

#[test]
fn names_inside_an_archive_are_names_only() {
    let folder = Folder::new();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    for (name, content) in [
        ("../../outside.csa", GAME.to_owned()),
        ("/etc/absolute.csa", GAME.replace("N+a", "N+c")),
        ("broken.csa", "V2.2\nPI\n+\n+7776KI\n".to_owned()),
        (
            "folder/game.kif",
            "手合割：平手\n先手：甲\n後手：乙\n   1 ７六歩(77)\n   2 投了\n".to_owned(),
        ),
        ("notes.doc", "no game".to_owned()),
        ("list.usi", "startpos moves 2g2f 8c8d\n".to_owned()),
    ] {
        zip.start_file(name, options).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    folder.write("in/games.zip", zip.finish().unwrap().into_inner());
    let index = folder.index();
    let report = run(&index, &[folder.0.join("in")]);
    assert_eq!(report.counts.games, 4, "{report:?}");
    assert_eq!(report.broken.len(), 1, "{report:?}");
    assert!(report.broken[0].file.ends_with("games.zip (broken.csa)"), "{report:?}");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2, "nothing was unpacked");
    assert_eq!(run(&index, &[folder.0.join("in")]).files, 0);
}

#[test]
fn what_unpacks_to_too_much_is_not_read_to_its_end() {
    let folder = Folder::new();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("bomb.csa", SimpleFileOptions::default()).unwrap();
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..80 {
        zip.write_all(&zeros).unwrap();
    }
    zip.start_file("good.csa", SimpleFileOptions::default()).unwrap();
    zip.write_all(GAME.as_bytes()).unwrap();
    folder.write("in/bomb.zip", zip.finish().unwrap().into_inner());
    let index = folder.index();
    let report = run(&index, &[folder.0.join("in")]);
    assert_eq!(report.counts.games, 1);
    assert!(report.broken[0].reasons[0].contains("unpacks to more than 64 MiB"), "{report:?}");
}

#[test]
fn a_mass_of_damaged_files_stops_nothing() {
    let folder = Folder::new();
    let mut random = fastrand::Rng::with_seed(3);
    let samples = [
        GAME.as_bytes().to_vec(),
        table(3).into_bytes(),
        "手合割：平手\n先手：甲\n   1 ７六歩(77)\n   2 投了\n".as_bytes().to_vec(),
        b"{\"header\":{},\"moves\":[{},{\"move\":{\"from\":{\"x\":7,\"y\":7},\"to\":{\"x\":7,\"y\":6},\"piece\":\"FU\"}}]}"
            .to_vec(),
    ];
    let extensions = ["csa", "tsv", "kif", "jkf", "usi", "gz", "zip", "psv", "txt", "ki2"];
    for number in 0..400 {
        let mut bytes = samples[number % samples.len()].clone();
        for _ in 0..random.usize(..8) {
            let at = random.usize(..bytes.len());
            match random.u8(..3) {
                0 => bytes[at] = random.u8(..),
                1 => drop(bytes.drain(at..)),
                _ => bytes.insert(at, random.u8(..)),
            }
            if bytes.is_empty() {
                bytes.push(0);
            }
        }
        let extension = extensions[random.usize(..extensions.len())];
        folder.write(&format!("in/{number:04}.{extension}"), bytes);
    }
    folder.write("in/zz.csa", GAME.replace("N+a", "N+the last one"));
    let index = folder.index();
    let report = run(&index, &[folder.0.join("in")]);
    assert!(report.broken.len() > 50, "{}", report.broken.len());
    assert!(report.broken.iter().all(|fault| !fault.reasons.is_empty() && fault.count > 0));
    let last = Filter { player: Some("the last one".to_owned()), ..Filter::default() };
    assert_eq!(index.count(&last).unwrap(), 1);
    assert_eq!(run(&index, &[folder.0.join("in")]).files, 0, "broken files are not read again");
}

#[test]
fn an_import_that_was_stopped_goes_on_and_ends_as_if_it_was_not() {
    let folder = Folder::new();
    let list = folder.write("in/a.tsv", table(3000));
    folder.write("in/b.csa", GAME);
    let index = folder.index();
    let mut stops = 0;
    loop {
        let stop = AtomicBool::new(false);
        let before = index.count(&Filter::default()).unwrap();
        let (files, _) = find_files(&[folder.0.join("in")]);
        let mut calls = 0;
        let mut progress = |_: Progress| {
            calls += 1;
            if calls == 2 {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let options = ImportOptions { threads: 1 };
        let report = import(&index, &files, options, &stop, &mut progress).unwrap();
        let after = index.count(&Filter::default()).unwrap();
        assert_eq!(after, before + report.counts.games as u64);
        assert_eq!(report.counts.doubles, 0, "nothing was read twice");
        if !report.was_stopped || after == 3001 {
            break;
        }
        stops += 1;
    }
    assert!(stops > 0);
    assert_eq!(run(&index, &[folder.0.join("in")]).counts.doubles, 0);
    let whole = Index::open(&folder.0.join("db/whole.db")).unwrap();
    run(&whole, &[list, folder.0.join("in/b.csa")]);
    assert_eq!(games(&index), games(&whole));
}

#[test]
fn sources_are_noted_once() {
    let folder = Folder::new();
    let database = folder.0.join("db/kyomi.db");
    let file = folder.write("a.csa", GAME);
    assert_eq!(Sources::read(&database).unwrap(), Sources::default());
    for _ in 0..2 {
        Sources::add(&database, &file, false).unwrap();
        Sources::add(&database, &folder.0, true).unwrap();
    }
    let sources = Sources::read(&database).unwrap();
    assert_eq!(sources.imported, [file]);
    assert_eq!(sources.live, std::slice::from_ref(&folder.0));
    assert!(Sources::add(&database, Path::new("/no/such/file"), false).is_err());
}

#[test]
fn a_position_is_found_with_its_moves_and_results() {
    let folder = Folder::new();
    let rows = "#moves\tresult\tblack\twhite\n\
        startpos moves 7g7f 3c3d 2g2f\t1-0\tA\tB\n\
        startpos moves 2g2f 3c3d 7g7f\t0-1\tC\tA\n\
        startpos moves 7g7f 3c3d 2g2f 4c4d\t1/2\tA\tC\n\
        startpos moves 7g7f 8c8d\t?\tD\tE\n";
    folder.write("in/a.tsv", rows);
    let index = folder.index();
    run(&index, &[folder.0.join("in")]);
    let position = |line: &str| usi::parse_position_line(line).unwrap().position().clone();
    let found =
        index.search(&position("startpos moves 2g2f 3c3d 7g7f"), &Filter::default(), 10).unwrap();
    assert_eq!(found.results.games(), 3);
    assert_eq!((found.results.black, found.results.white, found.results.draws), (1, 1, 1));
    assert_eq!(found.moves.len(), 1);
    assert_eq!(found.moves[0].0.to_string(), "4c4d");
    assert_eq!(found.games.len(), 3);
    let found = index.search(&Position::startpos(), &Filter::default(), 2).unwrap();
    assert_eq!((found.results.games(), found.games.len()), (4, 2));
    assert_eq!(found.moves[0].1.games(), 3);
    let of_a = Filter { player: Some("a".to_owned()), ..Filter::default() };
    let found = index.search(&Position::startpos(), &of_a, 10).unwrap();
    assert_eq!(found.results.games(), 3);
    // The same through the filter of a list.
    let with = Filter {
        position: Some(Box::new(position("startpos moves 7g7f 3c3d 2g2f"))),
        ..Filter::default()
    };
    assert_eq!(index.count(&with).unwrap(), 3);
    let stats = index.stats(&of_a).unwrap();
    assert_eq!((stats.by_color[0].wins, stats.by_color[0].draws), (1, 1));
    assert_eq!((stats.by_color[1].wins, stats.by_color[1].losses), (1, 0));
    assert_eq!(stats.opponents.len(), 2);
}

fn any_record() -> impl Strategy<Value = Record> {
    let moves = prop::collection::vec((any::<u16>(), strategy::any_extras()), 0..40);
    let end = prop::option::of((any::<usize>(), prop::option::of(strategy::any_time())));
    (strategy::any_header(), moves, end)
        .prop_map(|(header, moves, end)| strategy::build(header, Position::startpos(), &moves, end))
}

proptest! {
    #![proptest_config(strategy::cases(64))]

    #[test]
    fn a_record_comes_back_from_the_database_as_it_was(records in prop::collection::vec(any_record(), 1..4)) {
        let folder = Folder::new();
        let index = folder.index();
        let batch = index.batch().unwrap();
        let file = batch.file("x", "", 0, 0).unwrap();
        let mut kept = Vec::new();
        for (number, record) in records.iter().enumerate() {
            if batch.add(file.id, number + 1, &GameRows::of(record)).unwrap() {
                kept.push(record);
            }
        }
        batch.commit().unwrap();
        let ids = index.ids(&Filter::default()).unwrap();
        prop_assert_eq!(ids.len(), kept.len());
        for (id, record) in ids.into_iter().zip(kept) {
            prop_assert_eq!(&index.record(id).unwrap().unwrap(), record);
        }
    }
}
