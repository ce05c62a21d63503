//! Requests to a running client from another terminal.

use super::support::{Server, logged_in, script_engine};
use crate::common::connection::{Desk, Peer};
use crate::common::folder::Folder;

const RANDOM: &str = "kind = \"random\"";

#[test]
fn a_running_client_is_asked_paused_and_ended() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let running = folder.play(&desk.config(0, RANDOM));
    let ctl = |request: &[&str]| folder.run(&[&["ctl"], request].concat()).exited(0).stdout;
    let mut peer = desk.welcome();
    folder.await_log("logged in");
    let status = || folder.run(&["status"]).exited(0).stdout;
    while !status().contains("waiting for a game as kyomi") {}
    peer.begin("g1", '+');
    let first = peer.line();
    while !status().contains("game 1: a - b, move 1, our turn") {}
    ctl(&["pause"]);
    assert!(status().contains("; paused"));
    peer.send(&format!("{first},T1\n%TORYO\n#RESIGN\n#WIN"));
    // It leaves, and comes again when it is allowed to.
    assert_eq!(peer.line(), "LOGOUT");
    peer.send("LOGOUT:completed");
    drop(peer);
    assert!(ctl(&["resume"]).contains("begin again"));
    let mut peer = desk.welcome();
    ctl(&["games", "1"]);
    peer.begin("g2", '+');
    let first = peer.line();
    peer.send(&format!("{first},T1\n%TORYO\n#RESIGN\n#WIN"));
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), ["black", "black"]);
    assert!(!folder.path().join("logs/kyomi.sock").exists());
    let error = folder.run(&["status"]).exited(1);
    assert!(error.error().contains("no client answers"), "{}", error.stderr);
    folder.run(&["ctl", "dance"]).exited(2);
}

#[test]
fn a_game_is_suspended_when_both_sides_want_it() {
    let (served, folder) = (Folder::new(), Folder::new());
    let server = Server::start(&served, &[]);
    let (host, port) = server.address.rsplit_once(':').unwrap();
    let thinker = script_engine("stop) echo bestmove 7g7f;;");
    let running = folder.play(&format!(
        "games = 1\n[server]\nhost = \"{host}\"\nport = {port}\nname = \"kyomi\"\npassword = \"x\"\n\
         game = \"x-600-0-B\"\nprofile = \"kyomi\"\n[engine]\n{thinker}\n"
    ));
    let suspend = |folder: &Folder| folder.run(&["ctl", "suspend"]).exited(0).stdout;
    folder.await_log("logged in");
    assert!(suspend(&folder).contains("no game is running"));
    let mut other = Peer::connect(&server.address);
    other.send("LOGIN other x-600-0-W,x");
    while other.line() != "END Game_Summary" {}
    other.send("AGREE");
    assert!(other.line().starts_with("START:"));
    folder.await_log("game begins");
    assert!(suspend(&folder).contains("the opponent is asked"));
    assert!(other.line().starts_with("##[CHUDAN] kyomi proposes"));
    other.send("%CHUDAN");
    assert_eq!(other.line(), "#CHUDAN");
    let finished = running.finish().exited(0);
    assert_eq!((finished.all("result"), finished.all("reason")), (vec!["none"], vec!["%CHUDAN"]));

    // On other servers the line would lose the game.
    let (folder, _desk, running, mut peer) = logged_in(1, RANDOM);
    peer.begin("g1", '+');
    let first = peer.line();
    assert!(suspend(&folder).contains("nothing is sent"));
    peer.send(&format!("{first},T1\n%TORYO\n#RESIGN\n#WIN"));
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    running.finish().exited(0);
}

#[test]
fn the_engines_change_between_games() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let opening_with = |mv: &str| script_engine(&format!("go*) echo bestmove {mv};;"));
    let running = folder.play(&desk.config(3, &opening_with("7g7f")));
    let reload = || folder.run(&["ctl", "reload"]).exited(0).stdout;
    let game = |id: &str, first: &str, before_its_end: &dyn Fn()| {
        let mut peer = desk.welcome();
        peer.begin(id, '+');
        assert_eq!(peer.line(), first);
        before_its_end();
        peer.send(&format!("{first},T1\n%TORYO\n#RESIGN\n#WIN"));
        assert_eq!(peer.line(), "LOGOUT");
    };
    game("g1", "+7776FU", &|| {
        folder.write("kyomi.toml", desk.config(3, "kind = \"fast\""));
        let answer = reload();
        assert!(answer.starts_with("nothing is changed: kyomi.toml:9: engine.kind"), "{answer}");
        folder.write("kyomi.toml", desk.config(3, &opening_with("2g2f")));
        assert!(reload().contains("from the next game on"));
        assert!(folder.run(&["status"]).exited(0).stdout.contains("; other engines from the next"));
    });
    // An engine that cannot start leaves the one before in its place.
    game("g2", "+2726FU", &|| {
        let missing = "kind = \"usi\"\npath = \"./no-engine-here\"";
        folder.write("kyomi.toml", desk.config(3, missing));
        reload();
    });
    game("g3", "+2726FU", &|| {});
    let finished = running.finish().exited(0);
    assert!(
        folder.log().contains("the engine that played before is started again"),
        "{}",
        finished.stderr
    );
}

/// Whether this process was started with SIGHUP ignored, which its children inherit.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & 1 != 0)
}

#[test]
fn a_closed_terminal_lets_the_game_end() {
    if ignores_hangup() {
        // As under `nohup`: the client goes on ignoring it, as it should.
        eprintln!("skipped: SIGHUP is ignored here");
        return;
    }
    let (folder, _desk, running, mut peer) = logged_in(0, RANDOM);
    peer.begin("g1", '+');
    let first = peer.line();
    for _ in 0..3 {
        running.signal("HUP");
    }
    folder.await_log("SIGHUP");
    peer.send(&format!("{first},T1\n-3334FU,T1"));
    let second = peer.line();
    assert!(second.starts_with('+'), "it plays on: {second}");
    peer.send(&format!("{second},T1\n%TORYO\n#RESIGN\n#WIN"));
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    assert_eq!(running.finish().exited(0).all("result"), ["black"]);
}

#[test]
fn a_second_client_with_the_same_login_does_not_start() {
    let (folder, _desk, running, mut peer) = logged_in(0, RANDOM);
    folder.await_log("logged in");
    let second = folder.run(&["play", "--config", "kyomi.toml"]).exited(1);
    assert!(second.error().contains("a client is running already as kyomi on 127.0.0.1:"));
    running.signal("INT");
    assert_eq!(peer.line(), "LOGOUT", "the first one was not disturbed");
    peer.send("LOGOUT:completed");
    drop(peer);
    running.finish().exited(0);
}
