//! The fitted weights, and what consumes features: a sum of weights, or a list for a fit.
//!
//! `weights/fitted.bin` holds, for each feature of [`layout`](super::layout) in its order, two little-endian 16-bit
//! numbers in sixteenths of a centipawn: the weight at the beginning of a game and at its end. `kyomi-lab train eval`
//! writes it, and `kyomi-lab train comparisons --weights sum` trains it further. `weights/fitted.json` has the settings of
//! the last training, `weights/fitted-games.json` those of the fit.
//!
//! Weights of pieces that depend on a king are read from the file directly. [`pairs`](super::pairs) combines the
//! weights of pairs for both sides in a table. The few other weights, and the sums of drops of several kinds, are
//! unpacked at compile time, so that each needs a single addition from memory.

use super::{
    hands::KINDS,
    layout::{COLUMNS, DROP_KEYS, DROPS, FEATURES, PAIRS},
};

/// Number of weight units in a centipawn.
pub const SCALE: i32 = 16;

/// The weights of a feature at the beginning and at the end of a game, or sums of them, packed into one number.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct TaperedWeight(i64);

impl TaperedWeight {
    /// Packs both weights, which must be far below 2^31.
    pub(super) const fn new(begin: i32, end: i32) -> Self {
        Self(((end as i64) << 32) + begin as i64)
    }

    /// The weight at the beginning.
    #[inline]
    pub(super) const fn begin(self) -> i32 {
        self.0 as i32
    }

    /// The weight at the end.
    #[inline]
    pub(super) const fn end(self) -> i32 {
        // A negative weight at the beginning has borrowed 1 from it.
        ((self.0 + (1 << 31)) >> 32) as i32
    }

    /// The weight of a feature, read from the file.
    #[inline]
    pub(super) const fn of(feature: usize) -> Self {
        // A single load, whatever the byte order of the processor.
        Self::of_halves(i32::from_le_bytes(WEIGHTS[feature]))
    }

    /// Unpacks two weights of 16 bits, with that at the beginning in the low half.
    #[inline]
    pub(super) const fn of_halves(both: i32) -> Self {
        Self::new(both as i16 as i32, both >> 16)
    }

    /// Packs both weights into 16 bits each, into which they must fit.
    pub(super) fn halves(self) -> i32 {
        let (begin, end) = (self.begin(), self.end());
        debug_assert!(i16::try_from(begin).is_ok() && i16::try_from(end).is_ok());
        end << 16 | begin & 0xffff
    }

    /// The weight of a feature from [`COLUMNS`] to [`PAIRS`], which is not part of the running sum.
    #[inline]
    pub(super) fn of_term(feature: usize) -> Self {
        TERMS[feature - COLUMNS]
    }

    /// The sum of the weights of `DROPS` with this key for all kinds of a set. The set has the form of
    /// [`Summary::kinds`](super::hands::Summary::kinds).
    #[inline]
    pub(super) fn of_drops(kinds: usize, key: usize) -> Self {
        DROPS_TOGETHER[kinds][key]
    }

    const fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl std::fmt::Debug for TaperedWeight {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaperedWeight")
            .field("begin", &self.begin())
            .field("end", &self.end())
            .finish()
    }
}

impl std::ops::Add for TaperedWeight {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl std::ops::Sub for TaperedWeight {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl std::ops::AddAssign for TaperedWeight {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl std::ops::SubAssign for TaperedWeight {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// The stored weights, for a checksum.
pub fn weight_bytes() -> &'static [u8] {
    FILE
}

static FILE: &[u8; 4 * FEATURES] = include_bytes!("weights/fitted.bin");
static WEIGHTS: &[[u8; 4]; FEATURES] = {
    let (weights, rest) = FILE.as_chunks::<4>();
    assert!(rest.is_empty());
    match weights.first_chunk::<FEATURES>() {
        Some(weights) => weights,
        None => panic!("the file has a different number of weights"),
    }
};

static TERMS: [TaperedWeight; PAIRS - COLUMNS] = {
    let mut terms = [TaperedWeight(0); PAIRS - COLUMNS];
    let mut feature = COLUMNS;
    while feature < PAIRS {
        terms[feature - COLUMNS] = TaperedWeight::of(feature);
        feature += 1;
    }
    terms
};

/// `[set of kinds][key]`.
static DROPS_TOGETHER: [[TaperedWeight; DROP_KEYS]; 1 << KINDS] = {
    let mut table = [[TaperedWeight(0); DROP_KEYS]; 1 << KINDS];
    let mut kinds = 1_usize;
    while kinds < 1 << KINDS {
        // The weight of the lowest kind plus the sum of the others.
        let kind = kinds.trailing_zeros() as usize;
        let others = kinds & (kinds - 1);
        let mut key = 0;
        while key < DROP_KEYS {
            table[kinds][key] =
                table[others][key].plus(TaperedWeight::of(DROPS + kind * DROP_KEYS + key));
            key += 1;
        }
        kinds += 1;
    }
    table
};

/// Consumes the features of one side: sums their weights, or lists them for a fit.
pub(super) trait Sink {
    /// Adds the feature of a piece or of a hand that depends on a king.
    fn add_king_relative(&mut self, feature: usize);

    /// Adds another feature.
    fn add(&mut self, feature: usize);

    /// Adds the features of `DROPS` with this key for a set of kinds.
    fn add_drops(&mut self, kinds: usize, key: usize);
}

/// The sum of weights.
#[derive(Debug, Default)]
pub(super) struct Sum(pub(super) TaperedWeight);

impl Sink for Sum {
    #[inline]
    fn add_king_relative(&mut self, feature: usize) {
        self.0 += TaperedWeight::of(feature);
    }

    #[inline]
    fn add(&mut self, feature: usize) {
        self.0 += TaperedWeight::of_term(feature);
    }

    #[inline]
    fn add_drops(&mut self, kinds: usize, key: usize) {
        self.0 += TaperedWeight::of_drops(kinds, key);
    }
}
