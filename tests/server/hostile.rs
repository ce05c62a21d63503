//! Hostile peers, beside a game that must not be disturbed.

use std::time::Duration;

use kyomi::server::{PeerLimits, ServerSettings};

use crate::common::folder::Folder;
use crate::support::{TestServer, play, with_records};

/// Eight plies that lead back to the start.
const CYCLE: [&str; 4] = ["+2838HI", "-8272HI", "+3828HI", "-7282HI"];

#[test]
fn floods_and_garbage_disturb_no_game() {
    let limits = PeerLimits { burst_lines: 50, ..PeerLimits::default() };
    let server = TestServer::start(ServerSettings { limits, ..ServerSettings::default() });
    let mut players = server.game("test-600-0");

    let mut half = server.connect();
    half.send_bytes(b"LOGIN half").unwrap();

    // Each of these ends when the server closes the connection.
    let endless = server.connect().flood(|| vec![b'x'; 64 * 1024]);
    let lines = server.login("flood", "x").flood(|| b"\n%TORYO\nAGREE\nhello\n".repeat(100));
    let mut rng = fastrand::Rng::with_seed(7);
    let garbage = server.connect().flood(move || (0..4096).map(|_| rng.u8(..)).collect());
    for _ in 0..2 {
        for word in CYCLE {
            play(&mut players, word);
        }
    }
    for flood in [endless, lines, garbage] {
        flood.join().unwrap();
    }
    play(&mut players, "+7776FU");
    players[1].send("%TORYO");
    assert!(players[0].line().starts_with("%TORYO"));
    players[0].expect_all(&["#RESIGN", "#WIN"]);
}

#[test]
fn more_connections_than_places_are_turned_away() {
    let limits = PeerLimits { connections: 100, ..PeerLimits::default() };
    let server = TestServer::start(ServerSettings { limits, ..ServerSettings::default() });
    let mut players = server.game("test-600-0");
    let mut crowd = Vec::new();
    for _ in 0..400 {
        crowd.push(server.connect());
    }
    for word in CYCLE {
        play(&mut players, word);
    }
    let mut last = crowd.pop().unwrap();
    let answer = last.line_or_end();
    assert!(answer.is_none_or(|line| line == "##[ERROR] the server is full"));
    drop(crowd);
    // New connections are accepted after the others are closed.
    loop {
        let mut client = server.connect();
        if client.send_bytes(b"LOGIN late x\n").is_ok()
            && client.line_or_end().as_deref() == Some("LOGIN:late OK")
        {
            break;
        }
    }
    play(&mut players, "+7776FU");
}

#[test]
fn a_peer_that_never_reads_delays_nobody() {
    let limits = PeerLimits {
        queued_lines: 64,
        write_time: Duration::from_millis(200),
        ..PeerLimits::default()
    };
    let server = TestServer::start(ServerSettings { limits, ..ServerSettings::default() });
    let mut players = server.game("test-600-0");
    let deaf = server.login("deaf", "x").flood(|| b"what?\n".repeat(100));
    deaf.join().unwrap();
    for word in CYCLE {
        play(&mut players, word);
    }
}

#[test]
fn names_do_not_lead_files_outside_their_folder() {
    let dir = Folder::new();
    let inside = dir.path().join("a").join("records");
    let server = TestServer::start(with_records(&inside));
    for (black, white) in [("..", "."), ("a..b", "@@@"), ("-rf", ".hidden")] {
        let mut players = [server.login(black, "x-600-0-B"), server.login(white, "x-600-0-W")];
        for player in &mut players {
            player.read_offer();
            player.send("AGREE");
        }
        for player in &mut players {
            assert!(player.line().starts_with("START:"));
        }
        play(&mut players, "+7776FU");
        drop(players);
        let (_, _, _, record) = server.ended();
        let record = record.unwrap();
        assert_eq!(record.parent(), Some(inside.as_path()), "{}", record.display());
        let name = record.file_name().unwrap().to_str().unwrap();
        assert!(!name.starts_with(['.', '-']) && record.is_file(), "{name}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(dir.path().join("a")).unwrap().count(), 1);
}

#[test]
fn a_watcher_that_does_not_read_is_dropped_and_the_game_goes_on() {
    let limits = PeerLimits {
        queued_bytes: 64 * 1024,
        burst_lines: 1_000_000,
        lines_per_second: 1_000_000,
        ..PeerLimits::default()
    };
    let server = TestServer::start(ServerSettings { limits, ..ServerSettings::default() });
    let mut players = server.game("test-600-0");
    let mut spy = server.connect();
    spy.send("LOGIN spy x x1");
    spy.expect_all(&["LOGIN:spy OK", "##[LOGIN] +OK x1"]);
    spy.send("%%LIST");
    let id = spy.line().strip_prefix("##[LIST] ").unwrap().to_owned();
    spy.expect("##[LIST] +OK");
    // It asks for the state again and again, and reads nothing.
    let asking = spy.flood(move || format!("%%MONITORON {id}\n").into_bytes());
    for _ in 0..2 {
        for word in CYCLE {
            play(&mut players, word);
        }
    }
    asking.join().unwrap();
    play(&mut players, "+7776FU");
}
