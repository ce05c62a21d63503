//! Writes what engines said, as comments that [`analysis`](super::analysis) reads again.

use std::fmt::Write as _;

use crate::record::{Losses, LostPart, RecordMove, RecordScore};
use crate::shogi::notation::japanese::{file, rank, side_mark};
use crate::shogi::{Color, Move, Position};

use super::analysis::{WON, is_said, read};
use super::piece_word;

/// Whether the comments on a move made in `before`, read again, tell its analysis and stay.
fn is_in_comments(before: &Position, made: &RecordMove) -> bool {
    if !made.comments.iter().any(|comment| is_said(comment))
        || made.comments.iter().any(|comment| comment.contains(char::is_control))
    {
        return false;
    }
    let mut position = before.clone();
    position.do_move(made.mv);
    let mut again = RecordMove::new(made.mv);
    let mut source = None;
    for comment in &made.comments {
        if !read(&mut again, &mut source, &position, comment) {
            again.comments.push(comment.clone());
        }
    }
    again.analysis == made.analysis && again.comments == made.comments
}

/// The comment lines of what an engine said with a move made in `before`.
pub(in crate::record) fn write_analysis(text: &mut String, before: &Position, made: &RecordMove) {
    let Some(analysis) = &made.analysis else { return };
    if is_in_comments(before, made) {
        return;
    }
    let mut line = String::new();
    if let Some(depth) = analysis.depth {
        let _ = write!(line, " 深さ {depth}");
    }
    if let Some(nodes) = analysis.nodes {
        let _ = write!(line, " ノード数 {nodes}");
    }
    if let Some(score) = analysis.score {
        let score = match score {
            RecordScore::Cp(cp) => i64::from(cp).clamp(1 - WON, WON - 1),
            RecordScore::Mate { winner: Color::Black, .. } => WON,
            RecordScore::Mate { winner: Color::White, .. } => -WON,
        };
        let _ = write!(line, " 評価値 {score}");
    }
    let rest = analysis.pv_rest.replace(char::is_control, " ");
    let rest: Vec<&str> = rest.split_whitespace().collect();
    if !analysis.pv.is_empty() || !rest.is_empty() {
        // The programs of this form begin with the move itself.
        let _ = write!(line, " 読み筋 {}", told(before, made.mv, None));
        let mut position = before.clone();
        position.do_move(made.mv);
        let mut last = made.mv;
        for &mv in &analysis.pv {
            // An engine of somebody else's may say anything.
            if !position.is_legal(mv) {
                break;
            }
            let _ = write!(line, " {}", told(&position, mv, Some(last)));
            position.do_move(mv);
            last = mv;
        }
        for word in rest {
            let _ = write!(line, " {word}");
        }
    }
    if !line.is_empty() {
        let _ = writeln!(text, "**対局{line}");
    }
    if let Some(RecordScore::Mate { winner, plies: Some(plies) }) = analysis.score {
        let winner = if winner == Color::Black { "先手勝ち" } else { "後手勝ち" };
        let _ = writeln!(text, "**詰み={winner}:{plies}手");
    }
}

/// A move of a continuation: `▲７六歩(77)`, `△同　角成(88)`, `▲５五角打`.
fn told(position: &Position, mv: Move, last: Option<Move>) -> String {
    let mut text = side_mark(position.side_to_move()).to_owned();
    text.push_str(&move_word(position, mv, last));
    text
}

/// A move as KIF has it, without a mark.
pub(in crate::record) fn move_word(position: &Position, mv: Move, last: Option<Move>) -> String {
    let mut text = String::new();
    let to = mv.to();
    if last.is_some_and(|last| last.to() == to) {
        text.push_str("同　");
    } else {
        text.push_str(file(to.file()));
        text.push_str(rank(to.rank()));
    }
    if let Some(kind) = mv.dropped() {
        text.push_str(piece_word(kind));
        text.push('打');
    } else if let Some(from) = mv.from() {
        if let Some(piece) = position.piece_on(from) {
            text.push_str(piece_word(piece.kind()));
        }
        if mv.is_promotion() {
            text.push('成');
        }
        let _ = write!(text, "({}{})", from.file(), from.rank());
    }
    text
}

/// Counts what is lost where an analysis is not written.
pub(in crate::record) fn lose_analysis(losses: &mut Losses, made: &RecordMove) {
    let Some(analysis) = &made.analysis else { return };
    for (part, is_there) in [
        (LostPart::Scores, analysis.score.is_some()),
        (LostPart::Depths, analysis.depth.is_some()),
        (LostPart::Nodes, analysis.nodes.is_some()),
        (LostPart::Continuations, !analysis.pv.is_empty() || !analysis.pv_rest.is_empty()),
    ] {
        losses.add_many(part, usize::from(is_there));
    }
}
