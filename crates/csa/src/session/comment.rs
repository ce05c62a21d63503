//! Evaluation comments after our moves: `'* score pv`.
//!
//! The score is in centipawns from Black's side. The PV begins with the opponent's reply, not with our own move, and may
//! be missing.
//! The text is ASCII without commas: servers drop everything after a comma.

use std::fmt::Write as _;

use kyomi_shogi::notation::csa;
use kyomi_shogi::{Color, Game, Move};

use super::super::event::{Analysis, comment_score};
use super::Chosen;

/// The player's analysis, with the score from Black's side. The PV begins after `mv`, which is legal in `game`, and is
/// cut at its first illegal move.
pub(super) fn analysis(game: &Game, mv: Move, chosen: &Chosen) -> Analysis {
    let black = game.position().side_to_move() == Color::Black;
    let score = chosen.score.map(|score| if black { score } else { -score });
    let line = chosen.pv.strip_prefix(&[mv]).unwrap_or(&chosen.pv);
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
    let from_book = chosen.from_book;
    Analysis { score, pv, depth: chosen.depth, nodes: chosen.nodes, from_book }
}

/// The player's analysis of the position in which it resigned or declared a win; `None` if there is none.
pub(super) fn last_analysis(game: &Game, chosen: &Chosen) -> Option<Analysis> {
    let black = game.position().side_to_move() == Color::Black;
    let score = chosen.score.map(|score| if black { score } else { -score });
    let Chosen { depth, nodes, .. } = *chosen;
    score.map(|score| Analysis { score: Some(score), depth, nodes, ..Analysis::default() })
}

/// The comment after `mv` without its apostrophe; `None` when the search returned no score.
pub(super) fn format(game: &Game, mv: Move, analysis: &Analysis) -> Option<String> {
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
