mod agreement;
mod harness;
mod random;
mod set_up;
mod states;
mod suspended;
mod unfinished;

use super::super::event::EndEvent;
use super::super::message::Special;
use super::super::profile::Profile;
use super::super::summary::{GameSummary, SetupMove};
use super::*;
use crate::text::Secret;
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Color, EndReason, EnteringKingRule, Finding, Game, Move, Outcome, Score};
use std::time::Duration;

use harness::{Harness, LOGIN, STATES, offer, reached};

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
                chosen.finding.pv.extend(begins_with_the_move.then_some(mv));
                chosen.finding.pv.extend((!line.is_empty()).then(|| reply(line)));
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
    summary.start = kyomi_shogi::Position::from_sfen("8k/9/9/9/9/9/9/9/4K2R1 b - 1").unwrap();
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
        let found = Finding { score, pv: pv.to_vec(), ..Finding::default() };
        let analysis = comment::analysis(&game, line.moves()[0], &found);
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
    let finding = Finding { score, depth, ..Finding::default() };
    let chosen = Chosen { finding, ..Chosen::plain(id, Answer::Resign) };
    harness.feed(Input::Chosen(chosen));
    harness.line("%TORYO,T1");
    harness.line("#RESIGN");
    harness.line("#LOSE");
    let analysis = harness.ended().unwrap().analysis.clone().unwrap();
    assert_eq!((analysis.score, analysis.depth), (score, depth));
    let position = "startpos moves 7g7f";
    let game = kyomi_shogi::notation::usi::parse_position_line(position).unwrap();
    let white = comment::last_analysis(&game, &Finding { score, ..Finding::default() });
    assert_eq!(white.unwrap().score, Some(Score::Cp(3050)));
    assert_eq!(comment::last_analysis(&game, &Finding::default()), None);
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
            "at the end of the game" | "while the game is suspended" => Some(SessionEnd::NextGame),
            "while leaving" => Some(SessionEnd::Done),
            "after the end" => None,
            _ => lost(),
        };
        assert_eq!(harness.session_end(), expected.as_ref(), "{name}");
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
    let actions = session.handle(now, Input::Line(Line::text(LOGIN)));
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
        summary.start = kyomi_shogi::Position::from_sfen(sfen).unwrap();
        let mut harness = Harness::started(Profile::Kyomi, &summary.to_lines());
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
    summary.start = kyomi_shogi::Position::from_sfen("9/4K4/9/9/9/9/9/8k/9 b - 1").unwrap();
    for result in [Some("#WIN"), None] {
        let mut harness = Harness::started(Profile::Kyomi, &summary.to_lines());
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
            assert!(!harness.session.in_game());
            if harness.ended().is_none() {
                harness.feed(Input::Lost(Cause::EndOfStream));
            }
            assert_eq!(harness.ended().unwrap().end.reason, EndReason::Adjourned);
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
    assert_eq!(harness.session_end(), Some(&SessionEnd::Done));
}
