//! The results as JSON.

use serde_json::{Value, json};

use crate::league::event::{Event, Format};
use crate::league::standings::standings;
use crate::league::state::EventState;

/// The table and the pairings. Points are numbers with halves.
pub fn to_json(event: &Event, state: &EventState) -> Value {
    let half = |half: u32| f64::from(half) / 2.0;
    let table: Vec<Value> = standings(state)
        .iter()
        .map(|row| {
            let [won, drawn, lost] = row.games;
            json!({
                "rank": row.rank,
                "player": state.players[row.player],
                "points": half(row.score),
                "won": won,
                "drawn": drawn,
                "lost": lost,
                "byes": row.byes,
                "buchholz": half(row.buchholz),
                "sonneborn_berger": f64::from(row.sonneborn_berger) / 4.0,
                "direct": half(row.direct),
            })
        })
        .collect();
    let rounds: Vec<Value> = state
        .rounds
        .iter()
        .map(|round| {
            let games: Vec<Value> = round
                .games
                .iter()
                .map(|game| {
                    json!({
                        "black": state.players[game.players[0]],
                        "white": state.players[game.players[1]],
                        "result": game.result,
                        "reason": game.reason,
                        "game_id": game.game_id,
                    })
                })
                .collect();
            json!({
                "began": round.began.to_string(),
                "ended": round.ended.map(|at| at.to_string()),
                "games": games,
                "bye": round.bye.map(|bye| &state.players[bye]),
            })
        })
        .collect();
    let format = match event.format {
        Format::Swiss { .. } => "swiss",
        Format::RoundRobin { .. } => "round_robin",
    };
    json!({
        "v": 1,
        "event": state.event,
        "format": format,
        "rounds_planned": event.rounds(),
        "over": state.is_over(event),
        "table": table,
        "rounds": rounds,
    })
}
