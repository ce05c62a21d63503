use std::time::Duration;

use proptest::prelude::*;

use super::super::event::{EndReason, GameEnd, Outcome, Score};
use super::super::message::Special;
use super::super::profile::Profile;
use super::super::summary::{GameSummary, SetupMove};
use super::*;
use crate::config::Secret;
use crate::shogi::notation::csa;
use crate::shogi::{Color, Game, Move};

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
            Action::Show(_) => {}
            Action::WakeAt(at) => assert!(*at >= self.last_sent.unwrap_or(*at)),
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
        self.last = self.session.handle(self.now, input);
        if answered && self.last.iter().any(|action| matches!(action, Action::Send(_))) {
            self.monitor.thinking = false;
        }
        for action in &self.last {
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

    fn ended(&self) -> Option<&GameEnd> {
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
    assert_eq!((end.outcome, end.record_word()), (Outcome::Win, "%+ILLEGAL_ACTION"));
}

#[test]
fn the_end_words_of_records_keep_the_result() {
    let (black, white) = (Color::Black, Color::White);
    let end = |outcome, reason, side_to_move| {
        let winner = match outcome {
            Outcome::Win => Some(black),
            Outcome::Lose => Some(white),
            Outcome::Draw | Outcome::None => None,
        };
        let (spent, lines) = (None, Vec::new());
        GameEnd { outcome, reason, winner, side_to_move, spent, lines }.record_word()
    };
    for (outcome, reason, side, word) in [
        (Outcome::Win, EndReason::Resign, white, "%TORYO"),
        (Outcome::Win, EndReason::Resign, black, "%-ILLEGAL_ACTION"),
        (Outcome::Lose, EndReason::TimeUp, black, "%TIME_UP"),
        (Outcome::Lose, EndReason::TimeUp, white, "%+ILLEGAL_ACTION"),
        (Outcome::Lose, EndReason::IllegalMove, black, "%ILLEGAL_MOVE"),
        (Outcome::Lose, EndReason::IllegalMove, white, "%+ILLEGAL_ACTION"),
        (Outcome::Win, EndReason::IllegalAction, white, "%-ILLEGAL_ACTION"),
        (Outcome::Draw, EndReason::Sennichite, black, "%SENNICHITE"),
        (Outcome::Lose, EndReason::OuteSennichite, white, "%+ILLEGAL_ACTION"),
        (Outcome::Win, EndReason::OuteSennichite, white, "%-ILLEGAL_ACTION"),
        (Outcome::Win, EndReason::Jishogi, black, "%KACHI"),
        (Outcome::Draw, EndReason::Jishogi, black, "%JISHOGI"),
        (Outcome::Draw, EndReason::MaxMoves, black, "%MAX_MOVES"),
        (Outcome::None, EndReason::MaxMoves, black, "%MAX_MOVES"),
        (Outcome::None, EndReason::Suspended, black, "%CHUDAN"),
        (Outcome::None, EndReason::Abnormal, black, "%ERROR"),
        (Outcome::Lose, EndReason::Abnormal, black, "%+ILLEGAL_ACTION"),
        (Outcome::None, EndReason::Interrupted, black, "%CHUDAN"),
        (Outcome::Win, EndReason::Unstated, white, "%TORYO"),
        (Outcome::Draw, EndReason::Unknown("X".into()), white, "%HIKIWAKE"),
    ] {
        assert_eq!(end(outcome, reason.clone(), side), word, "{outcome:?} {reason:?} {side}");
    }
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
        comment::format(&game, line.moves()[0], &analysis)
    };
    let cp = |value| Some(Score::Cp(value));
    let with_reply = Some("* 30 -3334FU +8822UM -3122GI".to_owned());
    assert_eq!(text(cp(30), &pv), with_reply, "a line that begins with the move");
    assert_eq!(text(cp(30), &pv[1..]), with_reply, "a line that begins with the reply");
    assert_eq!(text(cp(-7), &[]), Some("* -7".to_owned()));
    assert_eq!(text(cp(1), &[pv[0], pv[2]]), Some("* 1".to_owned()), "impossible moves end it");
    assert_eq!(text(None, &pv), None);
}

/// What a random test does next.
#[derive(Clone, Debug)]
enum Step {
    Line(String),
    TooLong,
    Offer {
        color: bool,
        set_up: usize,
    },
    Start,
    /// The echo of what was sent last.
    Echo,
    /// A legal move by the side to move, whoever it is.
    ServerMove(prop::sample::Index),
    /// An answer with a legal move, to the last request or to that many before it.
    Answer(prop::sample::Index, u64),
    AnyAnswer(u16, u64),
    Resign,
    Declare,
    Wait(u64),
    Tick,
    Quit(bool),
    Lost,
    Connected,
}

fn any_step() -> impl Strategy<Value = Step> {
    let index = any::<prop::sample::Index>;
    let words = prop::sample::select(vec![
        "LOGIN:kyomi OK",
        "LOGIN:incorrect",
        "LOGOUT:completed",
        "REJECT:game by x",
        "START:",
        "START:other",
        "##[ERROR] no",
        "##[X]",
        "%TORYO",
        "%TORYO,T1",
        "%KACHI,T1",
        "%CHUDAN",
        "%MATTA",
        "#RESIGN",
        "#TIME_UP",
        "#SENNICHITE",
        "#ABNORMAL",
        "#MAX_MOVES",
        "#JISHOGI",
        "#X",
        "#WIN",
        "#LOSE",
        "#DRAW",
        "#CENSORED",
        "#CHUDAN",
        "",
        "BEGIN Game_Summary",
        "END Game_Summary",
        "+7776FU,T1",
        "-3334FU",
        "+5555OU,T9",
        "-0055FU",
    ]);
    prop_oneof![
        4 => words.prop_map(|word| Step::Line(word.to_owned())),
        1 => "\\PC{0,12}".prop_map(Step::Line),
        1 => Just(Step::TooLong),
        6 => (any::<bool>(), 0usize..4).prop_map(|(color, set_up)| Step::Offer { color, set_up }),
        6 => Just(Step::Start),
        12 => Just(Step::Echo),
        12 => index().prop_map(Step::ServerMove),
        12 => (index(), 0u64..2).prop_map(|(index, back)| Step::Answer(index, back)),
        2 => (any::<u16>(), 0u64..2).prop_map(|(bits, back)| Step::AnyAnswer(bits, back)),
        1 => Just(Step::Resign),
        1 => Just(Step::Declare),
        2 => (0u64..100).prop_map(Step::Wait),
        2 => Just(Step::Tick),
        1 => any::<bool>().prop_map(Step::Quit),
        1 => Just(Step::Lost),
        1 => Just(Step::Connected),
    ]
}

fn take(bench: &mut Bench, step: Step) {
    let legal = |bench: &Bench, index: prop::sample::Index| {
        let game = &bench.monitor.game.as_ref()?.0;
        let moves = game.position().legal_moves();
        (!moves.is_empty()).then(|| moves[index.index(moves.len())])
    };
    match step {
        Step::Line(text) => {
            bench.line(&text);
        }
        Step::TooLong => {
            bench.feed(Input::Line(&Line::TooLong));
        }
        Step::Offer { color, set_up } => {
            let mut summary = GameSummary::new("game", "a", "b");
            summary.your_turn = if color { Color::Black } else { Color::White };
            let mut game = Game::default();
            for word in ["+7776FU", "-3334FU", "+2726FU"].iter().take(set_up) {
                let mv = csa::parse_move(game.position(), word).unwrap();
                game.push(mv).unwrap();
                summary.moves.push(SetupMove { mv, spent: None });
            }
            bench.lines(&summary.to_lines());
        }
        Step::Start => {
            bench.line("START:game");
        }
        Step::Echo => {
            if let Some(word) = bench.monitor.last_word.clone() {
                bench.line(&format!("{word},T1"));
            }
        }
        Step::ServerMove(index) => {
            if let Some(mv) = legal(bench, index) {
                let game = &bench.monitor.game.as_ref().unwrap().0;
                let word = csa::format_move(game.position(), mv);
                bench.line(&format!("{word},T1"));
            }
        }
        Step::Answer(index, back) => {
            if let Some(mv) = legal(bench, index) {
                let id = bench.monitor.request.saturating_sub(back);
                let mut chosen = Chosen::plain(id, Answer::Move(mv));
                let mut after = bench.monitor.game.as_ref().unwrap().0.clone();
                after.push(mv).unwrap();
                chosen.ponder = after.position().legal_moves().first().copied();
                bench.feed(Input::Chosen(chosen));
            }
        }
        Step::AnyAnswer(bits, back) => {
            if let Some(mv) = Move::from_bits(bits) {
                let id = bench.monitor.request.saturating_sub(back);
                bench.feed(Input::Chosen(Chosen::plain(id, Answer::Move(mv))));
            }
        }
        Step::Resign => {
            bench.answer(Answer::Resign);
        }
        Step::Declare => {
            bench.answer(Answer::Declare);
        }
        Step::Wait(seconds) => bench.now += Duration::from_secs(seconds),
        Step::Tick => {
            bench.feed(Input::Tick);
        }
        Step::Quit(now) => {
            bench.feed(Input::Quit(if now { When::Now } else { When::AfterGame }));
        }
        Step::Lost => {
            bench.feed(Input::Lost(Cause::EndOfStream));
        }
        Step::Connected => {
            bench.feed(Input::Connected);
        }
    }
}

fn any_profile() -> impl Strategy<Value = Profile> {
    prop::sample::select(vec![
        Profile::Auto,
        Profile::Reference,
        Profile::Floodgate,
        Profile::Wcsc,
        Profile::Kyomi,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// The monitor judges every action: nothing out of turn, nothing illegal, no suspension, no empty line too
    /// early, one end for every game.
    #[test]
    fn whatever_happens_nothing_wrong_is_sent(
        profile in any_profile(),
        begun in any::<bool>(),
        steps in prop::collection::vec(any_step(), 0..120),
    ) {
        let mut bench = if begun {
            Bench::playing(profile, Color::Black)
        } else {
            let mut bench = Bench::new(profile);
            bench.feed(Input::Connected);
            bench
        };
        for step in steps {
            take(&mut bench, step);
            if bench.monitor.closed {
                break;
            }
        }
        bench.feed(Input::Lost(Cause::EndOfStream));
        prop_assert!(bench.monitor.closed && bench.session.is_over());
        prop_assert!(bench.feed(Input::Tick).is_empty());
        prop_assert!(bench.line("#WIN").is_empty());
    }

    /// A hostile server cannot make the session hold more and more.
    #[test]
    fn memory_stays_bounded(line in "(#|%|\\+7776FU,T|##\\[|BEGIN |P1|)\\PC{0,20}") {
        let mut bench = Bench::playing(Profile::Auto, Color::Black);
        let long = format!("{line}{}", "x".repeat(40_000));
        for _ in 0..50 {
            bench.line(&line);
            bench.line(&long);
        }
        let play = match &bench.session.state {
            State::Playing(play) => Some(&**play),
            State::Ending(ending) => Some(&ending.play),
            _ => None,
        };
        if let Some(play) = play {
            prop_assert!(play.lines.iter().map(String::len).sum::<usize>() < 16 * 500);
            prop_assert!(play.strange_reason.as_ref().is_none_or(|word| word.len() < 500));
        }
    }
}
