//! Explains why the search preferred another move: interest, cost, and where its line ended.

use serde_json::{Value, json};

use super::{
    analyst::PositionLimit,
    builtin_analyst::model_checksum,
    store::{AnalysisStore, settings_of},
};
use kyomi_engine::eval::Evaluation;
use kyomi_engine::search::{
    Parameters, SearchLimits, StopFlag,
    explain::{EarlyCutoff, ExplainRequest, InnerNode, MoveStatus, MoveView, explain_until},
};
use kyomi_shogi::{Game, Move, Position, notation::usi};

/// The figures of the built-in search for a mistake and for the better move.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// The better move.
    pub better: MoveFigures,
    /// The move played.
    pub played: MoveFigures,
    /// Number of legal moves.
    pub moves: usize,
    /// Limit of the last completed iteration, in units; 100 units are one nominal ply.
    pub limit: i32,
    /// The end of the better line.
    pub cut: Option<Cut>,
}

/// The figures of a move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveFigures {
    /// The move.
    pub mv: Move,
    /// Its interest in points.
    pub interest: f64,
    /// Its rank by interest, from 1.
    pub rank: usize,
    /// What it costs, in units.
    pub cost: i32,
    /// Number of positions searched below it.
    pub nodes: u64,
}

/// The end of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The line from the position before the mistake.
    pub line: Vec<Move>,
    /// The budget that the side to move has left there, in units.
    pub left: i32,
    /// The first move that was too expensive, and its cost; `None` if no move is affordable at all.
    pub next: Option<(Move, i32)>,
}

/// The limits of the searches for an explanation.
#[derive(Clone, Debug)]
pub struct WhyLimits {
    /// Number of nodes of each of its two searches, of the position and of the end of the better line.
    nodes: u64,
    /// The evaluation.
    evaluation: Evaluation,
    /// Stops them, without a result.
    stop: StopFlag,
}

impl WhyLimits {
    /// The limits for an analysis with this limit: the same number of nodes, but at least 2,000 and at most 100,000.
    pub fn of(limit: PositionLimit, evaluation: Evaluation, stop: StopFlag) -> Self {
        let nodes = match limit {
            PositionLimit::Nodes(nodes) => nodes.clamp(LEAST_NODES, MOST_NODES),
            PositionLimit::Time(_) => MOST_NODES,
        };
        Self { nodes, evaluation, stop }
    }

    /// Whether the searches were stopped.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }
}

/// Fewer nodes complete too few iterations to compare moves by them.
const LEAST_NODES: u64 = 2_000;
const MOST_NODES: u64 = 100_000;
const HASH_BYTES: u64 = 16 << 20;

/// Explains the position before a mistake. Returns the explanation and the number of nodes searched; `None` if one of
/// the moves is not legal, or the search was stopped.
///
/// An explanation that is in the store is taken from there.
pub fn why(
    game: &Game,
    better: Move,
    played: Move,
    limits: &WhyLimits,
    store: &mut dyn AnalysisStore,
) -> Option<(Why, u64)> {
    let WhyLimits { nodes, evaluation, stop } = limits;
    let version = env!("CARGO_PKG_VERSION");
    let parameters = Parameters::interest();
    let answers = model_checksum(&parameters, evaluation);
    let settings =
        format!("explain; kyomi {version} {answers:016x}; {nodes} nodes; {better} {played}");
    let settings = settings_of(game, &settings);
    let stored = store.get(game.position(), &settings);
    if let Some(found) = stored.and_then(|text| from_text(&text, game.position())) {
        return Some((found, 0));
    }
    let request = ExplainRequest {
        limits: SearchLimits { nodes: Some(*nodes), ..SearchLimits::default() },
        parameters,
        evaluation: evaluation.clone(),
        hash_bytes: HASH_BYTES,
        node: None,
    };
    let explained = explain_until(game, &request, stop).ok()?;
    let figures = |mv: Move| {
        let view = explained.node.moves.iter().find(|view| view.mv == mv)?;
        Some(figures_of(view))
    };
    let (better_figures, played) = (figures(better)?, figures(played)?);
    let line = if explained.search.pv.first() == Some(&better) {
        explained.search.pv.clone()
    } else {
        let view = explained.node.moves.iter().find(|view| view.mv == better)?;
        [Some(better), view.reply].into_iter().flatten().collect()
    };
    let (cut, nodes_of_cut) = cut(game, request, line, stop);
    let found = Why {
        better: better_figures,
        played,
        moves: explained.node.moves.len(),
        limit: explained.node.limit,
        cut,
    };
    if stop.is_stopped() {
        return None;
    }
    store.put(game.position(), &settings, &to_text(&found));
    Some((found, explained.search.nodes + nodes_of_cut))
}

fn figures_of(view: &MoveView) -> MoveFigures {
    MoveFigures {
        mv: view.mv,
        interest: f64::from(view.interest) / 16.0,
        rank: view.interest_rank,
        cost: view.cost.taken,
        nodes: view.result().map_or(0, |run| run.nodes),
    }
}

/// The reason why a line ended, and the number of nodes searched.
fn cut(
    game: &Game,
    request: ExplainRequest,
    line: Vec<Move>,
    stop: &StopFlag,
) -> (Option<Cut>, u64) {
    let node = InnerNode { line: line.clone(), budgets: None, pv: true };
    let request = ExplainRequest { node: Some(node), ..request };
    let Ok(explained) = explain_until(game, &request, stop) else { return (None, 0) };
    let (nodes, end) = (explained.search.nodes + explained.node.nodes, explained.node);
    let is_leaf = end.early.iter().any(|(early, _)| matches!(early, EarlyCutoff::Leaf));
    let unaffordable = end
        .moves
        .iter()
        .filter(|view| matches!(view.status, MoveStatus::Unaffordable { .. }))
        .min_by_key(|view| view.cost.taken);
    let next = unaffordable.map(|view| (view.mv, view.cost.taken));
    let cut = (is_leaf || next.is_some()).then_some(Cut { line, left: end.budgets.0, next });
    (cut, nodes)
}

fn to_text(why: &Why) -> String {
    let figures = |it: &MoveFigures| {
        json!([it.mv.to_string(), (it.interest * 16.0) as i64, it.rank, it.cost, it.nodes])
    };
    let cut = why.cut.as_ref().map(|cut| {
        let line: Vec<String> = cut.line.iter().map(ToString::to_string).collect();
        let next = cut.next.map(|(mv, cost)| json!([mv.to_string(), cost]));
        json!({ "line": line.join(" "), "left": cut.left, "next": next })
    });
    json!({
        "better": figures(&why.better),
        "played": figures(&why.played),
        "moves": why.moves,
        "limit": why.limit,
        "cut": cut,
    })
    .to_string()
}

fn from_text(text: &str, position: &Position) -> Option<Why> {
    let value: Value = serde_json::from_str(text).ok()?;
    let figures = |key: &str| {
        let array = value.get(key)?.as_array()?;
        Some(MoveFigures {
            mv: usi::parse_move(array.first()?.as_str()?)
                .ok()
                .filter(|mv| position.is_legal(*mv))?,
            interest: array.get(1)?.as_i64()? as f64 / 16.0,
            rank: usize::try_from(array.get(2)?.as_u64()?).ok()?,
            cost: i32::try_from(array.get(3)?.as_i64()?).ok()?,
            nodes: array.get(4)?.as_u64()?,
        })
    };
    let cut = match value.get("cut")? {
        Value::Null => None,
        cut => {
            let mut end = position.clone();
            let mut line = Vec::new();
            for word in cut.get("line")?.as_str()?.split_whitespace() {
                let mv = usi::parse_move(word).ok().filter(|mv| end.is_legal(*mv))?;
                end.do_move(mv);
                line.push(mv);
            }
            let next = match cut.get("next")? {
                Value::Null => None,
                next => {
                    let mv = usi::parse_move(next.get(0)?.as_str()?).ok();
                    let mv = mv.filter(|mv| end.is_legal(*mv))?;
                    Some((mv, i32::try_from(next.get(1)?.as_i64()?).ok()?))
                }
            };
            Some(Cut { line, left: i32::try_from(cut.get("left")?.as_i64()?).ok()?, next })
        }
    };
    Some(Why {
        better: figures("better")?,
        played: figures("played")?,
        moves: usize::try_from(value.get("moves")?.as_u64()?).ok()?,
        limit: i32::try_from(value.get("limit")?.as_i64()?).ok()?,
        cut,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::analysis::NoStore;

    #[test]
    fn figures_of_both_moves_and_the_cut_are_known_and_stored() {
        let limits =
            WhyLimits::of(PositionLimit::Nodes(1_000_000), Evaluation::builtin(), StopFlag::new());
        // Not every search is cut on the line of the better move; which one is depends on the network.
        for (moves, better) in [
            ("7g7f 3c3d", "2g2f"),
            ("2g2f 8c8d", "2f2e"),
            ("2g2f 3c3d", "7g7f"),
            ("7g7f 8c8d", "2g2f"),
            ("2g2f 8c8d", "7g7f"),
        ] {
            let [better, played] = [better, "9g9f"].map(|text| usi::parse_move(text).unwrap());
            let game = usi::parse_position_line(&format!("startpos moves {moves}")).unwrap();
            let (found, nodes) = why(&game, better, played, &limits, &mut NoStore).unwrap();
            assert!((MOST_NODES..=3 * MOST_NODES).contains(&nodes), "{nodes}");
            assert!(found.better.cost <= found.played.cost, "{found:?}");
            assert!(found.better.interest > found.played.interest && found.moves > 30, "{found:?}");
            assert_eq!(from_text(&to_text(&found), game.position()), Some(found.clone()));
            assert_eq!(from_text("{}", game.position()), None);
            if let Some(cut) = &found.cut {
                assert_eq!(cut.line.first(), Some(&better));
                return;
            }
        }
        panic!("no search was cut on the line of the better move");
    }

    #[test]
    fn an_explanation_searches_no_more_than_the_analysis_and_can_be_stopped() {
        let game = usi::parse_position_line("startpos moves 7g7f 3c3d").unwrap();
        let [better, played] = ["2g2f", "9g9f"].map(|text| usi::parse_move(text).unwrap());
        let stop = StopFlag::new();
        let limits = WhyLimits::of(PositionLimit::Nodes(300), Evaluation::builtin(), stop.clone());
        let (_, nodes) = why(&game, better, played, &limits, &mut NoStore).unwrap();
        assert!(nodes <= 7 * LEAST_NODES, "{nodes}");
        stop.stop();
        assert_eq!(why(&game, better, played, &limits, &mut NoStore), None);
    }
}
