//! The sums of hidden units (the accumulators) of the positions on a line.

use super::moved_pieces::MovedPieces;
use kyomi_shogi::Color;

/// The sums of both views of each position on the line, in blocks of units. A view is what the rows of a side's inputs
/// depend on.
#[derive(Debug)]
pub(super) struct Accumulators<Input, View, Block> {
    plies: Vec<Ply<Input, View>>,
    /// `[ply][color][block]`.
    sums: Vec<Block>,
    top: usize,
    /// The number of blocks of a view.
    blocks: usize,
}

/// The data of a position on the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ply<Input, View> {
    /// What the move to the position changed.
    pub(super) changes: MovedPieces<Input>,
    /// `[color]`.
    pub(super) views: [View; 2],
    /// `[color]`: whether the sums are computed.
    pub(super) is_computed: [bool; 2],
    /// `[color]`: whether the sums cannot be computed from those of the ply before.
    pub(super) needs_refresh: [bool; 2],
}

impl<Input: Copy + Default, View: Copy, Block: Copy> Accumulators<Input, View, Block> {
    /// A line of one position with these views. `sums` has the size of the sums of one position.
    pub(super) fn new(views: [View; 2], sums: Vec<Block>) -> Self {
        let blocks = sums.len() / 2;
        Self { plies: vec![Ply::first(views)], sums, top: 0, blocks }
    }

    /// Begins a line with a position of these views.
    pub(super) fn reset(&mut self, views: [View; 2]) {
        self.top = 0;
        self.plies[0] = Ply::first(views);
    }

    /// The current position.
    #[inline]
    pub(super) fn current(&self) -> &Ply<Input, View> {
        &self.plies[self.top]
    }

    /// The positions up to the current one, and the sums.
    #[inline]
    pub(super) fn line(&mut self) -> (&mut [Ply<Input, View>], &mut [Block]) {
        (&mut self.plies[..=self.top], &mut self.sums)
    }

    /// The last ply with computed sums of a side; `None` if those of the current position cannot be computed from it.
    #[inline]
    pub(super) fn last_computed(&self, color: Color) -> Option<usize> {
        let mut at = self.top;
        loop {
            let Ply { is_computed, needs_refresh, .. } = &self.plies[at];
            if is_computed[color.index()] {
                return Some(at);
            }
            if needs_refresh[color.index()] {
                return None;
            }
            at -= 1;
        }
    }

    /// The sums of a side at the current position, which the caller computes now, and its view.
    #[inline]
    pub(super) fn refresh(&mut self, color: Color) -> (View, &mut [Block]) {
        let ply = &mut self.plies[self.top];
        ply.is_computed[color.index()] = true;
        let sums = &mut self.sums[(2 * self.top + color.index()) * self.blocks..][..self.blocks];
        (ply.views[color.index()], sums)
    }

    /// Appends the position after a move.
    #[inline]
    pub(super) fn push(
        &mut self,
        changes: MovedPieces<Input>,
        views: [View; 2],
        needs_refresh: [bool; 2],
    ) {
        let ply = Ply { changes, views, is_computed: [false; 2], needs_refresh };
        self.top += 1;
        if self.top == self.plies.len() {
            self.plies.push(ply);
            self.sums.extend_from_within(..2 * self.blocks);
        } else {
            self.plies[self.top] = ply;
        }
    }

    /// Appends the position after a null move.
    #[inline]
    pub(super) fn push_null(&mut self) {
        self.push(MovedPieces::default(), self.current().views, [false; 2]);
    }

    /// Removes the current position.
    #[inline]
    pub(super) fn pop(&mut self) {
        self.top -= 1;
    }
}

impl<Input: Default, View> Ply<Input, View> {
    /// The first position of a line.
    fn first(views: [View; 2]) -> Self {
        let (is_computed, needs_refresh) = ([false; 2], [true; 2]);
        Self { changes: MovedPieces::default(), views, is_computed, needs_refresh }
    }
}
