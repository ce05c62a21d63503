//! The password and the token of a game reach nobody but the server.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use super::support::{Running, script_engine};
use crate::common::connection::Desk;
use crate::common::folder::Folder;

const PASSWORD: &str = "hunter2-Zq9";
const TOKENS: [&str; 2] = ["00ff00ff00ff", "11ee11ee11ee"];

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .flat_map(|entry| {
            let kind = entry.file_type().unwrap();
            match (kind.is_dir(), kind.is_file()) {
                (true, _) => files(&entry.path()),
                (_, true) => vec![entry.path()],
                _ => Vec::new(),
            }
        })
        .collect()
}

#[track_caller]
fn assert_clean(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for secret in [PASSWORD, TOKENS[0], TOKENS[1]] {
        assert!(!text.contains(secret), "{what} contains {secret}:\n{text}");
    }
}

/// Plays a game that is cut and resumed, at the most talkative level of the log.
fn play(how_the_password_is_given: &str) {
    let (folder, desk) = (Folder::new(), Desk::open());
    // The engine writes down what it can see of its environment.
    let engine = script_engine(
        "usinewgame) env > seen.environment; cat /proc/$PPID/cmdline > seen.command; set -- 7g7f 2g2f;; \
         go*) echo info depth 1 pv $1; echo bestmove $1; shift;;",
    );
    let config = desk.config(1, &engine).replace("wcsc", "rshogi") + "[log]\nlevel = \"trace\"\n";
    let (line, password_line) = match how_the_password_is_given {
        "in the configuration" => (format!("password = \"{PASSWORD}\""), true),
        "in a file" => ("password_file = \"password.txt\"".to_owned(), true),
        _ => (String::new(), false),
    };
    let config = config.replace("password = \"secret\"", &line);
    folder.write("kyomi.toml", &config);
    folder.write("password.txt", format!("{PASSWORD}\n"));
    let arguments = ["play", "--config", "kyomi.toml", "--events", "events.jsonl"];
    let mut command = folder.kyomi(&arguments);
    if !password_line {
        command.env("KYOMI_SERVER_PASSWORD", PASSWORD);
    }
    let running = Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());

    let mut peer = desk.accept();
    assert_eq!(peer.line(), format!("LOGIN kyomi {PASSWORD}"));
    peer.send("LOGIN:kyomi OK");
    peer.continue_with("g1", '+', &[], &format!("Reconnect_Token:{}\n", TOKENS[0]));
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T1");
    folder.await_log("ply=1");
    // While the game runs: its journal, the offer beside it, the status line.
    for path in folder.games("") {
        let bytes = fs::read(&path).unwrap();
        if path.extension().is_some_and(|extension| extension == "offer") {
            // The next start needs the token; nobody else can read the file.
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            assert!(!String::from_utf8_lossy(&bytes).contains(PASSWORD));
        } else {
            assert_clean(&path.display().to_string(), &bytes);
        }
    }
    let mut status = folder.kyomi(&["status", "--config", "kyomi.toml"]);
    let status = status.env("KYOMI_SERVER_PASSWORD", PASSWORD).output().unwrap();
    assert!(status.status.success());
    assert_clean("the status line", &status.stdout);
    drop(peer);

    let login = format!("LOGIN kyomi {PASSWORD} reconnect:g1+{}", TOKENS[0]);
    let mut peer = desk.accept();
    assert_eq!(peer.line(), login);
    peer.send("LOGIN:incorrect reconnect_rejected");
    let mut peer = desk.accept();
    assert_eq!(peer.line(), login);
    peer.send("LOGIN:kyomi OK");
    let token = format!("Reconnect_Token:{}\n", TOKENS[1]);
    peer.offer("g1", '+', &["+7776FU,T1", "-3334FU,T1"], &token);
    peer.send("BEGIN Reconnect_State\nCurrent_Turn:+\nBlack_Time_Remaining_Ms:599000");
    peer.send("White_Time_Remaining_Ms:599000\nLast_Move:-3334FU\nEND Reconnect_State");
    assert_eq!(peer.line(), "+2726FU");
    peer.send("+2726FU,T1\n%TORYO,T1\n#RESIGN\n#WIN");
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);

    let output = running.0.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{how_the_password_is_given}");
    assert_clean("standard output", &output.stdout);
    assert_clean("standard error", &output.stderr);
    let mut seen = Vec::new();
    for path in files(folder.path()) {
        let name = path.strip_prefix(folder.path()).unwrap().display().to_string();
        if name != "kyomi.toml" && name != "password.txt" {
            assert_clean(&name, &fs::read(&path).unwrap());
            seen.push(name);
        }
    }
    for expected in ["seen.environment", "seen.command", "events.jsonl", ".log", ".csa"] {
        assert!(seen.iter().any(|name| name.ends_with(expected)), "no {expected} in {seen:?}");
    }
    let log = folder.log();
    assert!(log.contains("LOGIN kyomi ***") && log.contains("Reconnect_Token:***"), "{log}");
}

#[test]
fn password_and_token_reach_no_output() {
    for how in ["in the configuration", "in a file", "in the environment"] {
        play(how);
    }
}
