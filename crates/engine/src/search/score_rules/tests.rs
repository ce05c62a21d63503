//! Compares the value within a window with the value by definition, on random trees.

use proptest::prelude::*;

use super::*;
use crate::search::node::search_with_scout;
use crate::search::value::Value;
use crate::search::value::{INFINITE, MATE, MATE_BOUND, is_mate};
use crate::search::window::Window;

/// A game tree without a game.
#[derive(Debug, Clone)]
enum Tree {
    Leaf(i32),
    Node {
        key: u64,
        /// The static evaluation.
        eval: i32,
        depth: i32,
        /// Not empty.
        moves: Vec<Self>,
        /// The number of affordable moves, at least one.
        searched: usize,
    },
}

/// The variant of the windowed search.
#[derive(Debug, Clone, Copy)]
struct SearchVariant {
    /// Moves after the first are searched with a null window first.
    scouts: bool,
    /// Leaves return bounds of the window.
    hard_leaves: bool,
}

fn mv(at: usize) -> Move {
    Move::from_bits(at as u16 + 1).unwrap()
}

fn band(score: i32) -> i32 {
    score.clamp(1 - MATE_BOUND, MATE_BOUND - 1)
}

/// The value by definition, without windows.
fn reference(tree: &Tree, p: &Parameters) -> i32 {
    let Tree::Node { key, eval, depth, moves, searched } = tree else {
        let Tree::Leaf(score) = tree else { unreachable!() };
        return *score;
    };
    let own = |(at, child): (usize, &Tree)| {
        let score = -reference(child, p);
        let bonus = ScoreRules::new(p).bonus(*key, mv(at));
        if score.abs() >= MATE_BOUND { score } else { band(score + bonus) }
    };
    let mut all: Vec<i32> = moves[..*searched].iter().enumerate().map(own).collect();
    all.sort_unstable_by_key(|&score| std::cmp::Reverse(score));
    let (best, others) = (all[0], &all[1..]);
    if best.abs() >= MATE_BOUND {
        return best;
    }
    let near = |margin: i32| {
        let good = |&&score: &&i32| score >= best - margin && score > -MATE_BOUND;
        others.iter().filter(good).count() as i32
    };
    let mut sum = best - ((-eval - p.bad_neighbourhood_from) / 32).max(0).min(p.bad_neighbourhood);
    if *depth >= 2 && p.alternatives > 0 {
        sum += p.alternatives * near(p.alternatives_margin).min(p.alternatives_most);
    }
    let by_cut = *searched < moves.len() && *searched < 2;
    if *depth >= 2 && p.single_good > 0 && moves.len() > 1 && !by_cut {
        let alone = near(p.single_good_margin.max(p.single_good - 1)) == 0;
        sum -= if alone { p.single_good } else { 0 };
    }
    band(if sum < 0 { (sum + p.delayed_loss).min(0) } else { sum })
}

/// The value by the code of the search.
fn windowed(tree: &Tree, rules: &ScoreRules, window: Window, variant: SearchVariant) -> i32 {
    let Tree::Node { key, eval, depth, moves, searched } = tree else {
        let Tree::Leaf(score) = tree else { unreachable!() };
        return if variant.hard_leaves {
            *score.min(&window.beta).max(&window.alpha)
        } else {
            *score
        };
    };
    let malus = rules.neighbourhood().map_or(0, |rule| rule.malus(*eval));
    let mut scores = NodeScores::new(rules.at(*depth, malus), window.alpha, window.beta);
    let mut best: Option<Move> = None;
    for (at, child) in moves[..*searched].iter().enumerate() {
        let (mv, bonus) = (mv(at), rules.bonus(*key, mv(at)));
        let ties = rules.hash_ties
            && window.is_pv()
            && best.is_some_and(|best| tie_order(*key, mv) > tie_order(*key, best));
        let exact = window.with_bounds(scores.exact_window(bonus, ties));
        assert!(exact.alpha < exact.beta, "{exact:?} {scores:?}");
        let first = at == 0 || !variant.scouts;
        let found = search_with_scout(exact, 100, 100, first, |window, _| {
            Some(Value::of_position(-windowed(child, rules, window.negated(), variant)))
        });
        let change = scores.enter(found.unwrap().0.score, bonus, ties);
        if change.is_best {
            best = Some(mv);
        }
        if change.cuts {
            break;
        }
    }
    scores.value()
}

fn score() -> impl Strategy<Value = i32> {
    prop_oneof![
        4 => -60..=60i32,
        1 => (-3..=3i32).prop_map(|off| MATE_BOUND + off),
        1 => (-3..=3i32).prop_map(|off| off - MATE_BOUND),
        1 => (1..=9i32, prop::bool::ANY).prop_map(|(off, won)| if won { MATE - off } else { off - MATE }),
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    let eval = prop_oneof![-60..=60i32, -500..=-90i32, Just(-31_000)];
    score().prop_map(Tree::Leaf).prop_recursive(4, 200, 6, move |inner| {
        let moves = prop::collection::vec(inner, 1..=6);
        (any::<u64>(), eval.clone(), 0..=3i32, moves, prop_oneof![Just(9), 1..=6usize]).prop_map(
            |(key, eval, depth, moves, searched)| {
                let searched = searched.min(moves.len());
                Tree::Node { key, eval, depth, moves, searched }
            },
        )
    })
}

/// Every rule on or off, with figures that have an effect on these scores.
fn options() -> impl Strategy<Value = Parameters> {
    let on = prop::array::uniform6(prop::bool::ANY);
    let figures = (1..=3i32, 1..=9i32, 1..=4i32, 0..=25i32, 1..=8i32);
    (on, figures, 1..=12i32, 0..=25i32, 2..=30i32).prop_map(
        |(on, (delta, nu, w, m, most), pi, single_margin, random)| {
            let used = |at: usize, value: i32| if on[at] { value } else { 0 };
            Parameters {
                delayed_loss: used(0, delta),
                bad_neighbourhood: used(1, nu),
                alternatives: used(2, w),
                alternatives_margin: m,
                alternatives_most: most,
                single_good: used(3, pi),
                single_good_margin: single_margin,
                random_bonus: used(4, random),
                tie_break: used(5, 1),
                ..Parameters::interest()
            }
        },
    )
}

fn limits() -> impl Strategy<Value = (i32, i32)> {
    let limit = || prop_oneof![4 => score(), 1 => Just(-INFINITE), 1 => Just(INFINITE)];
    let wide = (limit(), limit()).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let null = score().prop_map(|alpha| (alpha, alpha + 1));
    prop_oneof![wide, null].prop_filter("not empty", |(alpha, beta)| alpha < beta)
}

/// The properties that a windowed search has.
fn is_consistent(value: i32, found: i32, (alpha, beta): (i32, i32)) -> bool {
    if value <= alpha {
        value <= found && found <= alpha
    } else if value >= beta {
        beta <= found && found <= value
    } else {
        found == value
    }
}

fn check(
    tree: &Tree,
    p: &Parameters,
    limits: (i32, i32),
    variant: SearchVariant,
) -> Result<(), TestCaseError> {
    let value = reference(tree, p);
    let window = Window::on_pv(limits.0, limits.1);
    let found = windowed(tree, &ScoreRules::new(p), window, variant);
    prop_assert!(
        is_consistent(value, found, limits),
        "{found} for {value} within {limits:?}, {variant:?}"
    );
    Ok(())
}

/// The options with their values when on, to test them one by one and in pairs.
const SWITCHES: [fn(&mut Parameters); 6] = [
    |p| p.delayed_loss = 1,
    |p| p.bad_neighbourhood = 8,
    |p| p.alternatives = 2,
    |p| p.single_good = 5,
    |p| p.random_bonus = 20,
    |p| p.tie_break = 1,
];

proptest! {
    #[test]
    fn values_within_a_window_are_those_without_one(
        tree in tree(), p in options(), limits in limits(), scouts: bool, hard_leaves: bool,
    ) {
        check(&tree, &p, limits, SearchVariant { scouts, hard_leaves })?;
    }

    #[test]
    fn values_agree_with_every_rule_alone_and_with_every_pair(
        tree in tree(), limits in limits(), scouts: bool, hard_leaves: bool,
    ) {
        for (at, first) in SWITCHES.iter().enumerate() {
            for second in &SWITCHES[at..] {
                let mut p = Parameters { delayed_loss: 0, ..Parameters::interest() };
                first(&mut p);
                second(&mut p);
                check(&tree, &p, limits, SearchVariant { scouts, hard_leaves })?;
            }
        }
    }

    #[test]
    fn without_rules_the_value_is_the_largest_score(tree in tree(), limits in limits(), scouts: bool) {
        fn minimax(tree: &Tree) -> i32 {
            match tree {
                Tree::Leaf(score) => *score,
                Tree::Node { moves, searched, .. } => {
                    moves[..*searched].iter().map(|child| -minimax(child)).max().unwrap()
                }
            }
        }
        let p = Parameters { delayed_loss: 0, ..Parameters::interest() };
        prop_assert_eq!(reference(&tree, &p), minimax(&tree));
        check(&tree, &p, limits, SearchVariant { scouts, hard_leaves: false })?;
    }

    #[test]
    fn no_rule_makes_a_mate_or_hides_one(
        p in options(), scores in prop::collection::vec(score(), 1..=6), eval in -31_000..31_000i32, key: u64,
    ) {
        let moves = scores.iter().map(|score| Tree::Leaf(-score)).collect::<Vec<_>>();
        let searched = moves.len();
        let best = *scores.iter().max().unwrap();
        let tree = Tree::Node { key, eval, depth: 2, moves, searched };
        let variant = SearchVariant { scouts: false, hard_leaves: false };
        let found = windowed(&tree, &ScoreRules::new(&p), Window::full(), variant);
        prop_assert_eq!(is_mate(found), is_mate(best));
        prop_assert!(!is_mate(best) || found == best);
    }

    #[test]
    fn a_larger_score_never_makes_a_node_worse(
        p in options(), mut scores in prop::collection::vec(-60..=60i32, 1..=6), at: prop::sample::Index, more in 0..40i32,
    ) {
        // The number of good moves may fall, so only rules that do not compare moves keep the order.
        let p = Parameters { alternatives: 0, single_good: 0, ..p };
        let value = |scores: &[i32]| {
            let moves: Vec<_> = scores.iter().map(|score| Tree::Leaf(-score)).collect();
            let searched = moves.len();
            reference(&Tree::Node { key: 1, eval: 0, depth: 2, moves, searched }, &p)
        };
        let before = value(&scores);
        let at = at.index(scores.len());
        scores[at] += more;
        prop_assert!(value(&scores) >= before);
    }

    #[test]
    fn bonuses_do_not_depend_on_the_order_of_moves(key: u64, range in 2..500i32, count in 2..30usize) {
        let rules = ScoreRules::new(&Parameters { random_bonus: range, ..Parameters::interest() });
        let forward: Vec<_> = (0..count).map(|at| rules.bonus(key, mv(at))).collect();
        let mut backward: Vec<_> = (0..count).rev().map(|at| rules.bonus(key, mv(at))).collect();
        backward.reverse();
        let elsewhere = std::thread::spawn(move || {
            let again = (0..count).map(|at| rules.bonus(key, mv(at)));
            again.collect::<Vec<_>>()
        });
        prop_assert_eq!(&forward, &backward);
        prop_assert_eq!(&forward, &elsewhere.join().unwrap());
        prop_assert!(forward.iter().all(|bonus| (0..range).contains(bonus)));
    }
}
