//! Score rules beyond minimax (H. G. Muller; docs/search.md, section 4): a node's value is more than the
//! largest of its moves' values.
//!
//! With `x` the negated values of the moves searched at a node and `best` the largest of `y`, which are the mates
//! among them as they are and the others with the bonus of their move, the value is `best` if that is a mate, else
//! `g(best + bonus − penalty)`: [`alternatives`] adds, [`single_good`] and [`neighbourhood`] take away,
//! [`delayed_loss`] brings losses nearer to zero. [`NodeScores`] does this within a window, exactly as if there
//! were none: what it returns is the value where that lies within the window, else a bound of it.
//!
//! Each rule is a pure function of the position, the budgets and the options, never of the window or the kind of
//! node: table entries could not be shared otherwise. A change of the options clears the table. Not here:
//! quiescence, passed turns and pruned nodes, where no rule applies.

mod alternatives;
mod delayed_loss;
mod neighbourhood;
mod node_scores;
mod noise;
mod random_bonus;
mod readout;
mod single_good;

pub(crate) use node_scores::{ExactWindow, NodeScores};
pub(crate) use noise::noise;
pub(crate) use random_bonus::order as tie_order;
pub(crate) use readout::readout;

use super::parameters::Parameters;
use crate::shogi::Move;
use alternatives::Alternatives;
use neighbourhood::Neighbourhood;
use single_good::SingleGood;

/// The score rules that are switched on, with their figures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoreRules {
    /// Delta: what a loss is brought nearer to zero at each node of the side that suffers it.
    delayed_loss: i32,
    alternatives: Alternatives,
    single_good: SingleGood,
    neighbourhood: Neighbourhood,
    /// Bonuses of moves are below this.
    random_bonus: u32,
    /// Of moves with equal scores the one of larger hash is chosen, not the first.
    pub(crate) hash_ties: bool,
    /// What is added to evaluations is below this.
    pub(crate) noise: u32,
}

/// The rules at one node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeRules {
    delayed_loss: i32,
    alternatives: Alternatives,
    single_good: SingleGood,
    /// What the neighbourhood of the position takes away.
    malus: i32,
}

impl NodeRules {
    /// The value of a node is the largest score of its moves.
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

    /// Where the evaluation of the neighbourhood comes from, if it counts.
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
        if self.random_bonus == 0 { 0 } else { random_bonus::bonus(key, mv, self.random_bonus) }
    }
}

#[cfg(test)]
mod tests;
