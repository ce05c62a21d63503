//! The rules: alternatives and single good moves, which compare the moves of a node; bad neighbourhoods and delayed
//! losses, which change its value.

use arrayvec::ArrayVec;

use crate::search::value::MATE_BOUND;

/// The largest number of alternatives that can count.
const MOST: usize = 8;

/// The best scores of a node, best first: the best one, and as many others as can count.
pub(super) type BestScores = ArrayVec<i32, { MOST + 1 }>;

/// Alternatives: a node has a bonus for each move that is nearly as good as the best one.
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
    pub(super) fn bonus(self, near: &BestScores) -> i32 {
        self.weight * self.most.min(others_near(near, self.margin) as i32)
    }
}

/// Number of scores after the first that are within `margin` of it. Moves that lose by force do not count.
pub(super) fn others_near(near: &BestScores, margin: i32) -> usize {
    let Some((&best, others)) = near.split_first() else { return 0 };
    others.iter().take_while(|&&score| score >= best - margin && score > -MATE_BOUND).count()
}

/// Single good move: a node with a single good move has a penalty, since a side that misses that move loses.
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
    pub(super) fn has_second(self, near: &BestScores) -> bool {
        others_near(near, self.margin) > 0
    }

    /// The penalty of a node with these best scores, given the number of moves searched. It is 0 if only one move was
    /// searched.
    pub(super) fn penalty(self, near: &BestScores, searched: usize) -> i32 {
        if searched < 2 || self.has_second(near) { 0 } else { self.penalty }
    }
}

/// Bad neighbourhood: a node with a bad evaluation counts less than the score of its best line, since that line may be
/// an error of the search.
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

/// Delayed loss: a loss counts less the later it comes, so that the losing side resists and the winning side hurries.
/// The score after the rule: a negative score is raised by `delta`, at most to 0.
#[inline]
pub(super) fn delayed(score: i32, delta: i32) -> i32 {
    if score < 0 { (score + delta).min(0) } else { score }
}

/// The largest score that is at most `alpha` after a [delayed] loss.
#[inline]
pub(super) fn lower_limit(alpha: i32, delta: i32) -> i32 {
    if alpha < 0 { alpha - delta } else { alpha }
}

/// The smallest score that is at least `beta` after a [delayed] loss.
#[inline]
pub(super) fn upper_limit(beta: i32, delta: i32) -> i32 {
    if beta <= 0 { beta - delta } else { beta }
}

/// Statistics of a position from several lines, for analysis. They are shown beside the lines and do not change the
/// choice of the move. This is the text for line `at`, given the scores of the lines of the root, best first. `None` if
/// there are fewer than two lines.
pub(crate) fn line_statistics(scores: &[i32], at: usize) -> Option<String> {
    if scores.len() < 2 {
        return None;
    }
    let safety = format!("safety {:+}", safety(scores, at));
    if at > 0 {
        return Some(safety);
    }
    let (mild, sharp) = (power_mean(scores, 4), power_mean(scores, 16));
    Some(format!("{safety}, chances of all lines {mild:.3} (power 4) {sharp:.3} (power 16)"))
}

/// The power mean of winning chances without the division by their number, so that every further line adds. The larger
/// the power, the more the best line counts (docs/search.md, section 4).
fn power_mean(scores: &[i32], power: i32) -> f64 {
    let sum: f64 = scores.iter().map(|&score| chance(score).powi(power)).sum();
    sum.powf(1.0 / f64::from(power))
}

/// The winning chance of a score in centipawns.
fn chance(score: i32) -> f64 {
    1.0 / (1.0 + (-f64::from(score) / 600.0).exp())
}

/// The bonus or penalty that the rules about alternatives and single good moves, with fixed parameters, would give a
/// line. A line is safe if other moves are nearly as good.
fn safety(scores: &[i32], at: usize) -> i32 {
    let own = scores.get(at).copied().unwrap_or_default();
    let others = scores.iter().enumerate().filter(|&(other, _)| other != at);
    // A better line counts as equally good.
    let others = others.map(|(_, &score)| score.min(own));
    let mut near: Vec<i32> = std::iter::once(own).chain(others).collect();
    near.sort_unstable_by_key(|&score| std::cmp::Reverse(score));
    let near: BestScores = near.into_iter().take(BestScores::new_const().capacity()).collect();
    Alternatives::new(2, 20, 3).bonus(&near) - SingleGood::new(5, 20).penalty(&near, scores.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    #[test]
    fn only_bad_positions_lose_something() {
        let rule = Neighbourhood::new(8, 100, false);
        let malus = [500, 0, -100, -131, -132, -164, -356, -2000].map(|eval| rule.malus(eval));
        assert_eq!(malus, [0, 0, 0, 0, 1, 2, 8, 8]);
        assert_eq!(Neighbourhood::new(0, 100, false).malus(-2000), 0);
    }

    proptest! {
        #[test]
        fn delayed_scores_keep_their_order(score in -32_000..32_000i32, more in 0..500i32, delta in 0..=100i32) {
            prop_assert!(delayed(score, delta) <= delayed(score + more, delta));
            prop_assert!(delayed(score, delta).signum() * score.signum() >= 0);
        }

        #[test]
        fn limits_invert_delays(limit in prop_oneof![-200..200i32, -32_000..32_000i32], delta in 0..=100i32) {
            let below = lower_limit(limit, delta);
            prop_assert!(delayed(below, delta) <= limit && limit < delayed(below + 1, delta));
            let above = upper_limit(limit, delta);
            prop_assert!(delayed(above, delta) >= limit && limit > delayed(above - 1, delta));
        }
    }

    #[test]
    fn every_good_line_adds_and_the_best_counts_most() {
        assert!((power_mean(&[0], 4) - 0.5).abs() < 1e-12);
        assert!(power_mean(&[0, 0], 4) > 0.59 && power_mean(&[0, 0], 16) < 0.53);
        assert!(power_mean(&[0, -2000], 4) < 0.5001);
        let wide = power_mean(&[300, -500, -900], 64);
        assert!((wide - chance(300)).abs() < 1e-3, "{wide}");
    }

    #[test]
    fn a_line_is_safe_when_others_are_nearly_as_good() {
        let scores = [100, 90, 81, 0];
        let found: Vec<_> = (0..4).map(|at| safety(&scores, at)).collect();
        assert_eq!(found, [4, 4, 4, 6]);
        assert_eq!(safety(&[100, 0], 0), -5);
        assert_eq!(line_statistics(&[5], 0), None);
        let text = line_statistics(&scores, 0).unwrap();
        assert!(text.starts_with("safety +4, chances of all lines 0."), "{text}");
        assert_eq!(line_statistics(&scores, 3).unwrap(), "safety +6");
    }
}
