//! Explains an inner node by searching it once more, with the tables that the search has filled.

use super::assemble::{cost_formula, move_run, move_view, score_bound, set_ranks, table_reply};
use super::view::{MoveStatus, MoveView, NodeView};
use crate::search::{
    SearchLimits,
    cost::{Budgets, CostFunction, CostKind},
    interest::{NodeBreakdown, Place},
    kind::Experimental,
    line::RootLine,
    trace::{MoveTrace, NodeTrace},
    value::{INFINITE, mate_from_ply, to_score},
    window::Window,
    worker::Worker,
};
use kyomi_shogi::{Move, Undo};

/// An inner node.
#[derive(Debug, Clone, Default)]
pub struct InnerNode {
    /// The moves that lead to it, at least one.
    pub line: Vec<Move>,
    /// Budgets of the side to move and of the other side, in units. By default the budgets that the moves of the line
    /// leave.
    pub budgets: Option<(i32, i32)>,
    /// Whether to search it as a node of the principal variation, with an open window.
    pub pv: bool,
}

/// Searches the node at the end of the line and explains it. It uses the tables that the search has filled, and the
/// limit of its last completed iteration.
pub(super) fn inner(
    worker: &mut Worker<Experimental>,
    request: &InnerNode,
    best_line: &RootLine,
    limits: &SearchLimits,
) -> NodeView {
    worker.control.limit = best_line.limit.max(worker.settings.costs.min);
    worker.control.aborted = false;
    worker.control.score_fell = false;
    worker.control.time_manager = None;
    // The given budgets may be larger than those in the search: the node gets at most as many nodes as the search.
    let most = worker
        .control
        .nodes
        .saturating_add(limits.nodes.unwrap_or(worker.control.nodes).max(LEAST_NODES));
    worker.control.limit_nodes(most);
    let (mut budgets, played) = play_line(worker, &request.line, best_line.limit);
    if let Some((us, them)) = request.budgets {
        budgets = Budgets { us, them };
    }
    let ply = request.line.len();
    let score = if ply.is_multiple_of(2) { best_line.score } else { -best_line.score };
    let window = if request.pv {
        Window::full()
    } else if ply.is_multiple_of(2) {
        Window::null(score.min(INFINITE - 1))
    } else {
        Window::null(score.max(1 - INFINITE) - 1)
    };
    let view = search_node(worker, request, budgets, window);
    for (mv, undo) in played.into_iter().rev() {
        worker.line.unmake(mv, undo);
    }
    view
}

const LEAST_NODES: u64 = 10_000;

/// Plays the line. Returns the budgets at its end if each of its moves is the first at its node, and the moves to take
/// back.
fn play_line(
    worker: &mut Worker<Experimental>,
    line: &[Move],
    limit: i32,
) -> (Budgets, Vec<(Move, Undo)>) {
    let mut budgets = Budgets::whole(limit);
    let mut played = Vec::new();
    for (ply, &mv) in line.iter().enumerate() {
        let cost = line_move_cost(worker, ply, mv, budgets);
        budgets = worker.settings.costs.after(budgets, worker.settings.costs.charge(cost, 0));
        let undo = worker.make(ply, mv);
        played.push((mv, undo));
    }
    (budgets, played)
}

/// The cost of a move of the line.
fn line_move_cost(worker: &Worker<Experimental>, ply: usize, mv: Move, budgets: Budgets) -> i32 {
    if ply == 0
        && let Some(traced) = worker.trace.iterations.iter().rev().find_map(|iteration| {
            let last = iteration.windows.last().filter(|_| !iteration.order.is_empty())?;
            last.moves.iter().find(|traced| traced.searched.mv == mv)
        })
    {
        return traced.searched.cost;
    }
    let hash = worker.table.probe(worker.line.position.key(), ply).and_then(|found| found.mv);
    let hash = hash.filter(|&mv| worker.line.position.is_legal(mv));
    let node = worker.break_down(ply, hash, false, budgets);
    let Some(scored) = node.moves.iter().find(|scored| scored.mv == mv) else {
        return worker.settings.costs.min;
    };
    if worker.settings.costs.kind == CostKind::Plain {
        return worker.settings.costs.plain(scored.check, scored.capture);
    }
    if scored.place != Place::Listed {
        return worker.settings.costs.reserve;
    }
    CostFunction::new(&worker.settings.costs, node.sum, budgets, ply, worker.control.limit, false)
        .cost(scored.interest)
}

/// Searches the worker's position and explains it.
fn search_node(
    worker: &mut Worker<Experimental>,
    request: &InnerNode,
    budgets: Budgets,
    window: Window,
) -> NodeView {
    let ply = request.line.len();
    let before = worker.control.nodes;
    worker.trace.begin(ply);
    let value = worker.search(window, budgets, ply);
    worker.trace.end();
    let completed = !worker.control.aborted;
    let mut traced = std::mem::take(&mut worker.trace.node);
    let breakdown = traced.listed.take().unwrap_or_else(|| {
        let found = worker.table.probe(worker.line.position.key(), ply);
        let hash = found.and_then(|found| found.mv).filter(|&mv| worker.line.position.is_legal(mv));
        worker.break_down(ply, hash, request.pv, budgets)
    });
    let costs = worker.settings.costs.clone();
    let cost_function =
        CostFunction::new(&costs, breakdown.sum, budgets, ply, worker.control.limit, false);
    let moves = moves(worker, &traced, &breakdown, &cost_function, budgets, ply);
    NodeView {
        position: worker.line.position.clone(),
        line: request.line.clone(),
        pv: request.pv,
        limit: worker.control.limit,
        budgets: (budgets.us, budgets.them),
        window: (window.alpha, window.beta),
        eval: (!worker.line.position.in_check()).then(|| worker.evaluate()),
        score: completed
            .then(|| (to_score(mate_from_ply(value.score, ply)), score_bound(value.score, window))),
        nodes: worker.control.nodes - before,
        sum: breakdown.sum,
        formula: cost_formula(worker, &cost_function, None),
        penalty_pause: false,
        score_fell: false,
        early: traced
            .early
            .iter()
            .map(|(early, score)| (*early, to_score(mate_from_ply(*score, ply))))
            .collect(),
        moves,
    }
}

fn moves(
    worker: &Worker<Experimental>,
    traced: &NodeTrace,
    breakdown: &NodeBreakdown,
    cost_function: &CostFunction<'_>,
    budgets: Budgets,
    ply: usize,
) -> Vec<MoveView> {
    let mut views = Vec::new();
    let cutter =
        traced.moves.last().filter(|last| last.searched.score >= last.searched.window.beta);
    for scored in &breakdown.moves {
        let place = traced.moves.iter().position(|traced| traced.searched.mv == scored.mv);
        let unsearched = Unsearched::find(traced, scored.mv);
        let effective = place
            .and_then(|at| traced.moves[at].effective)
            .filter(|effective| *effective > 0)
            .or_else(|| unsearched.map(|left| left.effective))
            .unwrap_or(scored.interest);
        let mut view =
            move_view(scored, scored.parts.clone(), scored.interest, effective, cost_function);
        if worker.settings.costs.kind == CostKind::Plain {
            view.cost.taken = worker.settings.costs.plain(scored.check, scored.capture);
        }
        if let Some(at) = place {
            let move_trace: &MoveTrace = &traced.moves[at];
            let mut run = move_run(move_trace, budgets, worker, ply);
            run.place = at + 1;
            view.rank = at + 1;
            view.cost.taken = move_trace.searched.cost;
            view.status = MoveStatus::Searched(move_trace.protection);
            view.runs.push(run);
            view.shown = Some(0);
            view.reply = table_reply(worker, scored.mv, ply);
        } else if let Some(unsearched) = unsearched {
            view.status = unsearched.status(traced, cutter);
        } else if let (Some(cutter), MoveStatus::NodeEnded) = (cutter, view.status) {
            view.status = MoveStatus::Unreached(Some(cutter.searched.mv));
        }
        views.push(view);
    }
    views.sort_by_key(|view| {
        let listed =
            !matches!(view.status, MoveStatus::NeedlessNonPromotion | MoveStatus::Implausible);
        (view.rank, !listed, std::cmp::Reverse(view.effective), view.mv.to_bits())
    });
    set_ranks(&mut views);
    views
}

/// A move that was listed, but not searched.
#[derive(Clone, Copy)]
struct Unsearched {
    effective: i32,
    affordable: bool,
}

impl Unsearched {
    fn find(traced: &NodeTrace, mv: Move) -> Option<Self> {
        let among = |all: &[(Move, i32, i32)], affordable| {
            let found = all.iter().find(|left| left.0 == mv)?;
            Some(Self { effective: found.1, affordable })
        };
        among(&traced.unaffordable, false).or_else(|| among(&traced.unreached, true))
    }

    fn status(self, traced: &NodeTrace, cutter: Option<&MoveTrace>) -> MoveStatus {
        if self.affordable {
            MoveStatus::Unreached(cutter.map(|cutter| cutter.searched.mv))
        } else {
            MoveStatus::Unaffordable { sibling_surcharge: traced.sibling_surcharge }
        }
    }
}
