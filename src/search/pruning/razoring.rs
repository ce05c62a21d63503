//! Far below the window with little left to search, quiescence decides.

use crate::search::value::is_mate;

/// Whether a node is so far below alpha (250 centipawns and 150 for each nominal ply) that quiescence should look
/// whether it can be saved.
pub(in crate::search) fn is_hopeless(eval: i32, alpha: i32, depth: i32) -> bool {
    depth <= 2 && !is_mate(alpha) && eval + 250 + 150 * depth <= alpha
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shallow_nodes_far_below_are_hopeless() {
        assert!(is_hopeless(-500, 50, 2) && !is_hopeless(-499, 50, 2) && !is_hopeless(-5000, 0, 3));
    }
}
