//! The server: started, killed, started again with or without its games.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use kyomi_csa::server::ServerSettings;
use kyomi_shogi::EndReason;

use crate::{
    server::MemoryServer,
    watch::{Report, Reports, Watchers},
};

use super::world::{ACCOUNTS, World, own_name};

/// Starts the server, with the games of the last one or without.
pub(super) async fn start(world: &World, goes_on: bool) {
    let number = {
        let mut state = world.state();
        state.servers += u32::from(!goes_on);
        state.servers
    };
    let mut random = world.random(500 + u64::from(number));
    let start = match random.u32(..10) {
        // A king that has entered, and one that is nearly mated.
        0 => Some("1+R+R1K+B+B2/GGGGSS3/9/9/9/9/9/9/8k w 2P 1".to_owned()),
        1 => Some("7nk/9/7G1/9/9/9/9/9/4K4 b G 1".to_owned()),
        _ => None,
    };
    let mut settings = ServerSettings {
        address: ([127, 0, 0, 1], 4081).into(),
        resume_time: Duration::from_secs(900),
        records: Some(world.folder.join(format!("server{number}"))),
        start,
        ..ServerSettings::default()
    };
    if random.u32(..5) == 0 {
        settings.rules.max_moves = 40;
    }
    let watchers = Watchers::new();
    tokio::spawn(follow(world.clone(), watchers.subscribe()));
    let server = MemoryServer::start(settings, watchers, world.clock).await;
    let mut state = world.state();
    state.up_since[0] = Some(Instant::now());
    state.server = Some(server);
}

/// Kills the server, and starts it again later.
pub(super) async fn restart(world: &World, down: Duration, forgets: bool) {
    let Some(server) = world.state().server.take() else { return };
    world.note(format!("the server is killed for {down:?}, forgets: {forgets}"));
    for account in 0..ACCOUNTS {
        world.line_is(&own_name(account), false);
    }
    server.kill().await;
    sleep(down).await;
    start(world, !forgets).await;
}

/// Notes the games that our side loses on time, while its line is whole.
async fn follow(world: World, mut reports: Reports) {
    let mut names = std::collections::HashMap::new();
    while let Some(report) = reports.next().await {
        match report {
            Report::GameStarted { number, names: players, game_id, .. } => {
                names.insert(number, (players, game_id));
            }
            Report::GameEnded { number, end, .. } => {
                let Some((players, game_id)) = names.remove(&number) else { continue };
                let loser = &players[end.side_to_move.index()];
                if end.reason == EndReason::TimeUp && loser.starts_with("own") {
                    lost_on_time(&world, loser, &game_id);
                }
            }
            _ => {}
        }
    }
}

/// A game may be lost on time only while something outside of the client kept it from its line, or shortly after.
fn lost_on_time(world: &World, name: &str, game_id: &str) {
    let text = format!("{name} lost {game_id} on time");
    match world
        .could_connect_since(name)
        .map(|since| Instant::now().saturating_duration_since(since))
    {
        None => world.wrong(format!("{text} over a whole line")),
        Some(time) if time > SOON => world.wrong(format!("{text} and was away for {time:?}")),
        Some(time) => {
            world.count("time lost without a line");
            world.note(format!("{text}, {time:?} after it could connect"));
        }
    }
}

/// The longest pause before another login while a game may run, and a login.
const SOON: Duration = Duration::from_secs(32);
