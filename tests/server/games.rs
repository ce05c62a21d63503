//! Whole games, from the login to the record.

use std::time::Duration;

use kyomi::config::{AfterGame, DeclarationRule, RulesConfig, TimeConfig};
use kyomi::record::{EndKind, Record};
use kyomi::server::ServerSettings;
use kyomi::shogi::{Game, notation};

use crate::common::folder::Folder;
use crate::support::{Client, TestServer, play, with_records};

/// Reads a record with one complete game.
fn read(bytes: &[u8]) -> Record {
    let mut games = kyomi::record::csa::read(bytes).unwrap();
    assert_eq!(games.len(), 1);
    let game = games.remove(0);
    assert_eq!(game.fault, None);
    assert!(game.record.game().is_ok());
    game.record
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resignation_ends_a_recorded_game() {
    let dir = Folder::new();
    let mut server = TestServer::start(with_records(dir.path())).await;
    let mut players = server.game("test-600-10").await;
    play(&mut players, "+7776FU").await;
    play(&mut players, "-3334FU").await;
    players[0].send("+2726FU,'* 30 -8384FU").await;
    for player in &mut players {
        player.expect("+2726FU,T0").await;
    }
    let [black, white] = &mut players;
    white.send("%TORYO").await;
    for (client, result) in [(black, "#WIN"), (white, "#LOSE")] {
        client.expect_all(&["%TORYO", "#RESIGN", result]).await;
        client.send("LOGOUT").await;
        client.expect("LOGOUT:completed").await;
        client.expect_end().await;
    }
    let (result, reason, plies, record) = server.ended().await;
    assert_eq!((result, reason, plies), ("black", "RESIGN", 3));
    let bytes = std::fs::read(record.unwrap()).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("'** 30 -8384FU"));
    let record = read(&bytes);
    assert_eq!(record.header.black.as_deref(), Some("black"));
    assert_eq!(record.moves.len(), 3);
    assert_eq!(record.end.as_ref().map(|end| &end.kind), Some(&EndKind::Resign));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_illegal_move_loses() {
    let mut server = TestServer::start(ServerSettings::default()).await;
    let mut players = server.game("test-600-0").await;
    play(&mut players, "+7776FU").await;
    players[1].send("-3335FU").await;
    players[0].expect_all(&["#ILLEGAL_MOVE", "#WIN"]).await;
    players[1].expect_all(&["#ILLEGAL_MOVE", "#LOSE"]).await;
    let (result, reason, plies, record) = server.ended().await;
    assert_eq!((result, reason, plies, record), ("black", "ILLEGAL_MOVE", 1, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_connection_loses() {
    for leaver_is_to_move in [true, false] {
        let dir = Folder::new();
        let mut server = TestServer::start(with_records(dir.path())).await;
        let mut players = server.game("test-600-0").await;
        if leaver_is_to_move {
            play(&mut players, "+7776FU").await;
        }
        let [mut black, white] = players;
        drop(white);
        let mut last = black.line().await;
        while last != "#WIN" {
            last = black.line().await;
        }
        let (result, _, _, record) = server.ended().await;
        assert_eq!(result, "black");
        let record = read(&std::fs::read(record.unwrap()).unwrap());
        assert_eq!(record.winner(), Some(kyomi::record::Winner::Side(kyomi::shogi::Color::Black)));
        // The name is free again.
        server.login("white", "x").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declaration_wins() {
    let settings = ServerSettings {
        start: Some("RB1K5/PPPPPPPPP/9/9/9/9/9/9/4k4 b RB 1".to_owned()),
        ..ServerSettings::default()
    };
    let mut server = TestServer::start(settings).await;
    let mut players = server.game("test-600-0").await;
    players[0].send("%KACHI").await;
    for (player, result) in players.iter_mut().zip(["#WIN", "#LOSE"]) {
        assert!(player.line().await.starts_with("%KACHI,T"));
        player.expect_all(&["#JISHOGI", result]).await;
    }
    assert_eq!(server.ended().await.1, "JISHOGI");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_try_wins_and_is_recorded_as_such() {
    let rules = RulesConfig { declaration: DeclarationRule::Try, ..RulesConfig::default() };
    let settings = ServerSettings {
        start: Some("9/4K4/9/9/9/9/9/8k/9 b - 1".to_owned()),
        rules,
        ..ServerSettings::default()
    };
    let mut server = TestServer::start(settings).await;
    let mut players = server.game("test-600-0").await;
    players[0].send("+5251OU").await;
    for (player, result) in players.iter_mut().zip(["#WIN", "#LOSE"]) {
        assert!(player.line().await.starts_with("+5251OU,T"));
        player.expect_all(&["#JISHOGI", result]).await;
    }
    assert_eq!(server.ended().await.1, "JISHOGI");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_ends_a_game_on_time_without_a_move() {
    let time = TimeConfig { total: Duration::from_millis(50), ..TimeConfig::default() };
    let settings = ServerSettings { time: [time; 2], ..ServerSettings::default() };
    let mut server = TestServer::start(settings).await;
    let mut players = [server.login("a", "x").await, server.login("b", "x").await];
    for player in &mut players {
        let lines = player.summary_lines().await;
        assert!(lines.contains(&"Time_Unit:10msec".to_owned()), "{lines:?}");
        assert!(lines.contains(&"Total_Time:5".to_owned()), "{lines:?}");
        player.send("AGREE").await;
    }
    for player in &mut players {
        assert!(player.line().await.starts_with("START:"));
        player.expect("#TIME_UP").await;
    }
    assert_eq!(server.ended().await.1, "TIME_UP");
}

#[tokio::test(flavor = "multi_thread")]
async fn players_stay_or_are_disconnected_after_a_game() {
    let mut server = TestServer::start(ServerSettings::default()).await;
    let mut players = server.game("test-600-0").await;
    for _ in 0..2 {
        players[0].send("%TORYO").await;
        for player in &mut players {
            while !matches!(player.line().await.as_str(), "#WIN" | "#LOSE") {}
            player.summary().await;
            player.send("AGREE").await;
        }
        for player in &mut players {
            assert!(player.line().await.starts_with("START:"));
        }
        server.ended().await;
    }
    let settings = ServerSettings { after_game: AfterGame::Close, ..ServerSettings::default() };
    let server = TestServer::start(settings).await;
    let mut players = server.game("test-600-0").await;
    players[0].send("%TORYO").await;
    for (player, result) in players.iter_mut().zip(["#LOSE", "#WIN"]) {
        assert!(player.line().await.starts_with("%TORYO"));
        player.expect_all(&["#RESIGN", result]).await;
        player.expect_end().await;
    }
}

/// Plays random legal moves until the end of the game. Returns the result.
async fn move_at_random(mut client: Client, seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let summary = client.summary().await;
    client.send(&format!("AGREE {}", summary.game_id)).await;
    client.expect(&format!("START:{}", summary.game_id)).await;
    let mut game = Game::new(summary.start.clone());
    loop {
        if game.position().side_to_move() == summary.your_turn {
            let moves = game.position().legal_moves();
            let line = match rng.choice(moves.iter()) {
                Some(mv) => notation::csa::format_move(game.position(), *mv),
                None => "%TORYO".to_owned(),
            };
            client.send(&line).await;
        }
        loop {
            let line = client.line().await;
            if line.starts_with(['+', '-']) {
                let word = line.split(',').next().unwrap();
                let mv = notation::csa::parse_move(game.position(), word).unwrap();
                game.push(mv).unwrap();
                break;
            }
            if ["#WIN", "#LOSE", "#DRAW", "#CENSORED"].contains(&line.as_str()) {
                return line;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_games_at_once() {
    let dir = Folder::new();
    let rules = RulesConfig { max_moves: 120, ..RulesConfig::default() };
    let mut server = TestServer::start(ServerSettings { rules, ..with_records(dir.path()) }).await;
    let mut players = Vec::new();
    for number in 0..100 {
        let client = server.login(&format!("p{number}"), &format!("g{}-600-10", number / 2)).await;
        players.push(tokio::spawn(move_at_random(client, number)));
    }
    let mut results = Vec::new();
    for player in players {
        results.push(player.await.unwrap());
    }
    for pair in results.chunks(2) {
        let matching = match pair[0].as_str() {
            "#WIN" => "#LOSE",
            "#LOSE" => "#WIN",
            other => other,
        };
        assert_eq!(pair[1], matching);
    }
    for _ in 0..50 {
        let (_, reason, plies, record) = server.ended().await;
        assert!(
            ["RESIGN", "MAX_MOVES", "SENNICHITE", "OUTE_SENNICHITE"].contains(&reason),
            "{reason}"
        );
        assert_eq!(read(&std::fs::read(record.unwrap()).unwrap()).moves.len(), plies);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_port_is_one_clear_error() {
    let server = TestServer::start(ServerSettings::default()).await;
    let settings = ServerSettings { address: server.address, ..ServerSettings::default() };
    let error = kyomi::server::Server::bind(settings).await.unwrap_err();
    assert_eq!(error.to_string(), format!("cannot listen on {}", server.address));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_cannot_be_written_is_one_clear_error() {
    let dir = Folder::new();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = kyomi::server::Server::bind(with_records(&file.join("records"))).await.unwrap_err();
    assert!(error.to_string().starts_with("cannot keep records in "), "{error}");
}
