//! The fitted evaluation as an evaluator: a stack of running sums, and a cache of values.

use kyomi_shogi::{Move, Piece, Position};

use super::{Evaluator, RunningSum, cache::EvalCache, evaluate, prepare};

/// The fitted evaluation of one search thread.
#[derive(Debug)]
pub struct Fitted {
    sums: SumStack,
    cache: EvalCache,
}

/// The running sums of the positions on the line.
#[derive(Debug)]
pub(super) struct SumStack {
    stack: Vec<Entry>,
    /// The index of the entry of the current position.
    top: usize,
}

/// The data of a position on the line.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    sum: RunningSum,
    /// The move that led to the position and the piece it captured, if `sum` does not include it yet. Many positions
    /// are left before their value is needed.
    pending: Option<(Move, Option<Piece>)>,
}

impl Default for Fitted {
    fn default() -> Self {
        Self { sums: SumStack::default(), cache: EvalCache::new() }
    }
}

impl Default for SumStack {
    fn default() -> Self {
        prepare();
        Self { stack: vec![Entry::default(); USUAL_PLIES], top: 0 }
    }
}

impl SumStack {
    /// Applies the pending move of the top entry, if there is one. `position` is the current position.
    #[inline]
    fn update_top(&mut self, position: &Position) {
        let top = self.top;
        if let Some((mv, captured)) = self.stack[top].pending.take() {
            // Only a root has no entry below it, and it is never pending.
            self.stack[top].sum = self.stack[top - 1].sum.after(mv, captured, position);
        }
    }

    /// Adds an entry. The caller sets its sum.
    #[inline]
    fn push_entry(&mut self) -> &mut Entry {
        self.top += 1;
        if self.top == self.stack.len() {
            self.stack.push(Entry::default());
        }
        &mut self.stack[self.top]
    }
}

impl Evaluator for SumStack {
    fn reset(&mut self, position: &Position) {
        self.top = 0;
        self.stack[0] = Entry { sum: RunningSum::of(position), pending: None };
    }

    #[inline]
    fn push(&mut self, position: &Position, mv: Move) {
        self.update_top(position);
        let captured = position.piece_on(mv.to());
        self.push_entry().pending = Some((mv, captured));
    }

    #[inline]
    fn push_null(&mut self, position: &Position) {
        self.update_top(position);
        let sum = self.stack[self.top].sum;
        *self.push_entry() = Entry { sum, pending: None };
    }

    #[inline]
    fn pop(&mut self) {
        debug_assert!(self.top > 0, "nothing was pushed");
        self.top -= 1;
    }

    #[inline]
    fn value(&mut self, position: &Position) -> i32 {
        self.update_top(position);
        evaluate(position, &self.stack[self.top].sum)
    }
}

impl Evaluator for Fitted {
    fn reset(&mut self, position: &Position) {
        self.sums.reset(position);
    }

    #[inline]
    fn prefetch(&self, key: u64) {
        self.cache.prefetch(key);
    }

    #[inline]
    fn push(&mut self, position: &Position, mv: Move) {
        self.sums.push(position, mv);
    }

    #[inline]
    fn push_null(&mut self, position: &Position) {
        self.sums.push_null(position);
    }

    #[inline]
    fn pop(&mut self) {
        self.sums.pop();
    }

    #[inline]
    fn value(&mut self, position: &Position) -> i32 {
        let key = position.key();
        if let Some(value) = self.cache.get(key) {
            return value;
        }
        let value = self.sums.value(position);
        self.cache.put(key, value);
        value
    }
}

/// The initial size of the stack in plies.
const USUAL_PLIES: usize = 130;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{evaluate_from_scratch, tests::is_updated};

    #[test]
    fn updated_values_equal_values_from_scratch() {
        is_updated(&mut Fitted::default(), evaluate_from_scratch);
    }
}
