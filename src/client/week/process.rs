//! The client as a process: started, killed, started again with the same folder.

use std::{fs, sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    client::{Account, Shutdown, run, send_request},
    config::Config,
    server::wait_until_unlocked,
    watch::{Report, Reports},
};

use super::{
    network::outside,
    world::{ACCOUNTS, Client, World, account_of, game_name, own_name},
};

/// The configuration of the client. From four to six in the morning it plays no games.
fn config(world: &World) -> Config {
    let folder = world.folder.display();
    let accounts = (0..ACCOUNTS).map(|account| {
        let (name, game) = (own_name(account), game_name(account));
        format!(
            "[[account]]\n[account.server]\nname = \"{name}\"\ngame = \"{game}\"\n\
             [account.engine.options]\nSeed = {account}\n"
        )
    });
    let accounts = accounts.collect::<Vec<_>>().concat();
    let text = format!(
        "games = 0\n[server]\nhost = \"127.0.0.1\"\nport = 4081\nprofile = \"kyomi\"\npassword = \"x\"\n\
         [engine]\nkind = \"random\"\n[[fallback]]\nkind = \"random\"\n\
         [records]\ndir = \"{folder}/games\"\nindex = \"{folder}/games.db\"\n\
         [control]\nsocket = \"{folder}/socket\"\n\
         [schedule]\nwindows = [\"0:00-4:00\", \"6:00-24:00\"]\n{accounts}"
    );
    Config::from_text("week", &text, [], &[]).unwrap().config
}

/// Starts the client.
pub(super) fn start(world: &World) {
    let config = config(world);
    let (mut accounts, _) = Account::all(&config);
    let life = CancellationToken::new();
    for (number, account) in accounts.iter_mut().enumerate() {
        account.surroundings.clock = world.clock;
        account.surroundings.simulated = Some(outside(world));
        let following = Following {
            world: world.clone(),
            account: number,
            game_id: String::new(),
            disk_was_slow: false,
        };
        let reports = account.watchers.subscribe();
        world.spawn("what notes the client's reports", following.all(reports, life.clone()));
    }
    let client = world.clone();
    let running = tokio::spawn(async move {
        let read = Arc::new(|| Err("there is no file".to_owned()));
        let done = Box::pin(run(accounts, &config.control, read, Shutdown::default())).await;
        client.wrong(format!("the client has ended: {done:?}"));
        done
    });
    let mut state = world.state();
    state.up_since[1] = Some(Instant::now());
    state.client = Some(Client { running, life });
}

/// Kills the client: its tasks end wherever they are, and its threads with what they were told.
pub(super) async fn kill(world: &World) {
    let Some(Client { running, life }) = world.state().client.take() else { return };
    world.state().kills.push(Instant::now());
    life.cancel();
    running.abort();
    let _ = running.await;
    // Its tasks are dropped in their next turn. Time passes only when no task waits for its recorder any more.
    sleep(Duration::from_millis(1)).await;
    wait_until_unlocked(&world.folder.join("games"));
}

/// Kills the client, and starts it again later.
pub(super) async fn restart(world: &World, down: Duration) {
    if world.state().client.is_none() {
        return;
    }
    world.note(format!("the client is killed for {down:?}"));
    kill(world).await;
    sleep(down).await;
    age_journals(world);
    start(world);
}

/// Sets the times of the journals to those of the simulated clock.
fn age_journals(world: &World) {
    let entries = fs::read_dir(world.folder.join("games")).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let is_journal = path.extension().is_some_and(|extension| extension == "part");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let account = name.split(['_', '.']).find_map(account_of);
        if let (true, Some(account)) = (is_journal, account) {
            let written = world.ledger.last_written(account);
            let file = fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(written).unwrap();
        }
    }
}

/// Lets both players of an account propose to suspend their game: of this one, or the next one with a game.
pub(super) async fn suspend(world: &World, account: usize) {
    for account in (0..ACCOUNTS).map(|next| (account + next) % ACCOUNTS) {
        let request = format!("account {} suspend", own_name(account));
        let answer = send_request(&world.folder.join("socket"), &request).await;
        if answer.is_ok_and(|answer| answer.contains("is asked")) {
            world.note(format!("own{account} and its opponent want to suspend their game"));
            world.state().suspending[account] = true;
            return;
        }
    }
}

/// Notes what the client reports of an account.
struct Following {
    world: World,
    account: usize,
    /// Its latest game.
    game_id: String,
    /// The machine was so busy that the client did not wait for its record.
    disk_was_slow: bool,
}

impl Following {
    async fn all(mut self, mut reports: Reports, life: CancellationToken) {
        while let Some(report) = reports.next().await {
            self.note(report);
        }
        if !life.is_cancelled() {
            self.world.wrong(format!("own{} has ended", self.account));
        }
    }

    fn note(&mut self, report: Report) {
        let Self { world, account, .. } = self;
        match report {
            Report::GameStarted { game_id, continued, .. } => {
                world.note(format!("own{account} begins {game_id}, continued: {continued}"));
                world.ledger.begun(world, *account, &game_id);
                self.game_id = game_id;
            }
            Report::Moved { event, .. } => {
                world.ledger.moved(world, *account, &self.game_id, event.ply as usize);
            }
            Report::Suspended { .. } => world.count(SUSPENDED),
            Report::GameEnded { end, record, .. } => {
                world.note(format!("own{account} ends by {}", end.reason));
                match record {
                    Some(record) => world.ledger.finished(record),
                    // It is written later, and compared at the end.
                    None if self.disk_was_slow => world.count("record written later"),
                    None => world.wrong(format!("own{account}: a game without a record")),
                }
            }
            Report::Snapshot { missed, .. } if missed > 0 => {
                world.wrong(format!("own{account}: {missed} reports missed"));
            }
            Report::Warning(text) => {
                self.disk_was_slow |= text.starts_with("the disk of the records does not answer");
                world.note(format!("own{account} warns: {text}"));
            }
            Report::Pausing { pause, reason } => {
                world.note(format!("own{account} pauses {pause:?}: {reason}"));
            }
            Report::Sleeping { .. } => world.note(format!("own{account} sleeps")),
            _ => {}
        }
    }
}

/// The server has suspended a game. Our server does not offer such a game again.
pub(super) const SUSPENDED: &str = "suspended";
