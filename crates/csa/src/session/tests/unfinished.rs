//! Games whose connection is lost and that are resumed over another one.

use super::super::super::message::WireTime;
use super::super::UnfinishedGame;
use super::*;
use kyomi_shogi::clock::TimeControl;

fn settings() -> SessionSettings {
    let settings = SessionSettings::new("kyomi", Secret::new("secret"), Profile::Wcsc);
    SessionSettings { keeps_disconnected_games: true, ..settings }
}

impl Harness {
    fn offer(&mut self, summary: &GameSummary) {
        self.lines(&summary.to_lines());
    }

    /// Logs in again, with the game.
    fn resume(self, settings: SessionSettings, game: UnfinishedGame) -> Self {
        let first_request = self.session.next_request();
        let settings = SessionSettings { first_request, ..settings };
        self.followed_by(Session::resuming(settings, game)).logged_in()
    }

    /// Loses the connection in the game. Returns the game as well.
    fn lose(mut self) -> (UnfinishedGame, Self) {
        self.feed(Input::Lost(Cause::EndOfStream));
        assert!(matches!(self.session_end(), Some(SessionEnd::Disconnected { .. })));
        assert_eq!(self.saved(), Vec::<String>::new(), "the game has not ended");
        assert!(!self.last.iter().any(|action| matches!(action, Action::StopThinking)));
        (self.session.take_unfinished().unwrap(), self)
    }
}

fn summary(moves: &[(&str, u64)]) -> GameSummary {
    let mut summary = GameSummary::new("game", "kyomi", "b");
    let control = TimeControl {
        increment: Duration::from_secs(5),
        ..TimeControl::sudden_death(Duration::from_secs(60))
    };
    summary.times = kyomi_shogi::clock::Controls::both(control);
    let mut game = Game::default();
    for (word, secs) in moves {
        let mv = csa::parse_move(game.position(), word).unwrap();
        game.push(mv).unwrap();
        let spent = Some(WireTime::floor(Duration::from_secs(*secs), Duration::from_secs(1)));
        summary.moves.push(SetupMove { mv, spent });
    }
    summary
}

/// A game of this offer after black's first move.
fn after_first_move(settings: SessionSettings, offer: &GameSummary) -> Harness {
    let mut connection = Harness::with(settings).logged_in();
    connection.offer(offer);
    connection.line("START:game");
    let id = connection.asked().unwrap();
    connection.answer_with(id, "7g7f");
    connection.line("+7776FU,T3");
    connection
}

/// A game in black's second turn, with the id of the request.
fn playing() -> (Harness, u64) {
    let mut connection = after_first_move(settings(), &summary(&[]));
    connection.line("-3334FU,T10");
    let id = connection.asked().unwrap();
    (connection, id)
}

/// The game after these moves is offered again over a new connection.
fn resumed((game, before): (UnfinishedGame, Harness), moves: &[(&str, u64)]) -> Harness {
    let mut connection = before.resume(settings(), game);
    connection.offer(&summary(moves));
    assert_eq!(connection.sent(), ["AGREE game"]);
    connection.line("START:game");
    connection
}

const SO_FAR: [(&str, u64); 2] = [("+7776FU", 3), ("-3334FU", 10)];

#[test]
fn the_search_of_the_same_position_continues_with_the_same_request() {
    let (connection, id) = playing();
    let mut lost = connection.lose();
    lost.1.later(20);
    let mut connection = resumed(lost, &SO_FAR);
    assert_eq!(
        (connection.asked(), connection.saved()),
        (None, Vec::new()),
        "it is already searching"
    );
    let clocks = connection.session.clocks().unwrap();
    assert_eq!(clocks.of(Color::Black).remaining, Duration::from_secs(62));
    assert_eq!(clocks.of(Color::White).remaining, Duration::from_secs(55));
    connection.answer_with(id, "2g2f");
    assert_eq!(connection.sent(), ["+2726FU"]);
    connection.line("+2726FU,T30");
    assert_eq!(connection.saved(), ["+2726FU"]);
}

#[test]
fn an_answer_during_the_loss_is_sent_when_the_game_is_resumed() {
    for after_login in [false, true] {
        let (connection, id) = playing();
        let (mut game, before) = connection.lose();
        let mv = kyomi_shogi::notation::usi::parse_move("2g2f").unwrap();
        let chosen = Chosen::plain(id, Answer::Move(mv));
        if !after_login {
            game.keep_answer(&Chosen::plain(id + 7, Answer::Resign));
            game.keep_answer(&chosen);
        }
        let mut connection = before.resume(settings(), game);
        if after_login {
            connection.feed(Input::Chosen(chosen));
            assert_eq!(connection.sent(), Vec::<String>::new());
        }
        connection.offer(&summary(&SO_FAR));
        connection.line("START:game");
        assert_eq!(connection.sent(), ["+2726FU"], "{after_login}");
    }
}

#[test]
fn a_move_that_the_server_never_received_is_sent_again() {
    let (mut connection, id) = playing();
    connection.answer_with(id, "2g2f");
    let connection = resumed(connection.lose(), &SO_FAR);
    assert_eq!(connection.sent(), ["+2726FU"]);
}

#[test]
fn a_move_made_during_the_loss_has_its_time_in_the_unit_of_the_server() {
    let in_tenths = |moves: &[(&str, u64)]| {
        let mut offer = summary(moves);
        let control = TimeControl { unit: Duration::from_millis(100), ..*offer.time(Color::Black) };
        offer.times = kyomi_shogi::clock::Controls::both(control);
        offer
    };
    let (game, before) = after_first_move(settings(), &in_tenths(&[])).lose();
    let mut connection = before.resume(settings(), game);
    connection.offer(&in_tenths(&SO_FAR));
    connection.line("START:game");
    let spent = connection.last.iter().find_map(|action| match action {
        Action::Save(GameEvent::Move(event)) => Some(event.spent),
        _ => None,
    });
    assert_eq!(spent, Some(Duration::from_secs(10)), "this server counts seconds");
}

#[test]
fn a_handicap_is_subtracted_from_the_clocks_of_a_resumed_game_too() {
    let with_handicap =
        || SessionSettings { handicap: [Duration::from_secs(20), Duration::ZERO], ..settings() };
    let mut connection = after_first_move(with_handicap(), &summary(&[]));
    connection.line("-3334FU,T10");
    let remaining = |connection: &Harness| {
        let clocks = connection.session.clocks().unwrap();
        [Color::Black, Color::White].map(|color| clocks.of(color).remaining.as_secs())
    };
    assert_eq!(remaining(&connection), [42, 55]);
    let (game, before) = connection.lose();
    let mut connection = before.resume(with_handicap(), game);
    connection.offer(&summary(&SO_FAR));
    connection.line("START:game");
    assert_eq!(remaining(&connection), [42, 55]);
}

#[test]
fn moves_made_during_the_loss_are_added() {
    let (mut connection, id) = playing();
    connection.answer_with(id, "2g2f");
    let moves = [SO_FAR[0], SO_FAR[1], ("+2726FU", 12), ("-8384FU", 1)];
    let mut connection = resumed(connection.lose(), &moves);
    assert_eq!(connection.saved(), ["+2726FU", "-8384FU"]);
    let id = connection.asked().unwrap();
    let clocks = connection.session.clocks().unwrap();
    assert_eq!(clocks.of(Color::Black).remaining, Duration::from_secs(55));
    assert_eq!(clocks.turn, Color::Black);
    connection.later(4);
    connection.answer_with(id, "2f2e");
    assert_eq!(connection.sent(), ["+2625FU"]);
    // It is the opponent's turn: no search.
    let (connection, _) = playing();
    let connection = resumed(connection.lose(), &[SO_FAR[0], SO_FAR[1], ("+2726FU", 12)]);
    assert_eq!((connection.saved(), connection.asked()), (vec!["+2726FU".to_owned()], None));
    assert!(connection.last.iter().any(|action| matches!(action, Action::StopThinking)));
}

#[test]
fn another_game_ends_the_disconnected_one() {
    let other = |change: fn(&mut GameSummary)| {
        let mut summary = summary(&SO_FAR);
        change(&mut summary);
        summary
    };
    for offered in [
        summary(&[]),
        summary(&[("+7776FU", 3)]),
        summary(&[("+2726FU", 3), ("-3334FU", 10)]),
        other(|summary| summary.names[1] = "c".to_owned()),
        other(|summary| summary.your_turn = Color::White),
    ] {
        let (connection, _) = playing();
        let (game, before) = connection.lose();
        let mut connection = before.resume(settings(), game);
        connection.offer(&offered);
        assert_eq!(connection.saved(), ["broken off"], "{offered:?}");
        assert_eq!(connection.sent(), ["AGREE game"]);
        connection.line("START:game");
        assert_eq!(connection.saved(), ["started"]);
        assert_eq!(connection.session.games_ended(), 1);
    }
}

#[test]
fn a_game_that_is_not_resumed_is_returned_again_and_ends_as_interrupted() {
    let (connection, _) = playing();
    let (game, before) = connection.lose();
    let now = before.now;
    let mut session = Session::resuming(settings(), game);
    session.handle(now, Input::Connected);
    let actions = session.handle(now, Input::Line(Line::text("LOGIN:incorrect")));
    assert!(matches!(actions.last(), Some(Action::Close(SessionEnd::LoginRefused(_)))));
    let game = session.take_unfinished().unwrap();
    assert_eq!(game.game().len(), 2);
    assert!(game.longest_left() >= Duration::from_secs(60));
    let end = game.ended();
    assert_eq!((end.outcome, end.end.winner), (Outcome::None, None));
    assert_eq!((end.end.reason, end.end.side_to_move), (EndReason::Interrupted, Color::Black));
}

#[test]
fn a_game_is_not_kept_after_resigning_or_leaving() {
    let (mut connection, id) = playing();
    connection.feed(Input::Chosen(Chosen::plain(id, Answer::Resign)));
    connection.feed(Input::Lost(Cause::EndOfStream));
    assert_eq!(connection.saved(), ["resignation"]);
    let (mut connection, _) = playing();
    connection.feed(Input::Lost(Cause::Left));
    assert_eq!(connection.saved(), ["broken off"]);
    assert!(connection.last.iter().any(|action| matches!(action, Action::StopThinking)));
}

/// A session that has agreed to an offer with a token, after the loss of its connection before `START`.
fn lost_before_start() -> Harness {
    let mut connection = Harness::with(settings()).logged_in();
    connection.offer(&with_token());
    assert_eq!(connection.sent(), ["AGREE game"]);
    connection.feed(Input::Lost(Cause::EndOfStream));
    assert!(matches!(connection.session_end(), Some(SessionEnd::Lost(_))));
    connection
}

fn with_token() -> GameSummary {
    GameSummary { reconnect_token: Some(Secret::new("0123")), ..summary(&[]) }
}

#[test]
fn a_game_that_was_agreed_to_is_asked_for_after_a_loss_before_its_start() {
    let mut before = lost_before_start();
    let agreed = before.session.take_agreed().unwrap();
    let mut connection = before.followed_by(Session::after_agreement(settings(), agreed));
    connection.feed(Input::Connected);
    assert_eq!(connection.sent(), ["LOGIN kyomi secret reconnect:game+0123"]);
    connection.line("LOGIN:kyomi OK");
    assert_eq!(connection.sent(), Vec::<String>::new());
    connection.offer(&with_token());
    assert_eq!(connection.sent(), Vec::<String>::new(), "it runs already");
    for line in ["START:other", "START:"] {
        connection.line(line);
        assert_eq!(connection.saved(), Vec::<String>::new(), "{line}");
    }
    for line in ["BEGIN Reconnect_State", "Turn_Spent_Ms:7000", "END Reconnect_State"] {
        connection.line(line);
    }
    assert_eq!(connection.saved(), ["started"]);
    assert!(connection.asked().is_some());
    assert!(connection.session.take_agreed().is_none());
}

#[test]
fn an_agreement_without_a_token_is_forgotten_when_the_connection_is_lost() {
    let mut connection = Harness::with(settings()).logged_in();
    connection.offer(&summary(&[]));
    connection.feed(Input::Lost(Cause::EndOfStream));
    assert!(connection.session.take_agreed().is_none());
    assert!(lost_before_start().session.take_agreed().is_some());
}

#[test]
fn a_notice_of_the_server_does_not_end_a_game_whose_connection_is_lost() {
    let (mut connection, _) = playing();
    connection.line("#NOTICE the server is restarted at noon");
    let (game, ..) = connection.lose();
    assert_eq!(game.game().len(), 2);
}
