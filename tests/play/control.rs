//! Requests to a running client from another terminal.

use super::support::Desk;
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
