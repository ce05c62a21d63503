//! Quiet moves that cannot reach the window.

use crate::search::value::is_mate;

/// Deeper than this no move is pruned.
const DEEPEST: i32 = 5;

/// Whether a quiet move need not be searched: even 120 centipawns and 110 for each nominal ply on top of the
/// evaluation do not reach alpha.
pub(in crate::search) fn is_futile(eval: i32, alpha: i32, depth: i32) -> bool {
    depth <= DEEPEST && !is_mate(alpha) && eval + 120 + 110 * depth <= alpha
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::value::MATE_BOUND;

    #[test]
    fn only_what_is_far_below_is_given_up() {
        assert!(is_futile(0, 340, 2) && !is_futile(0, 339, 2) && !is_futile(0, 5000, 6));
        assert!(!is_futile(-2000, MATE_BOUND, 1));
    }
}
