//! Files of every kind, broken ones, and imports that were stopped.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;

use super::unit::{Content, FileKey, Unit};
use super::*;
use crate::archive::index::{Counts, Filter, GameRows, Index, Order};
use kyomi_record::{Record, csa, strategy};
use kyomi_shogi::{Outcome, Position, notation::usi};

/// A folder that is removed at the end.
struct Folder {
    path: PathBuf,
    _removed: TempDir,
}

impl Folder {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        Self { path: folder.path().canonicalize().unwrap(), _removed: folder }
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    fn index(&self) -> Index {
        Index::open(&self.path.join("db/kyomi.db")).unwrap()
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
    catch_up(&index, &[folder.path.join("a"), folder.path.join("none")]).unwrap();
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
    let report = run(&index, &[folder.path.join("in")]);
    assert_eq!(report.broken, []);
    assert_eq!((report.counts.games, report.counts.doubles), (2 + 2 + 40 + 1, 1));
    assert_eq!(index.count(&Filter::default()).unwrap(), 45);
    // Nothing is read again.
    let report = run(&index, &[folder.path.join("in")]);
    assert_eq!((report.counts.games, report.counts.doubles, report.files), (0, 0, 0));
    // A file that has changed is read again, without its old games. One of them might be the double of another file.
    folder.write("in/list.usi", "startpos moves 7g7f 3c3d 2g2f\n");
    let report = run(&index, &[folder.path.join("in")]);
    assert_eq!((report.counts.games, report.files), (1, 2));
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
    let report = run(&index, &[folder.path.join("in")]);
    assert_eq!(report.counts.games, 4, "{report:?}");
    assert_eq!(report.broken.len(), 1, "{report:?}");
    assert!(report.broken[0].file.ends_with("games.zip (broken.csa)"), "{report:?}");
    assert_eq!(fs::read_dir(&folder.path).unwrap().count(), 2, "nothing was unpacked");
    assert_eq!(run(&index, &[folder.path.join("in")]).files, 0);
}

/// A zip without compression, with names of any bytes.
fn zip_of(members: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for (name, content) in members {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let size = u32::try_from(content.len()).unwrap().to_le_bytes();
        let mut common = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        common.extend(crc.sum().to_le_bytes());
        common.extend(size);
        common.extend(size);
        common.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        common.extend([0, 0]);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
        directory.extend(*name);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(*name);
        bytes.extend(*content);
    }
    let start = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    let count = u16::try_from(members.len()).unwrap().to_le_bytes();
    let length = u32::try_from(directory.len()).unwrap().to_le_bytes();
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([count, count].concat());
    bytes.extend([length, start].concat());
    bytes.extend([0, 0]);
    bytes
}

fn game_of(black: &str) -> String {
    GAME.replace("N+a", &format!("N+{black}"))
}

#[test]
fn members_with_names_in_shift_jis_keep_their_games_and_double_names_are_told() {
    let folder = Folder::new();
    let names = ["竜王戦.csa", "名人戦.csa", "王位戦.csa"]
        .map(|name| encoding_rs::SHIFT_JIS.encode(name).0);
    let games: Vec<_> = (0..5).map(|number| game_of(&format!("p{number}"))).collect();
    let mut members: Vec<(&[u8], &[u8])> =
        names.iter().zip(&games).map(|(name, game)| (&**name, game.as_bytes())).collect();
    members.push((b"same.csa", games[3].as_bytes()));
    members.push((b"same.csa", games[4].as_bytes()));
    folder.write("in/games.zip", zip_of(&members));
    let index = folder.index();
    for files in [5, 0] {
        let report = run(&index, &[folder.path.join("in")]);
        assert_eq!(report.files, files, "{report:?}");
        assert!(report.broken[0].reasons[0].contains("5 members but 4 names"), "{report:?}");
        assert_eq!(index.count(&Filter::default()).unwrap(), 4);
    }
    let games = index.games(&Filter::default(), Order::Latest, None).unwrap();
    assert!(games.iter().any(|game| game.file.1 == "竜王戦.csa"));
}

#[test]
fn members_that_are_gone_are_removed_with_their_games() {
    let folder = Folder::new();
    let (one, two) = (game_of("one"), game_of("two"));
    folder.write("in/a.zip", zip_of(&[(b"1.csa", one.as_bytes()), (b"2.csa", two.as_bytes())]));
    let index = folder.index();
    assert_eq!(run(&index, &[folder.path.join("in")]).counts.games, 2);
    folder.write("in/a.zip", zip_of(&[(b"1.csa", one.as_bytes())]));
    run(&index, &[folder.path.join("in")]);
    assert_eq!(index.count(&Filter::default()).unwrap(), 1);
    folder.write("in/a.zip", zip_of(&[(b"3.csa", one.as_bytes())]));
    run(&index, &[folder.path.join("in")]);
    assert_eq!(index.count(&Filter::default()).unwrap(), 1, "the game is under another name");
}

#[test]
fn a_double_stays_when_the_file_that_had_it_first_changes() {
    let folder = Folder::new();
    let x = folder.write("x.csa", GAME);
    folder.write("y.csa", GAME);
    folder.write("z.csa", GAME);
    let index = folder.index();
    let names = || {
        let games = index.games(&Filter::default(), Order::Latest, None).unwrap();
        let mut names: Vec<_> =
            games.into_iter().map(|it| it.players[0].clone().unwrap()).collect();
        names.sort();
        names
    };
    run(&index, std::slice::from_ref(&folder.path));
    assert_eq!(names(), ["a"]);
    fs::write(&x, game_of("another")).unwrap();
    run(&index, std::slice::from_ref(&x));
    assert_eq!(names(), ["a", "another"]);
    assert_eq!(run(&index, std::slice::from_ref(&folder.path)).files, 0);
    // A file that only grows makes nothing else be read again.
    fs::write(&x, format!("{}/\n{}", game_of("another"), game_of("third"))).unwrap();
    assert_eq!(run(&index, &[x]).files, 1);
    assert_eq!(names(), ["a", "another", "third"]);
}

#[test]
fn a_file_that_is_broken_is_named_by_every_import() {
    let folder = Folder::new();
    let broken = "V2.2\nPI\n+\n+7776KI\n";
    folder.write("in/broken.csa", broken);
    folder.write("in/a.zip", zip_of(&[(b"broken.csa", broken.as_bytes())]));
    let index = folder.index();
    let first = run(&index, &[folder.path.join("in")]);
    let second = run(&index, &[folder.path.join("in")]);
    assert_eq!((first.files, second.files), (2, 0));
    assert_eq!(second.broken.len(), 2);
    assert_eq!(first.broken, second.broken);
}

#[test]
fn tables_and_lists_in_other_encodings_and_packed_members_are_read() {
    let folder = Folder::new();
    let table = "#moves\tresult\tblack\twhite\nstartpos moves 7g7f 3c3d\t1-0\t羽生善治\t佐藤康光\n\
        startpos moves 2g2f 3c3d\t1-0\t藤井聡太\t渡辺明\n";
    let wide = |text: &str| -> Vec<u8> {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    folder.write("in/sjis.tsv", encoding_rs::SHIFT_JIS.encode(table).0);
    folder.write("in/wide.tsv", wide(&table.replace("7g7f", "5g5f").replace("2g2f", "1g1f")));
    folder.write(
        "in/wide.usi",
        wide("startpos moves 7g7f 3c3d 6g6f\nstartpos moves 2g2f 8c8d 7g7f\n"),
    );
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(GAME.as_bytes()).unwrap();
    folder.write("in/a.zip", zip_of(&[(b"one.csa.gz", &packer.finish().unwrap())]));
    let index = folder.index();
    let report = run(&index, &[folder.path.join("in")]);
    assert_eq!(report.broken, []);
    assert_eq!(report.counts.games, 2 + 2 + 2 + 1);
    for name in ["羽生善治", "渡辺明"] {
        let filter = Filter { player: Some(name.to_owned()), ..Filter::default() };
        assert_eq!(index.count(&filter).unwrap(), 2, "{name}");
    }
}

#[test]
fn a_file_of_many_games_is_left_between_two_of_them() {
    let folder = Folder::new();
    let many: Vec<_> = (0..3000).map(|number| game_of(&format!("p{number}"))).collect();
    folder.write("in/a.csa", game_of("first"));
    folder.write("in/many.csa", many.join("/\n"));
    let index = folder.index();
    let (files, _) = find_files(&[folder.path.join("in")]);
    let stop = AtomicBool::new(false);
    // The first file is written; the other one is being read, or waits to be written.
    let stop_after_the_first = &mut |_: Progress| stop.store(true, Ordering::Relaxed);
    let report =
        import(&index, &files, ImportOptions { threads: 1 }, &stop, stop_after_the_first).unwrap();
    assert!(report.was_stopped);
    assert_eq!(report.counts, Counts { games: 1, ..Counts::default() });
    assert_eq!(index.count(&Filter::default()).unwrap(), 1);
    assert_eq!(
        run(&index, &[folder.path.join("in")]).counts,
        Counts { games: 3000, ..Counts::default() }
    );
}

#[test]
fn reading_a_file_is_left_between_two_games() {
    for (is_stopped, games) in [(false, 2), (true, 0)] {
        let file = FileKey { path: "x.csa".to_owned(), member: String::new(), size: 0, stamp: 0 };
        let text = [game_of("a"), game_of("b")].join("/\n");
        let content = Content::Whole(text.into_bytes());
        let unit = Unit { file: file.into(), content, lines: 0, is_last: true, bytes: 0 };
        let parsed = unit.parse(&AtomicBool::new(is_stopped));
        assert_eq!((parsed.games.len(), parsed.is_cut), (games, is_stopped));
    }
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
    let report = run(&index, &[folder.path.join("in")]);
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
    let report = run(&index, &[folder.path.join("in")]);
    assert!(report.broken.len() > 50, "{}", report.broken.len());
    assert!(report.broken.iter().all(|fault| !fault.reasons.is_empty() && fault.count > 0));
    let last = Filter { player: Some("the last one".to_owned()), ..Filter::default() };
    assert_eq!(index.count(&last).unwrap(), 1);
    assert_eq!(run(&index, &[folder.path.join("in")]).files, 0, "broken files are not read again");
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
        let (files, _) = find_files(&[folder.path.join("in")]);
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
    assert_eq!(run(&index, &[folder.path.join("in")]).counts.doubles, 0);
    let whole = Index::open(&folder.path.join("db/whole.db")).unwrap();
    run(&whole, &[list, folder.path.join("in/b.csa")]);
    assert_eq!(games(&index), games(&whole));
}

#[test]
fn sources_are_noted_once() {
    let folder = Folder::new();
    let database = folder.path.join("db/kyomi.db");
    let file = folder.write("a.csa", GAME);
    assert_eq!(Sources::read(&database).unwrap(), Sources::default());
    for _ in 0..2 {
        Sources::add(&database, &file, false).unwrap();
        Sources::add(&database, &folder.path, true).unwrap();
    }
    let sources = Sources::read(&database).unwrap();
    assert_eq!(sources.imported, [file]);
    assert_eq!(sources.live, std::slice::from_ref(&folder.path));
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
    run(&index, &[folder.path.join("in")]);
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

#[test]
fn a_game_with_a_repetition_counts_once_for_each_move() {
    let folder = Folder::new();
    let moves = ["2h3h 8b7b 3h2h 7b8b"; 3].join(" ");
    folder.write("in/a.usi", format!("startpos moves {moves}\nstartpos moves 7g7f 3c3d\n"));
    let index = folder.index();
    run(&index, &[folder.path.join("in")]);
    let found = index.search(&Position::startpos(), &Filter::default(), 10).unwrap();
    let mut moves: Vec<_> =
        found.moves.iter().map(|(mv, results)| (mv.to_string(), results.games())).collect();
    moves.sort();
    assert_eq!(moves, [("2h3h".to_owned(), 1), ("7g7f".to_owned(), 1)]);
}

#[test]
fn the_latest_games_of_many_are_found_whenever_they_were_added() {
    let folder = Folder::new();
    let mut rows = "#moves\tblack\tstart_time\n".to_owned();
    for game in 0..2500 {
        let year = if game == 3 { 2026 } else { 1990 };
        let _ = writeln!(rows, "startpos moves 7g7f 3c3d\tp{game}\t{year}/01/02");
    }
    folder.write("in/a.tsv", rows);
    let index = folder.index();
    run(&index, &[folder.path.join("in")]);
    let found = index.search(&Position::startpos(), &Filter::default(), 2).unwrap();
    let names: Vec<_> = found.games.iter().map(|game| game.players[0].clone().unwrap()).collect();
    assert_eq!(names, ["p3", "p2499"]);
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
