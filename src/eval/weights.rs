//! The fitted weights.
//!
//! `weights/fitted.bin` holds, for each feature of [`layout`](super::layout) in its order, two little-endian 16-bit
//! numbers in sixteenths of a centipawn: the weight at the beginning of a game and at its end. It is written by
//! `kyomi train eval`; `weights/fitted.json` says how.
//!
//! What pieces are worth beside a king is read from the file as it is; pairs are put together for both sides in a table of
//! [`pairs`](super::pairs). The few other weights, and what drops of several kinds are worth together, are unpacked by the
//! compiler, so that one addition from memory counts one.

use super::{
    hands::KINDS,
    layout::{COLUMNS, DROP_KEYS, DROPS, FEATURES, PAIRS},
};

/// Weights are in this part of a centipawn.
pub const SCALE: i32 = 16;

/// What a feature is worth at the beginning and at the end, in parts of a centipawn: two sums in one number.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Pair(i64);

impl Pair {
    /// Both worths, far below 2^31.
    pub(super) const fn new(begin: i32, end: i32) -> Self {
        Self(((end as i64) << 32) + begin as i64)
    }

    /// At the beginning.
    #[inline]
    pub(super) const fn begin(self) -> i32 {
        self.0 as i32
    }

    /// At the end.
    #[inline]
    pub(super) const fn end(self) -> i32 {
        // A beginning below 0 has taken 1 from it.
        ((self.0 + (1 << 31)) >> 32) as i32
    }

    /// The weight of a feature as the file has it.
    #[inline]
    pub(super) const fn of(feature: usize) -> Self {
        // One load, whatever the processor thinks of the order of bytes.
        Self::of_halves(i32::from_le_bytes(WEIGHTS[feature]))
    }

    /// Two worths of 16 bits, the beginning below.
    #[inline]
    pub(super) const fn of_halves(both: i32) -> Self {
        Self::new(both as i16 as i32, both >> 16)
    }

    /// The same number; both worths must be of 16 bits.
    pub(super) fn halves(self) -> i32 {
        let (begin, end) = (self.begin(), self.end());
        debug_assert!(i16::try_from(begin).is_ok() && i16::try_from(end).is_ok());
        end << 16 | begin & 0xffff
    }

    /// The same of a feature from [`COLUMNS`] to [`PAIRS`]: what is not carried along.
    #[inline]
    pub(super) fn of_term(feature: usize) -> Self {
        TERMS[feature - COLUMNS]
    }

    /// The sum of the weights of `DROPS` with this key for all kinds of a set, as [`Summary`](super::hands::Summary)
    /// has it.
    #[inline]
    pub(super) fn of_drops(kinds: usize, key: usize) -> Self {
        DROPS_TOGETHER[kinds][key]
    }

    const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pair").field("begin", &self.begin()).field("end", &self.end()).finish()
    }
}

impl std::ops::Add for Pair {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl std::ops::Sub for Pair {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
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

static TERMS: [Pair; PAIRS - COLUMNS] = {
    let mut terms = [Pair(0); PAIRS - COLUMNS];
    let mut feature = COLUMNS;
    while feature < PAIRS {
        terms[feature - COLUMNS] = Pair::of(feature);
        feature += 1;
    }
    terms
};

/// `[set of kinds][key]`.
static DROPS_TOGETHER: [[Pair; DROP_KEYS]; 1 << KINDS] = {
    let mut table = [[Pair(0); DROP_KEYS]; 1 << KINDS];
    let mut kinds = 1_usize;
    while kinds < 1 << KINDS {
        // The lowest kind, and what the others are worth.
        let kind = kinds.trailing_zeros() as usize;
        let others = kinds & (kinds - 1);
        let mut key = 0;
        while key < DROP_KEYS {
            table[kinds][key] = table[others][key].plus(Pair::of(DROPS + kind * DROP_KEYS + key));
            key += 1;
        }
        kinds += 1;
    }
    table
};
