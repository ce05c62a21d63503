//! The server: started, killed, started again with or without its games.

use std::{collections::HashMap, time::Duration};

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use kyomi_csa::server::ServerSettings;
use kyomi_shogi::{EndReason, GameEnd};

use crate::{
    server::MemoryServer,
    watch::{Report, Reports, Watchers},
};

use super::world::{World, account_of};

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
    let reports = watchers.subscribe();
    let server = MemoryServer::start(settings, watchers, world.clock).await;
    let following = follow(world.clone(), reports, server.life.clone());
    world.spawn("what notes the server's reports", following);
    let mut state = world.state();
    state.up_since[0] = Some(Instant::now());
    state.server = Some(server);
}

/// Kills the server, and starts it again later.
pub(super) async fn restart(world: &World, down: Duration, forgets: bool) {
    let Some(server) = world.state().server.take() else { return };
    world.note(format!("the server is killed for {down:?}, forgets: {forgets}"));
    world.state().lines.cut_all();
    server.kill().await;
    if forgets {
        world.state().hosted.forget();
    }
    sleep(down).await;
    start(world, !forgets).await;
}

/// Notes the games of a server until it is killed.
async fn follow(world: World, mut reports: Reports, life: CancellationToken) {
    let mut games = HashMap::new();
    while let Some(report) = reports.next().await {
        match report {
            Report::GameStarted { number, names, game_id, .. } => {
                if !world.state().hosted.begin(&game_id) {
                    world.wrong(format!("the server begins another game {game_id}"));
                }
                games.insert(number, (names, game_id));
            }
            Report::Moved { number, .. } => {
                if let Some((_, game_id)) = games.get(&number) {
                    world.state().hosted.moved(game_id);
                }
            }
            Report::GameEnded { number, end, .. } => match games.remove(&number) {
                Some((names, game_id)) => ended(&world, &names, &game_id, &end),
                None => world.wrong(format!("game {number} of the server ended without beginning")),
            },
            Report::Snapshot { missed, .. } if missed > 0 => {
                world.wrong(format!("{missed} reports of the server missed"));
            }
            _ => {}
        }
    }
    if !life.is_cancelled() {
        world.wrong("the server has ended".to_owned());
    }
}

/// Notes the end of a game, and whether our player could know it.
fn ended(world: &World, names: &[String; 2], game_id: &str, end: &GameEnd) {
    let own = names.iter().find(|name| name.starts_with("own"));
    let away = own.and_then(|own| world.away_for(own));
    world.state().hosted.end(game_id, away, end.winner.is_none());
    let loser = end.loser().map(|color| &names[color.index()]);
    let is_by_absence = match end.reason {
        EndReason::TimeUp | EndReason::Disconnected => own == loser,
        // A player did not come back to a server that was started again.
        EndReason::Interrupted => away.is_some(),
        _ => false,
    };
    if let Some(own) = own.filter(|_| is_by_absence) {
        if away.is_none() && began_late(world, own, game_id) {
            world.count("lost after a late move");
            return;
        }
        lost_by_absence(world, &format!("{own} lost {game_id} by {}", end.reason), away);
    }
}

/// Whether the line held back what was sent in this turn, so that our player knew of it late, and its engine hung in it,
/// so that all of the clock was used.
fn began_late(world: &World, own: &str, game_id: &str) -> bool {
    let state = world.state();
    let turn_since = state.hosted.get(game_id).map(|game| game.turn_since);
    turn_since.is_some_and(|since| {
        let hung = account_of(own).and_then(|account| state.hung[account]);
        state.lines.was_slow_after(own, since) && hung.is_some_and(|at| at >= since)
    })
}

/// A game may be lost so only while something outside of the client kept it from its line, or shortly after.
fn lost_by_absence(world: &World, text: &str, away: Option<Duration>) {
    match away {
        None => world.wrong(format!("{text} over a whole line")),
        Some(time) if time > SOON => world.wrong(format!("{text} and was away for {time:?}")),
        Some(time) => {
            world.count("lost without a line");
            world.note(format!("{text}, {time:?} after it could connect"));
        }
    }
}

/// The longest pause before another login while a game may run, and a login.
pub(super) const SOON: Duration = Duration::from_secs(32);
