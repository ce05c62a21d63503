//! What ends a node before its moves are listed: the rules of the game (docs/search.md, section 1.15), static null move
//! and null move (1.12), a mate in one. The test for a singular move is here too, since it also comes before the moves.

use super::moves::Node;
use crate::search::{
    MAX_PLY,
    attack_maps::AttackMaps,
    cost::Budgets,
    kind::SearchKind,
    mate_in_one::mate_in_one,
    node_counts::{NodeEnd, Within},
    position_history::RepetitionResult,
    pruning::{may_pass, null_move_budgets, singular_search, static_null},
    see,
    table::{EntryBound, NewEntry, StoredBudgets, TableHit},
    trace::{EarlyCutoff, EvalCutoff},
    value::{BEFORE_ROOT, MATE_BOUND, Value, is_mate, mated_in, mates_in},
    window::Window,
    worker::{CurrentLine, Worker},
};
use kyomi_shogi::{Bitboard, Color, EnteringKingRule, EnteringKingWin, Move};

impl<K: SearchKind> Worker<K> {
    /// The value of a node that a rule ends: repetition, the move limit of the game, a declared win, or the longest
    /// line.
    pub(in crate::search) fn decided_by_rules(&mut self, ply: usize) -> Option<Value> {
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
        if self.line.is_lost_by_try(ply) {
            return Some(Value::of_position(mated_in(ply)));
        }
        let made = self.line.game_moves + ply as u32;
        if self.line.rules.max_moves.is_some_and(|most| made >= most) {
            let mated = self.line.position.in_check() && !self.line.position.has_legal_move();
            let score = if mated { mated_in(ply) } else { self.draw(ply) };
            return Some(Value { score, depends_on_ply: BEFORE_ROOT });
        }
        if let Some(win) = self.line.entering_king_win() {
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

    /// The value of a node that static null move or null move ends.
    pub(super) fn cutoff_by_eval(
        &mut self,
        eval: i32,
        found: Option<TableHit>,
        window: Window,
        budgets: Budgets,
        ply: usize,
    ) -> Option<Value> {
        let depth = budgets.depth();
        if self.settings.parameters.static_null != 0 {
            let (margin, deepest) = (
                self.settings.parameters.static_null_margin,
                self.settings.parameters.static_null_depth,
            );
            if let Some(score) = static_null(eval, found, window.beta, depth, (margin, deepest)) {
                self.trace.eval_cutoff = EvalCutoff::StaticNull;
                self.count_end(NodeEnd::Static);
                return Some(Value::of_position(score));
            }
        }
        if self.settings.parameters.null_move != 0
            && let Some(value) = self.pass(eval, window, budgets, depth, ply)
        {
            self.trace.eval_cutoff = EvalCutoff::NullMove;
            self.count_end(NodeEnd::Null);
            return Some(value);
        }
        None
    }

    /// Null move: the value of the node if passing reaches beta.
    fn pass(
        &mut self,
        eval: i32,
        window: Window,
        budgets: Budgets,
        depth: i32,
        ply: usize,
    ) -> Option<Value> {
        let after_pass = ply > 0 && self.line.frames[ply - 1].mv.is_none();
        if !may_pass(eval, window.beta, depth, after_pass) {
            return None;
        }
        // Passing proves nothing if the other side then wins material at once.
        if self.loses_after_pass() {
            return None;
        }
        let p = &self.settings.parameters;
        let left = null_move_budgets(budgets, p.null_move_base, p.null_move_share);
        let undo = self.make_null(ply);
        let turned = Budgets { us: left.them, them: left.us };
        let outer = self.begin_within(Within::Pass);
        let value = -self.search(Window::null(window.beta - 1).negated(), turned, ply + 1);
        self.end_within(outer);
        self.line.unmake_null(undo);
        if self.control.aborted || value.score < window.beta {
            return None;
        }
        // Passing proves no mate.
        let score = if is_mate(value.score) { window.beta } else { value.score };
        Some(Value { score, depends_on_ply: value.depends_on_ply })
    }

    /// Whether the other side wins much by a capture if the side to move passes. It counts as no node.
    fn loses_after_pass(&mut self) -> bool {
        let undo = self.line.position.do_null_move();
        let loses = see::can_win(&self.line.position, self.settings.parameters.null_move_threat);
        self.line.position.undo_null_move(undo);
        loses
    }

    /// The value of a mate in one, out of check. Computes the attack maps if they are needed.
    pub(super) fn mate_in_one_value(
        &mut self,
        found: Option<TableHit>,
        node: &Node,
        maps: &mut Option<AttackMaps>,
    ) -> Option<Value> {
        if found.is_none() && self.settings.parameters.mate_in_one != 0 {
            let maps = maps.insert(AttackMaps::of(&self.line.position));
            if let Some(mv) = mate_in_one(&mut self.line.position, &maps.us)
                && self.ends_early(node.ply, EarlyCutoff::MateInOne(mv), mates_in(node.ply + 1))
            {
                return Some(self.found_mate(mv, node));
            }
        }
        None
    }

    /// Stores a move that mates and returns its value.
    fn found_mate(&mut self, mv: Move, node: &Node) -> Value {
        self.count_end(NodeEnd::MateInOne);
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

    /// Searches whether all other moves stay well below the table's score of this one. Then it costs less.
    pub(super) fn test_singular(&mut self, mv: Move, found: &TableHit, node: &Node) -> bool {
        // A node that is explained is searched only once.
        let asked = K::EXPERIMENTAL
            && self.settings.parameters.singular != 0
            && node.ply > 0
            && !node.in_check;
        if !asked || self.is_traced(node.ply) {
            return false;
        }
        let Some(test) = singular_search(found, node.budgets, self.settings.costs.min) else {
            return false;
        };
        self.line.frames[node.ply].excluded = Some(mv);
        let outer = self.begin_within(Within::Exclusion);
        let value = self.search(Window::null(test.beta - 1), test.budgets, node.ply);
        self.end_within(outer);
        self.line.frames[node.ply].excluded = None;
        !self.control.aborted && value.score < test.beta
    }
}

impl CurrentLine {
    /// How the side to move wins at once by its entered king. A king that is one step from the square of the try rule
    /// is in the camp too.
    fn entering_king_win(&self) -> Option<EnteringKingWin> {
        if !self.has_entered(self.position.side_to_move()) {
            return None;
        }
        self.position.entering_king_win(self.rules.entering_king)
    }

    /// Whether the move before took a king to the square of the try rule. Only the root does not know that its side to
    /// move wins so.
    fn is_lost_by_try(&self, ply: usize) -> bool {
        let them = !self.position.side_to_move();
        ply == 1
            && self.rules.entering_king.try_square(them).is_some_and(|square| {
                self.position.king_square(them) == Some(square)
                    && self.frames[0].mv.is_some_and(|mv| mv.to() == square)
            })
    }

    /// Whether the king of a side is in the enemy's camp, where it may win. The evaluation does not consider that.
    pub(in crate::search) fn has_entered(&self, side: Color) -> bool {
        let king = self.position.king_square(side);
        self.rules.entering_king != EnteringKingRule::None
            && king.is_some_and(|king| Bitboard::camp_against(side).contains(king))
    }
}
