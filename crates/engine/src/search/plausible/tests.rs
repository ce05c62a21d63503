//! Properties of all generators together, on random games and turned boards.

use super::classify::generators_of;
use super::context::NodeContext;
use super::feature_reader::FeatureReader;
use super::generator::Generators;
use super::rules::NodeKind;
use super::{Judge, PlausibleRules, Selection};
use crate::search::{
    Parameters, attack_maps::AttackMaps, history::HistoryTables, interest::InterestList,
    picker::tests::scoring_context, weights::Weights,
};
use kyomi_shogi::{Move, MoveList, Position};

fn rules(options: &[(&str, &str)], node: NodeKind) -> PlausibleRules {
    let mut parameters = Parameters::interest();
    for (name, value) in options {
        parameters.set(name, value).unwrap();
    }
    PlausibleRules::new(&parameters).unwrap().at(node)
}

fn node(position: &Position, pv: bool) -> NodeKind {
    NodeKind { root: false, pv, in_check: position.in_check(), depth: 3 }
}

/// Every position of some random games.
fn visit_games(count: u64, mut visit: impl FnMut(&Position, Option<Move>, &mut fastrand::Rng)) {
    for seed in 0..count {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut position = Position::startpos();
        let mut last = None;
        for _ in 0..100 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.usize(..moves.len())];
            position.do_move(mv);
            last = Some(mv);
            visit(&position, last, &mut random);
        }
        assert!(last.is_some());
    }
}

fn classified(
    rules: &PlausibleRules,
    position: &Position,
    moves: &MoveList,
    exempt: [u16; 5],
) -> Vec<(Generators, i32, bool)> {
    let plausibilities = rules.classify(&Selection { position, moves, last_to: None, exempt });
    plausibilities.iter().map(|v| (v.generators, v.merit, v.stays)).collect()
}

#[test]
fn moves_without_an_alternative_are_not_dropped() {
    visit_games(10, |position, _, random| {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return;
        }
        let exempt = [0; 5].map(|_: u16| moves[random.usize(..moves.len())].to_bits());
        for mode in ["all", "mma"] {
            for pv in [false, true] {
                let node = node(position, pv);
                let rules = rules(&[("Plausible_Mode", mode)], node);
                let all = classified(&rules, position, &moves, exempt);
                let stays = |at: usize| all[at].2;
                assert_eq!(all.len(), moves.len());
                let staying = all.iter().filter(|(.., stays)| *stays).count();
                assert!(staying >= moves.len().min(if pv { 8 } else { 4 }), "{position:?}");
                if position.in_check() {
                    assert_eq!(staying, moves.len());
                }
                for (at, mv) in moves.iter().enumerate() {
                    assert!(stays(at) || !exempt.contains(&mv.to_bits()), "{mv} {position:?}");
                }
            }
        }
    });
}

/// The interest list of a position with empty history tables.
fn list(position: &Position, plausible: Option<PlausibleRules>) -> InterestList {
    let (history, weights) = (HistoryTables::new(), Weights::new(&Parameters::interest()));
    let mut context = scoring_context(&history, &weights);
    context.plausible = plausible;
    let mut list = InterestList::default();
    list.fill(position, &AttackMaps::of(position), &context);
    list
}

#[test]
fn in_mode_off_nothing_changes() {
    visit_games(4, |position, _, _| {
        let of = |list: InterestList| {
            let moves: Vec<_> = list.moves.iter().map(|s| (s.mv, s.interest)).collect();
            (moves, list.reserve, list.sum, list.hash_interest)
        };
        let root = NodeKind { root: true, ..node(position, true) };
        let rules = rules(&[("Plausible_Mode", "all")], root);
        assert_eq!(of(list(position, None)), of(list(position, Some(rules))), "{position:?}");
    });
}

#[test]
fn every_legal_move_is_listed_or_in_the_reserve_and_no_other() {
    visit_games(4, |position, _, _| {
        for mode in ["all", "mma"] {
            let rules = rules(&[("Plausible_Mode", mode)], node(position, false));
            let list = list(position, Some(rules));
            let listed = list.moves.iter().map(|scored| scored.mv);
            let mut found: Vec<_> = listed.chain(list.reserve.iter().copied()).collect();
            let mut legal: Vec<_> = position.legal_moves().into_iter().collect();
            found.sort_unstable();
            legal.sort_unstable();
            assert_eq!(found, legal, "{mode} {position:?}");
            assert_eq!(list.count, legal.len());
        }
    });
}

#[test]
fn each_mode_keeps_the_documented_moves() {
    visit_games(6, |position, _, _| {
        if position.in_check() {
            return;
        }
        let moves = position.legal_moves();
        let of = |mode: &str| {
            let paper = [("Plausible_Mode", mode), ("Plausible_NeverDrop", "false")];
            classified(&rules(&paper, node(position, false)), position, &moves, [0; 5])
        };
        for ((generators, merit, stays), (.., strict)) in of("all").into_iter().zip(of("mma")) {
            assert_eq!(stays, generators.any());
            assert_eq!(strict, generators.any() && merit >= 0);
        }
    });
}

#[test]
fn single_and_list_selection_agree() {
    let mut aside = 0;
    visit_games(6, |position, last, _| {
        let (moves, last_to) = (position.legal_moves(), last.map(Move::to));
        for options in [
            &[("Plausible_Mode", "all")][..],
            &[("Plausible_Mode", "mma")],
            &[("Plausible_Mode", "mma"), ("Plausible_MeritHierarchy", "true")],
            &[("Plausible_Mode", "all"), ("Plausible_StrongThreat", "0")],
        ] {
            let options = [options, &[("Plausible_NeverDrop", "false")]].concat();
            let rules = rules(&options, node(position, false));
            let selection = Selection { position, moves: &moves, last_to, exempt: [0; 5] };
            let mut judge = Judge::new(rules, last_to);
            for (mv, together) in moves.iter().zip(rules.classify(&selection)) {
                assert_eq!(judge.admits(position, *mv), together.stays, "{mv} {position:?}");
                aside += usize::from(!together.stays);
            }
        }
    });
    assert!(aside > 1000, "{aside}");
}

#[test]
fn plausible_moves_are_the_same_for_both_sides() {
    visit_games(6, |position, _, _| {
        let all = |position: &Position| {
            let context = NodeContext::new(position, None, 800);
            let mut reader = FeatureReader::new(&context);
            let moves = position.legal_moves();
            let of = |mv: &Move| {
                let features = reader.read(*mv);
                (format!("{:?}", generators_of(&context, &features)), features.good)
            };
            let mut all: Vec<_> = moves.iter().map(of).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(all(position), all(&position.rotated()), "{position:?}");
    });
}

#[test]
fn captures_and_promotions_have_more_merit_than_positional_moves() {
    visit_games(4, |position, _, _| {
        let raised = [("Plausible_Mode", "all"), ("Plausible_MeritHierarchy", "true")];
        let moves = position.legal_moves();
        let all = classified(&rules(&raised, node(position, false)), position, &moves, [0; 5]);
        let positional = all.iter().filter(|v| v.0.only(Generators::POSITIONAL)).map(|v| v.1).max();
        let goals = all.iter().filter(|v| v.0.meets(Generators::GOALS)).map(|v| v.1).min();
        if let (Some(positional), Some(goal)) = (positional, goals) {
            assert!(goal > positional, "{position:?}");
        }
    });
}
