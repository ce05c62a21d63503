//! A cache of the static evaluations that a thread has computed. Later iterations, re-searches and transpositions reach
//! the same positions again. The transposition table has no entry for nodes that return their static evaluation.

/// The evaluations by the low bits of the key. They are exact, so the cache does not change the search.
#[derive(Debug)]
pub(super) struct EvalCache {
    /// The high bits of the key, with the evaluation in place of the low bits.
    slots: Box<[u64]>,
}

/// The number of slots. They take 512 KiB, small enough for the processor's cache.
const SLOTS: usize = 1 << 16;
/// The high bits of a key. The low bits select the slot.
const TAG: u64 = !0xffff;

impl EvalCache {
    pub(super) fn new() -> Self {
        Self { slots: vec![0; SLOTS].into_boxed_slice() }
    }

    /// Prefetches the slot of a position that may be evaluated soon. Larger tables often drive the slots out of the
    /// processor's nearest cache.
    #[inline]
    #[cfg(target_arch = "x86_64")]
    #[allow(
        unsafe_code,
        reason = "a prefetch hint has no safe form; without it 2 to 3 % of the processor time of `kyomi bench` is spent \
                  waiting for a slot"
    )]
    pub(super) fn prefetch(&self, key: u64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let slot: *const u64 = &raw const self.slots[key as usize % SLOTS];
        // SAFETY: a prefetch is only a hint; it neither reads nor writes and never faults. SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(slot.cast()) }
    }

    /// Other processors find the slot in time or wait for it.
    #[inline]
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn prefetch(&self, _: u64) {}

    /// The evaluation of the position with this key, if it is known.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<i32> {
        let slot = self.slots[key as usize % SLOTS];
        ((slot ^ key) & TAG == 0).then(|| i32::from(slot as i16))
    }

    /// Stores an evaluation and replaces the one in its slot.
    #[inline]
    pub(super) fn put(&mut self, key: u64, eval: i32) {
        // Evaluations have 16 bits.
        self.slots[key as usize % SLOTS] = key & TAG | u64::from(eval as u16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_evaluation_is_returned() {
        let mut cache = EvalCache::new();
        assert_eq!(cache.get(0x1234_5678_9abc_def0), None);
        cache.put(0x1234_5678_9abc_def0, -31_616);
        assert_eq!(cache.get(0x1234_5678_9abc_def0), Some(-31_616));
    }

    #[test]
    fn keys_that_differ_in_one_bit_are_different() {
        let mut cache = EvalCache::new();
        let key = 0x0123_4567_89ab_cdef_u64;
        for bit in 0..64 {
            cache.put(key, 7);
            assert_eq!(cache.get(key ^ 1 << bit), None, "{bit}");
        }
    }
}
