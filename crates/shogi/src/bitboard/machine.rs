//! Bit and vector instructions of newer processors, selected at run time.
//!
//! A plain x86-64 has no instruction to count bits, slow ones to find and to shift them, and vectors of 16 bytes only.
//! Code built for every processor therefore tests the features of the processor once for each piece of [`Work`]. The
//! standard library caches the result, so that the test costs a few loads and branches. There is no test in builds with
//! `-C target-cpu=native` and for other architectures.

/// A computation with many operations on bits, or with loops over adjacent numbers. Its `run` and all functions that it
/// calls must be inlined: a function that is compiled separately uses the instructions of every processor.
pub trait Work {
    /// What it computes.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Runs the work with the best instructions available.
#[inline]
pub fn run_with_bit_instructions<W: Work>(work: W) -> W::Output {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "bmi2")))]
    if x86_64::has_bit_instructions() {
        #[allow(
            unsafe_code,
            reason = "it reduces the count of a position's moves from 1792 to 1169 instructions, 1.7 times as \
                      fast, and perft to 1.5 times its speed (P123 of crates/lab/ledger/speed.tsv)"
        )]
        // SAFETY: the processor has just been found to have popcnt, lzcnt, bmi1 and bmi2, which is all that is enabled.
        return unsafe { x86_64::with_bit_instructions(work) };
    }
    work.run()
}

/// Runs the work with the widest vectors available. The compiler makes vector instructions of its loops. It never joins
/// a multiplication and an addition of floating-point numbers, so that the result is the same on all processors.
#[inline]
pub fn run_with_wide_vectors<W: Work>(work: W) -> W::Output {
    #[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
    if is_x86_feature_detected!("avx2") {
        #[allow(
            unsafe_code,
            reason = "vectors of 32 bytes instead of 16 make a network of 256 units twice as fast"
        )]
        // SAFETY: the processor has just been found to have avx2, which is all that is enabled.
        return unsafe { x86_64_vectors::with_wide_vectors(work) };
    }
    work.run()
}

#[cfg(all(target_arch = "x86_64", not(target_feature = "avx2")))]
mod x86_64_vectors {
    use super::Work;

    #[target_feature(enable = "avx2")]
    pub(super) fn with_wide_vectors<W: Work>(work: W) -> W::Output {
        work.run()
    }
}

#[cfg(all(target_arch = "x86_64", not(target_feature = "bmi2")))]
mod x86_64 {
    use super::Work;

    #[inline]
    pub(super) fn has_bit_instructions() -> bool {
        is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
    }

    #[target_feature(enable = "popcnt,lzcnt,bmi1,bmi2")]
    pub(super) fn with_bit_instructions<W: Work>(work: W) -> W::Output {
        work.run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The operations of the newer instructions: counting, finding from both ends, shifting, clearing the lowest bit.
    struct Bits(u128, u32);

    impl Work for Bits {
        type Output = [u128; 5];

        fn run(self) -> [u128; 5] {
            let Self(bits, by) = self;
            let ends = [bits.trailing_zeros(), bits.leading_zeros()].map(u128::from);
            [bits.count_ones().into(), ends[0], ends[1], bits >> by, bits & bits.wrapping_sub(1)]
        }
    }

    #[test]
    fn all_instruction_sets_give_the_same_result() {
        let mut random = fastrand::Rng::with_seed(1);
        for bits in [0, 1, u128::MAX, 1 << 127]
            .into_iter()
            .chain((0..1000).map(|_| random.u128(..) & random.u128(..)))
        {
            for by in [0, 1, 63, 64, 65, 127] {
                assert_eq!(
                    run_with_bit_instructions(Bits(bits, by)),
                    Bits(bits, by).run(),
                    "{bits:x} by {by}"
                );
            }
        }
    }
}
