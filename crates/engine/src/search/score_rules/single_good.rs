//! Single good move: a node with a single good move has a penalty, since a side that misses that move loses.

use super::alternatives::{Near, others_near};

/// The parameters of the rule.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SingleGood {
    /// Pi: the penalty; 0: the rule is off.
    pub(super) penalty: i32,
    /// A move at most this far below the best one is a second good move. It is at least the penalty minus 1; otherwise
    /// a move with a higher score could give the node a lower value.
    pub(super) margin: i32,
}

impl SingleGood {
    pub(super) const OFF: Self = Self { penalty: 0, margin: 0 };

    pub(super) fn new(penalty: i32, margin: i32) -> Self {
        if penalty == 0 { Self::OFF } else { Self { penalty, margin: margin.max(penalty - 1) } }
    }

    pub(super) fn is_on(self) -> bool {
        self.penalty > 0
    }

    /// Whether a second good move is among a node's best scores.
    pub(super) fn has_second(self, near: &Near) -> bool {
        others_near(near, self.margin) > 0
    }

    /// The penalty of a node with these best scores, given the number of moves searched. It is 0 if only one move was
    /// searched.
    pub(super) fn penalty(self, near: &Near, searched: usize) -> i32 {
        if searched < 2 || self.has_second(near) { 0 } else { self.penalty }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_good_move_saves_the_penalty() {
        let rule = SingleGood::new(5, 20);
        let penalty = |scores: &[i32], searched: usize| {
            rule.penalty(&scores.iter().copied().collect(), searched)
        };
        assert_eq!((penalty(&[10, -10], 2), penalty(&[10, -11], 2)), (0, 5));
        assert_eq!((penalty(&[10], 1), penalty(&[10], 30)), (0, 5));
        assert_eq!(SingleGood::new(50, 20).margin, 49);
    }
}
