//! Fitting the values of merits: conditional logit of the move that was played against all that could have been.
//!
//! A move's utility is its merit over a hundred; the played move is chosen with the exponential share of its utility.
//! The likelihood is concave in the values, so that every start leads to one optimum. What all moves of a list have in
//! common it cannot tell: the value of `Nothing` is set afterwards so that the same share of moves has negative merit as
//! before.

use crate::search::{
    MERITS, Parameters, Places, SQUARES, merit_views, present_squares, squares_file,
};
use crate::shogi::{Move, Position, Square};

use super::{descent::ValueFit, draw::rank};

/// How a fit is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeritFit {
    /// The first step is in points, a unit of distance is a hundred.
    pub(crate) fit: ValueFit,
    /// The learned squares are fitted too.
    pub(crate) squares: bool,
    /// No value of moves that lose nothing may be below 0.
    pub(crate) nonnegative: bool,
}

/// One position: its moves as the merits see them.
#[derive(Debug, Clone)]
pub(crate) struct MeritCase {
    /// All legal moves, one after the other.
    columns: Vec<u8>,
    /// Where each move's columns end.
    ends: Vec<u16>,
    /// What is taken off each for a loss by exchange, in points.
    sacrifices: Vec<i16>,
    /// The learned squares of each.
    squares: Vec<Places>,
    /// Whether a generator makes each.
    plausible: Vec<bool>,
    /// Which was played.
    played: usize,
}

impl MeritCase {
    /// Reads a position; `last_to` is where the move before went.
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

    /// The places of a move's values: those of its rows, and of its squares behind them.
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

    /// What is lost, the negative log-likelihood, and the share of each move.
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

    /// Adds the gradient of the loss, per point.
    fn add_gradient(&self, shares: &[f64], gradient: &mut [f64]) {
        for (at, share) in shares.iter().enumerate() {
            let chosen = f64::from(u8::from(at == self.played));
            for column in self.columns(at) {
                gradient[column] += (share - chosen) / 100.0;
            }
        }
    }
}

/// What values are worth on some positions.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct MeritScore {
    /// Positions.
    pub(crate) positions: usize,
    /// Mean negative log-likelihood of the played move.
    pub(crate) loss: f64,
    /// Share of positions in which the played move is made by a generator and has no negative merit.
    pub(crate) accuracy: f64,
    /// Share of all moves that are not.
    pub(crate) saving: f64,
    /// Shares of positions in which the played move is the first, among five, among ten by merit.
    pub(crate) ranks: [f64; 3],
}

/// The current values: of the table two for each row, good, bad; then the learned squares.
pub(crate) fn present_merits() -> Vec<f64> {
    let rows = MERITS.iter().flat_map(|row| [f64::from(row.good), f64::from(row.bad)]);
    rows.chain(present_squares()).collect()
}

/// The learned squares of the values, as the file they are kept in.
pub(crate) fn merit_squares(values: &[f64]) -> Vec<u8> {
    squares_file(values.get(ROWS..).unwrap_or_default())
}

/// Values of the table; those of the learned squares come behind.
const ROWS: usize = 2 * MERITS.len();

/// The values as rows of the table.
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

/// What values are worth.
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
    let slopes = |batch: &[usize], values: &[f64], gradient: &mut [f64]| {
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
    let settle = |values: &mut [f64]| {
        if how.nonnegative {
            for value in values[..ROWS].iter_mut().skip(2).step_by(2) {
                *value = value.max(0.0);
            }
        }
    };
    how.fit.descend(&mut values, 100.0, cases.len(), slopes, settle, show);
    save_as_much(cases, &mut values, before);
    values
}

/// Sets the value of moves without any merit so that this share of all moves has negative merit, or no generator.
fn save_as_much(cases: &[MeritCase], values: &mut [f64], saving: f64) {
    values[..2].fill(0.0);
    let mut merits: Vec<f64> = Vec::new();
    let mut moves = 0;
    for case in cases {
        moves += case.len();
        let made = (0..case.len()).filter(|at| case.plausible[*at]);
        merits.extend(made.map(|at| case.merit(values, at)));
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
                // Captures if there are any.
                let takes = moves.iter().copied().find(|mv| position.piece_on(mv.to()).is_some());
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
    fn the_gradient_is_that_of_finite_differences() {
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
        // All of the table, and some of the squares.
        for at in (0..ROWS).chain((ROWS..values.len()).step_by(97)) {
            let mut moved = values.clone();
            moved[at] += 0.01;
            let up = total(&moved);
            moved[at] -= 0.02;
            let slope = (up - total(&moved)) / 0.02;
            assert!((slope - gradient[at]).abs() < 1e-6, "{at}: {slope} {}", gradient[at]);
        }
    }

    #[test]
    fn a_fit_likes_what_was_played_and_follows_from_its_seed() {
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
        // It ends when requested.
        let mut count = 0;
        fit_merits(&cases, &FIT, |_, _| {
            count += 1;
            false
        });
        assert_eq!(count, 1);
    }

    #[test]
    fn values_can_be_kept_from_being_negative() {
        let fit = MeritFit { nonnegative: true, ..FIT };
        let fitted = fit_merits(&cases(200), &fit, |_, _| true);
        assert!(fitted[..ROWS].iter().skip(2).step_by(2).all(|value| *value >= 0.0));
        let table = merit_table(&fitted);
        assert_eq!(table.lines().count(), MERITS.len());
        assert!(table.contains("    CapturePawn "));
    }
}
