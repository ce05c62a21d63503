//! Alternatives: a node has a bonus for each move that is nearly as good as the best one.

use arrayvec::ArrayVec;

use crate::search::value::MATE_BOUND;

/// The largest number of alternatives that can count.
pub(crate) const MOST: usize = 8;

/// The best scores of a node, best first: the best one, and as many others as can count.
pub(super) type Near = ArrayVec<i32, { MOST + 1 }>;

/// The parameters of the rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Alternatives {
    /// The bonus for each alternative; 0: the rule is off.
    weight: i32,
    /// How far below the best an alternative may be.
    pub(super) margin: i32,
    /// The number of alternatives that count.
    most: i32,
}

impl Alternatives {
    pub(super) const OFF: Self = Self { weight: 0, margin: 0, most: 0 };

    pub(super) fn new(weight: i32, margin: i32, most: i32) -> Self {
        if weight == 0 { Self::OFF } else { Self { weight, margin, most: most.min(MOST as i32) } }
    }

    pub(super) fn is_on(self) -> bool {
        self.weight > 0
    }

    /// The largest possible bonus.
    pub(super) fn largest(self) -> i32 {
        self.weight * self.most
    }

    /// The bonus of a node whose best scores are these.
    pub(super) fn bonus(self, near: &Near) -> i32 {
        self.weight * self.most.min(others_near(near, self.margin) as i32)
    }
}

/// Number of scores after the first that are within `margin` of it. Moves that lose by force do not count.
pub(super) fn others_near(near: &Near, margin: i32) -> usize {
    let Some((&best, others)) = near.split_first() else { return 0 };
    others.iter().take_while(|&&score| score >= best - margin && score > -MATE_BOUND).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_within_the_margin_count_up_to_the_most() {
        let rule = Alternatives::new(2, 20, 3);
        let bonus = |scores: &[i32]| rule.bonus(&scores.iter().copied().collect());
        assert_eq!((bonus(&[]), bonus(&[50]), bonus(&[50, 29])), (0, 0, 0));
        assert_eq!((bonus(&[50, 30]), bonus(&[50, 50, 40, 35, 30])), (2, 6));
        assert_eq!(bonus(&[10 - MATE_BOUND, 5 - MATE_BOUND, -MATE_BOUND]), 2);
        assert_eq!((rule.largest(), Alternatives::OFF.largest()), (6, 0));
    }
}
