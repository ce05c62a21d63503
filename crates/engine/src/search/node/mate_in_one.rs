//! The search for a mate in one before the moves of a node are listed.

use super::Node;
use crate::search::{
    attack_maps::AttackMaps,
    kind::SearchKind,
    mate_in_one::mate_in_one,
    table::{EntryBound, NewEntry, StoredBudgets, TableHit},
    trace::EarlyCutoff,
    value::{Value, mates_in},
    worker::Worker,
};
use kyomi_shogi::Move;

impl<K: SearchKind> Worker<K> {
    /// The value of a mate in one, out of check. Computes the attack maps if they are needed.
    pub(super) fn mate_in_one_value(
        &mut self,
        found: Option<TableHit>,
        node: &Node,
        maps: &mut Option<AttackMaps>,
    ) -> Option<Value> {
        if found.is_none() && self.settings.parameters.mate_in_one != 0 {
            let maps = maps.insert(AttackMaps::of(&self.line.position));
            if let Some(mv) = mate_in_one(&mut self.line.position, maps)
                && self.ends_early(node.ply, EarlyCutoff::MateInOne(mv), mates_in(node.ply + 1))
            {
                return Some(self.found_mate(mv, node));
            }
        }
        None
    }

    /// Stores a move that mates and returns its value.
    fn found_mate(&mut self, mv: Move, node: &Node) -> Value {
        let ply = node.ply;
        let score = mates_in(ply + 1);
        self.line.frames[ply + 1].pv.clear();
        self.line.set_pv(ply, mv);
        let store = NewEntry {
            mv: Some(mv),
            score,
            eval: node.eval,
            bound: EntryBound::Exact,
            budgets: StoredBudgets::new(node.budgets, false),
            cost: self.settings.costs.min,
            pv: false,
            path_dependent: false,
        };
        self.store_in_table(node.budgets, ply, store);
        Value::of_position(score)
    }
}
