//! A position that stands badly but for one saving line is worth less than the line says: what saves it may be an
//! error of the search.

/// The figures of the rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Neighbourhood {
    /// Nu: the most that is taken away; 0: nothing ever.
    pub(super) most: i32,
    /// Theta: an evaluation as bad as this costs nothing yet.
    from: i32,
    /// The evaluation is that of quiescence, not the static one.
    pub(crate) by_quiescence: bool,
}

/// The number of centipawns for which the malus grows by one.
const SLOPE: i32 = 32;

impl Neighbourhood {
    pub(super) fn new(most: i32, from: i32, by_quiescence: bool) -> Self {
        Self { most, from, by_quiescence }
    }

    /// What a node whose position has this evaluation, for the side to move, loses.
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
