//! Consumers of the features of a position: a sum of weights, or a list for a fit.

use super::weights::TaperedWeight;

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
