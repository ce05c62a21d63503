//! A player for tests that chooses a random legal move and resigns if it has none.

use tokio::sync::mpsc::UnboundedReceiver;

use kyomi_shogi::Position;

use super::{
    Answer, Choice, PlayerCommand, PlayerEvent, PlayerHandle, RandomSpec, pair, player::EventSender,
};

/// Starts it as a task of the current runtime.
pub(super) fn start(spec: &RandomSpec) -> PlayerHandle {
    let (handle, port) = pair();
    let generator = spec.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
    port.events.send(PlayerEvent::Ready { name: "random".to_owned() });
    tokio::spawn(run(generator, port.commands, port.events));
    handle
}

async fn run(
    mut generator: fastrand::Rng,
    mut commands: UnboundedReceiver<PlayerCommand>,
    events: EventSender,
) {
    while let Some(command) = commands.recv().await {
        match command {
            PlayerCommand::Think(request) => {
                let choice = choose(request.game.position(), &mut generator);
                let answer = Answer::plain(choice);
                events.send(PlayerEvent::Answer { id: request.id, answer });
            }
            PlayerCommand::NewGame(_) => events.send(PlayerEvent::Prepared),
            PlayerCommand::Quit => break,
            PlayerCommand::Ponder(_)
            | PlayerCommand::Stop
            | PlayerCommand::ShareEntries { .. }
            | PlayerCommand::GameOver(_) => {}
        }
    }
}

fn choose(position: &Position, generator: &mut fastrand::Rng) -> Choice {
    let moves = position.legal_moves();
    match moves.get(generator.usize(..moves.len().max(1))) {
        Some(&mv) => Choice::Move(mv),
        None => Choice::Resign,
    }
}
