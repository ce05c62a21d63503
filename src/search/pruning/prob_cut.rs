//! A capture that stays far above beta in a shallow search will not fall below it in a deep one.

use crate::search::cost::Budgets;
use crate::search::value::is_mate;

/// How far above beta a capture must stay.
const MARGIN: i32 = 200;

/// The limit that a capture is tried against at a node of this depth, if it may be tried.
pub(in crate::search) fn raised_beta(beta: i32, depth: i32) -> Option<i32> {
    let raised = beta + MARGIN;
    (depth >= 5 && !is_mate(beta) && !is_mate(raised)).then_some(raised)
}

/// What is left for it, for the side that captures first: both sides lose four nominal plies.
pub(in crate::search) fn budgets(budgets: Budgets) -> Budgets {
    Budgets { us: budgets.us - 400, them: budgets.them - 400 }
}

/// The score to return for a capture that stayed above the raised limit: no mate, and the margin taken off.
pub(in crate::search) fn returned(score: i32, beta: i32) -> i32 {
    if is_mate(score) { beta } else { (score - MARGIN).max(beta) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::value::MATE_BOUND;

    #[test]
    fn it_needs_depth_and_a_limit_that_is_no_mate() {
        assert_eq!((raised_beta(50, 5), raised_beta(50, 4)), (Some(250), None));
        assert_eq!((raised_beta(MATE_BOUND, 9), raised_beta(MATE_BOUND - 100, 9)), (None, None));
        assert_eq!(budgets(Budgets::whole(900)), Budgets::whole(500));
        assert_eq!((returned(300, 50), returned(210, 50), returned(MATE_BOUND, 50)), (100, 50, 50));
    }
}
