//! Histograms of lengths and times.

use serde::Serialize;

/// The number of values in each bin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(super) struct Histogram {
    /// `(least value of the bin, count)`, ascending, including empty bins between others.
    pub(super) bins: Vec<(u64, u64)>,
}

impl Histogram {
    /// A histogram with bins of one width, from 0. Values come as `(value, count)`.
    pub(super) fn linear(values: &[(u64, u64)], width: u64) -> Self {
        Self::new(values, |value| value / width.max(1), |bin| bin * width.max(1))
    }

    /// A histogram with the edges 0, 1, 2, 4, 8 …
    pub(super) fn doubling(values: &[(u64, u64)]) -> Self {
        let bin = |value: u64| u64::from(u64::BITS - value.leading_zeros());
        Self::new(values, bin, |bin| if bin == 0 { 0 } else { 1 << (bin - 1) })
    }

    fn new(values: &[(u64, u64)], bin: impl Fn(u64) -> u64, edge: impl Fn(u64) -> u64) -> Self {
        let used = values.iter().map(|(value, _)| bin(*value));
        let (Some(first), Some(last)) = (used.clone().min(), used.max()) else {
            return Self::default();
        };
        let last = last.min(first.saturating_add(MOST_BINS - 1));
        let mut bins: Vec<(u64, u64)> = (first..=last).map(|bin| (edge(bin), 0)).collect();
        for (value, count) in values {
            if let Some((_, sum)) = bins.get_mut((bin(*value).min(last) - first) as usize) {
                *sum += count;
            }
        }
        Self { bins }
    }

    /// One line for each bin, with its least value, its count and a bar.
    pub(super) fn lines(&self, unit: &str) -> Vec<String> {
        let most = self.bins.iter().map(|(_, count)| *count).max().unwrap_or(0).max(1);
        self.bins
            .iter()
            .map(|(edge, count)| {
                let bar = "#".repeat((count * BAR).div_ceil(most) as usize);
                format!("{edge:>8} {unit} {count:>8} {bar}").trim_end().to_owned()
            })
            .collect()
    }
}

/// The largest number of bins. Larger values are in the last one.
const MOST_BINS: u64 = 10_000;
/// The length of the longest bar in characters.
const BAR: u64 = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fall_into_their_bins() {
        let linear = Histogram::linear(&[(5, 1), (39, 2), (40, 3), (81, 1)], 20);
        assert_eq!(linear.bins, [(0, 1), (20, 2), (40, 3), (60, 0), (80, 1)]);
        let doubling = Histogram::doubling(&[(0, 1), (1, 1), (3, 2), (4, 1), (7, 1)]);
        assert_eq!(doubling.bins, [(0, 1), (1, 1), (2, 2), (4, 2)]);
        assert_eq!(Histogram::linear(&[], 20), Histogram::default());
        // One value far from the others.
        let far = Histogram::linear(&[(0, 1), (1_000_000_000_000, 2), (u64::MAX, 3)], 20);
        assert_eq!((far.bins.len(), far.bins[9999]), (10_000, (199_980, 5)));
        let doubling = Histogram::doubling(&[(u64::MAX, 1)]);
        assert_eq!(doubling.bins, [(1 << 63, 1)]);
    }
}
