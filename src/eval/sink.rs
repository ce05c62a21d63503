//! What takes the features of a position: a sum of weights, or a list for a fit.

use super::weights::Pair;

/// Takes the features of one side: sums their weights, or keeps them for a fit.
pub(super) trait Sink {
    /// A piece or a hand is there beside a king.
    fn add_beside(&mut self, feature: usize);

    /// Another feature is there.
    fn add(&mut self, feature: usize);

    /// The features of `DROPS` with this key are there for a set of kinds.
    fn add_drops(&mut self, kinds: usize, key: usize);
}

/// The sum of weights.
#[derive(Debug, Default)]
pub(super) struct Sum(pub(super) Pair);

impl Sink for Sum {
    #[inline]
    fn add_beside(&mut self, feature: usize) {
        self.0 += Pair::of(feature);
    }

    #[inline]
    fn add(&mut self, feature: usize) {
        self.0 += Pair::of_term(feature);
    }

    #[inline]
    fn add_drops(&mut self, kinds: usize, key: usize) {
        self.0 += Pair::of_drops(kinds, key);
    }
}
