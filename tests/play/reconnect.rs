//! Connections that are lost in a game, with servers that let the client continue it.

use super::support::{end_of, logged_in, moves_of, script_engine};
use crate::common::connection::Desk;
use crate::common::folder::Folder;

/// Answers each request with the next of its moves: it must be asked once for each.
fn engine_with(moves: &str) -> String {
    script_engine(&format!(
        "usinewgame) echo new >> heard; set -- {moves};; go*) echo bestmove $1; shift;; \
         gameover*) echo \"$line\" >> heard;;"
    ))
}

#[test]
fn a_game_that_is_offered_again_goes_on_in_the_same_record() {
    let (folder, desk, running, mut peer) = logged_in(1, &engine_with("7g7f 2g2f 2f2e"));
    peer.begin("g1", '+');
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T2\n-3334FU,T1");
    assert_eq!(peer.line(), "+2726FU");
    // The server has received this move, but not answered it.
    drop(peer);
    let mut peer = desk.welcome();
    peer.continue_with("g1", '+', &["+7776FU,T2", "-3334FU,T1", "+2726FU,T4"], "");
    peer.send("-8384FU,T2");
    assert_eq!(peer.line(), "+2625FU");
    peer.send("+2625FU,T1\n%TORYO,T1\n#RESIGN\n#WIN");
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), ["black"]);
    let records = folder.games(".csa");
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!(moves_of(&records[0]), ["+7776FU", "-3334FU", "+2726FU", "-8384FU", "+2625FU"]);
    let heard = std::fs::read_to_string(folder.path().join("heard")).unwrap();
    assert_eq!(heard, "new\ngameover win\n", "it is one game for the engine");
}

#[test]
fn a_suspended_game_goes_on_in_the_same_record_when_it_is_offered_again() {
    let (folder, desk) = (Folder::new(), Desk::open());
    folder.write("kyomi.toml", desk.config(2, &engine_with("7g7f 2g2f")));
    let running = folder.play_with(&["--events", "events"]);
    let mut peer = desk.welcome();
    peer.begin("g1", '+');
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T2\n#CHUDAN");
    folder.await_log("the game is suspended");
    let status = folder.run(&["status"]).exited(0).stdout;
    assert!(status.contains("suspended by the server"), "{status}");
    let answer = folder.run(&["ctl", "suspend"]).exited(0).stdout;
    assert!(answer.contains("nothing is sent"), "{answer}");
    peer.continue_with("g1", '+', &["+7776FU,T2", "-3334FU,T1"], "");
    assert_eq!(peer.line(), "+2726FU");
    peer.send("+2726FU,T1\n%TORYO,T1\n#RESIGN\n#WIN");
    // There will be no further game.
    peer.begin("g2", '+');
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T1\n#CHUDAN");
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), ["black", "none"]);
    assert_eq!(finished.all("reason"), ["%TORYO", "%CHUDAN"]);
    let records: Vec<_> = finished.all("record").iter().map(|it| folder.path().join(it)).collect();
    assert_eq!(moves_of(&records[0]), ["+7776FU", "-3334FU", "+2726FU"]);
    let text = records.iter().map(|path| std::fs::read_to_string(path).unwrap());
    let text: Vec<_> = text.collect();
    assert!(text[0].contains("'event: suspended by the server"), "{}", text[0]);
    let clocks = "'*suspended, white to move, black 599.0 s left, white 600.0 s left";
    assert!(text[1].contains(clocks), "{}", text[1]);
    let events = std::fs::read_to_string(folder.path().join("events")).unwrap();
    let count = |text: &str| events.matches(text).count();
    assert_eq!(count(r#""cause":"server""#), 1, "{events}");
    assert_eq!((count(r#""event":"resumed""#), count(r#""event":"game_started""#)), (1, 2));
    assert!(events.contains(r#""reason":"adjourned""#), "{events}");
}

#[test]
fn a_running_game_is_continued_by_its_token() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let config = desk.config(1, &engine_with("7g7f 2g2f")).replace("wcsc", "rshogi")
        + "[log]\nlevel = \"debug\"\n";
    let running = folder.play(&config);
    let mut peer = desk.welcome();
    peer.continue_with("g1", '+', &[], "Reconnect_Token:00ff00ff00ff\n");
    assert_eq!(peer.line(), "+7776FU");
    drop(peer);
    // The server has not noticed the loss yet.
    for _ in 0..2 {
        let mut peer = desk.accept();
        assert_eq!(peer.line(), "LOGIN kyomi secret reconnect:g1+00ff00ff00ff");
        peer.send("LOGIN:incorrect reconnect_rejected");
    }
    let mut peer = desk.accept();
    assert_eq!(peer.line(), "LOGIN kyomi secret reconnect:g1+00ff00ff00ff");
    peer.send("LOGIN:kyomi OK");
    peer.offer("g1", '+', &[], "Reconnect_Token:11ee11ee11ee\n");
    peer.send("BEGIN Reconnect_State\nCurrent_Turn:+\nBlack_Time_Remaining_Ms:599000");
    peer.send("White_Time_Remaining_Ms:600000\nEND Reconnect_State");
    // The server has not received the move: it is sent again, without an agreement before.
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T3\n-3334FU,T1");
    assert_eq!(peer.line(), "+2726FU");
    peer.send("+2726FU,T1\n%TORYO,T1\n#RESIGN\n#WIN");
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    let finished = running.finish().exited(0);
    assert_eq!((finished.all("result"), finished.moves().len()), (vec!["black"], 3));
    // Whoever knows a token can enter the game: it is in no log.
    let log = folder.log();
    assert!(log.contains("Reconnect_Token"), "{log}");
    assert!(!log.contains("00ff00ff") && !log.contains("11ee11ee"), "{log}");
}

#[test]
fn another_game_ends_the_one_whose_connection_was_lost() {
    let (folder, desk, running, mut peer) = logged_in(2, &engine_with("7g7f"));
    peer.begin("g1", '+');
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T1");
    folder.await_log("ply=1");
    drop(peer);
    let mut peer = desk.welcome();
    peer.begin("g2", '+');
    assert_eq!(peer.line(), "+7776FU");
    peer.send("+7776FU,T1\n%TORYO,T1\n#RESIGN\n#WIN");
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), ["none", "black"]);
    let records = folder.games(".csa");
    let mut ends: Vec<_> = records.iter().map(|path| end_of(path)).collect();
    ends.sort();
    assert_eq!(ends, ["%CHUDAN", "%TORYO"]);
    let text: String = records.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    assert!(text.contains("white to move"), "{text}");
}

#[test]
fn two_signals_end_a_game_that_waits_for_its_server() {
    let (folder, desk, running, mut peer) = logged_in(1, &engine_with("7g7f"));
    peer.begin("g1", '+');
    assert_eq!(peer.line(), "+7776FU");
    drop((peer, desk));
    folder.await_log("logging in again");
    running.signal("INT");
    running.signal("TERM");
    let finished = running.finish().exited(0);
    assert_eq!((finished.all("result"), finished.all("reason")), (vec!["none"], vec!["%CHUDAN"]));
}
