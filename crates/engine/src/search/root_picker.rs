//! A root whose moves are picked like those of every other node (`Interest_RootFull false`; docs/search.md, section
//! 1.6).

use super::cost::{Budgets, CostFunction};
use super::kind::SearchKind;
use super::root_move::RootMove;
use super::similar::SearchedMoves;
use super::worker::Worker;
use kyomi_shogi::Move;

/// The data of the root in an iteration.
#[derive(Debug, Clone, Copy)]
pub(super) struct RootInterest {
    /// The sum of the interest of all moves.
    pub(super) sum: i64,
    /// The best move of the last iteration, or before the first one the move of the table.
    pub(super) hash: Option<Move>,
}

/// The moves of the root searched so far.
#[derive(Debug)]
pub(super) struct RootPicker {
    interest: RootInterest,
    /// Whether moves similar to those already searched lose interest.
    similar: bool,
    searched: SearchedMoves,
}

impl RootPicker {
    /// A picker before the first move.
    pub(super) fn new(interest: RootInterest, similar: bool) -> Self {
        Self { interest, similar, searched: SearchedMoves::default() }
    }
}

impl<K: SearchKind> Worker<K> {
    /// Puts the move of largest effective interest first, and sets its cost. Of moves with equal interest it is the one
    /// with the smaller code. Returns its effective interest.
    pub(super) fn pick_at_root(&self, picker: &RootPicker, moves: &mut [RootMove]) -> i32 {
        let effective = |root: &RootMove| {
            if picker.similar && Some(root.mv) != picker.interest.hash {
                picker.searched.effective(&self.line.position, &root.scored)
            } else {
                root.scored.interest
            }
        };
        let order = |root: &RootMove| (effective(root), u16::MAX - root.mv.to_bits());
        let best = moves.iter().enumerate().max_by_key(|(_, root)| order(root));
        let Some((at, interest)) = best.map(|(at, root)| (at, effective(root))) else { return 0 };
        moves[..=at].rotate_right(1);
        if !self.is_plain() {
            let budgets = Budgets::whole(self.control.limit);
            let cost_function = CostFunction::new(
                &self.settings.costs,
                picker.interest.sum,
                budgets,
                0,
                self.control.limit,
                self.control.score_fell,
            );
            moves[0].cost = cost_function.cost(interest);
        }
        interest
    }

    /// Notes that a move of the root has been searched.
    pub(super) fn note_at_root(&self, picker: &mut RootPicker, root: &RootMove) {
        let flags = root.scored.flags;
        picker.searched.note(&self.line.position, root.mv, flags.is_capture(), flags.is_check());
    }
}
