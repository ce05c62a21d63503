use super::*;
use crate::league::{Event, EventState, Format, GameResult};

#[test]
fn a_client_that_disconnects_at_each_offer_forfeits() {
    let event = Event::of("x", &["a", "b"], Format::RoundRobin { double: false });
    let state = EventState::new(&event);
    let mut harness = Harness::open();
    harness.lobby.set_event(Arbiter::new(event, state));
    harness.login(1, "a", "x");
    for id in 2..5 {
        assert!(!harness.lobby.arbiter.as_ref().unwrap().is_over());
        harness.login(id, "b", "x");
        harness.wait(15);
        let to_white = harness.received(id);
        assert!(is_offer(&harness.received(1)), "{id}: {to_white:?}");
        harness.gone(id);
    }
    let arbiter = harness.lobby.arbiter.as_ref().unwrap();
    assert!(arbiter.is_over());
    let game = &arbiter.state().rounds[0].games[0];
    let loser = if game.players == [1, 0] {
        GameResult::WhiteByForfeit
    } else {
        GameResult::BlackByForfeit
    };
    assert_eq!(game.result, Some(loser));
}
