//! The df-pn search itself: one node, its children, its numbers.

use std::time::Instant;

use super::super::StopFlag;
use super::super::mate::find_mate_in_one;
use super::hands;
use super::table::{ALONE, HORIZON, INFINITE, PathNode, ProofEntry, ProofTable};
use crate::shogi::{
    Bitboard, Color, Hand, MAX_MOVES, Move, MoveList, Piece, PieceKind, Position, Square,
};

/// The longest line looked at, in plies.
pub(super) const MAX_PLIES: usize = 400;
/// Moves of all nodes of a line.
const MAX_CHILDREN: usize = 64 * 1024;
/// Positions looked at between two looks at the clock and the stop flag.
const PAUSE: u64 = 256;

/// A move of a node on the line, and what is known of the position after it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Child {
    pub(super) mv: Move,
    /// Looked at only when the move before it in the list has failed its side: the same move in a lesser form.
    chained: bool,
    /// Nothing is known yet.
    fresh: bool,
    place: PathNode,
    /// Of the position after the move, but the hand is what is needed before it.
    pub(super) found: ProofEntry,
}

/// What the children of a node come to, from the view of its side: the number to beat is the least of theirs, the
/// other one their sum.
struct Sums {
    best: usize,
    least: u32,
    second: u32,
    sum: u32,
}

/// One search under way, and the memory that searches share.
#[derive(Debug)]
pub(super) struct Solver {
    pub(super) table: ProofTable,
    /// Children of all nodes on the line, those of the last node at the end.
    pub(super) children: Vec<Child>,
    /// The positions of the line.
    pub(super) line: Vec<PathNode>,
    pub(super) attacker: Color,
    /// Positions looked at.
    pub(super) nodes: u64,
    most_nodes: u64,
    pub(super) deadline: Option<Instant>,
    pub(super) stop: StopFlag,
    /// A limit is reached: what the nodes return is not to be trusted any more.
    pub(super) halted: bool,
    next_pause: u64,
}

impl Solver {
    pub(super) fn new(bytes: u64) -> Self {
        Self {
            table: ProofTable::new(bytes),
            children: Vec::with_capacity(MAX_CHILDREN),
            line: Vec::with_capacity(MAX_PLIES),
            attacker: Color::Black,
            nodes: 0,
            most_nodes: u64::MAX,
            deadline: None,
            stop: StopFlag::new(),
            halted: false,
            next_pause: 0,
        }
    }

    /// Makes ready for another position.
    pub(super) fn begin(&mut self, attacker: Color) {
        self.table.clear();
        self.resume(attacker);
    }

    /// Makes ready for another position with the same attacker as before, whose proofs hold on.
    pub(super) fn resume(&mut self, attacker: Color) {
        self.children.clear();
        self.line.clear();
        self.attacker = attacker;
        self.nodes = 0;
        self.halted = false;
        self.next_pause = 0;
    }

    /// Allows this number of positions more.
    pub(super) fn allow(&mut self, nodes: u64) {
        self.most_nodes = self.nodes.saturating_add(nodes);
        self.halted = false;
        self.next_pause = 0;
    }

    /// Searches a position until one of its numbers reaches its threshold.
    pub(super) fn search(&mut self, position: &mut Position, pn: u32, dn: u32) -> ProofEntry {
        let ply = self.line.len();
        let first = self.children.len();
        if ply >= MAX_PLIES || first + MAX_MOVES > MAX_CHILDREN {
            return ProofEntry::failure(HORIZON);
        }
        let begun = self.nodes;
        let attacking = position.side_to_move() == self.attacker;
        let (least_limit, sum_limit) = if attacking { (pn, dn) } else { (dn, pn) };
        let place = self.place(position);
        self.line.push(place);
        self.expand(position);
        let found = loop {
            let sums = self.sums(position, first);
            if sums.least == 0 || sums.sum == 0 {
                break self.solved(position, first, &sums, ply);
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
            // A little beyond the second best, lest the search goes to and fro between the two.
            let least = least_limit.min(sums.second.saturating_add(sums.second / 4 + 1));
            let sum = (sum_limit - sums.sum).saturating_add(share).min(INFINITE);
            let (pn, dn) = if attacking { (least, sum) } else { (sum, least) };
            self.follow(position, sums.best, pn, dn);
        };
        self.line.pop();
        self.children.truncate(first);
        if !self.halted || found.pn == 0 {
            self.table.store(place, &found, self.nodes - begun);
        }
        found
    }

    /// Searches the position after a child's move and notes what was found.
    pub(super) fn follow(&mut self, position: &mut Position, index: usize, pn: u32, dn: u32) {
        let Child { mv, place, .. } = self.children[index];
        let known = self.table.probe(place).filter(|found| found.pn == 0 || found.dn == 0);
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

    /// Searches the position after a child's move, `nodes` positions at most. They do not count against those still
    /// allowed.
    pub(super) fn try_out(&mut self, position: &mut Position, index: usize, nodes: u64) {
        let left = self.most_nodes.saturating_sub(self.nodes);
        self.allow(nodes);
        self.follow(position, index, INFINITE, INFINITE);
        self.allow(left);
    }

    /// The position as a node below the line.
    pub(super) fn place(&self, position: &Position) -> PathNode {
        // Never 0, which stands for any path. The order matters: failures name plies.
        let path = self.line.last().map_or(1, |last| {
            let before = u64::from(last.path).rotate_left(32);
            let mixed = (last.key ^ u64::from(last.hand.to_bits()) ^ before).wrapping_mul(MIX);
            (mixed >> 32) as u32 | 1
        });
        PathNode { key: position.board_key(), hand: position.hand(self.attacker), path }
    }

    /// Lists the moves: checks of the attacker, answers of the defender.
    pub(super) fn expand(&mut self, position: &Position) {
        let mut moves = MoveList::new();
        if position.side_to_move() == self.attacker {
            position.checks(&mut moves);
        } else {
            position.evasions(&mut moves);
        }
        // Moves on the board first, promotions before the same without; then the drops square by square.
        moves.sort_unstable_by_key(|mv| {
            let by_square = if mv.is_drop() { mv.to().index() } else { 0 };
            let from = mv.from().map(Square::index);
            (mv.is_drop(), by_square, from, mv.to().index(), !mv.is_promotion(), mv.to_bits())
        });
        let mut last: Option<Move> = None;
        for &mv in &moves {
            let chained = last.is_some_and(|last| self.is_lesser(position, last, mv));
            self.children.push(Child {
                mv,
                chained,
                fresh: true,
                place: PathNode::default(),
                found: ProofEntry::open(1, 1),
            });
            last = Some(mv);
        }
    }

    /// Whether a move is most likely no better than the one before it in the list: another piece interposed on the
    /// same square, or a pawn, bishop or rook that promotes where it need not (or the reverse).
    fn is_lesser(&self, position: &Position, last: Move, mv: Move) -> bool {
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

    /// Adds up the children of the node whose first child this is, looking at those that are new.
    fn sums(&mut self, position: &mut Position, first: usize) -> Sums {
        let attacking = position.side_to_move() == self.attacker;
        let mut sums = Sums { best: first, least: INFINITE, second: INFINITE, sum: 0 };
        let mut last_failed = false;
        for index in first..self.children.len() {
            if self.children[index].chained && !last_failed {
                continue;
            }
            if self.children[index].fresh {
                self.look_at(position, index);
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

    /// The numbers of the position after a child's move that is not searched yet.
    pub(super) fn look_at(&mut self, position: &mut Position, index: usize) {
        self.nodes += 1;
        if self.nodes >= self.next_pause {
            self.pause();
        }
        let mv = self.children[index].mv;
        let attacking = position.side_to_move() == self.attacker;
        let undo = position.do_move(mv);
        let place = self.place(position);
        let mut found = match self.repeated(place) {
            Some(ply) => ProofEntry::failure(ply as i16),
            None => match self.table.probe(place) {
                Some(found) => found,
                None if attacking => defended(position),
                None => attacked(position),
            },
        };
        let captured = undo.captured().map(Piece::kind);
        position.undo_move(mv, undo);
        if attacking && found.pn == 0 {
            found.hand = hands::before(found.hand, mv, captured);
        }
        let child = &mut self.children[index];
        child.fresh = false;
        child.place = place;
        child.found = found;
    }

    /// The ply of the line at which this board stood before, the attacker having no less in hand: nothing is won by
    /// coming here again.
    fn repeated(&self, place: PathNode) -> Option<usize> {
        self.line
            .iter()
            .rposition(|before| before.key == place.key && before.hand.contains(place.hand))
    }

    /// What a node comes to once it is decided.
    fn solved(&self, position: &Position, first: usize, sums: &Sums, ply: usize) -> ProofEntry {
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
        let rests_on = if attacking {
            children.iter().map(|child| child.found.rests_on).min().unwrap_or(ALONE)
        } else {
            self.children[sums.best].found.rests_on
        };
        // A repetition of this very position, or of one below it, is the node's own matter.
        ProofEntry::failure(if rests_on >= ply as i16 { ALONE } else { rests_on })
    }

    fn pause(&mut self) {
        self.next_pause = (self.nodes + PAUSE).min(self.most_nodes);
        self.halted |= self.nodes >= self.most_nodes
            || self.stop.is_stopped()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    }
}

/// An odd number to mix keys with: 2^64 by the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// From the view of the side to move before: what it wants the least of, and what adds up.
fn numbers(found: &ProofEntry, attacking: bool) -> (u32, u32) {
    if attacking { (found.pn, found.dn) } else { (found.dn, found.pn) }
}

/// A position after a check: mate, or the more answers the harder to prove.
fn defended(position: &Position) -> ProofEntry {
    let mut moves = MoveList::new();
    position.evasions(&mut moves);
    if moves.is_empty() {
        return ProofEntry::mate(0, hands::withheld(position), None);
    }
    let drops: Bitboard = moves.iter().filter(|mv| mv.is_drop()).map(|mv| mv.to()).collect();
    let steps = moves.iter().filter(|mv| !mv.is_drop()).count() as u32;
    ProofEntry::open((steps + drops.count()).max(1), 1)
}

/// A position after an answer: mate in one, or nothing known.
fn attacked(position: &mut Position) -> ProofEntry {
    let Some(mv) = find_mate_in_one(position) else {
        return ProofEntry::open(1, 1);
    };
    let undo = position.do_move(mv);
    let needed: Hand = hands::withheld(position);
    let captured = undo.captured().map(Piece::kind);
    position.undo_move(mv, undo);
    ProofEntry::mate(1, hands::before(needed, mv, captured), Some(mv))
}
