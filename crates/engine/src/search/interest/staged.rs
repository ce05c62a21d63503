//! Lists in two stages (docs/search.md, section 1.5 g): first the moves that stand out, and the others only if they may
//! be affordable. Otherwise these count in the sum with their mean interest.

use crate::search::cost::CostContext;

/// The mean interest of moves that do not stand out, beyond their even share, in 256ths of a point: a running mean
/// over the last lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search) struct MeanInterest {
    pub(super) on_board: i32,
    pub(super) drops: i32,
}

/// Numbers of moves that do not stand out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rest {
    pub(super) on_board: i64,
    pub(super) drops: i64,
}

/// The sum of the interest of `count` moves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct InterestSum {
    pub(super) sum: i64,
    pub(super) count: i64,
}

impl MeanInterest {
    /// The value before the first list, about the mean of many lists.
    pub(in crate::search) const NEW: Self = Self { on_board: 5 << 8, drops: 3 << 8 };

    /// The mean sum of interest of these moves with this even share.
    pub(super) fn sum(self, even: i32, rest: Rest) -> i64 {
        let Rest { on_board, drops } = rest;
        let beyond = i64::from(self.on_board) * on_board + i64::from(self.drops) * drops;
        i64::from(even) * (on_board + drops) + beyond / STEPS
    }

    /// The running mean after a list in which these moves had these sums.
    #[must_use]
    pub(super) fn after(mut self, even: i32, on_board: InterestSum, drops: InterestSum) -> Self {
        for (mean_interest, share) in [(&mut self.on_board, on_board), (&mut self.drops, drops)] {
            if share.count > 0 {
                let beyond = share.sum - i64::from(even) * share.count;
                let now = (beyond * STEPS / share.count) as i32;
                *mean_interest += (now - *mean_interest) / 8;
            }
        }
        self
    }
}

/// Steps in a sixteenth of a point.
const STEPS: i64 = 16;

/// The conditions under which the first stage is enough.
#[derive(Debug, Clone, Copy)]
pub(in crate::search) struct TwoStageLimits<'a> {
    pub(in crate::search) cost_context: CostContext<'a>,
    pub(in crate::search) mean_interest: MeanInterest,
    /// Interest beyond the even share, in sixteenths of a point. If a move with less is affordable, the first stage is
    /// not enough.
    pub(in crate::search) beyond: i32,
    /// Whether a move was searched already. Otherwise the first move of the list is searched regardless of its cost, so
    /// that it must be known.
    pub(in crate::search) searched: bool,
}

impl TwoStageLimits<'_> {
    /// The least affordable interest at a node with this even share and sum of interest. `None` if it is too small for
    /// the first stage to be enough.
    pub(super) fn floor(&self, even: i32, sum: i64) -> Option<i32> {
        let floor = self.cost_context.floor(sum);
        (floor >= even.saturating_add(self.beyond)).then_some(floor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_running_mean_follows_the_lists() {
        let mut mean_interest = MeanInterest::NEW;
        for _ in 0..100 {
            let on_board = InterestSum { sum: 10 * 400, count: 10 };
            mean_interest = mean_interest.after(300, on_board, InterestSum::default());
        }
        assert!((100 * 16 - 16..=100 * 16).contains(&mean_interest.on_board), "{mean_interest:?}");
        assert_eq!(mean_interest.drops, MeanInterest::NEW.drops);
        let mean_interest = MeanInterest { on_board: 32, drops: -16 };
        assert_eq!(mean_interest.sum(300, Rest { on_board: 10, drops: 4 }), 300 * 14 + 20 - 4);
    }
}
