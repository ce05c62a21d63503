mod agreement;
mod disconnected;
mod random;
mod set_up;

use super::super::event::EndEvent;
use super::super::message::Special;
use super::super::profile::Profile;
use super::super::summary::{GameSummary, SetupMove};
use super::*;
use crate::config::Secret;
use crate::shogi::notation::csa;
use crate::shogi::{Color, EndReason, EnteringKingRule, Game, Move, Outcome, Score};
use std::time::Duration;

/// A session with a clock and a monitor of its actions.
struct Harness {
    session: Session,
    now: Instant,
    last: Vec<Action>,
    monitor: Monitor,
}

/// Checks the actions of a session independently of its state.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about a session")]
struct Monitor {
    game: Option<(Game, Color)>,
    /// Something was already sent in this turn.
    sent_in_turn: bool,
    last_sent: Option<Instant>,
    last_word: Option<String>,
    request: u64,
    thinking: bool,
    started: u32,
    ended: u32,
    closed: bool,
    /// The user wants to suspend the game.
    may_suspend: bool,
}

impl Monitor {
    fn check_sent(&mut self, now: Instant, message: &ClientMessage) {
        match message {
            ClientMessage::Move { word, .. } => {
                let (game, color) = self.game.as_ref().expect("a move outside a game");
                let position = game.position();
                assert_eq!(position.side_to_move(), *color, "a move out of turn");
                let mv = csa::parse_move(position, word.as_str()).unwrap();
                assert!(position.is_legal(mv), "{word} is illegal");
                assert!(!self.sent_in_turn, "two lines in one turn");
                self.sent_in_turn = true;
                self.last_word = Some(word.to_string());
            }
            ClientMessage::Special(Special::Chudan) => {
                assert!(self.game.is_some() && self.may_suspend, "%CHUDAN was sent");
            }
            ClientMessage::Special(word) => {
                let (game, color) = self.game.as_ref().expect("a % line outside a game");
                let position = game.position();
                assert_eq!(position.side_to_move(), *color, "a % line out of turn");
                assert!(!self.sent_in_turn, "two lines in one turn");
                match word {
                    Special::Toryo => {}
                    Special::Kachi => assert!(position.can_declare(EnteringKingRule::default())),
                    other => panic!("{other} was sent"),
                }
                self.sent_in_turn = true;
            }
            ClientMessage::KeepAlive => {
                let since = now - self.last_sent.expect("the login comes first");
                assert!(since >= Duration::from_secs(30), "an empty line too early");
            }
            ClientMessage::Login { .. } => assert_eq!(self.last_sent, None),
            ClientMessage::Agree { .. }
            | ClientMessage::Reject { .. }
            | ClientMessage::Extended(_)
            | ClientMessage::Logout => assert!(self.game.is_none()),
            ClientMessage::Other(line) => panic!("{line} was sent"),
        }
    }

    fn check(&mut self, now: Instant, action: &Action) {
        assert!(!self.closed, "{action:?} after the end");
        match action {
            Action::Send(message) => {
                self.check_sent(now, message);
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
                self.sent_in_turn = false;
                self.started += 1;
            }
            Action::Save(GameEvent::Move(event)) => {
                let (game, _) = self.game.as_mut().expect("a move outside a game");
                assert_eq!(event.color, game.position().side_to_move());
                assert_eq!(event.word, csa::format_move(game.position(), event.mv));
                game.push(event.mv).unwrap();
                assert_eq!(event.ply as usize, game.len());
                self.sent_in_turn = false;
            }
            Action::Save(GameEvent::Ended(_)) => {
                assert!(self.game.take().is_some());
                self.ended += 1;
            }
            Action::Save(event) => panic!("{event:?} does not belong into the record"),
            Action::Show(GameEvent::Started(_) | GameEvent::Move(_) | GameEvent::Ended(_)) => {
                panic!("{action:?} belongs into the record")
            }
            Action::Show(_) | Action::WakeAt(_) => {}
            Action::Close(end) => {
                let kept = u32::from(matches!(end, SessionEnd::Disconnected { .. }));
                assert_eq!(self.started, self.ended + kept, "a game was left without an end");
                self.closed = true;
            }
        }
    }
}

impl Harness {
    fn new(profile: Profile) -> Self {
        let settings = SessionSettings {
            ponder: PonderStart::AfterEcho,
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
                assert!(!ticked || *at > self.now, "a tick handles everything that is due");
            }
            self.monitor.check(self.now, action);
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
        let mut harness = Self::new(profile);
        harness.feed(Input::Connected);
        harness.line("LOGIN:kyomi OK");
        harness.lines(&offer(color));
        harness.line("START:game");
        assert!(harness.session.in_game());
        harness
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
    let mut harness = Harness::playing(Profile::Kyomi, Color::Black);
    let first = harness.monitor.request;
    harness.play("+7776FU");
    harness.line("-3334FU,T1");
    let mv = Move::from_bits(0x1234);
    for answer in [Answer::Resign, Answer::Declare].into_iter().chain(mv.map(Answer::Move)) {
        assert!(harness.feed(Input::Chosen(Chosen::plain(first, answer))).is_empty());
        assert!(harness.feed(Input::Chosen(Chosen::plain(first + 99, answer))).is_empty());
    }
}

#[test]
fn an_answer_is_taken_once() {
    let mut harness = Harness::playing(Profile::Kyomi, Color::Black);
    harness.answer(Answer::Resign);
    assert_eq!(harness.sent(), ["%TORYO"]);
    assert!(harness.answer(Answer::Resign).is_empty());
}

#[test]
fn the_player_ponders_on_the_named_move_and_on_its_pv_only_if_configured() {
    // The named move, the PV, then the expected move with PonderMove::Named and with NamedOrPv.
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
                let mut harness = Harness::playing(Profile::Kyomi, Color::Black);
                harness.session.settings.ponder_move = ponder_move;
                let game = harness.monitor.game.as_ref().unwrap().0.clone();
                let mv = csa::parse_move(game.position(), "+7776FU").unwrap();
                let mut after = game.clone();
                after.push(mv).unwrap();
                let reply =
                    |word: &str| csa::parse_move(after.position(), &format!("-{word}")).unwrap();
                let mut chosen = Chosen::plain(harness.monitor.request, Answer::Move(mv));
                chosen.ponder = named.map(reply);
                chosen.pv.extend(begins_with_the_move.then_some(mv));
                chosen.pv.extend((!line.is_empty()).then(|| reply(line)));
                harness.feed(Input::Chosen(chosen));
                harness.line("+7776FU,T1");
                let pondered = harness.last.iter().find_map(|action| match action {
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
    let mut harness = Harness::new(Profile::Floodgate);
    harness.session.settings.extended = true;
    harness.feed(Input::Connected);
    harness.line("LOGIN:kyomi OK");
    let error = harness.line("##[ERROR] no such command");
    assert!(matches!(error, [Action::Show(GameEvent::Warning(Warning::ServerError(_)))]));
    harness.now += Duration::from_secs(11);
    assert!(harness.feed(Input::Tick).is_empty());
    harness.lines(&offer(Color::White));
    assert_eq!(harness.sent(), ["AGREE game"]);
}

#[test]
fn an_answer_after_the_end_is_dropped() {
    let mut harness = Harness::playing(Profile::Kyomi, Color::Black);
    harness.line("#TIME_UP");
    assert!(harness.answer(Answer::Resign).is_empty());
    harness.line("#LOSE");
    assert!(harness.answer(Answer::Resign).is_empty());
}

#[test]
fn perpetual_check_without_a_result_is_decided_by_our_own_rules() {
    let mut summary = GameSummary::new("game", "a", "b");
    summary.your_turn = Color::White;
    summary.start = crate::shogi::Position::from_sfen("8k/9/9/9/9/9/9/9/4K2R1 b - 1").unwrap();
    let mut harness = Harness::new(Profile::Reference);
    harness.feed(Input::Connected);
    harness.line("LOGIN:kyomi OK");
    harness.lines(&summary.to_lines());
    harness.line("START:game");
    for _ in 0..3 {
        harness.line("+2919HI,T1");
        harness.play("-1121OU");
        harness.line("+1929HI,T1");
        harness.play("-2111OU");
    }
    harness.line("+2919HI,T1");
    harness.line("#OUTE_SENNICHITE");
    harness.feed(Input::Lost(Cause::EndOfStream));
    let end = harness.ended().unwrap();
    assert_eq!((end.outcome, end.end.reason.clone()), (Outcome::Win, EndReason::PerpetualCheck));
}

#[test]
fn comments_contain_the_pv_without_the_move_itself() {
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
        comment::format(&game, line.moves()[0], &analysis)
    };
    let cp = |value| Some(Score::Cp(value));
    let with_reply = Some("* 30 -3334FU +8822UM -3122GI".to_owned());
    assert_eq!(text(cp(30), &pv), with_reply, "a line that begins with the move");
    assert_eq!(text(cp(30), &pv[1..]), with_reply, "a line that begins with the reply");
    assert_eq!(text(cp(-7), &pv[..1]), Some("* -7".to_owned()));
    assert_eq!(text(cp(-7), &[]), Some("* -7".to_owned()), "a score alone");
    assert_eq!(text(Some(Score::Win(None)), &[]), Some("* 100000".to_owned()));
    assert_eq!(text(Some(Score::Loss(Some(4))), &[]), Some("* -100000".to_owned()));
    assert_eq!(text(cp(1), &[pv[0], pv[2]]), Some("* 1".to_owned()), "impossible moves end it");
    assert_eq!(text(None, &pv), None);
}

#[test]
fn the_end_has_the_score_of_a_resignation_from_blacks_side() {
    let mut harness = Harness::playing(Profile::Reference, Color::Black);
    let (score, depth) = (Some(Score::Cp(-3050)), Some(9));
    let id = harness.monitor.request;
    let chosen = Chosen { score, depth, ..Chosen::plain(id, Answer::Resign) };
    harness.feed(Input::Chosen(chosen));
    harness.line("%TORYO,T1");
    harness.line("#RESIGN");
    harness.line("#LOSE");
    let analysis = harness.ended().unwrap().analysis.clone().unwrap();
    assert_eq!((analysis.score, analysis.depth), (score, depth));
    let position = "startpos moves 7g7f";
    let game = crate::shogi::notation::usi::parse_position_line(position).unwrap();
    let white =
        comment::last_analysis(&game, &Chosen { score, ..Chosen::plain(0, Answer::Resign) });
    assert_eq!(white.unwrap().score, Some(Score::Cp(3050)));
    assert_eq!(comment::last_analysis(&game, &Chosen::plain(0, Answer::Resign)), None);
}

#[test]
fn an_impossible_time_of_the_final_line_is_not_recorded() {
    for (time, spent) in [("7", Some(Duration::from_secs(7))), ("999999999999", None)] {
        let mut harness = Harness::playing(Profile::Reference, Color::Black);
        harness.answer(Answer::Resign);
        harness.line(&format!("%TORYO,T{time}"));
        harness.line("#RESIGN");
        harness.line("#LOSE");
        assert_eq!(harness.ended().map(|end| end.spent), Some(spent));
    }
}

/// A session in the state that these lines lead to.
fn reached(lines: &[&str]) -> Harness {
    let mut harness = Harness::new(Profile::Kyomi);
    if lines.first() != Some(&"offline") {
        harness.feed(Input::Connected);
    }
    for line in lines {
        match *line {
            "offline" => {}
            "offer" => harness.lines(&offer(Color::Black)),
            "quit" => {
                harness.feed(Input::Quit(When::AfterGame));
            }
            line => {
                harness.line(line);
            }
        }
    }
    harness
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

fn session_end(harness: &Harness) -> Option<&SessionEnd> {
    harness.last.iter().find_map(|action| match action {
        Action::Close(end) => Some(end),
        _ => None,
    })
}

#[test]
fn losing_the_connection_ends_the_session_in_every_state() {
    for (lines, name) in STATES {
        let mut harness = reached(lines);
        assert_eq!(harness.session.state.describe(), name);
        harness.feed(Input::Lost(Cause::EndOfStream));
        assert!(harness.session.is_over(), "{name}");
        let lost = || Some(SessionEnd::Lost(Cause::EndOfStream));
        let expected = match name {
            "in the game" => Some(SessionEnd::Disconnected {
                cause: Cause::EndOfStream,
                game_left: Duration::from_secs(24 * 60 * 60),
            }),
            "at the end of the game" => Some(SessionEnd::NextGame),
            "while leaving" => Some(SessionEnd::Done),
            "after the end" => None,
            _ => lost(),
        };
        assert_eq!(session_end(&harness), expected.as_ref(), "{name}");
    }
}

#[test]
fn a_request_to_stop_now_ends_the_session_soon_in_every_state() {
    for (lines, name) in STATES {
        let mut harness = reached(lines);
        harness.feed(Input::Quit(When::AfterGame));
        harness.feed(Input::Quit(When::Now));
        for _ in 0..30 {
            harness.now += Duration::from_secs(1);
            harness.feed(Input::Tick);
        }
        assert!(harness.session.is_over(), "{name}");
    }
}

#[test]
fn a_tick_before_its_time_does_nothing() {
    for (lines, name) in STATES {
        let mut harness = reached(lines);
        assert!(harness.feed(Input::Tick).is_empty(), "{name}");
        assert!(harness.feed(Input::Tick).is_empty(), "{name}");
    }
}

#[test]
fn an_overdue_tick_schedules_the_next_one() {
    let mut harness = reached(&[LOGIN]);
    harness.now += Duration::from_secs(500);
    harness.feed(Input::Tick);
    assert_eq!(harness.sent(), [""]);
    let next = harness.last.iter().find_map(|action| match action {
        Action::WakeAt(at) => Some(*at),
        _ => None,
    });
    assert_eq!(next, Some(harness.now + Duration::from_secs(40)));
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
fn a_declaration_is_sent_only_if_the_rule_of_the_offer_allows_it() {
    let usual = Some("Jishogi 1.1");
    for (declaration, rule, declares) in [
        (usual, None, true),
        (None, None, false),
        (Some("Other 2.0"), None, false),
        (Some("Jishogi 2.0"), None, false),
        (None, Some("CSARule27"), true),
        (None, Some("CSARule27H"), true),
        (usual, Some("CSARule24"), false),
        (usual, Some("CSARule24H"), false),
        (usual, Some("NoEnteringKing"), false),
        (usual, Some("TryRule"), false),
        (usual, Some("CSARule28"), false),
    ] {
        let mut summary = GameSummary::new("game", "a", "b");
        summary.declaration = declaration.map(str::to_owned);
        summary.entering_king_rule = rule.map(str::to_owned);
        // 28 points.
        let sfen = "+P+P+P+PK+B+B+R+R/2+P+P5/9/9/9/9/9/9/4k4 b 2P 1";
        summary.start = crate::shogi::Position::from_sfen(sfen).unwrap();
        let mut harness = Harness::new(Profile::Kyomi);
        harness.feed(Input::Connected);
        harness.line(LOGIN);
        harness.lines(&summary.to_lines());
        harness.line("START:game");
        harness.answer(Answer::Declare);
        // Otherwise a move is played.
        let sent = harness.sent();
        assert_eq!(sent[0] == "%KACHI", declares, "{declaration:?} {rule:?}");
        assert!(sent.len() == 1 && (declares || sent[0].starts_with('+')), "{sent:?}");
    }
}

#[test]
fn by_the_try_rule_the_king_moves_and_wins() {
    let mut summary = GameSummary::new("game", "a", "b");
    summary.set_entering_king(EnteringKingRule::Try);
    summary.start = crate::shogi::Position::from_sfen("9/4K4/9/9/9/9/9/8k/9 b - 1").unwrap();
    for result in [Some("#WIN"), None] {
        let mut harness = Harness::new(Profile::Kyomi);
        harness.feed(Input::Connected);
        harness.line(LOGIN);
        harness.lines(&summary.to_lines());
        harness.line("START:game");
        harness.answer(Answer::Declare);
        assert_eq!(harness.sent(), ["+5251OU"]);
        harness.line("+5251OU,T1");
        harness.line("#JISHOGI");
        match result {
            Some(line) => drop(harness.line(line)),
            None => drop(harness.feed(Input::Lost(Cause::EndOfStream))),
        }
        let end = harness.ended().unwrap();
        assert_eq!((end.outcome, &end.end.reason), (Outcome::Win, &EndReason::Try));
    }
}

#[test]
fn a_game_is_suspended_only_if_the_server_supports_proposals() {
    for profile in Profile::ALL {
        for color in Color::ALL {
            let mut harness = Harness::playing(profile, color);
            harness.monitor.may_suspend = profile == Profile::Kyomi;
            let sent = harness.sent().len();
            harness.feed(Input::Suspend);
            let now = harness.sent();
            assert_eq!(
                now.len() > sent && now.last().unwrap() == "%CHUDAN",
                profile == Profile::Kyomi
            );
            // The game goes on until the opponent agrees.
            assert!(harness.session.in_game());
            harness.line("#CHUDAN");
            assert_eq!(harness.ended().unwrap().end.reason, EndReason::Suspended);
        }
    }
    let mut harness = Harness::new(Profile::Kyomi);
    harness.feed(Input::Suspend);
    assert!(harness.sent().is_empty());
}

#[test]
fn a_second_offer_replaces_one_that_never_started() {
    let mut harness = reached(&[LOGIN, "offer"]);
    let second: Vec<String> =
        offer(Color::White).iter().map(|line| line.replace(":game", ":second")).collect();
    harness.lines(&second);
    assert_eq!(harness.sent(), ["AGREE second"]);
    harness.line("START:second");
    assert_eq!(harness.monitor.game.as_ref().map(|(_, color)| *color), Some(Color::White));
}

#[test]
fn an_id_that_is_not_utf8_is_not_repeated() {
    for end in ["END Game_Summary", "Your_Turn:?\nEND Game_Summary"] {
        let mut harness = reached(&[LOGIN]);
        let offer = offer(Color::Black).join("\n").replace(":game", ":\u{fffd}\u{fffd}w");
        let offer = offer.replace("END Game_Summary", end);
        harness.lines(&offer.lines().map(str::to_owned).collect::<Vec<_>>());
        let answer = if end.starts_with("END") { "AGREE" } else { "REJECT" };
        assert_eq!(harness.sent(), [answer]);
    }
}

#[test]
fn an_offer_ends_a_game_whose_reason_is_missing() {
    let mut harness = reached(&[LOGIN, "offer", "START:game", "#WIN"]);
    harness.line("BEGIN Game_Summary");
    assert_eq!(harness.ended().map(|end| end.outcome), Some(Outcome::Win));
    harness.lines(&offer(Color::White)[1..]);
    assert_eq!(harness.sent(), ["AGREE game"]);
}

#[test]
fn an_offer_that_crosses_our_logout_is_rejected() {
    let mut harness = reached(&[LOGIN, "quit"]);
    assert_eq!(harness.sent(), ["LOGOUT"]);
    harness.lines(&offer(Color::Black));
    assert_eq!(harness.sent(), ["REJECT game"]);
    harness.line("LOGOUT:completed");
    assert_eq!(session_end(&harness), Some(&SessionEnd::Done));
}
