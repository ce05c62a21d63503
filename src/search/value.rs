//! Scores inside the search: whole centipawns from the side to move's view, mates at both ends of the range.

use super::Score;

/// A mate at distance 0; a mate is `±(MATE − ply)`.
pub(crate) const MATE: i32 = 32_000;
/// The smallest score that still means a proven mate.
pub(crate) const MATE_BOUND: i32 = MATE - 128;
/// Beyond every score.
pub(crate) const INFINITE: i32 = MATE + 1;
/// The side to move is mated at this distance from the root.
pub(crate) const fn mated_in(ply: usize) -> i32 {
    -MATE + ply as i32
}

/// The side to move wins by force at this distance from the root.
pub(crate) const fn mates_in(ply: usize) -> i32 {
    MATE - ply as i32
}

/// Whether the score is a proven win or loss.
pub(crate) const fn is_mate(score: i32) -> bool {
    score >= MATE_BOUND || score <= -MATE_BOUND
}

/// As users see it. Wins and losses by repetition, which lie just below the mates, are shown as large scores.
pub(crate) const fn to_score(score: i32) -> Score {
    if score >= MATE_BOUND {
        Score::Mate(MATE - score)
    } else if score <= -MATE_BOUND {
        Score::Mate(-MATE - score)
    } else {
        Score::Cp(score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_told_from_large_scores() {
        assert_eq!(to_score(mates_in(3)), Score::Mate(3));
        assert_eq!(to_score(mated_in(4)), Score::Mate(-4));
        assert_eq!(to_score(MATE_BOUND - 1), Score::Cp(MATE_BOUND - 1));
        assert!(is_mate(MATE_BOUND) && is_mate(-MATE_BOUND) && !is_mate(1 - MATE_BOUND));
    }
}
