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
use crate::eval::{Evaluator, MAX, cache::EvalCache, moved_pieces::MovedPieces};
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
    plies: Vec<Ply>,
    /// `[ply][color][block]`.
    sums: Vec<Block>,
    top: usize,
    inputs: Box<Inputs>,
    refreshed: RefreshCache,
    cache: EvalCache,
}

/// The data of a position on the line.
#[derive(Debug, Clone, Copy)]
struct Ply {
    /// What the move to the position changed.
    changes: MovedPieces<PieceNumber>,
    /// `[color]`.
    views: [View; 2],
    /// `[color]`: whether the sums are computed.
    is_computed: [bool; 2],
    /// `[color]`: whether the sums cannot be computed from those of the ply before.
    needs_refresh: [bool; 2],
}

impl NnueEvaluator {
    /// An evaluator with these weights, with the fastest instructions that the processor has.
    pub fn new(weights: Arc<NnueWeights>, scale: Scale) -> Self {
        Self::on(Machine::fastest(), weights, scale)
    }

    /// An evaluator with these instructions.
    pub(super) fn on(machine: Machine, weights: Arc<NnueWeights>, scale: Scale) -> Self {
        let ply = Ply {
            changes: MovedPieces::default(),
            views: [View::default(); 2],
            is_computed: [false; 2],
            needs_refresh: [true; 2],
        };
        let sums = vec![Block::ZERO; 2 * weights.blocks()];
        let refreshed = RefreshCache::new(&weights);
        let (inputs, cache) = (Box::default(), EvalCache::new());
        let mut evaluator = Self {
            weights,
            scale,
            machine,
            plies: vec![ply],
            sums,
            top: 0,
            inputs,
            refreshed,
            cache,
        };
        evaluator.reset(&Position::startpos());
        evaluator
    }

    /// The output of the network for `position`, the current position, from the view of the side to move.
    #[inline]
    pub fn output(&mut self, position: &Position) -> i32 {
        let mut computed = [self.top; 2];
        for color in Color::ALL {
            let at = &mut computed[color.index()];
            let Ply { mut is_computed, mut needs_refresh, .. } = self.plies[*at];
            while !is_computed[color.index()] && !needs_refresh[color.index()] {
                *at -= 1;
                Ply { is_computed, needs_refresh, .. } = self.plies[*at];
            }
            if !is_computed[color.index()] {
                *at = self.top;
                self.refresh_side(position, color);
            }
        }
        let (weights, mover) = (&*self.weights, position.side_to_move());
        let stack = if weights.architecture.is_stacked() { stack(position) } else { 0 };
        let (plies, sums) = (&mut self.plies[..=self.top], &mut *self.sums);
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
        let (features, blocks) = (weights.architecture.features, weights.blocks());
        let ply = &mut self.plies[self.top];
        let refresh = self.refreshed.refresh(features, position, color, ply.views[color.index()]);
        let to = &mut self.sums[(2 * self.top + color.index()) * blocks..][..blocks];
        self.machine.run(ChangeAll { weights, refresh, to });
        ply.is_computed[color.index()] = true;
    }

    #[inline]
    fn push_ply(&mut self, ply: Ply) {
        self.top += 1;
        if self.top == self.plies.len() {
            self.plies.push(ply);
            let length = self.sums.len() + 2 * self.weights.blocks();
            self.sums.resize(length, Block::ZERO);
        } else {
            self.plies[self.top] = ply;
        }
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
    plies: &'a mut [Ply],
    sums: &'a mut [Block],
    /// `[color]`: the last ply whose sums are computed.
    computed: [usize; 2],
    mover: Color,
    stack: usize,
    inputs: &'a mut Inputs,
}

impl Task for Output<'_> {
    type Output = i32;

    #[allow(clippy::inline_always, reason = "see `Task`")]
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
#[allow(clippy::inline_always, reason = "see `Task`")]
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

    #[allow(clippy::inline_always, reason = "see `Task`")]
    #[inline(always)]
    fn run(self, _: impl Code) {
        let Refresh { sums, removed, added } = self.refresh;
        removed_and_added(self.weights, sums, &removed, &added);
        self.to.copy_from_slice(sums);
    }
}

impl Evaluator for NnueEvaluator {
    fn reset(&mut self, position: &Position) {
        self.top = 0;
        let features = self.weights.architecture.features;
        let view = |color| View::new(features, color, position.king_square(color));
        self.plies[0] = Ply {
            changes: MovedPieces::default(),
            views: Color::ALL.map(view),
            is_computed: [false; 2],
            needs_refresh: [true; 2],
        };
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.cache.prefetch(key);
    }

    #[inline]
    fn push(&mut self, position: &Position, mv: Move) {
        let side = position.side_to_move();
        let changes = MovedPieces::of(position, mv, PieceNumber::on_board, PieceNumber::in_hand);
        let mut views = self.plies[self.top].views;
        let mut needs_refresh = [false; 2];
        let features = self.weights.architecture.features;
        if features.hang_on_king() && mv.from().is_some() && mv.from() == position.king_square(side)
        {
            views[side.index()] = View::new(features, side, Some(mv.to()));
            needs_refresh[side.index()] = true;
        }
        self.push_ply(Ply { changes, views, is_computed: [false; 2], needs_refresh });
    }

    #[inline]
    fn push_null(&mut self, _: &Position) {
        let views = self.plies[self.top].views;
        let changes = MovedPieces::default();
        self.push_ply(Ply { changes, views, is_computed: [false; 2], needs_refresh: [false; 2] });
    }

    #[inline]
    fn pop(&mut self) {
        self.top -= 1;
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
