//! Random servers, players and users.

use proptest::prelude::*;

use super::*;

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
    /// The echo of the move sent last.
    Echo,
    /// A legal move by the side to move.
    ServerMove(prop::sample::Index),
    /// An answer with a legal move, to the request that is this number before the last one.
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

fn perform(harness: &mut Harness, step: Step) {
    let legal = |harness: &Harness, index: prop::sample::Index| {
        let game = &harness.monitor.game.as_ref()?.0;
        let moves = game.position().legal_moves();
        (!moves.is_empty()).then(|| moves[index.index(moves.len())])
    };
    match step {
        Step::Line(text) => {
            harness.line(&text);
        }
        Step::TooLong => {
            harness.feed(Input::Line(Line::TooLong));
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
            harness.lines(&summary.to_lines());
        }
        Step::Start => {
            harness.line("START:game");
        }
        Step::Echo => {
            if let Some(word) = harness.monitor.last_word.clone() {
                harness.line(&format!("{word},T1"));
            }
        }
        Step::ServerMove(index) => {
            if let Some(mv) = legal(harness, index) {
                let game = &harness.monitor.game.as_ref().unwrap().0;
                let word = csa::format_move(game.position(), mv);
                harness.line(&format!("{word},T1"));
            }
        }
        Step::Answer(index, back) => {
            if let Some(mv) = legal(harness, index) {
                let id = harness.monitor.request.saturating_sub(back);
                let mut chosen = Chosen::plain(id, Answer::Move(mv));
                let mut after = harness.monitor.game.as_ref().unwrap().0.clone();
                after.push(mv).unwrap();
                chosen.ponder = after.position().legal_moves().first().copied();
                harness.feed(Input::Chosen(chosen));
            }
        }
        Step::AnyAnswer(bits, back) => {
            if let Some(mv) = Move::from_bits(bits) {
                let id = harness.monitor.request.saturating_sub(back);
                harness.feed(Input::Chosen(Chosen::plain(id, Answer::Move(mv))));
            }
        }
        Step::Resign => {
            harness.answer(Answer::Resign);
        }
        Step::Declare => {
            harness.answer(Answer::Declare);
        }
        Step::Wait(seconds) => harness.now += Duration::from_secs(seconds),
        Step::Tick => {
            harness.feed(Input::Tick);
        }
        Step::Quit(now) => {
            harness.feed(Input::Quit(if now { When::Now } else { When::AfterGame }));
        }
        Step::Lost => {
            harness.feed(Input::Lost(Cause::EndOfStream));
        }
        Step::Connected => {
            harness.feed(Input::Connected);
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

    /// The monitor checks every action: nothing out of turn, nothing illegal, no `%CHUDAN`, no empty line too
    /// early, one end for every game.
    #[test]
    fn random_inputs_never_cause_an_invalid_line(
        profile in any_profile(),
        begun in any::<bool>(),
        steps in prop::collection::vec(any_step(), 0..120),
    ) {
        let mut harness = if begun {
            Harness::playing(profile, Color::Black)
        } else {
            let mut harness = Harness::new(profile);
            harness.feed(Input::Connected);
            harness
        };
        for step in steps {
            perform(&mut harness, step);
            if harness.monitor.closed {
                break;
            }
        }
        harness.feed(Input::Lost(Cause::EndOfStream));
        prop_assert!(harness.monitor.closed && harness.session.is_over());
        prop_assert!(harness.feed(Input::Tick).is_empty());
        prop_assert!(harness.line("#WIN").is_empty());
    }

    /// The session's memory stays bounded with a hostile server.
    #[test]
    fn memory_stays_bounded(line in "(#|%|\\+7776FU,T|##\\[|BEGIN |P1|)\\PC{0,20}") {
        let mut harness = Harness::playing(Profile::Auto, Color::Black);
        let long = format!("{line}{}", "x".repeat(40_000));
        for _ in 0..50 {
            harness.line(&line);
            harness.line(&long);
        }
        let play = match &harness.session.state {
            State::Game(GamePhase::Playing(play)) => Some(&**play),
            State::Game(GamePhase::Ending(ending)) => Some(&ending.running),
            _ => None,
        };
        if let Some(play) = play {
            prop_assert!(play.lines.iter().map(String::len).sum::<usize>() < 16 * 500);
            prop_assert!(play.unknown_reason.as_ref().is_none_or(|word| word.len() < 500));
        }
    }
}
