//! Nodes that the rules of the game decide (docs/search.md, section 1.15).

use crate::search::{
    MAX_PLY,
    kind::SearchKind,
    position_history::RepetitionResult,
    value::{BEFORE_ROOT, MATE_BOUND, Value, mated_in, mates_in},
    worker::Worker,
};
use kyomi_shogi::{Bitboard, Color, EnteringKingRule, EnteringKingWin};

impl<K: SearchKind> Worker<K> {
    /// The value of a node that a rule ends: repetition, the move limit of the game, a declared win, or the longest
    /// line.
    pub(super) fn decided_by_rules(&mut self, ply: usize) -> Option<Value> {
        let side = self.line.position.side_to_move();
        if let Some(repeated) = self.line.path.repeated(side) {
            // Larger than every evaluation, smaller than every mate.
            let decisive = MATE_BOUND - 1 - ply as i32;
            let score = match repeated.result {
                RepetitionResult::Draw => self.draw(ply),
                RepetitionResult::Win => decisive,
                RepetitionResult::Loss => -decisive,
            };
            return Some(Value { score, depends_on_ply: repeated.ply.max(BEFORE_ROOT) });
        }
        if self.is_lost_by_try(ply) {
            return Some(Value::of_position(mated_in(ply)));
        }
        let made = self.line.game_moves + ply as u32;
        if self.line.rules.max_moves.is_some_and(|most| made >= most) {
            let mated = self.line.position.in_check() && !self.line.position.has_legal_move();
            let score = if mated { mated_in(ply) } else { self.draw(ply) };
            return Some(Value { score, depends_on_ply: BEFORE_ROOT });
        }
        if let Some(win) = self.entering_king_win() {
            let plies = match win {
                EnteringKingWin::Declaration => ply,
                EnteringKingWin::Try(_) => ply + 1,
            };
            return Some(Value::of_position(mates_in(plies)));
        }
        (ply >= MAX_PLY).then(|| Value::of_position(self.evaluate()))
    }

    /// The value of a draw for the side to move.
    fn draw(&self, ply: usize) -> i32 {
        let value = self.settings.parameters.draw_value;
        if ply.is_multiple_of(2) { value } else { -value }
    }

    /// How the side to move wins at once by its entered king. A king that is one step from the square of the try rule
    /// is in the camp too.
    fn entering_king_win(&self) -> Option<EnteringKingWin> {
        if !self.has_entered(self.line.position.side_to_move()) {
            return None;
        }
        self.line.position.entering_king_win(self.line.rules.entering_king)
    }

    /// Whether the move before took a king to the square of the try rule. Only the root does not know that its side to
    /// move wins so.
    fn is_lost_by_try(&self, ply: usize) -> bool {
        let them = !self.line.position.side_to_move();
        ply == 1
            && self.line.rules.entering_king.try_square(them).is_some_and(|square| {
                self.line.position.king_square(them) == Some(square)
                    && self.line.frames[0].mv.is_some_and(|mv| mv.to() == square)
            })
    }

    /// Whether the king of a side is in the enemy's camp, where it may win. The evaluation does not consider that.
    pub(in crate::search) fn has_entered(&self, side: Color) -> bool {
        let king = self.line.position.king_square(side);
        self.line.rules.entering_king != EnteringKingRule::None
            && king.is_some_and(|king| Bitboard::camp_against(side).contains(king))
    }
}
