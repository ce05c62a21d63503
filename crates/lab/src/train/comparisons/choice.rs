//! Comparisons of moves: the move that was played, and the positions that it and the other legal moves lead to.

use std::sync::Arc;

use crate::train::parallel::in_threads;
use kyomi_engine::eval::network::{Network, NetworkInputs};
use kyomi_engine::eval::{Evaluation, evaluate_from_scratch};
use kyomi_engine::search::Quiescence;
use kyomi_shogi::{Move, Position};

/// A position of a game, and the move played in it.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The position.
    pub position: Position,
    /// The legal move that was played.
    pub played: Move,
}

/// The positions after the move that was played, which is the first, and after the best of the other legal moves.
#[derive(Debug)]
pub(super) struct Comparison<L> {
    pub(super) leaves: Vec<Leaf<L>>,
}

/// The position at the end of the quiescence search after a move.
#[derive(Debug)]
pub(super) struct Leaf<L> {
    /// What the value of the position is computed from.
    pub(super) content: L,
    /// 1 if the side that chooses the move is to move, otherwise -1.
    pub(super) sign: f32,
    /// The value for the side that chooses the move before the training, in centipawns.
    pub(super) before: f32,
}

/// What the value of a position is computed from in a training.
pub(super) trait LeafContent: Send + Sync {
    /// The content of a position, with the fitted sum for the side to move in centipawns.
    fn of(position: &Position, inputs: NetworkInputs, sum: i32) -> Self;
}

/// The largest number of moves of a comparison. The others have little probability.
pub(super) const MOST_MOVES: usize = 16;
/// In centipawns: where the move played is worth more or less than this, the game is decided.
const DECIDED: i32 = 2500;

/// Makes comparisons with a network.
pub(super) struct Comparer {
    network: Arc<Network>,
    quiescence: Quiescence,
}

impl Comparer {
    pub(super) fn new(network: &Arc<Network>) -> Self {
        let quiescence = Quiescence::with_evaluation(&Evaluation::Own(Arc::clone(network)));
        Self { network: Arc::clone(network), quiescence }
    }

    /// The comparison of the moves of a position. `None` if there are fewer than three, or the game is decided. Moves
    /// that mate or are mated are left out, and so are those whose score is not the value of a position. The result
    /// does not depend on earlier calls.
    pub(super) fn compare<L: LeafContent>(
        &mut self,
        position: &Position,
        played: Move,
    ) -> Option<Comparison<L>> {
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
    fn leaf<L: LeafContent>(&self, position: &Position, mv: Move, line: &[Move]) -> Leaf<L> {
        let mut at = position.clone();
        at.do_move(mv);
        for &mv in line {
            at.do_move(mv);
        }
        let sign = if at.side_to_move() == position.side_to_move() { 1.0 } else { -1.0 };
        let inputs = NetworkInputs::of(&at);
        let sum = evaluate_from_scratch(&at);
        let before = sign * (sum + self.network.centipawns(&inputs)) as f32;
        Leaf { content: L::of(&at, inputs, sum), sign, before }
    }
}

/// The comparisons of some choices, in their order, with a thread for each comparer.
pub(super) fn compare<L: LeafContent>(
    choices: &[Choice],
    comparers: &mut [Comparer],
) -> Vec<Comparison<L>> {
    let threads = comparers.len();
    let parts = choices.chunks(choices.len().div_ceil(threads).max(1));
    let mut done: Vec<Vec<Comparison<L>>> = parts.clone().map(|_| Vec::new()).collect();
    let mut jobs: Vec<_> = comparers.iter_mut().zip(parts).zip(&mut done).collect();
    in_threads(&mut jobs, threads, |((comparer, choices), done)| {
        let compare = |choice: &Choice| comparer.compare(&choice.position, choice.played);
        **done = choices.iter().filter_map(compare).collect();
    });
    done.into_iter().flatten().collect()
}
