//! The cost of moves and the budgets of both sides (docs/search.md, section 1.1).
//!
//! One hundred units are one nominal ply. Each side pays for its own moves; a part of the charge
//! (`Interest_CrossCharge`) is also taken from the other side. A move of cost `c` is affordable after siblings of total
//! cost `P` while `psi·P + c` is within the budget of the side to move (psi: `Interest_PlyWeight`).

use super::fixed_log2::fixed_log2;
use super::parameters::Parameters;
use super::weights::POINT;

/// How the cost of a move is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CostKind {
    /// From its share of the node's interest, within bounds.
    Interest,
    /// Reciprocal to its interest, without bounds.
    Paper,
    /// The same for every move except checks and captures.
    Plain,
}

/// The rules of costs: the parameters that the inner loop reads, in the form it needs.
#[derive(Debug, Clone)]
pub(crate) struct CostRules {
    pub(crate) kind: CostKind,
    k: i64,
    /// The least cost of a move.
    pub(crate) min: i32,
    /// The largest cost of a move.
    pub(crate) max: i32,
    /// The part of a charge that the other side also pays, in percent.
    cross: i32,
    /// The part of the siblings' cost that is added when a move is tested against the budget, in thousandths.
    ply_weight: i32,
    /// The part of that addition that the move is charged, in percent.
    ply_inherit: i32,
    /// The largest charge of a second search of a move that raised the value.
    pub(crate) research: i32,
    /// The cost of a move of the reserve.
    pub(crate) reserve: i32,
    /// Evasions are searched until the budget of the side in check is below this.
    pub(crate) check_floor: i32,
    /// The cost of the only evasion, if it differs from that of other moves.
    pub(crate) single_evasion: Option<i32>,
    depth_scale: bool,
    beyond: i32,
    /// The cost of checks and captures where every other move costs [`PLAIN`].
    check: i32,
    capture: i32,
}

/// The largest cost and the largest charge of a move: 10,000 nominal plies, more than any limit affords. With it the
/// budgets of the longest line stay far from overflow.
const MOST: i32 = 1_000_000;

/// A cost, or the largest one if it is larger.
const fn at_most(cost: i64) -> i32 {
    if cost < MOST as i64 { cost as i32 } else { MOST }
}

/// The cost of every move where interest does not count: a nominal ply.
pub(crate) const PLAIN: i32 = 100;

/// The cost of a move with an interest of a sixteenth of a point, exactly as in the paper: 9000 for one point.
const PAPER_COST: i32 = 9000 * POINT;

impl CostRules {
    pub(crate) fn new(p: &Parameters) -> Self {
        let kind = match p.cost {
            0 => CostKind::Interest,
            1 => CostKind::Paper,
            _ => CostKind::Plain,
        };
        let max = p.cost_max.max(p.cost_min);
        Self {
            kind,
            k: i64::from(p.cost_k),
            min: if kind == CostKind::Paper { 1 } else { p.cost_min },
            max,
            cross: p.cross_charge,
            ply_weight: p.ply_weight,
            ply_inherit: p.ply_inherit,
            research: if p.research == 0 { i32::MAX } else { p.research },
            reserve: if kind == CostKind::Plain { PLAIN } else { max },
            check_floor: p.check_floor,
            single_evasion: (p.single_evasion != 0).then_some(p.cost_min / 2),
            depth_scale: p.depth_scale != 0,
            beyond: p.beyond,
            check: p.check_cost,
            capture: p.capture_cost,
        }
    }

    /// The budgets after a move of this charge, for the side to move after it.
    #[inline]
    pub(crate) const fn after(&self, budgets: Budgets, charge: i32) -> Budgets {
        Budgets { us: budgets.them - charge * self.cross / 100, them: budgets.us - charge }
    }

    /// The units that siblings of this total cost add when a move is tested against the budget.
    #[inline]
    pub(crate) const fn sibling_surcharge(&self, siblings_cost: i32) -> i32 {
        (siblings_cost as i64 * self.ply_weight as i64 / 1000) as i32
    }

    /// The charge of a move: its cost and a part of its siblings' cost.
    #[inline]
    pub(crate) const fn charge(&self, cost: i32, siblings_cost: i32) -> i32 {
        if self.ply_inherit == 0 {
            return cost;
        }
        let inherited =
            self.sibling_surcharge(siblings_cost) as i64 * self.ply_inherit as i64 / 100;
        at_most(cost as i64 + inherited)
    }

    /// Units of a nominal ply of both sides: 50·(1 + kappa).
    const fn nominal(&self) -> i32 {
        50 + self.cross / 2
    }

    /// Nominal depth in plies of a line with this limit.
    pub(crate) const fn nominal_depth(&self, limit: i32) -> i32 {
        limit / self.nominal()
    }

    /// The same, rounded to the nearest ply: the depth that is reported.
    pub(crate) const fn rounded_nominal_depth(&self, limit: i32) -> i32 {
        (limit + self.nominal() / 2) / self.nominal()
    }

    /// The limit whose nominal depth is this depth.
    pub(crate) const fn limit_for_depth(&self, depth: i32) -> i32 {
        depth * self.nominal()
    }

    /// The cost of a move where interest does not count.
    #[inline]
    pub(crate) fn plain(&self, is_check: bool, is_capture: bool) -> i32 {
        let cost = if is_check { self.check } else { PLAIN };
        if is_capture { cost.min(self.capture) } else { cost }
    }
}

/// The units that the side to move and the other side have left.
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

    /// The sum of both budgets, each at least 0.
    pub(crate) fn total(self) -> i32 {
        self.us.max(0) + self.them.max(0)
    }

    /// The remaining depth, for rules that are stated with a depth.
    pub(crate) fn depth(self) -> i32 {
        nominal_plies(self.total())
    }
}

/// The remaining depth of a sum of budgets.
pub(crate) const fn nominal_plies(total: i32) -> i32 {
    total / 200
}

/// The data of a node that costs depend on, except the sum of its interest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CostContext<'a> {
    pub(crate) costs: &'a CostRules,
    pub(crate) budgets: Budgets,
    /// Distance from the root.
    pub(crate) ply: usize,
    /// Limit of the iteration.
    pub(crate) limit: i32,
    /// The score has fallen.
    pub(crate) score_fell: bool,
}

impl<'a> CostContext<'a> {
    /// The cost function of the node, given the sum of the interest.
    pub(crate) fn cost_function(&self, sum: i64) -> CostFunction<'a> {
        CostFunction::new(self.costs, sum, self.budgets, self.ply, self.limit, self.score_fell)
    }

    /// The least interest that the side to move can afford with that sum; 0 if it is not known.
    pub(crate) fn floor(&self, sum: i64) -> i32 {
        self.cost_function(sum).least_affordable(self.budgets.us)
    }
}

/// The cost function of one node: see [`CostFunction::cost`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct CostFunction<'a> {
    costs: &'a CostRules,
    /// Sum of the interest of all legal moves.
    pub(crate) sum: i64,
    /// Factor on the part of a cost above 100, in 256ths.
    depth: i32,
    /// Factor for nodes beyond the nominal depth of the iteration, in 1600ths.
    beyond: i32,
    /// The largest cost of a move at this node, before the factors.
    most: i32,
}

impl<'a> CostFunction<'a> {
    /// The cost function of a node `ply` from the root with these budgets and sum of interest, in an iteration with this
    /// limit. `score_fell`: the score has fallen and moves of little interest near the root cost
    /// less.
    pub(crate) fn new(
        costs: &'a CostRules,
        sum: i64,
        budgets: Budgets,
        ply: usize,
        limit: i32,
        score_fell: bool,
    ) -> Self {
        let depth = if costs.depth_scale {
            let total = budgets.total().max(1) as u64;
            (256 + 44 * (fixed_log2(total) - fixed_log2(800)) / 256).clamp(128, 768)
        } else {
            256
        };
        let over = (ply as i32 - costs.nominal_depth(limit)).clamp(0, 16);
        let beyond = 1600 + over * costs.beyond;
        let most = if score_fell { costs.max * 8 / 10 } else { costs.max };
        Self { costs, sum, depth, beyond, most }
    }

    /// The cost of a move with this effective interest.
    #[inline]
    pub(crate) fn cost(&self, interest: i32) -> i32 {
        self.steps(interest).cost
    }

    /// The steps by which the cost of a move with this effective interest is computed.
    #[inline]
    pub(crate) fn steps(&self, interest: i32) -> CostSteps {
        if self.costs.kind == CostKind::Paper {
            let base = (PAPER_COST / interest.max(1)).max(1);
            let cost = at_most(i64::from(base) * i64::from(self.beyond) / 1600);
            return CostSteps { raw: i64::from(base), base, scaled: base, cost };
        }
        let raw = reciprocal(self.costs, self.sum, interest);
        let base = raw.clamp(i64::from(self.costs.min), i64::from(self.costs.max)) as i32;
        let base = base.min(self.most);
        let scaled = if base > 100 { 100 + (base - 100) * self.depth / 256 } else { base };
        CostSteps { raw, base, scaled, cost: scaled * self.beyond / 1600 }
    }

    /// The factor on the part of a cost above a nominal ply, in 256ths, and the factor on the whole cost, in 1600ths.
    pub(crate) const fn factors(&self) -> (i32, i32) {
        (self.depth, self.beyond)
    }

    /// The least and the largest cost of a move at this node, before the factors.
    pub(crate) const fn bounds(&self) -> (i32, i32) {
        (self.costs.min, self.most)
    }

    /// The least interest whose cost is within a budget. 0 if every interest may be affordable, or if it is not known.
    pub(crate) fn least_affordable(&self, budget: i32) -> i32 {
        if self.costs.kind != CostKind::Interest {
            return 0;
        }
        if budget < 0 {
            return i32::MAX;
        }
        // The steps of `cost` in reverse. Each division there rounds down.
        let scaled = ((i64::from(budget) + 1) * 1600 - 1) / i64::from(self.beyond);
        let base = match scaled {
            100.. => 100 + ((scaled - 99) * 256 - 1) / i64::from(self.depth),
            _ => scaled,
        };
        let most = i64::from(self.most.min(self.costs.max));
        if base >= most {
            0
        } else if base < i64::from(self.costs.min) {
            i32::MAX
        } else {
            i32::try_from(self.costs.k * self.sum / (1000 * (base + 1)) + 1).unwrap_or(i32::MAX)
        }
    }
}

/// The steps of a cost: `raw` by the share of the interest, `base` within the bounds, `scaled` after the depth scale,
/// and the final `cost`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CostSteps {
    pub(crate) raw: i64,
    pub(crate) base: i32,
    pub(crate) scaled: i32,
    pub(crate) cost: i32,
}

/// Reciprocal to the share of the interest.
fn reciprocal(costs: &CostRules, sum: i64, interest: i32) -> i64 {
    costs.k * sum / (1000 * i64::from(interest.max(1)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::search::parameters::Preset;

    const PRESETS: [Preset; 4] = [Preset::Interest, Preset::Paper, Preset::Full, Preset::Lmr];

    fn costs(preset: Preset) -> CostRules {
        CostRules::new(&Parameters::preset(preset))
    }

    #[test]
    fn the_largest_costs_do_not_overflow() {
        let mut parameters = Parameters::preset(Preset::Paper);
        for (name, value) in [
            ("Interest_Beyond", "1000"),
            ("Interest_PlyWeight", "1000"),
            ("Interest_PlyInherit", "100"),
        ] {
            parameters.set(name, value).unwrap();
        }
        let costs = CostRules::new(&parameters);
        let budgets = Budgets::whole(50);
        let deep = CostFunction::new(&costs, 0, budgets, 100, 50, false);
        assert_eq!(deep.cost(0), MOST);
        assert_eq!(costs.charge(MOST, i32::MAX), MOST);
        let costs = CostRules { cross: 100, ..costs };
        let spent = (0..256).fold(budgets, |budgets, _| costs.after(budgets, MOST));
        assert_eq!((spent.us, spent.them), (50 - 256 * MOST, 50 - 256 * MOST));
    }

    proptest! {
        #[test]
        fn budgets_along_a_line_are_the_limit_less_the_sums(
            limit in 0..5000i32,
            charges in prop::collection::vec(25..700i32, 0..40),
            cross in 0..=100i32,
        ) {
            let rules = CostRules::new(&Parameters { cross_charge: cross, ..Parameters::interest() });
            let mut budgets = Budgets::whole(limit);
            let mut spent = [0, 0];
            for (ply, &charge) in charges.iter().enumerate() {
                budgets = rules.after(budgets, charge);
                spent[ply % 2] += charge;
                spent[1 - ply % 2] += charge * cross / 100;
            }
            let mover = charges.len() % 2;
            prop_assert_eq!(budgets.us, limit - spent[mover]);
            prop_assert_eq!(budgets.them, limit - spent[1 - mover]);
        }

        #[test]
        fn less_interest_never_costs_less(
            sum in 1..200_000i64,
            interest in 1..30_000i32,
            less in 0..1000i32,
            total in 0..6000i32,
            ply in 0..60usize,
            score_fell: bool,
        ) {
            let costs = CostRules::new(&Parameters::interest());
            let budgets = Budgets { us: total / 2, them: total / 2 };
            let cost_function = CostFunction::new(&costs, sum, budgets, ply, 700, score_fell);
            let lesser = (interest - less).max(1);
            prop_assert!(cost_function.cost(lesser) >= cost_function.cost(interest));
            prop_assert!(cost_function.cost(interest) >= costs.min);
        }
    }

    proptest! {
        #[test]
        fn the_least_affordable_interest_is_the_least(
            sum in 1..400_000i64,
            total in 0..6000i32,
            budget in -50..1000i32,
            ply in 0..60usize,
            score_fell: bool,
            kind in 0..4usize,
        ) {
            let costs = costs(PRESETS[kind]);
            let budgets = Budgets { us: total / 2, them: total / 2 };
            let cost_function = CostFunction::new(&costs, sum, budgets, ply, 700, score_fell);
            let least = cost_function.least_affordable(budget);
            prop_assert!(least == 0 || least == i32::MAX || cost_function.cost(least) <= budget);
            prop_assert!(least <= 1 || cost_function.cost(least - 1) > budget);
            prop_assert!(least > 0 || kind > 0 || cost_function.cost(1) <= budget);
        }
    }

    #[test]
    fn an_even_list_of_ninety_thousandths_costs_a_nominal_ply() {
        let costs = CostRules::new(&Parameters::untuned());
        assert_eq!(reciprocal(&costs, 1000, 90), 100);
        let budgets = Budgets { us: 800, them: 0 };
        let cost_function = CostFunction::new(&costs, 1000, budgets, 0, 700, false);
        let base = |interest| cost_function.steps(interest).base;
        assert_eq!((base(1000), base(1)), (costs.min, costs.max));
    }

    #[test]
    fn costs_are_plain_at_eight_hundred_units_and_steeper_above() {
        let costs = CostRules::new(&Parameters::untuned());
        let at = |total: i32| {
            let budgets = Budgets { us: total, them: 0 };
            CostFunction::new(&costs, 1000, budgets, 0, 700, false).cost(30)
        };
        assert_eq!(at(800), 300);
        assert_eq!(at(0), 200);
        assert!(at(3200) > 300 && at(100) < 300);
    }

    #[test]
    fn beyond_the_nominal_length_everything_costs_more() {
        let costs = CostRules::new(&Parameters::untuned());
        let at = |ply: usize| {
            CostFunction::new(&costs, 1000, Budgets::whole(400), ply, 750, false).cost(90)
        };
        assert_eq!((at(0), at(10), at(14), at(26), at(40)), (100, 100, 125, 200, 200));
    }

    #[test]
    fn with_the_costs_of_the_paper_moves_inherit_what_siblings_cost() {
        let paper = costs(Preset::Paper);
        assert_eq!((paper.sibling_surcharge(700), paper.charge(90, 700)), (700, 790));
        assert_eq!(paper.after(Budgets::whole(1000), 790), Budgets { us: 1000, them: 210 });
        let usual = CostRules::new(&Parameters::untuned());
        assert_eq!((usual.sibling_surcharge(700), usual.charge(90, 700)), (21, 90));
        assert_eq!(usual.after(Budgets::whole(1000), 91), Budgets { us: 955, them: 909 });
        // 9000 over the interest in points.
        let cost_function = CostFunction::new(&paper, 9999, Budgets::whole(400), 0, 700, false);
        assert_eq!((cost_function.cost(16 * 45), cost_function.cost(1)), (200, 144_000));
    }

    #[test]
    fn lines_of_the_baselines_have_the_nominal_depth() {
        let plain = costs(Preset::Full);
        assert_eq!((plain.nominal_depth(800), plain.limit_for_depth(8)), (8, 800));
        assert_eq!((plain.plain(false, true), plain.plain(true, false)), (100, 50));
        assert_eq!(CostRules::new(&Parameters::untuned()).nominal_depth(750), 10);
        assert_eq!(costs(Preset::Paper).nominal_depth(750), 15);
    }
}
