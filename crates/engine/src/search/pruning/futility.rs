//! Futility pruning (docs/search.md, section 6.1): quiet moves that cannot reach alpha.

use crate::search::value::is_mate;

/// The largest depth at which moves are pruned.
const DEEPEST: i32 = 5;

/// Whether a quiet move is pruned: the evaluation plus 120 centipawns plus 110 for each nominal ply does not exceed
/// alpha.
pub(in crate::search) fn is_futile(eval: i32, alpha: i32, depth: i32) -> bool {
    depth <= DEEPEST && !is_mate(alpha) && eval + 120 + 110 * depth <= alpha
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::value::MATE_BOUND;

    #[test]
    fn only_moves_far_below_alpha_are_futile() {
        assert!(is_futile(0, 340, 2) && !is_futile(0, 339, 2) && !is_futile(0, 5000, 6));
        assert!(!is_futile(-2000, MATE_BOUND, 1));
    }
}
