//! Rules that prune a node (docs/search.md, section 1.12). Each is a pure function of the data of
//! the node. Margins that are options (`Search_StaticNullMargin` …) are rows of `parameters/table.rs`, which
//! `node/cutoffs.rs` passes.
//!
//! No rule applies if the limit it is compared with is a mate, and none returns a mate.

use super::cost::Budgets;
use super::table::{EntryBound, TableHit};
use super::value::{MATE_BOUND, is_mate};

/// Static null move: at small depth, an evaluation far above beta is returned. The score to return, if the depth is at
/// most `deepest` nominal plies and the evaluation (improved by the table's score) is above beta by `margin` centipawns
/// for each of them.
pub(super) fn static_null(
    eval: i32,
    found: Option<TableHit>,
    beta: i32,
    depth: i32,
    (margin, deepest): (i32, i32),
) -> Option<i32> {
    if depth > deepest || is_mate(beta) {
        return None;
    }
    let eval =
        found.filter(|found| !found.path_dependent).map_or(eval, |found| found.improve(eval));
    (eval - margin * depth >= beta && eval < MATE_BOUND).then_some(eval)
}

/// Null move: a side that reaches beta even by passing is assumed to reach it by a move as well. Whether passing may be
/// tried, out of check: the last move was no pass, the evaluation reaches beta, and the depth
/// suffices.
pub(super) fn may_pass(eval: i32, beta: i32, depth: i32, after_pass: bool) -> bool {
    !after_pass && depth >= 2 && eval >= beta && !is_mate(beta)
}

/// The budgets after a pass, still from the view of the side that passes. Both are reduced by `base` units and `share`
/// percent of their mean.
pub(super) fn null_move_budgets(budgets: Budgets, base: i32, share: i32) -> Budgets {
    let less = base + budgets.total() / 2 * share / 100;
    Budgets { us: budgets.us - less, them: budgets.them - less }
}

/// The search that tests whether a table move is singular, that is, better than all others by far: whether another move
/// reaches `beta` with these budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SingularSearch {
    pub(super) beta: i32,
    pub(super) budgets: Budgets,
}

/// Returns the search that tests the table move, if the node is at least 6 deep and the table has a lower bound or an
/// exact score of nearly that depth. `least` is the smallest budget that is searched.
pub(super) fn singular_search(
    found: &TableHit,
    budgets: Budgets,
    least: i32,
) -> Option<SingularSearch> {
    let depth = budgets.depth();
    let half = Budgets { us: budgets.us / 2, them: budgets.them / 2 };
    let trusted = matches!(found.bound, EntryBound::Lower | EntryBound::Exact)
        && !found.path_dependent
        && found.budgets.depth() >= depth - 3
        && found.score.abs() <= crate::eval::MAX;
    let asked = depth >= 6 && half.us >= least && trusted;
    asked.then(|| SingularSearch { beta: found.score - 2 * depth, budgets: half })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::table::StoredBudgets;
    use crate::search::value::mates_in;

    #[test]
    fn the_margin_grows_with_the_remaining_depth() {
        assert_eq!(static_null(500, None, 20, 4, (120, 5)), Some(500));
        assert_eq!(static_null(620, None, 20, 5, (120, 5)), Some(620));
        assert_eq!(static_null(499, None, 20, 4, (120, 5)), None);
        assert_eq!(static_null(30_000, None, 20, 6, (120, 5)), None);
        assert_eq!(static_null(30_000, None, MATE_BOUND, 0, (120, 5)), None);
    }

    #[test]
    fn passing_needs_a_good_position_and_depth() {
        assert!(may_pass(100, 50, 4, false));
        assert!(!may_pass(100, 50, 4, true) && !may_pass(40, 50, 4, false));
        assert!(!may_pass(100, 50, 1, false));
        assert!(!may_pass(-31_000, -MATE_BOUND, 4, false));
        assert_eq!(null_move_budgets(Budgets::whole(800), 200, 25), Budgets::whole(400));
    }

    fn found(depth: i32, bound: EntryBound) -> TableHit {
        let budgets = StoredBudgets::new(Budgets::whole(100 * depth), false);
        TableHit {
            mv: None,
            score: 100,
            eval: None,
            bound,
            budgets,
            cost: 60,
            pv: false,
            path_dependent: false,
        }
    }

    #[test]
    fn a_singular_move_needs_depth_and_a_score_that_the_move_reaches() {
        let budgets = Budgets::whole(800);
        let ask = |found: &TableHit| singular_search(found, budgets, 50);
        let wanted = SingularSearch { beta: 84, budgets: Budgets::whole(400) };
        assert_eq!(ask(&found(8, EntryBound::Lower)), Some(wanted));
        assert_eq!(ask(&found(6, EntryBound::Exact)), Some(wanted));
        assert_eq!(ask(&found(4, EntryBound::Lower)), None);
        assert_eq!(ask(&found(8, EntryBound::Upper)), None);
        assert_eq!(ask(&TableHit { score: mates_in(9), ..found(8, EntryBound::Lower) }), None);
        assert_eq!(ask(&TableHit { path_dependent: true, ..found(8, EntryBound::Lower) }), None);
        assert_eq!(singular_search(&found(8, EntryBound::Lower), Budgets::whole(590), 50), None);
        let lopsided = Budgets { us: 90, them: 2000 };
        assert_eq!(singular_search(&found(12, EntryBound::Lower), lopsided, 50), None);
    }
}
