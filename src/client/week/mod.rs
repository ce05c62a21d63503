//! A week alone: the client with eight accounts on our server, in simulated time, with everything that goes wrong.
//!
//! Client, server, records, journals, index and log are the real ones. Simulated are the time, the lines between client
//! and server, the engines and the opponents. All of them follow from a seed, except the order of what happens at the
//! same moment, which the runtime chooses.
//!
//! | file | contents |
//! |---|---|
//! | `plan` | when what fails, by the seed |
//! | `world` | what all parts share: the time, what is broken now, what has happened |
//! | `network`, `lines` | connections, how they break, and which are whole now |
//! | `engine`, `opponent`, `moves` | scripted players |
//! | `process` | the client: started, killed, started again |
//! | `host`, `hosted` | the server: started, killed, started again with or without its games; and its games |
//! | `gauges` | memory, descriptors, tasks, files, index and log at the end of each day |
//! | `ledger` | what became of each game, from the records of both sides |
//!
//! `cargo test` plays one day of one seed. The whole week of ten seeds:
//!
//! ```text
//! KYOMI_WEEK_SEEDS=1..=10 cargo test -p kyomi --lib week::ten_seeds -- --ignored --nocapture
//! ```

mod engine;
mod gauges;
mod host;
mod hosted;
mod ledger;
mod lines;
mod moves;
mod network;
mod opponent;
mod plan;
mod process;
mod world;

use std::time::Duration;

use tokio::time::sleep_until;

use gauges::Gauges;
use plan::Fault;
use world::{ACCOUNTS, World};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// The day ends when all games are over, in the hours without games.
const BEFORE_MIDNIGHT: Duration = Duration::from_secs(600);

/// Plays this number of days with this seed. Returns a line with the figures.
///
/// # Panics
/// Something went wrong that must not; the seed and the last events are in the text.
fn play(seed: u64, days: u32) -> String {
    fastrand::seed(seed);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let folder = world::folder();
    let log = gauges::Log::start(folder.path());
    let text = log.during(|| runtime.unwrap().block_on(days_of(seed, days, folder.path())));
    format!("{text}, {}", log.text())
}

async fn days_of(seed: u64, days: u32, folder: &std::path::Path) -> String {
    let real = std::time::Instant::now();
    let world = World::new(seed, folder);
    host::start(&world, false).await;
    process::start(&world);
    for account in 0..ACCOUNTS {
        world.spawn("an opponent", opponent::oppose(world.clone(), account));
    }
    world.spawn("the plan", follow_plan(world.clone(), plan::plan(seed, days)));
    let mut measured: Vec<Gauges> = Vec::new();
    for day in 1..=days {
        sleep_until(world.began() + DAY * day - BEFORE_MIDNIGHT).await;
        let now = Gauges::measure(&world);
        world.note(format!("day {day}: {now}"));
        now.check(measured.first(), &world);
        world.ledger.close_day(&world);
        world.check();
        measured.push(now);
    }
    process::kill(&world).await;
    let summary = world.ledger.close(&world);
    check_enough(&world, days, summary.games);
    world.check();
    let [first, last] = [measured.first(), measured.last()].map(|it| it.unwrap().to_string());
    format!(
        "seed {seed}: {summary}, faults {:?}, first day {first}, last day {last}, {:.1} s",
        world.faults(),
        real.elapsed().as_secs_f64()
    )
}

/// A week without games, or without a suspended one, shows nothing.
fn check_enough(world: &World, days: u32, games: u32) {
    if days < 7 {
        return;
    }
    if games < LEAST_GAMES {
        world.wrong(format!("only {games} games"));
    }
    if !world.faults().contains_key(process::SUSPENDED) {
        world.wrong("no game was suspended".to_owned());
    }
}

/// The least number of games in a week.
const LEAST_GAMES: u32 = 2000;

/// Lets happen what is planned, each at its time.
async fn follow_plan(world: World, plan: Vec<(Duration, Fault)>) {
    for (at, fault) in plan {
        sleep_until(world.began() + at).await;
        world.count(fault.name());
        world.spawn(fault.name(), let_happen(world.clone(), fault));
    }
}

async fn let_happen(world: World, fault: Fault) {
    match fault {
        Fault::ServerKilled { down, forgets } => host::restart(&world, down, forgets).await,
        Fault::ClientKilled { down } => process::restart(&world, down).await,
        Fault::Unreachable { for_time } => world.unreachable_for(for_time),
        Fault::LoginsRefused { for_time } => world.refuses_for(for_time),
        Fault::WallClockSet { seconds } => world.set_wall_clock(seconds),
        Fault::Suspension { account } => process::suspend(&world, account).await,
    }
}

/// The seeds of `KYOMI_WEEK_SEEDS`: `3`, or `1..=10`.
fn seeds() -> Vec<u64> {
    let text = std::env::var("KYOMI_WEEK_SEEDS").unwrap_or_else(|_| "1..=10".to_owned());
    let number = |text: &str| text.trim().parse().expect("KYOMI_WEEK_SEEDS: 3, or 1..=10");
    match text.split_once("..=") {
        Some((first, last)) => (number(first)..=number(last)).collect(),
        None => vec![number(&text)],
    }
}

#[test]
fn one_day() {
    play(1, 1);
}

#[test]
#[ignore = "it takes minutes"]
#[allow(clippy::print_stdout, reason = "its figures are for people")]
fn ten_seeds() {
    let real = std::time::Instant::now();
    for seed in seeds() {
        println!("{}", play(seed, 7));
    }
    println!("all: {:.0} s", real.elapsed().as_secs_f64());
}
