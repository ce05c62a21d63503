//! The results of an event for people and programs.

mod html;
mod json;
mod text;

pub use html::to_html;
pub use json::to_json;
pub use text::to_text;

use super::state::{EventState, GameResult};

/// Half points as text: `2`, `2½`.
fn points(half: u32) -> String {
    match (half / 2, half % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 1) => format!("{whole}½"),
        (whole, _) => whole.to_string(),
    }
}

/// The result of a game between the names of its players.
fn score(result: Option<GameResult>) -> &'static str {
    match result {
        None => "-",
        Some(GameResult::Black) => "1-0",
        Some(GameResult::White) => "0-1",
        Some(GameResult::Draw) => "½-½",
        Some(GameResult::BlackByForfeit) => "+:-",
        Some(GameResult::WhiteByForfeit) => "-:+",
        Some(GameResult::DoubleForfeit) => "-:-",
    }
}

/// The results of a player's games against another one, in order: `1`, `0`, `½`, `+`, `-`, and `*` for a running game.
fn cell(state: &EventState, player: usize, rival: usize) -> String {
    let games = state.rounds.iter().flat_map(|round| &round.games);
    let mut cell = String::new();
    for game in games {
        let side = match game.players {
            [black, white] if (black, white) == (player, rival) => 0,
            [black, white] if (white, black) == (player, rival) => 1,
            _ => continue,
        };
        cell.push(match game.result {
            None => '*',
            Some(result) => match (result.half_points()[side], result.is_played()) {
                (2, true) => '1',
                (1, _) => '½',
                (_, true) => '0',
                (2, false) => '+',
                (_, false) => '-',
            },
        });
    }
    cell
}

#[cfg(test)]
mod tests;
