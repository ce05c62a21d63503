//! Measures the speed of a player in nodes per second, which a worker reports with its name.

use std::time::{Duration, Instant};

use crate::players::{
    EngineError, GameInfo, MoveLimit, PlayerCommand, PlayerEvent, PlayerHandle, ThinkRequest,
};
use kyomi_shogi::clock::{Controls, GameClocks, TimeControl};
use kyomi_shogi::{Color, EnteringKingRule, Game};

/// Lets a player that is ready search the start position for about a second. Returns its nodes per second; 0 if it
/// reports no nodes, as a random player does.
///
/// # Errors
/// The player failed, or did not answer within ten seconds.
pub async fn nodes_per_second(player: &mut PlayerHandle) -> Result<u64, EngineError> {
    let (color, max_moves) = (Color::Black, None);
    player.send(PlayerCommand::NewGame(GameInfo {
        color,
        entering_king: EnteringKingRule::default(),
        max_moves,
    }));
    let clocks = GameClocks::new(Controls::both(TimeControl::UNLIMITED), Color::Black);
    let began = Instant::now();
    player.send(PlayerCommand::Think(ThinkRequest {
        id: 1,
        game: Game::default(),
        clocks: *clocks.clocks(),
        turn_started: began,
        limit: Some(MoveLimit::Time(SEARCH_TIME)),
    }));
    let search = async {
        let (mut nodes, mut nps) = (0, 0);
        while let Some(event) = player.event().await {
            match event {
                PlayerEvent::Info { info, .. } => {
                    nodes = info.nodes.max(nodes);
                    nps = if info.nps > 0 { info.nps } else { nps };
                }
                PlayerEvent::Answer { answer, .. } => {
                    let nodes = answer.finding.nodes.unwrap_or(nodes);
                    let by_time = nodes as f64 / began.elapsed().as_secs_f64().max(0.001);
                    return Ok(if nps > 0 { nps } else { by_time as u64 });
                }
                PlayerEvent::Failed(error) | PlayerEvent::GaveUp(error) => return Err(error),
                _ => {}
            }
        }
        Err(EngineError::Builtin { reason: "it ended in its first search".to_owned() })
    };
    let silent = |_| EngineError::Builtin {
        reason: format!("no answer within {} s in its first search", ANSWER_LIMIT.as_secs()),
    };
    tokio::time::timeout(ANSWER_LIMIT, search).await.map_err(silent)?
}

const SEARCH_TIME: Duration = Duration::from_secs(1);
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
