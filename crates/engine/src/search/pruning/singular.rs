//! Singular moves: a table move that is better than all others by far is searched more deeply, at half of the least
//! cost.

use crate::search::cost::Budgets;
use crate::search::table::{EntryBound, TableHit};

/// The search that tests a table move: whether another move reaches `beta` with these budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search) struct SingularSearch {
    pub(in crate::search) beta: i32,
    pub(in crate::search) budgets: Budgets,
}

/// Returns the search that tests the table move, if the node is at least 6 deep and the table has a lower bound or an
/// exact score of nearly that depth. `least` is the smallest budget that is searched.
pub(in crate::search) fn singular_search(
    found: &TableHit,
    budgets: Budgets,
    least: i32,
) -> Option<SingularSearch> {
    let depth = budgets.depth();
    let half = Budgets { us: budgets.us / 2, them: budgets.them / 2 };
    let trusted = matches!(found.bound, EntryBound::Lower | EntryBound::Exact)
        && !found.path_dependent
        && found.budgets.depth() >= depth - 3
        && found.score.abs() <= crate::eval::MAX;
    let asked = depth >= 6 && half.us >= least && trusted;
    asked.then(|| SingularSearch { beta: found.score - 2 * depth, budgets: half })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::table::StoredBudgets;
    use crate::search::value::mates_in;

    fn found(depth: i32, bound: EntryBound) -> TableHit {
        let budgets = StoredBudgets::new(Budgets::whole(100 * depth), false);
        TableHit {
            mv: None,
            score: 100,
            eval: None,
            bound,
            budgets,
            cost: 60,
            path_dependent: false,
        }
    }

    #[test]
    fn it_needs_depth_and_a_score_that_the_move_reaches() {
        let budgets = Budgets::whole(800);
        let ask = |found: &TableHit| singular_search(found, budgets, 50);
        let wanted = SingularSearch { beta: 84, budgets: Budgets::whole(400) };
        assert_eq!(ask(&found(8, EntryBound::Lower)), Some(wanted));
        assert_eq!(ask(&found(6, EntryBound::Exact)), Some(wanted));
        assert_eq!(ask(&found(4, EntryBound::Lower)), None);
        assert_eq!(ask(&found(8, EntryBound::Upper)), None);
        assert_eq!(ask(&TableHit { score: mates_in(9), ..found(8, EntryBound::Lower) }), None);
        assert_eq!(ask(&TableHit { path_dependent: true, ..found(8, EntryBound::Lower) }), None);
        assert_eq!(singular_search(&found(8, EntryBound::Lower), Budgets::whole(590), 50), None);
        let lopsided = Budgets { us: 90, them: 2000 };
        assert_eq!(singular_search(&found(12, EntryBound::Lower), lopsided, 50), None);
    }
}
