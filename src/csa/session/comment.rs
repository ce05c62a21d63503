//! `'* score pv`: what our engine thought, behind our move.
//!
//! The score is in centipawns seen from Black; the line begins with the reply, not with the move it
//! stands behind. Nothing but ASCII and no comma: the rest of the line would be lost.

use std::fmt::Write as _;

use crate::shogi::notation::csa;
use crate::shogi::{Color, Game, Move};

use super::super::event::{Analysis, comment_score};
use super::Chosen;

/// What the player thought, from Black's view and without the move itself, which is legal in `game`.
/// Moves that cannot be made end the line.
pub(super) fn analysis(game: &Game, mv: Move, chosen: &Chosen) -> Analysis {
    let black = game.position().side_to_move() == Color::Black;
    let score = chosen.score.map(|score| if black { score } else { -score });
    let line = chosen.pv.strip_prefix(&[mv]).unwrap_or(&chosen.pv);
    let mut position = game.position().clone();
    position.do_move(mv);
    let mut pv = Vec::new();
    for &next in line.iter().take(MOST_PV) {
        if !position.is_legal(next) {
            break;
        }
        position.do_move(next);
        pv.push(next);
    }
    Analysis { score, pv, depth: chosen.depth, nodes: chosen.nodes }
}

/// The comment behind `mv` without its apostrophe; `None` when the search gave no evaluation or no line.
pub(super) fn format(
    game: &Game,
    mv: Move,
    chosen: &Chosen,
    analysis: &Analysis,
) -> Option<String> {
    if chosen.pv.is_empty() {
        return None;
    }
    let mut text = format!("* {}", comment_score(analysis.score?));
    let mut position = game.position().clone();
    position.do_move(mv);
    for &next in &analysis.pv {
        let _ = write!(text, " {}", csa::format_move(&position, next));
        position.do_move(next);
    }
    Some(text)
}

/// Moves of a line that are sent; enough to follow the idea, short enough for any server.
const MOST_PV: usize = 24;
