//! `kyomi check` with a server that the test plays, and its rehearsal.

use std::process::Stdio;

use super::support::{Running, Server, script_engine};
use crate::common::connection::Desk;
use crate::common::folder::Folder;

const RANDOM: &str = "kind = \"random\"";

fn start(folder: &Folder, config: &str, more: &[&str]) -> Running {
    folder.write("kyomi.toml", config);
    let mut command = folder.kyomi(&["check", "--config", "kyomi.toml"]);
    command.args(more).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running(command.spawn().unwrap())
}

/// The line of this check.
#[track_caller]
fn line<'a>(stdout: &'a str, start: &str) -> &'a str {
    stdout.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{stdout}"))
}

#[test]
fn a_login_that_would_wait_for_a_pairing_is_extended() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let config = desk.config(0, RANDOM).replace("wcsc", "floodgate");
    let config = config.replace("\"secret\"", "\"secret\"\ngame = \"floodgate-300-10F\"");
    let running = start(&folder, &config, &[]);
    let mut peer = desk.accept();
    assert_eq!(peer.line(), "LOGIN kyomi secret x1");
    peer.send("LOGIN:kyomi OK\n##[LOGIN] +OK x1");
    // Empty lines without pauses: only because this server is on the same machine.
    let mut lines = 0;
    loop {
        match peer.line_or_end().as_deref() {
            Some("") => {
                lines += 1;
                peer.send("");
            }
            Some("LOGOUT") => break,
            other => panic!("{other:?}"),
        }
    }
    peer.send("LOGOUT:completed");
    assert!(peer.is_gone() && lines >= 1);
    drop(desk);
    let finished = running.finish().exited(0);
    let login = line(&finished.stdout, "login: ok: ");
    assert!(login.contains("extended mode") && login.contains("300 s and 10 s more"), "{login}");
    line(&finished.stdout, "round trip: ok: ");
    assert!(line(&finished.stdout, "server: ok: ").contains("as configured"));
    assert!(!finished.stdout.contains("secret") && !folder.log().contains("secret"));
}

#[test]
fn a_server_without_extended_mode_gets_the_configured_login() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let running = start(&folder, &desk.config(0, RANDOM).replace("wcsc", "reference"), &[]);
    let mut peer = desk.accept();
    assert_eq!(peer.line(), "LOGIN kyomi secret x1");
    peer.send("LOGIN:incorrect");
    assert!(peer.is_gone());
    let mut peer = desk.welcome();
    while peer.line_or_end().is_some_and(|line| line != "LOGOUT") {
        peer.send("");
    }
    drop((peer, desk));
    let finished = running.finish().exited(0);
    assert!(line(&finished.stdout, "login: ok: ").contains("in plain mode"));
}

#[test]
fn an_offer_is_rejected() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let running = start(&folder, &desk.config(0, RANDOM), &["--json"]);
    let mut peer = desk.welcome();
    peer.offer("g1", '+', &[], "");
    // In either order: the offer may arrive before or after the login is over.
    let mut lines = Vec::new();
    while !lines.contains(&"REJECT g1".to_owned()) {
        lines.push(peer.line());
        assert!(!lines.last().unwrap().starts_with("AGREE"), "{lines:?}");
    }
    assert_eq!(peer.line(), "LOGOUT");
    peer.send("LOGOUT:completed");
    drop((peer, desk));
    let finished = running.finish().exited(0);
    let report: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let offered =
        checks.iter().find(|check| check["verdict"] == "warning" && check["what"] == "login");
    assert!(offered.unwrap()["remedy"].as_str().unwrap().contains("kyomi play"), "{report}");
}

#[test]
fn a_refused_login_and_an_error_after_the_login_fail() {
    for (answer, words) in [
        ("LOGIN:incorrect rate_limited", "refuses the login of kyomi in plain mode (rate_limited)"),
        ("LOGIN:kyomi OK\n##[ERROR] the server is shutting down", "the server says: the server is"),
    ] {
        let (folder, desk) = (Folder::new(), Desk::open());
        let running = start(&folder, &desk.config(0, RANDOM), &[]);
        let mut peer = desk.accept();
        assert_eq!(peer.line(), "LOGIN kyomi secret");
        peer.send(answer);
        drop((peer, desk));
        let finished = running.finish().exited(1);
        let login = line(&finished.stdout, "login: failed: ");
        assert!(login.contains(words) && login.contains("remedy: "), "{login}");
    }
}

#[test]
fn a_running_client_is_not_thrown_out() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let config = desk.config(0, RANDOM);
    let client = folder.play(&config);
    let mut peer = desk.welcome();
    folder.await_log("logged in");
    let checking = start(&folder, &config, &[]);
    // The check connects and leaves again.
    assert!(desk.accept().is_gone());
    let finished = checking.finish().exited(0);
    assert!(line(&finished.stdout, "login: warning: not tried").contains("is running"));
    client.signal("TERM");
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    client.finish().exited(0);
}

#[test]
fn a_running_client_with_another_login_hinders_no_check() {
    let (folder, desk, other) = (Folder::new(), Desk::open(), Desk::open());
    let client = folder.play(&desk.config(0, RANDOM));
    let mut peer = desk.welcome();
    folder.await_log("logged in");
    let checking = start(&folder, &other.config(0, RANDOM), &[]);
    let mut checked = other.accept();
    assert_eq!(checked.line(), "LOGIN kyomi secret");
    checked.send("LOGIN:incorrect");
    drop(checked);
    let finished = checking.finish().exited(1);
    let warning = line(&finished.stdout, "control: warning: another client");
    assert!(warning.contains(&format!("kyomi on 127.0.0.1:{}", desk.port())), "{warning}");
    client.signal("TERM");
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    client.finish().exited(0);
}

#[test]
fn usi_engines_are_timed_and_their_options_compared() {
    let folder = Folder::new();
    let engine =
        script_engine("go*) echo info depth 3 nodes 12345 nps 54321; echo bestmove 7g7f;;")
            .replace(
                "echo usiok",
                "echo option name Threads type spin default 1 min 1 max 8; echo usiok",
            );
    let config =
        format!("[engine]\n{engine}\n[engine.options]\nThread = 2\n[control]\nsocket = \"\"\n");
    let finished = start(&folder, &config, &[]).finish().exited(0);
    let ready = line(&finished.stdout, "engine: ok: ");
    assert!(ready.contains("usiok after ") && ready.contains("readyok "), "{ready}");
    let warning = line(&finished.stdout, "engine: warning: ");
    assert!(warning.contains("no option Thread;") && warning.ends_with("did you mean Threads?"));
    assert!(line(&finished.stdout, "search: ok: ").contains("depth 3, 7g7f"));
}

#[test]
fn a_configuration_with_a_password_that_others_can_read_is_warned_about() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, other) = (Folder::new(), Folder::new());
    let server = Server::start(&other, &[]);
    let port = server.address.rsplit_once(':').unwrap().1;
    let config = format!(
        "[server]\nhost = \"127.0.0.1\"\nport = {port}\npassword = \"hunter2\"\n[engine]\n{RANDOM}\n"
    );
    folder.write("kyomi.toml", &config);
    let path = folder.path().join("kyomi.toml");
    for (mode, warned) in [(0o644, true), (0o600, false)] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let finished = folder.run(&["check", "--config", "kyomi.toml"]).exited(0);
        assert_eq!(
            finished.stdout.contains("(mode 644); remedy: `chmod 600 kyomi.toml` keeps"),
            warned,
            "{}",
            finished.stdout
        );
        assert!(finished.stdout.contains("\nlogin: ok: kyomi is let in"), "{}", finished.stdout);
        assert!(!finished.stdout.contains("hunter2"), "{}", finished.stdout);
    }
    // The same warning at the start of a run.
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let arguments = ["play", "--config", "kyomi.toml", "--games", "1", "--set", "server.port=1"];
    let finished = folder.run(&arguments).exited(1);
    assert!(finished.stderr.contains("`chmod 600 kyomi.toml`"), "{}", finished.stderr);
}

#[test]
fn a_rehearsal_plays_a_game_and_reads_its_record() {
    let folder = Folder::new();
    let config = format!(
        "[time]\ntotal = \"1s\"\n[engine]\n{RANDOM}\n[opponent]\nname = \"other\"\n{RANDOM}\n"
    );
    let finished = start(&folder, &config, &["--rehearse"]).finish().exited(0);
    assert!(line(&finished.stdout, "rehearsal: ok: ").contains(" moves in "));
    assert!(line(&finished.stdout, "answers: ok: ").contains("slowest"));
    let record = line(&finished.stdout, "record: ok: ");
    assert!(record.contains("logs/games/rehearsal/") && record.contains("holds all"), "{record}");
    assert!(folder.games(".csa").is_empty(), "the records of games are left alone");
}

#[test]
fn a_rehearsal_on_the_server_asks_its_practice_opponent() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let engine = script_engine("go*) echo bestmove 7g7f;;");
    let running = start(&folder, &desk.config(0, &engine), &["--rehearse", "server"]);
    let mut peer = desk.welcome();
    while peer.line_or_end().is_some_and(|line| line != "LOGOUT") {
        peer.send("");
    }
    drop(peer);
    let mut peer = desk.welcome();
    assert_eq!(peer.line(), "CHALLENGE");
    peer.send("CHALLENGE ACCEPTED");
    peer.begin("practice", '+');
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T1\n%TORYO,T1\n#RESIGN\n#WIN");
    assert_eq!(peer.line(), "LOGOUT");
    peer.send("LOGOUT:completed");
    drop(peer);
    let finished = running.finish().exited(0);
    assert!(line(&finished.stdout, "rehearsal: ok: ").contains("1 moves"), "{}", finished.stdout);
    assert!(line(&finished.stdout, "record: ok: ").contains("holds all 1 moves"));
}

#[test]
fn a_rehearsal_without_a_practice_opponent_says_so() {
    let folder = Folder::new();
    let config = format!("[engine]\n{RANDOM}\n");
    let finished = start(&folder, &config, &["--rehearse", "server"]).finish().exited(1);
    assert!(line(&finished.stdout, "rehearsal: failed: ").contains("names no server"));
}
