//! Null move: if a side reaches beta even by passing, it is assumed to reach beta by a move as well.

use crate::search::cost::Budgets;
use crate::search::value::is_mate;

/// Whether passing may be tried, out of check: the last move was no pass, the evaluation reaches beta, and the depth
/// suffices.
pub(in crate::search) fn may_pass(eval: i32, beta: i32, depth: i32, after_pass: bool) -> bool {
    !after_pass && depth >= 2 && eval >= beta && !is_mate(beta)
}

/// The budgets after a pass, still from the view of the side that passes. Both are reduced by `base` units and `share`
/// percent of their mean.
pub(in crate::search) fn budgets(budgets: Budgets, base: i32, share: i32) -> Budgets {
    let less = base + budgets.total() / 2 * share / 100;
    Budgets { us: budgets.us - less, them: budgets.them - less }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::value::MATE_BOUND;

    #[test]
    fn passing_needs_a_good_position_and_depth() {
        assert!(may_pass(100, 50, 4, false));
        assert!(!may_pass(100, 50, 4, true) && !may_pass(40, 50, 4, false));
        assert!(!may_pass(100, 50, 1, false));
        assert!(!may_pass(-31_000, -MATE_BOUND, 4, false));
        assert_eq!(budgets(Budgets::whole(800), 200, 25), Budgets::whole(400));
    }
}
