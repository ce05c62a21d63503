//! Nodes that the rules of the game decide (docs/search.md, section 1.15).

use crate::search::{
    MAX_PLY,
    kind::SearchKind,
    position_history::RepetitionResult,
    value::{BEFORE_ROOT, MATE_BOUND, Value, mated_in, mates_in},
    worker::Worker,
};
use crate::shogi::{Bitboard, Color};

impl<K: SearchKind> Worker<K> {
    /// The value of a node that a rule ends: repetition, the move limit of the game, a declared win, or the longest
    /// line.
    pub(super) fn decided_by_rules(&mut self, ply: usize) -> Option<Value> {
        let side = self.position.side_to_move();
        if let Some(repeated) = self.path.repeated(side) {
            // Larger than every evaluation, smaller than every mate.
            let decisive = MATE_BOUND - 1 - ply as i32;
            let score = match repeated.result {
                RepetitionResult::Draw => self.draw(ply),
                RepetitionResult::Win => decisive,
                RepetitionResult::Loss => -decisive,
            };
            return Some(Value { score, depends_on_ply: repeated.ply.max(BEFORE_ROOT) });
        }
        let made = self.game_moves + ply as u32;
        if self.rules.max_moves.is_some_and(|most| made >= most) {
            let mated = self.position.in_check() && !self.position.has_legal_move();
            let score = if mated { mated_in(ply) } else { self.draw(ply) };
            return Some(Value { score, depends_on_ply: BEFORE_ROOT });
        }
        if self.may_declare() {
            return Some(Value::of_position(mates_in(ply)));
        }
        (ply >= MAX_PLY).then(|| Value::of_position(self.evaluate()))
    }

    /// The value of a draw for the side to move.
    fn draw(&self, ply: usize) -> i32 {
        let value = self.parameters.draw_value;
        if ply.is_multiple_of(2) { value } else { -value }
    }

    /// Whether the side to move can declare a win.
    fn may_declare(&self) -> bool {
        self.has_entered(self.position.side_to_move()) && self.position.can_declare()
    }

    /// Whether the king of a side is in the enemy's camp, where a win may be declared. The evaluation does not consider
    /// that.
    pub(super) fn has_entered(&self, side: Color) -> bool {
        let king = self.position.king_square(side);
        self.rules.declaration
            && king.is_some_and(|king| Bitboard::camp_against(side).contains(king))
    }
}
