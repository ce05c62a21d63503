//! A worker with a scripted engine and a scripted coordinator, on virtual time.

use std::sync::Arc;

use tokio::time::timeout;

use super::*;
use crate::cluster::{NetworkFaults, Subscription, Transport as _, VirtualNetwork};
use crate::players::{PlayerPort, pair};

const NETWORK: NetworkFaults =
    NetworkFaults { latency: Duration::from_millis(1), loss: 0.0, doubled: 0.0, seed: 1 };

/// The worker, its engine and its network, all but the first played by the test.
struct Stage {
    engine: PlayerPort,
    network: VirtualNetwork,
    room: Room,
    found: Subscription,
}

impl Stage {
    fn new() -> Self {
        let (player, engine) = pair();
        let network = VirtualNetwork::new(NETWORK);
        let room = Room::default();
        let found = network.subscribe(&room.to_coordinator("boss"));
        let card = WorkerCard {
            worker: "w".to_owned(),
            name: "host w".to_owned(),
            program: "1".to_owned(),
            engine: "kyomi".to_owned(),
            interest: true,
            search: 0,
            threads: 1,
            hash: 1,
            nps: 1,
            busy_for: None,
        };
        let transport = Arc::new(network.clone());
        tokio::spawn(serve(transport, player, room.clone(), card, CancellationToken::new()));
        Self { engine, network, room, found }
    }

    async fn say(&self, order: ToWorker) {
        // The worker has begun to listen, and messages do not overtake each other.
        tokio::time::sleep(2 * NETWORK.latency).await;
        self.network.publish(&self.room.to_worker("w"), order.write());
    }

    async fn search(&self, job: u64) {
        self.search_sharing(job, None).await;
    }

    async fn search_sharing(&self, job: u64, share: Option<u32>) {
        self.search_in_game(1, job, share).await;
    }

    async fn search_in_game(&self, game: u64, job: u64, share: Option<u32>) {
        self.say(ToWorker::Search {
            coordinator: "boss".to_owned(),
            game,
            job,
            position: "startpos".to_owned(),
            entering_king: EnteringKingRule::Points27,
            max_moves: None,
            share,
            lease_ms: 20_000,
        })
        .await;
    }

    /// The names of the commands that the engine got.
    fn commands(&mut self) -> Vec<&'static str> {
        let commands = std::iter::from_fn(|| self.engine.commands.try_recv().ok());
        let name = |command| match command {
            PlayerCommand::NewGame(_) => "new game",
            PlayerCommand::Ponder(_) => "ponder",
            PlayerCommand::Stop => "stop",
            other => panic!("{other:?}"),
        };
        commands.map(name).collect()
    }

    async fn stop(&self, job: u64) {
        self.say(ToWorker::Stop { coordinator: "boss".to_owned(), job }).await;
    }

    async fn release(&self) {
        self.say(ToWorker::Release { coordinator: "boss".to_owned() }).await;
    }

    /// The job of the next report; `None` if none comes soon.
    async fn report(&mut self) -> Option<u64> {
        let message = timeout(Duration::from_millis(100), self.found.recv()).await.ok()??;
        match FromWorker::read(&message.payload).unwrap() {
            FromWorker::Found(report) => Some(report.job),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn entries_of_the_table_are_given_and_sent() {
    let mut stage = Stage::new();
    stage.search_sharing(5, Some(3)).await;
    assert_eq!(stage.report().await, Some(5));
    let mut bytes = [7; SharedEntry::BYTES];
    bytes[SharedEntry::BYTES - 1] = 2;
    let known = vec![SharedEntry::from_bytes(bytes).unwrap()];
    for game in [2, 1] {
        let (coordinator, entries) = ("boss".to_owned(), entries_text(&known));
        stage.say(ToWorker::Entries { coordinator, game, entries }).await;
    }
    tokio::time::sleep(3 * EXCHANGE_INTERVAL).await;
    let mut given = Vec::new();
    while let Ok(command) = stage.engine.commands.try_recv() {
        if let PlayerCommand::ShareEntries { first_thread, entries } = command {
            assert_eq!(first_thread, 3);
            given.extend(entries);
        }
    }
    assert_eq!(given, known, "those of another game are dropped");
    stage.engine.events.send(PlayerEvent::Entries(known.clone()));
    let sent = loop {
        let message = stage.found.recv().await.unwrap();
        if let FromWorker::Entries { worker, job: 5, game, entries } =
            FromWorker::read(&message.payload).unwrap()
        {
            break (worker, game, entries);
        }
    };
    assert_eq!(sent, ("w".to_owned(), 1, entries_text(&known)));
}

#[tokio::test(start_paused = true)]
async fn a_released_worker_takes_the_next_job() {
    let mut stage = Stage::new();
    stage.search(5).await;
    assert_eq!(stage.report().await, Some(5));
    stage.stop(5).await;
    stage.release().await;
    stage.release().await;
    stage.search(6).await;
    assert_eq!(stage.report().await, Some(6));
    // The order to stop is lost.
    stage.release().await;
    stage.release().await;
    stage.search(6).await;
    assert_eq!(stage.report().await, None, "the job is over");
    stage.search(7).await;
    assert_eq!(stage.report().await, Some(7));
}

#[tokio::test(start_paused = true)]
async fn orders_for_jobs_that_are_over_come_too_late() {
    let mut stage = Stage::new();
    stage.stop(5).await;
    stage.search(5).await;
    stage.search(4).await;
    assert_eq!(stage.report().await, None);
    assert!(stage.engine.commands.try_recv().is_err(), "the engine is not asked");
    stage.search(6).await;
    assert_eq!(stage.report().await, Some(6));
}

#[tokio::test(start_paused = true)]
async fn absurd_numbers_of_jobs_change_nothing() {
    let mut stage = Stage::new();
    stage.stop(u64::MAX).await;
    stage.search(u64::MAX).await;
    stage.release().await;
    assert_eq!(stage.report().await, None);
    stage.search(1).await;
    assert_eq!(stage.report().await, Some(1));
}

#[tokio::test(start_paused = true)]
async fn new_games_come_no_faster_than_the_engine_prepares_for_them() {
    let mut stage = Stage::new();
    for game in 1..=50 {
        stage.search_in_game(game, game, None).await;
        assert_eq!(stage.report().await, Some(game), "each order is confirmed");
    }
    assert_eq!(stage.commands(), ["new game", "ponder", "stop"]);
    stage.engine.events.send(PlayerEvent::Prepared);
    tokio::time::sleep(NETWORK.latency).await;
    assert_eq!(stage.commands(), ["new game", "ponder"], "those of the last order");
    stage.engine.events.send(PlayerEvent::Prepared);
    // Another position of the same game needs no preparation.
    stage.search_in_game(50, 51, None).await;
    assert_eq!(stage.report().await, Some(51));
    assert_eq!(stage.commands(), ["ponder"]);
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_does_not_say_that_it_is_prepared_is_not_waited_for_long() {
    let mut stage = Stage::new();
    for order in 1..=2 {
        stage.search_in_game(order, order, None).await;
        assert_eq!(stage.report().await, Some(order));
    }
    assert_eq!(stage.commands(), ["new game", "ponder", "stop"]);
    tokio::time::sleep(LONGEST_PREPARATION).await;
    stage.search_in_game(2, 2, None).await;
    assert_eq!(stage.report().await, Some(2));
    assert_eq!(stage.commands(), ["new game", "ponder"]);
    stage.stop(2).await;
    assert_eq!(stage.report().await, None);
    assert_eq!(stage.commands(), ["stop"]);
}

#[tokio::test(start_paused = true)]
async fn an_order_that_is_replaced_while_the_engine_prepares_is_never_begun() {
    let mut stage = Stage::new();
    for order in 1..=2 {
        stage.search_in_game(order, order, None).await;
        assert_eq!(stage.report().await, Some(order));
    }
    tokio::time::sleep(LONGEST_PREPARATION).await;
    stage.search_in_game(3, 3, None).await;
    assert_eq!(stage.report().await, Some(3));
    assert_eq!(stage.commands(), ["new game", "ponder", "stop", "new game", "ponder"]);
    stage.engine.events.send(PlayerEvent::Prepared);
    // The lease is renewed.
    stage.search_in_game(3, 3, None).await;
    assert_eq!(stage.report().await, Some(3));
    assert!(stage.commands().is_empty(), "the search of the third order goes on");
}
