//! Fitting the values of merits: conditional logit of the played move against all legal moves.
//!
//! A move's utility is its merit divided by a hundred, and the probability of a move is its softmax share. The
//! likelihood is concave in the values, so every start leads to the same optimum. It does not change if a constant is
//! added to the merits of all moves; therefore the value of `Nothing` is set afterwards, so that the same share of
//! moves has negative merit as before.

use kyomi_engine::search::{
    MERITS, Parameters, Places, SQUARES, merit_views, present_squares, squares_file,
};
use kyomi_shogi::{Move, Position, Square};

use super::descent::ValueFit;
use super::sample_positions::rank;

/// The settings of a fit of merits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeritFit {
    /// The descent. Its first step is in points; its unit of distance is a hundred points.
    pub(crate) fit: ValueFit,
    /// Whether the learned squares are fitted too.
    pub(crate) squares: bool,
    /// Whether the values of moves that lose nothing by exchange are kept at 0 or above.
    pub(crate) nonnegative: bool,
}

/// A position: for each legal move the values that its merit is the sum of.
#[derive(Debug, Clone)]
pub(crate) struct MeritCase {
    /// The indices of the table values of all legal moves, move after move.
    columns: Vec<u8>,
    /// The end of each move's part of `columns`.
    ends: Vec<u16>,
    /// The deduction of each move for a loss by exchange, in points.
    sacrifices: Vec<i16>,
    /// The learned squares of each move.
    squares: Vec<Places>,
    /// Whether a generator makes each move.
    plausible: Vec<bool>,
    /// The index of the played move.
    played: usize,
}

impl MeritCase {
    /// Reads a position; `last_to` is the destination of the move before.
    pub(crate) fn new(position: &Position, played: Move, last_to: Option<Square>) -> Option<Self> {
        let threat = Parameters::default().plausible_threat;
        let views = merit_views(position, last_to, threat).moves;
        let at = views.iter().position(|view| view.mv == played)?;
        let mut case = Self {
            columns: Vec::new(),
            ends: Vec::new(),
            sacrifices: Vec::new(),
            squares: Vec::new(),
            plausible: Vec::new(),
            played: at,
        };
        for view in &views {
            case.columns.extend(view.rows.iter().map(|row| 2 * row + u8::from(!view.good)));
            case.ends.push(case.columns.len() as u16);
            case.sacrifices.push(view.sacrifice as i16);
            case.squares.push(view.squares);
            case.plausible.push(view.is_plausible());
        }
        Some(case)
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    /// The indices of a move's values: first those of its table rows, then those of its learned squares.
    fn columns(&self, at: usize) -> impl Iterator<Item = usize> {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let rows = self.columns[usize::from(begin)..usize::from(self.ends[at])].iter();
        let squares = self.squares[at].into_iter().map(usize::from).filter(|at| *at < SQUARES);
        rows.map(|column| usize::from(*column)).chain(squares.map(|at| ROWS + at))
    }

    /// The merit of a move in points.
    fn merit(&self, values: &[f64], at: usize) -> f64 {
        let sum: f64 = self.columns(at).map(|column| values[column]).sum();
        sum + f64::from(self.sacrifices[at])
    }

    /// The negative log-likelihood of the played move. Writes the probability of each move to `shares`.
    fn loss(&self, values: &[f64], shares: &mut Vec<f64>) -> f64 {
        shares.clear();
        shares.extend((0..self.len()).map(|at| self.merit(values, at) / 100.0));
        let most = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let played = shares[self.played];
        let mut sum = 0.0;
        for share in shares.iter_mut() {
            *share = (*share - most).exp();
            sum += *share;
        }
        for share in shares.iter_mut() {
            *share /= sum;
        }
        sum.ln() + most - played
    }

    /// Adds the gradient of the loss in the values, per point.
    fn add_gradient(&self, shares: &[f64], gradient: &mut [f64]) {
        for (at, share) in shares.iter().enumerate() {
            let chosen = f64::from(u8::from(at == self.played));
            for column in self.columns(at) {
                gradient[column] += (share - chosen) / 100.0;
            }
        }
    }
}

/// The quality of a set of values on some positions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct MeritScore {
    /// The number of positions.
    pub(crate) positions: usize,
    /// The mean negative log-likelihood of the played move.
    pub(crate) loss: f64,
    /// The share of positions in which a generator makes the played move and its merit is not negative.
    pub(crate) accuracy: f64,
    /// The share of all moves that no generator makes or whose merit is negative.
    pub(crate) saving: f64,
    /// The shares of positions in which the played move is the first, among the first five, and among the first ten by
    /// merit.
    pub(crate) ranks: [f64; 3],
}

/// The current values: for each row of the table the good and the bad value, then the learned squares.
pub(crate) fn present_merits() -> Vec<f64> {
    let rows = MERITS.iter().flat_map(|row| [f64::from(row.good), f64::from(row.bad)]);
    rows.chain(present_squares()).collect()
}

/// The learned squares among the values, in the format of their file.
pub(crate) fn merit_squares(values: &[f64]) -> Vec<u8> {
    squares_file(values.get(ROWS..).unwrap_or_default())
}

/// The number of values of the table. The values of the learned squares follow after them.
const ROWS: usize = 2 * MERITS.len();

/// The values as source lines of the table.
pub(crate) fn merit_table(values: &[f64]) -> String {
    MERITS
        .iter()
        .zip(values.chunks_exact(2))
        .map(|(row, pair)| {
            let [good, bad] = [pair[0], pair[1]].map(|value| value.round() as i32);
            format!("    {} {good} {bad};\n", row.name)
        })
        .collect::<Vec<_>>()
        .concat()
}

/// Measures the quality of values on these positions.
pub(crate) fn score_merits(cases: &[MeritCase], values: &[f64]) -> MeritScore {
    let mut score = MeritScore { positions: cases.len(), ..MeritScore::default() };
    let (mut shares, mut moves) = (Vec::new(), 0);
    for case in cases {
        score.loss += case.loss(values, &mut shares);
        let merits: Vec<f64> = (0..case.len()).map(|at| case.merit(values, at)).collect();
        let stays = |at: usize| case.plausible[at] && merits[at].round() >= 0.0;
        score.accuracy += f64::from(u8::from(stays(case.played)));
        score.saving += (0..case.len()).filter(|at| !stays(*at)).count() as f64;
        moves += case.len();
        let rank = rank(&merits, case.played);
        for (share, within) in score.ranks.iter_mut().zip([1, 5, 10]) {
            *share += f64::from(u8::from(rank <= within));
        }
    }
    let count = cases.len().max(1) as f64;
    score.loss /= count;
    score.accuracy /= count;
    score.saving /= moves.max(1) as f64;
    score.ranks = score.ranks.map(|share| share / count);
    score
}

/// Fits the values, starting from the table. `show` receives the number and mean loss of each epoch and returns whether
/// to continue.
pub(crate) fn fit_merits(
    cases: &[MeritCase],
    how: &MeritFit,
    show: impl FnMut(usize, f64) -> bool,
) -> Vec<f64> {
    let mut values = present_merits();
    let before = score_merits(cases, &values).saving;
    let mut shares = Vec::new();
    let gradients = |batch: &[usize], values: &[f64], gradient: &mut [f64]| {
        let mut loss = 0.0;
        for at in batch {
            loss += cases[*at].loss(values, &mut shares);
            cases[*at].add_gradient(&shares, gradient);
        }
        if !how.squares {
            gradient[ROWS..].fill(0.0);
        }
        loss
    };
    let clamp = |values: &mut [f64]| {
        if how.nonnegative {
            for value in values[..ROWS].iter_mut().skip(2).step_by(2) {
                *value = value.max(0.0);
            }
        }
    };
    how.fit.descend(&mut values, 100.0, cases.len(), gradients, clamp, show);
    save_as_much(cases, &mut values, before);
    values
}

/// Sets the value that all moves share, that of `Nothing`, so that this share of all moves has negative merit or no
/// generator.
fn save_as_much(cases: &[MeritCase], values: &mut [f64], saving: f64) {
    values[..2].fill(0.0);
    let mut merits: Vec<f64> = Vec::new();
    let mut moves = 0;
    for case in cases {
        moves += case.len();
        let selected = (0..case.len()).filter(|at| case.plausible[*at]);
        merits.extend(selected.map(|at| case.merit(values, at)));
    }
    let dropped = (saving * moves as f64).round() as usize;
    let further = dropped.saturating_sub(moves - merits.len());
    if merits.is_empty() {
        return;
    }
    let at = further.min(merits.len() - 1);
    let (_, bound, _) = merits.select_nth_unstable_by(at, f64::total_cmp);
    let bound = -bound.round();
    values[..2].fill(bound);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(count: usize) -> Vec<MeritCase> {
        let mut random = fastrand::Rng::with_seed(11);
        let mut cases = Vec::new();
        while cases.len() < count {
            let (mut position, mut last_to) = (Position::startpos(), None);
            for _ in 0..60 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                // A capture if one exists.
                let takes = moves.iter().copied().find(|mv| position.is_capture(*mv));
                let mv = takes.unwrap_or_else(|| moves[random.usize(..moves.len())]);
                cases.extend(MeritCase::new(&position, mv, last_to));
                last_to = Some(mv.to());
                position.do_move(mv);
            }
        }
        cases.truncate(count);
        cases
    }

    const FIT: MeritFit = MeritFit {
        fit: ValueFit { epochs: 3, rate: 10.0, l2: 1.0, seed: 1 },
        squares: true,
        nonnegative: false,
    };

    #[test]
    fn the_gradient_equals_finite_differences() {
        let cases = cases(40);
        let mut values = present_merits();
        for (value, at) in values.iter_mut().zip(0..) {
            *value += f64::from(at % 7) * 3.0;
        }
        let mut gradient = vec![0.0; values.len()];
        let mut shares = Vec::new();
        for case in &cases {
            case.loss(&values, &mut shares);
            case.add_gradient(&shares, &mut gradient);
        }
        let mut total = |values: &[f64]| -> f64 {
            cases.iter().map(|case| case.loss(values, &mut shares)).sum()
        };
        // All values of the table, and some of the squares.
        for at in (0..ROWS).chain((ROWS..values.len()).step_by(97)) {
            let mut moved = values.clone();
            moved[at] += 0.01;
            let up = total(&moved);
            moved[at] -= 0.02;
            let difference = (up - total(&moved)) / 0.02;
            assert!(
                (difference - gradient[at]).abs() < 1e-6,
                "{at}: {difference} {}",
                gradient[at]
            );
        }
    }

    #[test]
    fn a_fit_raises_the_likelihood_of_played_moves_and_depends_on_its_seed() {
        let cases = cases(300);
        let before = score_merits(&cases, &present_merits());
        let mut losses = Vec::new();
        let fitted = fit_merits(&cases, &FIT, |_, loss| {
            losses.push(loss);
            true
        });
        assert_eq!(losses.len(), 3);
        let after = score_merits(&cases, &fitted);
        assert!(after.loss < before.loss, "{before:?} {after:?}");
        assert!((after.saving - before.saving).abs() < 0.02, "{before:?} {after:?}");
        assert_eq!(fit_merits(&cases, &FIT, |_, _| true), fitted);
        // The fit ends when `show` returns false.
        let mut count = 0;
        fit_merits(&cases, &FIT, |_, _| {
            count += 1;
            false
        });
        assert_eq!(count, 1);
    }

    #[test]
    fn nonnegative_keeps_values_at_zero_or_above() {
        let fit = MeritFit { nonnegative: true, ..FIT };
        let fitted = fit_merits(&cases(200), &fit, |_, _| true);
        assert!(fitted[..ROWS].iter().skip(2).step_by(2).all(|value| *value >= 0.0));
        let table = merit_table(&fitted);
        assert_eq!(table.lines().count(), MERITS.len());
        assert!(table.contains("    CapturePawn "));
    }
}
