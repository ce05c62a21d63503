//! The trace of a search: what it did at the root or at one inner node, for explanations.
//!
//! Other searches record no ply: [`SearchTrace::ply`] is then [`UNTRACED`]. Searches of the kind `Experimental` count the
//! places of the moves that cut, and kinds with `COUNTS` count where their nodes go, traced or not.

use super::interest::NodeBreakdown;
use super::node_counts::Counting;
use super::value::Value;
use super::window::Window;
use kyomi_shogi::Move;

/// The trace of the root (ply 0), or of one inner node that is searched separately.
#[derive(Debug)]
pub(super) struct SearchTrace {
    /// The ply that is traced, or [`UNTRACED`].
    pub(super) ply: usize,
    /// The rule of the static evaluation that applied last.
    pub(super) eval_cutoff: EvalCutoff,
    /// The searches so far of the current move.
    steps: Vec<Step>,
    /// The root's iterations, in order.
    pub(super) iterations: Vec<Iteration>,
    /// Moves of the root that the mate search has proven to mate or to lose, with the score.
    pub(super) proven: Vec<(Move, i32)>,
    /// The inner node.
    pub(super) node: NodeTrace,
    /// The places of the moves that cut, since the worker was made.
    pub(super) cuts: CutCounts,
    /// Where the nodes go, since the worker was made.
    pub(super) counting: Counting,
}

/// Numbers of inner nodes in which a move reached beta, by how many moves they searched. Nodes that end before a move is
/// searched do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CutCounts {
    /// Nodes that had no move from the table.
    pub without_table_move: [u64; CUT_RANKS],
    /// Nodes that had one, which most of them search first.
    pub with_table_move: [u64; CUT_RANKS],
}

/// The number of ranks that are counted. The last one includes all larger ranks.
pub const CUT_RANKS: usize = 32;

impl CutCounts {
    /// Counts a node that was cut by the last of this number of moves.
    pub(super) fn count(&mut self, searched: usize, has_table_move: bool) {
        let counts =
            if has_table_move { &mut self.with_table_move } else { &mut self.without_table_move };
        counts[searched.saturating_sub(1).min(CUT_RANKS - 1)] += 1;
    }
}

/// The ply of a search that is not traced; no node has it.
const UNTRACED: usize = usize::MAX;

impl Default for SearchTrace {
    fn default() -> Self {
        Self {
            ply: UNTRACED,
            eval_cutoff: EvalCutoff::Nothing,
            steps: Vec::new(),
            iterations: Vec::new(),
            proven: Vec::new(),
            node: NodeTrace::default(),
            cuts: CutCounts::default(),
            counting: Counting::default(),
        }
    }
}

/// One iteration of the root.
#[derive(Debug)]
pub(super) struct Iteration {
    pub(super) limit: i32,
    /// Whether moves of little interest near the root cost less.
    pub(super) score_fell: bool,
    /// Whether penalties are ignored.
    pub(super) penalty_pause: bool,
    /// The interest of the moves of the root in this iteration, and the best move of the iteration before.
    pub(super) breakdown: NodeBreakdown,
    pub(super) best_before: Option<Move>,
    /// The searches of the iteration, one for each window.
    pub(super) windows: Vec<WindowTrace>,
    /// The order of the moves at its end; empty if it was not completed.
    pub(super) order: Vec<Move>,
}

/// A search of the moves of the root with one window.
#[derive(Debug)]
pub(super) struct WindowTrace {
    pub(super) window: Window,
    pub(super) moves: Vec<MoveTrace>,
}

/// A move that was searched.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchedMove {
    pub(super) mv: Move,
    pub(super) cost: i32,
    /// Costs of the moves searched before it.
    pub(super) siblings_cost: i32,
    /// The charge of its first search.
    pub(super) charge: i32,
    pub(super) window: Window,
    pub(super) score: i32,
    /// The number of nodes of all its searches.
    pub(super) nodes: u64,
}

/// A move that was searched, with why it was searched and how often.
#[derive(Debug, Clone)]
pub(super) struct MoveTrace {
    pub(super) searched: SearchedMove,
    /// Effective interest when it was picked; `None` for a move searched before the list was made, and at the root
    /// unless its moves are picked like those of other nodes.
    pub(super) effective: Option<i32>,
    pub(super) steps: Vec<Step>,
    /// Why it was searched although it was not affordable.
    pub(super) protection: Option<Protection>,
}

/// One search of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// The charge of the move, in units.
    pub charge: i32,
    /// The score of the search, for the side that moved.
    pub score: i32,
    /// Whether its window was wider than a null window.
    pub open: bool,
}

/// Why a move is searched although it is not affordable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// Every node that is no leaf searches one move.
    First,
    /// One of the first evasions.
    Evasion,
    /// One of the first moves of a node on the principal variation.
    Principal,
    /// All moves searched so far lose by force.
    AllLost,
    /// It comes from the reserve.
    Reserve,
}

/// A rule that ends the node before its moves are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlyCutoff {
    /// A repetition, the move limit of the game, or a declared win.
    Rules,
    /// The table has a score for these budgets.
    Table,
    /// The budget of the side to move is below the least cost: quiescence search.
    Leaf,
    /// The static evaluation is far above beta.
    StaticNull,
    /// The side to move reaches beta even if it passes.
    NullMove,
    /// This move mates.
    MateInOne(Move),
}

/// The rule of the static evaluation that applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum EvalCutoff {
    #[default]
    Nothing,
    StaticNull,
    NullMove,
}

impl EvalCutoff {
    /// The rule as one that ends the node.
    pub(super) const fn as_early_cutoff(self) -> EarlyCutoff {
        match self {
            Self::Nothing | Self::StaticNull => EarlyCutoff::StaticNull,
            Self::NullMove => EarlyCutoff::NullMove,
        }
    }
}

/// The trace of an inner node.
#[derive(Debug, Default)]
pub(super) struct NodeTrace {
    /// The rules that would have ended the node, with their scores.
    pub(super) early: Vec<(EarlyCutoff, i32)>,
    /// The moves as they were listed.
    pub(super) listed: Option<NodeBreakdown>,
    pub(super) moves: Vec<MoveTrace>,
    /// The first move that was not affordable and the moves after it, with effective interest and cost.
    pub(super) unaffordable: Vec<(Move, i32, i32)>,
    /// The units that siblings added when the budget ended the list.
    pub(super) sibling_surcharge: i32,
    /// Moves not searched because a move before them reached beta, with effective interest and cost.
    pub(super) unreached: Vec<(Move, i32, i32)>,
    /// Moves left in the reserve.
    pub(super) reserve: Vec<Move>,
    /// Effective interest and protection of the move that is searched next.
    picked: Option<(i32, Option<Protection>)>,
}

impl SearchTrace {
    /// Starts to record this ply.
    pub(super) fn begin(&mut self, ply: usize) {
        self.ply = ply;
        // Remove the steps of a move whose search was stopped.
        self.steps.clear();
    }

    /// Stops recording.
    pub(super) const fn end(&mut self) {
        self.ply = UNTRACED;
    }

    /// Records that the mate search has proven a move of the root to mate or to lose.
    #[cold]
    pub(super) fn prove(&mut self, mv: Move, score: i32) {
        self.proven.push((mv, score));
    }

    /// Records a rule that would end the node with this score.
    #[cold]
    pub(super) fn early(&mut self, early: EarlyCutoff, score: i32) {
        self.node.early.push((early, score));
    }

    /// Records one search of the current move.
    #[cold]
    pub(super) fn step(&mut self, charge: i32, value: Value, open: bool) {
        self.steps.push(Step { charge, score: value.score, open });
    }

    /// Records that an inner node picked a move of this effective interest.
    #[cold]
    pub(super) fn pick(&mut self, effective: i32, protection: Option<Protection>) {
        self.node.picked = Some((effective, protection));
    }

    /// Records that the next move of an inner node comes from the reserve.
    #[cold]
    pub(super) fn pick_from_reserve(&mut self) {
        self.node.picked = Some((0, Some(Protection::Reserve)));
    }

    /// Records that the budget ends the list at this move.
    #[cold]
    pub(super) fn unaffordable(
        &mut self,
        mv: Move,
        effective: i32,
        cost: i32,
        sibling_surcharge: i32,
    ) {
        self.node.unaffordable.push((mv, effective, cost));
        self.node.sibling_surcharge = sibling_surcharge;
    }

    /// Records the result of a move.
    #[cold]
    pub(super) fn searched(&mut self, searched: SearchedMove) {
        let picked = self.node.picked.take();
        let traced = MoveTrace {
            searched,
            effective: picked.map(|(effective, _)| effective),
            steps: std::mem::take(&mut self.steps),
            protection: picked.and_then(|(_, protection)| protection),
        };
        if self.ply > 0 {
            self.node.moves.push(traced);
        } else if let Some(last) = self.iterations.last_mut().and_then(|i| i.windows.last_mut()) {
            last.moves.push(traced);
        }
    }

    /// Begins a search of the moves of the root with this window.
    #[cold]
    pub(super) fn begin_window(&mut self, window: Window) {
        if let Some(iteration) = self.iterations.last_mut() {
            iteration.windows.push(WindowTrace { window, moves: Vec::new() });
        }
    }

    /// Records that the iteration is completed, and the order of its moves.
    #[cold]
    pub(super) fn complete(&mut self, order: impl Iterator<Item = Move>) {
        if let Some(iteration) = self.iterations.last_mut() {
            iteration.order = order.collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_counted_by_the_number_of_moves_searched() {
        let mut cuts = CutCounts::default();
        for (searched, has_table_move) in [(1, true), (1, true), (3, false), (40, false)] {
            cuts.count(searched, has_table_move);
        }
        assert_eq!(cuts.with_table_move.iter().sum::<u64>(), 2);
        assert_eq!(cuts.with_table_move[0], 2);
        assert_eq!(cuts.without_table_move.iter().sum::<u64>(), 2);
        assert_eq!((cuts.without_table_move[2], cuts.without_table_move[CUT_RANKS - 1]), (1, 1));
    }
}
