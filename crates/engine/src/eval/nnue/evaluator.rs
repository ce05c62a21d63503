//! A network of the NNUE family as an evaluator.

use std::sync::Arc;

use super::{
    accumulate::{RowChanges, follow, removed_and_added},
    architecture::InputFeatures,
    layers::{self, Inputs},
    layers::{Code, Task},
    machine::Machine,
    pieces::PieceNumber,
    refresh::{Refresh, RefreshCache},
    scale::Scale,
    view::View,
    weights::{Block, NnueWeights},
};
use crate::eval::{
    Evaluator, MAX,
    accumulator::{Accumulators, Ply},
    cache::EvalCache,
    moved_pieces::MovedPieces,
};
use kyomi_shogi::{Color, Move, Position};

/// A network as the evaluator of one search thread.
///
/// The sums of both views (the accumulator) are computed only when a value is needed: from the last position on the
/// line that has them, or after a move of the king from those of an earlier position with the king on this square.
#[derive(Debug)]
pub struct NnueEvaluator {
    weights: Arc<NnueWeights>,
    scale: Scale,
    machine: Machine,
    line: Accumulators<PieceNumber, View, Block>,
    inputs: Box<Inputs>,
    refreshed: RefreshCache,
    cache: EvalCache,
}

impl NnueEvaluator {
    /// An evaluator with these weights, with the fastest instructions that the processor has.
    pub fn new(weights: Arc<NnueWeights>, scale: Scale) -> Self {
        Self::on(Machine::fastest(), weights, scale)
    }

    /// An evaluator with these instructions.
    pub(super) fn on(machine: Machine, weights: Arc<NnueWeights>, scale: Scale) -> Self {
        let zeros = vec![Block::ZERO; 2 * weights.blocks()];
        let line = Accumulators::new([View::default(); 2], zeros);
        let refreshed = RefreshCache::new(&weights);
        let (inputs, cache) = (Box::default(), EvalCache::new());
        let mut evaluator = Self { weights, scale, machine, line, inputs, refreshed, cache };
        evaluator.reset(&Position::startpos());
        evaluator
    }

    /// The output of the network for `position`, the current position, from the view of the side to move.
    #[inline]
    pub fn output(&mut self, position: &Position) -> i32 {
        let mut computed = [0; 2];
        for color in Color::ALL {
            if self.line.last_computed(color).is_none() {
                self.refresh_side(position, color);
            }
            computed[color.index()] = self.line.last_computed(color).unwrap_or_default();
        }
        let (weights, mover) = (&*self.weights, position.side_to_move());
        let stack = if weights.architecture.is_stacked() { stack(position) } else { 0 };
        let (plies, sums) = self.line.line();
        let inputs = &mut *self.inputs;
        self.machine.run(Output { weights, plies, sums, computed, mover, stack, inputs })
    }

    /// The same in the own unit of the file.
    pub fn units(&mut self, position: &Position) -> i32 {
        let output = self.output(position);
        self.scale.units(output)
    }

    /// Computes the sums of a side at the current position from earlier ones with the king on the same square.
    #[inline(never)]
    fn refresh_side(&mut self, position: &Position, color: Color) {
        let weights = &*self.weights;
        let (view, to) = self.line.refresh(color);
        let features = weights.architecture.features;
        let refresh = self.refreshed.refresh(features, position, color, view);
        self.machine.run(ChangeAll { weights, refresh, to });
    }
}

/// The set of layers for the ranks of both kings, a third of the board each.
fn stack(position: &Position) -> usize {
    let mover = position.side_to_move();
    let third = |color: Color| {
        position.king_square(color).map_or(2, |square| usize::from(square.rank_for(color) - 1) / 3)
    };
    3 * third(mover) + third(!mover)
}

/// Computes the sums of the last ply from the last computed ones, then the output.
struct Output<'a> {
    weights: &'a NnueWeights,
    plies: &'a mut [Ply<PieceNumber, View>],
    sums: &'a mut [Block],
    /// `[color]`: the last ply whose sums are computed.
    computed: [usize; 2],
    mover: Color,
    stack: usize,
    inputs: &'a mut Inputs,
}

impl Task for Output<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self, code: impl Code) -> i32 {
        let Self { weights, plies, sums, computed, mover, stack, inputs } = self;
        let top = plies.len() - 1;
        let blocks = weights.blocks();
        let features = weights.architecture.features;
        for color in Color::ALL {
            let side = color.index();
            for at in computed[side] + 1..=top {
                let Ply { changes, views, .. } = &plies[at];
                let changes = changed_rows(changes, features, color, views[side]);
                let (before, after) = sums.split_at_mut(2 * at * blocks);
                let from = &before[(2 * (at - 1) + side) * blocks..][..blocks];
                follow(weights, from, &mut after[side * blocks..][..blocks], &changes);
                plies[at].is_computed[side] = true;
            }
        }
        let views = &sums[2 * top * blocks..][..2 * blocks];
        let (black, white) = views.split_at(blocks);
        let views = if mover == Color::Black { [black, white] } else { [white, black] };
        layers::output(weights, views, stack, inputs, code)
    }
}

/// The rows that a move changes in a view.
#[inline(always)]
fn changed_rows(
    moved: &MovedPieces<PieceNumber>,
    features: InputFeatures,
    color: Color,
    view: View,
) -> RowChanges {
    let mut rows = RowChanges::default();
    for at in 0..usize::from(moved.count) {
        if let Some(row) = view.row(features, color, moved.removed[at]) {
            rows.removed[usize::from(rows.removals)] = row;
            rows.removals += 1;
        }
        if let Some(row) = view.row(features, color, moved.added[at]) {
            rows.added[usize::from(rows.additions)] = row;
            rows.additions += 1;
        }
    }
    rows
}

/// Changes kept sums and copies them.
struct ChangeAll<'a> {
    weights: &'a NnueWeights,
    refresh: Refresh<'a>,
    to: &'a mut [Block],
}

impl Task for ChangeAll<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Code) {
        let Refresh { sums, removed, added } = self.refresh;
        removed_and_added(self.weights, sums, &removed, &added);
        self.to.copy_from_slice(sums);
    }
}

impl Evaluator for NnueEvaluator {
    fn reset(&mut self, position: &Position) {
        let features = self.weights.architecture.features;
        let view = |color| View::new(features, color, position.king_square(color));
        self.line.reset(Color::ALL.map(view));
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.cache.prefetch(key);
    }

    #[inline]
    fn push(&mut self, position: &Position, mv: Move) {
        let side = position.side_to_move();
        let changes = MovedPieces::of(position, mv, PieceNumber::on_board, PieceNumber::in_hand);
        let mut views = self.line.current().views;
        let mut needs_refresh = [false; 2];
        let features = self.weights.architecture.features;
        if features.hang_on_king() && mv.from().is_some() && mv.from() == position.king_square(side)
        {
            views[side.index()] = View::new(features, side, Some(mv.to()));
            needs_refresh[side.index()] = true;
        }
        self.line.push(changes, views, needs_refresh);
    }

    #[inline]
    fn push_null(&mut self, _: &Position) {
        self.line.push_null();
    }

    #[inline]
    fn pop(&mut self) {
        self.line.pop();
    }

    #[inline]
    fn value(&mut self, position: &Position) -> i32 {
        let key = position.key();
        if let Some(value) = self.cache.get(key) {
            return value;
        }
        let output = self.output(position);
        let value = self.scale.centipawns(output).clamp(-MAX, MAX);
        self.cache.put(key, value);
        value
    }
}

#[cfg(test)]
mod tests;
