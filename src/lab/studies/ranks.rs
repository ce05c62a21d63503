//! At which place the moves played in games come by some order of the legal moves.

use serde::Serialize;

/// How often the played move had which place: the rank curve of Grimbergen and Matsubara, absolute and cumulative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RankCurve {
    /// `[place - 1]`, to the end of the longest list.
    counts: Vec<usize>,
}

impl RankCurve {
    /// One more position, whose played move had this place, from 1.
    pub(crate) fn add(&mut self, rank: usize) {
        let at = rank.saturating_sub(1);
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
    }

    /// The number of positions.
    pub fn positions(&self) -> usize {
        self.counts.iter().sum()
    }

    /// How many played moves had each place, from the first on.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The share of positions whose played move is among the first moves of this number.
    pub fn within(&self, rank: usize) -> f64 {
        let within: usize = self.counts.iter().take(rank).sum();
        within as f64 / self.positions().max(1) as f64
    }

    /// The share of positions whose played move comes after this number of moves.
    pub fn beyond(&self, rank: usize) -> f64 {
        let beyond: usize = self.counts.iter().skip(rank).sum();
        beyond as f64 / self.positions().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_counts_to_the_end_of_the_list() {
        let mut curve = RankCurve::default();
        assert!(curve.within(5).abs() < 1e-12 && curve.beyond(0).abs() < 1e-12);
        for rank in [1, 1, 3, 40] {
            curve.add(rank);
        }
        assert_eq!((curve.positions(), curve.counts().len()), (4, 40));
        let near = |found: f64, wanted: f64| (found - wanted).abs() < 1e-12;
        assert!(near(curve.within(1), 0.5) && near(curve.within(3), 0.75));
        assert!(near(curve.beyond(30), 0.25) && near(curve.within(40), 1.0));
        assert!(near(curve.beyond(40), 0.0));
    }
}
