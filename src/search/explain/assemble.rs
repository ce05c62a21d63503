//! Builds the views of an explanation from the notes of a search.

use super::view::{
    CostFormula, CostFormulaKind, CostView, Fate, MoveView, NodeView, Overview, Run,
};
use crate::search::{
    Bound, Part, Score, Term,
    cost::{Budgets, CostFunction, CostKind},
    interest::{Breakdown, NodeBreakdown, Place},
    kind::Experimental,
    line::RootLine,
    notes::{Iteration, MoveNotes},
    value::{MATE_BOUND, to_score},
    window::Window,
    worker::Worker,
};
use crate::shogi::{Move, Position};

/// The result of the search.
pub(super) fn overview(worker: &Worker<Experimental>, found: &RootLine) -> Overview {
    let complete = |iteration: &&Iteration| !iteration.order.is_empty();
    let iterations = &worker.notes.iterations;
    let unfinished = iterations.last().filter(|last| last.order.is_empty());
    let best_before = iterations.iter().rev().find_map(|iteration| iteration.order.first());
    let best = found.line.first();
    let wins = |(mv, score): &(Move, i32)| Some(mv) == best && *score >= MATE_BOUND;
    let best_proven = worker.notes.proven.iter().any(wins);
    Overview {
        nodes: worker.nodes,
        limits: iterations.iter().filter(complete).map(|iteration| iteration.limit).collect(),
        unfinished: unfinished.map(|iteration| iteration.limit),
        best_unfinished: best_before.is_some()
            && best_before != best
            && !best_proven
            && !found.is_substitute,
        best_proven,
        best_stands_in: found.is_substitute,
        depth: worker.costs.rounded_nominal_depth(found.limit).max(0) as u32,
        seldepth: worker.seldepth as u32,
        score: to_score(found.score),
        pv: found.line.to_vec(),
    }
}

/// The root after the last completed iteration, or after the first one if none was completed.
pub(super) fn root(worker: &mut Worker<Experimental>, found: &RootLine) -> NodeView {
    let iterations = std::mem::take(&mut worker.notes.iterations);
    let complete = iterations.iter().rposition(|iteration| !iteration.order.is_empty());
    let Some(shown) = iterations.get(complete.unwrap_or(0)) else {
        // The search was stopped before it began: everything is shown as not searched.
        let budgets = Budgets::whole(worker.limit);
        let breakdown = worker.break_down(0, None, true, budgets);
        return Unsearched { breakdown, budgets }.view(worker);
    };
    let budgets = Budgets::whole(shown.limit);
    let sum = (shown.breakdown.sum, shown.breakdown.moves.len());
    let costs = worker.costs.clone();
    let cost_function = CostFunction::new(&costs, sum, budgets, 0, shown.limit, shown.score_fell);
    let cap = (worker.parameters.root_full != 0).then_some(shown.limit / 2);
    let bonus = worker.weights.root_best;
    let mut moves = Vec::new();
    for taken in &shown.breakdown.moves {
        let mut parts = taken.parts.clone();
        let mut interest = taken.interest;
        if Some(taken.mv) == shown.best_before && bonus != 0 && costs.kind != CostKind::Plain {
            parts.push(Part { term: Term::RootBest, good: bonus, bad: bonus });
            interest += bonus;
        }
        let searched = shown
            .tries
            .last()
            .and_then(|last| last.moves.iter().find(|notes| notes.mv == taken.mv));
        let effective = searched.and_then(|notes| notes.effective).unwrap_or(interest);
        let mut view = of(taken, parts, interest, effective, &cost_function);
        view.cost.taken = match costs.kind {
            CostKind::Plain => costs.plain(taken.check, taken.capture),
            _ => view.cost.cost.min(cap.unwrap_or(i32::MAX)),
        };
        view.runs = runs(&iterations, taken.mv, worker);
        let last = shown.tries.last().and_then(|last| last.moves.last());
        view.fate = match (searched, last) {
            (Some(notes), _) => {
                view.cost.taken = notes.cost;
                Fate::Searched(None)
            }
            _ if taken.place == Place::Implausible => Fate::Implausible,
            _ if shown.order.is_empty() => Fate::Stopped,
            (None, Some(last)) if last.score >= last.window.beta => Fate::Unreached(Some(last.mv)),
            (None, Some(last)) => {
                let siblings = last.siblings.saturating_add(last.cost);
                Fate::Unaffordable { sibling_surcharge: costs.sibling_surcharge(siblings) }
            }
            (None, None) => Fate::NodeEnded,
        };
        let proven = worker.notes.proven.iter().find(|(mv, _)| *mv == taken.mv);
        if let Some((_, score)) = proven {
            view.fate = Fate::Proven(to_score(*score));
        }
        let nodes = searched.map_or(0, |notes| notes.nodes);
        let lost = proven.is_some_and(|(_, score)| *score <= -MATE_BOUND);
        view.rank = match found.line.first() {
            Some(best) if *best == taken.mv => 0,
            _ if lost => usize::MAX,
            _ if shown.order.first() == Some(&taken.mv) => 1,
            _ => usize::MAX - nodes as usize,
        };
        let last = view.runs.iter().rposition(|run| run.complete);
        let made_best = view.runs.iter().rposition(|run| run.bound != Bound::Upper);
        view.shown = if view.rank == 0 { last.max(made_best) } else { last };
        view.shown = view.shown.or_else(|| view.runs.len().checked_sub(1));
        view.reply = reply(worker, taken.mv, 0);
        moves.push(view);
    }
    moves.sort_by_key(|view| (view.rank, std::cmp::Reverse(view.interest), view.mv.to_bits()));
    number(&mut moves);
    let window = shown.tries.last().map_or(OPEN, |last| last.window);
    NodeView {
        position: worker.position.clone(),
        line: Vec::new(),
        pv: true,
        limit: shown.limit,
        budgets: (budgets.us, budgets.them),
        window: (window.alpha, window.beta),
        eval: (!worker.position.in_check()).then(|| worker.evaluate()),
        score: complete.map(|_| {
            (to_score(found.score), if found.is_substitute { Bound::Upper } else { Bound::Exact })
        }),
        nodes: shown.tries.iter().flat_map(|one| &one.moves).map(|notes| notes.nodes).sum(),
        sum: shown.breakdown.sum,
        formula: cost_formula(worker, &cost_function, cap),
        penalty_pause: shown.penalty_pause,
        score_fell: shown.score_fell,
        early: Vec::new(),
        moves,
    }
}

const OPEN: Window = Window::open();

/// The searches of a move in every iteration.
fn runs(iterations: &[Iteration], mv: Move, worker: &Worker<Experimental>) -> Vec<Run> {
    let mut found = Vec::new();
    for (at, iteration) in iterations.iter().enumerate() {
        for one in &iteration.tries {
            let Some(place) = one.moves.iter().position(|notes| notes.mv == mv) else { continue };
            let budgets = Budgets::whole(iteration.limit);
            let mut run = run(&one.moves[place], budgets, worker, 0);
            run.iteration = at + 1;
            run.limit = iteration.limit;
            run.complete = !iteration.order.is_empty();
            run.place = place + 1;
            found.push(run);
        }
    }
    found
}

/// One search of a move.
pub(super) fn run(
    notes: &MoveNotes,
    budgets: Budgets,
    worker: &Worker<Experimental>,
    ply: usize,
) -> Run {
    // After the move the other side is to move, so `after.them` is the budget of the side that moved.
    let after = worker.costs.after(budgets, notes.charge);
    let mut steps = notes.steps.clone();
    for step in &mut steps {
        step.score = here(step.score, ply);
    }
    Run {
        iteration: 0,
        limit: worker.limit,
        complete: true,
        place: 0,
        window: (notes.window.alpha, notes.window.beta),
        cost: notes.cost,
        siblings: notes.siblings,
        sibling_surcharge: worker.costs.sibling_surcharge(notes.siblings),
        charge: notes.charge,
        after: (after.them, after.us),
        score: to_score(here(notes.score, ply)),
        bound: bound(notes.score, notes.window),
        nodes: notes.nodes,
        steps,
    }
}

/// Whether a score that a search with this window returned is exact or a bound.
pub(super) fn bound(score: i32, window: Window) -> Bound {
    if score >= window.beta {
        Bound::Lower
    } else if score > window.alpha {
        Bound::Exact
    } else {
        Bound::Upper
    }
}

/// Converts a mate score, so that it counts from this ply instead of from the root.
pub(super) const fn here(score: i32, ply: usize) -> i32 {
    if score >= MATE_BOUND {
        score + ply as i32
    } else if score <= -MATE_BOUND {
        score - ply as i32
    } else {
        score
    }
}

/// The view of a move, with all data that do not depend on its search.
pub(super) fn of(
    taken: &Breakdown,
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
        mv: taken.mv,
        rank: usize::MAX,
        interest_rank: 0,
        generators: taken.plausibility.labels().collect(),
        merit: taken.plausibility.merit,
        exchange: taken.exchange,
        see: taken.see,
        parts,
        interest,
        effective,
        share: 1000 * i64::from(effective) / cost_function.sum.max(1),
        cost,
        fate: match taken.place {
            Place::Listed => Fate::NodeEnded,
            Place::NeedlessNonPromotion => Fate::NeedlessNonPromotion,
            Place::Implausible => Fate::Implausible,
        },
        runs: Vec::new(),
        shown: None,
        reply: None,
    }
}

/// Sets the ranks of the moves, which are in order.
pub(super) fn number(moves: &mut [MoveView]) {
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
    let p = &worker.parameters;
    let (depth, beyond) = cost_function.factors();
    CostFormula {
        kind: match worker.costs.kind {
            CostKind::Interest if p.cost_shape != 0 => CostFormulaKind::Log,
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
pub(super) fn reply(worker: &Worker<Experimental>, mv: Move, ply: usize) -> Option<Move> {
    let mut position: Position = worker.position.clone();
    position.do_move(mv);
    let found = worker.table.probe(position.key(), ply + 1)?;
    found.mv.filter(|&reply| position.is_legal(reply))
}

/// A root whose search was stopped before it began.
struct Unsearched {
    breakdown: NodeBreakdown,
    budgets: Budgets,
}

impl Unsearched {
    fn view(self, worker: &mut Worker<Experimental>) -> NodeView {
        let Self { breakdown, budgets } = self;
        let costs = worker.costs.clone();
        let sum = (breakdown.sum, breakdown.moves.len());
        let cost_function = CostFunction::new(&costs, sum, budgets, 0, worker.limit, false);
        let listed = |taken: &Breakdown| {
            of(taken, taken.parts.clone(), taken.interest, taken.interest, &cost_function)
        };
        let mut moves: Vec<MoveView> = breakdown.moves.iter().map(listed).collect();
        moves.sort_by_key(|view| (std::cmp::Reverse(view.interest), view.mv.to_bits()));
        number(&mut moves);
        NodeView {
            position: worker.position.clone(),
            line: Vec::new(),
            pv: true,
            limit: worker.limit,
            budgets: (budgets.us, budgets.them),
            window: (OPEN.alpha, OPEN.beta),
            eval: (!worker.position.in_check()).then(|| worker.evaluate()),
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
