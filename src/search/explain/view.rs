//! An explanation as it is handed out: plain data, scores for the side to move at the node, costs and budgets in
//! units, interest in sixteenths of a point.

use crate::search::trace::{Early, Protection, Step};
use crate::search::{Bound, Exchange, Part, Score};
use crate::shogi::{Move, Position};

/// A search and what it made of every move of its root, or of an inner node.
#[derive(Debug)]
pub struct Explanation {
    /// The result of the search.
    pub search: Overview,
    /// The root, or the inner node that was asked for.
    pub node: NodeView,
}

/// The result of the search of the root.
#[derive(Debug)]
pub struct Overview {
    /// Positions looked at.
    pub nodes: u64,
    /// Limits of the completed iterations, in units.
    pub limits: Vec<i32>,
    /// Limit of the iteration that was begun and not completed.
    pub unfinished: Option<i32>,
    /// Nominal depth of the last completed iteration, in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub seldepth: u32,
    /// The best move was found in that one.
    pub best_unfinished: bool,
    /// The best move is the first one of a mate that the mate search at the root has proven.
    pub best_proven: bool,
    /// The best move stands for one that the mate search has proven to lose; the score is what that one had.
    pub best_stands_in: bool,
    /// For the side to move at the root.
    pub score: Score,
    /// The line found, best move first.
    pub pv: Vec<Move>,
}

/// A node and its moves.
#[derive(Debug)]
pub struct NodeView {
    /// The position of the node.
    pub position: Position,
    /// The moves that lead to it from the root of the search; empty for the root itself.
    pub line: Vec<Move>,
    /// Whether it is taken for a node of the principal variation.
    pub pv: bool,
    /// Limit of the iteration that is shown.
    pub limit: i32,
    /// Budgets of the side to move and of the other one.
    pub budgets: (i32, i32),
    /// The window it is searched with.
    pub window: (i32, i32),
    /// The static evaluation; `None` in check.
    pub eval: Option<i32>,
    /// The score of the node; `None` if its search was not completed.
    pub score: Option<(Score, Bound)>,
    /// Positions looked at below it.
    pub nodes: u64,
    /// The sum of interest that shares are of.
    pub sum: i64,
    /// How costs come about here.
    pub scale: ScaleView,
    /// The iteration left the penalties out.
    pub penalty_pause: bool,
    /// After a fall of the score: moves of little interest near the root cost less.
    pub panic: bool,
    /// What ends the node before its moves are listed, with the score; an explanation goes on all the same where
    /// there is anything to see.
    pub early: Vec<(Early, Score)>,
    /// All legal moves, by rank.
    pub moves: Vec<MoveView>,
}

/// How costs come about at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScaleView {
    /// Where costs come from.
    pub kind: ScaleKind,
    /// The cost of a thousandth of the interest.
    pub k: i64,
    /// The least and the most a move costs before the factors.
    pub bounds: (i32, i32),
    /// Factor on what exceeds 100, in 256ths.
    pub depth: i32,
    /// Factor on nodes beyond the nominal length of the iteration, in 1600ths.
    pub beyond: i32,
    /// What of a charge the other side pays too, in percent.
    pub cross: i32,
    /// What of the cost of the moves before it makes a move dearer to afford, in thousandths.
    pub ply_weight: i32,
    /// What a move that raised the value is charged at most when it is searched again.
    pub research: Option<i32>,
    /// At the root no move is charged more than this.
    pub cap: Option<i32>,
}

/// Where costs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScaleKind {
    /// Reciprocal to the share of interest.
    Reciprocal,
    /// By the logarithm of the share.
    Log,
    /// Reciprocal to interest itself, without bounds.
    Letter,
    /// Every move costs the same.
    Plain,
}

/// A legal move of the node.
#[derive(Debug)]
pub struct MoveView {
    /// The move.
    pub mv: Move,
    /// Its place, from 1: at the root the best move, then by nodes, as the next iteration would
    /// take them; elsewhere as picked.
    pub rank: usize,
    /// Its place by interest, from 1.
    pub interest_rank: usize,
    /// Letter, number and name of each generator of plausible moves that makes it.
    pub generators: Vec<(&'static str, &'static str)>,
    /// As a plausible move, in points.
    pub merit: i32,
    /// What the exchange on its target square comes to.
    pub exchange: Exchange,
    /// The exchange value in centipawns.
    pub see: i32,
    /// What each term adds to its interest.
    pub parts: Vec<Part>,
    /// The sum of the parts.
    pub interest: i32,
    /// What similar moves searched before have left of it.
    pub effective: i32,
    /// Its effective interest in thousandths of the sum of the node.
    pub share: i64,
    /// Its cost on the way.
    pub cost: CostView,
    /// What the search did with it.
    pub fate: Fate,
    /// Its searches, in order: one for each iteration and window.
    pub runs: Vec<Run>,
    /// The one whose result is shown: the last one of the last completed iteration, or the one that made it the
    /// best move after that.
    pub shown: Option<usize>,
    /// The reply in the table.
    pub reply: Option<Move>,
}

impl MoveView {
    /// The search of the move whose result is shown.
    pub fn result(&self) -> Option<&Run> {
        self.shown.and_then(|at| self.runs.get(at))
    }
}

/// A move's cost on the way, in units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CostView {
    /// By its share alone.
    pub raw: i64,
    /// Within the bounds.
    pub base: i32,
    /// After the depth scale.
    pub scaled: i32,
    /// After the factor for nodes beyond the nominal length.
    pub cost: i32,
    /// What the search took: the same but for exceptions (the cap of the root, a hash move, a single evasion, the
    /// reserve).
    pub taken: i32,
}

/// What the search did with a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was searched; `protection` if the budget did not afford it.
    Searched(Option<Protection>),
    /// The mate search at the root has proven this score, a mate or a loss by one; it need not be searched any more.
    Proven(Score),
    /// Its cost and what its siblings add are over the budget, which ended the list here or before.
    Unaffordable {
        /// What the siblings add.
        late: i32,
    },
    /// This move reached beta before its turn came.
    Unreached(Option<Move>),
    /// In the reserve: promoting always beats it.
    Needless,
    /// In the reserve: no generator makes it, or its merit is too small.
    Implausible,
    /// In the reserve: a late or hopeless quiet move (modern baseline).
    Pruned,
    /// In the reserve: its threat takes an own move that the budget does not afford.
    Gated,
    /// The node ended before its moves were looked at.
    NodeEnded,
    /// The search was stopped before its turn.
    Stopped,
}

/// One search of a move.
#[derive(Debug, Clone)]
pub struct Run {
    /// Number of the iteration, from 1; 0 at an inner node.
    pub iteration: usize,
    /// Limit of the iteration.
    pub limit: i32,
    /// The iteration was completed.
    pub complete: bool,
    /// Its place in the order of search, from 1.
    pub place: usize,
    /// The window.
    pub window: (i32, i32),
    /// Its cost.
    pub cost: i32,
    /// Costs of the moves searched before it.
    pub siblings: i32,
    /// What these add before it is affordable.
    pub late: i32,
    /// What it is charged at first.
    pub charge: i32,
    /// Budgets after it, its mover first.
    pub after: (i32, i32),
    /// Its score.
    pub score: Score,
    /// Whether that is exact.
    pub bound: Bound,
    /// Nodes of its subtree.
    pub nodes: u64,
    /// Each search of it: again where it raised the value.
    pub steps: Vec<Step>,
}
