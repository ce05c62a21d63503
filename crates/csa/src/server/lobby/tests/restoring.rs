//! Games of a killed server.

use super::*;
use crate::server::saved_game::StoredGame;
use kyomi_shogi::EndReason;

/// A new lobby that holds a game in which both sides have made a move.
struct Held {
    harness: Harness,
    /// The logins with a token, `[color]`.
    logins: [String; 2],
}

impl Held {
    fn new() -> Self {
        let settings =
            ServerSettings { resume_time: Duration::from_secs(30), ..ServerSettings::default() };
        let mut killed = Harness::new(settings.clone());
        killed.login(1, "black", "x-60-0-B,");
        let white = killed.login(2, "white", "x-60-0-W,");
        let login = |name: &str, password: &str, offer: &[String]| {
            let (game, token) = (value(offer, "Game_ID"), value(offer, "Reconnect_Token"));
            format!("LOGIN {name} {password} reconnect:{game}+{token}")
        };
        let black = login("black", "x-60-0-B,", &killed.received(1));
        let logins = [black, login("white", "x-60-0-W,", &white)];
        killed.send(1, "AGREE");
        killed.send(2, "AGREE");
        killed.send(1, "+7776FU");
        killed.send(2, "-3334FU");
        let (mut stored, mut played) = (None, Vec::new());
        for event in killed.records {
            match event {
                RecordEvent::Begin(begun) => {
                    let header = begun.record_header(&settings.rules);
                    stored = Some((*begun.saved.unwrap(), header));
                }
                RecordEvent::Move { mv, spent, .. } => played.push((mv, spent)),
                _ => {}
            }
        }
        let (saved, header) = stored.unwrap();
        let summary = saved.summary().unwrap();
        let stored = StoredGame { saved, summary, header, played };
        let mut harness = Harness::new(settings);
        let now = Now { instant: harness.now, wall: Timestamp::UNIX_EPOCH };
        harness.lobby.restore(now, &stored).unwrap();
        Self { harness, logins }
    }

    /// The event of the record that was added last.
    fn last(&self) -> Option<&RecordEvent> {
        self.harness.records.last()
    }

    fn has_no_result(&self) -> bool {
        let end = self.last();
        matches!(end, Some(RecordEvent::End { end, .. }) if end.reason == EndReason::Interrupted)
    }
}

#[test]
fn logins_without_an_agreement_do_not_prolong_the_time() {
    let mut held = Held::new();
    let [_, white] = held.logins.clone();
    held.harness.connect(9);
    held.harness.send(9, &white);
    for id in 3..6 {
        assert_eq!(held.harness.login(id, "black", "x-60-0-B,")[0], "LOGIN:black OK");
        held.harness.wait(8);
        held.harness.gone(id);
    }
    held.harness.login(6, "black", "x-60-0-B,");
    assert_eq!(held.last(), None, "24 s have passed");
    held.harness.wait(7);
    assert!(held.has_no_result(), "{:?}", held.last());
}

#[test]
fn a_held_game_that_a_player_rejects_has_no_result() {
    let mut held = Held::new();
    held.harness.login(3, "black", "x-60-0-B,");
    held.harness.send(3, "REJECT");
    assert!(held.has_no_result(), "{:?}", held.last());
}

#[test]
fn watchers_learn_when_the_clock_of_the_side_to_move_runs() {
    let mut held = Held::new();
    let [black, white] = held.logins.clone();
    held.harness.connect(3);
    held.harness.send(3, &black);
    assert_eq!(held.last(), Some(&RecordEvent::ClockRuns));
    held.harness.send(3, "+2726FU");
    assert_eq!(held.last(), Some(&RecordEvent::ClockStopped), "white is not back");
    held.harness.connect(4);
    held.harness.send(4, &white);
    assert_eq!(held.last(), Some(&RecordEvent::ClockRuns));
    held.harness.send(4, "-8384FU");
    assert!(matches!(held.last(), Some(RecordEvent::Move { .. })));
}

#[test]
fn the_clock_does_not_run_for_the_side_that_is_not_to_move() {
    let mut held = Held::new();
    let [black, white] = held.logins.clone();
    held.harness.connect(3);
    held.harness.send(3, &white);
    assert_eq!(held.last(), None);
    held.harness.connect(4);
    held.harness.send(4, &black);
    assert_eq!(held.last(), Some(&RecordEvent::ClockRuns));
}
