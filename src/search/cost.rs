//! What a move costs, and what is left to spend: the two tallies of interest search.
//!
//! One hundred units are one nominal ply. Each side pays for its own moves, half of it is charged to the other side
//! too. A move of cost `c` is affordable after siblings of total cost `P` while `3·P/100 + c` is within the mover's
//! budget.

use super::lg::lg;

/// The least a move costs.
pub(crate) const C_MIN: i32 = 50;
/// The most a move costs.
pub(crate) const C_MAX: i32 = 350;
/// A move of this share of the interest, in thousandths, costs 100: see [`base`].
const K: i64 = 9000;
/// What a move that raised the value is charged at most when it is searched again.
pub(crate) const RESEARCH: i32 = 150;
/// Evasions are searched until the budget of the side in check is below this.
pub(crate) const CHECK_FLOOR: i32 = -600;
/// The only evasion.
pub(crate) const SINGLE_EVASION: i32 = C_MIN / 2;

/// What is left to spend, for the side to move and the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budgets {
    /// The side to move.
    pub(crate) us: i32,
    /// The other side.
    pub(crate) them: i32,
}

impl Budgets {
    /// Both sides have the whole limit.
    pub(crate) const fn whole(limit: i32) -> Self {
        Self { us: limit, them: limit }
    }

    /// After a move of this cost, seen by the side that moves then.
    pub(crate) const fn after(self, cost: i32) -> Self {
        Self { us: self.them - cost / 2, them: self.us - cost }
    }

    /// The sum of what is left.
    pub(crate) fn total(self) -> i32 {
        self.us.max(0) + self.them.max(0)
    }

    /// The depth equivalent, for methods that want a depth.
    pub(crate) fn depth(self) -> i32 {
        nominal_plies(self.total())
    }
}

/// The depth equivalent of a sum of budgets.
pub(crate) const fn nominal_plies(total: i32) -> i32 {
    total / 200
}

/// Nominal length in plies of a line with this limit: what is reported as depth.
pub(crate) const fn nominal_length(limit: i32) -> i32 {
    limit / 75
}

/// The limit whose nominal length is this depth.
pub(crate) const fn limit_of_depth(depth: i32) -> i32 {
    depth * 75
}

/// What the other moves already searched at a node add before a move is affordable.
pub(crate) const fn late(siblings: i32) -> i32 {
    3 * siblings / 100
}

/// How costs at one node depend on the node: see [`Scale::cost`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Sum of the interest of all legal moves.
    pub(crate) sum: i64,
    /// Factor on what exceeds 100, in 256ths.
    depth: i32,
    /// Factor for nodes beyond the nominal length of the iteration, in 16ths.
    beyond: i32,
    /// The most a move may cost here.
    most: i32,
}

impl Scale {
    /// The scale of a node `ply` from the root with these budgets, in an iteration with this limit. `panic`: the
    /// score has fallen and dull moves near the root are looked at more closely.
    pub(crate) fn new(sum: i64, budgets: Budgets, ply: usize, limit: i32, panic: bool) -> Self {
        let total = budgets.total().max(1) as u64;
        let depth = (256 + 44 * (lg(total) - lg(800)) / 256).clamp(128, 768);
        let over = ply as i32 - nominal_length(limit);
        let beyond = (16 + over).clamp(16, 32);
        let most = if panic { C_MAX * 8 / 10 } else { C_MAX };
        Self { sum, depth, beyond, most }
    }

    /// The cost of a move with this effective interest.
    pub(crate) fn cost(&self, interest: i32) -> i32 {
        let base = base(self.sum, interest).min(self.most);
        let scaled = if base > 100 { 100 + (base - 100) * self.depth / 256 } else { base };
        scaled * self.beyond / 16
    }
}

/// Reciprocal to the share of the interest, within the clamp.
fn base(sum: i64, interest: i32) -> i32 {
    let cost = K / 1000 * sum / i64::from(interest.max(1));
    cost.clamp(i64::from(C_MIN), i64::from(C_MAX)) as i32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn budgets_along_a_line_are_the_limit_less_the_sums(limit in 0..5000i32, costs in prop::collection::vec(25..700i32, 0..40)) {
            let mut budgets = Budgets::whole(limit);
            let mut spent = [0, 0];
            for (ply, &cost) in costs.iter().enumerate() {
                budgets = budgets.after(cost);
                spent[ply % 2] += cost;
                spent[1 - ply % 2] += cost / 2;
            }
            let mover = costs.len() % 2;
            prop_assert_eq!(budgets.us, limit - spent[mover]);
            prop_assert_eq!(budgets.them, limit - spent[1 - mover]);
        }

        #[test]
        fn less_interest_never_costs_less(sum in 1..200_000i64, interest in 1..30_000i32, less in 0..1000i32, total in 0..6000i32, ply in 0..60usize, panic: bool) {
            let scale = Scale::new(sum, Budgets { us: total / 2, them: total / 2 }, ply, 700, panic);
            let lesser = (interest - less).max(1);
            prop_assert!(scale.cost(lesser) >= scale.cost(interest));
            prop_assert!(scale.cost(interest) >= C_MIN);
        }
    }

    #[test]
    fn an_even_list_of_ninety_thousandths_costs_a_nominal_ply() {
        assert_eq!(base(1000, 90), 100);
        assert_eq!(base(1000, 1000), C_MIN);
        assert_eq!(base(1000, 1), C_MAX);
    }

    #[test]
    fn costs_are_plain_at_eight_hundred_units_and_steeper_above() {
        let at =
            |total: i32| Scale::new(1000, Budgets { us: total, them: 0 }, 0, 700, false).cost(30);
        assert_eq!(at(800), 300);
        assert_eq!(at(0), 200);
        assert!(at(3200) > 300 && at(100) < 300);
    }

    #[test]
    fn beyond_the_nominal_length_everything_costs_more() {
        let at = |ply: usize| Scale::new(1000, Budgets::whole(400), ply, 750, false).cost(90);
        assert_eq!((at(0), at(10), at(14), at(26), at(40)), (100, 100, 125, 200, 200));
    }
}
