//! Games that lose their connection and go on over another one.

use super::super::super::message::WireTime;
use super::super::SuspendedGame;
use super::*;
use crate::clock::TimeControl;

fn settings() -> SessionSettings {
    let settings = SessionSettings::new("kyomi", Secret::new("secret"), Profile::Wcsc);
    SessionSettings { suspends: true, ..settings }
}

/// A session with its actions, the game's ends being for the test to look at.
struct Line {
    session: Session,
    now: Instant,
    last: Vec<Action>,
}

impl Line {
    fn over(session: Session, now: Instant) -> Self {
        let mut line = Self { session, now, last: Vec::new() };
        line.feed(Input::Connected);
        line.text("LOGIN:kyomi OK");
        line
    }

    fn feed(&mut self, input: Input<'_>) {
        self.last = self.session.handle(self.now, input);
    }

    fn text(&mut self, text: &str) {
        self.feed(Input::Line(&super::Line::text(text)));
    }

    fn offer(&mut self, summary: &GameSummary) {
        for line in summary.to_lines() {
            self.text(&line);
        }
    }

    fn sent(&self) -> Vec<String> {
        let line = |action: &Action| match action {
            Action::Send(message) => Some(message.to_line()),
            _ => None,
        };
        self.last.iter().filter_map(line).collect()
    }

    fn saved(&self) -> Vec<String> {
        let event = |action: &Action| match action {
            Action::Save(GameEvent::Move(event)) => Some(event.word.clone()),
            Action::Save(GameEvent::Started(_)) => Some("started".to_owned()),
            Action::Save(GameEvent::Ended(end)) => Some(end.end.reason.to_string()),
            _ => None,
        };
        self.last.iter().filter_map(event).collect()
    }

    fn asked(&self) -> Option<u64> {
        self.last.iter().find_map(|action| match action {
            Action::Think(snapshot) => Some(snapshot.id),
            _ => None,
        })
    }

    fn answer(&mut self, id: u64, mv: &str) {
        let mv = crate::shogi::notation::usi::parse_move(mv).unwrap();
        self.feed(Input::Chosen(Chosen::plain(id, Answer::Move(mv))));
    }

    fn later(&mut self, secs: u64) {
        self.now += Duration::from_secs(secs);
    }

    /// The connection is lost: the game, and when.
    fn lose(mut self) -> (SuspendedGame, Instant, Session) {
        self.feed(Input::Lost(Cause::EndOfStream));
        assert!(matches!(self.last.last(), Some(Action::Close(Farewell::Suspended { .. }))));
        assert_eq!(self.saved(), Vec::<String>::new(), "it has no end yet");
        assert!(!self.last.iter().any(|action| matches!(action, Action::StopThinking)));
        (self.session.take_suspended().unwrap(), self.now, self.session)
    }
}

fn summary(moves: &[(&str, u64)]) -> GameSummary {
    let mut summary = GameSummary::new("game", "kyomi", "b");
    let control = TimeControl {
        increment: Duration::from_secs(5),
        ..TimeControl::sudden_death(Duration::from_secs(60))
    };
    summary.times = crate::clock::Controls::both(control);
    let mut game = Game::default();
    for (word, secs) in moves {
        let mv = csa::parse_move(game.position(), word).unwrap();
        game.push(mv).unwrap();
        let spent = Some(WireTime::floor(Duration::from_secs(*secs), Duration::from_secs(1)));
        summary.moves.push(SetupMove { mv, spent });
    }
    summary
}

/// In black's second turn, with its request.
fn playing() -> (Line, u64) {
    let mut line = Line::over(Session::new(settings()), Instant::now());
    line.offer(&summary(&[]));
    line.text("START:game");
    let id = line.asked().unwrap();
    line.answer(id, "7g7f");
    line.text("+7776FU,T3");
    line.text("-3334FU,T10");
    let id = line.asked().unwrap();
    (line, id)
}

fn resumed(game: SuspendedGame, now: Instant, before: &Session, moves: &[(&str, u64)]) -> Line {
    let settings = SessionSettings { first_request: before.next_request(), ..settings() };
    let mut line = Line::over(Session::resuming(settings, game), now);
    line.offer(&summary(moves));
    assert_eq!(line.sent(), ["AGREE game"]);
    line.text("START:game");
    line
}

const SO_FAR: [(&str, u64); 2] = [("+7776FU", 3), ("-3334FU", 10)];

#[test]
fn the_same_position_is_thought_about_on_and_answered_with_the_first_request() {
    let (line, id) = playing();
    let (game, now, before) = line.lose();
    let mut line = resumed(game, now + Duration::from_secs(20), &before, &SO_FAR);
    assert_eq!((line.asked(), line.saved()), (None, Vec::new()), "it is at work already");
    let clocks = line.session.clocks().unwrap();
    assert_eq!(clocks.of(Color::Black).remaining, Duration::from_secs(62));
    assert_eq!(clocks.of(Color::White).remaining, Duration::from_secs(55));
    line.answer(id, "2g2f");
    assert_eq!(line.sent(), ["+2726FU"]);
    line.text("+2726FU,T30");
    assert_eq!(line.saved(), ["+2726FU"]);
}

#[test]
fn an_answer_that_came_meanwhile_is_sent_when_the_game_goes_on() {
    for after_login in [false, true] {
        let (line, id) = playing();
        let (mut game, now, before) = line.lose();
        let mv = crate::shogi::notation::usi::parse_move("2g2f").unwrap();
        let chosen = Chosen::plain(id, Answer::Move(mv));
        if !after_login {
            game.keep_answer(&Chosen::plain(id + 7, Answer::Resign));
            game.keep_answer(&chosen);
        }
        let mut line = Line::over(Session::resuming(settings(), game), now);
        if after_login {
            line.feed(Input::Chosen(chosen));
            assert_eq!(line.sent(), Vec::<String>::new());
        }
        line.offer(&summary(&SO_FAR));
        line.text("START:game");
        assert_eq!(line.sent(), ["+2726FU"], "{after_login}");
        drop(before);
    }
}

#[test]
fn a_move_that_the_server_never_got_is_sent_again() {
    let (mut line, id) = playing();
    line.answer(id, "2g2f");
    let (game, now, before) = line.lose();
    let line = resumed(game, now, &before, &SO_FAR);
    assert_eq!(line.sent(), ["+2726FU"]);
}

#[test]
fn moves_that_were_made_meanwhile_are_made_here() {
    let (mut line, id) = playing();
    line.answer(id, "2g2f");
    let (game, now, before) = line.lose();
    let moves = [SO_FAR[0], SO_FAR[1], ("+2726FU", 12), ("-8384FU", 1)];
    let mut line = resumed(game, now, &before, &moves);
    assert_eq!(line.saved(), ["+2726FU", "-8384FU"]);
    let id = line.asked().unwrap();
    let clocks = line.session.clocks().unwrap();
    assert_eq!(clocks.of(Color::Black).remaining, Duration::from_secs(55));
    assert_eq!(clocks.turn, Color::Black);
    line.later(4);
    line.answer(id, "2f2e");
    assert_eq!(line.sent(), ["+2625FU"]);
    // Only the opponent is to move: nobody thinks.
    let (line, _) = playing();
    let (game, now, before) = line.lose();
    let line = resumed(game, now, &before, &[SO_FAR[0], SO_FAR[1], ("+2726FU", 12)]);
    assert_eq!((line.saved(), line.asked()), (vec!["+2726FU".to_owned()], None));
    assert!(line.last.iter().any(|action| matches!(action, Action::StopThinking)));
}

#[test]
fn another_game_ends_the_suspended_one() {
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
        let (line, _) = playing();
        let (game, now, _) = line.lose();
        let mut line = Line::over(Session::resuming(settings(), game), now);
        line.offer(&offered);
        assert_eq!(line.saved(), ["broken off"], "{offered:?}");
        assert_eq!(line.sent(), ["AGREE game"]);
        line.text("START:game");
        assert_eq!(line.saved(), ["started"]);
        assert_eq!(line.session.games_ended(), 1);
    }
}

#[test]
fn a_game_that_is_not_resumed_is_handed_out_again_and_ends_as_interrupted() {
    let (line, _) = playing();
    let (game, now, _) = line.lose();
    let mut session = Session::resuming(settings(), game);
    session.handle(now, Input::Connected);
    let actions = session.handle(now, Input::Line(&super::Line::text("LOGIN:incorrect")));
    assert!(matches!(actions.last(), Some(Action::Close(Farewell::LoginRefused(_)))));
    let game = session.take_suspended().unwrap();
    assert_eq!(game.game().len(), 2);
    assert!(game.longest_left() >= Duration::from_secs(60));
    let end = game.interrupted();
    assert_eq!((end.outcome, end.end.winner), (Outcome::None, None));
    assert_eq!((end.end.reason, end.end.side_to_move), (EndReason::Interrupted, Color::Black));
}

#[test]
fn who_has_resigned_or_left_suspends_nothing() {
    let (mut line, id) = playing();
    line.feed(Input::Chosen(Chosen::plain(id, Answer::Resign)));
    line.feed(Input::Lost(Cause::EndOfStream));
    assert_eq!(line.saved(), ["resignation"]);
    let (mut line, _) = playing();
    line.feed(Input::Lost(Cause::Left));
    assert_eq!(line.saved(), ["broken off"]);
    assert!(line.last.iter().any(|action| matches!(action, Action::StopThinking)));
}
