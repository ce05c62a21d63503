//! Games that the server suspends.

use super::super::super::message::WireTime;
use super::*;
use kyomi_shogi::clock::{Controls, TimeControl};

/// The offer of the game after these moves, with their times in seconds if there are any.
fn offer_after(moves: &[(&str, Option<u64>)]) -> Vec<String> {
    let mut summary = GameSummary::new("game", "a", "b");
    summary.times = Controls::both(TimeControl::sudden_death(Duration::from_secs(600)));
    let mut game = Game::default();
    for (word, secs) in moves {
        let mv = csa::parse_move(game.position(), word).unwrap();
        game.push(mv).unwrap();
        let second = Duration::from_secs(1);
        let spent = secs.map(|secs| WireTime::floor(Duration::from_secs(secs), second));
        summary.moves.push(SetupMove { mv, spent });
    }
    summary.to_lines()
}

/// A game after `+7776FU,T20` and `-3334FU,T5`, in our turn, which has lasted for 7 s.
fn in_our_turn(profile: Profile) -> Harness {
    let mut harness = Harness::new(profile).logged_in();
    harness.lines(&offer_after(&[]));
    harness.line("START:game");
    let id = harness.asked().unwrap();
    harness.answer_with(id, "7g7f");
    harness.line("+7776FU,T20");
    harness.line("-3334FU,T5");
    harness.later(7);
    harness
}

fn suspended(profile: Profile) -> Harness {
    let mut harness = in_our_turn(profile);
    harness.line("#CHUDAN");
    assert!(harness.saved().is_empty(), "the game has not ended");
    assert!(harness.last.iter().any(|action| matches!(action, Action::StopThinking)));
    assert!(harness.last.iter().any(|it| matches!(it, Action::Show(GameEvent::Suspended))));
    harness.later(1000);
    harness
}

fn left(harness: &Harness) -> [u64; 2] {
    let clocks = harness.session.clocks().unwrap();
    Color::ALL.map(|color| clocks.of(color).remaining.as_secs())
}

const SO_FAR: [(&str, Option<u64>); 2] = [("+7776FU", Some(20)), ("-3334FU", Some(5))];

#[test]
fn a_suspended_game_goes_on_in_the_same_record_when_it_is_offered_again() {
    for words in ["#CHUDAN", "#SUSPEND"] {
        let mut harness = in_our_turn(Profile::Wcsc);
        harness.line(words);
        harness.later(1000);
        harness.lines(&offer_after(&SO_FAR));
        assert_eq!(harness.sent(), ["AGREE game"]);
        harness.line("START:game");
        assert!(harness.saved().is_empty(), "neither an end nor a beginning");
        assert!(matches!(harness.last[0], Action::Show(GameEvent::Resumed { .. })));
        assert_eq!(left(&harness), [580, 595], "no time has passed");
        let id = harness.asked().unwrap();
        harness.later(3);
        harness.answer_with(id, "2g2f");
        harness.line("+2726FU,T3");
        assert_eq!(left(&harness), [577, 595]);
        let measured = harness.last.iter().find_map(|action| match action {
            Action::Save(GameEvent::Move(event)) => Some(event.measured),
            _ => None,
        });
        assert_eq!(measured, Some(Duration::from_secs(3)), "the turn began anew");
    }
}

#[test]
fn the_clocks_of_a_suspended_game_are_ours_if_the_offer_gives_no_times() {
    let mut harness = suspended(Profile::Wcsc);
    harness.lines(&offer_after(&[("+7776FU", None), ("-3334FU", None), ("+2726FU", Some(2))]));
    harness.line("START:game");
    assert_eq!(harness.saved(), ["+2726FU"]);
    assert_eq!(left(&harness), [578, 595]);
}

#[test]
fn a_move_whose_echo_never_came_is_sent_again() {
    for ponders in [true, false] {
        let mut harness = in_our_turn(Profile::Wcsc);
        if ponders {
            harness.session.settings.ponder = PonderStart::WithMove;
        }
        let mv = kyomi_shogi::notation::usi::parse_move("2g2f").unwrap();
        let ponder = kyomi_shogi::notation::usi::parse_move("8c8d").ok();
        let request = harness.monitor.request;
        let chosen = Chosen { ponder, ..Chosen::plain(request, Answer::Move(mv)) };
        harness.feed(Input::Chosen(chosen));
        harness.line("#CHUDAN");
        harness.lines(&offer_after(&SO_FAR));
        harness.line("START:game");
        assert_eq!(harness.sent(), ["+2726FU"]);
        harness.line("+2726FU,T1");
        assert_eq!(harness.saved(), ["+2726FU"]);
    }
}

#[test]
fn another_game_ends_the_suspended_one_as_adjourned() {
    let mut harness = suspended(Profile::Wcsc);
    harness.lines(&offer_after(&[]));
    assert_eq!(harness.saved(), ["adjourned"]);
    let end = harness.ended().unwrap();
    assert_eq!(
        (end.outcome, end.end.winner, &end.lines[..]),
        (Outcome::None, None, &["#CHUDAN".to_owned()][..])
    );
    let clocks = end.unfinished.as_ref().unwrap().clocks;
    assert_eq!(Color::ALL.map(|color| clocks.of(color).remaining.as_secs()), [580, 595]);
    harness.line("START:game");
    assert_eq!(harness.saved(), ["started"]);
}

#[test]
fn an_offer_that_comes_to_nothing_leaves_the_game_suspended() {
    let mut harness = suspended(Profile::Wcsc);
    harness.lines(&offer_after(&SO_FAR));
    harness.line("REJECT:game by b");
    assert_eq!(harness.session.state.describe(), "while the game is suspended");
    let bad: Vec<_> =
        offer_after(&SO_FAR).into_iter().filter(|line| !line.starts_with("Your_Turn")).collect();
    harness.lines(&bad);
    assert_eq!(harness.sent(), ["REJECT game"]);
    assert_eq!(harness.session.state.describe(), "while the game is suspended");
    harness.lines(&offer_after(&SO_FAR));
    harness.line("START:game");
    assert!(harness.session.in_game() && harness.saved().is_empty());
}

#[test]
fn leaving_and_losing_the_connection_end_a_suspended_game_as_adjourned() {
    let inputs = [
        Input::Quit(When::AfterGame),
        Input::Quit(When::Now),
        Input::Lost(Cause::EndOfStream),
        Input::Lost(Cause::Left),
    ];
    for input in inputs {
        for during_offer in [false, true] {
            let mut harness = suspended(Profile::Wcsc);
            if during_offer {
                harness.lines(&offer_after(&SO_FAR));
            }
            let mut saved = Vec::new();
            harness.feed(input.clone());
            saved.extend(harness.saved());
            while !harness.session.is_over() {
                harness.later(60);
                harness.feed(Input::Tick);
                saved.extend(harness.saved());
            }
            assert_eq!(saved, ["adjourned"], "{input:?} {during_offer}");
        }
    }
}

#[test]
fn a_game_that_nobody_will_offer_again_is_adjourned_at_once() {
    let ended = |mut harness: Harness| {
        harness.line("#CHUDAN");
        assert_eq!(harness.saved(), ["adjourned"]);
    };
    ended(in_our_turn(Profile::Floodgate));
    ended(in_our_turn(Profile::Reference));
    let mut last = in_our_turn(Profile::Wcsc);
    last.session.settings.games = 1;
    ended(last);
    let mut extended = in_our_turn(Profile::Kyomi);
    extended.session.settings.extended = true;
    ended(extended);
    let mut leaving = in_our_turn(Profile::Wcsc);
    leaving.feed(Input::Quit(When::AfterGame));
    ended(leaving);
}

#[test]
fn lines_of_a_game_are_ignored_while_it_is_suspended() {
    let mut harness = suspended(Profile::Wcsc);
    for line in ["+2726FU,T1", "-8384FU,T1", "%TORYO", "#WIN", "START:game"] {
        harness.line(line);
        assert_eq!((harness.sent(), harness.saved()), (Vec::new(), Vec::new()), "{line}");
        assert_eq!(harness.session.state.describe(), "while the game is suspended");
    }
    let id = harness.monitor.request;
    harness.feed(Input::Chosen(Chosen::plain(id, Answer::Resign)));
    assert!(harness.last.is_empty(), "its player was stopped");
    // The connection is kept alive.
    assert!(harness.session.wake.is_some());
}
