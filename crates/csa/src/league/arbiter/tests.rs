use std::collections::HashSet;

use super::super::state::StateError;
use super::*;

const ROUND_ROBIN: Format = Format::RoundRobin { double: false };

fn event(players: usize, format: Format) -> Event {
    let names: Vec<String> = (0..players).map(|n| format!("p{n}")).collect();
    Event::of("x", &names.iter().map(String::as_str).collect::<Vec<_>>(), format)
}

/// Its players forfeit after this number of seconds.
fn with_forfeits(mut event: Event, seconds: u64) -> Event {
    event.schedule.forfeit_after = Some(Duration::from_secs(seconds));
    event
}

/// There are this many seconds between its rounds.
fn with_pauses(mut event: Event, seconds: u64) -> Event {
    event.schedule.pause = Duration::from_secs(seconds);
    event
}

struct Harness {
    arbiter: Arbiter,
    now: Timestamp,
    absent: HashSet<String>,
}

impl Harness {
    fn new(event: Event) -> Self {
        let state = EventState::new(&event);
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        Self { arbiter: Arbiter::new(event, state), now, absent: HashSet::new() }
    }

    fn next(&mut self) -> Vec<Start> {
        let absent = self.absent.clone();
        let presence =
            |name: &str| if absent.contains(name) { Presence::Absent } else { Presence::Ready };
        self.arbiter.next(self.now, presence).0
    }

    fn wait(&mut self, seconds: u64) {
        self.now = later(self.now, Duration::from_secs(seconds));
    }

    fn win(&mut self, start: &Start) {
        self.arbiter.game_over(start.game, GameResult::Black, "resignation", "id", self.now);
    }
}

#[test]
fn a_round_follows_a_round_after_its_pause() {
    let mut harness = Harness::new(with_pauses(event(4, Format::Swiss { rounds: 2 }), 60));
    let first = harness.next();
    assert_eq!(first.len(), 2);
    assert_eq!(harness.next(), []);
    harness.win(&first[0]);
    assert_eq!(harness.next(), []);
    harness.win(&first[1]);
    assert_eq!(harness.next(), []);
    assert_eq!(
        harness.arbiter.wake_at(harness.now),
        Some(later(harness.now, Duration::from_secs(60)))
    );
    harness.wait(60);
    let second = harness.next();
    assert_eq!(second.len(), 2);
    // The winners meet.
    assert_eq!(second[0].game, BoardGame { round: 1, board: 0 });
    for start in &second {
        harness.win(start);
    }
    assert!(harness.arbiter.is_over());
    assert_eq!(harness.next(), []);
    assert_eq!(harness.arbiter.wake_at(harness.now), None);
}

#[test]
fn the_absent_forfeit_after_their_time() {
    let mut harness = Harness::new(with_forfeits(event(4, ROUND_ROBIN), 600));
    harness.absent = HashSet::from(["p0".to_owned()]);
    assert_eq!(harness.next(), []);
    assert!(harness.arbiter.state().rounds.is_empty());
    assert_eq!(
        harness.arbiter.wake_at(harness.now),
        Some(later(harness.now, Duration::from_secs(600)))
    );
    harness.wait(600);
    let starts = harness.next();
    assert_eq!(starts.len(), 1);
    let round = &harness.arbiter.state().rounds[0];
    let forfeited = round.games.iter().find(|game| game.result.is_some()).unwrap();
    assert!(forfeited.players.contains(&0));
    assert_ne!(forfeited.result, Some(GameResult::DoubleForfeit));
    harness.win(&starts[0]);
    // It comes in the next round.
    harness.absent.clear();
    assert_eq!(harness.next().len(), 2);
}

#[test]
fn the_time_of_absence_begins_when_a_player_is_gone() {
    let mut harness = Harness::new(with_forfeits(event(2, ROUND_ROBIN), 600));
    let starts = harness.next();
    assert_eq!(starts.len(), 1);
    // The game comes to nothing long after the round began, and one side is not back at once.
    harness.wait(3600);
    harness.arbiter.game_aborted(starts[0].game, [false; 2], harness.now);
    harness.absent = HashSet::from(["p0".to_owned()]);
    assert_eq!(harness.next(), []);
    assert_eq!(harness.arbiter.state().rounds[0].games[0].result, None);
    harness.wait(10);
    let forfeit_at = later(harness.now, Duration::from_secs(590));
    assert_eq!(harness.arbiter.wake_at(harness.now), Some(forfeit_at));
    // It comes, and goes once more: the time begins again.
    harness.absent.clear();
    let starts = harness.next();
    harness.arbiter.game_aborted(starts[0].game, [false; 2], harness.now);
    harness.absent = HashSet::from(["p0".to_owned()]);
    assert_eq!(harness.next(), []);
    harness.wait(599);
    assert_eq!(harness.next(), []);
    assert_eq!(harness.arbiter.state().rounds[0].games[0].result, None);
    harness.wait(1);
    harness.next();
    let game = &harness.arbiter.state().rounds[0].games[0];
    assert!(matches!(game.result, Some(GameResult::BlackByForfeit | GameResult::WhiteByForfeit)));
}

#[test]
fn a_result_entered_by_hand_ends_its_round() {
    let description = event(2, Format::RoundRobin { double: true });
    let mut harness = Harness::new(description.clone());
    harness.next();
    let text = harness.arbiter.state().to_text();
    let by_hand = text.replacen("\"result\": null", "\"result\": \"draw\"", 1);
    let state = EventState::parse(&by_hand, &description).unwrap();
    harness.arbiter = Arbiter::new(description.clone(), state);
    assert_eq!(harness.next()[0].game.round, 1);
    // A round that has ended has all its results, and players who are in the event.
    for (word, wrong) in [("\"ended\": null", "\"ended\": \"2027-01-01T00:00:00Z\""), ("0,", "7,")]
    {
        let faulty = text.replacen(word, wrong, 1);
        assert_ne!(faulty, text);
        assert_eq!(EventState::parse(&faulty, &description), Err(StateError::Round(1)), "{faulty}");
    }
}

#[test]
fn a_round_at_a_time_waits_for_nobody() {
    let mut event = event(2, Format::Swiss { rounds: 1 });
    event.schedule.rounds = vec![RoundStart::At(Timestamp::from_second(1_820_000_000).unwrap())];
    let mut harness = Harness::new(event);
    harness.absent = HashSet::from(["p0".to_owned(), "p1".to_owned()]);
    assert_eq!(harness.next(), []);
    let at = harness.arbiter.wake_at(harness.now).unwrap();
    harness.now = at;
    assert_eq!(harness.next(), []);
    assert_eq!(harness.arbiter.state().rounds.len(), 1);
    harness.absent.clear();
    assert_eq!(harness.next().len(), 1);
}

#[test]
fn a_game_that_comes_to_nothing_is_started_again_and_forfeited_in_the_end() {
    let mut harness = Harness::new(event(2, ROUND_ROBIN));
    for attempt in 0..MOST_REJECTIONS {
        let starts = harness.next();
        assert_eq!(starts.len(), 1, "{attempt}");
        harness.arbiter.game_aborted(starts[0].game, [false, true], harness.now);
        assert_eq!(harness.next(), []);
        harness.wait(10);
    }
    assert!(harness.arbiter.is_over());
    assert_eq!(harness.arbiter.state().rounds[0].games[0].result, Some(GameResult::BlackByForfeit));
}

#[test]
fn a_stored_state_continues_where_it_was() {
    let description = event(5, Format::Swiss { rounds: 3 });
    let mut harness = Harness::new(description.clone());
    let starts = harness.next();
    harness.win(&starts[0]);
    let text = harness.arbiter.state().to_text();
    let state = EventState::parse(&text, &description).unwrap();
    assert_eq!(&state, harness.arbiter.state());
    harness.arbiter = Arbiter::new(description.clone(), state);
    // The unfinished game is played from its beginning.
    assert_eq!(harness.next(), starts[1..]);
    harness.win(&starts[1]);
    let second = harness.next();
    assert_eq!(second.len(), 2);
    assert!(harness.arbiter.state().rounds[1].bye.is_some());

    let other = event(6, Format::Swiss { rounds: 3 });
    assert!(EventState::parse(&text, &other).is_err());
    assert!(EventState::parse("{}", &description).is_err());
    let twice = text.replacen("\"bye\": 4", "\"bye\": 0", 1);
    assert_ne!(twice, text);
    assert!(EventState::parse(&twice, &description).is_err());
}

#[test]
fn a_whole_event_is_played_whatever_happens() {
    for seed in 0..20 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let format = if seed % 2 == 0 { Format::Swiss { rounds: 4 } } else { ROUND_ROBIN };
        let mut harness = Harness::new(with_pauses(with_forfeits(event(7, format), 60), 5));
        for _ in 0..2000 {
            harness.absent =
                (0..7).filter(|_| rng.u32(0..8) == 0).map(|n| format!("p{n}")).collect();
            for start in harness.next() {
                match rng.u32(0..4) {
                    0 => harness.arbiter.game_aborted(start.game, [rng.bool(), false], harness.now),
                    _ => harness.win(&start),
                }
            }
            harness.wait(5);
        }
        assert!(harness.arbiter.is_over(), "{seed}");
    }
}

#[test]
fn a_game_of_a_killed_server_goes_on_in_the_open_round_only() {
    let description = event(2, ROUND_ROBIN);
    let mut harness = Harness::new(description.clone());
    let start = harness.next().remove(0);
    let state = harness.arbiter.state().clone();
    harness.arbiter = Arbiter::new(description, state);
    let [black, white] = start.names.clone();
    let elsewhere = BoardGame { round: 1, board: 0 };
    assert!(!harness.arbiter.game_resumed(elsewhere, &start.names));
    assert!(!harness.arbiter.game_resumed(start.game, &[white, black]));
    assert!(harness.arbiter.game_resumed(start.game, &start.names));
    assert_eq!(harness.next(), [], "it is not started again");
    harness.win(&start);
    assert!(!harness.arbiter.game_resumed(start.game, &start.names));
    assert!(harness.arbiter.is_over());
}
