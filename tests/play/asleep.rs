//! The process and its engine are stopped for some seconds, as when the machine sleeps, and go on. Two minutes, by hand:
//! `KYOMI_TEST_STOPPED=120 cargo test -p kyomi --test play asleep`.

use std::{process::Command, thread::sleep, time::Duration};

use super::support::{Running, end_of, script_engine};
use crate::common::connection::Desk;
use crate::common::folder::Folder;

/// How long the client is stopped: by default longer than what it does not take for a sleep. By hand it may be as long as
/// `KYOMI_TEST_STOPPED` seconds.
fn stopped() -> Duration {
    let seconds = std::env::var("KYOMI_TEST_STOPPED").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(4))
}

/// The processes that a process has started, and theirs.
fn descendants(pid: u32) -> Vec<u32> {
    let listed = Command::new("pgrep").args(["-P", &pid.to_string()]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let children: Vec<u32> = listed.lines().map(|line| line.parse().unwrap()).collect();
    children.iter().flat_map(|child| [vec![*child], descendants(*child)].concat()).collect()
}

/// Stops the client with its engine, and lets them go on after some seconds. `meanwhile` happens at once after the stop.
fn stop_for_seconds(running: &Running, meanwhile: impl FnOnce()) {
    let mut all = descendants(running.0.id());
    all.push(running.0.id());
    let signal = |name| {
        let pids = all.iter().map(u32::to_string);
        let sent = Command::new("kill").args(["-s", name]).args(pids).status().unwrap();
        assert!(sent.success());
    };
    signal("STOP");
    meanwhile();
    sleep(stopped());
    signal("CONT");
}

/// An engine that says how long it may think, and answers after half a second, or after `stop`.
fn engine() -> String {
    script_engine(
        "usinewgame) set -- 7g7f 2g2f 2f2e;; \
         go*) echo \"$line\" >> heard; sleep 0.5; echo bestmove $1; shift;;",
    )
}

#[test]
fn a_stop_in_our_turn_is_time_of_our_clock_and_the_answer_is_used_at_once() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let running = folder.play(&desk.config(1, &engine()));
    let mut peer = desk.welcome();
    peer.begin("g1", '+');
    while !folder.path().join("heard").exists() {
        std::thread::yield_now();
    }
    stop_for_seconds(&running, || {});
    assert_eq!(peer.line(), "+7776FU");
    peer.send(&format!("+7776FU,T{}\n-3334FU,T1", stopped().as_secs()));
    assert_eq!(peer.line(), "+2726FU");
    peer.send("+2726FU,T1\n%TORYO,T1\n#RESIGN\n#WIN");
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), ["black"]);
    let record = folder.path().join(finished.all("record")[0]);
    assert_eq!(end_of(&record), "%TORYO");
    assert_eq!(folder.games(".csa").len(), 1);
    // The engine was not taken for one that hangs. After two minutes of silence it is asked to stop.
    assert_eq!(folder.log().matches("engine ready").count(), 1, "{}", folder.log());
    assert!(measured(&record)[0] >= stopped(), "{:?}", measured(&record));
}

#[test]
fn a_turn_that_began_in_a_stop_is_timed_from_before_it() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let running = folder.play(&desk.config(1, &engine()));
    let mut peer = desk.welcome();
    peer.begin("g1", '+');
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T1");
    folder.await_log("ply=1");
    stop_for_seconds(&running, || peer.send("-3334FU,T1"));
    assert_eq!(peer.line(), "+2726FU");
    peer.send(&format!("+2726FU,T{}\n%TORYO,T1\n#RESIGN\n#WIN", stopped().as_secs()));
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    let finished = running.finish().exited(0);
    let record = folder.path().join(finished.all("record")[0]);
    // The last heartbeat was up to a second before the stop.
    assert!(measured(&record)[1] >= stopped(), "{:?}", measured(&record));
}

/// The lengths of our turns, as the client has measured them.
fn measured(record: &std::path::Path) -> Vec<Duration> {
    let text = std::fs::read_to_string(record).unwrap();
    let turns = text.lines().filter_map(|line| line.split("turn: measured ").nth(1));
    let number = |text: &str| text.split(' ').next().unwrap().parse::<f64>().unwrap();
    turns.map(|text| Duration::from_secs_f64(number(text) / 1000.0)).collect()
}
