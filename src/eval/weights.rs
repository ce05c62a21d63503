//! The fitted weights.
//!
//! `weights/fitted.bin` holds, for each feature of [`layout`](super::layout) in its order, two little-endian 16-bit
//! numbers in sixteenths of a centipawn: the weight at the beginning of a game and at its end. It is written by
//! `kyomi train eval`; `weights/fitted.json` tells how.

use super::layout::FEATURES;

/// Weights are in this part of a centipawn.
pub const SCALE: i32 = 16;

/// What a feature is worth at the beginning and at the end, in parts of a centipawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Pair {
    pub(super) begin: i32,
    pub(super) end: i32,
}

impl Pair {
    /// The weight of a feature.
    #[inline]
    pub(super) fn of(feature: usize) -> Self {
        // One load, whatever the processor thinks of the order of bytes.
        let both = i32::from_le_bytes(WEIGHTS[feature]);
        Self { begin: i32::from(both as i16), end: both >> 16 }
    }
}

impl std::ops::Add for Pair {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self { begin: self.begin + other.begin, end: self.end + other.end }
    }
}

impl std::ops::Sub for Pair {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { begin: self.begin - other.begin, end: self.end - other.end }
    }
}

impl std::ops::AddAssign for Pair {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::ops::SubAssign for Pair {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

static FILE: &[u8; 4 * FEATURES] = include_bytes!("weights/fitted.bin");
static WEIGHTS: &[[u8; 4]; FEATURES] = {
    let (weights, rest) = FILE.as_chunks::<4>();
    assert!(rest.is_empty());
    match weights.first_chunk::<FEATURES>() {
        Some(weights) => weights,
        None => panic!("the file has another number of weights"),
    }
};
