//! Evaluation comments after our moves: `'* score pv`.
//!
//! The score is in centipawns from Black's side. The PV begins with the opponent's reply, not with our own move, and may
//! be missing.
//! The text is ASCII without commas: servers drop everything after a comma.

use std::fmt::Write as _;

use kyomi_shogi::notation::csa;
use kyomi_shogi::{Finding, Game, Move};

use super::super::event::comment_score;

/// What the player found, with the score from black's view. The PV begins after `mv`, which is legal in `game`, and is
/// cut at its first illegal move.
pub(super) fn analysis(game: &Game, mv: Move, finding: &Finding) -> Finding {
    let line = finding.pv.strip_prefix(&[mv]).unwrap_or(&finding.pv);
    let mut position = game.position().clone();
    position.do_move(mv);
    let mut pv = Vec::new();
    for &next in line.iter().take(MAX_PV_MOVES) {
        if !position.is_legal(next) {
            break;
        }
        position.do_move(next);
        pv.push(next);
    }
    Finding { pv, ..finding.clone() }.from_black(game.position().side_to_move())
}

/// What the player found about the position in which it resigned or declared a win; `None` if it has no score.
pub(super) fn last_analysis(game: &Game, finding: &Finding) -> Option<Finding> {
    finding.score?;
    let found = Finding { pv: Vec::new(), from_book: false, ..finding.clone() };
    Some(found.from_black(game.position().side_to_move()))
}

/// The comment after `mv` without its apostrophe; `None` when the search returned no score.
pub(super) fn format(game: &Game, mv: Move, analysis: &Finding) -> Option<String> {
    let mut text = format!("* {}", comment_score(analysis.score?));
    let mut position = game.position().clone();
    position.do_move(mv);
    for &next in &analysis.pv {
        let _ = write!(text, " {}", csa::format_move(&position, next));
        position.do_move(next);
    }
    Some(text)
}

/// Maximum number of PV moves that are sent; short enough for any server.
const MAX_PV_MOVES: usize = 24;
