//! Null move: whoever may pass and still stands above the window will do so by moving too.

use crate::search::cost::Budgets;
use crate::search::value::is_mate;

/// Whether passing may be tried out of check: not after a pass, above beta, with something left to search.
pub(in crate::search) fn may_pass(eval: i32, beta: i32, depth: i32, after_pass: bool) -> bool {
    !after_pass && depth >= 2 && eval >= beta && !is_mate(beta)
}

/// What is left after passing, for the side that passes first: both sides lose two nominal plies and a quarter of
/// the depth.
pub(in crate::search) fn budgets(budgets: Budgets, depth: i32) -> Budgets {
    let less = 100 * (2 + depth / 4);
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
        assert_eq!(budgets(Budgets::whole(900), 8), Budgets::whole(500));
    }
}
