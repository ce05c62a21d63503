//! An explanation as JSON: one object, described in `docs/formats.md`.

use serde_json::{Map, Value, json};

use super::{format, view::ExplanationView};
use kyomi_engine::search::{
    Bound, Exchange, PARAMETERS, Parameters, Preset, Score,
    explain::{
        CostFormulaKind, CostView, EarlyCutoff, MoveStatus, MoveView, NodeView, Protection, Run,
    },
};
use kyomi_record::score_json;

/// The object of the whole explanation.
pub(super) fn object(explained: &ExplanationView<'_>, parameters: &Parameters) -> Value {
    let (search, node) = (&explained.explanation.search, &explained.explanation.node);
    let moves: Vec<Value> = match explained.chosen_move() {
        Some(view) => vec![move_object(view)],
        None => explained.moves().iter().map(move_object).collect(),
    };
    json!({
        "format": "kyomi-explain-1",
        "sfen": node.position.to_sfen(),
        "in_check": node.position.in_check(),
        "legal_moves": node.moves.len(),
        "preset": parameters.as_preset().map(Preset::name),
        "options": changed_options(parameters),
        "search": {
            "nodes": search.nodes,
            "limits": search.limits,
            "unfinished_limit": search.unfinished,
            "best_unfinished": search.best_unfinished,
            "best_proven": search.best_proven,
            "best_stands_in": search.best_is_substitute,
            "depth": search.depth,
            "seldepth": search.seldepth,
            "score": score(search.score),
            "pv": texts(&search.pv),
        },
        "node": node_object(node),
        "moves": moves,
    })
}

/// The options that differ from the preset `interest`.
fn changed_options(parameters: &Parameters) -> Map<String, Value> {
    let defaults = Parameters::interest();
    PARAMETERS
        .iter()
        .map(|parameter| (parameter.name, parameter.value(parameters), parameter.value(&defaults)))
        .filter(|(_, value, default)| value != default)
        .map(|(name, value, _)| (name.to_owned(), Value::from(value)))
        .collect()
}

fn node_object(node: &NodeView) -> Value {
    let formula = &node.formula;
    json!({
        "line": texts(&node.line),
        "principal": node.pv,
        "limit": node.limit,
        "budgets": [node.budgets.0, node.budgets.1],
        "window": [node.window.0, node.window.1],
        "evaluation": node.eval,
        "score": node.score.map(|(value, _)| score(value)),
        "bound": node.score.map(|(_, is)| bound(is)),
        "nodes": node.nodes,
        "interest_sum": points(node.sum),
        "penalty_pause": node.penalty_pause,
        "panic": node.score_fell,
        "ended_by": node.early.iter().map(|(early, value)| json!({
            "by": early_name(*early),
            "score": score(*value),
        })).collect::<Vec<_>>(),
        "cost": {
            "kind": match formula.kind {
                CostFormulaKind::Reciprocal => "reciprocal",
                CostFormulaKind::Paper => "letter",
                CostFormulaKind::Plain => "plain",
            },
            "k": formula.k,
            "least": formula.bounds.0,
            "most": formula.bounds.1,
            "depth_factor": f64::from(formula.depth) / 256.0,
            "beyond_factor": f64::from(formula.beyond) / 1600.0,
            "cross_percent": formula.cross,
            "ply_weight_percent": f64::from(formula.ply_weight) / 10.0,
            "research": formula.research,
            "cap": formula.cap,
        },
    })
}

fn move_object(view: &MoveView) -> Value {
    let CostView { raw, base, scaled, cost, taken } = view.cost;
    json!({
        "move": view.mv.to_string(),
        "rank": view.rank,
        "interest_rank": view.interest_rank,
        "generators": view.generators.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        "merit": view.merit,
        "exchange": match view.exchange {
            Exchange::Safe => "safe",
            Exchange::Good => "good",
            Exchange::Bad => "bad",
        },
        "see": view.see,
        "terms": view.parts.iter().map(|part| json!({
            "term": part.term.name(),
            "number": part.term.number(),
            "good": points(part.good.into()),
            "bad": points(part.bad.into()),
        })).collect::<Vec<_>>(),
        "interest": points(view.interest.into()),
        "effective_interest": points(view.effective.into()),
        "thousandths": view.share,
        "cost": { "raw": raw, "base": base, "scaled": scaled, "full": cost, "taken": taken },
        "fate": status_name(view.status),
        "why": match view.status {
            MoveStatus::Searched(Some(protection)) => Some(protection_name(protection)),
            _ => None,
        },
        "proven": match view.status {
            MoveStatus::Proven(proven) => Some(score(proven)),
            _ => None,
        },
        "after": match view.status {
            MoveStatus::Unreached(by) => by.map(|mv| mv.to_string()),
            _ => None,
        },
        "said": format::status(view.status),
        "reply": view.reply.map(|mv| mv.to_string()),
        "told": view.shown,
        "searches": view.runs.iter().map(run_object).collect::<Vec<_>>(),
    })
}

fn run_object(run: &Run) -> Value {
    json!({
        "iteration": run.iteration,
        "limit": run.limit,
        "complete": run.complete,
        "place": run.place,
        "window": [run.window.0, run.window.1],
        "cost": run.cost,
        "siblings": run.siblings_cost,
        "late": run.sibling_surcharge,
        "charge": run.charge,
        "left": [run.after.0, run.after.1],
        "score": score(run.score),
        "bound": bound(run.bound),
        "nodes": run.nodes,
        "steps": run.steps.iter().map(|step| json!({
            "charge": step.charge,
            "score": step.score,
            "open": step.open,
        })).collect::<Vec<_>>(),
    })
}

/// Sixteenths of a point as points: exact, since sixteenths are binary fractions.
fn points(sixteenths: i64) -> f64 {
    sixteenths as f64 / 16.0
}

fn texts(moves: &[kyomi_shogi::Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

fn score(score: Score) -> Value {
    score_json(Some(score))
}

const fn bound(bound: Bound) -> &'static str {
    match bound {
        Bound::Exact => "exact",
        Bound::Lower => "lower",
        Bound::Upper => "upper",
    }
}

const fn status_name(status: MoveStatus) -> &'static str {
    match status {
        MoveStatus::Searched(_) => "searched",
        MoveStatus::Proven(_) => "proven",
        MoveStatus::Unaffordable { .. } => "over_budget",
        MoveStatus::Unreached(_) => "not_reached",
        MoveStatus::NeedlessNonPromotion => "needless",
        MoveStatus::Implausible => "implausible",
        MoveStatus::NodeEnded => "node_ended",
        MoveStatus::Stopped => "stopped",
    }
}

const fn protection_name(protection: Protection) -> &'static str {
    match protection {
        Protection::First => "first",
        Protection::Evasion => "evasion",
        Protection::Principal => "principal",
        Protection::AllLost => "all_lost",
        Protection::Reserve => "reserve",
    }
}

const fn early_name(early: EarlyCutoff) -> &'static str {
    match early {
        EarlyCutoff::Rules => "rules",
        EarlyCutoff::Table => "table",
        EarlyCutoff::Leaf => "leaf",
        EarlyCutoff::StaticNull => "static_null",
        EarlyCutoff::NullMove => "null_move",
        EarlyCutoff::MateInOne(_) => "mate_in_one",
    }
}
