//! The fitted sum and the network as an evaluator.

use std::sync::Arc;

use super::{
    inputs::{KingView, in_hand, on_board, visit_inputs},
    sums::{Output, change, refresh},
    weights::{Block, Network},
};
use crate::eval::{
    Evaluator, MAX,
    accumulator::{Accumulators, Ply},
    cache::EvalCache,
    fitted::SumStack,
    moved_pieces::MovedPieces,
};
use kyomi_shogi::{
    Color, Move, Position,
    machine::{Work, run_with_wide_vectors},
};

/// The fitted sum plus the output of a network, for one search thread.
///
/// The sums of hidden units (the accumulator) are updated only when a value is needed, from the last position on the
/// line whose sums are computed. A move of a king to another zone or to the other half of the board changes all inputs
/// of its side, so these sums are refreshed.
#[derive(Debug)]
pub struct SumAndNetwork {
    network: Arc<Network>,
    base: SumStack,
    /// With the changes of the inputs from black's view.
    line: Accumulators<u16, KingView, Block>,
    cache: EvalCache,
}

impl SumAndNetwork {
    /// An evaluator with the weights of a network.
    pub fn new(network: Arc<Network>) -> Self {
        let views = Color::ALL.map(|color| KingView::of(color, None));
        let line = Accumulators::new(views, vec![Block::ZERO; 2 * network.blocks]);
        let (base, cache) = (SumStack::default(), EvalCache::new());
        let mut evaluator = Self { network, base, line, cache };
        evaluator.reset(&Position::startpos());
        evaluator
    }

    /// Computes the sums of a side from all inputs of `position`, the current one.
    #[cold]
    fn refresh_side(&mut self, position: &Position, color: Color) {
        let (view, sums) = self.line.refresh(color);
        let first = view.first_row(self.network.zones);
        let mut rows = arrayvec::ArrayVec::<u32, { super::inputs::MOST }>::new();
        visit_inputs(position, |input| {
            let _ = rows.try_push(first + u32::from(view.input(input)));
        });
        refresh(&self.network, &rows, sums);
    }

    /// Computes the sums that need a refresh while `position` is the current one. The others can be updated later.
    #[inline]
    fn refresh_if_needed(&mut self, position: &Position) {
        for color in Color::ALL {
            let Ply { is_computed, needs_refresh, .. } = self.line.current();
            if needs_refresh[color.index()] && !is_computed[color.index()] {
                self.refresh_side(position, color);
            }
        }
    }
}

/// Updates the sums of the last ply from the last computed ones, then computes the output.
struct Value<'a> {
    network: &'a Network,
    /// The plies of the line.
    plies: &'a mut [Ply<u16, KingView>],
    sums: &'a mut [Block],
    side_to_move: Color,
}

impl Work for Value<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let Self { network, plies, sums, side_to_move } = self;
        let top = plies.len() - 1;
        let blocks = network.blocks;
        for color in 0..2 {
            let mut last_computed = top;
            while last_computed > 0 && !plies[last_computed].is_computed[color] {
                last_computed -= 1;
            }
            for at in last_computed + 1..=top {
                let Ply { changes: MovedPieces { removed, added, count }, views, .. } = plies[at];
                let view = views[color];
                let first = view.first_row(network.zones);
                let row = |input: u16| first + u32::from(view.input(input));
                let (before, after) = sums.split_at_mut(2 * at * blocks);
                let from = &before[(2 * (at - 1) + color) * blocks..][..blocks];
                let to = &mut after[color * blocks..][..blocks];
                match count {
                    0 => to.copy_from_slice(from),
                    1 => change(network, from, to, [row(removed[0])], [row(added[0])]),
                    _ => change(network, from, to, removed.map(row), added.map(row)),
                }
                plies[at].is_computed[color] = true;
            }
        }
        let of = |color: Color| &sums[(2 * top + color.index()) * blocks..][..blocks];
        Output { network, sums: [of(side_to_move), of(!side_to_move)] }.run()
    }
}

impl Evaluator for SumAndNetwork {
    fn reset(&mut self, position: &Position) {
        self.base.reset(position);
        self.line.reset(Color::ALL.map(|color| KingView::of(color, position.king_square(color))));
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.cache.prefetch(key);
    }

    #[inline]
    fn push(&mut self, position: &Position, mv: Move) {
        self.refresh_if_needed(position);
        self.base.push(position, mv);
        let side = position.side_to_move();
        let changes = MovedPieces::of(position, mv, on_board, in_hand);
        // The whole entry is not copied: its flags have just been written one by one, and a wide load would wait for
        // them.
        let mut views = self.line.current().views;
        let mut needs_refresh = [false; 2];
        if mv.from().is_some() && mv.from() == position.king_square(side) {
            let view = KingView::of(side, Some(mv.to()));
            let before = views[side.index()];
            needs_refresh[side.index()] = !view.has_same_rows_as(before, self.network.zones);
            views[side.index()] = view;
        }
        self.line.push(changes, views, needs_refresh);
    }

    #[inline]
    fn push_null(&mut self, position: &Position) {
        self.refresh_if_needed(position);
        self.base.push_null(position);
        self.line.push_null();
    }

    #[inline]
    fn pop(&mut self) {
        self.base.pop();
        self.line.pop();
    }

    #[inline]
    fn value(&mut self, position: &Position) -> i32 {
        let key = position.key();
        if let Some(value) = self.cache.get(key) {
            return value;
        }
        let base = self.base.value(position);
        self.refresh_if_needed(position);
        let (network, side_to_move) = (&*self.network, position.side_to_move());
        let (plies, sums) = self.line.line();
        let value = base + run_with_wide_vectors(Value { network, plies, sums, side_to_move });
        let value = value.clamp(-MAX, MAX);
        self.cache.put(key, value);
        value
    }
}
