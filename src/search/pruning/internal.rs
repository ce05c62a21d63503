//! A node that the table knows no move of is searched less deeply: the move found pays when it is searched again.

use crate::search::cost::Budgets;

/// The budgets of such a node, half a nominal ply less for each side from depth 4 on.
pub(in crate::search) fn reduced(budgets: Budgets, has_hash_move: bool) -> Budgets {
    if has_hash_move || budgets.depth() < 4 {
        budgets
    } else {
        Budgets { us: budgets.us - 50, them: budgets.them - 50 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_nodes_without_a_move_lose_half_a_ply() {
        let deep = Budgets::whole(500);
        assert_eq!(reduced(deep, false), Budgets::whole(450));
        assert_eq!(reduced(deep, true), deep);
        assert_eq!(reduced(Budgets::whole(300), false), Budgets::whole(300));
    }
}
