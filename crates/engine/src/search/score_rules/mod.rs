//! Score rules (H. G. Muller, *Beyond minimax*; docs/search.md, section 4): the value of a node may differ from the
//! largest value of its moves.
//!
//! Let `y` be the scores of the moves searched at a node, each with the bonus of its move except mates, and `best` the
//! largest of them. The value is `best` if that is a mate, and otherwise `g(best + bonus − penalty)`. [`Alternatives`]
//! gives the bonus and [`SingleGood`] the penalty. `g` is [`Neighbourhood`], which lowers the value, and then the
//! delayed loss, which raises negative scores. [`NodeScores`] computes this within a window: it returns the value
//! if it lies within the window, and otherwise a bound of it.
//!
//! Each rule is a pure function of the position, the budgets and the options. It does not depend on the window or the
//! kind of node, since nodes could not share table entries otherwise. A change of the options clears the table. No rule
//! applies in quiescence, after null moves and at pruned nodes.

mod node_scores;
mod noise;
mod rules;

pub(crate) use node_scores::{ExactWindow, NodeScores};
pub(crate) use noise::{noise, tie_order};
pub(crate) use rules::line_statistics;

use super::parameters::Parameters;
use kyomi_shogi::Move;
use noise::random_bonus;
use rules::{Alternatives, Neighbourhood, SingleGood};

/// The score rules that are switched on, with their parameters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoreRules {
    /// Delta: the amount by which a negative score is raised at each node of the losing side.
    delayed_loss: i32,
    alternatives: Alternatives,
    single_good: SingleGood,
    neighbourhood: Neighbourhood,
    /// Bonuses of moves are below this number; 0: off.
    random_bonus: u32,
    /// Whether the move with the larger hash is chosen among moves with equal scores, instead of the first.
    pub(crate) hash_ties: bool,
    /// The noise added to evaluations is below this number; 0: off.
    pub(crate) noise: u32,
}

/// The rules at one node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeRules {
    delayed_loss: i32,
    alternatives: Alternatives,
    single_good: SingleGood,
    /// The amount that the rule of the bad neighbourhood subtracts.
    malus: i32,
}

impl NodeRules {
    /// No rules: the value of a node is the largest score of its moves.
    pub(crate) const OFF: Self = Self {
        delayed_loss: 0,
        alternatives: Alternatives::OFF,
        single_good: SingleGood::OFF,
        malus: 0,
    };
}

/// Rules that compare moves apply from this depth on, in nominal plies.
const LEAST_DEPTH: i32 = 2;

impl ScoreRules {
    pub(crate) fn new(p: &Parameters) -> Self {
        Self {
            delayed_loss: p.delayed_loss,
            alternatives: Alternatives::new(
                p.alternatives,
                p.alternatives_margin,
                p.alternatives_most,
            ),
            single_good: SingleGood::new(p.single_good, p.single_good_margin),
            neighbourhood: Neighbourhood::new(
                p.bad_neighbourhood,
                p.bad_neighbourhood_from,
                p.bad_neighbourhood_source != 0,
            ),
            random_bonus: p.random_bonus as u32,
            hash_ties: p.tie_break != 0,
            noise: p.eval_noise as u32,
        }
    }

    /// The rule of the bad neighbourhood, if it is on.
    pub(crate) fn neighbourhood(&self) -> Option<Neighbourhood> {
        (self.neighbourhood.most > 0).then_some(self.neighbourhood)
    }

    /// The rules at a node of this depth, in nominal plies, with this malus of its neighbourhood.
    pub(crate) fn at(&self, depth: i32, malus: i32) -> NodeRules {
        let (alternatives, single_good) = if depth >= LEAST_DEPTH {
            (self.alternatives, self.single_good)
        } else {
            (Alternatives::OFF, SingleGood::OFF)
        };
        NodeRules { delayed_loss: self.delayed_loss, alternatives, single_good, malus }
    }

    /// The bonus of a move at the position of this key.
    #[inline]
    pub(crate) fn bonus(&self, key: u64, mv: Move) -> i32 {
        if self.random_bonus == 0 { 0 } else { random_bonus(key, mv, self.random_bonus) }
    }
}

#[cfg(test)]
mod tests;
