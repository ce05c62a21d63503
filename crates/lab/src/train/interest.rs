//! Fitting the weights of interest: an additive model in which the probability of a move is its share of the interest
//! of all legal moves.
//!
//! Positions in check are left out, since evasions have a separate rule. Terms that the search learns while it runs
//! (hash move, killers, counter moves, history) are left out too. A common factor on all weights changes nothing, so
//! the first weight, which all moves share, stays fixed.

use kyomi_engine::search::{InterestFitInput, InterestView, NAMED_WEIGHTS, NamedWeight};
use kyomi_shogi::{Move, Position, Square};

use super::descent::ValueFit;
use super::sample_positions::rank;

/// The part of a position that the likelihood needs: the amounts of the played move, and the sum over all moves.
#[derive(Debug, Clone)]
pub(crate) struct InterestCase {
    played: Vec<(u8, f32)>,
    all: Vec<(u8, f32)>,
}

/// A position with the amounts of each of its moves, to rank them.
#[derive(Debug, Clone)]
pub(crate) struct InterestList {
    views: Vec<InterestView>,
    played: usize,
}

impl InterestList {
    /// Reads a position that is not in check. `last_to` is the destination of the move before; `checked_before` is
    /// whether the player to move gave check with its last move.
    pub(crate) fn new(
        study: &InterestFitInput,
        position: &Position,
        played: Move,
        last_to: Option<Square>,
        checked_before: bool,
    ) -> Option<Self> {
        let views = study.views(position, last_to, checked_before);
        let played = views.iter().position(|view| view.mv == played)?;
        Some(Self { views, played })
    }

    /// The rank of the played move by interest, from 1, in the middle of the moves of equal interest.
    pub(crate) fn rank(&self, weights: &[f64]) -> usize {
        let interest = |view: &InterestView| InterestCase::sum(&view.amounts, weights);
        let all: Vec<f64> = self.views.iter().map(interest).collect();
        rank(&all, self.played)
    }

    /// The part of the position that the likelihood needs.
    pub(crate) fn case(&self) -> InterestCase {
        let mut sums = vec![0.0_f64; NAMED_WEIGHTS.len()];
        for (weight, amount) in self.views.iter().flat_map(|view| &view.amounts) {
            sums[usize::from(*weight)] += f64::from(*amount);
        }
        let all = (0..).zip(sums).filter(|(_, sum)| *sum > 0.0);
        InterestCase {
            played: self.views[self.played].amounts.clone(),
            all: all.map(|(weight, sum)| (weight, sum as f32)).collect(),
        }
    }
}

impl InterestCase {
    fn sum(amounts: &[(u8, f32)], weights: &[f64]) -> f64 {
        let of = |(weight, amount): &(u8, f32)| weights[usize::from(*weight)] * f64::from(*amount);
        // Interest is never less than a sixteenth of a point.
        amounts.iter().map(of).sum::<f64>().max(1.0 / 16.0)
    }

    /// The negative log-likelihood of the played move.
    fn loss(&self, weights: &[f64]) -> f64 {
        Self::sum(&self.all, weights).ln() - Self::sum(&self.played, weights).ln()
    }

    /// Adds the gradient of the loss in the logarithms of the weights.
    fn add_gradient(&self, weights: &[f64], gradient: &mut [f64]) {
        for (amounts, sign) in [(&self.all, 1.0), (&self.played, -1.0)] {
            let sum = Self::sum(amounts, weights);
            for (weight, amount) in amounts {
                let at = usize::from(*weight);
                gradient[at] += sign * weights[at] * f64::from(*amount) / sum;
            }
        }
    }
}

/// The quality of a set of weights on some positions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct InterestScore {
    /// The number of positions.
    pub(crate) positions: usize,
    /// The mean negative log-likelihood of the played move.
    pub(crate) loss: f64,
    /// The shares of positions in which the played move is the first, among the first five, and among the first ten by
    /// interest.
    pub(crate) ranks: [f64; 3],
}

/// The current weights, in points.
pub(crate) fn present_weights() -> Vec<f64> {
    NAMED_WEIGHTS.iter().map(NamedWeight::points).collect()
}

/// A line for each weight: its name, the given value and the current one, in points.
pub(crate) fn weights_table(weights: &[f64]) -> String {
    NAMED_WEIGHTS
        .iter()
        .zip(weights)
        .map(|(named, value)| format!("{} {value:.1} {:.1}\n", named.name, named.points()))
        .collect::<Vec<_>>()
        .concat()
}

/// Measures the quality of weights on these positions.
pub(crate) fn score_interest(lists: &[InterestList], weights: &[f64]) -> InterestScore {
    let mut score = InterestScore { positions: lists.len(), ..InterestScore::default() };
    for list in lists {
        score.loss += list.case().loss(weights);
        let rank = list.rank(weights);
        for (share, within) in score.ranks.iter_mut().zip([1, 5, 10]) {
            *share += f64::from(u8::from(rank <= within));
        }
    }
    let count = lists.len().max(1) as f64;
    score.loss /= count;
    score.ranks = score.ranks.map(|share| share / count);
    score
}

/// Fits the weights, starting from the current ones. The fitted values are natural logarithms of the weights, so the
/// steps and the distances of `fit` are in logarithms. `show` receives the number and the mean loss of each epoch and
/// returns whether to continue.
pub(crate) fn fit_interest(
    cases: &[InterestCase],
    fit: &ValueFit,
    show: impl FnMut(usize, f64) -> bool,
) -> Vec<f64> {
    let exp = |logs: &[f64]| logs.iter().map(|log| log.exp()).collect::<Vec<_>>();
    let mut logs: Vec<f64> = present_weights().iter().map(|weight| weight.ln()).collect();
    let gradients = |batch: &[usize], logs: &[f64], gradient: &mut [f64]| {
        let weights = exp(logs);
        let mut loss = 0.0;
        for at in batch {
            loss += cases[*at].loss(&weights);
            cases[*at].add_gradient(&weights, gradient);
        }
        gradient[0] = 0.0;
        loss
    };
    fit.descend(&mut logs, 1.0, cases.len(), gradients, |_| (), show);
    exp(&logs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(count: usize) -> Vec<InterestList> {
        let mut random = fastrand::Rng::with_seed(12);
        let study = InterestFitInput::new();
        let mut lists = Vec::new();
        while lists.len() < count {
            let (mut position, mut last_to) = (Position::startpos(), None);
            for _ in 0..80 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let mv = moves[random.usize(..moves.len())];
                if !position.in_check() && random.u8(..4) == 0 {
                    lists.extend(InterestList::new(&study, &position, mv, last_to, false));
                }
                last_to = Some(mv.to());
                position.do_move(mv);
            }
        }
        lists.truncate(count);
        lists
    }

    #[test]
    fn the_gradient_equals_finite_differences() {
        let cases: Vec<InterestCase> = lists(25).iter().map(InterestList::case).collect();
        let weights = present_weights();
        let mut gradient = vec![0.0; weights.len()];
        for case in &cases {
            case.add_gradient(&weights, &mut gradient);
        }
        let total = |weights: &[f64]| cases.iter().map(|case| case.loss(weights)).sum::<f64>();
        for at in 0..weights.len() {
            let with = |log: f64| {
                let mut moved = weights.clone();
                moved[at] *= log.exp();
                total(&moved)
            };
            let difference = (with(1e-4) - with(-1e-4)) / 2e-4;
            assert!(
                (difference - gradient[at]).abs() < 1e-4,
                "{at}: {difference} {}",
                gradient[at]
            );
        }
    }

    #[test]
    fn a_fit_raises_the_likelihood_of_played_moves_and_depends_on_its_seed() {
        // The played moves are random, so a fit lowers the weights of interesting moves.
        let lists = lists(120);
        let cases: Vec<InterestCase> = lists.iter().map(InterestList::case).collect();
        let fit = ValueFit { epochs: 4, rate: 0.2, l2: 0.1, seed: 3 };
        let fitted = fit_interest(&cases, &fit, |_, _| true);
        let (before, after) =
            (score_interest(&lists, &present_weights()), score_interest(&lists, &fitted));
        assert!(after.loss < before.loss, "{before:?} {after:?}");
        assert!((fitted[0] - 1000.0).abs() < 1e-6);
        assert_eq!(fit_interest(&cases, &fit, |_, _| true), fitted);
        assert_eq!(weights_table(&fitted).lines().count(), NAMED_WEIGHTS.len());
    }
}
