//! `AGREE` that waits until the player is prepared.

use super::*;
use crate::Line;

/// A session that has read an offer and waits for its player.
fn offered() -> Harness {
    let mut harness = Harness::new(Profile::Kyomi);
    harness.session.settings.agree_when_prepared = true;
    harness.feed(Input::Connected);
    harness.line("LOGIN:kyomi OK");
    harness.feed(Input::Prepared);
    harness.lines(&offer(Color::Black));
    assert!(harness.sent().is_empty(), "{:?}", harness.last);
    harness
}

impl Harness {
    /// Waits, with ticks when they are due, until a line of its own other than a keep-alive line is sent. Returns it
    /// with the seconds waited. The server answers keep-alive lines.
    fn wait_for_line(&mut self) -> (String, u64) {
        let begun = self.now;
        for _ in 0..100 {
            self.now = self.session.wake.expect("a tick is due");
            self.feed(Input::Tick);
            let sent = self.sent();
            if let Some(line) = sent.iter().find(|line| !line.is_empty()) {
                return (line.clone(), (self.now - begun).as_secs());
            }
            if !sent.is_empty() {
                self.line("");
            }
        }
        panic!("nothing was sent");
    }
}

#[test]
fn the_offer_is_agreed_to_when_the_player_is_prepared() {
    let mut harness = offered();
    harness.now += Duration::from_secs(20);
    harness.feed(Input::Prepared);
    assert_eq!(harness.sent(), ["AGREE game"]);
    harness.feed(Input::Prepared);
    assert!(harness.sent().is_empty(), "once");
    // The time until `START` counts from here.
    assert_eq!(harness.wait_for_line(), ("REJECT game".to_owned(), 330));
}

#[test]
fn a_player_that_is_never_prepared_plays_nevertheless() {
    let mut harness = offered();
    assert_eq!(harness.wait_for_line(), ("AGREE game".to_owned(), 100));
    harness.line("START:game");
    assert!(harness.session.in_game());
    harness.feed(Input::Prepared);
    assert!(harness.sent().is_empty());
}

#[test]
fn an_offer_that_is_withdrawn_or_replaced_is_not_agreed_to() {
    let mut harness = offered();
    harness.line("REJECT:game by b");
    harness.feed(Input::Prepared);
    assert!(harness.sent().is_empty());
    let mut summary = GameSummary::new("other", "a", "b");
    summary.your_turn = Color::White;
    harness.lines(&offer(Color::Black));
    let lines = summary.to_lines();
    let (last, first) = lines.split_last().unwrap();
    harness.lines(first);
    harness.feed(Input::Prepared);
    assert!(harness.sent().is_empty(), "the first offer is replaced");
    harness.feed(Input::Line(Line::text(last)));
    harness.feed(Input::Prepared);
    assert_eq!(harness.sent(), ["AGREE other"]);
}

#[test]
fn a_user_who_leaves_does_not_wait_for_the_player() {
    let mut harness = offered();
    harness.feed(Input::Quit(When::AfterGame));
    assert_eq!(harness.wait_for_line(), ("REJECT game".to_owned(), 10));
}

impl Harness {
    /// The only warning, and nothing else.
    #[track_caller]
    fn only_warning(&self) -> &Warning {
        match &self.last[..] {
            [Action::Show(GameEvent::Warning(warning))] => warning,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_start_before_our_agree_begins_no_game() {
    for line in ["START:game", "START:other", "START:", "START"] {
        let mut harness = offered();
        harness.line(line);
        assert!(matches!(harness.only_warning(), Warning::StartTooEarly { .. }), "{line}");
        harness.feed(Input::Prepared);
        assert_eq!(harness.sent(), ["AGREE game"], "{line}");
        assert!(!harness.session.in_game());
        harness.line("START:game");
        assert!(harness.session.in_game());
    }
}

#[test]
fn a_start_of_another_game_or_of_none_begins_no_game() {
    for line in [
        "START:other",
        "START:gam",
        "START:game2",
        "START:game by b",
        "START:GAME",
        "START:",
        "START",
    ] {
        let mut harness = offered();
        harness.feed(Input::Prepared);
        harness.line(line);
        assert!(matches!(harness.only_warning(), Warning::OtherStart { .. }), "{line}");
        harness.line("+7776FU,T1");
        assert!(!harness.session.in_game(), "{line}");
        // The limit still holds.
        assert_eq!(harness.wait_for_line(), ("REJECT game".to_owned(), 330), "{line}");

        let mut harness = offered();
        harness.feed(Input::Prepared);
        harness.line(line);
        harness.line("START:game");
        assert!(harness.session.in_game(), "{line}");
    }
}

#[test]
fn blanks_around_the_id_of_a_start_do_not_matter() {
    for line in ["START: game", "START:game \t", "START:game\u{3000}"] {
        let mut harness = offered();
        harness.feed(Input::Prepared);
        harness.line(line);
        assert!(harness.session.in_game(), "{line:?}");
    }
}

#[test]
fn a_start_after_a_rejection_begins_no_game() {
    let mut by_server = offered();
    by_server.feed(Input::Prepared);
    by_server.line("REJECT:game by b");
    let mut by_us = Harness::new(Profile::Kyomi);
    by_us.feed(Input::Connected);
    by_us.line("LOGIN:kyomi OK");
    by_us.lines(
        &offer(Color::Black)
            .into_iter()
            .filter(|line| !line.starts_with("Your_Turn"))
            .collect::<Vec<_>>(),
    );
    assert_eq!(by_us.sent(), ["REJECT game"]);
    for mut harness in [by_server, by_us] {
        for line in ["START:game", "START:", "START"] {
            harness.line(line);
            assert!(matches!(harness.only_warning(), Warning::Unexpected { .. }), "{line}");
        }
        harness.lines(&offer(Color::White));
        harness.feed(Input::Prepared);
        harness.line("START:game");
        assert!(harness.session.in_game());
    }
}

#[test]
fn a_second_start_changes_nothing() {
    for more in [&[][..], &["#TIME_UP"]] {
        let mut harness = Harness::playing(Profile::Kyomi, Color::Black);
        for line in more {
            harness.line(line);
        }
        let state = harness.session.state.describe();
        for line in ["START:game", "START:other", "START:"] {
            harness.line(line);
            assert!(matches!(harness.only_warning(), Warning::Unexpected { .. }), "{line}");
        }
        assert_eq!(harness.session.state.describe(), state);
    }
}
