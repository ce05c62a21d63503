//! Static evaluations that a thread has computed. Later iterations, repeated searches and other orders of moves come to
//! the same positions again, and the transposition table does not keep those that the evaluation ends at once.

use std::cell::Cell;

/// By the low bits of the key; what is kept is exact, so it changes no search.
pub(crate) struct EvalCache {
    /// The other bits of the key, and in place of the low ones the evaluation.
    slots: Box<[Cell<u64>]>,
}

/// Half a mebibyte: small enough to stay near the processor.
const SLOTS: usize = 1 << 16;
/// The low bits of a key choose the slot; with these the key is whole.
const TAG: u64 = !0xffff;

impl EvalCache {
    pub(crate) fn new() -> Self {
        Self { slots: vec![Cell::new(0); SLOTS].into_boxed_slice() }
    }

    /// The evaluation of the position with this key, computed if it is not known.
    #[inline]
    pub(crate) fn get(&self, key: u64, compute: impl FnOnce() -> i32) -> i32 {
        let slot = &self.slots[key as usize % SLOTS];
        let known = slot.get();
        if (known ^ key) & TAG == 0 {
            return i32::from(known as i16);
        }
        let eval = compute();
        // Evaluations are within 16 bits.
        slot.set(key & TAG | u64::from(eval as u16));
        eval
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_not_computed_again() {
        let cache = EvalCache::new();
        assert_eq!(cache.get(0x1234_5678_9abc_def0, || -31_616), -31_616);
        assert_eq!(cache.get(0x1234_5678_9abc_def0, || unreachable!()), -31_616);
    }

    #[test]
    fn every_bit_of_the_key_counts() {
        let cache = EvalCache::new();
        let key = 0x0123_4567_89ab_cdef_u64;
        cache.get(key, || 7);
        for bit in 0..64 {
            assert_eq!(cache.get(key ^ 1 << bit, || 8), 8, "{bit}");
            cache.get(key, || 7);
        }
    }
}
