//! What an engine reported with a move: `'** <score> <continuation> #<nodes>`, and the line `'*info depth 12 mate 5`
//! of this program for what that form cannot hold.

use std::fmt::Write as _;

use crate::Analysis;
use crate::score::{from_number, to_number};
use kyomi_shogi::notation::csa;
use kyomi_shogi::{Move, Position, Score};

/// Reads a comment (without `'`) on the move `played`, which led to `position`. `None` if it is not an analysis.
pub(crate) fn read_analysis(comment: &str, position: &Position, played: &str) -> Option<Analysis> {
    let mut words = comment.strip_prefix("** ")?.split_ascii_whitespace();
    let score = from_number(words.next()?.parse().ok()?);
    let mut analysis = Analysis { score: Some(score), ..Analysis::default() };
    read_line(&mut analysis, words, position, played);
    Some(analysis)
}

/// Reads the analysis from a comment (without `'`) on a legal move; `None` if it is an ordinary comment.
pub fn read_engine_comment(comment: &str, before: &Position, mv: Move) -> Option<Analysis> {
    let mut after = before.clone();
    after.do_move(mv);
    read_analysis(comment, &after, &csa::format_move(before, mv))
}

/// Reads a line of this program (without `'`) into the analysis of the move before. Returns `false` if it is not
/// one.
pub(crate) fn read_info(
    analysis: &mut Option<Analysis>,
    comment: &str,
    position: &Position,
    played: &str,
) -> bool {
    let Some(line) = comment.strip_prefix("*info ") else { return false };
    let (mut depth, mut nodes, mut score) = (None, None, None);
    let mut has_line = false;
    let mut words = line.split_ascii_whitespace();
    while let Some(word) = words.next() {
        if word == "pv" {
            has_line = true;
            break;
        }
        // Numbers of nodes have the range of u64.
        let Some(number) = words.next().and_then(|number| number.parse::<i128>().ok()) else {
            return false;
        };
        match word {
            "depth" => depth = Some(u32::try_from(number).ok()),
            "nodes" => nodes = Some(u64::try_from(number).ok()),
            "mate" => {
                let plies = u32::try_from(number.unsigned_abs()).ok();
                score = Some(if number < 0 { Score::Loss(plies) } else { Score::Win(plies) });
            }
            _ => return false,
        }
    }
    // Changed in place, and only after the whole line was understood. A copy for each line would take quadratic time
    // where many lines follow a long continuation.
    let info = analysis.get_or_insert_default();
    info.depth = depth.unwrap_or(info.depth);
    info.nodes = nodes.unwrap_or(info.nodes);
    info.score = score.or(info.score);
    if has_line {
        read_line(info, words, position, played);
    }
    // The line has no content.
    if *info == Analysis::default() {
        *analysis = None;
    }
    true
}

/// Writes the lines of an analysis of the move that led to `position`.
pub(crate) fn write_analysis(text: &mut String, analysis: &Analysis, position: &Position) {
    let mut line = String::new();
    let mut position = position.clone();
    for &mv in &analysis.pv {
        // The engine may be any program, and its line illegal.
        if !position.is_legal(mv) {
            break;
        }
        let _ = write!(line, " {}", csa::format_move(&position, mv));
        position.do_move(mv);
    }
    for word in analysis.pv_rest.split_ascii_whitespace() {
        let _ = write!(line, " {}", word.replace(|c: char| c.is_control(), ""));
    }
    let mut info = String::new();
    if let Some(depth) = analysis.depth {
        let _ = write!(info, " depth {depth}");
    }
    if let Some(score) = analysis.score {
        let _ = write!(text, "'** {}{line}", to_number(score));
        if let Some(nodes) = analysis.nodes {
            let _ = write!(text, " #{nodes}");
        }
        text.push('\n');
        // The sign of a mate in 0 would not show the winner; the score alone does.
        if let Score::Win(Some(plies @ 1..)) | Score::Loss(Some(plies @ 1..)) = score {
            let sign = if matches!(score, Score::Win(_)) { "" } else { "-" };
            let _ = write!(info, " mate {sign}{plies}");
        }
    } else {
        if let Some(nodes) = analysis.nodes {
            let _ = write!(info, " nodes {nodes}");
        }
        if !line.is_empty() {
            let _ = write!(info, " pv{line}");
        }
    }
    if !info.is_empty() {
        let _ = writeln!(text, "'*info{info}");
    }
}

/// Reads the continuation and the nodes, in place of those read before. Some programs begin it with the move just
/// played, some do not. The first word that is not a legal move, and all words after it, are kept as text.
fn read_line<'a>(
    analysis: &mut Analysis,
    words: impl Iterator<Item = &'a str>,
    position: &Position,
    played: &str,
) {
    let mut position = position.clone();
    let mut rest: Vec<&str> = Vec::new();
    analysis.pv.clear();
    for (index, word) in words.enumerate() {
        if let Some(nodes) = word.strip_prefix('#').and_then(|nodes| nodes.parse().ok()) {
            analysis.nodes = Some(nodes);
        } else if index == 0 && word == played {
            // The move itself is not part of the continuation.
        } else if let Some(mv) = next_move(&position, word).filter(|_| rest.is_empty()) {
            position.do_move(mv);
            analysis.pv.push(mv);
        } else {
            rest.push(word);
        }
    }
    analysis.pv_rest = rest.join(" ");
}

fn next_move(position: &Position, word: &str) -> Option<Move> {
    csa::parse_move(position, word).ok().filter(|mv| position.is_legal(*mv))
}
