//! `[schedule]` with a running client.

use crate::common::connection::Desk;
use crate::common::folder::Folder;

const RANDOM: &str = "kind = \"random\"";

#[test]
fn outside_its_windows_the_client_sleeps_and_can_be_ended() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let schedule = "[schedule]\nwindows = [\"2999-05-03 9:00-17:30\"]\n";
    let config = format!("{}{schedule}", desk.config(0, RANDOM));
    let running = folder.play(&config);
    folder.await_log("sleeping: outside the windows");
    let status = folder.run(&["status"]).exited(0).stdout;
    assert!(status.contains("sleeping until Fri 2999-05-03 09:00 (in "), "{status}");
    running.signal("INT");
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), [""; 0]);
}

#[test]
fn a_window_with_one_game_is_one_game() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let schedule = "[schedule]\nwindows = [\"2020-01-01 - 2999-05-03\"]\ngames = 1\n";
    let config = format!("{}{schedule}", desk.config(0, RANDOM));
    let running = folder.play(&config);
    let mut peer = desk.welcome();
    peer.begin("g1", '+');
    let first = peer.line();
    peer.send(&format!("{first},T1\n%TORYO\n#RESIGN\n#WIN"));
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    assert_eq!(running.finish().exited(0).all("result"), ["black"]);
}

#[test]
fn a_schedule_that_is_over_is_told_in_one_line() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let schedule = "[schedule]\nwindows = [\"2020-05-03 9:00-17:30\"]\n";
    let finished = folder.play(&format!("{}{schedule}", desk.config(0, RANDOM))).finish().exited(0);
    let told = finished.stderr.lines().filter(|line| line.contains("no window that is open"));
    assert_eq!(told.count(), 1, "{}", finished.stderr);
}
