//! Mates that are looked for before the moves of a node are listed.

use super::Entered;
use crate::search::{
    attack_maps::AttackMaps,
    explain::Early,
    kind::SearchKind,
    mate::mate_in_one,
    table::{Bound, NewEntry, StoredBudgets, TableHit},
    tsume::MateSearch,
    value::{MATE_BOUND, mates_in},
    worker::{Value, Worker},
};
use crate::shogi::{Bitboard, Move, PieceKind, Position, attacks};

impl<K: SearchKind> Worker<K> {
    /// A mate in one, or a short one by checks, out of check. The maps are made when they are needed.
    pub(super) fn mate_at_hand(
        &mut self,
        found: Option<TableHit>,
        node: &Entered,
        maps: &mut Option<AttackMaps>,
    ) -> Option<Value> {
        if found.is_none() && self.parameters.mate_in_one != 0 {
            let maps = maps.insert(AttackMaps::of(&self.position));
            if let Some(mv) = mate_in_one(&mut self.position, maps)
                && !self.overrules(node.ply, Early::MateInOne(mv), mates_in(node.ply + 1))
            {
                return Some(self.found_mate(mv, 1, node));
            }
        }
        if K::STUDY
            && self.parameters.mate_in_three != 0
            && is_deep_for_the_first_time(node, found)
            && !self.is_traced(node.ply)
        {
            let maps = maps.get_or_insert_with(|| AttackMaps::of(&self.position));
            if ways_out(&self.position, maps) <= MOST_WAYS_OUT
                && let Some((mv, plies)) = self.look_for_mate()
            {
                return Some(self.found_mate(mv, plies, node));
            }
        }
        None
    }

    /// A short mate, with the number of its plies. The positions looked at count as nodes.
    fn look_for_mate(&mut self) -> Option<(Move, usize)> {
        let nodes = self.nodes_left().min(MATE_NODES);
        let search = self.short_mates.get_or_insert_with(|| MateSearch::new(TABLE_BYTES));
        let found = search.look(&mut self.position, nodes);
        let looked_at = search.nodes();
        self.add_nodes(looked_at);
        found
    }

    /// Stores a move that mates within `plies` and returns its value.
    fn found_mate(&mut self, mv: Move, plies: usize, node: &Entered) -> Value {
        let ply = node.ply;
        let score = mates_in(ply + plies).max(MATE_BOUND);
        self.frames[ply + 1].pv.clear();
        self.set_pv(ply, mv);
        let store = NewEntry {
            mv: Some(mv),
            score,
            eval: node.raw_eval,
            // Without a mate in one there may be a shorter mate still.
            bound: if plies == 1 { Bound::Exact } else { Bound::Lower },
            budgets: StoredBudgets::new(node.budgets, false),
            cost: self.costs.min,
            pv: false,
            path_dependent: false,
        };
        self.store_in_table(node.budgets, ply, store);
        Value::of_position(score)
    }
}

/// Whether a node is deep enough for a mate search, and was not when it was last searched.
fn is_deep_for_the_first_time(node: &Entered, found: Option<TableHit>) -> bool {
    node.budgets.depth() >= DEEP && found.is_none_or(|found| found.budgets.depth() < DEEP)
}

/// Squares that the king of the side not to move could go to as things are.
fn ways_out(position: &Position, maps: &AttackMaps) -> u32 {
    let them = !position.side_to_move();
    let Some(king) = position.king_square(them) else { return u32::MAX };
    let around = attacks(PieceKind::King, them, king, Bitboard::EMPTY);
    (around & !position.of_color(them) & !maps.us.all).count()
}

/// From this depth on a mate search pays.
const DEEP: i32 = 4;
const MOST_WAYS_OUT: u32 = 2;
/// Positions that it looks at.
const MATE_NODES: u64 = 64;
/// Enough for [`MATE_NODES`] positions. The table is emptied each time.
const TABLE_BYTES: u64 = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_out_are_free_squares_that_nobody_attacks() {
        let of = |sfen: &str| {
            let position = Position::from_sfen(sfen).unwrap();
            ways_out(&position, &AttackMaps::of(&position))
        };
        assert_eq!(of("4k4/9/9/9/9/9/9/9/4K4 b - 1"), 5);
        assert_eq!(of("3gkg3/9/4P4/9/9/9/9/9/4K4 b - 1"), 2);
        assert_eq!(of("4k4/9/9/9/9/9/9/3R1R3/4K4 b - 1"), 1);
        assert_eq!(of("9/9/9/9/9/9/9/9/4K4 b - 1"), u32::MAX);
    }
}
