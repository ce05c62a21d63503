//! Scores inside the search: whole centipawns for the side to move, with mates at both ends of the range
//! (docs/search.md, section 0); and the ply that a score depends on.

use super::Score;

/// A mate at distance 0; a mate is `±(MATE − ply)`.
pub(crate) const MATE: i32 = 32_000;
/// The smallest score that still means a proven mate.
pub(crate) const MATE_BOUND: i32 = MATE - 128;
/// Larger than every score.
pub(crate) const INFINITE: i32 = MATE + 1;
/// The side to move is mated at this distance from the root.
pub(crate) const fn mated_in(ply: usize) -> i32 {
    -MATE + ply as i32
}

/// The side to move wins by force at this distance from the root.
pub(crate) const fn mates_in(ply: usize) -> i32 {
    MATE - ply as i32
}

/// Whether the score is a proven win of the side to move.
pub(crate) const fn is_won(score: i32) -> bool {
    score >= MATE_BOUND
}

/// Whether the score is a proven loss of the side to move.
pub(crate) const fn is_lost(score: i32) -> bool {
    score <= -MATE_BOUND
}

/// Whether the score is a proven win or loss.
pub(crate) const fn is_mate(score: i32) -> bool {
    is_won(score) || is_lost(score)
}

/// Whether the score is neither a proven win or loss, nor that of a repetition that decides the game.
pub(crate) const fn is_judged(score: i32) -> bool {
    score.abs() <= crate::eval::MAX
}

/// Converts a mate score, so that it counts from this ply instead of from the root.
pub(crate) const fn mate_from_ply(score: i32, ply: usize) -> i32 {
    if is_won(score) {
        score + ply as i32
    } else if is_lost(score) {
        score - ply as i32
    } else {
        score
    }
}

/// Converts a score for reports. Wins and losses by repetition, which lie just below the mates, are reported as large
/// scores.
pub(crate) fn to_score(score: i32) -> Score {
    if is_won(score) {
        Score::Win(known_length(MATE - score))
    } else if is_lost(score) {
        Score::Loss(known_length(MATE + score))
    } else {
        Score::Cp(score)
    }
}

fn known_length(plies: i32) -> Option<u32> {
    u32::try_from(plies).ok().filter(|plies| *plies <= LONGEST_KNOWN)
}

/// The longest length of a mate that is reported, in plies. A mate that is proven without a known length has the score
/// [`MATE_BOUND`], which the table may change by some plies, so that larger lengths mean nothing.
const LONGEST_KNOWN: u32 = 100;

/// A score, and the ply it depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    /// For the side to move.
    pub(crate) score: i32,
    /// The smallest ply of a position whose repetition the score depends on; [`NO_PLY`] if there is none.
    pub(crate) depends_on_ply: i32,
}

/// The score depends on no repetition.
pub(crate) const NO_PLY: i32 = i32::MAX;
/// The score depends on the game before the root.
pub(crate) const BEFORE_ROOT: i32 = -1;

impl Value {
    /// A score that depends on the position alone.
    pub(crate) const fn of_position(score: i32) -> Self {
        Self { score, depends_on_ply: NO_PLY }
    }
}

impl std::ops::Neg for Value {
    type Output = Self;

    fn neg(self) -> Self {
        Self { score: -self.score, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_differ_from_large_scores() {
        assert_eq!(to_score(mates_in(3)), Score::Win(Some(3)));
        assert_eq!(to_score(mated_in(4)), Score::Loss(Some(4)));
        assert_eq!(to_score(MATE_BOUND), Score::Win(None));
        assert_eq!(to_score(-MATE_BOUND - 2), Score::Loss(None));
        assert_eq!(to_score(MATE_BOUND - 1), Score::Cp(MATE_BOUND - 1));
        assert!(is_mate(MATE_BOUND) && is_mate(-MATE_BOUND) && !is_mate(1 - MATE_BOUND));
    }
}
