//! The data of an explanation. Scores are for the side to move at the node, costs and budgets in units, and interest in
//! sixteenths of a point.

use crate::search::trace::{CutCounts, EarlyCutoff, Protection, Step};
use crate::search::{Bound, Exchange, Part, Score};
use kyomi_shogi::{Move, Position};

/// A search, and what it did with every move of its root or of an inner node.
#[derive(Debug)]
pub struct Explanation {
    /// The result of the search.
    pub search: Overview,
    /// The root, or the requested inner node.
    pub node: NodeView,
}

/// The result of the search of the root.
#[derive(Debug)]
pub struct Overview {
    /// Number of positions searched.
    pub nodes: u64,
    /// Limits of the completed iterations, in units.
    pub limits: Vec<i32>,
    /// Limit of the last iteration, if it was not completed.
    pub unfinished: Option<i32>,
    /// Nominal depth of the last completed iteration, in plies.
    pub depth: u32,
    /// The longest line searched, in plies.
    pub seldepth: u32,
    /// Whether the best move was found in the iteration that was not completed.
    pub best_unfinished: bool,
    /// Whether the best move begins a mate that the mate search at the root has proven.
    pub best_proven: bool,
    /// Whether the best move replaces one that the mate search has proven to lose. The score is then the one that the
    /// losing move had before.
    pub best_is_substitute: bool,
    /// For the side to move at the root.
    pub score: Score,
    /// The line found, best move first.
    pub pv: Vec<Move>,
    /// The places of the moves that cut, of all inner nodes.
    pub cuts: CutCounts,
}

/// A node and its moves.
#[derive(Debug)]
pub struct NodeView {
    /// The position of the node.
    pub position: Position,
    /// The moves that lead to it from the root of the search; empty for the root itself.
    pub line: Vec<Move>,
    /// Whether it is searched as a node of the principal variation.
    pub pv: bool,
    /// Limit of the iteration that is shown.
    pub limit: i32,
    /// Budgets of the side to move and of the other side.
    pub budgets: (i32, i32),
    /// The window it is searched with.
    pub window: (i32, i32),
    /// The static evaluation; `None` in check.
    pub eval: Option<i32>,
    /// The score of the node; `None` if its search was not completed.
    pub score: Option<(Score, Bound)>,
    /// Number of positions searched below it.
    pub nodes: u64,
    /// The sum of the interest of all legal moves.
    pub sum: i64,
    /// The data from which costs are computed.
    pub formula: CostFormula,
    /// Whether the iteration ignored the penalties.
    pub penalty_pause: bool,
    /// Whether moves of little interest near the root cost less, after a fall of the score.
    pub score_fell: bool,
    /// The rules that end the node before its moves are listed, with their scores. An explanation lists the moves in
    /// spite of them, where that is possible.
    pub early: Vec<(EarlyCutoff, Score)>,
    /// All legal moves, by rank.
    pub moves: Vec<MoveView>,
}

/// The data from which the costs of a node are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CostFormula {
    /// The formula of costs.
    pub kind: CostFormulaKind,
    /// The cost of a thousandth of the interest.
    pub k: i64,
    /// The least and the largest cost of a move before the factors.
    pub bounds: (i32, i32),
    /// Factor on the part of a cost above 100, in 256ths.
    pub depth: i32,
    /// Factor for nodes beyond the nominal depth of the iteration, in 1600ths.
    pub beyond: i32,
    /// The part of a charge that the other side also pays, in percent.
    pub cross: i32,
    /// The part of the siblings' cost that is added when a move is tested against the budget, in thousandths.
    pub ply_weight: i32,
    /// The largest charge of a second search of a move that raised the value.
    pub research: Option<i32>,
    /// The largest charge of a move at the root.
    pub cap: Option<i32>,
}

/// The formula of costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CostFormulaKind {
    /// Reciprocal to the share of interest.
    Reciprocal,
    /// Reciprocal to interest itself, without bounds.
    Paper,
    /// Every move costs the same.
    Plain,
}

/// A legal move of the node.
#[derive(Debug)]
pub struct MoveView {
    /// The move.
    pub mv: Move,
    /// Its rank, from 1. At the root the best move is first and the others follow by their number of nodes, in the
    /// order of the next iteration. At inner nodes it is the order of picking.
    pub rank: usize,
    /// Its rank by interest, from 1.
    pub interest_rank: usize,
    /// Letter, number and name of each generator of plausible moves that makes it.
    pub generators: Vec<(&'static str, &'static str)>,
    /// Its merit as a plausible move, in points.
    pub merit: i32,
    /// The result of the exchange on its target square.
    pub exchange: Exchange,
    /// The exchange value in centipawns.
    pub see: i32,
    /// The terms of its interest.
    pub parts: Vec<Part>,
    /// The sum of the parts.
    pub interest: i32,
    /// The effective interest: the interest after the factors for similar moves.
    pub effective: i32,
    /// Its effective interest in thousandths of the sum of the node.
    pub share: i64,
    /// The steps of its cost.
    pub cost: CostView,
    /// What the search did with it.
    pub status: MoveStatus,
    /// Its searches, in order: one for each iteration and window.
    pub runs: Vec<Run>,
    /// The index of the search whose result is shown: the last one of the last completed iteration, or a later one that
    /// made it the best move.
    pub shown: Option<usize>,
    /// The reply in the table.
    pub reply: Option<Move>,
}

impl MoveView {
    /// The amount that a term adds to the interest of the move, by the result of the exchange.
    pub fn amount(&self, part: &Part) -> i32 {
        if self.exchange == Exchange::Bad { part.bad } else { part.good }
    }

    /// The search of the move whose result is shown.
    pub fn result(&self) -> Option<&Run> {
        self.shown.and_then(|at| self.runs.get(at))
    }
}

/// The steps of a move's cost, in units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CostView {
    /// By its share alone.
    pub raw: i64,
    /// Within the bounds.
    pub base: i32,
    /// After the depth scale.
    pub scaled: i32,
    /// After the factor for nodes beyond the nominal depth.
    pub cost: i32,
    /// The cost that the search used. It differs from `cost` at the cap of the root, and for a hash move, a single
    /// evasion and moves of the reserve.
    pub taken: i32,
}

/// What the search did with a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveStatus {
    /// It was searched. The protection is the reason if it was not affordable.
    Searched(Option<Protection>),
    /// The mate search at the root has proven this score, a win or a loss by mate. The move is not searched any more.
    Proven(Score),
    /// Its cost and the addition for its siblings exceed the budget, which ended the list at this move or before.
    Unaffordable {
        /// The units that siblings add.
        sibling_surcharge: i32,
    },
    /// A move before it reached beta: this one, if known.
    Unreached(Option<Move>),
    /// In the reserve: a needless non-promotion, since promotion is always better.
    NeedlessNonPromotion,
    /// In the reserve: no generator makes it, or its merit is too small.
    Implausible,
    /// The node ended before its moves were searched.
    NodeEnded,
    /// The search was stopped before it was searched.
    Stopped,
}

/// One search of a move.
#[derive(Debug, Clone)]
pub struct Run {
    /// Number of the iteration, from 1; 0 at an inner node.
    pub iteration: usize,
    /// Limit of the iteration.
    pub limit: i32,
    /// Whether the iteration was completed.
    pub complete: bool,
    /// Its place in the order of search, from 1.
    pub place: usize,
    /// The window.
    pub window: (i32, i32),
    /// Its cost.
    pub cost: i32,
    /// Costs of the moves searched before it.
    pub siblings_cost: i32,
    /// The units that these add when it is tested against the budget.
    pub sibling_surcharge: i32,
    /// The charge of its first search.
    pub charge: i32,
    /// Budgets after the move, that of the side that moved first.
    pub after: (i32, i32),
    /// Its score.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Nodes of its subtree.
    pub nodes: u64,
    /// Its searches with different charges and windows. There are several if the move raised the value.
    pub steps: Vec<Step>,
}
