//! The content of converted games: broken ones, many in a file, encodings, all formats.

use std::io::{BufRead as _, BufReader};

use flate2::read::MultiGzDecoder;

use crate::common;
use crate::common::folder::Folder;

const GAME: &str = "V2.2\nN+先手\nPI\n+\n+7776FU\nT1\n-3334FU\nT2\n%TORYO\n";

#[test]
fn broken_files_are_reported_and_the_rest_is_converted() {
    let folder = Folder::new();
    folder.write("in/a.csa", GAME);
    folder.write("in/b.csa", "V2.2\nPI\n+\n+7776FU\n-3334FU\n+7776FU\n");
    folder.write("in/c.csa", "V2.2\nPI\n+\n+7776XX\n");
    folder.write("in/d.csa", "hello\n");
    folder.write("in/e.csa", "V2.2\nPI\n+\n/\nPI\n+\n+7776XX\n/\nPI\n+\n+2726FU\n");
    let done = folder.convert(&["in", "--to", "csa3", "-o", "out", "-q"]);
    let lines = done.exits(1).lines();
    assert!(lines[0].starts_with("in/b.csa: line 6, column 1: ply 3: "), "{lines:?}");
    assert!(lines[1].starts_with("in/c.csa: line 4, column 1: ply 1: '+7776XX' is not a move"));
    assert!(lines[2].starts_with("in/d.csa: line 1, column 1: no game here"));
    assert!(lines[3].starts_with("in/e.csa: line 7, column 1: ply 1: '+7776XX' is not a move"));
    assert_eq!(lines[4..], ["error: 4 files broken"]);
    // The moves before the one that cannot be played are kept, even if there are none.
    assert_eq!(folder.files("out"), ["a.csa", "b.csa", "c.csa", "e.csa"]);
    assert!(folder.text("out/b.csa").ends_with("+\n+7776FU\n-3334FU\n"));
    assert_eq!(folder.text("out/e.csa").matches("PI\n").count(), 3);
}

#[test]
fn every_sample_is_converted_or_reported() {
    let samples = common::data_dir().join("csa_samples");
    let folder = Folder::new();
    let samples = samples.to_str().unwrap();
    let done = folder.convert(&[samples, "--to", "csa3", "-o", "one", "--json"]);
    done.exits(1);
    let objects: Vec<serde_json::Value> =
        done.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let broken = objects.iter().filter(|object| object["games"] == 0);
    assert!(broken.clone().all(|object| !object["errors"].as_array().unwrap().is_empty()));
    let outputs = objects.iter().filter(|object| object["outputs"].as_array().unwrap().len() == 1);
    assert_eq!(outputs.count(), folder.files("one").len());
    let encodings = |name: &str| objects.iter().filter(|o| o["encoding"] == name).count();
    assert!(encodings("shift_jis") > 0 && encodings("euc-jp") > 0 && encodings("utf-8") > 0);
    // The written file is read without a message, and written again unchanged.
    let again = folder.convert(&["one", "--to", "csa3", "-o", "two", "-q"]);
    again.exits(0);
    for name in folder.files("one") {
        assert_eq!(
            folder.text(format!("two/{name}")),
            folder.text(format!("one/{name}")),
            "{name}"
        );
    }
}

#[test]
fn games_of_one_file_stay_together_if_the_format_allows_it() {
    let folder = Folder::new();
    folder.write("in.usi", "startpos moves 7g7f\nstartpos moves 2g2f\nstartpos\n");
    folder.convert(&["in.usi", "--to", "csa"]).exits(0);
    assert_eq!(folder.text("in.csa").matches("/\r\n").count(), 2);
    folder.convert(&["in.csa", "--to", "csa3", "-o", "three"]).exits(0);
    folder
        .convert(&["three", "--to", "usi", "-o", "."])
        .exits(1)
        .reports("three/in.csa: ./in.usi exists");
    let back = folder.convert(&["three", "--to", "usi", "-o", "-"]);
    assert_eq!(back.text(), folder.text("in.usi"));
    folder.write("again.usi", folder.read("in.usi"));
    let all = folder.convert(&["in.usi", "again.usi", "--to", "csa3", "-o", "-"]);
    assert_eq!(all.text().matches("\n/\n").count(), 5);
}

#[test]
fn games_of_one_file_get_numbers_if_the_format_holds_one_game_only() {
    let folder = Folder::new();
    folder.write("in/many.usi", "startpos moves 7g7f\nnonsense\nstartpos moves 2g2f\nstartpos\n");
    folder.write("in/one.usi", "startpos moves 7g7f\n");
    folder.write("out/many-0003.kif", "mine");
    let done = folder.convert(&["in", "--to", "kif", "-o", "out"]);
    done.exits(1).reports("in/many.usi: line 2, column 1: 'nonsense' is not a ");
    done.reports("in/many.usi: out/many-0003.kif exists already");
    done.reports("converted 3 games of 2 files (usi utf-8 2), 1 broken");
    assert_eq!(folder.files("out"), ["many-0001.kif", "many-0003.kif", "many-0004.kif", "one.kif"]);
    assert_eq!(folder.text("out/many-0003.kif"), "mine");
    let back =
        folder.convert(&["out/many-0001.kif", "out/one.kif", "--to", "usi", "-o", "-", "-q"]);
    assert_eq!(back.exits(0).text(), "startpos moves 7g7f\nstartpos moves 7g7f\n");
    let two = folder.pipe(&["--to", "kif"], b"startpos moves 7g7f\nstartpos\n");
    two.exits(1)
        .reports("standard input: a second game on standard output, where kif holds but one");
    two.reports("converted 1 game of 1 file (usi utf-8 1), 1 not written");
    let moves = encoding_rs::SHIFT_JIS.decode(&two.stdout).0.into_owned();
    assert!(moves.contains("７六歩(77)") && moves.contains("\r\n"), "{moves}");
}

#[test]
fn records_of_people_are_detected_by_their_content() {
    let folder = Folder::new();
    let kif = "手合割：平手\n先手：歩\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:01/00:00:01)\n   2 投了\n";
    folder.write("in/a.txt", encoding_rs::SHIFT_JIS.encode(kif).0);
    folder.write("in/b.kif", "先手：歩\n\n▲７六歩\nまで1手で先手の勝ち\n");
    folder.write("in/c.ki2", kif);
    let done = folder.convert(&[
        "in",
        "in/a.txt",
        "--to",
        "kif",
        "--encoding",
        "utf-8",
        "-o",
        "out",
        "-v",
    ]);
    done.exits(0).reports("in/a.txt: kif in shift_jis, 1 game → out/a.kifu");
    done.reports("in/b.kif: ki2 in utf-8, 1 game → out/b.kifu");
    done.reports("in/c.ki2: kif in utf-8, 1 game → out/c.kifu");
    for name in ["a", "b", "c"] {
        assert!(folder.text(format!("out/{name}.kifu")).contains("1 ７六歩(77)"), "{name}");
    }
    // Every format that can hold the start, the headers and the ends keeps them.
    folder.convert(&["out", "--to", "csa3", "-o", "csa", "-q"]).exits(0);
    folder.convert(&["csa", "--to", "kif", "--encoding", "utf-8", "-o", "back", "-q"]).exits(0);
    assert!(folder.text("back/a.kifu").contains("先手：歩"));
}

#[test]
fn the_encoding_is_detected_reported_and_chosen() {
    let folder = Folder::new();
    let text = "V2.2\nN+先手の名前\nN-後手\nPI\n+\n+7776FU\n";
    folder.write("sjis.csa", encoding_rs::SHIFT_JIS.encode(text).0);
    folder.write("euc.csa", encoding_rs::EUC_JP.encode(text).0);
    folder.write("utf8.csa", text);
    let done =
        folder.convert(&["sjis.csa", "euc.csa", "utf8.csa", "--to", "csa", "-o", "out", "-v"]);
    done.exits(0).reports("sjis.csa: csa in shift_jis, 1 game → out/sjis.csa");
    done.reports("converted 3 games of 3 files (csa euc-jp 1, csa shift_jis 1, csa utf-8 1)");
    let expected = encoding_rs::SHIFT_JIS.encode(&text.replace('\n', "\r\n")).0.into_owned();
    for name in ["sjis.csa", "euc.csa", "utf8.csa"] {
        assert_eq!(folder.read(format!("out/{name}")), expected, "{name}");
    }
    folder.convert(&["sjis.csa", "--to", "csa", "-o", "u", "--encoding", "utf8"]).exits(0);
    assert_eq!(folder.text("u/sjis.csa"), text.replace('\n', "\r\n"));
    folder.write("odd.csa", "PI\n+\n'emoji 😀 한글\n");
    let done = folder.convert(&["odd.csa", "--to", "csa", "-o", "out"]);
    done.exits(0).reports("odd.csa: lost in csa: 3 characters");
    assert!(String::from_utf8_lossy(&folder.read("out/odd.csa")).contains("'*emoji ? ??\r\n"));
}

#[test]
fn the_format_is_detected_by_content_if_the_name_does_not_show_it() {
    let folder = Folder::new();
    folder.write("a.sfen", GAME);
    folder.write("b.txt", GAME);
    folder.write("c.2024", "position startpos moves 7g7f\n");
    folder.write("d.txt", "nothing of the kind\n");
    let done = folder.convert(&["a.sfen", "b.txt", "c.2024", "d.txt", "--to", "csa3", "-v"]);
    done.exits(1).reports("a.sfen: csa in utf-8, 1 game → a.csa").reports("b.txt: csa in utf-8");
    done.reports("c.2024: usi in utf-8, 1 game → c.2024.csa")
        .reports("d.txt: neither its name nor its");
    folder
        .convert(&["d.txt", "--to", "csa", "--from", "csa"])
        .exits(1)
        .reports("d.txt: line 1, column 1: ");
}

#[test]
fn the_number_of_warnings_is_limited() {
    let folder = Folder::new();
    for number in 0..60 {
        folder.write(format!("in/{number:02}.csa"), "V2.2\nPI\n+\n+7776FU\n+junk\nrubbish\nmore\n");
    }
    let list = "x\n".repeat(30);
    folder.write("in/z.usi", list);
    let done = folder.convert(&["in", "--to", "csa3", "-o", "out"]);
    done.exits(1).reports("in/z.usi: and 10 more errors");
    assert!(done.lines().len() < 140, "{}", done.stderr);
    assert!(!done.stderr.contains("in/61"));
}

#[test]
fn games_become_other_forms_and_lists_again_without_a_difference() {
    let mut lists = String::new();
    // The sample has only games of engines.
    for name in ["games_expert.tsv.gz", "games_engine.tsv.gz"] {
        let Ok(file) = std::fs::File::open(common::data_dir().join(name)) else { continue };
        let lines = BufReader::new(MultiGzDecoder::new(file)).lines().map(Result::unwrap);
        for line in lines.filter(|line| !line.starts_with('#')).take(120) {
            lists.push_str(line.split('\t').next().unwrap());
            lists.push('\n');
        }
    }
    assert!(lists.lines().count() >= 100);
    let folder = Folder::new();
    for to in ["csa", "csa3", "psv", "hcpe"] {
        let there = folder.pipe(&["--to", to, "-q"], lists.as_bytes());
        assert_eq!(there.exits(0).stderr, "");
        let back = folder.pipe(&["--from", to, "--to", "usi", "-q"], &there.stdout);
        assert_eq!(back.exits(0).stderr, "");
        assert!(back.text() == lists, "{to}: not the same games");
    }
}

#[test]
fn a_game_without_moves_gives_no_rows_and_no_empty_file() {
    let folder = Folder::new();
    folder.write("none.usi", "startpos\n");
    folder.write("some.usi", "startpos\nstartpos moves 7g7f\n");
    let done = folder.convert(&["none.usi", "some.usi", "--to", "psv", "-o", "out"]);
    done.exits(1).reports("none.usi: game 1 has nothing that psv holds");
    assert_eq!(folder.files("out"), ["some.psv"]);
}

#[test]
fn lists_in_utf_16_are_read() {
    let folder = Folder::new();
    for (name, mark, order) in [("le", [0xFF, 0xFE], 0), ("be", [0xFE, 0xFF], 1)] {
        let unit = |c: u8| if order == 0 { [c, 0] } else { [0, c] };
        let list = "startpos moves 7g7f\r\nstartpos moves 2g2f\r\n";
        let bytes: Vec<u8> = mark.into_iter().chain(list.bytes().flat_map(unit)).collect();
        folder.write(format!("{name}.usi"), bytes);
        folder.write(format!("{name}.bare.usi"), list.bytes().flat_map(unit).collect::<Vec<u8>>());
        for file in [format!("{name}.usi"), format!("{name}.bare.usi")] {
            for more in [&["--force"][..], &["--force", "--encoding-in", "utf-16"]] {
                let arguments = [&[&*file, "--to", "csa"], more].concat();
                folder.convert(&arguments).exits(0).reports("converted 2 games of 1 file");
            }
        }
    }
}
