//! The value of a node within a window, by all score rules together.
//!
//! The window of the moves is wider than that of the node, by the amounts that the rules may still add or subtract, and
//! by the margin within which scores must be exact to be compared. With every rule off it is the window of the node,
//! and the value is the largest score.

use super::NodeRules;
use super::rules::{BestScores, delayed, lower_limit, upper_limit};
use crate::search::value::{INFINITE, MATE_BOUND, is_mate};

/// The scores of a node's moves so far.
#[derive(Debug)]
pub(crate) struct NodeScores {
    rules: NodeRules,
    /// With a best score at or below this, no rule can raise the value above the node's alpha.
    a: i32,
    /// With a best score at or above this, the value reaches the node's beta if no penalty applies.
    b: i32,
    /// Scores above this and below `high` must be exact.
    low: i32,
    high: i32,
    /// The distance below the best score within which scores count.
    margin: i32,
    /// Largest score of a move, including its bonus.
    best: i32,
    searched: usize,
    /// The largest scores. Kept only if a rule compares moves.
    near: BestScores,
    /// The value, if it is known to reach beta.
    cut: Option<i32>,
}

/// Scores of a move above `alpha` and below `beta` must be exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExactWindow {
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

/// The effect of a move's score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    /// Whether the move is the best one now.
    pub(crate) is_best: bool,
    /// Whether the value reaches beta, so that no further move is searched.
    pub(crate) cuts: bool,
}

impl NodeScores {
    /// The scores of a node with this window before its first move.
    #[inline]
    pub(crate) fn new(rules: NodeRules, alpha: i32, beta: i32) -> Self {
        let mut margin = 0;
        if rules.alternatives.is_on() {
            margin = rules.alternatives.margin;
        }
        if rules.single_good.is_on() {
            margin = rules.single_good.margin.max(margin);
        }
        let (a, low) = if is_mate(alpha) {
            (alpha, alpha)
        } else {
            let shift = rules.malus - rules.alternatives.largest();
            let a = lower_limit(alpha, rules.delayed_loss) + shift;
            (a, (a - margin).clamp(-MATE_BOUND, MATE_BOUND - 1))
        };
        let (b, high) = if is_mate(beta) {
            (beta, beta)
        } else {
            let b = upper_limit(beta, rules.delayed_loss) + rules.malus;
            (b, (b + rules.single_good.penalty).clamp(1 - MATE_BOUND, MATE_BOUND))
        };
        let near = BestScores::new_const();
        Self { rules, a, b, low, high, margin, best: -INFINITE, searched: 0, near, cut: None }
    }

    /// The largest score of a move so far, including its bonus. It is below all scores before the first move.
    pub(crate) fn best(&self) -> i32 {
        self.best
    }

    /// Scores at or below this no longer change the value.
    #[inline]
    pub(crate) fn bound(&self) -> i32 {
        if self.compares() && !is_mate(self.best) {
            self.low.max((self.best - self.margin - 1).max(-MATE_BOUND))
        } else {
            self.low.max(self.best)
        }
    }

    /// The window of the next move, without its bonus. `ties`: an equal score makes it the best move.
    #[inline]
    pub(crate) fn exact_window(&self, bonus: i32, ties: bool) -> ExactWindow {
        let bound = self.bound();
        let bound = if ties && self.best > self.low && !is_mate(self.best) {
            bound.min(self.best - 1)
        } else {
            bound
        };
        // Mates are not shifted, and no shift makes a score a mate.
        let alpha =
            if is_mate(bound) { bound } else { (bound - bonus).clamp(-MATE_BOUND, MATE_BOUND - 1) };
        let beta = if is_mate(self.high) {
            self.high
        } else {
            (self.high - bonus).clamp(1 - MATE_BOUND, MATE_BOUND)
        };
        ExactWindow { alpha, beta }
    }

    /// Enters the score of a move that was searched within its [window](Self::exact_window).
    #[inline]
    pub(crate) fn enter(&mut self, score: i32, bonus: i32, ties: bool) -> Change {
        let own = if bonus == 0 || is_mate(score) { score } else { in_band(score + bonus) };
        self.searched += 1;
        let equals = ties && own == self.best && own > self.low && !is_mate(own);
        let is_best = own > self.best || equals;
        self.best = self.best.max(own);
        if self.compares() {
            self.remember(own);
        }
        if own >= self.high {
            let penalty = self.rules.single_good.penalty;
            self.cut = Some(if is_mate(own) { own } else { self.after_rules(own - penalty) });
        } else if self.rules.single_good.is_on()
            && self.best >= self.b
            && !is_mate(self.best)
            && self.rules.single_good.has_second(&self.near)
        {
            // No later move can lower the value by the penalty: a move that is so far above all others has the larger
            // value even with it.
            self.cut = Some(self.after_rules(self.best));
        }
        Change { is_best, cuts: self.cut.is_some() }
    }

    /// The value of the node from the moves searched so far. It is exact if it lies within the window, and otherwise a
    /// bound.
    #[inline]
    pub(crate) fn value(&self) -> i32 {
        if let Some(value) = self.cut {
            return value;
        }
        if is_mate(self.best) {
            return self.best;
        }
        if self.best <= self.a {
            return self.after_rules(self.best + self.rules.alternatives.largest());
        }
        let mut score = self.best;
        if self.compares() {
            score += self.rules.alternatives.bonus(&self.near);
            score -= self.rules.single_good.penalty(&self.near, self.searched);
        }
        self.after_rules(score)
    }

    /// Whether the value depends on several scores.
    #[inline]
    pub(crate) fn compares(&self) -> bool {
        self.rules.alternatives.is_on() || self.rules.single_good.is_on()
    }

    /// Applies the rules that do not compare moves.
    fn after_rules(&self, score: i32) -> i32 {
        in_band(delayed(score - self.rules.malus, self.rules.delayed_loss))
    }

    /// Keeps the largest scores, largest first.
    #[cold]
    fn remember(&mut self, score: i32) {
        let at = self.near.partition_point(|&other| other >= score);
        if self.near.is_full() {
            if at == self.near.len() {
                return;
            }
            self.near.pop();
        }
        self.near.insert(at, score);
    }
}

/// Limits a score, so that no rule makes it a mate.
fn in_band(score: i32) -> i32 {
    score.clamp(1 - MATE_BOUND, MATE_BOUND - 1)
}
