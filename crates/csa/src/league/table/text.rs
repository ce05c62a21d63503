//! The results as text.

use std::fmt::Write as _;

use crate::league::event::Event;
use crate::league::standings::standings;
use crate::league::state::EventState;

use super::{cell, points, score};

/// The table and the pairings of all rounds. Every line ends with LF.
pub fn to_text(event: &Event, state: &EventState) -> String {
    let mut text =
        format!("{}: round {} of {}\n\n", state.event, state.rounds.len(), event.rounds());
    let rows = standings(state);
    let longest = state.players.iter().map(String::len).max().unwrap_or_default().max(6);
    let columns =
        rows.iter().flat_map(|row| rows.iter().map(|it| cell(state, row.player, it.player)));
    let wide = columns.map(|cell| cell.chars().count()).max().unwrap_or(1).max(2);
    let _ = write!(text, "{:>3}  {:<longest$}  {:>6}", "", "player", "points");
    for number in 1..=rows.len() {
        let _ = write!(text, " {number:>wide$}");
    }
    let _ = writeln!(text, "  {:>8} {:>7} {:>6}", "Buchholz", "S-B", "direct");
    for row in &rows {
        let name = &state.players[row.player];
        let _ = write!(text, "{:>3}  {name:<longest$}  {:>6}", row.rank, points(row.score));
        for other in &rows {
            let cell = if other.player == row.player {
                "x".to_owned()
            } else {
                cell(state, row.player, other.player)
            };
            let _ = write!(text, " {cell:>wide$}");
        }
        let berger = f64::from(row.sonneborn_berger) / 4.0;
        let (buchholz, direct) = (points(row.buchholz), points(row.direct));
        let _ = writeln!(text, "  {buchholz:>8} {berger:>7.2} {direct:>6}");
    }
    for (number, round) in state.rounds.iter().enumerate() {
        let _ = writeln!(text, "\nround {}", number + 1);
        for game in &round.games {
            let [black, white] = game.players.map(|it| &state.players[it]);
            let reason = game.reason.as_deref().map_or_else(String::new, |it| format!("  {it}"));
            let result = score(game.result);
            let _ = writeln!(text, "  {black:<longest$} {result:^5} {white:<longest$}{reason}");
        }
        if let Some(bye) = round.bye {
            let _ = writeln!(text, "  {:<longest$} bye", state.players[bye]);
        }
    }
    text
}
