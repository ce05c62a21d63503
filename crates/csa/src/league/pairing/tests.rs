use std::collections::HashSet;

use proptest::prelude::*;

use super::matching::can_pair_all;
use super::*;

#[test]
fn everybody_meets_everybody_once_in_a_turn() {
    for players in 2..=33 {
        let rounds = players + players % 2 - 1;
        for turns in 1..=2 {
            let mut pairs: Vec<[usize; 2]> = Vec::new();
            let mut byes = vec![0; players];
            let mut balance = vec![0i32; players];
            for round in 0..rounds * turns {
                let pairing = round_robin(players, round);
                let mut seen = HashSet::new();
                for [black, white] in &pairing.games {
                    assert!(seen.insert(*black) && seen.insert(*white));
                    balance[*black] += 1;
                    balance[*white] -= 1;
                }
                if let Some(bye) = pairing.bye {
                    assert!(seen.insert(bye));
                    byes[bye] += 1;
                }
                assert_eq!(seen.len(), players);
                pairs.extend(pairing.games);
            }
            let met: HashSet<_> = pairs.iter().map(|[a, b]| (*a.min(b), *a.max(b))).collect();
            assert_eq!(met.len(), players * (players - 1) / 2);
            assert_eq!(pairs.len(), met.len() * turns);
            // In two turns each pair has both colours.
            let ordered: HashSet<_> = pairs.iter().collect();
            assert_eq!(ordered.len(), pairs.len());
            let most = i32::from(turns == 1);
            assert!(balance.iter().all(|it| it.abs() <= most), "{players}: {balance:?}");
            assert!(byes.iter().all(|it| *it == turns * (players % 2)), "{players}: {byes:?}");
        }
    }
}

/// Plays a Swiss event with random results, and checks every pairing.
fn play(players: usize, rounds: usize, seed: u64) -> Vec<Entrant> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut entrants = vec![Entrant::default(); players];
    for round in 0..rounds {
        let black_first = rng.bool();
        let pairing = swiss(&entrants, black_first);
        assert_eq!(pairing, swiss(&entrants, black_first));
        let mut seen = HashSet::new();
        let mut order: Vec<usize> = (0..players).collect();
        order.retain(|it| Some(*it) != pairing.bye);
        let fresh = |a: usize, b: usize| !entrants[a].met.contains(&b);
        let avoidable = can_pair_all(&order, fresh);
        if let Some(bye) = pairing.bye {
            assert!(seen.insert(bye));
            let least = entrants.iter().map(|it| it.byes).min().unwrap();
            assert_eq!(entrants[bye].byes, least, "a bye comes at most once before all had one");
        }
        for &[black, white] in &pairing.games {
            assert!(seen.insert(black) && seen.insert(white));
            assert!(fresh(black, white) || !avoidable, "round {round}: {black} - {white}");
        }
        assert_eq!(seen.len(), players);
        for &[black, white] in &pairing.games {
            let points = match rng.u32(0..5) {
                0 | 1 => [2, 0],
                2 | 3 => [0, 2],
                _ => [1, 1],
            };
            for ((player, rival), (points, color)) in
                [(black, white), (white, black)].into_iter().zip(points.into_iter().zip([1, -1]))
            {
                let entrant = &mut entrants[player];
                entrant.score += points;
                entrant.color_balance += color;
                entrant.last_color = color;
                entrant.met.push(rival);
            }
        }
        if let Some(bye) = pairing.bye {
            entrants[bye].score += 2;
            entrants[bye].byes += 1;
        }
    }
    entrants
}

/// Whether all can be paired, by trying everything.
fn search(rest: &[usize], edge: &dyn Fn(usize, usize) -> bool) -> bool {
    let Some((&first, others)) = rest.split_first() else { return true };
    others.iter().any(|&other| {
        let left: Vec<_> = others.iter().copied().filter(|it| *it != other).collect();
        edge(first, other) && search(&left, edge)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn swiss_is_fair(players in 2usize..24, seed: u64) {
        let rounds = (players.next_power_of_two().ilog2() as usize + 1).min(players - 1).max(1);
        for entrant in play(players, rounds, seed) {
            prop_assert!(entrant.color_balance.abs() <= 2);
            prop_assert!(entrant.byes <= 1);
        }
    }

    #[test]
    fn swiss_of_many_rounds_repeats_only_what_it_must(players in 2usize..9, seed: u64) {
        play(players, 2 * players, seed);
    }

    #[test]
    fn matching_agrees_with_a_search(count in 0usize..5, bits: u64) {
        let count = 2 * count;
        let edge = |a: usize, b: usize| {
            let (a, b) = (a.min(b), a.max(b));
            bits >> ((a * 10 + b) % 64) & 1 == 1
        };
        let all: Vec<_> = (0..count).collect();
        prop_assert_eq!(can_pair_all(&all, edge), search(&all, &edge));
    }
}

#[test]
fn equal_scores_meet_and_the_upper_half_meets_the_lower() {
    let entrants = vec![Entrant::default(); 8];
    let pairing = swiss(&entrants, true);
    assert_eq!(pairing.games, [[0, 4], [5, 1], [2, 6], [7, 3]]);
    let score = |score| Entrant { score, ..Entrant::default() };
    let entrants = vec![score(0), score(2), score(0), score(2)];
    assert_eq!(swiss(&entrants, true).games, [[1, 3], [2, 0]]);
}

#[test]
fn the_last_one_without_a_bye_has_the_bye() {
    let mut entrants = vec![Entrant::default(); 5];
    assert_eq!(swiss(&entrants, true).bye, Some(4));
    entrants[4].byes = 1;
    entrants[3].score = 2;
    assert_eq!(swiss(&entrants, true).bye, Some(2));
}
