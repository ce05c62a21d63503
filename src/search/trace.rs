//! The notes that a search takes while it is being explained.
//!
//! A normal search takes none: [`Trace::ply`] is then a ply that no node has, and is compared first.

use super::interest::NodeBreakdown;
use super::value::Value;
use super::window::Window;
use crate::shogi::Move;

/// Notes on the root (ply 0) or on one inner node that is searched for its own sake.
#[derive(Debug)]
pub(super) struct Trace {
    /// The ply that notes are taken of.
    pub(super) ply: usize,
    /// The rule about the evaluation that applied last.
    pub(super) settled: Settled,
    /// Searches of the move that is being searched.
    steps: Vec<Step>,
    /// The root's iterations, in order.
    pub(super) iterations: Vec<Iteration>,
    /// Moves of the root that the mate search has proven to mate or to lose, with the score.
    pub(super) proven: Vec<(Move, i32)>,
    /// The inner node.
    pub(super) node: NodeNotes,
}

/// A ply that no node has.
const NOWHERE: usize = usize::MAX;

impl Default for Trace {
    fn default() -> Self {
        Self {
            ply: NOWHERE,
            settled: Settled::Nothing,
            steps: Vec::new(),
            iterations: Vec::new(),
            proven: Vec::new(),
            node: NodeNotes::default(),
        }
    }
}

/// One iteration of the root.
#[derive(Debug)]
pub(super) struct Iteration {
    pub(super) limit: i32,
    /// Moves of little interest near the root are cheaper.
    pub(super) panic: bool,
    /// Penalties are left out.
    pub(super) penalty_pause: bool,
    /// The interest of the root's moves as it was then, and the best move of the iteration before.
    pub(super) breakdown: NodeBreakdown,
    pub(super) best_before: Option<Move>,
    /// Each window that was tried.
    pub(super) tries: Vec<Try>,
    /// The moves as they stood at its end; empty if it was not completed.
    pub(super) order: Vec<Move>,
}

/// The root's moves searched with one window.
#[derive(Debug)]
pub(super) struct Try {
    pub(super) window: Window,
    pub(super) moves: Vec<MoveNotes>,
}

/// One move that was searched.
#[derive(Debug, Clone)]
pub(super) struct MoveNotes {
    pub(super) mv: Move,
    /// Effective interest when it was picked; `None` for a move searched before the list was made, and at the root.
    pub(super) effective: Option<i32>,
    pub(super) cost: i32,
    /// Costs of the moves searched before it.
    pub(super) siblings: i32,
    /// What it is charged when it is first searched.
    pub(super) charge: i32,
    pub(super) window: Window,
    pub(super) score: i32,
    pub(super) nodes: u64,
    pub(super) steps: Vec<Step>,
    /// Why it was searched though the budget did not afford it.
    pub(super) protection: Option<Protection>,
}

/// One search of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What the move was charged, in units.
    pub charge: i32,
    /// The score it came back with, for the side that moved.
    pub score: i32,
    /// Its window was no null window.
    pub open: bool,
}

/// Why a move is searched though the budget does not afford it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// A node that was entered searches one move.
    First,
    /// One of the first evasions.
    Evasion,
    /// One of the first moves of a node on the principal variation.
    Principal,
    /// Everything so far loses by force.
    AllLost,
    /// A capture, promotion or threat on the principal variation.
    Plausible,
    /// An answer to a forcing move.
    Reply,
    /// It comes from the reserve.
    Reserve,
}

/// What would have ended the node before its moves were listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Early {
    /// Repetition, the longest game, a declared win.
    Rules,
    /// The table has a score for these budgets.
    Table,
    /// The side to move has no budget left: quiescence.
    Leaf,
    /// The static evaluation is far above the window.
    StaticNull,
    /// The side to move may even pass.
    NullMove,
    /// This move mates.
    MateInOne(Move),
}

/// The rule about the evaluation that applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Settled {
    #[default]
    Nothing,
    StaticNull,
    NullMove,
}

impl Settled {
    /// The same as an end of the node.
    pub(super) const fn as_early(self) -> Early {
        match self {
            Self::Nothing | Self::StaticNull => Early::StaticNull,
            Self::NullMove => Early::NullMove,
        }
    }
}

/// Notes of an inner node.
#[derive(Debug, Default)]
pub(super) struct NodeNotes {
    /// What would have ended it, with the score.
    pub(super) early: Vec<(Early, i32)>,
    /// The moves as they were listed.
    pub(super) listed: Option<NodeBreakdown>,
    pub(super) moves: Vec<MoveNotes>,
    /// The first move that the budget did not afford, and those after it, with effective interest and cost.
    pub(super) unaffordable: Vec<(Move, i32, i32)>,
    /// What the siblings added when the budget ended the list.
    pub(super) late: i32,
    /// Not reached, since a move before them reached beta.
    pub(super) unreached: Vec<(Move, i32, i32)>,
    /// Set aside by a rule of the modern baseline; by the rule about slow moves.
    pub(super) pruned: Vec<Move>,
    pub(super) gated: Vec<Move>,
    /// Left in the reserve, those above included.
    pub(super) reserve: Vec<Move>,
    /// What the next move that is searched was picked with.
    picked: Option<(i32, Option<Protection>)>,
}

impl Trace {
    /// Takes notes of this ply from now on.
    pub(super) fn begin(&mut self, ply: usize) {
        self.ply = ply;
        // What was being searched when a search was stopped.
        self.steps.clear();
    }

    /// Takes no more notes.
    pub(super) const fn end(&mut self) {
        self.ply = NOWHERE;
    }

    /// The mate search has proven a move of the root to mate or to lose.
    #[cold]
    pub(super) fn prove(&mut self, mv: Move, score: i32) {
        self.proven.push((mv, score));
    }

    /// Something would end the node with this score.
    #[cold]
    pub(super) fn early(&mut self, early: Early, score: i32) {
        self.node.early.push((early, score));
    }

    /// A move was searched.
    #[cold]
    pub(super) fn step(&mut self, charge: i32, value: Value, open: bool) {
        self.steps.push(Step { charge, score: value.score, open });
    }

    /// An inner node picked a move of this effective interest.
    #[cold]
    pub(super) fn pick(&mut self, effective: i32, protection: Option<Protection>) {
        self.node.picked = Some((effective, protection));
    }

    /// An inner node's move comes from the reserve.
    #[cold]
    pub(super) fn pick_from_reserve(&mut self) {
        self.node.picked = Some((0, Some(Protection::Reserve)));
    }

    /// A rule sets a move aside; `gated`: the one about slow moves.
    #[cold]
    pub(super) fn set_aside(&mut self, mv: Move, gated: bool) {
        let places = if gated { &mut self.node.gated } else { &mut self.node.pruned };
        places.push(mv);
    }

    /// The budget ends the list with this move.
    #[cold]
    pub(super) fn unaffordable(&mut self, mv: Move, effective: i32, cost: i32, late: i32) {
        self.node.unaffordable.push((mv, effective, cost));
        self.node.late = late;
    }

    /// A move was searched to its end.
    #[cold]
    pub(super) fn searched(&mut self, searched: &SearchedMove) {
        let &SearchedMove { mv, cost, siblings, charge, window, score, nodes } = searched;
        let steps = std::mem::take(&mut self.steps);
        let picked = self.node.picked.take();
        let notes = MoveNotes {
            mv,
            effective: picked.map(|(effective, _)| effective),
            cost,
            siblings,
            charge,
            window,
            score,
            nodes,
            steps,
            protection: picked.and_then(|(_, protection)| protection),
        };
        if self.ply > 0 {
            self.node.moves.push(notes);
        } else if let Some(last) = self.iterations.last_mut().and_then(|i| i.tries.last_mut()) {
            last.moves.push(notes);
        }
    }

    /// The root's moves are searched with this window.
    #[cold]
    pub(super) fn try_window(&mut self, window: Window) {
        if let Some(iteration) = self.iterations.last_mut() {
            iteration.tries.push(Try { window, moves: Vec::new() });
        }
    }

    /// The iteration is over; its moves in their order now.
    #[cold]
    pub(super) fn complete(&mut self, order: impl Iterator<Item = Move>) {
        if let Some(iteration) = self.iterations.last_mut() {
            iteration.order = order.collect();
        }
    }
}

/// A move that was searched.
#[derive(Debug)]
pub(super) struct SearchedMove {
    pub(super) mv: Move,
    pub(super) cost: i32,
    pub(super) siblings: i32,
    pub(super) charge: i32,
    pub(super) window: Window,
    pub(super) score: i32,
    pub(super) nodes: u64,
}
