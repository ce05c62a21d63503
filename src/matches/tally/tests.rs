use super::*;
use crate::matches::{Contestant, Openings, Rules, Shape, Turn};
use kyomi_shogi::{Color, EndReason, Winner};

fn settings(players: usize, pairs: usize, sprt: Option<&str>) -> MatchSettings {
    let names = ["A", "B", "C", "D"];
    let player = |name: &&str| Contestant::parse("random", None, name).unwrap();
    MatchSettings {
        players: names[..players].iter().map(player).collect(),
        shape: Shape::RoundRobin,
        pairs,
        openings: Openings::default(),
        openings_name: String::new(),
        seed: 1,
        rules: Rules::default(),
        sprt: sprt.map(|sprt| sprt.parse().unwrap()),
        concurrency: 1,
        cores: Vec::new(),
        #[cfg(feature = "cluster")]
        machines: None,
        dir: "unused".into(),
    }
}

/// A game of this number (from 1) with this outcome.
fn game(settings: &MatchSettings, number: usize, result: Winner, end: EndReason) -> PlayedGame {
    let round = settings.schedule().round(number - 1);
    let name = |player: usize| settings.players[player].name.clone();
    let turn = |side, sent_us, received_us| Turn {
        side,
        answer: String::new(),
        clock_ms: None,
        sent_us,
        received_us,
        spent_ms: None,
        over_us: None,
        score: None,
        depth: None,
        nodes: Some(100),
    };
    PlayedGame {
        game: number,
        opening: round.opening + 1,
        black: name(round.players[0]),
        white: name(round.players[1]),
        result,
        end: MatchEnd(end),
        words: format!("game {number}"),
        plies: 50 + number,
        opening_plies: 0,
        began: String::new(),
        preparing_us: 10,
        wall_us: 1000,
        ponders: [4, 0],
        ponder_hits: [1, 0],
        help: [None; 2],
        record: String::new(),
        turns: vec![turn('b', 0, 300), turn('w', 310, 810)],
    }
}

#[test]
fn colours_and_pairs_are_counted_separately() {
    let settings = settings(2, 2, None);
    let mut tally = Tally::new(&settings);
    // A wins with both colours, then draws and loses.
    for (number, result) in [
        (1, Winner::Side(Color::Black)),
        (2, Winner::Side(Color::White)),
        (3, Winner::Draw),
        (4, Winner::Side(Color::Black)),
    ] {
        assert!(tally.add(&game(&settings, number, result, EndReason::Mate)));
    }
    let pairing = &tally.pairings[0];
    assert_eq!(pairing.wdl, Wdl { wins: 2, draws: 1, losses: 1 });
    assert_eq!(pairing.with_black, Wdl { wins: 1, draws: 1, losses: 0 });
    assert_eq!(pairing.with_white, Wdl { wins: 1, draws: 0, losses: 1 });
    assert_eq!(pairing.pairs.0, [0, 1, 0, 0, 1]);
    assert_eq!(tally.black, Wdl { wins: 2, draws: 1, losses: 1 });
    assert_eq!(tally.players[1].wdl, pairing.wdl.swapped());
    assert_eq!(tally.thinking_us, 4 * 800);
    assert_eq!(tally.players[0].thinking_us, 2 * 300 + 2 * 500);
    assert_eq!((tally.players[0].ponders, tally.players[1].ponder_hits), (8, 2));
}

#[test]
fn sums_of_absurd_times_saturate() {
    let settings = settings(2, 1, None);
    let mut tally = Tally::new(&settings);
    for number in [1, 2] {
        let mut game = game(&settings, number, Winner::Draw, EndReason::Mate);
        (game.wall_us, game.preparing_us) = (u64::MAX, u64::MAX);
        for turn in &mut game.turns {
            (turn.sent_us, turn.received_us) = (0, u64::MAX);
            (turn.over_us, turn.nodes, turn.depth) =
                (Some(u64::MAX), Some(u64::MAX), Some(u32::MAX));
        }
        assert!(tally.add(&game));
    }
    assert_eq!([tally.wall_us, tally.preparing_us, tally.thinking_us], [u64::MAX; 3]);
    let player = &tally.players[0];
    assert_eq!([player.thinking_us, player.over_us, player.nodes, player.nodes_us], [u64::MAX; 4]);
    let report = crate::matches::Report::new(&settings, &tally, &[]);
    assert_eq!(report.games, 2);
    assert!(!report.to_string().is_empty());
}

#[test]
fn repeated_games_and_games_of_other_matches_do_not_count() {
    let settings = settings(2, 1, None);
    let mut tally = Tally::new(&settings);
    let first = game(&settings, 1, Winner::Side(Color::Black), EndReason::Mate);
    assert!(tally.add(&first) && !tally.add(&first));
    assert!(tally.has(0) && !tally.has(1));
    let stranger =
        PlayedGame { black: "X".into(), ..game(&settings, 2, Winner::Draw, EndReason::Mate) };
    assert!(!tally.add(&stranger));
    for number in [0, 3, usize::MAX] {
        assert!(!tally.add(&PlayedGame { game: number, ..first.clone() }));
    }
    assert_eq!(tally.games, 1);
}

#[test]
fn faults_count_for_the_loser() {
    let settings = settings(3, 1, None);
    let mut tally = Tally::new(&settings);
    // A-B, B-A, A-C, C-A, B-C, C-B.
    tally.add(&game(&settings, 1, Winner::Side(Color::White), EndReason::Crash));
    tally.add(&game(&settings, 4, Winner::Side(Color::White), EndReason::TimeUp));
    tally.add(&game(&settings, 5, Winner::Side(Color::Black), EndReason::IllegalMove));
    assert_eq!(tally.players[0].crashes, 1);
    assert_eq!((tally.players[2].time_losses, tally.players[2].illegal), (1, 1));
    assert_eq!(tally.faults.len(), 3);
    assert_eq!(tally.pairings[1].wdl, Wdl { wins: 1, draws: 0, losses: 0 });
}

/// All pairs are won, but the first game of the first pair comes last.
#[test]
fn a_test_counts_pairs_in_their_order() {
    let settings = settings(2, 40, Some("elo0=0,elo1=50"));
    let mut tally = Tally::new(&settings);
    for number in 2..=80 {
        let result =
            if number % 2 == 1 { Winner::Side(Color::Black) } else { Winner::Side(Color::White) };
        tally.add(&game(&settings, number, result, EndReason::Mate));
        assert!(!tally.is_decided(), "the first pair is not finished");
    }
    tally.add(&game(&settings, 1, Winner::Side(Color::Black), EndReason::Mate));
    assert!(tally.is_decided());
    let test = tally.pairings[0].test.unwrap();
    assert_eq!(test.state.decision, SprtDecision::H1);
    assert!(test.counted < 40, "decided after {}", test.counted);
}

#[test]
fn times_are_rounded_to_a_hundredth() {
    for time in [0, 1, 127, 128, 1000, 99_999, 123_456_789] {
        assert!(
            round_down(time) <= time && round_down(time) as f64 >= time as f64 * 0.992,
            "{time}"
        );
    }
}
