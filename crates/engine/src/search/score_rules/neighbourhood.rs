//! Bad neighbourhood: a node with a bad evaluation counts less than the score of its best line, since that line may be
//! an error of the search.

/// The parameters of the rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neighbourhood {
    /// Nu: the largest malus; 0: the rule is off.
    pub(super) most: i32,
    /// Theta: an evaluation down to this number of centipawns below zero has no malus.
    from: i32,
    /// Whether the evaluation is that of quiescence instead of the static one.
    pub(crate) by_quiescence: bool,
}

/// The number of centipawns for which the malus grows by one.
const SLOPE: i32 = 32;

impl Neighbourhood {
    pub(super) fn new(most: i32, from: i32, by_quiescence: bool) -> Self {
        Self { most, from, by_quiescence }
    }

    /// The malus of a node with this evaluation for the side to move.
    pub(crate) fn malus(self, eval: i32) -> i32 {
        ((-eval - self.from) / SLOPE).clamp(0, self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bad_positions_lose_something() {
        let rule = Neighbourhood::new(8, 100, false);
        let malus = [500, 0, -100, -131, -132, -164, -356, -2000].map(|eval| rule.malus(eval));
        assert_eq!(malus, [0, 0, 0, 0, 1, 2, 8, 8]);
        assert_eq!(Neighbourhood::new(0, 100, false).malus(-2000), 0);
    }
}
