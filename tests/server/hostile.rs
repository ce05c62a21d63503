//! Hostile peers, beside a game that must not be disturbed.

use std::time::Duration;

use kyomi::server::{PeerLimits, ServerSettings};
use tokio::io::AsyncWriteExt;

use crate::common::folder::Folder;
use crate::support::{TestServer, play, with_records};

/// Eight plies that lead back to the start.
const CYCLE: [&str; 4] = ["+2838HI", "-8272HI", "+3828HI", "-7282HI"];

#[tokio::test(flavor = "multi_thread")]
async fn floods_and_garbage_disturb_no_game() {
    let limits = PeerLimits { burst_lines: 50, ..PeerLimits::default() };
    let server = TestServer::start(ServerSettings { limits, ..ServerSettings::default() }).await;
    let mut players = server.game("test-600-0").await;

    let mut endless = server.connect().await;
    let mut lines = server.login("flood", "x").await;
    let mut garbage = server.connect().await;
    let mut half = server.connect().await;
    half.writer.write_all(b"LOGIN half").await.unwrap();

    // Each of these ends with an error when the server closes the connection.
    let endless = tokio::spawn(async move {
        let chunk = vec![b'x'; 64 * 1024];
        while endless.writer.write_all(&chunk).await.is_ok() {}
    });
    let lines = tokio::spawn(async move {
        let chunk = b"\n%TORYO\nAGREE\nhello\n".repeat(100);
        while lines.writer.write_all(&chunk).await.is_ok() {}
    });
    let garbage = tokio::spawn(async move {
        let mut rng = fastrand::Rng::with_seed(7);
        loop {
            let chunk: Vec<u8> = (0..4096).map(|_| rng.u8(..)).collect();
            if garbage.writer.write_all(&chunk).await.is_err() {
                break;
            }
        }
    });
    for _ in 0..2 {
        for word in CYCLE {
            play(&mut players, word).await;
        }
    }
    for task in [endless, lines, garbage] {
        tokio::time::timeout(Duration::from_secs(60), task).await.unwrap().unwrap();
    }
    play(&mut players, "+7776FU").await;
    players[1].send("%TORYO").await;
    assert!(players[0].line().await.starts_with("%TORYO"));
    players[0].expect_all(&["#RESIGN", "#WIN"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn more_connections_than_places_are_turned_away() {
    let limits = PeerLimits { connections: 100, ..PeerLimits::default() };
    let server = TestServer::start(ServerSettings { limits, ..ServerSettings::default() }).await;
    let mut players = server.game("test-600-0").await;
    let mut crowd = Vec::new();
    for _ in 0..400 {
        crowd.push(server.connect().await);
    }
    for word in CYCLE {
        play(&mut players, word).await;
    }
    let mut last = crowd.pop().unwrap();
    let answer = last.try_line().await;
    assert!(answer.is_none_or(|line| line == "##[ERROR] the server is full"));
    drop(crowd);
    // New connections are accepted after the others are closed.
    loop {
        let mut client = server.connect().await;
        if client.writer.write_all(b"LOGIN late x\n").await.is_ok()
            && client.try_line().await.as_deref() == Some("LOGIN:late OK")
        {
            break;
        }
    }
    play(&mut players, "+7776FU").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_never_reads_delays_nobody() {
    let limits = PeerLimits {
        queued_lines: 64,
        write_time: Duration::from_millis(200),
        ..PeerLimits::default()
    };
    let server = TestServer::start(ServerSettings { limits, ..ServerSettings::default() }).await;
    let mut players = server.game("test-600-0").await;
    let mut deaf = server.login("deaf", "x").await;
    while deaf.writer.write_all(&b"what?\n".repeat(100)).await.is_ok() {}
    for word in CYCLE {
        play(&mut players, word).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn names_do_not_lead_files_outside_their_folder() {
    let dir = Folder::new();
    let inside = dir.path().join("a").join("records");
    let mut server = TestServer::start(with_records(&inside)).await;
    for (black, white) in [("..", "."), ("a..b", "@@@"), ("-rf", ".hidden")] {
        let mut players =
            [server.login(black, "x-600-0-B").await, server.login(white, "x-600-0-W").await];
        for player in &mut players {
            player.summary().await;
            player.send("AGREE").await;
        }
        for player in &mut players {
            assert!(player.line().await.starts_with("START:"));
        }
        play(&mut players, "+7776FU").await;
        drop(players);
        let (_, _, _, record) = server.ended().await;
        let record = record.unwrap();
        assert_eq!(record.parent(), Some(inside.as_path()), "{}", record.display());
        let name = record.file_name().unwrap().to_str().unwrap();
        assert!(!name.starts_with(['.', '-']) && record.is_file(), "{name}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    assert_eq!(std::fs::read_dir(dir.path().join("a")).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_that_does_not_read_is_dropped_and_the_game_goes_on() {
    let limits = PeerLimits {
        queued_bytes: 64 * 1024,
        burst_lines: 1_000_000,
        lines_per_second: 1_000_000,
        ..PeerLimits::default()
    };
    let server = TestServer::start(ServerSettings { limits, ..ServerSettings::default() }).await;
    let mut players = server.game("test-600-0").await;
    let mut spy = server.connect().await;
    spy.send("LOGIN spy x x1").await;
    spy.expect_all(&["LOGIN:spy OK", "##[LOGIN] +OK x1"]).await;
    spy.send("%%LIST").await;
    let id = spy.line().await.strip_prefix("##[LIST] ").unwrap().to_owned();
    spy.expect("##[LIST] +OK").await;
    // It asks for the state again and again, and reads nothing.
    let asking = tokio::spawn(async move {
        let mut writer = spy.writer;
        let command = format!("%%MONITORON {id}\n");
        while writer.write_all(command.as_bytes()).await.is_ok() {}
    });
    let dropped = tokio::time::timeout(Duration::from_secs(120), asking);
    let playing = async {
        for _ in 0..2 {
            for word in CYCLE {
                play(&mut players, word).await;
            }
        }
    };
    let (dropped, ()) = tokio::join!(dropped, playing);
    dropped.unwrap().unwrap();
    play(&mut players, "+7776FU").await;
}
