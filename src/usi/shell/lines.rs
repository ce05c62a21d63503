//! The lines that the engine writes.

use std::time::{Duration, Instant};

use super::io::Action;
use crate::players::{Answer, Choice, Finished, search_thread::MateReport};
use kyomi_engine::search::{Bound, MateOutcome, Score, SearchInfo, SearchResult};
use kyomi_record::book::BookMove;

/// Suppresses lines of a search that follow others too soon (`PvInterval`). The last line before an answer is always
/// written.
#[derive(Debug, Default)]
pub(super) struct InfoPace {
    last: Option<Instant>,
    /// Whether the lines of the latest iteration are suppressed: all PVs of an iteration, or none.
    is_suppressed: bool,
}

impl InfoPace {
    pub(super) fn allows(&mut self, now: Instant, interval: Duration, info: &SearchInfo) -> bool {
        if info.is_best_line() {
            let due = self.last.and_then(|last| last.checked_add(interval));
            self.is_suppressed = due.is_some_and(|due| now < due);
            if !self.is_suppressed {
                self.last = Some(now);
            }
        }
        !self.is_suppressed
    }
}

/// The last `info` of the search, then the answer.
pub(super) fn move_answer(finished: &Finished, result: &SearchResult) -> Vec<Action> {
    if finished.by_rule {
        return answer_lines(&finished.answer);
    }
    final_line(result).map(print).into_iter().chain([print(best_move(&finished.answer))]).collect()
}

/// An answer without a search. A book move is preceded by its entry.
pub(super) fn answer_lines(answer: &Answer) -> Vec<Action> {
    let entry = answer.book.map(|entry| {
        let BookMove { mv, count, .. } = entry;
        let score = entry.score.map_or_else(String::new, |score| format!(" score {score}"));
        let depth = entry.depth.map_or_else(String::new, |depth| format!(" depth {depth}"));
        print(format!("info string book {mv}{score}{depth} count {count}"))
    });
    entry.into_iter().chain([print(best_move(answer))]).collect()
}

pub(super) fn best_move(answer: &Answer) -> String {
    match (answer.choice, answer.ponder) {
        (Choice::Move(mv), Some(ponder)) => format!("bestmove {mv} ponder {ponder}"),
        (Choice::Move(mv), None) => format!("bestmove {mv}"),
        (Choice::Resign, _) => "bestmove resign".to_owned(),
        (Choice::Declare, _) => "bestmove win".to_owned(),
    }
}

pub(super) fn info_lines(info: &SearchInfo) -> Vec<Action> {
    let text = info.text.as_ref().map(|text| print(format!("info string {text}")));
    text.into_iter().chain([print(info_line(info))]).collect()
}

pub(super) fn print(line: impl Into<String>) -> Action {
    Action::Print(line.into())
}

/// Shortens an error text that quotes the host's line.
pub(super) fn clip_long(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

/// `checkmate` with the whole line, with `nomate` if checks alone do not mate, or with `timeout`.
pub(super) fn mate_answer(report: &MateReport) -> Vec<Action> {
    let micros = report.time.as_micros().max(1);
    let mut info = SearchInfo {
        nodes: report.nodes,
        nps: (u128::from(report.nodes) * 1_000_000 / micros) as u64,
        time: report.time,
        ..SearchInfo::default()
    };
    let answer = match &report.outcome {
        MateOutcome::Mate { line, plies, .. } => {
            info.depth = line.len() as u32;
            info.score = Some(Score::Win(Some(*plies as u32)));
            info.pv.clone_from(line);
            let moves: Vec<String> = line.iter().map(ToString::to_string).collect();
            moves.join(" ")
        }
        MateOutcome::NoMate => "nomate".to_owned(),
        MateOutcome::Unknown => "timeout".to_owned(),
    };
    vec![print(info_line(&info)), print(format!("checkmate {answer}"))]
}

pub(super) fn info_line(info: &SearchInfo) -> String {
    let mut line = format!("info depth {}", info.depth);
    let mut add = |text: String| {
        line.push(' ');
        line.push_str(&text);
    };
    if info.seldepth > 0 {
        add(format!("seldepth {}", info.seldepth));
    }
    if let Some(number) = info.multipv {
        add(format!("multipv {number}"));
    }
    if let Some(score) = info.score {
        add(score_text(score));
        match info.bound {
            Bound::Exact => {}
            Bound::Lower => add("lowerbound".to_owned()),
            Bound::Upper => add("upperbound".to_owned()),
        }
    }
    add(format!("nodes {} nps {}", info.nodes, info.nps));
    if let Some(permille) = info.hashfull {
        add(format!("hashfull {permille}"));
    }
    add(format!("time {}", info.time.as_millis()));
    if !info.pv.is_empty() {
        add("pv".to_owned());
    }
    for mv in &info.pv {
        add(mv.to_string());
    }
    line
}

/// The last `info` and the answer of a search that took `time`.
pub(super) fn distributed_answer(answer: &Answer, time: Duration) -> Vec<Action> {
    let (Some(depth), Some(nodes)) = (answer.finding.depth, answer.finding.nodes) else {
        return answer_lines(answer);
    };
    let info = SearchInfo {
        depth,
        score: answer.finding.score,
        nodes,
        nps: (u128::from(nodes) * 1_000_000 / time.as_micros().max(1)) as u64,
        time,
        pv: answer.finding.pv.clone(),
        ..SearchInfo::default()
    };
    let last = (!answer.finding.pv.is_empty()).then(|| print(info_line(&info)));
    last.into_iter().chain([print(best_move(answer))]).collect()
}

/// The final `info` with score and PV, which may be from another thread.
fn final_line(result: &SearchResult) -> Option<String> {
    if result.pv.is_empty() {
        return None;
    }
    let micros = result.time.as_micros().max(1);
    let info = SearchInfo {
        depth: result.depth,
        seldepth: result.seldepth,
        score: Some(result.score),
        nodes: result.nodes,
        nps: (u128::from(result.nodes) * 1_000_000 / micros) as u64,
        time: result.time,
        pv: result.pv.clone(),
        ..SearchInfo::default()
    };
    Some(info_line(&info))
}

pub(super) fn score_text(score: Score) -> String {
    match score {
        Score::Cp(centipawns) => format!("score cp {centipawns}"),
        Score::Win(Some(plies)) => format!("score mate {plies}"),
        Score::Loss(Some(0)) => "score mate 0".to_owned(),
        Score::Loss(Some(plies)) => format!("score mate -{plies}"),
        Score::Win(None) => "score mate +".to_owned(),
        Score::Loss(None) => "score mate -".to_owned(),
    }
}
