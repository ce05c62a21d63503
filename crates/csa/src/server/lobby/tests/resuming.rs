//! Players whose connection is lost in a game.

use super::*;

fn resumable() -> ServerSettings {
    ServerSettings { resume_time: Duration::from_secs(30), ..ServerSettings::default() }
}

/// A game in which 1 (black) and 2 (white) have made a move each, and what 1 was offered.
fn two_plies() -> (Harness, Vec<String>) {
    let mut harness = Harness::new(resumable());
    harness.login(1, "black", "x-60-0-B,");
    harness.login(2, "white", "x-60-0-W,");
    let offer = harness.received(1);
    harness.send(1, "AGREE");
    harness.send(2, "AGREE");
    harness.wait(3);
    harness.send(1, "+7776FU");
    harness.wait(2);
    harness.send(2, "-3334FU");
    harness.received(1);
    harness.received(2);
    (harness, offer)
}

#[test]
fn a_player_comes_back_by_its_token_without_an_agreement() {
    let (mut harness, offer) = two_plies();
    let (id, token) = (value(&offer, "Game_ID"), value(&offer, "Reconnect_Token"));
    assert!(token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
    harness.gone(1);
    assert_eq!(harness.received(2), Vec::<String>::new(), "nothing happens for the opponent");
    harness.wait(10);
    harness.connect(3);
    let login =
        |password: &str, token: &str| format!("LOGIN black {password} reconnect:{id}+{token}");
    for (password, token) in [("x-60-0-B,", "00"), ("x-60-0-B,other", token)] {
        let refused = harness.send(3, &login(password, token));
        assert_eq!(refused, ["LOGIN:incorrect reconnect_rejected"]);
    }
    let lines = harness.send(3, &login("x-60-0-B,", token));
    assert_eq!(lines[0], "LOGIN:black OK");
    assert!(lines.contains(&"+7776FU,T3".to_owned()) && lines.contains(&"-3334FU,T2".to_owned()));
    assert_eq!(value(&lines, "To_Move"), "+");
    assert_eq!(value(&lines, "Current_Turn"), "+");
    assert_eq!(value(&lines, "Black_Time_Remaining_Ms"), "57000");
    assert_eq!(value(&lines, "White_Time_Remaining_Ms"), "58000");
    assert_eq!(value(&lines, "Turn_Spent_Ms"), "10000");
    assert_eq!(value(&lines, "Last_Move"), "-3334FU");
    assert_eq!(harness.send(3, "+2726FU"), ["+2726FU,T10"], "the clock did not stop");
    assert_eq!(harness.received(2), ["+2726FU,T10"]);
    harness.wait(40);
    assert_eq!(harness.send(2, "-8384FU"), ["-8384FU,T40"], "its time to come back is not running");
}

/// Whoever knows one token, or the seed of the colours, knows no other one.
#[test]
fn tokens_do_not_follow_from_the_seed_or_from_each_other() {
    let mut tokens = std::collections::BTreeSet::new();
    for _ in 0..50 {
        // Each of these lobbies has the same seed.
        let (mut harness, _) = two_plies();
        harness.login(11, "c", "y-60-0,");
        let offer = harness.login(12, "d", "y-60-0,");
        for offer in [offer, harness.received(11)] {
            let token = value(&offer, "Reconnect_Token");
            assert!(token.len() == 32 && token.bytes().all(|it| it.is_ascii_hexdigit()), "{token}");
            tokens.insert(token.to_owned());
        }
    }
    assert_eq!(tokens.len(), 100);
}

#[test]
fn a_token_closes_a_connection_whose_loss_was_not_noticed() {
    let (mut harness, offer) = two_plies();
    let (id, token) = (value(&offer, "Game_ID"), value(&offer, "Reconnect_Token"));
    harness.connect(3);
    let lines = harness.send(3, &format!("LOGIN black x-60-0-B, reconnect:{id}+{token}"));
    assert_eq!(lines[0], "LOGIN:black OK");
    assert_eq!(harness.closed, [1]);
    harness.received(1);
    assert_eq!(harness.send(1, "+2726FU"), Vec::<String>::new());
    harness.gone(1);
    assert_eq!(harness.send(3, "+2726FU"), ["+2726FU,T0"]);
}

#[test]
fn a_player_comes_back_by_its_password_and_an_agreement() {
    let (mut harness, offer) = two_plies();
    let id = value(&offer, "Game_ID");
    harness.send(1, "+2726FU");
    harness.received(2);
    harness.gone(1);
    let lines = harness.login(3, "black", "x-60-0-B,");
    assert_eq!(lines[0], "LOGIN:black OK");
    assert!(lines.contains(&"+2726FU,T0".to_owned()));
    assert_eq!(value(&lines, "To_Move"), "-");
    // What happens before the agreement comes after it.
    assert_eq!(harness.send(2, "-8384FU"), ["-8384FU,T0"]);
    assert_eq!(harness.received(3), Vec::<String>::new());
    assert_eq!(harness.send(3, "+2625FU"), Vec::<String>::new());
    assert_eq!(harness.send(3, "AGREE other"), ["##[ERROR] that game is not offered"]);
    assert_eq!(harness.send(3, "AGREE"), [format!("START:{id}"), "-8384FU,T0".to_owned()]);
    assert_eq!(harness.send(3, "+2625FU"), ["+2625FU,T0"]);
}

#[test]
fn another_password_does_not_take_a_game_over() {
    let (mut harness, _) = two_plies();
    harness.gone(1);
    for password in ["x-60-0-B,other", "x-60-0,", "other"] {
        let lines = harness.login(3, "black", password);
        assert!(lines[0].starts_with("LOGIN:incorrect"), "{password}: {lines:?}");
        harness.gone(3);
    }
    // A player who is there is not replaced without its token.
    let lines = harness.login(4, "white", "x-60-0-W,");
    assert!(lines[0].starts_with("LOGIN:incorrect"), "{lines:?}");
}

#[test]
fn a_player_who_does_not_come_back_loses() {
    let (mut harness, _) = two_plies();
    harness.gone(1);
    harness.wait(29);
    assert_eq!(harness.received(2), Vec::<String>::new());
    harness.wait(2);
    assert_eq!(harness.received(2), ["%TORYO", "#RESIGN", "#WIN"]);
    assert_eq!(harness.login(3, "black", "x-60-0-B,")[0], "LOGIN:black OK", "the name is free");
}

#[test]
fn the_flag_of_an_absent_player_falls() {
    let (mut harness, _) = two_plies();
    harness.wait(50);
    harness.gone(1);
    harness.wait(8);
    assert_eq!(harness.received(2), ["#TIME_UP", "#WIN"]);
    assert_eq!(harness.login(3, "black", "x-60-0-B,")[0], "LOGIN:black OK");
}

#[test]
fn a_player_who_missed_the_end_asks_for_it_by_its_token() {
    let (mut harness, offer) = two_plies();
    let (id, token) = (value(&offer, "Game_ID"), value(&offer, "Reconnect_Token"));
    harness.send(1, "+2726FU");
    harness.send(2, "%TORYO");
    // The lines were sent over a dead connection, which the server has not noticed.
    harness.received(1);
    harness.connect(3);
    let login = |token: &str| format!("LOGIN black x-60-0-B, reconnect:{id}+{token}");
    assert_eq!(harness.send(3, &login("00")), ["LOGIN:incorrect reconnect_rejected"]);
    let lines = harness.send(3, &login(token));
    assert_eq!(lines[0], "LOGIN:black OK");
    assert!(lines.contains(&"+2726FU,T0".to_owned()), "{lines:?}");
    assert_eq!(lines[lines.len() - 3..], ["%TORYO", "#RESIGN", "#WIN"]);
    assert_eq!(harness.closed, [1]);
    harness.gone(1);
    // Both are paired again.
    harness.wait(12);
    assert_eq!(harness.received(3)[0], "BEGIN Game_Summary");
}

#[test]
fn the_end_of_a_game_is_kept_for_the_time_to_come_back() {
    let (mut harness, offer) = two_plies();
    let (id, token) = (value(&offer, "Game_ID"), value(&offer, "Reconnect_Token"));
    harness.gone(1);
    harness.gone(2);
    harness.wait(40);
    let login = format!("LOGIN black x-60-0-B, reconnect:{id}+{token}");
    harness.connect(3);
    let lines = harness.send(3, &login);
    assert_eq!(lines.last().map(String::as_str), Some("#LOSE"), "{lines:?}");
    harness.gone(3);
    harness.wait(31);
    harness.connect(4);
    assert_eq!(harness.send(4, &login), ["LOGIN:incorrect reconnect_rejected"]);
}

#[test]
fn a_player_comes_back_to_a_server_that_ends_after_its_games() {
    let (mut harness, offer) = two_plies();
    let (id, token) = (value(&offer, "Game_ID"), value(&offer, "Reconnect_Token"));
    harness.input(Input::Finish);
    harness.gone(1);
    harness.connect(3);
    let lines = harness.send(3, &format!("LOGIN black x-60-0-B, reconnect:{id}+{token}"));
    assert_eq!(lines[0], "LOGIN:black OK");
    harness.send(3, "%TORYO");
    assert!(harness.lobby.is_done());
}

#[test]
fn both_players_may_be_absent_and_come_back() {
    let (mut harness, offer) = two_plies();
    let id = value(&offer, "Game_ID");
    harness.gone(1);
    harness.gone(2);
    harness.wait(5);
    harness.login(3, "white", "x-60-0-W,");
    harness.login(4, "black", "x-60-0-B,");
    assert_eq!(harness.send(4, "AGREE"), [format!("START:{id}")]);
    assert_eq!(harness.send(4, "%TORYO"), ["%TORYO", "#RESIGN", "#LOSE"]);
    // White has not agreed yet, and still learns the result.
    assert_eq!(harness.received(3).last().unwrap(), "#WIN");
}

#[test]
fn a_player_who_rejects_its_own_game_loses_it() {
    let (mut harness, _) = two_plies();
    harness.gone(1);
    harness.login(3, "black", "x-60-0-B,");
    harness.send(3, "REJECT");
    assert_eq!(harness.received(2).last().unwrap(), "#WIN");
}

#[test]
fn the_end_of_the_server_ends_the_game_of_an_absent_player() {
    let (mut harness, _) = two_plies();
    harness.gone(1);
    harness.input(Input::Finish);
    assert!(!harness.lobby.is_done());
    harness.input(Input::Abort);
    assert!(harness.lobby.is_done());
    assert_eq!(harness.received(2)[..1], ["#CHUDAN".to_owned()]);
}
