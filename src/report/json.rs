//! An analysed game as JSON, described in `docs/formats.md`.

use serde_json::{Value, json};

use super::{
    GameReport,
    analysis::{Mark, MateFault, Searched, chance},
};
use kyomi_record::score_fields;
use kyomi_shogi::{Color, Move};

/// The object of an analysed game.
pub fn to_json(report: &GameReport<'_>) -> Value {
    let record = report.record;
    let judgement = &report.analysis.judgement;
    let header = &record.header;
    let moves: Vec<Value> = (0..=report.plies()).map(|ply| position(report, ply)).collect();
    let side = |at: usize| {
        let figures = &judgement.sides[at];
        let castles: Vec<Value> = report.castles[at]
            .iter()
            .map(|(ply, castle)| json!({ "ply": ply, "ja": castle.japanese, "en": castle.english }))
            .collect();
        json!({
            "moves": figures.moves,
            "accuracy": figures.accuracy,
            "mean_loss": figures.mean_loss,
            "inaccuracies": figures.marks[0],
            "dubious_moves": figures.marks[1],
            "mistakes": figures.marks[2],
            "blunders": figures.marks[3],
            "missed_mates": figures.missed_mates,
            "best_moves": figures.best,
            "castles": castles,
        })
    };
    json!({
        "format": "kyomi-analysis-1",
        "generator": "kyomi analyze",
        "engine": report.analysis.engine,
        "settings": report.analysis.settings,
        "complete": report.analysis.is_complete(),
        "black_name": header.black,
        "white_name": header.white,
        "event": header.event,
        "start_time": header.start_time.map(|time| time.to_string()),
        "opening": report.opening.as_ref().map(|it| json!({ "ja": it.ja, "en": it.en })),
        "end": record.end.as_ref().map(|end| end.kind.word()),
        "illegal_move": record.end.as_ref().and_then(|end| Some(end.foul.as_ref()?.mv.to_string())),
        "winner": record.winner().map(|winner| match winner {
            kyomi_record::Winner::Side(Color::Black) => "black",
            kyomi_record::Winner::Side(Color::White) => "white",
            kyomi_record::Winner::Draw => "draw",
        }),
        "black": side(0),
        "white": side(1),
        "critical": judgement.critical,
        "turning_point": judgement.turning_point,
        "positions": moves,
    })
}

/// A position, and the move that led to it.
fn position(report: &GameReport<'_>, ply: usize) -> Value {
    let black_to_move = report.positions[ply].side_to_move() == Color::Black;
    let judgement = &report.analysis.judgement;
    let index = ply.checked_sub(1);
    let made = index.and_then(|index| report.record.moves.get(index));
    let judged = index.and_then(|index| judgement.moves.get(index)?.as_ref());
    let found = report.analysis.positions.get(ply).and_then(Option::as_ref);
    let why = index.and_then(|index| report.why.get(index)?.as_ref());
    json!({
        "ply": ply,
        "sfen": report.positions[ply].to_sfen(),
        "move": made.map(|made| made.mv.to_string()),
        "seconds": made.and_then(|made| made.time).map(|time| time.as_secs_f64()),
        "black_chance": judgement.chances.get(ply).copied().flatten(),
        "lines": found.map(|found| lines(found, black_to_move)),
        "nodes": found.map(|found| found.nodes),
        "depth": found.map(|found| found.depth),
        "loss": judged.map(|judged| judged.loss),
        "mark": judged.and_then(|judged| judged.mark).map(Mark::english),
        "mate": judged.and_then(|judged| judged.mate).map(|fault| match fault {
            MateFault::Missed(plies) => json!({ "missed": plies }),
            MateFault::Allowed(plies) => json!({ "allowed": plies }),
        }),
        "better": judged.and_then(|judged| judged.better).map(|mv| mv.to_string()),
        "why": why.map(|why| {
            let figures = |it: &super::analysis::MoveFigures| json!({
                "move": it.mv.to_string(),
                "interest": it.interest,
                "interest_rank": it.rank,
                "cost": it.cost,
                "nodes": it.nodes,
            });
            json!({
                "better": figures(&why.better),
                "played": figures(&why.played),
                "legal_moves": why.moves,
                "limit": why.limit,
                "cut": why.cut.as_ref().map(|cut| json!({
                    "line": texts(&cut.line),
                    "left": cut.left,
                    "next": cut.next.map(|(mv, _)| mv.to_string()),
                    "next_cost": cut.next.map(|(_, cost)| cost),
                })),
            })
        }),
    })
}

/// The lines of a search; scores are from black's side.
fn lines(found: &Searched, black_to_move: bool) -> Vec<Value> {
    found
        .lines
        .iter()
        .map(|line| {
            let score = if black_to_move { line.score } else { -line.score };
            let fields = score_fields(score);
            json!({
                "centipawns": fields.get("cp"),
                "mate": fields.get("mate"),
                "wins": fields.get("wins"),
                "black_chance": chance(score),
                "pv": texts(&line.moves),
            })
        })
        .collect()
}

fn texts(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}
