//! The df-pn search: a node, its children, and their proof and disproof numbers.

use std::time::Instant;

use super::super::StopFlag;
use super::super::mate_in_one::find_mate_in_one;
use super::hands;
use super::table::{HORIZON, INFINITE, NO_PLY, PathNode, ProofEntry, ProofTable};
use kyomi_shogi::{
    Bitboard, Color, Hand, MAX_MOVES, Move, MoveList, Piece, PieceKind, Position, Square,
};

/// The longest line searched, in plies.
pub(super) const MAX_PLIES: usize = 400;
/// The largest number of moves of all nodes of a line together.
const MAX_CHILDREN: usize = 64 * 1024;
/// The number of positions between two checks of the clock and the stop flag.
const CHECK_INTERVAL: u64 = 256;

/// A move of a node on the line, and the known numbers of the position after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Child {
    pub(super) mv: Move,
    /// Whether it is searched only after the move before it in the list has failed, since it is probably no better than
    /// that move.
    deferred: bool,
    /// Whether its numbers are not set yet.
    is_new: bool,
    node: PathNode,
    /// The entry of the position after the move, except that its hand is the one needed before the move.
    pub(super) found: ProofEntry,
}

/// The numbers of a node from those of its children, for its side to move: the minimum of one number (phi of df-pn) and
/// the sum of the other one (delta).
struct Sums {
    /// The index of the child with the minimum.
    best: usize,
    least: u32,
    /// The second smallest.
    second: u32,
    sum: u32,
}

/// The state of a search, and the memory that is kept between searches.
#[derive(Debug)]
pub(super) struct Solver {
    pub(super) table: ProofTable,
    /// Children of all nodes on the line. Those of the last node are at the end.
    pub(super) children: Vec<Child>,
    /// The positions of the line.
    pub(super) line: Vec<PathNode>,
    pub(super) attacker: Color,
    /// Number of positions searched.
    pub(super) nodes: u64,
    node_limit: u64,
    pub(super) deadline: Option<Instant>,
    pub(super) stop: StopFlag,
    /// Whether a limit was reached. Results of nodes are not valid then.
    pub(super) halted: bool,
    next_check: u64,
}

impl Solver {
    pub(super) fn new(bytes: u64) -> Self {
        Self {
            table: ProofTable::new(bytes),
            children: Vec::with_capacity(MAX_CHILDREN),
            line: Vec::with_capacity(MAX_PLIES),
            attacker: Color::Black,
            nodes: 0,
            node_limit: u64::MAX,
            deadline: None,
            stop: StopFlag::new(),
            halted: false,
            next_check: 0,
        }
    }

    /// Prepares for another position and clears the table.
    pub(super) fn begin(&mut self, attacker: Color) {
        self.table.clear();
        self.resume(attacker);
    }

    /// Prepares for another position with the same attacker, for which the stored proofs are still valid.
    pub(super) fn resume(&mut self, attacker: Color) {
        self.children.clear();
        self.line.clear();
        self.attacker = attacker;
        self.nodes = 0;
        self.halted = false;
        self.next_check = 0;
    }

    /// Sets the limit to this number of further positions.
    pub(super) fn allow_nodes(&mut self, nodes: u64) {
        self.node_limit = self.nodes.saturating_add(nodes);
        self.halted = false;
        self.next_check = 0;
    }

    /// Searches a position until its proof number reaches `pn` or its disproof number `dn`.
    pub(super) fn search(&mut self, position: &mut Position, pn: u32, dn: u32) -> ProofEntry {
        let ply = self.line.len();
        let first = self.children.len();
        if ply >= MAX_PLIES || first + MAX_MOVES > MAX_CHILDREN {
            return ProofEntry::failure(HORIZON);
        }
        let begun = self.nodes;
        let attacking = position.side_to_move() == self.attacker;
        let (least_limit, sum_limit) = if attacking { (pn, dn) } else { (dn, pn) };
        let node = self.path_node(position);
        self.line.push(node);
        self.push_children(position);
        let found = loop {
            let sums = self.sums(position, first);
            if sums.least == 0 || sums.sum == 0 {
                break self.solved_entry(position, first, &sums, ply);
            }
            if self.halted || sums.least >= least_limit || sums.sum >= sum_limit {
                break if attacking {
                    ProofEntry::open(sums.least, sums.sum)
                } else {
                    ProofEntry::open(sums.sum, sums.least)
                };
            }
            let child = self.children[sums.best];
            let (_, share) = numbers(&child.found, attacking);
            // A little more than the second best, so that the search does not switch between the two too often.
            let least = least_limit.min(sums.second.saturating_add(sums.second / 4 + 1));
            let sum = (sum_limit - sums.sum).saturating_add(share).min(INFINITE);
            let (pn, dn) = if attacking { (least, sum) } else { (sum, least) };
            self.search_child(position, sums.best, pn, dn);
        };
        self.line.pop();
        self.children.truncate(first);
        if !self.halted || found.pn == 0 {
            self.table.store(node, &found, self.nodes - begun);
        }
        found
    }

    /// Searches the position after a child's move and stores the result in the child.
    pub(super) fn search_child(&mut self, position: &mut Position, index: usize, pn: u32, dn: u32) {
        let Child { mv, node, .. } = self.children[index];
        let known = self.table.probe(node).filter(|found| found.pn == 0 || found.dn == 0);
        let undo = position.do_move(mv);
        let mut found = match known {
            Some(found) => found,
            None => self.search(position, pn, dn),
        };
        let captured = undo.captured().map(Piece::kind);
        position.undo_move(mv, undo);
        if found.pn == 0 && position.side_to_move() == self.attacker {
            found.hand = hands::before(found.hand, mv, captured);
        }
        self.children[index].found = found;
    }

    /// As [`search_child`](Self::search_child), with at most `nodes` positions, which do not count against the limit.
    pub(super) fn search_child_within(
        &mut self,
        position: &mut Position,
        index: usize,
        nodes: u64,
    ) {
        let left = self.node_limit.saturating_sub(self.nodes);
        self.allow_nodes(nodes);
        self.search_child(position, index, INFINITE, INFINITE);
        self.allow_nodes(left);
    }

    /// Begins a new line, and returns whether the table proves, for every path to the position, that checks alone do
    /// not mate.
    pub(super) fn look_up_failure(&mut self, position: &Position) -> bool {
        self.line.clear();
        let known = self.table.probe(self.path_node(position));
        known.is_some_and(|found| found.dn == 0 && found.depends_on_ply == NO_PLY)
    }

    /// The node of a position at the end of the line.
    pub(super) fn path_node(&self, position: &Position) -> PathNode {
        // Never 0, which stands for any path. The order of the positions matters, since failures refer to plies.
        let path = self.line.last().map_or(1, |last| {
            let before = u64::from(last.path).rotate_left(32);
            let mixed = (last.key ^ u64::from(last.hand.to_bits()) ^ before).wrapping_mul(MIX);
            (mixed >> 32) as u32 | 1
        });
        PathNode { key: position.board_key(), hand: position.hand(self.attacker), path }
    }

    /// Appends the moves of a position as children: checks of the attacker, or answers of the defender.
    pub(super) fn push_children(&mut self, position: &Position) {
        let mut moves = MoveList::new();
        if position.side_to_move() == self.attacker {
            position.checks(&mut moves);
        } else {
            position.evasions(&mut moves);
        }
        // Moves on the board come first, with promotions before the same move without promotion; then the drops, square
        // by square.
        moves.sort_unstable_by_key(|mv| {
            let by_square = if mv.is_drop() { mv.to().index() } else { 0 };
            let from = mv.from().map(Square::index);
            (mv.is_drop(), by_square, from, mv.to().index(), !mv.is_promotion(), mv.to_bits())
        });
        let mut last: Option<Move> = None;
        for &mv in &moves {
            let deferred = last.is_some_and(|last| self.is_probably_no_better(position, last, mv));
            self.children.push(Child {
                mv,
                deferred,
                is_new: true,
                node: PathNode::default(),
                found: ProofEntry::open(1, 1),
            });
            last = Some(mv);
        }
    }

    /// Whether a move is most likely no better than the one before it in the list: another piece interposed on the
    /// same square, or a pawn, bishop or rook that promotes where it need not (or the reverse).
    fn is_probably_no_better(&self, position: &Position, last: Move, mv: Move) -> bool {
        if last.to() != mv.to() {
            return false;
        }
        if last.is_drop() || mv.is_drop() {
            return last.is_drop() && mv.is_drop() && position.side_to_move() != self.attacker;
        }
        let kind = |from| position.piece_on(from).map(Piece::kind);
        last.from() == mv.from()
            && matches!(
                mv.from().and_then(kind),
                Some(PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook)
            )
    }

    /// Computes the sums of the node whose first child has the index `first`. Sets the numbers of new children.
    fn sums(&mut self, position: &mut Position, first: usize) -> Sums {
        let attacking = position.side_to_move() == self.attacker;
        let mut sums = Sums { best: first, least: INFINITE, second: INFINITE, sum: 0 };
        let mut last_failed = false;
        for index in first..self.children.len() {
            if self.children[index].deferred && !last_failed {
                continue;
            }
            if self.children[index].is_new {
                self.init_child(position, index);
            }
            let (least, share) = numbers(&self.children[index].found, attacking);
            last_failed = share == 0;
            if least < sums.least {
                sums.second = sums.least;
                sums.least = least;
                sums.best = index;
                if least == 0 {
                    break;
                }
            } else if least < sums.second {
                sums.second = least;
            }
            sums.sum = sums.sum.saturating_add(share).min(INFINITE - 1);
        }
        sums
    }

    /// Sets the numbers of a new child, without a search of its position.
    pub(super) fn init_child(&mut self, position: &mut Position, index: usize) {
        self.nodes += 1;
        if self.nodes >= self.next_check {
            self.check_limits();
        }
        let mv = self.children[index].mv;
        let attacking = position.side_to_move() == self.attacker;
        let undo = position.do_move(mv);
        let node = self.path_node(position);
        let mut found = match self.repeated(node) {
            Some(ply) => ProofEntry::failure(ply as i16),
            None => match self.table.probe(node) {
                Some(found) => found,
                None if attacking => entry_after_check(position),
                None => entry_after_answer(position),
            },
        };
        let captured = undo.captured().map(Piece::kind);
        position.undo_move(mv, undo);
        if attacking && found.pn == 0 {
            found.hand = hands::before(found.hand, mv, captured);
        }
        let child = &mut self.children[index];
        child.is_new = false;
        child.node = node;
        child.found = found;
    }

    /// The ply of an earlier position of the line with the same board, in which the attacker had at least as much in
    /// hand. Then the attacker gains nothing by the repetition.
    fn repeated(&self, node: PathNode) -> Option<usize> {
        self.line
            .iter()
            .rposition(|before| before.key == node.key && before.hand.contains(node.hand))
    }

    /// The entry of a node that is proven or disproven.
    fn solved_entry(
        &self,
        position: &Position,
        first: usize,
        sums: &Sums,
        ply: usize,
    ) -> ProofEntry {
        let attacking = position.side_to_move() == self.attacker;
        let children = &self.children[first..];
        if attacking && sums.least == 0 {
            let Child { mv, found, .. } = self.children[sums.best];
            return ProofEntry::mate(found.length + 1, found.hand, Some(mv));
        }
        if !attacking && sums.least != 0 {
            let length = children.iter().map(|child| child.found.length + 1).max().unwrap_or(0);
            let needed = children.iter().fold(hands::withheld(position), |hand, child| {
                hands::union(hand, child.found.hand)
            });
            return ProofEntry::mate(length, needed, None);
        }
        let depends_on_ply = if attacking {
            children.iter().map(|child| child.found.depends_on_ply).min().unwrap_or(NO_PLY)
        } else {
            self.children[sums.best].found.depends_on_ply
        };
        // A failure that depends on a repetition of this position, or of one below it, depends on no position before
        // the node.
        ProofEntry::failure(if depends_on_ply >= ply as i16 { NO_PLY } else { depends_on_ply })
    }

    fn check_limits(&mut self) {
        self.next_check = (self.nodes + CHECK_INTERVAL).min(self.node_limit);
        self.halted |= self.nodes >= self.node_limit
            || self.stop.is_stopped()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    }
}

/// An odd number to mix keys with: 2^64 divided by the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The numbers of a child that enter the minimum and the sum of its parent.
fn numbers(found: &ProofEntry, attacking: bool) -> (u32, u32) {
    if attacking { (found.pn, found.dn) } else { (found.dn, found.pn) }
}

/// The first numbers of a position after a check: a mate, or a proof number that grows with the number of answers.
fn entry_after_check(position: &Position) -> ProofEntry {
    let mut moves = MoveList::new();
    position.evasions(&mut moves);
    if moves.is_empty() {
        return ProofEntry::mate(0, hands::withheld(position), None);
    }
    let drops: Bitboard = moves.iter().filter(|mv| mv.is_drop()).map(|mv| mv.to()).collect();
    let steps = moves.iter().filter(|mv| !mv.is_drop()).count() as u32;
    ProofEntry::open((steps + drops.count()).max(1), 1)
}

/// The first numbers of a position after an answer: a mate in one, or not known.
fn entry_after_answer(position: &mut Position) -> ProofEntry {
    let Some(mv) = find_mate_in_one(position) else {
        return ProofEntry::open(1, 1);
    };
    let undo = position.do_move(mv);
    let needed: Hand = hands::withheld(position);
    let captured = undo.captured().map(Piece::kind);
    position.undo_move(mv, undo);
    ProofEntry::mate(1, hands::before(needed, mv, captured), Some(mv))
}
