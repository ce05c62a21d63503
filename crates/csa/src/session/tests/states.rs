//! Every input in every state.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::*;

/// The lines of a server, at least one for each kind of message.
const LINES: [&str; 33] = [
    "LOGIN:kyomi OK",
    "LOGIN:incorrect",
    "LOGOUT:completed",
    "##[X] text",
    "##[ERROR] text",
    "BEGIN Game_Summary",
    "BEGIN Reconnect_State",
    "START:game",
    "START:other",
    "START",
    "REJECT:game by b",
    "REJECT:other by b",
    "+7776FU,T1",
    "-3334FU,T1",
    "+7775FU,T1",
    "+9999ZZ",
    "%TORYO,T1",
    "%KACHI,T1",
    "%CHUDAN",
    "%MATTA",
    "#WIN",
    "#LOSE",
    "#DRAW",
    "#CENSORED",
    "#CHUDAN",
    "#RESIGN",
    "#TIME_UP",
    "#SENNICHITE",
    "#ABNORMAL",
    "#NOTICE",
    "",
    "END Game_Summary",
    "hello",
];

/// Gives an input to a session.
type Feed = fn(&mut Harness, &str);

/// What happens to the session, and its name.
fn inputs() -> Vec<(String, Feed)> {
    let others: [(&str, Feed); 13] = [
        ("connected", |harness, _| {
            harness.feed(Input::Connected);
        }),
        ("a move is chosen", |harness, _| {
            let mv = kyomi_shogi::notation::usi::parse_move("7g7f").unwrap();
            harness.answer(Answer::Move(mv));
        }),
        ("resignation is chosen", |harness, _| {
            harness.answer(Answer::Resign);
        }),
        ("an old request is answered", |harness, _| {
            harness.feed(Input::Chosen(Chosen::plain(99, Answer::Resign)));
        }),
        ("prepared", |harness, _| {
            harness.feed(Input::Prepared);
        }),
        ("tick", |harness, _| {
            harness.feed(Input::Tick);
        }),
        ("tick after 400 s", |harness, _| {
            harness.later(400);
            harness.feed(Input::Tick);
        }),
        ("suspend", |harness, _| {
            harness.monitor.may_suspend = true;
            harness.feed(Input::Suspend);
        }),
        ("quit after the game", |harness, _| {
            harness.feed(Input::Quit(When::AfterGame));
        }),
        ("quit now", |harness, _| {
            harness.feed(Input::Quit(When::Now));
        }),
        ("lost", |harness, _| {
            harness.feed(Input::Lost(Cause::EndOfStream));
        }),
        ("left", |harness, _| {
            harness.feed(Input::Lost(Cause::Left));
        }),
        ("a line is too long", |harness, _| {
            harness.feed(Input::Line(Line::TooLong));
        }),
    ];
    let line: fn(&mut Harness, &str) = |harness, name| {
        harness.line(name.trim_matches('"'));
    };
    let lines = LINES.map(|text| (format!("\"{text}\""), line));
    others.map(|(name, feed)| (name.to_owned(), feed)).into_iter().chain(lines).collect()
}

/// The first word of a value's debug form: its variant.
fn variant(value: &dyn std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

fn describe(action: &Action) -> Option<String> {
    Some(match action {
        Action::Send(message) => format!("send \"{}\"", message.to_line()),
        Action::Think(_) => "think".to_owned(),
        Action::Ponder(_) => "ponder".to_owned(),
        Action::StopThinking => "stop".to_owned(),
        Action::Save(GameEvent::Ended(end)) => {
            format!("ended ({}, {})", end.outcome, end.end.reason)
        }
        Action::Save(event) => variant(event).to_lowercase(),
        Action::Show(GameEvent::Warning(Warning::Unexpected { .. })) => "unexpected".to_owned(),
        Action::Show(GameEvent::Warning(warning)) => format!("warning {}", variant(warning)),
        Action::Show(event) => format!("show {}", variant(event)),
        Action::WakeAt(_) => return None,
        Action::Close(end) => format!("close ({})", variant(end)),
    })
}

/// What the input does: the actions, and the state that it leads to.
fn outcome(harness: &Harness, before: &str) -> String {
    let mut words: Vec<_> = harness.last.iter().filter_map(describe).collect();
    let after = harness.session.state.describe();
    if after != before {
        words.push(format!("now {after}"));
    }
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}

/// What becomes of every input in every state. An input that has no place in a state is harmless there.
#[test]
fn every_input_is_handled_in_every_state() {
    let mut text = String::new();
    for (lines, name) in STATES {
        let mut outcomes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (input, feed) in inputs() {
            let mut harness = reached(lines);
            feed(&mut harness, &input);
            outcomes.entry(outcome(&harness, name)).or_default().push(input);
        }
        writeln!(text, "{name}").unwrap();
        for (outcome, inputs) in outcomes {
            writeln!(text, "  {}: {outcome}", inputs.join(", ")).unwrap();
        }
    }
    expect_test::expect_file!["states.txt"].assert_eq(&text);
}

/// A new state, input or message must enter the lists above.
#[test]
fn the_lists_are_complete() {
    let states: BTreeSet<_> =
        STATES.map(|(lines, _)| variant_of_state(&reached(lines).session.state)).into();
    assert_eq!(states, (0..11).collect());
    let messages: BTreeSet<_> =
        LINES.map(|line| variant_of_message(&ServerMessage::parse(line))).into();
    assert_eq!(messages, (0..14).collect());
}

fn variant_of_state(state: &State) -> usize {
    match state {
        State::Lobby(Lobby::Offline) => 0,
        State::Lobby(Lobby::LoggingIn { .. }) => 1,
        State::Lobby(Lobby::Waiting(_)) => 2,
        State::Lobby(Lobby::Agreeing) => 3,
        State::Lobby(Lobby::Starting { .. }) => 4,
        State::Lobby(Lobby::Resuming { .. }) => 5,
        State::Game(GamePhase::Playing(_)) => 6,
        State::Game(GamePhase::Ending(_)) => 7,
        State::Game(GamePhase::Suspended(_)) => 8,
        State::Closing(Closing::LoggingOut { .. }) => 9,
        State::Closing(Closing::Closed) => 10,
    }
}

fn variant_of_message(message: &ServerMessage) -> usize {
    match message {
        ServerMessage::LoginOk { .. } => 0,
        ServerMessage::LoginIncorrect { .. } => 1,
        ServerMessage::LogoutCompleted => 2,
        ServerMessage::Notice { .. } => 3,
        ServerMessage::BeginSummary => 4,
        ServerMessage::BeginReconnectState => 5,
        ServerMessage::Start { .. } => 6,
        ServerMessage::Reject { .. } => 7,
        ServerMessage::Move { .. } => 8,
        ServerMessage::Special { .. } => 9,
        ServerMessage::Result(_) => 10,
        ServerMessage::Reason(_) => 11,
        ServerMessage::KeepAlive => 12,
        ServerMessage::Unknown(_) => 13,
    }
}
