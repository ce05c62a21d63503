//! The program on the samples.

use std::{
    fs,
    io::Write,
    process::{Command, Output, Stdio},
};

use expect_test::expect;

use crate::{
    common::{self, folder::Folder},
    xml,
};

fn sample(name: &str) -> String {
    common::sample_dir().join("csa_samples").join(name).to_str().unwrap().to_owned()
}

fn show(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kyomi"))
        .arg("show")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end without reading its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[track_caller]
fn shown(arguments: &[&str]) -> String {
    let output = show(arguments, b"");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), message.as_ref()), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

/// The text on standard error and on standard output.
#[track_caller]
fn refused(arguments: &[&str], code: i32) -> (String, String) {
    let output = show(arguments, b"");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(message.starts_with("error: "), "{message}");
    (message, String::from_utf8(output.stdout).unwrap())
}

impl Folder {
    fn file(&self, name: &str) -> String {
        self.path().join(name).to_str().unwrap().to_owned()
    }
}

/// A text in which of a board only the ranks with a mark are left.
fn marked_ranks_only(text: &str) -> String {
    let is_board = |line: &str| line.trim_start().starts_with(['|', '+', '９', '9']);
    let is_plain = |line: &str| is_board(line) && !line.contains(['[', ']', '(']);
    text.split_inclusive('\n').filter(|line| !is_plain(line)).collect()
}

#[test]
fn the_last_position_is_shown_by_default() {
    let file = sample("syn_v3_utf8.csa");
    let last = shown(&[&file]);
    assert!(last.contains("ply 2 of 2   △３四歩(33)"), "{last}");
    assert!(last.contains("|v歩 v歩 v歩 v歩 v歩 v歩 (・)v歩 v歩 |三\n"), "{last}");
    assert!(last.ends_with("result: white   reason: %TORYO\n"), "{last}");
    let first = shown(&[&file, "--ply", "1"]);
    expect![[r#"
        v3
        △後手 後手   to move
          持駒 なし
        | ・  ・ [歩] ・  ・  ・  ・  ・  ・ |六
        | 歩  歩 (・) 歩  歩  歩  歩  歩  歩 |七
          持駒 なし
        ▲先手 先手

        ply 1 of 2   ▲７六歩(77)   0:03.123
        score +30   △３四歩(33)
          good move
    "#]]
    .assert_eq(&marked_ranks_only(&first));
    let start = shown(&[&file, "--ply", "0"]);
    assert!(start.contains("ply 0 of 2   start position\n"), "{start}");
}

#[test]
fn encodings_and_letters() {
    for file in ["syn_sjis.csa", "syn_eucjp.csa", "syn_v3_sjis.csa"] {
        let file = sample(file);
        let text = shown(&[&file, "--letters"]);
        assert!(!text.contains('\u{fffd}'), "{text}");
        assert!(text.contains("| l  n  s  g  k  g  s  n  l |a"), "{text}");
    }
}

#[test]
fn a_record_is_read_from_standard_input() {
    let output = show(&["-", "--letters"], b"PI\n+\n+7776FU\nT12\n");
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with("ply 1 of 1   7g7f   0:12\n"), "{text}");
}

#[test]
fn every_format_is_read() {
    let output = show(&["-", "--game", "2"], b"startpos moves 7g7f\nstartpos moves 2g2f 8c8d\n");
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.ends_with("ply 2 of 2   △８四歩(83)\n"), "{text}");
}

#[test]
fn positions_in_the_argument_are_shown() {
    for text in [
        "startpos moves 7g7f 3c3d",
        "position startpos moves 7g7f 3c3d",
        "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7g7f 3c3d",
        "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3",
    ] {
        let shown = shown(&[text, "--letters"]);
        let is_pawns = |line: &&str| line.ends_with("|d") || line.ends_with("|f");
        let pawns: Vec<_> = shown.lines().filter(is_pawns).collect();
        assert_eq!(pawns.len(), 2, "{shown}");
        assert!(pawns.iter().all(|line| line.to_lowercase().matches('p').count() == 1), "{shown}");
    }
    let (message, _) = refused(&["startpos moves 7g7e"], 2);
    assert!(message.contains("7g7e") && message.contains("hint: "), "{message}");
    let (message, _) =
        refused(&["lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSN b - 1"], 2);
    assert!(message.contains("row 9 has 8 squares"), "{message}");
}

#[test]
fn a_missing_ply_or_game_is_an_error_with_the_number_of_them() {
    let file = sample("syn_multi.csa");
    let (message, shown) = refused(&[&file, "--game", "1", "--ply", "5"], 2);
    assert!(message.ends_with("there is no ply 5: the game has 4 plies\n"), "{message}");
    assert_eq!(shown, "");
    let (message, _) = refused(&[&file, "--game", "3"], 2);
    assert!(message.ends_with("there is no game 3: the file has 2 games\n"), "{message}");
    refused(&[&file, "--game", "0"], 2);
    refused(&[&file, "--ply", "-1"], 2);
}

#[test]
fn each_game_of_a_file_can_be_shown() {
    let file = sample("syn_multi.csa");
    let output = show(&[&file], b"");
    assert_eq!(output.status.code(), Some(0));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.ends_with(": more games follow; --game K shows another one\n"), "{message}");
    let second = shown(&[&file, "--game", "2"]);
    assert!(!second.is_empty());
    let first = shown(&[&file, "--game", "1"]);
    assert_eq!(first, String::from_utf8(output.stdout).unwrap());
}

#[test]
fn a_record_with_a_fault_is_shown_up_to_the_fault() {
    let file = sample("syn_illegal_piece.csa");
    let (message, shown) = refused(&[&file], 1);
    assert!(message.contains(": ply 1: "), "{message}");
    assert!(shown.contains("ply 0 of 0"), "{shown}");
    let (message, shown) = refused(&[&file, "--ply", "5"], 2);
    assert!(message.contains("the game has no moves; hint: line"), "{message}");
    assert_eq!(shown, "");
    // The illegal move is the end of the game.
    let foul = self::shown(&[&sample("syn_illegal_nifu.csa")]);
    assert!(foul.contains("ply 4 of 4   △８四歩(83)"), "{foul}");
    assert!(foul.contains("illegal move: +0076FU"), "{foul}");
}

#[test]
fn a_file_that_is_not_a_record_is_one_error() {
    let file = sample("syn_empty.csa");
    let (message, _) = refused(&[&file], 1);
    assert!(message.contains("no game here"), "{message}");
    let (message, _) = refused(&["nowhere.csa"], 2);
    assert!(message.contains("nowhere.csa"), "{message}");
    refused(&["."], 2);
}

#[test]
fn a_picture_is_written_to_a_file_and_overwrites_nothing() {
    let file = sample("syn_handicap_board.csa");
    let folder = Folder::new();
    let path = folder.file("board.svg");
    assert_eq!(shown(&[&file, "--svg", &path]), format!("picture: {path}\n"));
    let picture = fs::read_to_string(&path).unwrap();
    assert_eq!(xml::fault(&picture), None);
    assert!(picture.contains("下手") && picture.contains("上手"), "{picture}");

    fs::write(&path, "mine").unwrap();
    let (message, _) = refused(&[&file, "--svg", &path], 2);
    assert!(message.ends_with("; hint: --force overwrites it\n"), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    shown(&[&file, "--svg", &path, "--force"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), picture);
    assert_eq!(shown(&[&file, "--svg", "-"]), picture);
}

#[cfg(unix)]
#[test]
fn a_file_may_have_a_name_that_is_not_text() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let folder = Folder::new();
    let path = folder.path().join(OsStr::from_bytes(b"\x83\x8b.csa"));
    fs::write(&path, "PI\n+\n").unwrap();
    let shown = Command::new(env!("CARGO_BIN_EXE_kyomi")).arg("show").arg(&path).output().unwrap();
    assert_eq!(shown.status.code(), Some(0), "{}", String::from_utf8_lossy(&shown.stderr));
}

#[test]
fn a_picture_in_a_missing_folder_is_one_error() {
    let (message, _) = refused(&["startpos", "--svg", "/nowhere/at/all/board.svg"], 1);
    assert!(message.contains("writing /nowhere/at/all/board.svg"), "{message}");
}

#[test]
fn no_sample_makes_the_program_panic() {
    // One sample of each kind; the readers have separate tests.
    for entry in fs::read_dir(common::sample_dir().join("csa_samples")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.starts_with("syn_") || name == "syn_long_line.csa" {
            continue;
        }
        let output = show(&[path.to_str().unwrap(), "--svg", "-"], b"");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "{name}: {message}");
        assert!(!message.contains("panicked"), "{name}: {message}");
        let picture = String::from_utf8(output.stdout).unwrap();
        assert!(picture.is_empty() || xml::fault(&picture).is_none(), "{name}");
    }
}

#[test]
fn a_file_too_large_for_a_record_is_refused_in_bounded_memory() {
    let folder = Folder::new();
    let path = folder.file("large.csa");
    // The file is sparse and takes no space on the disk.
    fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
    let (message, _) = refused(&[&path], 2);
    assert!(message.contains("larger than 64 MiB, too much to show"), "{message}");
}

#[test]
fn a_picture_never_replaces_its_record() {
    let folder = Folder::new();
    let path = folder.file("game.csa");
    fs::write(&path, "PI\n+\n+7776FU\n").unwrap();
    let (message, _) = refused(&[&path, "--svg", &path, "--force"], 2);
    assert!(message.contains("that is the record itself"), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "PI\n+\n+7776FU\n");
}
