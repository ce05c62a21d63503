//! The program's messages and exit codes for wrong input and for errors of the system.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

mod common;
#[path = "common/help.rs"]
mod help;

use std::{
    fs,
    io::Read,
    net::TcpListener,
    path::Path,
    process::{Output, Stdio},
};

use common::folder::Folder;
use expect_test::expect_file;

impl Folder {
    fn run(&self, arguments: &[&str]) -> Output {
        self.kyomi(arguments).output().unwrap()
    }
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The one error line. Standard error contains nothing else except lines of the log.
#[track_caller]
fn error_line(output: &Output, code: i32) -> String {
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(!text.contains("panicked"), "{text}");
    let errors: Vec<_> = text.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 1, "{text}");
    assert_eq!(text.lines().last(), Some(errors[0]), "{text}");
    assert_eq!(output.status.code(), Some(code), "{text}");
    errors[0].to_owned()
}

/// Runs with this configuration and expects an error of the user's input.
#[track_caller]
fn refused(config: &str) -> String {
    let folder = Folder::new();
    folder.write("my.toml", config);
    error_line(&folder.run(&["play", "--config", "my.toml"]), 2)
}

#[test]
fn an_unknown_key_is_named_with_file_line_and_the_right_one() {
    assert_eq!(
        refused("[server]\nhost = \"x\"\nprot = 1\n"),
        "error: my.toml:3: server.prot: unknown key; did you mean `port`?"
    );
}

#[test]
fn a_wrong_type_names_the_expected_one() {
    assert_eq!(
        refused("games = \"two\"\n"),
        "error: my.toml:1: games: expected a whole number, found a text"
    );
}

#[test]
fn wrong_values_are_reported_together_on_one_line() {
    let line = refused("games = -1\n[log]\nlevel = \"loud\"\n");
    assert!(line.contains("my.toml:1: games: -1 is out of range"), "{line}");
    assert!(line.contains("my.toml:3: log.level: \"loud\" is unknown"), "{line}");
}

#[test]
fn a_syntax_error_is_reported_with_its_line() {
    assert!(refused("games = 1\n[time\n").starts_with("error: my.toml:2: "));
}

#[test]
fn a_missing_file_is_reported() {
    let folder = Folder::new();
    for command in ["play", "serve", "check", "usi"] {
        let line = error_line(&folder.run(&[command, "--config", "nowhere.toml"]), 2);
        assert!(line.starts_with("error: reading nowhere.toml: "), "{line}");
        assert!(line.contains("; hint: "), "{line}");
    }
}

#[test]
fn a_folder_is_not_a_file() {
    let folder = Folder::new();
    let line = error_line(&folder.run(&["play", "--config", "."]), 2);
    assert!(line.starts_with("error: reading .: "), "{line}");
}

#[test]
fn wrong_arguments_are_one_line_too() {
    let folder = Folder::new();
    let wrong: [&[&str]; 8] = [
        &[],
        &["pley"],
        &["play", "--colour"],
        &["play", "--time", "fast"],
        &["play", "--time", "0"],
        &["play", "--games", "-1"],
        &["play", "--set", "engine.threads"],
        &["play", "--view", "loud"],
    ];
    for arguments in wrong {
        error_line(&folder.run(arguments), 2);
    }
}

#[test]
fn a_bad_position_or_depth_is_an_error_of_the_user() {
    let folder = Folder::new();
    for (sfen, depth) in [
        ("startpos", "deep"),
        ("startpos", "-1"),
        ("startpos", "99999999999"),
        ("", "1"),
        ("nonsense", "1"),
        ("9/9/9/9/9/9/9/9/9/9 b - 1", "1"),
        ("\u{1b}[2J", "1"),
    ] {
        let line = error_line(&folder.run(&["perft", sfen, depth]), 2);
        assert!(!line.contains('\u{1b}'), "{line:?}");
    }
    error_line(&folder.run(&["perft", "--suite", "nowhere.csv"]), 2);
}

#[test]
fn the_password_is_never_shown() {
    let folder = Folder::new();
    for (n, config) in [
        "[server]\npassword = hunter2\n",
        "[server]\npassword = \"hunter2\n",
        "[server]\npassword = \"hunter2\"\nport = 0\n",
        "[server]\npassword = \"hunter2 hunter2\"\n",
        "password = \"hunter2\"\n",
        "[server]\npassword = \"x\"\ngame = \"floodgate-300-10F,hunter2\"\n",
        "[server]\npassword_file = \"hunter2\"\n",
        "[server]\nhost = \"127.0.0.1\"\nport = 1\npassword = \"hunter2\"\n[log]\nlevel = \"trace\"\n",
    ]
    .into_iter()
    .enumerate()
    {
        folder.write("my.toml", config);
        let output = folder.run(&["check", "--config", "my.toml"]);
        let printed = format!("{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
        assert!(!printed.contains("hunter2"), "{n}: {printed}");
        assert!(matches!(output.status.code(), Some(1 | 2)), "{n}: {printed}");
    }
    for arguments in [
        ["--set", "server.password:hunter2"],
        ["--set", "hunter2"],
        ["--set", "server.game=floodgate-300-10F,hunter2"],
        ["--set", "server.name=kyomi floodgate-300-10F,hunter2"],
        ["--set", "server.password_file=hunter2"],
    ] {
        let line = error_line(&folder.kyomi(&["check"]).args(arguments).output().unwrap(), 2);
        assert!(!line.contains("hunter2"), "{line}");
    }
    for entry in fs::read_dir(folder.path().join("logs")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            assert!(!fs::read_to_string(&path).unwrap().contains("hunter2"), "{}", path.display());
        }
    }
}

#[test]
fn a_password_under_the_wrong_key_gets_a_hint() {
    assert_eq!(
        refused("[server]\npassword = \"x\"\ngame = \"floodgate-300-10F,mytrip\"\n"),
        "error: my.toml:3: server.game: write \"floodgate-300-10F\" alone; \
         what follows the comma belongs in password"
    );
    let line = refused("[server]\npassword_file = \"hunter2\"\n");
    assert!(line.ends_with("; a password itself belongs into password"), "{line}");
}

#[test]
fn a_log_folder_that_cannot_be_created_is_one_clear_error() {
    let folder = Folder::new();
    folder.write("file", "");
    for command in ["play", "serve", "check"] {
        let line = error_line(&folder.run(&[command, "--set", "log.dir=file/logs"]), 1);
        assert!(line.contains("file/logs") && line.contains("log.dir"), "{line}");
    }
}

#[test]
fn a_wrong_engine_path_is_named() {
    let folder = Folder::new();
    let arguments = ["--set", "engine.kind=usi", "--set", "engine.path=engines/nowhere"];
    let line = error_line(&folder.kyomi(&["play"]).args(arguments).output().unwrap(), 1);
    assert!(line.contains("engines/nowhere"), "{line}");
    let output = folder.kyomi(&["check"]).args(arguments).output().unwrap();
    error_line(&output, 1);
    assert!(stdout(&output).contains("engines/nowhere"), "{}", stdout(&output));
}

#[test]
fn check_names_a_server_that_does_not_answer() {
    // A port that was free a moment ago and has no listener.
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let folder = Folder::new();
    let port = format!("server.port={port}");
    let output = folder
        .kyomi(&["check", "--set", "server.host=127.0.0.1", "--set", &port])
        .args(["--set", "server.password=x", "--set", "engine.kind=random"])
        .output()
        .unwrap();
    error_line(&output, 1);
    assert!(stdout(&output).contains("127.0.0.1"), "{}", stdout(&output));
}

#[test]
fn a_busy_port_is_one_clear_error() {
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = Folder::new();
    let address = format!("listen.address={}", busy.local_addr().unwrap());
    let line = error_line(&folder.run(&["serve", "--set", &address]), 1);
    assert!(line.contains(&busy.local_addr().unwrap().to_string()), "{line}");
}

#[test]
fn an_unknown_kyomi_variable_is_a_warning() {
    let folder = Folder::new();
    let output = folder
        .kyomi(&["play", "--config", "nowhere.toml"])
        .env("KYOMI_ENGINE_THREAD", "2")
        .output()
        .unwrap();
    error_line(&output, 2);
    folder.write("file", "");
    let output = folder
        .kyomi(&["play", "--set", "log.dir=file/logs"])
        .env("KYOMI_ENGINE_THREAD", "2")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        text.starts_with("warning: unknown environment variable KYOMI_ENGINE_THREAD"),
        "{text}"
    );
}

#[test]
fn a_closed_reader_ends_a_command_quietly() {
    let folder = Folder::new();
    let mut child = folder
        .kyomi(&["perft", "startpos", "3", "--divide"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut printed = String::new();
    child.stderr.take().unwrap().read_to_string(&mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{printed}");
    assert_eq!(printed, "");
}

/// The arguments of a short game.
const RANDOM_GAME: [&str; 5] =
    ["play", "--set", "engine.kind=random", "--set", "rules.max_moves=40"];

#[test]
fn a_game_for_a_program_is_a_line_for_each_move_and_three_at_the_end() {
    let folder = Folder::new();
    let output = folder.run(&RANDOM_GAME);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<_> = text.lines().collect();
    let (moves, end) = lines.split_at(lines.len() - 3);
    for (index, line) in moves.iter().enumerate() {
        let words: Vec<_> = line.split(' ').collect();
        assert_eq!(words.len(), 6, "{line}");
        assert_eq!(words[0], (index + 1).to_string());
        assert!(words[1].starts_with(if index % 2 == 0 { '+' } else { '-' }), "{line}");
    }
    let result = end[0].strip_prefix("result: ").unwrap();
    assert!(["black", "white", "draw", "none"].contains(&result), "{result}");
    assert!(end[1].starts_with("reason: %"), "{}", end[1]);
    let record = end[2].strip_prefix("record: ").unwrap();
    assert!(folder.path().join(record).is_file(), "{record}");
}

#[test]
fn a_game_continues_when_its_reader_is_closed() {
    let folder = Folder::new();
    let mut child =
        folder.kyomi(&RANDOM_GAME).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut printed = String::new();
    child.stderr.take().unwrap().read_to_string(&mut printed).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{printed}");
    assert_eq!(printed, "");
    let records = fs::read_dir(folder.path().join("logs/games")).unwrap();
    assert_eq!(records.count(), 1);
}

#[test]
fn help_and_version_are_output() {
    let folder = Folder::new();
    let version = folder.run(&["--version"]);
    assert_eq!(version.status.code(), Some(0));
    assert_eq!(stdout(&version), format!("kyomi {}\n", env!("CARGO_PKG_VERSION")));
    for command in commands() {
        let help = folder.run(&[&command.0, "--help"]);
        assert_eq!(help.status.code(), Some(0));
        assert!(stdout(&help).contains("Usage: kyomi"), "{}", stdout(&help));
    }
}

/// The name and the description of each command in `kyomi --help`.
fn commands() -> Vec<(String, String)> {
    let help = stdout(&Folder::new().run(&["--help"]));
    help.lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.trim().split_once(' '))
        .map(|(name, about)| (name.to_owned(), about.trim().to_owned()))
        .filter(|(name, _)| name != "help")
        .collect()
}

#[test]
fn the_readme_has_the_commands_of_the_help() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let table: Vec<_> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `kyomi "))
        .filter_map(|line| line.strip_suffix(" |")?.split_once("` | "))
        .map(|(name, about)| (name.to_owned(), about.to_owned()))
        .collect();
    assert_eq!(table, commands());
}

#[test]
fn every_command_has_a_manual_page_and_completions() {
    let folder = Folder::new();
    let (pages, _) = folder.run_with_code(&["man", "--out", "man1"], 0);
    assert!(pages.ends_with("pages written to man1\n"), "{pages}");
    for (name, about) in commands() {
        let page = fs::read_to_string(folder.path().join(format!("man1/kyomi-{name}.1"))).unwrap();
        let start = about.split_whitespace().next().unwrap();
        assert!(page.contains(&format!(".TH KYOMI-{} 1", name.to_uppercase())), "{page}");
        assert!(page.contains(start), "{name}: {page}");
    }
    assert_eq!(folder.run_with_code(&["man", "play"], 0).0, {
        fs::read_to_string(folder.path().join("man1/kyomi-play.1")).unwrap()
    });
    folder.run_with_code(&["man", "fly"], 2);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (script, _) = folder.run_with_code(&["completions", shell], 0);
        for (name, _) in commands() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
    }
    folder.run_with_code(&["completions", "csh"], 2);
}

#[test]
fn old_logs_are_removed_and_other_files_stay() {
    let folder = Folder::new();
    for name in ["kyomi.2001-01-01.log", "kyomi.2001-01-02.2.log", "notes.txt"] {
        folder.write(format!("logs/{name}"), "old");
    }
    folder.write("my.toml", "[engine]\nkind = \"random\"\n[rules]\nmax_moves = 4\n");
    folder.run_with_code(&["play", "--config", "my.toml"], 0);
    let names = fs::read_dir(folder.path().join("logs")).unwrap();
    let names: Vec<_> =
        names.map(|name| name.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!names.iter().any(|name| name.starts_with("kyomi.2001")), "{names:?}");
    assert!(names.contains(&"notes.txt".to_owned()), "{names:?}");
}

#[test]
fn what_moved_to_the_lab_says_where_it_is() {
    let folder = Folder::new();
    for (args, place) in [
        (["lab", "selfplay", "--games", "3"].as_slice(), "`kyomi lab` is now `kyomi-lab`"),
        (&["train", "eval", "games.tsv"], "`kyomi train` is now `kyomi-lab train`"),
        (&["train"], "`cargo run --release -p kyomi-lab -- train`"),
    ] {
        let line = error_line(&folder.run(args), 2);
        assert!(line.contains(place), "{line}");
    }
}

#[test]
fn the_page_of_commands_is_their_help() {
    let page = help::page("Commands of kyomi");
    expect_file!["../docs/commands.md"].assert_eq(&page);
}

#[test]
fn the_readmes_test_command_is_what_ci_runs() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let block = readme.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let commands: Vec<_> = block.lines().collect();
    assert_eq!(commands, ["cargo run --release -- play", "cargo test --workspace"]);
    let ci = fs::read_to_string(repository().join(".ci/run")).unwrap();
    assert!(ci.lines().any(|line| line == format!("step {}", commands[1])));
}

#[test]
fn every_test_that_the_security_page_names_exists() {
    fn sources(folder: &Path, into: &mut String) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                into.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    let mut code = String::new();
    for folder in ["src", "tests", "crates"] {
        sources(&repository().join(folder), &mut code);
    }
    let page = fs::read_to_string(repository().join("docs/security.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| ") && line.contains("| `"));
    let mut number = 0;
    for name in rows.flat_map(|row| row.rsplit("| ").next().unwrap().split('`').skip(1).step_by(2))
    {
        let at = code.find(&format!("fn {name}("));
        let mut before = at.map_or("", |at| &code[..at]).lines().rev().take(4);
        assert!(before.any(|line| line.contains("#[") && line.contains("test")), "{name}");
        number += 1;
    }
    assert!(number > 30, "{number} tests");
}

#[test]
fn every_file_that_the_readme_names_exists() {
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(repository().join(link).exists(), "{link}");
    }
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[cfg(not(feature = "cluster"))]
#[test]
fn a_build_without_cluster_says_so() {
    let folder = Folder::new();
    let line = error_line(&folder.run(&["worker", "nats://broker"]), 2);
    assert!(
        line.contains("built without `cluster`") && line.contains("--features cluster"),
        "{line}"
    );
    let check = ["check", "--set", "cluster.servers=nats://broker", "--set", "engine.hash=1MiB"];
    let output = stdout(&folder.run(&check));
    assert!(
        output.contains("config: warning: ") && output.contains("[cluster] has no effect"),
        "{output}"
    );
}
