//! The real program with little memory and very much input.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Address space of the program, in KiB: code, stacks and malloc's arenas take a third of it.
const SPACE: u32 = 400_000;
const GIB: u64 = 1 << 30;

/// A shell runs this with a bounded address space; `$KYOMI` is the program.
fn bounded(script: &str) -> Output {
    let output = Command::new("sh")
        .args(["-c", &format!("ulimit -v {SPACE}; {script}")])
        .env("KYOMI", env!("CARGO_BIN_EXE_kyomi"))
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .output();
    output.unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A file of so many zeros that takes no room on the disk.
fn sparse(name: &str, length: u64) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    File::create(&path).unwrap().set_len(length).unwrap();
    path
}

#[test]
fn a_usi_line_of_a_gib_is_passed_over() {
    let output = bounded(&format!(
        "(printf 'position startpos moves '; head -c {GIB} /dev/zero; printf '\\ngo\\nusi\\nquit\\n') | $KYOMI usi"
    ));
    let said = said(&output);
    let first: Vec<&str> = said.lines().take(3).collect();
    // What it was may have been a position: the one before is none to play in.
    assert_eq!(
        first,
        [
            "info string a line of more than 1 MiB is passed over",
            "info string no position to play in",
            "bestmove resign",
        ]
    );
    assert!(said.ends_with("usiok\n"), "{said}");
}

/// Lines wait in the pipe, not in memory, while others are obeyed.
#[test]
fn a_flood_of_usi_lines_is_obeyed_in_bounded_memory() {
    let line = format!("position startpos moves{}", " 2h3h 8b7b 3h2h 7b8b".repeat(40));
    let output =
        bounded(&format!("(yes '{line}' | head -n 8000; echo usi; echo quit) | $KYOMI usi"));
    assert!(output.status.success(), "{output:?}");
    assert!(said(&output).starts_with("id name kyomi"), "{}", said(&output));
}

#[test]
fn a_configuration_of_a_gib_is_refused_unread() {
    let path = sparse("hostile-1GiB.toml", GIB);
    let output = bounded(&format!("exec $KYOMI check --config '{}'", path.display()));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("larger than 1 MiB"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

/// Refused before they are read; what can be read line by line is, up to the longest line.
#[test]
fn records_of_a_gib_are_refused_in_bounded_memory() {
    for extension in ["csa", "kif", "ki2", "jkf", "usi", "sfen"] {
        let path = sparse(&format!("hostile-1GiB.{extension}"), GIB);
        let output = bounded(&format!(
            "exec $KYOMI convert '{}' --from {extension} --to csa3 -o -",
            path.display()
        ));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(output.status.code(), Some(1), "{extension}: {output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("MiB"), "{extension}: {said}");
        assert!(said.len() < 2_000, "{extension}: {said}");
    }
}
