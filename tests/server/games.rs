//! Whole games, from the login to the record.

use std::time::Duration;

use kyomi::server::ServerSettings;
use kyomi_csa::server::{AfterGame, GameRules};
use kyomi_record::{EndKind, Record};
use kyomi_shogi::clock::GameTime;
use kyomi_shogi::{EnteringKingRule, Game, notation};

use crate::common::connection::Peer;
use crate::common::folder::Folder;
use crate::support::{TestServer, play, with_records};

/// Reads a record with one complete game.
fn read(bytes: &[u8]) -> Record {
    let mut games = kyomi_record::csa::read(bytes).unwrap();
    assert_eq!(games.len(), 1);
    let game = games.remove(0);
    assert_eq!(game.fault, None);
    assert!(game.record.game().is_ok());
    game.record
}

#[test]
fn a_resignation_ends_a_recorded_game() {
    let dir = Folder::new();
    let server = TestServer::start(with_records(dir.path()));
    let mut players = server.game("test-600-10");
    play(&mut players, "+7776FU");
    play(&mut players, "-3334FU");
    players[0].send("+2726FU,'* 30 -8384FU");
    for player in &mut players {
        player.expect("+2726FU,T0");
    }
    let [black, white] = &mut players;
    white.send("%TORYO");
    for (client, result) in [(black, "#WIN"), (white, "#LOSE")] {
        client.expect_all(&["%TORYO", "#RESIGN", result]);
        client.send("LOGOUT");
        client.expect("LOGOUT:completed");
        client.expect_end();
    }
    let (result, reason, plies, record) = server.ended();
    assert_eq!((result, reason, plies), ("black", "RESIGN", 3));
    let bytes = std::fs::read(record.unwrap()).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("'** 30 -8384FU"));
    let record = read(&bytes);
    assert_eq!(record.header.black.as_deref(), Some("black"));
    assert_eq!(record.moves.len(), 3);
    assert_eq!(record.end.as_ref().map(|end| &end.kind), Some(&EndKind::Resign));
    server.stop();
}

#[test]
fn an_illegal_move_loses() {
    let server = TestServer::start(ServerSettings::default());
    let mut players = server.game("test-600-0");
    play(&mut players, "+7776FU");
    players[1].send("-3335FU");
    players[0].expect_all(&["#ILLEGAL_MOVE", "#WIN"]);
    players[1].expect_all(&["#ILLEGAL_MOVE", "#LOSE"]);
    let (result, reason, plies, record) = server.ended();
    assert_eq!((result, reason, plies, record), ("black", "ILLEGAL_MOVE", 1, None));
}

#[test]
fn a_lost_connection_loses() {
    for leaver_is_to_move in [true, false] {
        let dir = Folder::new();
        let server = TestServer::start(with_records(dir.path()));
        let mut players = server.game("test-600-0");
        if leaver_is_to_move {
            play(&mut players, "+7776FU");
        }
        let [mut black, white] = players;
        drop(white);
        let mut last = black.line();
        while last != "#WIN" {
            last = black.line();
        }
        let (result, _, _, record) = server.ended();
        assert_eq!(result, "black");
        let record = read(&std::fs::read(record.unwrap()).unwrap());
        assert_eq!(record.winner(), Some(kyomi_record::Winner::Side(kyomi_shogi::Color::Black)));
        // The name is free again.
        server.login("white", "x");
    }
}

#[test]
fn a_declaration_or_a_try_wins_and_is_recorded_as_such() {
    for (declaration, start, line) in [
        (EnteringKingRule::Points27, "RB1K5/PPPPPPPPP/9/9/9/9/9/9/4k4 b RB 1", "%KACHI"),
        (EnteringKingRule::Try, "9/4K4/9/9/9/9/9/8k/9 b - 1", "+5251OU"),
    ] {
        let rules = GameRules { declaration, ..GameRules::default() };
        let start = Some(start.to_owned());
        let server =
            TestServer::start(ServerSettings { start, rules, ..ServerSettings::default() });
        let mut players = server.game("test-600-0");
        players[0].send(line);
        for (player, result) in players.iter_mut().zip(["#WIN", "#LOSE"]) {
            assert!(player.line().starts_with(&format!("{line},T")));
            player.expect_all(&["#JISHOGI", result]);
        }
        assert_eq!(server.ended().1, "JISHOGI");
    }
}

#[test]
fn the_server_ends_a_game_on_time_without_a_move() {
    let time = GameTime::sudden_death(Duration::from_millis(50));
    let settings = ServerSettings { time: [time; 2], ..ServerSettings::default() };
    let server = TestServer::start(settings);
    let mut players = [server.login("a", "x"), server.login("b", "x")];
    for player in &mut players {
        let lines = player.read_offer_lines();
        assert!(lines.contains(&"Time_Unit:10msec".to_owned()), "{lines:?}");
        assert!(lines.contains(&"Total_Time:5".to_owned()), "{lines:?}");
        player.send("AGREE");
    }
    for player in &mut players {
        assert!(player.line().starts_with("START:"));
        player.expect("#TIME_UP");
    }
    assert_eq!(server.ended().1, "TIME_UP");
}

#[test]
fn players_stay_or_are_disconnected_after_a_game() {
    let server = TestServer::start(ServerSettings::default());
    let mut players = server.game("test-600-0");
    for _ in 0..2 {
        players[0].send("%TORYO");
        for player in &mut players {
            while !matches!(player.line().as_str(), "#WIN" | "#LOSE") {}
            player.read_offer();
            player.send("AGREE");
        }
        for player in &mut players {
            assert!(player.line().starts_with("START:"));
        }
        server.ended();
    }
    let settings = ServerSettings { after_game: AfterGame::Close, ..ServerSettings::default() };
    let server = TestServer::start(settings);
    let mut players = server.game("test-600-0");
    players[0].send("%TORYO");
    for (player, result) in players.iter_mut().zip(["#LOSE", "#WIN"]) {
        assert!(player.line().starts_with("%TORYO"));
        player.expect_all(&["#RESIGN", result]);
        player.expect_end();
    }
}

/// Plays random legal moves until the end of the game. Returns the result.
fn move_at_random(mut client: Peer, seed: u64) -> String {
    let mut rng = fastrand::Rng::with_seed(seed);
    let summary = client.read_offer();
    client.send(&format!("AGREE {}", summary.game_id));
    client.expect(&format!("START:{}", summary.game_id));
    let mut game = Game::new(summary.start.clone());
    loop {
        if game.position().side_to_move() == summary.your_turn {
            let moves = game.position().legal_moves();
            let line = match rng.choice(moves.iter()) {
                Some(mv) => notation::csa::format_move(game.position(), *mv),
                None => "%TORYO".to_owned(),
            };
            client.send(&line);
        }
        loop {
            let line = client.line();
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

#[test]
fn fifty_games_at_once() {
    let dir = Folder::new();
    let rules = GameRules { max_moves: 120, ..GameRules::default() };
    let server = TestServer::start(ServerSettings { rules, ..with_records(dir.path()) });
    let mut players = Vec::new();
    for number in 0..100 {
        let client = server.login(&format!("p{number}"), &format!("g{}-600-10", number / 2));
        players.push(std::thread::spawn(move || move_at_random(client, number)));
    }
    let mut results = Vec::new();
    for player in players {
        results.push(player.join().unwrap());
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
        let (_, reason, plies, record) = server.ended();
        assert!(
            ["RESIGN", "MAX_MOVES", "SENNICHITE", "OUTE_SENNICHITE"].contains(&reason),
            "{reason}"
        );
        assert_eq!(read(&std::fs::read(record.unwrap()).unwrap()).moves.len(), plies);
    }
    server.stop();
}

fn bind_error(settings: ServerSettings) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(kyomi::server::Server::bind(settings)).unwrap_err().to_string()
}

#[test]
fn a_busy_port_is_one_clear_error() {
    let server = TestServer::start(ServerSettings::default());
    let settings = ServerSettings { address: server.address, ..ServerSettings::default() };
    let error = bind_error(settings);
    assert_eq!(error, format!("cannot listen on {}", server.address));
}

#[test]
fn a_folder_that_cannot_be_written_is_one_clear_error() {
    let dir = Folder::new();
    let file = dir.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = bind_error(with_records(&file.join("records")));
    assert!(error.starts_with("cannot keep records in "), "{error}");
}
