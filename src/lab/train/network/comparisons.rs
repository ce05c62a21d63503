//! Comparisons of moves: the move that was played should lead to a better position than the other legal moves do.
//!
//! The idea is comparison training (G. Tesauro, *Connectionist Learning of Expert Preferences by Comparison Training*,
//! 1989). In shogi, positions after quiescence search are compared (K. Hoki and T. Kaneko, *Large-Scale Optimization for
//! Evaluation Functions with Minimax Search*, 2014).

use std::sync::Arc;

use crate::{
    eval::{
        evaluate_from_scratch,
        network::{LANES, Network, NetworkInputs, OUTPUT_UNIT},
    },
    search::Quiescence,
    shogi::{
        Move, Position,
        machine::{Work, run_with_wide_vectors},
    },
};

use super::{
    gradients::{Gradients, backward, forward},
    losses::LossSums,
    parallel::sum_losses,
    parameters::{Lanes, Parameters},
};

/// The positions after the move that was played, which is the first, and after the best of the other legal moves.
#[derive(Debug)]
pub(super) struct Comparison {
    leaves: Vec<Leaf>,
}

/// The position at the end of the quiescence search after a move.
#[derive(Debug)]
struct Leaf {
    inputs: NetworkInputs,
    /// The fitted sum for the side that chooses the move, in centipawns.
    base: f32,
    /// 1 if the side that chooses the move is to move, otherwise -1.
    sign: f32,
    /// The value for the side that chooses the move before the training, in centipawns.
    before: f32,
}

/// How comparisons become a loss, in nats.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonRule {
    /// The centipawns by which a value must be larger for the probability of its move to be e times as large. More
    /// than 0.
    pub temperature: f32,
    /// The loss of values that differ by 100 centipawns from those before the training. It grows with the square of
    /// the difference.
    pub anchor: f32,
}

impl Default for ComparisonRule {
    fn default() -> Self {
        Self { temperature: 100.0, anchor: 0.1 }
    }
}

/// The largest number of moves of a comparison. The others have little probability.
const MOST_MOVES: usize = 16;
/// In centipawns: where the move played is worth more or less than this, the game is decided.
const DECIDED: i32 = 2500;

/// Makes comparisons with a network.
pub(super) struct Comparer {
    network: Arc<Network>,
    quiescence: Quiescence,
}

impl Comparer {
    pub(super) fn new(network: &Arc<Network>) -> Self {
        let quiescence = Quiescence::with_network(network);
        Self { network: Arc::clone(network), quiescence }
    }

    /// The comparison of the moves of a position. `None` if there are fewer than three, or the game is decided. Moves
    /// that mate or are mated are left out, and so are those whose score is not the value of a position. The result
    /// does not depend on earlier calls.
    pub(super) fn compare(&mut self, position: &Position, played: Move) -> Option<Comparison> {
        let mut at = position.clone();
        let mut lines = Vec::new();
        for &mv in &position.legal_moves() {
            let undo = at.do_move(mv);
            if at.has_legal_move() {
                let (score, line) = self.quiescence.line(&at);
                lines.push((-score, mv, line));
            }
            at.undo_move(mv, undo);
        }
        // The move played comes first, then the best.
        lines.sort_by_key(|(score, mv, _)| (*mv != played, -score, mv.to_bits()));
        let (score, first, _) = lines.first()?;
        if *first != played || score.abs() > DECIDED {
            return None;
        }
        let mut leaves = Vec::with_capacity(MOST_MOVES);
        for (score, mv, line) in &lines {
            let leaf = self.leaf(position, *mv, line);
            if leaf.before as i32 == *score {
                leaves.push(leaf);
            } else if leaves.is_empty() {
                return None;
            }
            if leaves.len() == MOST_MOVES {
                break;
            }
        }
        (leaves.len() > 2).then_some(Comparison { leaves })
    }

    /// The position at the end of a line after a move.
    fn leaf(&self, position: &Position, mv: Move, line: &[Move]) -> Leaf {
        let mut at = position.clone();
        at.do_move(mv);
        for &mv in line {
            at.do_move(mv);
        }
        let sign = if at.side_to_move() == position.side_to_move() { 1.0 } else { -1.0 };
        let inputs = NetworkInputs::of(&at);
        let base = sign * evaluate_from_scratch(&at) as f32;
        let before = base + sign * self.network.centipawns(&inputs) as f32;
        Leaf { inputs, base, sign, before }
    }
}

/// Sums over comparisons.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ComparisonLosses {
    /// The number of comparisons.
    pub(super) count: f64,
    /// The negative natural logarithms of the probabilities of the moves played.
    pub(super) choice: f64,
    /// The losses of values that have changed.
    pub(super) anchor: f64,
    /// The number of comparisons in which no value is larger than that of the move played.
    pub(super) first: f64,
    /// The mean squares of the changes of values, in centipawns.
    pub(super) squares: f64,
}

impl ComparisonLosses {
    /// The mean loss of a comparison.
    pub(super) fn mean(&self) -> f64 {
        (self.choice + self.anchor) / self.count.max(1e-9)
    }
}

impl LossSums for ComparisonLosses {
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.choice += other.choice;
        self.anchor += other.anchor;
        self.first += other.first;
        self.squares += other.squares;
    }

    fn weight(&self) -> f64 {
        self.count
    }
}

/// The losses of a network on some comparisons.
pub(super) fn comparison_losses(
    parameters: &Parameters,
    comparisons: &[Comparison],
    rule: &ComparisonRule,
    threads: usize,
) -> ComparisonLosses {
    sum_losses(comparisons.len(), threads, |numbers| {
        run_with_wide_vectors(ComparisonPass {
            parameters,
            comparisons,
            numbers,
            gradients: None,
            rule,
        })
    })
}

/// Computes the losses of some comparisons, and adds their gradients if `gradients` is given.
pub(super) struct ComparisonPass<'a> {
    pub(super) parameters: &'a Parameters,
    pub(super) comparisons: &'a [Comparison],
    /// The indices of the comparisons.
    pub(super) numbers: &'a [u32],
    pub(super) gradients: Option<&'a mut Gradients>,
    pub(super) rule: &'a ComparisonRule,
}

impl Work for ComparisonPass<'_> {
    type Output = ComparisonLosses;

    #[allow(clippy::inline_always, reason = "see `Work`")]
    #[inline(always)]
    fn run(self) -> ComparisonLosses {
        let Self { parameters, comparisons, numbers, mut gradients, rule } = self;
        let zones = parameters.shape.zones;
        let width = 2 * parameters.shape.blocks();
        let output_unit = OUTPUT_UNIT as f32;
        let mut units: Vec<Lanes> = vec![[0.0; LANES]; MOST_MOVES * width];
        let mut values = [0.0; MOST_MOVES];
        let mut losses = ComparisonLosses::default();
        for &number in numbers {
            let leaves = &comparisons[number as usize].leaves;
            let values = &mut values[..leaves.len()];
            for ((leaf, value), units) in
                leaves.iter().zip(&mut *values).zip(units.chunks_exact_mut(width))
            {
                let output = forward(parameters, &leaf.inputs.rows(zones), units);
                *value = leaf.base + leaf.sign * output * output_unit;
            }
            let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let power = |value: f32| ((value - most) / rule.temperature).exp();
            let all: f32 = values.iter().copied().map(power).sum();
            losses.count += 1.0;
            losses.choice += f64::from(all.ln() - (values[0] - most) / rule.temperature);
            losses.first += f64::from(u8::from(values[0] >= most));
            let share = 1.0 / leaves.len() as f32;
            for (at, leaf) in leaves.iter().enumerate() {
                let change = values[at] - leaf.before;
                let square = share * change * change;
                losses.squares += f64::from(square);
                losses.anchor += f64::from(rule.anchor * square / ANCHOR_UNIT);
                let Some(gradients) = gradients.as_deref_mut() else { continue };
                let played = if at == 0 { 1.0 } else { 0.0 };
                let of_choice = (power(values[at]) / all - played) / rule.temperature;
                let of_anchor = 2.0 * rule.anchor * share * change / ANCHOR_UNIT;
                let gradient = leaf.sign * output_unit * (of_choice + of_anchor);
                let units = &units[at * width..][..width];
                backward(parameters, &leaf.inputs.rows(zones), units, gradient, gradients);
            }
        }
        losses
    }
}

/// The square of 100 centipawns.
const ANCHOR_UNIT: f32 = 10_000.0;
