//! The line of a mate that was found, and its check.

use super::super::promotion::{is_needless_non_promotion, promoted_form};
use super::solver::{Child, MAX_PLIES, Solver};
use super::table::INFINITE;
use kyomi_shogi::{Move, Position};

/// The line of a proven mate. The attacker chooses the shortest mate known, the defender the longest, and both promote
/// if that is equally good. Entries that the table has lost are searched again. Returns `None` if a limit is reached.
///
/// `proof_nodes` is the number of positions that the proof took. A promoted form that the proof left out is searched
/// with as many.
pub(super) fn mate_line(
    solver: &mut Solver,
    root: &Position,
    proof_nodes: u64,
) -> Option<Vec<Move>> {
    let form_nodes = proof_nodes.clamp(FORM_NODES.0, FORM_NODES.1);
    let mut position = root.clone();
    let mut line = Vec::new();
    solver.line.clear();
    solver.children.clear();
    while line.len() < MAX_PLIES {
        let mv = if position.side_to_move() == solver.attacker {
            attack(solver, &mut position, form_nodes)?
        } else {
            match defence(solver, &mut position) {
                Defence::Best(mv) => mv,
                Defence::Mated => return Some(line),
                Defence::Unproven => return None,
            }
        };
        let node = solver.path_node(&position);
        solver.line.push(node);
        position.do_move(mv);
        line.push(mv);
    }
    None
}

/// The check with the shortest known mate.
fn attack(solver: &mut Solver, position: &mut Position, form_nodes: u64) -> Option<Move> {
    let shortest = |solver: &Solver| {
        let children = solver.children.iter().enumerate();
        let mates = children.filter(|(_, child)| child.found.pn == 0);
        mates.min_by_key(|(_, child)| child.found.length).map(|(index, _)| index)
    };
    examine_children(solver, position);
    if let Some(index) = shortest(solver) {
        return Some(promoted_if_it_mates(solver, position, index, form_nodes));
    }
    solver.children.clear();
    let found = solver.search(position, INFINITE, INFINITE);
    let mv = found.mv.filter(|_| found.pn == 0)?;
    examine_children(solver, position);
    match shortest(solver) {
        Some(index) => Some(promoted_if_it_mates(solver, position, index, form_nodes)),
        None => Some(mv),
    }
}

/// The move of a child that mates, or its promoted form if that mates in as few plies. If the promoted form is not
/// proven, it is searched with at most `form_nodes` positions.
fn promoted_if_it_mates(
    solver: &mut Solver,
    position: &mut Position,
    index: usize,
    form_nodes: u64,
) -> Move {
    let (mv, length) = (solver.children[index].mv, solver.children[index].found.length);
    let form = promoted_form(position, mv);
    let Some(at) = solver.children.iter().position(|child| Some(child.mv) == form) else {
        return mv;
    };
    if solver.children[at].found.pn != 0 {
        let node = solver.path_node(position);
        solver.line.push(node);
        solver.search_child_within(position, at, form_nodes);
        solver.line.pop();
    }
    let found = solver.children[at].found;
    // The length of a proof is only an upper bound. A needless non-promotion mates in fewer plies only if a pawn drop
    // is involved.
    let needless_non_promotion = is_needless_non_promotion(position, mv);
    if found.pn == 0 && (needless_non_promotion || found.length <= length) {
        solver.children[at].mv
    } else {
        mv
    }
}

/// The least and the largest number of positions to search whether the promoted form of a move mates too.
const FORM_NODES: (u64, u64) = (2000, 50_000);

enum Defence {
    /// The answer with the longest mate.
    Best(Move),
    Mated,
    /// For an answer the proof of the mate was lost and could not be repeated.
    Unproven,
}

fn defence(solver: &mut Solver, position: &mut Position) -> Defence {
    examine_children(solver, position);
    let node = solver.path_node(position);
    for index in 0..solver.children.len() {
        if solver.children[index].found.pn != 0 {
            solver.line.push(node);
            solver.search_child(position, index, INFINITE, INFINITE);
            solver.line.pop();
        }
        if solver.children[index].found.pn != 0 {
            return Defence::Unproven;
        }
    }
    // Of equal answers the first: moves on the board come before drops, and promotions before the same move without
    // promotion.
    let order =
        |child: &&Child| (child.found.length, !is_needless_non_promotion(position, child.mv));
    let longest = solver.children.iter().rev().max_by_key(order);
    longest.map_or(Defence::Mated, |child| Defence::Best(child.mv))
}

/// Lists all children of a position with their numbers.
fn examine_children(solver: &mut Solver, position: &mut Position) {
    solver.children.clear();
    let node = solver.path_node(position);
    solver.line.push(node);
    solver.push_children(position);
    for index in 0..solver.children.len() {
        solver.init_child(position, index);
    }
    solver.line.pop();
}

/// Whether a line is a mate: every move is legal, every move of the side that begins is a check, and the last one
/// mates.
pub fn is_mate_line(position: &Position, line: &[Move]) -> bool {
    let mut position = position.clone();
    for (index, &mv) in line.iter().enumerate() {
        if !position.is_legal(mv) {
            return false;
        }
        position.do_move(mv);
        if index % 2 == 0 && !position.in_check() {
            return false;
        }
    }
    line.len() % 2 == 1 && position.is_checkmate()
}
