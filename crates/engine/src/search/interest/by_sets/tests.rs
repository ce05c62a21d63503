use super::*;
use crate::search::{
    cost::{Budgets, CostContext, CostRules},
    history::{HistoryTables, SuggestedMoves},
    interest::LearnedInterest,
    parameters::{Parameters, Preset},
    penalty::InterestPenalties,
    weights::POINT,
};
use kyomi_shogi::MoveList;

/// Visits the positions of random games, each with the moves that led to it.
fn random_positions(seeds: std::ops::Range<u64>, mut visit: impl FnMut(&Position, &[Move], u64)) {
    for seed in seeds {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut position = Position::startpos();
        let mut line = Vec::new();
        for _ in 0..160 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.usize(..moves.len())];
            position.do_move(mv);
            line.push(mv);
            visit(&position, &line, random.u64(..));
        }
    }
}

/// History that has learnt from random moves.
fn trained(position: &Position, random: &mut fastrand::Rng) -> HistoryTables {
    let mut history = HistoryTables::new();
    let moves = position.legal_moves();
    let side = position.side_to_move();
    for _ in 0..moves.len() / 3 {
        let mut any = || moves[random.usize(..moves.len())];
        let (cutter, tried) = (any(), [any(), any()]);
        let depth = random.i32(1..12);
        history.update_after_cut(side, 3, depth, cutter, &tried, None, None);
    }
    history
}

fn assert_same(position: &Position, context: &ScoringContext<'_>) {
    let maps = AttackMaps::of(position);
    let (mut one_by_one, mut by_sets) = (InterestList::default(), InterestList::default());
    one_by_one.fill(position, &maps, context);
    by_sets.fill_by_sets(position, &maps, context);
    assert_eq!(by_sets.sum, one_by_one.sum, "{position:?}");
    assert_eq!(by_sets.count, one_by_one.count);
    assert_eq!(by_sets.hash_interest, one_by_one.hash_interest);
    assert_eq!(by_sets.reserve, one_by_one.reserve);
    for drops in &mut by_sets.drop_sets {
        while let Some(scored) = drops.take() {
            by_sets.moves.push(scored);
        }
    }
    for list in [&mut one_by_one, &mut by_sets] {
        list.moves.sort_by_key(|scored| scored.mv.to_bits());
    }
    for (found, wanted) in by_sets.moves.iter().zip(&one_by_one.moves) {
        assert_eq!(found, wanted, "{position:?}");
    }
    assert_eq!(by_sets.moves.len(), one_by_one.moves.len(), "{position:?}");
}

#[test]
fn moves_scored_by_sets_have_the_interest_that_they_have_one_by_one() {
    let default = Parameters::interest();
    let options = [
        default,
        Parameters { development: 0, even: 10, ..default },
        Parameters { extra_terms: 0, fork: 300, hangs: 0, ..default },
        Parameters { history: 250, bad_quiet: 0, best_quiet: 0, ..default },
        Parameters { target: 100, ..default },
        Parameters { penalties: 1, ..default },
        Parameters { learned: 100, ..default },
        Parameters { learned: 250, ..default },
        Parameters::preset(Preset::Paper),
        Parameters::preset(Preset::Lmr),
    ];
    let mut by_sets = 0;
    random_positions(0..24, |position, line, seed| {
        let mut random = fastrand::Rng::with_seed(seed);
        let history = trained(position, &mut random);
        let parameters = options[random.usize(..options.len())];
        let weights = Weights::new(&parameters);
        let penalties = InterestPenalties::new(&parameters);
        let learned = LearnedInterest::new(&parameters);
        let moves: MoveList = position.legal_moves();
        let mut code = || {
            let at = random.usize(..2 * moves.len().max(1));
            moves.get(at).map_or(0, |mv| mv.to_bits())
        };
        let suggested = SuggestedMoves {
            killers: [code(), code()],
            counter_move: code(),
            continuation: code(),
        };
        let context = ScoringContext {
            weights: &weights,
            learned: learned.as_deref(),
            history: &history,
            penalties: penalties.is_on().then_some(&penalties),
            suggested,
            hash: Move::from_bits(code()),
            last_to: line.last().map(|mv| mv.to()),
            checked_before: random.bool(),
            similar: true,
            whole: random.bool(),
            later_bonus: 0,
            thread: 0,
            plausible: None,
        };
        by_sets += usize::from(can_score_by_sets(&context));
        assert_same(position, &context);
    });
    assert!(by_sets > 500, "{by_sets}");
}

#[test]
fn the_estimate_for_moves_left_out_is_about_right() {
    let parameters = Parameters::interest();
    let (weights, costs) = (Weights::new(&parameters), CostRules::new(&parameters));
    let (mut partial, mut whole) = (0, 0);
    let mut mean_interest = MeanInterest::NEW;
    random_positions(30..42, |position, line, seed| {
        if position.in_check() {
            return;
        }
        let mut random = fastrand::Rng::with_seed(seed);
        let history = HistoryTables::new();
        let moves = position.legal_moves();
        let context = ScoringContext {
            weights: &weights,
            learned: None,
            history: &history,
            penalties: None,
            suggested: SuggestedMoves::default(),
            hash: (random.bool() && !moves.is_empty()).then(|| moves[random.usize(..moves.len())]),
            last_to: line.last().map(|mv| mv.to()),
            checked_before: random.bool(),
            similar: true,
            whole: random.bool(),
            later_bonus: 0,
            thread: 0,
            plausible: None,
        };
        let budgets = Budgets { us: random.i32(50..260), them: 100 };
        let cost_context =
            CostContext { costs: &costs, budgets, ply: 3, limit: 600, score_fell: false };
        let searched = random.bool();
        let staged = TwoStageLimits { cost_context, mean_interest, beyond: 60 * POINT, searched };
        let maps = AttackMaps::of(position);
        let (mut wanted, mut found) = (InterestList::default(), InterestList::default());
        wanted.fill(position, &maps, &context);
        let learnt = found.fill_in_two_stages(position, &maps, &context, &staged);
        assert_eq!(found.partial, learnt.is_none());
        assert_eq!(found.count, wanted.count);
        let ratio = found.sum as f64 / wanted.sum as f64;
        if found.partial {
            partial += 1;
            assert!((0.6..1.7).contains(&ratio), "{ratio} {position:?}");
            // At least one of the moves is affordable, if `searched` is not set.
            let floor = cost_context.floor(found.sum);
            let above = found.moves.iter().any(|scored| scored.interest >= floor);
            assert!(searched || above || context.hash.is_some(), "{position:?}");
            for scored in &found.moves {
                let same = wanted.moves.iter().find(|other| other.mv == scored.mv).unwrap();
                let mut same = *same;
                if scored.flags.is_bad() {
                    same.resolve_exchange(position);
                }
                let more = (scored.interest - same.interest).abs();
                assert!(more <= weights.best_quiet, "{} {position:?}", scored.mv);
            }
        } else {
            whole += 1;
            mean_interest = learnt.unwrap();
            assert_eq!(found.sum, wanted.sum, "{position:?}");
            let dropped: u32 = found.drop_sets.iter().map(|drops| drops.targets.count()).sum();
            assert_eq!(found.moves.len() + dropped as usize, wanted.moves.len(), "{position:?}");
        }
    });
    assert!(partial > 200 && whole > 200, "{partial} {whole}");
}
