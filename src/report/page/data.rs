//! The data for the script of a page: positions, moves and lines of a game, as JSON.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::report::{
    GameReport,
    analysis::{Searched, chance},
    words::{Both, mark_number, move_words, score_words, verdict},
};
use kyomi_shogi::{Color, Move, Position, Score, Square};

/// The object of the whole game.
pub(super) fn object(report: &GameReport<'_>) -> Value {
    let used = used(report);
    let plies: Vec<Value> =
        (0..=report.plies()).map(|ply| entry(report, ply, used.get(ply))).collect();
    let first = report.analysis.judgement.critical.first().copied().unwrap_or(0);
    json!({ "first": first, "plies": plies })
}

fn entry(report: &GameReport<'_>, ply: usize, used: Option<&[String; 2]>) -> Value {
    let record = report.record;
    let made = ply.checked_sub(1).and_then(|index| record.moves.get(index));
    let position = &report.positions[ply];
    let mut entry = Map::new();
    entry.insert("sfen".to_owned(), position.to_sfen().into());
    if let (Some(made), Some(words)) = (made, report.move_at(ply)) {
        entry.insert("usi".to_owned(), made.mv.to_string().into());
        insert_both(&mut entry, &words);
        if let Some(time) = made.time {
            entry.insert("time".to_owned(), time.as_secs_f64().into());
        }
    }
    if let Some(used) = used {
        entry.insert("used".to_owned(), json!(used));
    }
    let found = report.analysis.positions.get(ply).and_then(Option::as_ref);
    if let Some(found) = found {
        let score = black_score(found.score(), position);
        entry.insert("score".to_owned(), words_object(&score_words(score)));
        entry.insert("chance".to_owned(), rounded(chance(score)).into());
    }
    let last = made.map(|made| made.mv.to());
    entry.insert("lines".to_owned(), lines(found, position, last));
    let judged = ply
        .checked_sub(1)
        .and_then(|index| report.analysis.judgement.moves.get(index))
        .and_then(Option::as_ref);
    if let Some(judged) = judged {
        let better = report.better_at(ply);
        if judged.mark.is_some() || judged.mate.is_some() {
            entry.insert("better".to_owned(), better.is_some().into());
        }
        entry.insert("mark".to_owned(), mark_number(judged.mark).into());
        if let Some(words) = verdict(judged, better.as_ref()) {
            entry.insert("verdict".to_owned(), words_object(&words));
        }
    }
    let why = report.why_words(ply);
    if !why.is_empty() {
        let all = |of: fn(&Both) -> &str| why.iter().map(of).collect::<Vec<_>>();
        entry.insert("why".to_owned(), json!({ "ja": all(|it| &it.ja), "en": all(|it| &it.en) }));
    }
    let comments = made.map_or(&record.header.comments, |made| &made.comments);
    entry.insert("comments".to_owned(), json!(comments));
    Value::Object(entry)
}

/// The lines of a search with the positions that they reach.
fn lines(found: Option<&Searched>, position: &Position, before: Option<Square>) -> Value {
    let lines = found.map_or(&[][..], |found| &found.lines);
    lines
        .iter()
        .map(|line| {
            let score = black_score(line.score, position);
            json!({
                "score": words_object(&score_words(score)),
                "moves": moves(&line.moves, position, before),
            })
        })
        .collect()
}

fn moves(line: &[Move], position: &Position, before: Option<Square>) -> Vec<Value> {
    let (mut position, mut before) = (position.clone(), before);
    let mut objects = Vec::new();
    for &mv in line.iter().take(LONGEST_LINE) {
        if !position.is_legal(mv) {
            break;
        }
        let mut object = Map::new();
        insert_both(&mut object, &move_words(&position, mv, before));
        position.do_move(mv);
        before = Some(mv.to());
        object.insert("usi".to_owned(), mv.to_string().into());
        object.insert("sfen".to_owned(), position.to_sfen().into());
        objects.push(Value::Object(object));
    }
    objects
}

/// The largest number of moves of a line on a page.
const LONGEST_LINE: usize = 30;

/// The score from black's side.
fn black_score(score: Score, position: &Position) -> Score {
    if position.side_to_move() == Color::Black { score } else { -score }
}

/// The time that both sides have used up to each ply (`0:12:34`); empty if the record has no times.
fn used(report: &GameReport<'_>) -> Vec<[String; 2]> {
    let moves = &report.record.moves;
    if moves.iter().all(|made| made.time.is_none()) {
        return Vec::new();
    }
    let mut sums = [Duration::ZERO; 2];
    let text = |sum: Duration| {
        let seconds = sum.as_secs();
        format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    };
    let mut side = report.record.start.side_to_move();
    let mut all = vec![sums.map(text)];
    for made in moves {
        let sum = &mut sums[usize::from(side != Color::Black)];
        *sum = sum.saturating_add(made.time.unwrap_or_default());
        all.push(sums.map(text));
        side = !side;
    }
    all
}

fn rounded(chance: f64) -> f64 {
    (chance * 1000.0).round() / 1000.0
}

fn words_object(words: &Both) -> Value {
    json!({ "ja": words.ja, "en": words.en })
}

fn insert_both(object: &mut Map<String, Value>, words: &Both) {
    object.insert("ja".to_owned(), words.ja.clone().into());
    object.insert("en".to_owned(), words.en.clone().into());
}
