//! AVX-512 VNNI: as AVX2, with one instruction for the products of four inputs.

use std::arch::x86_64::_mm256_dpbusd_epi32;

use super::avx2;
use crate::eval::nnue::{
    layers::{Code, MOST_OUTPUTS, Task},
    weights::{Block, Layer},
};

/// Whether the processor has these instructions.
pub(super) fn is_available() -> bool {
    avx2::is_available()
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
}

/// Runs a task.
#[target_feature(enable = "avx2,bmi1,popcnt,lzcnt,avx512bw,avx512vl,avx512vnni")]
pub(super) fn run<T: Task>(task: T) -> T::Output {
    task.run(Avx512Vnni(()))
}

/// The code for AVX-512 VNNI. It is made by [`run`] alone, for a processor that has these instructions.
#[derive(Clone, Copy)]
struct Avx512Vnni(());

#[allow(
    unsafe_code,
    reason = "functions of a trait cannot be declared to need instructions, so that calls of those that do are unsafe"
)]
impl Code for Avx512Vnni {
    #[inline(always)]
    fn clip(self, sums: &[Block], inputs: &mut [u8]) {
        // SAFETY: an `Avx512Vnni` exists only where the processor has the instructions, AVX2 among them.
        unsafe { avx2::clip(sums, inputs) }
    }

    #[inline(always)]
    fn multiply(self, sums: &[Block], inputs: &mut [u8]) {
        // SAFETY: as above.
        unsafe { avx2::multiply(sums, inputs) }
    }

    #[inline(always)]
    fn layer(self, weights: &Layer, inputs: &[u8], outputs: &mut [i32; MOST_OUTPUTS]) {
        // SAFETY: as above.
        unsafe { layer(weights, inputs, outputs) }
    }
}

/// See [`Code::layer`].
#[inline]
#[target_feature(enable = "avx2,bmi1,popcnt,lzcnt,avx512bw,avx512vl,avx512vnni")]
fn layer(layer: &Layer, inputs: &[u8], outputs: &mut [i32; MOST_OUTPUTS]) {
    avx2::layer_with(layer, inputs, outputs, |sums, inputs, weights| {
        _mm256_dpbusd_epi32(sums, inputs, weights)
    });
}
