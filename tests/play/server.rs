//! Games on a server that the test plays: order of events, signals, faulty lines.

use super::support::{end_of, logged_in, moves_of, script_engine};
use crate::common::connection::Desk;
use crate::common::folder::Folder;

const RANDOM: &str = "kind = \"random\"";

/// A move that is legal after every first move of black.
const REPLY: &str = "-3334FU,T1";

#[test]
fn the_engine_is_ready_before_the_login() {
    let engine = script_engine("go*) echo info score mate -2; echo bestmove resign;;")
        .replace("isready) echo readyok", "isready) sleep 0.3; touch ready; echo readyok");
    let (folder, _desk, running, mut peer) = logged_in(1, &engine);
    assert!(folder.path().join("ready").exists());
    peer.begin("g1", '+');
    assert_eq!(peer.line(), "%TORYO");
    peer.send("%TORYO,T1\n#RESIGN\n#LOSE");
    assert_eq!(peer.line(), "LOGOUT");
    peer.send("LOGOUT:completed");
    drop(peer);
    let finished = running.finish().exited(0);
    assert_eq!((finished.all("result"), finished.all("reason")), (vec!["white"], vec!["%TORYO"]));
}

#[test]
fn an_engine_that_is_slow_to_stop_still_gets_the_result_before_it_quits() {
    let engine = script_engine("stop) sleep 0.5; echo bestmove 7g7f;;")
        .replace("do case", "do echo \"$line\" >> heard; case");
    let (folder, _desk, running, mut peer) = logged_in(1, &engine);
    peer.begin("g1", '+');
    let heard = || std::fs::read_to_string(folder.path().join("heard")).unwrap_or_default();
    while !heard().contains("go btime") {
        std::thread::yield_now();
    }
    peer.send("#TIME_UP\n#LOSE");
    assert_eq!(peer.line(), "LOGOUT");
    peer.send("LOGOUT:completed");
    drop(peer);
    running.finish().exited(0);
    assert!(heard().ends_with("stop\ngameover lose\nquit\n"), "{}", heard());
}

#[test]
fn a_server_that_dies_in_the_game_leaves_the_record_and_an_error() {
    let (folder, desk) = (Folder::new(), Desk::open());
    // This kind of server never resumes a game.
    let running = folder.play(&desk.config(1, RANDOM).replace("wcsc", "floodgate"));
    let mut peer = desk.welcome();
    peer.begin("g1", '+');
    let first = peer.line();
    peer.send(&format!("{first},T2\n{REPLY}"));
    let third = peer.line();
    assert!(third.starts_with('+'), "{third}");
    drop((peer, desk));
    let finished = running.finish().exited(1);
    assert!(finished.error().contains("lost"), "{}", finished.error());
    assert_eq!((finished.all("result"), finished.all("reason")), (vec!["none"], vec!["%CHUDAN"]));
    let record = folder.path().join(finished.all("record")[0]);
    assert_eq!(moves_of(&record), [first.as_str(), "-3334FU"]);
    assert_eq!(end_of(&record), "%CHUDAN");
}

#[test]
fn a_server_that_closes_after_each_game_gets_a_new_login() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let running = folder.play(&desk.config(2, RANDOM).replace("wcsc", "floodgate"));
    for id in ["g1", "g2"] {
        let mut peer = desk.welcome();
        peer.begin(id, '+');
        let first = peer.line();
        peer.send(&format!("{first},T1\n%TORYO\n#RESIGN\n#WIN"));
    }
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), ["black", "black"]);
    assert!(finished.stderr.contains("the password names no game"), "{}", finished.stderr);
}

#[test]
fn one_interrupt_finishes_the_game_and_logs_out() {
    for signal in ["INT", "TERM"] {
        let (_folder, _desk, running, mut peer) = logged_in(0, RANDOM);
        peer.begin("g1", '+');
        let first = peer.line();
        running.signal(signal);
        peer.send(&format!("{first},T1\n{REPLY}"));
        let third = peer.line();
        assert!(third.starts_with('+'), "{signal}: {third}");
        peer.send(&format!("{third},T1\n%TORYO,T1\n#RESIGN\n#WIN"));
        assert_eq!(peer.line(), "LOGOUT", "{signal}");
        peer.send("LOGOUT:completed");
        drop(peer);
        let finished = running.finish().exited(0);
        assert_eq!(finished.all("result"), ["black"], "{signal}");
    }
}

#[test]
fn an_interrupt_while_waiting_for_a_game_logs_out() {
    let (folder, _desk, running, mut peer) = logged_in(0, RANDOM);
    folder.await_log("logged in");
    running.signal("INT");
    assert_eq!(peer.line(), "LOGOUT");
    peer.send("LOGOUT:completed");
    drop(peer);
    running.finish().exited(0);
}

#[test]
fn two_signals_of_any_kind_resign_and_leave() {
    for (first, second) in [("INT", "INT"), ("INT", "TERM"), ("TERM", "INT"), ("TERM", "TERM")] {
        let (folder, _desk, running, mut peer) = logged_in(0, RANDOM);
        peer.begin("g1", '+');
        let word = peer.line();
        running.signal(first);
        // The client must have received the first signal before the second is sent.
        folder.await_log(": finishing the game");
        running.signal(second);
        folder.await_log(": resigning and leaving");
        peer.send(&format!("{word},T1\n{REPLY}"));
        assert_eq!(peer.line(), "%TORYO", "{first}, {second}");
        peer.send("%TORYO,T1\n#RESIGN\n#LOSE");
        drop(peer);
        let finished = running.finish().exited(0);
        let printed = (finished.all("result"), finished.all("reason"));
        assert_eq!(printed, (vec!["white"], vec!["%TORYO"]), "{first}, {second}");
    }
}

#[test]
fn a_refused_login_is_one_clear_error() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let running = folder.play(&desk.config(1, RANDOM));
    let mut peer = desk.accept();
    assert_eq!(peer.line(), "LOGIN kyomi secret");
    peer.send("LOGIN:incorrect rate_limited");
    assert!(peer.is_gone());
    let finished = running.finish().exited(1);
    let error = finished.error();
    assert!(
        error.contains("refused the login of kyomi") && error.contains("rate_limited"),
        "{error}"
    );
    assert!(!finished.stderr.contains("secret"));
    assert!(!folder.log().contains("secret"));
}

#[test]
fn no_server_is_one_clear_error() {
    let folder = Folder::new();
    let config = Desk::open().config(1, RANDOM);
    let finished = folder.play(&config).finish().exited(1);
    assert!(finished.error().contains("cannot connect to 127.0.0.1:"), "{}", finished.error());
}

#[test]
fn names_from_the_network_do_not_leave_the_folder_or_reach_the_terminal() {
    let (folder, _desk, running, mut peer) = logged_in(1, RANDOM);
    peer.begin("../../../x\u{1b}[31m/../y", '+');
    let first = peer.line();
    peer.send(&format!("{first},T1\n##[CHAT]\u{1b}[2J\u{7}\n%TORYO\n#RESIGN\n#WIN"));
    drop(peer);
    let finished = running.finish().exited(0);
    assert_eq!(folder.games(".csa").len(), 1);
    let all = format!("{}{}", finished.stdout, finished.stderr);
    assert!(!all.contains(['\u{1b}', '\u{7}']), "{all:?}");
}

#[test]
fn a_hostile_server_does_no_harm() {
    let (_folder, _desk, running, mut peer) = logged_in(1, RANDOM);
    peer.send(&"x".repeat(3_000_000));
    peer.send("BEGIN Game_Summary\nGame_ID:bad\nYour_Turn:+\nEND Game_Summary");
    assert!(peer.line().starts_with("REJECT"));
    peer.begin("g1", '+');
    let first = peer.line();
    peer.send(&format!("{first},T99999999999999999999\n-9999ZZ,T1\n#FOO\n#WIN"));
    drop(peer);
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), ["black"]);
}
