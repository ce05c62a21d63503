//! The ranks of moves in an order of the legal moves.

use serde::Serialize;

/// How often a move, such as the one played in a game, had each rank: the rank curve of Grimbergen and Matsubara, absolute
/// and cumulative.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RankCurve {
    /// The number of moves by rank, `[rank - 1]`, up to the largest rank seen.
    counts: Vec<usize>,
}

impl RankCurve {
    /// Adds a position whose move has this rank, from 1.
    pub(crate) fn add(&mut self, rank: usize) {
        self.add_times(rank, 1);
    }

    /// Adds a position whose move has this rank, if it has one.
    pub(crate) fn add_some(&mut self, rank: Option<usize>) {
        if let Some(rank) = rank {
            self.add(rank);
        }
    }

    /// Adds a number of positions whose moves have this rank, from 1.
    pub(crate) fn add_times(&mut self, rank: usize, times: usize) {
        if times == 0 {
            return;
        }
        let at = rank.saturating_sub(1);
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += times;
    }

    /// The number of positions.
    pub fn positions(&self) -> usize {
        self.counts.iter().sum()
    }

    /// The number of moves with each rank, from rank 1 on.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The share of positions whose move is among the first `rank` moves.
    pub fn within(&self, rank: usize) -> f64 {
        let within: usize = self.counts.iter().take(rank).sum();
        within as f64 / self.positions().max(1) as f64
    }

    /// The share of positions whose move comes after the first `rank` moves.
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
        curve.add_times(50, 0);
        assert_eq!(curve.counts().len(), 40);
        curve.add_times(2, 3);
        assert_eq!((curve.positions(), curve.counts()[1]), (7, 3));
    }
}
