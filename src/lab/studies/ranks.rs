//! The ranks of the moves played in games in an order of the legal moves.

use serde::Serialize;

/// How often the played move had each rank: the rank curve of Grimbergen and Matsubara, absolute and cumulative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RankCurve {
    /// The number of played moves by rank, `[rank - 1]`, up to the largest rank seen.
    counts: Vec<usize>,
}

impl RankCurve {
    /// Adds a position whose played move has this rank, from 1.
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

    /// The number of played moves with each rank, from rank 1 on.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The share of positions whose played move is among the first `rank` moves.
    pub fn within(&self, rank: usize) -> f64 {
        let within: usize = self.counts.iter().take(rank).sum();
        within as f64 / self.positions().max(1) as f64
    }

    /// The share of positions whose played move comes after the first `rank` moves.
    pub fn beyond(&self, rank: usize) -> f64 {
        let beyond: usize = self.counts.iter().skip(rank).sum();
        beyond as f64 / self.positions().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_covers_the_whole_list() {
        let mut curve = RankCurve::default();
        assert!(curve.within(5).abs() < 1e-12 && curve.beyond(0).abs() < 1e-12);
        for rank in [1, 1, 3, 40] {
            curve.add(rank);
        }
        assert_eq!((curve.positions(), curve.counts().len()), (4, 40));
        let near = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
        assert!(near(curve.within(1), 0.5) && near(curve.within(3), 0.75));
        assert!(near(curve.beyond(30), 0.25) && near(curve.within(40), 1.0));
        assert!(near(curve.beyond(40), 0.0));
    }
}
