//! From the offer to the start, and what the offer says.

use super::*;
use crate::summary::without_board;

fn offer() -> Harness {
    Harness::offered(TimeControl::UNLIMITED, GameRules::default(), Position::startpos())
}

#[test]
fn an_offer_is_agreed_to_once_and_by_its_id() {
    let mut harness = offer();
    for line in ["AGREE other", "REJECT other", "hello"] {
        assert!(lines_to(&harness.send(BLACK, line), BLACK)[0].starts_with("##[ERROR] "));
    }
    assert_eq!(harness.send(BLACK, "+7776FU"), []);
    assert_eq!(harness.send(BLACK, "%TORYO"), []);
    assert_eq!(harness.send(BLACK, "AGREE id"), []);
    assert!(lines_to(&harness.send(BLACK, "AGREE id"), BLACK)[0].starts_with("##[ERROR] "));
    assert!(harness.send(WHITE, "AGREE").contains(&Effect::Begin));
    // The clock starts with START, not with the offer; a move sent before it is forgotten.
    assert_eq!(harness.play("+2726FU"), ["+2726FU,T0"]);
}

#[test]
fn one_side_can_reject_an_offer() {
    for line in ["REJECT", "REJECT id"] {
        let mut harness = offer();
        harness.send(BLACK, "AGREE");
        let effects = harness.send(WHITE, line);
        assert_eq!(lines_to(&effects, BLACK), ["REJECT:id by w"]);
        assert_eq!(lines_to(&effects, WHITE), ["REJECT:id by w"]);
        assert_eq!(effects.last(), Some(&Effect::Rejected(Rejected::By(WHITE))));
        assert_eq!(harness.send(BLACK, "AGREE"), []);
    }
}

#[test]
fn an_offer_times_out() {
    let mut harness = offer();
    assert_eq!(harness.game.wake_at(), Some(harness.now + secs(120)));
    harness.send(WHITE, "AGREE");
    let effects = harness.game.tick(harness.now + secs(120));
    assert_eq!(lines_to(&effects, BLACK), ["REJECT:id by the Server (timed out)"]);
    assert_eq!(effects.last(), Some(&Effect::Rejected(Rejected::TimedOut([false, true]))));
}

#[test]
fn an_offer_ends_when_a_side_leaves() {
    let mut harness = offer();
    let effects = harness.game.left(BLACK, harness.now);
    assert_eq!(lines_to(&effects, WHITE), ["REJECT:id by b"]);
}

#[test]
fn the_offer_is_complete() {
    let mut harness = Harness::offered(
        TimeControl::fischer(secs(300), secs(10)),
        GameRules::default(),
        Position::startpos(),
    );
    harness.game.names = ["alice".to_owned(), "bob".to_owned()];
    let lines = without_board(&harness.game.offer_lines(WHITE));
    let (_, keys) = lines.split_once("Declaration:Jishogi 1.1\n").unwrap();
    expect_test::expect![[r#"
        Game_ID:id
        Name+:alice
        Name-:bob
        Your_Turn:-
        Rematch_On_Draw:NO
        To_Move:+
        Max_Moves:256
        BEGIN Time
        Time_Unit:1sec
        Total_Time:300
        Byoyomi:0
        Increment:10
        Least_Time_Per_Move:0
        END Time
        BEGIN Position
        (the board)
        P+
        P-
        +
        END Position
        END Game_Summary
    "#]]
    .assert_eq(keys);
}
