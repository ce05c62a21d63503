//! Builds the views of an explanation from the trace of a search.

use super::view::{
    CostFormula, CostFormulaKind, CostView, MoveStatus, MoveView, NodeView, Overview, Run,
};
use crate::search::{
    Bound, Part, Score, Term,
    cost::{Budgets, CostFunction, CostKind, CostRules},
    interest::{Breakdown, NodeBreakdown, Place},
    kind::Experimental,
    line::RootLine,
    trace::{Iteration, MoveTrace},
    value::{is_lost, is_won, mate_from_ply, to_score},
    window::Window,
    worker::Worker,
};
use kyomi_shogi::{Move, Position};

/// The result of the search.
pub(super) fn overview(worker: &Worker<Experimental>, best_line: &RootLine) -> Overview {
    let complete = |iteration: &&Iteration| !iteration.order.is_empty();
    let iterations = &worker.trace.iterations;
    let unfinished = iterations.last().filter(|last| last.order.is_empty());
    let best_before = iterations.iter().rev().find_map(|iteration| iteration.order.first());
    let best = best_line.line.first();
    let wins = |(mv, score): &(Move, i32)| Some(mv) == best && is_won(*score);
    let best_proven = worker.trace.proven.iter().any(wins);
    Overview {
        nodes: worker.control.nodes,
        limits: iterations.iter().filter(complete).map(|iteration| iteration.limit).collect(),
        unfinished: unfinished.map(|iteration| iteration.limit),
        best_unfinished: best_before.is_some()
            && best_before != best
            && !best_proven
            && !best_line.is_substitute,
        best_proven,
        best_is_substitute: best_line.is_substitute,
        depth: worker.settings.costs.rounded_nominal_depth(best_line.limit).max(0) as u32,
        seldepth: worker.control.seldepth as u32,
        score: to_score(best_line.score),
        pv: best_line.line.to_vec(),
        cuts: worker.trace.cuts,
    }
}

/// The root after the last completed iteration, or after the first one if none was completed.
pub(super) fn root(worker: &mut Worker<Experimental>, best_line: &RootLine) -> NodeView {
    let iterations = std::mem::take(&mut worker.trace.iterations);
    let complete = iterations.iter().rposition(|iteration| !iteration.order.is_empty());
    let Some(shown) = iterations.get(complete.unwrap_or(0)) else {
        // The search was stopped before it began: everything is shown as not searched.
        let budgets = Budgets::whole(worker.control.limit);
        let breakdown = worker.break_down(0, None, true, budgets);
        return UnsearchedRoot { breakdown, budgets }.view(worker);
    };
    let budgets = Budgets::whole(shown.limit);
    let sum = shown.breakdown.sum;
    let costs = worker.settings.costs.clone();
    let cost_function = CostFunction::new(&costs, sum, budgets, 0, shown.limit, shown.score_fell);
    let view =
        |scored| root_move_view(scored, shown, &iterations, &cost_function, worker, best_line);
    let mut moves: Vec<MoveView> = shown.breakdown.moves.iter().map(view).collect();
    moves.sort_by_key(|view| (view.rank, std::cmp::Reverse(view.interest), view.mv.to_bits()));
    set_ranks(&mut moves);
    let window = shown.windows.last().map_or(OPEN, |last| last.window);
    NodeView {
        position: worker.line.position.clone(),
        line: Vec::new(),
        pv: true,
        limit: shown.limit,
        budgets: (budgets.us, budgets.them),
        window: (window.alpha, window.beta),
        eval: (!worker.line.position.in_check()).then(|| worker.evaluate()),
        score: complete.map(|_| {
            (
                to_score(best_line.score),
                if best_line.is_substitute { Bound::Upper } else { Bound::Exact },
            )
        }),
        nodes: shown
            .windows
            .iter()
            .flat_map(|one| &one.moves)
            .map(|traced| traced.searched.nodes)
            .sum(),
        sum: shown.breakdown.sum,
        formula: cost_formula(worker, &cost_function, worker.settings.root_charge_cap(shown.limit)),
        penalty_pause: shown.penalty_pause,
        score_fell: shown.score_fell,
        early: Vec::new(),
        moves,
    }
}

/// The view of a move of the root in the iteration `shown`. Its rank orders the moves, but is not yet its number.
fn root_move_view(
    scored: &Breakdown,
    shown: &Iteration,
    iterations: &[Iteration],
    cost_function: &CostFunction<'_>,
    worker: &Worker<Experimental>,
    best_line: &RootLine,
) -> MoveView {
    let costs = &worker.settings.costs;
    let bonus = worker.settings.weights.root_best;
    let mut parts = scored.parts.clone();
    let mut interest = scored.interest;
    if Some(scored.mv) == shown.best_before && bonus != 0 && costs.kind != CostKind::Plain {
        parts.push(Part { term: Term::RootBest, good: bonus, bad: bonus });
        interest += bonus;
    }
    let searched = shown
        .windows
        .last()
        .and_then(|last| last.moves.iter().find(|traced| traced.searched.mv == scored.mv));
    let effective = searched.and_then(|traced| traced.effective).unwrap_or(interest);
    let mut view = move_view(scored, parts, interest, effective, cost_function);
    view.cost.taken = match (costs.kind, searched) {
        (_, Some(traced)) => traced.searched.cost,
        (CostKind::Plain, None) => costs.plain(scored.check, scored.capture),
        _ => view.cost.cost.min(worker.settings.root_charge_cap(shown.limit).unwrap_or(i32::MAX)),
    };
    let proven = worker.trace.proven.iter().find(|(mv, _)| *mv == scored.mv);
    view.status = match proven {
        Some((_, score)) => MoveStatus::Proven(to_score(*score)),
        None => root_move_status(scored, shown, searched, costs),
    };
    let nodes = searched.map_or(0, |traced| traced.searched.nodes);
    let lost = proven.is_some_and(|(_, score)| is_lost(*score));
    view.rank = match best_line.line.first() {
        Some(best) if *best == scored.mv => 0,
        _ if lost => usize::MAX,
        _ if shown.order.first() == Some(&scored.mv) => 1,
        _ => usize::MAX - nodes as usize,
    };
    view.runs = move_runs(iterations, scored.mv, worker);
    let last = view.runs.iter().rposition(|run| run.complete);
    let made_best = view.runs.iter().rposition(|run| run.bound != Bound::Upper);
    view.shown = if view.rank == 0 { last.max(made_best) } else { last };
    view.shown = view.shown.or_else(|| view.runs.len().checked_sub(1));
    view.reply = table_reply(worker, scored.mv, 0);
    view
}

/// What the iteration `shown` did with a move of the root that is not proven.
fn root_move_status(
    scored: &Breakdown,
    shown: &Iteration,
    searched: Option<&MoveTrace>,
    costs: &CostRules,
) -> MoveStatus {
    let last = shown.windows.last().and_then(|last| last.moves.last());
    match (searched, last) {
        (Some(_), _) => MoveStatus::Searched(None),
        _ if scored.place == Place::Implausible => MoveStatus::Implausible,
        _ if shown.order.is_empty() => MoveStatus::Stopped,
        (None, Some(last)) if last.searched.score >= last.searched.window.beta => {
            MoveStatus::Unreached(Some(last.searched.mv))
        }
        (None, Some(last)) => {
            let siblings_cost = last.searched.siblings_cost.saturating_add(last.searched.cost);
            MoveStatus::Unaffordable { sibling_surcharge: costs.sibling_surcharge(siblings_cost) }
        }
        (None, None) => MoveStatus::NodeEnded,
    }
}

const OPEN: Window = Window::full();

/// The searches of a move in every iteration.
fn move_runs(iterations: &[Iteration], mv: Move, worker: &Worker<Experimental>) -> Vec<Run> {
    let mut runs = Vec::new();
    for (at, iteration) in iterations.iter().enumerate() {
        for one in &iteration.windows {
            let Some(place) = one.moves.iter().position(|traced| traced.searched.mv == mv) else {
                continue;
            };
            let budgets = Budgets::whole(iteration.limit);
            let mut run = move_run(&one.moves[place], budgets, worker, 0);
            run.iteration = at + 1;
            run.limit = iteration.limit;
            run.complete = !iteration.order.is_empty();
            run.place = place + 1;
            runs.push(run);
        }
    }
    runs
}

/// One search of a move.
pub(super) fn move_run(
    traced: &MoveTrace,
    budgets: Budgets,
    worker: &Worker<Experimental>,
    ply: usize,
) -> Run {
    let searched = &traced.searched;
    // After the move the other side is to move, so `after.them` is the budget of the side that moved.
    let after = worker.settings.costs.after(budgets, searched.charge);
    let mut steps = traced.steps.clone();
    for step in &mut steps {
        step.score = mate_from_ply(step.score, ply);
    }
    Run {
        iteration: 0,
        limit: worker.control.limit,
        complete: true,
        place: 0,
        window: (searched.window.alpha, searched.window.beta),
        cost: searched.cost,
        siblings_cost: searched.siblings_cost,
        sibling_surcharge: worker.settings.costs.sibling_surcharge(searched.siblings_cost),
        charge: searched.charge,
        after: (after.them, after.us),
        score: to_score(mate_from_ply(searched.score, ply)),
        bound: score_bound(searched.score, searched.window),
        nodes: searched.nodes,
        steps,
    }
}

/// Whether a score that a search with this window returned is exact or a bound.
pub(super) fn score_bound(score: i32, window: Window) -> Bound {
    if score >= window.beta {
        Bound::Lower
    } else if score > window.alpha {
        Bound::Exact
    } else {
        Bound::Upper
    }
}

/// The view of a move, with all data that do not depend on its search.
pub(super) fn move_view(
    scored: &Breakdown,
    parts: Vec<Part>,
    interest: i32,
    effective: i32,
    cost_function: &CostFunction<'_>,
) -> MoveView {
    let steps = cost_function.steps(effective);
    let cost = CostView {
        raw: steps.raw,
        base: steps.base,
        scaled: steps.scaled,
        cost: steps.cost,
        taken: steps.cost,
    };
    MoveView {
        mv: scored.mv,
        rank: usize::MAX,
        interest_rank: 0,
        generators: scored.plausibility.labels().collect(),
        merit: scored.plausibility.merit,
        exchange: scored.exchange,
        see: scored.see,
        parts,
        interest,
        effective,
        share: 1000 * i64::from(effective) / cost_function.sum.max(1),
        cost,
        status: match scored.place {
            Place::Listed => MoveStatus::NodeEnded,
            Place::NeedlessNonPromotion => MoveStatus::NeedlessNonPromotion,
            Place::Implausible => MoveStatus::Implausible,
        },
        runs: Vec::new(),
        shown: None,
        reply: None,
    }
}

/// Sets the ranks of the moves, which are in order.
pub(super) fn set_ranks(moves: &mut [MoveView]) {
    let mut by_interest: Vec<usize> = (0..moves.len()).collect();
    by_interest.sort_by_key(|&at| (std::cmp::Reverse(moves[at].interest), moves[at].mv.to_bits()));
    for (rank, at) in by_interest.into_iter().enumerate() {
        moves[at].interest_rank = rank + 1;
    }
    for (at, view) in moves.iter_mut().enumerate() {
        view.rank = at + 1;
    }
}

/// The data from which the costs of a node are computed.
pub(super) fn cost_formula(
    worker: &Worker<Experimental>,
    cost_function: &CostFunction<'_>,
    cap: Option<i32>,
) -> CostFormula {
    let p = &worker.settings.parameters;
    let (depth, beyond) = cost_function.factors();
    CostFormula {
        kind: match worker.settings.costs.kind {
            CostKind::Interest => CostFormulaKind::Reciprocal,
            CostKind::Paper => CostFormulaKind::Paper,
            CostKind::Plain => CostFormulaKind::Plain,
        },
        k: i64::from(p.cost_k),
        bounds: cost_function.bounds(),
        depth,
        beyond,
        cross: p.cross_charge,
        ply_weight: p.ply_weight,
        research: (p.research != 0).then_some(p.research),
        cap,
    }
}

/// The reply in the table to a move of the worker's position.
pub(super) fn table_reply(worker: &Worker<Experimental>, mv: Move, ply: usize) -> Option<Move> {
    let mut position: Position = worker.line.position.clone();
    position.do_move(mv);
    let found = worker.table.probe(position.key(), ply + 1)?;
    found.mv.filter(|&reply| position.is_legal(reply))
}

/// A root whose search was stopped before it began.
struct UnsearchedRoot {
    breakdown: NodeBreakdown,
    budgets: Budgets,
}

impl UnsearchedRoot {
    fn view(self, worker: &mut Worker<Experimental>) -> NodeView {
        let Self { breakdown, budgets } = self;
        let costs = worker.settings.costs.clone();
        let cost_function =
            CostFunction::new(&costs, breakdown.sum, budgets, 0, worker.control.limit, false);
        let listed = |scored: &Breakdown| {
            move_view(
                scored,
                scored.parts.clone(),
                scored.interest,
                scored.interest,
                &cost_function,
            )
        };
        let mut moves: Vec<MoveView> = breakdown.moves.iter().map(listed).collect();
        moves.sort_by_key(|view| (std::cmp::Reverse(view.interest), view.mv.to_bits()));
        set_ranks(&mut moves);
        NodeView {
            position: worker.line.position.clone(),
            line: Vec::new(),
            pv: true,
            limit: worker.control.limit,
            budgets: (budgets.us, budgets.them),
            window: (OPEN.alpha, OPEN.beta),
            eval: (!worker.line.position.in_check()).then(|| worker.evaluate()),
            score: None::<(Score, Bound)>,
            nodes: 0,
            sum: breakdown.sum,
            formula: cost_formula(worker, &cost_function, None),
            penalty_pause: false,
            score_fell: false,
            early: Vec::new(),
            moves,
        }
    }
}
