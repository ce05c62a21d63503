//! Explains an inner node by searching it once more, with the tables that the search has filled.

use super::assemble::{bound, cost_formula, here, number, of, reply, run};
use super::request::InnerNode;
use super::view::{Fate, MoveView, NodeView};
use crate::search::{
    SearchLimits,
    cost::{Budgets, CostFunction, CostKind},
    interest::{NodeBreakdown, Place},
    kind::Experimental,
    line::RootLine,
    notes::{MoveNotes, NodeNotes},
    value::{INFINITE, to_score},
    window::Window,
    worker::Worker,
};
use crate::shogi::{Move, Undo};

/// Searches the node at the end of the line and explains it. It uses the tables that the search has filled, and the
/// limit of its last completed iteration.
pub(super) fn inner(
    worker: &mut Worker<Experimental>,
    asked: &InnerNode,
    found: &RootLine,
    limits: &SearchLimits,
) -> NodeView {
    worker.limit = found.limit.max(worker.costs.min);
    worker.aborted = false;
    worker.score_fell = false;
    worker.time_manager = None;
    // The given budgets may be larger than those in the search: the node gets at most as many nodes as the search.
    let most = worker.nodes.saturating_add(limits.nodes.unwrap_or(worker.nodes).max(LEAST_NODES));
    worker.limit_nodes(most);
    let (mut budgets, played) = go_to(worker, &asked.line, found.limit);
    if let Some((us, them)) = asked.budgets {
        budgets = Budgets { us, them };
    }
    let ply = asked.line.len();
    let score = if ply.is_multiple_of(2) { found.score } else { -found.score };
    let window = if asked.pv {
        Window::open()
    } else if ply.is_multiple_of(2) {
        Window::null(score.min(INFINITE - 1))
    } else {
        Window::null(score.max(1 - INFINITE) - 1)
    };
    let view = look(worker, asked, budgets, window);
    for (mv, undo) in played.into_iter().rev() {
        worker.unmake(mv, undo);
    }
    view
}

const LEAST_NODES: u64 = 10_000;

/// Plays the line. Returns the budgets at its end if each of its moves is the first at its node, and the moves to take
/// back.
fn go_to(
    worker: &mut Worker<Experimental>,
    line: &[Move],
    limit: i32,
) -> (Budgets, Vec<(Move, Undo)>) {
    let mut budgets = Budgets::whole(limit);
    let mut played = Vec::new();
    for (ply, &mv) in line.iter().enumerate() {
        let cost = cost_of(worker, ply, mv, budgets);
        budgets = worker.costs.after(budgets, worker.costs.charge(cost, 0));
        let undo = worker.make(ply, mv);
        played.push((mv, undo));
    }
    (budgets, played)
}

/// The cost of a move of the line.
fn cost_of(worker: &Worker<Experimental>, ply: usize, mv: Move, budgets: Budgets) -> i32 {
    if ply == 0
        && let Some(notes) = worker.notes.iterations.iter().rev().find_map(|iteration| {
            let last = iteration.tries.last().filter(|_| !iteration.order.is_empty())?;
            last.moves.iter().find(|notes| notes.mv == mv)
        })
    {
        return notes.cost;
    }
    let hash = worker.table.probe(worker.position.key(), ply).and_then(|found| found.mv);
    let hash = hash.filter(|&mv| worker.position.is_legal(mv));
    let node = worker.break_down(ply, hash, false, budgets);
    let Some(taken) = node.moves.iter().find(|taken| taken.mv == mv) else {
        return worker.costs.min;
    };
    if worker.costs.kind == CostKind::Plain {
        return worker.costs.plain(taken.check, taken.capture);
    }
    if taken.place != Place::Listed {
        return worker.costs.reserve;
    }
    let sum = (node.sum, node.moves.len());
    CostFunction::new(&worker.costs, sum, budgets, ply, worker.limit, false).cost(taken.interest)
}

/// Searches the worker's position and explains it.
fn look(
    worker: &mut Worker<Experimental>,
    asked: &InnerNode,
    budgets: Budgets,
    window: Window,
) -> NodeView {
    let ply = asked.line.len();
    let before = worker.nodes;
    worker.notes.begin(ply);
    let value = worker.search(window, budgets, ply);
    worker.notes.end();
    let completed = !worker.aborted;
    let mut notes = std::mem::take(&mut worker.notes.node);
    let breakdown = notes.listed.take().unwrap_or_else(|| {
        let found = worker.table.probe(worker.position.key(), ply);
        let hash = found.and_then(|found| found.mv).filter(|&mv| worker.position.is_legal(mv));
        worker.break_down(ply, hash, asked.pv, budgets)
    });
    let costs = worker.costs.clone();
    let sum = (breakdown.sum, breakdown.moves.len());
    let cost_function = CostFunction::new(&costs, sum, budgets, ply, worker.limit, false);
    let moves = moves(worker, &notes, &breakdown, &cost_function, budgets, ply);
    NodeView {
        position: worker.position.clone(),
        line: asked.line.clone(),
        pv: asked.pv,
        limit: worker.limit,
        budgets: (budgets.us, budgets.them),
        window: (window.alpha, window.beta),
        eval: (!worker.position.in_check()).then(|| worker.evaluate()),
        score: completed.then(|| (to_score(here(value.score, ply)), bound(value.score, window))),
        nodes: worker.nodes - before,
        sum: breakdown.sum,
        formula: cost_formula(worker, &cost_function, None),
        penalty_pause: false,
        score_fell: false,
        early: notes
            .early
            .iter()
            .map(|(early, score)| (*early, to_score(here(*score, ply))))
            .collect(),
        moves,
    }
}

fn moves(
    worker: &Worker<Experimental>,
    notes: &NodeNotes,
    breakdown: &NodeBreakdown,
    cost_function: &CostFunction<'_>,
    budgets: Budgets,
    ply: usize,
) -> Vec<MoveView> {
    let mut views = Vec::new();
    let cutter = notes.moves.last().filter(|last| last.score >= last.window.beta);
    for taken in &breakdown.moves {
        let place = notes.moves.iter().position(|searched| searched.mv == taken.mv);
        let left = Left::of(notes, taken.mv);
        let effective = place
            .and_then(|at| notes.moves[at].effective)
            .filter(|effective| *effective > 0)
            .or_else(|| left.map(|left| left.effective))
            .unwrap_or(taken.interest);
        let mut view = of(taken, taken.parts.clone(), taken.interest, effective, cost_function);
        if worker.costs.kind == CostKind::Plain {
            view.cost.taken = worker.costs.plain(taken.check, taken.capture);
        }
        if let Some(at) = place {
            let searched: &MoveNotes = &notes.moves[at];
            let mut run = run(searched, budgets, worker, ply);
            run.place = at + 1;
            view.rank = at + 1;
            view.cost.taken = searched.cost;
            view.fate = Fate::Searched(searched.protection);
            view.runs.push(run);
            view.shown = Some(0);
            view.reply = reply(worker, taken.mv, ply);
        } else if notes.pruned.contains(&taken.mv) {
            view.fate = Fate::Pruned;
        } else if notes.gated.contains(&taken.mv) {
            view.fate = Fate::Gated;
        } else if let Some(left) = left {
            view.fate = left.fate(notes, cutter);
        } else if let (Some(cutter), Fate::NodeEnded) = (cutter, view.fate) {
            view.fate = Fate::Unreached(Some(cutter.mv));
        }
        views.push(view);
    }
    views.sort_by_key(|view| {
        let listed = !matches!(view.fate, Fate::NeedlessNonPromotion | Fate::Implausible);
        (view.rank, !listed, std::cmp::Reverse(view.effective), view.mv.to_bits())
    });
    number(&mut views);
    views
}

/// A move that was listed, but not searched.
#[derive(Clone, Copy)]
struct Left {
    effective: i32,
    affordable: bool,
}

impl Left {
    fn of(notes: &NodeNotes, mv: Move) -> Option<Self> {
        let find = |all: &[(Move, i32, i32)], affordable| {
            let found = all.iter().find(|left| left.0 == mv)?;
            Some(Self { effective: found.1, affordable })
        };
        find(&notes.unaffordable, false).or_else(|| find(&notes.unreached, true))
    }

    fn fate(self, notes: &NodeNotes, cutter: Option<&MoveNotes>) -> Fate {
        if self.affordable {
            Fate::Unreached(cutter.map(|cutter| cutter.mv))
        } else {
            Fate::Unaffordable { sibling_surcharge: notes.sibling_surcharge }
        }
    }
}
