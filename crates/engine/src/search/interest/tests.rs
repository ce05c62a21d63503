//! Each term of the table, in each place that sums terms: the list move by move, the list by sets, the breakdown.

use std::collections::HashSet;

use super::{
    InterestList, LearnedInterest, Place, ScoringContext, break_down,
    term::{Group, Term},
};
use crate::search::{
    attack_maps::AttackMaps,
    history::{HistoryTables, SuggestedMoves},
    parameters::{ParameterKind, Parameters, TABLE},
    penalty::InterestPenalties,
    plausible::{NodeKind, PlausibleRules},
    weights::Weights,
};
use kyomi_shogi::{Move, Position};

/// Options whose weights are not terms of a move.
const NO_TERMS: [&str; 1] = ["Interest_Beyond"];

/// The options of interest that multiply weights.
fn options_in_percent() -> impl Iterator<Item = &'static str> {
    let rows = TABLE.iter().filter(|row| row.kind == ParameterKind::Spin(0, 1000));
    let rows = rows.filter(|row| row.doc.contains("percent"));
    rows.map(|row| row.name).filter(|name| name.starts_with("Interest_"))
}

/// Parameters with this term alone, or with the terms that it multiplies.
fn alone(term: Term) -> Parameters {
    let mut parameters = Parameters::untuned();
    let mut set = |name: &str, value: &str| parameters.set(name, value).unwrap();
    for name in options_in_percent() {
        set(name, "0");
    }
    set("Interest_BadQuiet", "100");
    if term.group() == Group::Sum {
        set("Interest_Even", "100");
    }
    match term {
        Term::Penalty => set("Penalty_Mode", "on"),
        Term::Learned => {
            set("Interest_Even", "100");
            set("Interest_Learned", "100");
        }
        Term::BadQuiet => set("Interest_BadQuiet", "40"),
        Term::Bounds => set("Interest_Even", "0"),
        _ => set(term.option(), "100"),
    }
    parameters
}

/// Asserts that the lists and the breakdown of a position agree. Returns the terms that count there.
fn terms_that_count(
    position: &Position,
    context: &ScoringContext<'_>,
    rules: &PlausibleRules,
) -> HashSet<Term> {
    let maps = AttackMaps::of(position);
    let (mut one_by_one, mut by_sets) = (InterestList::default(), InterestList::default());
    one_by_one.fill(position, &maps, context);
    by_sets.fill_by_sets(position, &maps, context);
    let node = break_down(position, &maps, context, rules);
    assert_eq!(by_sets.sum, one_by_one.sum, "{position:?}");
    assert_eq!(node.sum, one_by_one.sum, "{position:?}");
    for drops in &mut by_sets.drop_sets {
        while let Some(scored) = drops.take() {
            by_sets.moves.push(scored);
        }
    }
    let mut terms = HashSet::new();
    for taken in node.moves.iter().filter(|taken| taken.place == Place::Listed) {
        for list in [&mut one_by_one, &mut by_sets] {
            let scored = list.moves.iter_mut().find(|scored| scored.mv == taken.mv).unwrap();
            assert_eq!(taken.optimistic, scored.interest, "{} in {position:?}", taken.mv);
            scored.resolve_exchange(position);
            assert_eq!(taken.interest, scored.interest, "{} in {position:?}", taken.mv);
        }
        terms.extend(taken.parts.iter().map(|part| part.term));
    }
    terms
}

/// Plays random games until the term has counted often enough. Returns the number of positions in which it has.
fn count(term: Term) -> usize {
    let parameters = alone(term);
    let weights = Weights::new(&parameters);
    let learned = LearnedInterest::new(&parameters);
    let mut counted = 0;
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut position, mut last_to) = (Position::startpos(), None);
        let (mut history, mut penalties) =
            (HistoryTables::new(), InterestPenalties::new(&parameters));
        for _ in 0..160 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mut any = || moves[random.usize(..moves.len())];
            let suggested = SuggestedMoves {
                killers: [any().to_bits(), any().to_bits()],
                counter_move: any().to_bits(),
                continuation: any().to_bits(),
            };
            let (mv, hash) = (any(), any());
            let node = NodeKind { root: false, pv: false, in_check: position.in_check(), depth: 2 };
            let context = ScoringContext {
                weights: &weights,
                learned: learned.as_deref(),
                history: &history,
                penalties: penalties.is_on().then_some(&penalties),
                suggested,
                hash: random.bool().then_some(hash),
                last_to,
                checked_before: random.bool(),
                similar: true,
                whole: random.bool(),
                plausible: PlausibleRules::new(&parameters).map(|rules| rules.at(node)),
                later_bonus: 0,
                thread: 0,
            };
            let found = terms_that_count(&position, &context, &PlausibleRules::of(&parameters));
            counted += usize::from(found.contains(&term));
            let tried: Vec<Move> = moves.iter().copied().take(12).collect();
            let side = position.side_to_move();
            history.update_after_cut(side, 3, random.i32(1..12), mv, &tried, None, None);
            penalties.update_after_cut(&position, &tried, 3);
            last_to = Some(mv.to());
            position.do_move(mv);
        }
        if counted > 40 {
            break;
        }
    }
    counted
}

#[test]
fn every_term_counts_in_every_place() {
    for &term in Term::ALL.iter().filter(|term| **term != Term::RootBest) {
        let counted = count(term);
        assert!(counted > 0, "{term:?} never counts");
    }
}

#[test]
fn every_term_has_its_option_and_every_option_its_term() {
    let options: HashSet<_> = Term::ALL.iter().map(|term| term.option()).collect();
    for name in options_in_percent() {
        assert!(options.contains(name) || NO_TERMS.contains(&name), "{name} has no term");
    }
    for name in options.into_iter().filter(|name| !name.is_empty()) {
        assert!(TABLE.iter().any(|row| row.name == name), "no option {name}");
    }
    let mut names: Vec<_> = Term::ALL.iter().map(|term| term.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Term::ALL.len());
}
