//! Fitting learned move probabilities: a factor on the even share of each move, so that the share of a move in the
//! interest of all legal moves is the probability that it is played.
//!
//! Every fit begins with factors of 1, which is the interest without learned probabilities. Steps shrink as gradients
//! accumulate (`AdaGrad`); only values that occur in a batch change. A value that few moves have changes little.

use serde::Serialize;

use super::sample_positions::{SampledPosition, rank};
use kyomi_engine::search::{
    KingViews, LearnedFileError, LearnedMove, LearnedWeights, MoveFitInput, OCTAVE, VALUES,
    moves_file, shift_all, with_shared,
};

/// The settings of a fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct MoveFit {
    /// Number of passes over the positions.
    pub(crate) epochs: usize,
    /// The first step of a value, a natural logarithm.
    pub(crate) rate: f32,
    /// Penalty on the square of each value that occurs.
    pub(crate) l2: f32,
    /// Seed of the order of positions.
    pub(crate) seed: u64,
}

/// A legal move of a position.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    learned: LearnedMove,
    /// The part of its interest that the factor does not multiply.
    fixed: f32,
    /// Its even share, which the factor multiplies.
    factored: f32,
}

#[derive(Debug, Clone, Copy)]
struct Case {
    views: KingViews,
    begin: usize,
    end: usize,
    /// The index of the played move among the candidates.
    played: usize,
}

/// The positions of a fit with their legal moves.
#[derive(Debug, Default)]
pub(crate) struct MoveCases {
    cases: Vec<Case>,
    candidates: Vec<Candidate>,
}

impl MoveCases {
    /// Adds a position.
    pub(crate) fn add(&mut self, input: &MoveFitInput, sampled: &SampledPosition<'_>) {
        let position = sampled.position;
        let views = input.views(position, sampled.last_to, sampled.checked_before);
        let begin = self.candidates.len();
        let Some(played) = views.iter().position(|view| view.mv == sampled.played) else { return };
        self.candidates.extend(views.iter().map(|view| {
            let fixed = (view.interest - view.even).max(0.0);
            Candidate { learned: view.learned, fixed, factored: view.even }
        }));
        let end = self.candidates.len();
        self.cases.push(Case { views: KingViews::of(position), begin, end, played });
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    fn candidates(&self, case: &Case) -> &[Candidate] {
        &self.candidates[case.begin..case.end]
    }
}

/// How well the moves played are predicted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct MoveScore {
    /// The number of positions.
    pub(crate) positions: usize,
    /// The mean negative log-likelihood of the played move.
    pub(crate) loss: f64,
    /// The shares of positions in which the played move is the first, among the first five, and among the first ten.
    pub(crate) ranks: [f64; 3],
}

impl MoveScore {
    /// The score of the interest that `logarithm` leads to.
    fn of(cases: &MoveCases, logarithm: impl Fn(&KingViews, LearnedMove) -> f32) -> Self {
        let mut score = Self { positions: cases.len(), ..Self::default() };
        let mut interest = Vec::new();
        for case in &cases.cases {
            interest.clear();
            interest.extend(cases.candidates(case).iter().map(|candidate| {
                let factor = logarithm(&case.views, candidate.learned).exp();
                f64::from(candidate.fixed + candidate.factored * factor)
            }));
            score.loss += interest.iter().sum::<f64>().ln() - interest[case.played].ln();
            let rank = rank(&interest, case.played);
            for (share, within) in score.ranks.iter_mut().zip([1, 5, 10]) {
                *share += f64::from(u8::from(rank <= within));
            }
        }
        let count = cases.len().max(1) as f64;
        score.loss /= count;
        score.ranks = score.ranks.map(|share| share / count);
        score
    }

    /// The score of values.
    fn of_values(cases: &MoveCases, values: &[f32]) -> Self {
        Self::of(cases, |views, learned| logarithm(views, learned, values))
    }
}

fn logarithm(views: &KingViews, learned: LearnedMove, values: &[f32]) -> f32 {
    let mut sum = 0.0;
    views.values(learned, |number| sum += values[number]);
    sum
}

/// Fits values to positions, beginning with 0. `show` receives the number of each epoch (0 before the first), the mean
/// loss while it ran, and the score on the positions of the test set, and returns whether to continue. Returns the
/// values of the epoch with the least loss on the test set.
pub(crate) fn fit_moves(
    cases: &MoveCases,
    test_set: &MoveCases,
    fit: &MoveFit,
    mut show: impl FnMut(usize, f64, &MoveScore) -> bool,
) -> Vec<f32> {
    let mut values = vec![0.0_f32; VALUES];
    let mut best = values.clone();
    let mut least = MoveScore::of_values(test_set, &values);
    let mut squares = vec![FIRST_SQUARE; VALUES];
    let mut gradient = Gradient::new();
    let mut order: Vec<usize> = (0..cases.len()).collect();
    let mut random = fastrand::Rng::with_seed(fit.seed);
    let mut continues = show(0, least.loss, &least);
    for epoch in 1..=fit.epochs {
        if !continues {
            break;
        }
        random.shuffle(&mut order);
        let mut loss = 0.0;
        for batch in order.chunks(BATCH) {
            for at in batch {
                loss += gradient.add(cases, *at, &values);
            }
            gradient.take(|number, gradient| {
                let gradient = gradient + fit.l2 * values[number];
                squares[number] += gradient * gradient;
                values[number] -= fit.rate * gradient / squares[number].sqrt();
            });
        }
        let score = MoveScore::of_values(test_set, &values);
        continues = show(epoch, loss / cases.len().max(1) as f64, &score);
        if score.loss < least.loss {
            least = score;
            best.copy_from_slice(&values);
        }
    }
    best
}

/// The number of positions of one step.
const BATCH: usize = 64;

/// The sum of squared gradients that a value begins with: the less, the more a few moves change it.
const FIRST_SQUARE: f32 = 4.0;

/// The gradient of a batch.
struct Gradient {
    gradients: Vec<f32>,
    touched: Vec<usize>,
    is_touched: Vec<bool>,
    interest: Vec<(f32, f32)>,
}

impl Gradient {
    fn new() -> Self {
        Self {
            gradients: vec![0.0; VALUES],
            touched: Vec::new(),
            is_touched: vec![false; VALUES],
            interest: Vec::new(),
        }
    }

    /// Adds the gradient of a position. Returns its loss.
    fn add(&mut self, cases: &MoveCases, at: usize, values: &[f32]) -> f64 {
        let case = &cases.cases[at];
        let candidates = cases.candidates(case);
        self.interest.clear();
        self.interest.extend(candidates.iter().map(|candidate| {
            let changed =
                candidate.factored * logarithm(&case.views, candidate.learned, values).exp();
            (candidate.fixed + changed, changed)
        }));
        let sum: f32 = self.interest.iter().map(|(all, _)| all).sum();
        for (index, candidate) in candidates.iter().enumerate() {
            let (all, changed) = self.interest[index];
            let played = f32::from(u8::from(index == case.played));
            let gradient = (all / sum - played) * changed / all;
            case.views.values(candidate.learned, |number| {
                if !self.is_touched[number] {
                    self.is_touched[number] = true;
                    self.touched.push(number);
                }
                self.gradients[number] += gradient;
            });
        }
        f64::from(sum.ln() - self.interest[case.played].0.ln())
    }

    /// Passes all gradients that are not 0 to `each` and sets them to 0.
    fn take(&mut self, mut each: impl FnMut(usize, f32)) {
        for number in self.touched.drain(..) {
            self.is_touched[number] = false;
            each(number, std::mem::take(&mut self.gradients[number]));
        }
    }
}

/// The bytes of a file with these values. The same is added to the logarithms of all moves, so that the even shares of
/// a position add up to what they did before, by the mean of the logarithm.
pub(crate) fn finished_moves(cases: &MoveCases, values: &[f32]) -> Vec<u8> {
    let mut weights = with_shared(values);
    let some = cases.cases.iter().step_by(cases.len() / 20_000 + 1);
    let (mut growth, mut count) = (0.0, 0);
    for case in some {
        let candidates = cases.candidates(case);
        let sum: f32 = candidates.iter().map(|candidate| candidate.factored).sum();
        let changed = candidates
            .iter()
            .map(|candidate| {
                candidate.factored * logarithm(&case.views, candidate.learned, values).exp()
            })
            .sum::<f32>();
        growth += f64::from((changed / sum).ln());
        count += 1;
    }
    shift_all(&mut weights, -(growth / f64::from(count.max(1))) as f32);
    let units = OCTAVE as f32 / std::f32::consts::LN_2;
    let weights: Vec<f32> = weights.iter().map(|weight| weight * units).collect();
    moves_file(&weights)
}

/// The score of the weights of a file on some positions, as a search uses them.
///
/// # Errors
/// The bytes are no such file.
pub(crate) fn moves_of_file(
    cases: &MoveCases,
    bytes: &[u8],
) -> Result<MoveScore, LearnedFileError> {
    let weights = LearnedWeights::from_bytes(bytes)?;
    let unit = std::f32::consts::LN_2 / OCTAVE as f32;
    Ok(MoveScore::of(cases, |views, learned| learned.logarithm(&weights, views) as f32 * unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_engine::search::Parameters;
    use kyomi_shogi::Position;

    fn cases() -> MoveCases {
        let mut random = fastrand::Rng::with_seed(12);
        let input = MoveFitInput::new(&Parameters::interest());
        let mut cases = MoveCases::default();
        let mut position = Position::startpos();
        for _ in 0..60 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.usize(..moves.len())];
            cases.add(&input, &SampledPosition::new(&position, mv));
            position.do_move(mv);
        }
        cases
    }

    #[test]
    fn the_gradient_equals_finite_differences() {
        let cases = cases();
        let mut random = fastrand::Rng::with_seed(2);
        let values: Vec<f32> = (0..VALUES).map(|_| random.f32() * 0.2 - 0.1).collect();
        let mut gradient = Gradient::new();
        gradient.add(&cases, 30, &values);
        let loss = |values: &[f32]| Gradient::new().add(&cases, 30, values);
        let mut compared = 0;
        let mut gradients = Vec::new();
        gradient.take(|number, gradient| gradients.push((number, gradient)));
        for (number, gradient) in gradients.into_iter().step_by(40) {
            let with = |by: f32| {
                let mut moved = values.clone();
                moved[number] += by;
                loss(&moved)
            };
            let found = (with(0.01) - with(-0.01)) / 0.02;
            assert!((found - f64::from(gradient)).abs() < 2e-3, "{number}: {found} {gradient}");
            compared += 1;
        }
        assert!(compared > 5);
    }

    #[test]
    fn a_fit_raises_the_likelihood_of_played_moves_and_depends_on_its_seed() {
        let cases = cases();
        let fit = MoveFit { epochs: 3, rate: 0.3, l2: 0.0, seed: 5 };
        let mut losses = Vec::new();
        let values = fit_moves(&cases, &cases, &fit, |_, _, score| {
            losses.push(score.loss);
            true
        });
        assert!(losses.len() == 4 && losses[3] < losses[0], "{losses:?}");
        assert_eq!(fit_moves(&cases, &cases, &fit, |_, _, _| true), values);
        let written = moves_of_file(&cases, &finished_moves(&cases, &values)).unwrap();
        assert!(written.loss < losses[0], "{written:?} {losses:?}");
    }
}
