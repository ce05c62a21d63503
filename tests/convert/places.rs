//! The places of inputs and outputs.

use std::fs;

use crate::common::folder::Folder;

const GAME: &str = "PI\n+\n+7776FU\n-3334FU\n%TORYO\n";
const LIST: &str = "startpos moves 7g7f 3c3d\nstartpos moves 2g2f\n";

#[test]
fn a_file_is_converted_into_its_folder() {
    let folder = Folder::new();
    folder.write("a game.csa", GAME);
    let done = folder.convert(&["a game.csa", "--to", "usi"]);
    assert_eq!(done.exits(0).text(), "");
    assert_eq!(
        done.lines(),
        ["a game.csa: lost in usi: 1 end", "converted 1 game of 1 file (csa utf-8 1), lost: 1 end"]
    );
    assert_eq!(folder.text("a game.usi"), "startpos moves 7g7f 3c3d\n");
    assert_eq!(folder.files(""), ["a game.csa", "a game.usi"]);
}

#[test]
fn standard_input_becomes_standard_output() {
    let folder = Folder::new();
    for arguments in [&["--to", "csa3"][..], &["-", "--to", "csa3"], &["--to", "csa3", "-o", "-"]] {
        let done = folder.pipe(arguments, LIST.as_bytes());
        done.exits(0);
        assert_eq!(done.text().matches("\n/\n").count(), 1, "{}", done.text());
        let back = folder.pipe(&["--to", "usi", "-q"], &done.stdout);
        assert_eq!((back.text(), back.stderr.as_str()), (LIST, ""));
    }
    assert!(folder.files("").is_empty());
    folder.pipe(&["--to", "csa", "-o", "out"], LIST.as_bytes()).exits(0);
    assert_eq!(folder.files(""), ["out/stdin.csa"]);
}

#[test]
fn a_folder_keeps_its_subfolders_and_only_records_are_converted() {
    let folder = Folder::new();
    for name in ["b.csa", "a.CSA", "x/y/c.csa", "x/list.usi", "x/読み.csa"] {
        folder.write(format!("in/{name}"), if name.ends_with("usi") { LIST } else { GAME });
    }
    for name in ["note.md", ".hidden.csa", ".git/d.csa", "x/e.csa~"] {
        folder.write(format!("in/{name}"), GAME);
    }
    let done = folder.convert(&["in", "--to", "csa3", "-o", "out/deep", "-v"]);
    done.exits(0);
    let expected = ["a.csa", "b.csa", "x/list.csa", "x/y/c.csa", "x/読み.csa"];
    assert_eq!(folder.files("out/deep"), expected);
    let order: Vec<_> = done.lines().iter().map(|line| line.split(':').next().unwrap()).collect();
    assert_eq!(
        order[..5],
        ["in/a.CSA", "in/b.csa", "in/x/list.usi", "in/x/読み.csa", "in/x/y/c.csa"]
    );
    done.reports("in/x/list.usi: usi in utf-8, 2 games → out/deep/x/list.csa");
    done.reports("converted 6 games of 5 files (csa utf-8 4, usi utf-8 1)");
    // The folder of the outputs may be inside that of the inputs.
    folder.convert(&["in", "--to", "csa3", "-o", "in/new", "-q"]).exits(0);
    let again = folder.convert(&["in", "--to", "csa3", "-o", "in/new", "-q", "--force"]);
    again.exits(0);
    assert_eq!(folder.files("in/new"), expected);
}

#[cfg(unix)]
#[test]
fn a_loop_of_links_is_walked_once() {
    let folder = Folder::new();
    folder.write("in/a.csa", GAME);
    folder.write("in/sub/b.csa", GAME);
    std::os::unix::fs::symlink("..", folder.path().join("in/sub/up")).unwrap();
    std::os::unix::fs::symlink("nowhere.csa", folder.path().join("in/gone.csa")).unwrap();
    let done = folder.convert(&["in", "--to", "usi", "-o", "out"]);
    done.exits(1).reports("in/gone.csa: cannot be read: ").reports("converted 2 games of 2 files");
    assert_eq!(folder.files("out"), ["a.usi", "sub/b.usi"]);
}

#[test]
fn nothing_is_overwritten_without_force() {
    let folder = Folder::new();
    folder.write("a.csa", GAME);
    folder.write("a.usi", "mine");
    let done = folder.convert(&["a.csa", "--to", "usi"]);
    done.exits(1).reports("a.csa: a.usi exists already; nothing is overwritten without --force");
    assert_eq!(done.lines().last(), Some(&"error: 1 file not written"));
    assert_eq!(folder.text("a.usi"), "mine");
    folder.convert(&["a.csa", "--to", "usi", "--force"]).exits(0);
    assert_eq!(folder.text("a.usi"), "startpos moves 7g7f 3c3d\n");
    assert_eq!(folder.files(""), ["a.csa", "a.usi"]);
}

#[test]
fn no_output_replaces_another_one_or_an_input() {
    let folder = Folder::new();
    folder.write("a/game.csa", GAME);
    folder.write("b/game.usi", LIST);
    folder.convert(&["a", "b", "--to", "csa3", "-o", "out", "--force"]).exits(0);
    assert!(folder.text("out/game.csa").contains("%TORYO"));
    assert_eq!(folder.files("out"), ["game.csa", "game_2.csa"]);
    // A second game of one file may have the name of another file.
    folder.write("d/game.csa", format!("{GAME}/\n{GAME}"));
    folder.write("d/game-0002.csa", GAME);
    folder.convert(&["d", "--to", "kif", "-o", "apart"]).exits(0);
    let names = ["game-0001.kif", "game-0002.kif", "game-0002_2.kif"];
    assert_eq!(folder.files("apart"), names);
    // A file that is named twice is converted once.
    let done =
        folder.convert(&["d", "d/game.csa", "./d/game-0002.csa", "--to", "usi", "-o", "once"]);
    done.exits(0).reports("converted 3 games of 2 files");
    // An input that cannot be read does not use up a name.
    folder.write("c/game.csa", "no record\n");
    let done = folder.convert(&["c", "b", "--to", "csa3", "-o", "other"]);
    done.exits(1).reports("c/game.csa: ");
    assert_eq!(folder.files("other"), ["game.csa"]);
    // An output replaces neither its input nor a later one.
    folder.write("a/game.usi", LIST);
    let done = folder.convert(&["a/game.usi", "a/game.csa", "--to", "csa3", "--force"]);
    done.exits(1).reports("a/game.usi: a/game.csa is itself an input");
    done.reports("converted 0 games of 0 files, 2 not written");
    done.reports("a/game.csa: a/game.csa is itself an input and stays as it is");
    assert_eq!(folder.text("a/game.csa"), GAME);
    assert_eq!(folder.files("a"), ["game.csa", "game.usi"]);
}

#[cfg(unix)]
#[test]
fn names_that_are_not_text_are_kept() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    let name = OsStr::from_bytes(b"in/\x8a\xfd\x95\x88.csa");
    folder.write(name, GAME);
    folder.convert(&["in", "--to", "usi", "-o", "out"]).exits(0);
    let written = folder.read(OsStr::from_bytes(b"out/\x8a\xfd\x95\x88.usi"));
    assert_eq!(written, b"startpos moves 7g7f 3c3d\n");
}

#[test]
fn files_that_cannot_be_written_or_read_are_reported_and_the_rest_is_converted() {
    let folder = Folder::new();
    folder.write("in/a.csa", GAME);
    folder.write("in/sub/b.csa", GAME);
    // A file has the name of the output folder.
    folder.write("out/sub", "");
    let inputs = ["in", "nowhere.csa", "--to", "usi", "-o", "out"];
    let done = folder.convert(&inputs);
    done.exits(1)
        .reports("in/sub/b.csa: cannot write out/sub")
        .reports("nowhere.csa: cannot be read: ");
    done.reports("converted 1 game of 1 file");
    assert_eq!(folder.files("out"), ["a.usi", "sub"]);
    folder
        .convert(&["in", "--to", "usi", "-o", "out/sub"])
        .exits(2)
        .reports("error: -o out/sub: not a folder");
    folder
        .convert(&["in", "--to", "usi", "-o", "all.usi"])
        .exits(2)
        .reports("error: -o all.usi: not a folder");
    folder
        .convert(&["in", "--to", "usi", "-o", "out/sub/deep"])
        .exits(1)
        .reports("error: making the folder");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    folder.write("in/a.csa", GAME);
    fs::set_permissions(folder.path().join("in"), fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write everywhere.
    let is_free = fs::write(folder.path().join("in/probe"), "").is_ok();
    let done = folder.convert(&["in", "--to", "usi"]);
    fs::set_permissions(folder.path().join("in"), fs::Permissions::from_mode(0o755)).unwrap();
    if !is_free {
        done.exits(1).reports("in/a.csa: cannot write in/a.usi: ");
    }
}

#[test]
fn wrong_arguments_and_missing_inputs_are_reported() {
    let folder = Folder::new();
    folder.write("in/readme.md", "");
    folder.write("a.csa", GAME);
    for (arguments, line) in [
        (
            &["a.csa"][..],
            "error: the following required arguments were not provided: --to <FORMAT>",
        ),
        (
            &["a.csa", "--to", "pgn"],
            "error: invalid value 'pgn' for '--to <FORMAT>': known are csa, ",
        ),
        (&["a.csa", "--to", "csa", "--encoding", "latin1"], "error: invalid value 'latin1'"),
        (
            &["a.csa", "--to", "csa", "-q", "-v"],
            "error: the argument '--quiet' cannot be used with",
        ),
        (&["-", "--to", "csa", "--json"], "error: --json: standard output takes the records"),
    ] {
        folder.convert(arguments).exits(2).reports(line);
    }
    folder
        .convert(&["in", "--to", "csa"])
        .exits(1)
        .reports("error: nothing to convert in in; hint: ");
    let empty = folder.pipe(&["--to", "csa"], b"");
    empty.exits(1).reports("standard input: neither its name nor its first lines show its format");
    assert_eq!(empty.text(), "");
}

#[cfg(unix)]
#[test]
fn a_closed_reader_ends_the_program_quietly() {
    use std::io::Read as _;
    use std::process::Stdio;
    let folder = Folder::new();
    folder.write("long.usi", LIST.repeat(20_000));
    let mut child = folder
        .command(&["long.usi", "--to", "csa", "-o", "-", "-q"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 4];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(first, *b"V2.2");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_large_file_is_refused_before_it_is_read() {
    let folder = Folder::new();
    // The file is sparse and takes no space on the disk.
    let file = fs::File::create(folder.path().join("huge.csa")).unwrap();
    file.set_len(65 << 20).unwrap();
    folder.write("good.csa", GAME);
    let done = folder.convert(&["huge.csa", "good.csa", "--to", "usi"]);
    done.exits(1).reports("huge.csa: larger than 64 MiB").reports("converted 1 game of 1 file");
    assert_eq!(folder.files(""), ["good.csa", "good.usi", "huge.csa"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_after_the_running_file() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};
    let folder = Folder::new();
    let made = Command::new("mkfifo").arg(folder.path().join("a.usi")).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    folder.write("b.usi", LIST);
    let mut child = folder
        .command(&["a.usi", "b.usi", "--to", "csa"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Opening waits for a reader; the program then reads until this is closed.
    let mut input = fs::OpenOptions::new().write(true).open(folder.path().join("a.usi")).unwrap();
    input.write_all(LIST.as_bytes()).unwrap();
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "stopping after this file; Ctrl-C again stops in it");
    drop(input);
    let rest: Vec<_> = lines.collect();
    assert_eq!(
        rest,
        ["converted 2 games of 1 file (usi utf-8 1)", "error: interrupted; 1 file left"]
    );
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(folder.files(""), ["a.csa", "a.usi", "b.usi"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_nothing_comes_from_standard_input_breaks_no_file() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;
    let folder = Folder::new();
    for arguments in [&["-", "--to", "csa"][..], &["-", "--from", "usi", "--to", "csa"]] {
        // The output of the first file shows that the program listens for signals.
        folder.write("first.usi", LIST);
        let mut all = vec!["first.usi", "--force", "-v"];
        all.extend(arguments);
        let mut child = folder
            .command(&all)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.next().unwrap().starts_with("first.usi: usi in utf-8, 2 games"));
        let process = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
        let printed: Vec<String> = lines.collect();
        assert_eq!(printed.last().unwrap(), "error: interrupted; 1 file left", "{printed:?}");
        assert!(!printed.iter().any(|line| line.contains("broken")), "{printed:?}");
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_in_standard_input_and_leaves_no_draft() {
    use std::io::{Read as _, Write as _};
    use std::process::Stdio;
    let folder = Folder::new();
    let mut child = folder
        .command(&["-", "--to", "usi", "-o", "out"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The input is larger than a pipe: once it is written, the program has begun to read and waits for the end.
    let mut input = child.stdin.take().unwrap();
    input.write_all(LIST.repeat((1 << 20) / LIST.len()).as_bytes()).unwrap();
    let process = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let mut printed = String::new();
    child.stderr.take().unwrap().read_to_string(&mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{printed}");
    assert!(printed.ends_with("error: interrupted; 1 file left\n"), "{printed}");
    assert_eq!(folder.files(""), Vec::<String>::new());
    drop(input);
}

#[test]
fn inputs_with_the_same_name_get_numbers() {
    let folder = Folder::new();
    folder.write("a/game.csa", GAME);
    folder.write("b/game.csa", GAME);
    folder.write("b/game.usi", LIST);
    let arguments = ["a", "b", "--to", "csa3", "-o", "out"];
    folder.convert(&arguments).exits(0).reports("converted 4 games of 3 files");
    let names = ["out/game.csa", "out/game_2.csa", "out/game_3.csa"];
    assert_eq!(folder.files("")[3..], names);
    // A second run gives the same names, which exist already.
    let again = folder.convert(&arguments);
    again.exits(1).reports("a/game.csa: out/game.csa exists already");
    again.reports("b/game.usi: out/game_3.csa exists already");
    assert!(!again.stderr.contains("lost"), "{}", again.stderr);
}

#[test]
fn texts_that_are_records_are_taken_from_folders_and_others_are_counted() {
    let folder = Folder::new();
    folder.write("in/old.txt", GAME);
    folder.write("in/letter.txt", "Dear friend,\nthe game was lost.\n");
    folder.write("in/picture.png", [0x89, b'P']);
    let done = folder.convert(&["in", "--to", "usi", "-o", "out"]);
    done.exits(0).reports("2 files in the folders ignored: without the extension of a record, ");
    assert_eq!(folder.files("out"), ["old.usi"]);
}

#[test]
fn the_encoding_of_a_broken_file_is_named() {
    let folder = Folder::new();
    // 先手 in Shift_JIS, and a board of one rank.
    folder.write("bad.kif", b"\x90\xe6\x8e\xe8\x81F\x82\xa0\n|1|\n");
    let done = folder.convert(&["bad.kif", "--to", "csa", "-v"]);
    done.exits(1).reports("bad.kif: kif in shift_jis, 0 games");
}
