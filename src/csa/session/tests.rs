mod random;
mod set_up;
mod suspended;

use super::super::event::EndEvent;
use super::super::message::Special;
use super::super::profile::Profile;
use super::super::summary::{GameSummary, SetupMove};
use super::*;
use crate::config::Secret;
use crate::shogi::notation::csa;
use crate::shogi::{Color, EndReason, Game, Move, Outcome, Score};
use std::time::Duration;

/// A session with its time and everything it has done.
struct Bench {
    session: Session,
    now: Instant,
    last: Vec<Action>,
    monitor: Monitor,
}

/// An independent judge of what is sent: it sees actions only.
#[derive(Default)]
struct Monitor {
    game: Option<(Game, Color)>,
    /// Something was sent in this turn already.
    spoken: bool,
    last_sent: Option<Instant>,
    last_word: Option<String>,
    request: u64,
    thinking: bool,
    started: u32,
    ended: u32,
    closed: bool,
}

impl Monitor {
    fn see(&mut self, now: Instant, action: &Action) {
        assert!(!self.closed, "{action:?} after the end");
        match action {
            Action::Send(message) => {
                match message {
                    ClientMessage::Move { word, .. } => {
                        let (game, color) = self.game.as_ref().expect("a move outside a game");
                        let position = game.position();
                        assert_eq!(position.side_to_move(), *color, "a move out of turn");
                        let mv = csa::parse_move(position, word.as_str()).unwrap();
                        assert!(position.is_legal(mv), "{word} is illegal");
                        assert!(!self.spoken, "two words in one turn");
                        self.spoken = true;
                        self.last_word = Some(word.to_string());
                    }
                    ClientMessage::Special(word) => {
                        let (game, color) = self.game.as_ref().expect("a word outside a game");
                        let position = game.position();
                        assert_eq!(position.side_to_move(), *color, "a word out of turn");
                        assert!(!self.spoken, "two words in one turn");
                        match word {
                            Special::Toryo => {}
                            Special::Kachi => assert!(position.can_declare()),
                            other => panic!("{other} was sent"),
                        }
                        self.spoken = true;
                    }
                    ClientMessage::KeepAlive => {
                        let since = now - self.last_sent.expect("the login comes first");
                        assert!(since >= Duration::from_secs(30), "an empty line too early");
                    }
                    ClientMessage::Login { .. } => assert_eq!(self.last_sent, None),
                    ClientMessage::Agree { .. }
                    | ClientMessage::Reject { .. }
                    | ClientMessage::Logout => assert!(self.game.is_none()),
                    ClientMessage::Other(line) => panic!("{line} was sent"),
                }
                self.last_sent = Some(now);
                assert!(!message.to_line().contains('\n'));
            }
            Action::Think(snapshot) => {
                let (game, color) = self.game.as_ref().expect("thinking outside a game");
                assert_eq!(snapshot.game.moves(), game.moves());
                assert_eq!(game.position().side_to_move(), *color);
                assert_eq!(snapshot.clocks.turn, *color);
                assert!(snapshot.id > self.request, "ids only grow");
                self.request = snapshot.id;
                self.thinking = true;
            }
            Action::Ponder(snapshot) => {
                let (game, color) = self.game.as_ref().expect("pondering outside a game");
                assert_eq!(snapshot.game.len(), game.len() + 1);
                assert_eq!(snapshot.game.position().side_to_move(), *color);
                assert!(snapshot.id > self.request, "ids only grow");
                self.request = snapshot.id;
                self.thinking = true;
            }
            Action::StopThinking => {
                assert!(self.thinking, "nobody is thinking");
                self.thinking = false;
            }
            Action::Save(GameEvent::Started(start)) => {
                assert!(self.game.is_none());
                self.game = Some((start.summary.game().unwrap(), start.color));
                self.spoken = false;
                self.started += 1;
            }
            Action::Save(GameEvent::Move(event)) => {
                let (game, _) = self.game.as_mut().expect("a move outside a game");
                assert_eq!(event.color, game.position().side_to_move());
                assert_eq!(event.word, csa::format_move(game.position(), event.mv));
                game.push(event.mv).unwrap();
                assert_eq!(event.ply as usize, game.len());
                self.spoken = false;
            }
            Action::Save(GameEvent::Ended(_)) => {
                assert!(self.game.take().is_some());
                self.ended += 1;
            }
            Action::Save(event) => panic!("{event:?} is nothing for the record"),
            Action::Show(GameEvent::Started(_) | GameEvent::Move(_) | GameEvent::Ended(_)) => {
                panic!("{action:?} belongs into the record")
            }
            Action::Show(_) | Action::WakeAt(_) => {}
            Action::Close(_) => {
                assert_eq!(self.started, self.ended, "a game was left without an end");
                self.closed = true;
            }
        }
    }
}

impl Bench {
    fn new(profile: Profile) -> Self {
        let settings = SessionSettings {
            ponder: true,
            ..SessionSettings::new("kyomi", Secret::new("secret"), profile)
        };
        let session = Session::new(settings);
        Self { session, now: Instant::now(), last: Vec::new(), monitor: Monitor::default() }
    }

    fn feed(&mut self, input: Input<'_>) -> &[Action] {
        let answered = matches!(input, Input::Chosen(_));
        let ticked = matches!(input, Input::Tick);
        self.last = self.session.handle(self.now, input);
        if answered && self.last.iter().any(|action| matches!(action, Action::Send(_))) {
            self.monitor.thinking = false;
        }
        for action in &self.last {
            if let Action::WakeAt(at) = action {
                assert!(!ticked || *at > self.now, "a tick settles all that is due");
            }
            self.monitor.see(self.now, action);
        }
        &self.last
    }

    fn line(&mut self, text: &str) -> &[Action] {
        self.feed(Input::Line(&Line::text(text)))
    }

    fn lines(&mut self, lines: &[String]) {
        for line in lines {
            self.line(line);
        }
    }

    fn answer(&mut self, answer: Answer) -> &[Action] {
        let id = self.monitor.request;
        self.feed(Input::Chosen(Chosen::plain(id, answer)))
    }

    /// A game that has begun, playing this side.
    fn playing(profile: Profile, color: Color) -> Self {
        let mut bench = Self::new(profile);
        bench.feed(Input::Connected);
        bench.line("LOGIN:kyomi OK");
        bench.lines(&offer(color));
        bench.line("START:game");
        assert!(bench.session.in_game());
        bench
    }

    fn play(&mut self, word: &str) {
        let game = &self.monitor.game.as_ref().unwrap().0;
        let mv = csa::parse_move(game.position(), word).unwrap();
        self.answer(Answer::Move(mv));
        self.line(&format!("{word},T1"));
    }

    fn ended(&self) -> Option<&EndEvent> {
        self.last.iter().find_map(|action| match action {
            Action::Save(GameEvent::Ended(end)) => Some(end),
            _ => None,
        })
    }

    fn sent(&self) -> Vec<String> {
        self.last
            .iter()
            .filter_map(|action| match action {
                Action::Send(message) => Some(message.to_line()),
                _ => None,
            })
            .collect()
    }
}

fn offer(color: Color) -> Vec<String> {
    let mut summary = GameSummary::new("game", "a", "b");
    summary.your_turn = color;
    summary.to_lines()
}

#[test]
fn a_stale_answer_is_never_sent() {
    let mut bench = Bench::playing(Profile::Kyomi, Color::Black);
    let first = bench.monitor.request;
    bench.play("+7776FU");
    bench.line("-3334FU,T1");
    let mv = Move::from_bits(0x1234);
    for answer in [Answer::Resign, Answer::Declare].into_iter().chain(mv.map(Answer::Move)) {
        assert!(bench.feed(Input::Chosen(Chosen::plain(first, answer))).is_empty());
        assert!(bench.feed(Input::Chosen(Chosen::plain(first + 99, answer))).is_empty());
    }
}

#[test]
fn an_answer_is_taken_once() {
    let mut bench = Bench::playing(Profile::Kyomi, Color::Black);
    bench.answer(Answer::Resign);
    assert_eq!(bench.sent(), ["%TORYO"]);
    assert!(bench.answer(Answer::Resign).is_empty());
}

#[test]
fn the_player_ponders_on_what_it_named_and_on_its_line_only_on_wish() {
    // Named, its line, asked for with PonderMove::Named and with NamedOrPv.
    for (named, line, by_name, by_line) in [
        (Some("8384FU"), "3334FU", Some("8384FU"), Some("8384FU")),
        (None, "3334FU", None, Some("3334FU")),
        (Some("8384FU"), "", Some("8384FU"), Some("8384FU")),
        (None, "", None, None),
    ] {
        for (ponder_move, expected) in
            [(PonderMove::Named, by_name), (PonderMove::NamedOrPv, by_line)]
        {
            for begins_with_the_move in [false, true] {
                let mut bench = Bench::playing(Profile::Kyomi, Color::Black);
                bench.session.settings.ponder_move = ponder_move;
                let game = bench.monitor.game.as_ref().unwrap().0.clone();
                let mv = csa::parse_move(game.position(), "+7776FU").unwrap();
                let mut after = game.clone();
                after.push(mv).unwrap();
                let reply =
                    |word: &str| csa::parse_move(after.position(), &format!("-{word}")).unwrap();
                let mut chosen = Chosen::plain(bench.monitor.request, Answer::Move(mv));
                chosen.ponder = named.map(reply);
                chosen.pv.extend(begins_with_the_move.then_some(mv));
                chosen.pv.extend((!line.is_empty()).then(|| reply(line)));
                bench.feed(Input::Chosen(chosen));
                bench.line("+7776FU,T1");
                let pondered = bench.last.iter().find_map(|action| match action {
                    Action::Ponder(snapshot) => snapshot.game.moves().last().copied(),
                    _ => None,
                });
                assert_eq!(pondered, expected.map(reply), "{named:?} {line} {ponder_move:?}");
            }
        }
    }
}

#[test]
fn in_extended_mode_an_error_after_the_login_is_only_reported() {
    let mut bench = Bench::new(Profile::Floodgate);
    bench.session.settings.extended = true;
    bench.feed(Input::Connected);
    bench.line("LOGIN:kyomi OK");
    let error = bench.line("##[ERROR] no such command");
    assert!(matches!(error, [Action::Show(GameEvent::Warning(Warning::ServerError(_)))]));
    bench.now += Duration::from_secs(11);
    assert!(bench.feed(Input::Tick).is_empty());
    bench.lines(&offer(Color::White));
    assert_eq!(bench.sent(), ["AGREE game"]);
}

#[test]
fn an_answer_after_the_end_is_dropped() {
    let mut bench = Bench::playing(Profile::Kyomi, Color::Black);
    bench.line("#TIME_UP");
    assert!(bench.answer(Answer::Resign).is_empty());
    bench.line("#LOSE");
    assert!(bench.answer(Answer::Resign).is_empty());
}

#[test]
fn perpetual_check_without_a_result_is_judged_by_our_own_rules() {
    let mut summary = GameSummary::new("game", "a", "b");
    summary.your_turn = Color::White;
    summary.start = crate::shogi::Position::from_sfen("8k/9/9/9/9/9/9/9/4K2R1 b - 1").unwrap();
    let mut bench = Bench::new(Profile::Reference);
    bench.feed(Input::Connected);
    bench.line("LOGIN:kyomi OK");
    bench.lines(&summary.to_lines());
    bench.line("START:game");
    for _ in 0..3 {
        bench.line("+2919HI,T1");
        bench.play("-1121OU");
        bench.line("+1929HI,T1");
        bench.play("-2111OU");
    }
    bench.line("+2919HI,T1");
    bench.line("#OUTE_SENNICHITE");
    bench.feed(Input::Lost(Cause::EndOfStream));
    let end = bench.ended().unwrap();
    assert_eq!((end.outcome, end.end.reason.clone()), (Outcome::Win, EndReason::PerpetualCheck));
}

#[test]
fn comments_hold_the_line_without_the_move_itself() {
    let game = Game::default();
    let words = ["+7776FU", "-3334FU", "+8822UM", "-3122GI"];
    let mut line = game.clone();
    let mut pv = Vec::new();
    for word in words {
        let mv = csa::parse_move(line.position(), word).unwrap();
        line.push(mv).unwrap();
        pv.push(mv);
    }
    let text = |score, pv: &[Move]| {
        let answer = Answer::Move(line.moves()[0]);
        let chosen = Chosen { score, pv: pv.to_vec(), ..Chosen::plain(1, answer) };
        let analysis = comment::analysis(&game, line.moves()[0], &chosen);
        comment::format(&game, line.moves()[0], &chosen, &analysis)
    };
    let cp = |value| Some(Score::Cp(value));
    let with_reply = Some("* 30 -3334FU +8822UM -3122GI".to_owned());
    assert_eq!(text(cp(30), &pv), with_reply, "a line that begins with the move");
    assert_eq!(text(cp(30), &pv[1..]), with_reply, "a line that begins with the reply");
    assert_eq!(text(cp(-7), &pv[..1]), Some("* -7".to_owned()));
    assert_eq!(text(cp(-7), &[]), None, "no line from this search");
    assert_eq!(text(cp(1), &[pv[0], pv[2]]), Some("* 1".to_owned()), "impossible moves end it");
    assert_eq!(text(None, &pv), None);
}

#[test]
fn an_absurd_time_of_the_last_word_is_not_recorded() {
    for (time, spent) in [("7", Some(Duration::from_secs(7))), ("999999999999", None)] {
        let mut bench = Bench::playing(Profile::Reference, Color::Black);
        bench.answer(Answer::Resign);
        bench.line(&format!("%TORYO,T{time}"));
        bench.line("#RESIGN");
        bench.line("#LOSE");
        assert_eq!(bench.ended().map(|end| end.spent), Some(spent));
    }
}

/// A session brought to a state by lines.
fn reached(lines: &[&str]) -> Bench {
    let mut bench = Bench::new(Profile::Kyomi);
    if lines.first() != Some(&"offline") {
        bench.feed(Input::Connected);
    }
    for line in lines {
        match *line {
            "offline" => {}
            "offer" => bench.lines(&offer(Color::Black)),
            "quit" => {
                bench.feed(Input::Quit(When::AfterGame));
            }
            line => {
                bench.line(line);
            }
        }
    }
    bench
}

const LOGIN: &str = "LOGIN:kyomi OK";
/// Lines that lead to each state, and the state.
const STATES: [(&[&str], &str); 9] = [
    (&["offline"], "before the connection stands"),
    (&[], "while logging in"),
    (&[LOGIN], "while waiting for a game"),
    (&[LOGIN, "BEGIN Game_Summary", "Game_ID:game"], "while an offer is read"),
    (&[LOGIN, "offer"], "before the game starts"),
    (&[LOGIN, "offer", "START:game"], "in the game"),
    (&[LOGIN, "offer", "START:game", "#TIME_UP"], "at the end of the game"),
    (&[LOGIN, "quit"], "while leaving"),
    (&["LOGIN:incorrect"], "after the end"),
];

fn farewell(bench: &Bench) -> Option<&Farewell> {
    bench.last.iter().find_map(|action| match action {
        Action::Close(farewell) => Some(farewell),
        _ => None,
    })
}

#[test]
fn a_lost_line_ends_the_session_in_every_state() {
    for (lines, name) in STATES {
        let mut bench = reached(lines);
        assert_eq!(bench.session.state.describe(), name);
        bench.feed(Input::Lost(Cause::EndOfStream));
        assert!(bench.session.is_over(), "{name}");
        let lost = || Some(Farewell::Lost(Cause::EndOfStream));
        let expected = match name {
            "in the game" => Some(Farewell::LostInGame {
                cause: Cause::EndOfStream,
                game_left: Duration::from_secs(24 * 60 * 60),
            }),
            "at the end of the game" => Some(Farewell::NextGame),
            "while leaving" => Some(Farewell::Done),
            "after the end" => None,
            _ => lost(),
        };
        assert_eq!(farewell(&bench), expected.as_ref(), "{name}");
    }
}

#[test]
fn a_user_who_stops_now_is_free_soon_in_every_state() {
    for (lines, name) in STATES {
        let mut bench = reached(lines);
        bench.feed(Input::Quit(When::AfterGame));
        bench.feed(Input::Quit(When::Now));
        for _ in 0..30 {
            bench.now += Duration::from_secs(1);
            bench.feed(Input::Tick);
        }
        assert!(bench.session.is_over(), "{name}");
    }
}

#[test]
fn an_early_tick_does_nothing_but_ask_for_the_same_time_again() {
    for (lines, name) in STATES {
        let mut bench = reached(lines);
        assert!(bench.feed(Input::Tick).is_empty(), "{name}");
        assert!(bench.feed(Input::Tick).is_empty(), "{name}");
    }
}

#[test]
fn an_overdue_tick_is_asked_for_anew() {
    let mut bench = reached(&[LOGIN]);
    bench.now += Duration::from_secs(500);
    bench.feed(Input::Tick);
    assert_eq!(bench.sent(), [""]);
    let next = bench.last.iter().find_map(|action| match action {
        Action::WakeAt(at) => Some(*at),
        _ => None,
    });
    assert_eq!(next, Some(bench.now + Duration::from_secs(40)));
}

#[test]
fn a_short_keep_alive_setting_is_lengthened() {
    let mut settings = SessionSettings::new("kyomi", Secret::new("secret"), Profile::Kyomi);
    settings.keep_alive = Duration::from_secs(1);
    let mut session = Session::new(settings);
    let now = Instant::now();
    session.handle(now, Input::Connected);
    let actions = session.handle(now, Input::Line(&Line::text(LOGIN)));
    let expected = now + SessionSettings::SHORTEST_KEEP_ALIVE;
    assert!(matches!(actions.last(), Some(Action::WakeAt(at)) if *at == expected));
}

#[test]
fn there_is_no_declaring_where_the_offer_knows_none() {
    for (rule, word) in
        [(Some("Jishogi 1.1"), "%KACHI"), (None, "%TORYO"), (Some("Other 2.0"), "%TORYO")]
    {
        let mut summary = GameSummary::new("game", "a", "b");
        summary.declaration = rule.map(str::to_owned);
        let sfen = "+P+P+P+PK+B+B+R+R/2+P+P5/9/9/9/9/9/9/4k4 b 2P 1";
        summary.start = crate::shogi::Position::from_sfen(sfen).unwrap();
        let mut bench = Bench::new(Profile::Kyomi);
        bench.feed(Input::Connected);
        bench.line(LOGIN);
        bench.lines(&summary.to_lines());
        bench.line("START:game");
        bench.answer(Answer::Declare);
        assert_eq!(bench.sent(), [word], "{rule:?}");
    }
}

#[test]
fn a_second_offer_replaces_one_that_never_started() {
    let mut bench = reached(&[LOGIN, "offer"]);
    let second: Vec<String> =
        offer(Color::White).iter().map(|line| line.replace(":game", ":second")).collect();
    bench.lines(&second);
    assert_eq!(bench.sent(), ["AGREE second"]);
    bench.line("START:second");
    assert_eq!(bench.monitor.game.as_ref().map(|(_, color)| *color), Some(Color::White));
}

#[test]
fn an_offer_ends_what_was_still_open_of_the_last_game() {
    let mut bench = reached(&[LOGIN, "offer", "START:game", "#WIN"]);
    bench.line("BEGIN Game_Summary");
    assert_eq!(bench.ended().map(|end| end.outcome), Some(Outcome::Win));
    bench.lines(&offer(Color::White)[1..]);
    assert_eq!(bench.sent(), ["AGREE game"]);
}
