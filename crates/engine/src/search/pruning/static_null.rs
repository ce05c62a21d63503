//! Static null move: at small depth, an evaluation far above beta is returned.

use crate::search::table::TableHit;
use crate::search::value::{MATE_BOUND, is_mate};

/// The score to return, if the depth is at most `deepest` nominal plies and the evaluation (improved by the table's
/// score) is above beta by `margin` centipawns for each of them.
pub(in crate::search) fn static_null(
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_grows_with_the_remaining_depth() {
        assert_eq!(static_null(500, None, 20, 4, (120, 5)), Some(500));
        assert_eq!(static_null(620, None, 20, 5, (120, 5)), Some(620));
        assert_eq!(static_null(499, None, 20, 4, (120, 5)), None);
        assert_eq!(static_null(30_000, None, 20, 6, (120, 5)), None);
        assert_eq!(static_null(30_000, None, MATE_BOUND, 0, (120, 5)), None);
    }
}
