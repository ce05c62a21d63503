//! The program with little memory and very large inputs.

use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use kyomi_record::{Encoding, Format, Omissions, RecordMove};

/// The address space of the program in KiB, enough for code, stacks and the largest file that is read as a whole.
const SPACE: u32 = 400_000;
/// The same for inputs that are read line by line or row by row. The program itself takes 36,000, with the cluster
/// 8,000 more.
const LITTLE: u32 = if cfg!(feature = "cluster") { 56_000 } else { 48_000 };
const GIB: u64 = 1 << 30;

/// A shell runs this with a limit of address space in KiB; `$KYOMI` is the program.
fn in_space(kib: u32, script: &str) -> Child {
    Command::new("sh")
        .args(["-c", &format!("ulimit -v {kib}; {script}")])
        .env("KYOMI", env!("CARGO_BIN_EXE_kyomi"))
        // malloc reserves address space for each thread that is not used as memory.
        .env("MALLOC_ARENA_MAX", "1")
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn bounded(script: &str) -> Output {
    in_space(SPACE, script).wait_with_output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A sparse file with this number of zeros, which takes no space on the disk.
fn sparse(name: &str, length: u64) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    File::create(&path).unwrap().set_len(length).unwrap();
    path
}

#[test]
fn a_usi_line_of_a_gib_is_skipped() {
    let output = bounded(&format!(
        "(printf 'position startpos moves '; head -c {GIB} /dev/zero; printf '\\ngo\\nusi\\nquit\\n') | $KYOMI usi"
    ));
    let printed = printed(&output);
    let first: Vec<&str> = printed.lines().take(3).collect();
    // The skipped line may have been a position, so the position before it must not be used.
    assert_eq!(
        first,
        [
            "info string a line of more than 1 MiB is ignored",
            "bestmove none",
            "id name kyomi 0.1.0",
        ]
    );
    assert!(printed.ends_with("usiok\n"), "{printed}");
}

/// Lines wait in the pipe and not in memory while earlier ones are processed.
#[test]
fn a_flood_of_usi_lines_is_processed_in_bounded_memory() {
    let line = format!("position startpos moves{}", " 2h3h 8b7b 3h2h 7b8b".repeat(40));
    let output =
        bounded(&format!("(yes '{line}' | head -n 8000; echo usi; echo quit) | $KYOMI usi"));
    assert!(output.status.success(), "{output:?}");
    assert!(printed(&output).starts_with("id name kyomi"), "{}", printed(&output));
}

/// Each of them replaces the one before, also while that one is not begun.
#[test]
fn a_flood_of_searches_of_the_longest_game_takes_bounded_memory() {
    let line = format!("position startpos moves{}", " 2h3h 8b7b 3h2h 7b8b".repeat(2_500));
    let options = "setoption name Threads value 1\nsetoption name USI_Hash value 16";
    let flood = "yes 'go infinite' | head -n 2000";
    let end = "echo usinewgame; echo usi; echo quit";
    let output = bounded(&format!("(printf '{options}\n{line}\n'; {flood}; {end}) | $KYOMI usi"));
    assert!(output.status.success(), "{output:?}");
    assert!(printed(&output).ends_with("usiok\n"), "{}", printed(&output));
}

#[test]
fn a_configuration_of_a_gib_is_refused_unread() {
    let path = sparse("hostile-1GiB.toml", GIB);
    let output = bounded(&format!("exec $KYOMI check --config '{}'", path.display()));
    std::fs::remove_file(&path).unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("larger than 1 MiB"), "{printed}");
    assert_eq!(printed.lines().count(), 1, "{printed}");
}

/// They are refused before they are read, except inputs that can be read line by line, up to the longest line.
#[test]
fn records_of_a_gib_are_refused_in_bounded_memory() {
    for extension in ["csa", "kif", "ki2", "jkf", "usi", "sfen"] {
        let output = convert_sparse(SPACE, extension, GIB);
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(printed.contains("MiB"), "{extension}: {printed}");
        assert!(printed.len() < 2_000, "{extension}: {printed}");
    }
}

/// All rows are read, and each of them is wrong here. A GiB of rows takes ten seconds without optimisation and gives
/// the same result, so this is an eighth of it, three times the address space.
#[test]
fn broken_rows_of_128_mib_are_counted_in_bounded_memory() {
    for extension in ["psv", "hcpe"] {
        let output = convert_sparse(LITTLE, extension, GIB / 8);
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(
            printed.contains("row 1, ") && printed.contains(" more errors"),
            "{extension}: {printed}"
        );
        assert!(printed.len() < 5_000, "{extension}: {printed}");
    }
}

fn convert_sparse(kib: u32, extension: &str, length: u64) -> Output {
    let path = sparse(&format!("hostile-{length}.{extension}"), length);
    let output = in_space(
        kib,
        &format!("exec $KYOMI convert '{}' --from {extension} --to usi -o -", path.display()),
    )
    .wait_with_output()
    .unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(output.status.code(), Some(1), "{extension}: {output:?}");
    output
}

/// Converts a block that is repeated through standard input, and returns the output.
fn convert_repeated(format: Format, block: &[u8], times: usize) -> (Option<i32>, String) {
    let name = format.name();
    let mut child =
        in_space(LITTLE, &format!("exec $KYOMI convert - --from {name} --to usi -o - >/dev/null"));
    let mut input = child.stdin.take().unwrap();
    for _ in 0..times {
        // The program need not read refused input to the end.
        if input.write_all(block).is_err() {
            break;
        }
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// A game of this number of plies, in USI.
fn game(plies: usize) -> String {
    let cycle = ["2h3h", "8b7b", "3h2h", "7b8b"];
    let moves: Vec<&str> = cycle.into_iter().cycle().take(plies).collect();
    format!("startpos moves {}\n", moves.join(" "))
}

/// Valid lines: 200 MB of each list, five times the address space. Most bytes are in comments, since moves take time to
/// read. The games alone would not fit into the address space if they were kept as records.
#[test]
fn lists_of_many_games_from_standard_input_are_read_in_bounded_memory() {
    let comment = format!("# {}\n", "x".repeat(100_000));
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";
    for (format, line, lines) in [(Format::Usi, game(400), 6), (Format::Sfen, start.into(), 30)] {
        let block = line.repeat(lines) + &comment;
        let times = 200_000_000 / block.len();
        let (code, printed) = convert_repeated(format, block.as_bytes(), times);
        assert_eq!(code, Some(0), "{}: {printed}", format.name());
        let games = format!("converted {} games of 1 file", times * lines);
        assert!(printed.contains(&games), "{}: {printed}", format.name());
        if format == Format::Usi {
            assert!(times * lines * 400 * size_of::<RecordMove>() > 10 * 1024 * LITTLE as usize);
        }
    }
}

/// Valid rows, 30 MB and more, which would not fit into the address space if they were kept as records.
#[test]
fn rows_of_many_games_from_standard_input_are_read_in_bounded_memory() {
    let record = Format::Usi.read_each(game(398).as_bytes()).next().unwrap().unwrap().record;
    for format in [Format::Psv, Format::Hcpe] {
        let block = format.write(&record, Encoding::Utf8, &mut Omissions::new());
        let rows = 900_000;
        let (code, printed) = convert_repeated(format, &block, rows / 398);
        assert_eq!(code, Some(0), "{}: {printed}", format.name());
        let games = format!("converted {} games of 1 file", rows / 398);
        assert!(printed.contains(&games), "{}: {printed}", format.name());
        assert!(rows * size_of::<RecordMove>() > 1024 * LITTLE as usize);
    }
}

/// Inputs larger than any real record: the file is refused by its size, or the line is skipped.
#[test]
fn a_line_of_100_mb_from_standard_input_is_one_clear_error() {
    for (format, before, filling) in [
        (Format::Csa3, "V2.2\nPI\n+\n'", "x"),
        (Format::Kif, "*", "あ"),
        (Format::Ki2, "▲", "７六歩"),
        (Format::Jkf, "{\"header\":{\"a\":\"", "x"),
        (Format::Usi, "startpos moves ", "7g7f "),
        (Format::Sfen, "", "9/"),
    ] {
        let block = filling.repeat(1_000_000 / filling.len());
        let name = format.name();
        let mut child = in_space(
            SPACE,
            &format!("exec $KYOMI convert - --from {name} --to csa3 -o - >/dev/null"),
        );
        let mut input = child.stdin.take().unwrap();
        let _ = input.write_all(before.as_bytes());
        for _ in 0..101 {
            let _ = input.write_all(block.as_bytes());
        }
        drop(input);
        let output = child.wait_with_output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {printed}");
        // The limits of a line in a list and of a file with one game; a CSA file may have many games.
        let limit = if format == Format::Csa3 { "64 MiB" } else { "16 MiB" };
        let clear: Vec<&str> = printed.lines().filter(|line| line.contains(limit)).collect();
        assert!(clear.len() == 1 && printed.len() < 1_000, "{name}: {printed}");
    }
}
