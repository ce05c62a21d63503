//! Jobs through a real server: workers and the broker that die, and matches that workers play.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{BufRead as _, BufReader},
    path::Path,
    process::Stdio,
    time::Duration,
};

use kyomi::{
    cluster::{
        LinkState, NatsTransport, Transport as _,
        jobs::{JobName, JobOutcome, Jobs, Queue, work},
    },
    config::Config,
};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::{
    broker::{Broker, COORDINATOR_PASSWORD, PATIENCE, WORKER_PASSWORD},
    common::folder::Folder,
    room::{AloneAndTogether, workers},
};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/config/nats-server.conf");

/// The queue of the room `kyomi` as one of the users of the sample configuration.
async fn queue(broker: &Broker, user: &str, password: &str) -> Queue {
    let text = format!(
        "[cluster]\nservers = [\"{}\"]\nuser = \"{user}\"\npassword = \"{password}\"",
        broker.url()
    );
    let config = Config::from_text("test", &text, [], &[]).unwrap().config.cluster.unwrap();
    let transport = NatsTransport::connect(&config, user).await.unwrap();
    assert_eq!(transport.wait_while_connecting(PATIENCE).await, LinkState::Connected);
    assert!(transport.state().borrow().eq(&LinkState::Connected));
    Queue::of_room(transport, "kyomi".parse().unwrap())
}

fn name() -> JobName {
    JobName { kind: "test", hash: "abc".to_owned(), run: "run1".to_owned() }
}

fn jobs(worker: &str) -> Jobs {
    Jobs { kinds: vec!["test"], hash: "abc".to_owned(), worker: worker.to_owned() }
}

#[tokio::test]
async fn every_job_is_done_though_workers_and_the_broker_die() {
    const ALL: u64 = 40;
    let Some(mut broker) = Broker::start(&["-c", SAMPLE]) else { return };
    let coordinator = queue(&broker, "coordinator", COORDINATOR_PASSWORD).await;
    let lease = Duration::from_secs(1);
    coordinator.open(&name(), lease).await.unwrap();
    for id in 0..ALL {
        coordinator.submit(&name(), id, json!(id)).await.unwrap();
    }
    let double = async |_: &'static str, work: Value| {
        sleep(Duration::from_millis(20)).await;
        Ok(json!(work.as_u64().unwrap() * 2))
    };
    // It takes a job and dies with it.
    let dying = queue(&broker, "worker", WORKER_PASSWORD).await;
    let taken = Notify::new();
    let never = async |_: &'static str, _: Value| {
        taken.notify_one();
        std::future::pending().await
    };
    tokio::select! {
        () = work(dying, jobs("dying"), never, CancellationToken::new()) => unreachable!(),
        taken = timeout(PATIENCE, taken.notified()) => taken.unwrap(),
    }

    let stop = CancellationToken::new();
    let living = queue(&broker, "worker", WORKER_PASSWORD).await;
    let collecting = async {
        let collector = coordinator.collect("run1").await.unwrap();
        let mut found = BTreeSet::new();
        let mut restarted = false;
        while found.len() < ALL as usize {
            match collector.next(Duration::from_millis(500)).await {
                Ok(Some(collected)) => {
                    assert_eq!(collected.outcome, JobOutcome::Done(json!(collected.id * 2)));
                    found.insert(collected.id);
                    collected.acknowledge().await;
                }
                Ok(None) => {}
                Err(_) => sleep(Duration::from_millis(100)).await,
            }
            if found.len() >= 10 && !restarted {
                restarted = true;
                broker.kill();
                broker.restart();
            }
        }
        stop.cancel();
        found
    };
    let working = work(living, jobs("living"), double, stop.clone());
    let both = Box::pin(async { tokio::join!(collecting, working) });
    let (found, ()) = timeout(PATIENCE, both).await.unwrap();
    assert_eq!(found, (0..ALL).collect());
    coordinator.forget(&name()).await.unwrap();
}

#[tokio::test]
async fn a_job_that_cannot_be_done_comes_back_with_the_reason() {
    let Some(broker) = Broker::start(&["-c", SAMPLE]) else { return };
    let coordinator = queue(&broker, "coordinator", COORDINATOR_PASSWORD).await;
    coordinator.open(&name(), Duration::from_secs(10)).await.unwrap();
    coordinator.submit(&name(), 7, Value::Null).await.unwrap();
    let collector = coordinator.collect("run1").await.unwrap();
    let worker = queue(&broker, "worker", WORKER_PASSWORD).await;
    let refuse = async |_: &'static str, _: Value| Err("no \u{1b}[31mreason".to_owned());
    let stop = CancellationToken::new();
    let working = work(worker, jobs("w"), refuse, stop.clone());
    let collecting = async {
        let collected = collector.next(PATIENCE).await.unwrap().unwrap();
        collected.acknowledge().await;
        stop.cancel();
        collected
    };
    let (collected, ()) = tokio::join!(collecting, working);
    assert_eq!((collected.id, collected.worker.as_str()), (7, "w"));
    assert_eq!(collected.outcome, JobOutcome::Failed("no [31mreason".to_owned()));
}

#[tokio::test]
async fn what_is_taken_back_is_not_done() {
    let Some(broker) = Broker::start(&["-c", SAMPLE]) else { return };
    let coordinator = queue(&broker, "coordinator", COORDINATOR_PASSWORD).await;
    coordinator.open(&name(), Duration::from_secs(10)).await.unwrap();
    let other = JobName { run: "run2".to_owned(), ..name() };
    coordinator.open(&other, Duration::from_secs(10)).await.unwrap();
    coordinator.submit(&name(), 1, Value::Null).await.unwrap();
    coordinator.submit(&other, 2, Value::Null).await.unwrap();
    coordinator.withdraw(&name()).await.unwrap();
    let worker = queue(&broker, "worker", WORKER_PASSWORD).await;
    let stop = CancellationToken::new();
    let working =
        work(worker, jobs("w"), async |_: &'static str, _: Value| Ok(Value::Null), stop.clone());
    let collecting = async {
        let collected = coordinator.collect("run2").await.unwrap().next(PATIENCE).await;
        assert_eq!(collected.unwrap().unwrap().id, 2);
        let collector = coordinator.collect("run1").await.unwrap();
        assert!(collector.next(Duration::from_millis(300)).await.unwrap().is_none());
        stop.cancel();
    };
    tokio::join!(collecting, working);
}

/// The moves and the result of each game in the folder of a match.
fn games(folder: &Path) -> BTreeMap<u64, (Vec<String>, String)> {
    let text = std::fs::read_to_string(folder.join("results.jsonl")).unwrap();
    let game = |line: &str| {
        let game: Value = serde_json::from_str(line).unwrap();
        let turns = game["turns"].as_array().unwrap().iter();
        let moves = turns.map(|turn| turn["answer"].to_string()).collect();
        (game["game"].as_u64().unwrap(), (moves, game["result"].to_string()))
    };
    let games: Vec<_> = text.lines().map(game).collect();
    let number = games.len();
    let games = BTreeMap::from_iter(games);
    assert_eq!(games.len(), number, "a game is there twice");
    games
}

#[test]
fn a_match_of_fixed_nodes_has_the_same_games_whoever_plays_them() {
    let Some(broker) = Broker::start(&["-c", SAMPLE]) else { return };
    let folder = Folder::new();
    let match_of = |out: &str, more: &[&str]| {
        let fixed = ["match", "--a", "builtin", "--b", "builtin Plies_Prior=0 hash=4"];
        let rest = ["--tc", "nodes=300", "--games", "6", "--max-moves", "60", "--out", out];
        let mut command = folder.kyomi(&[&fixed, &rest[..], more].concat());
        command.env("KYOMI_CLUSTER_PASSWORD", COORDINATOR_PASSWORD);
        let output = command.output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{errors}");
    };
    match_of("alone", &[]);
    let workers = workers(&folder, &broker);
    let servers = format!("cluster.servers={}", broker.url());
    let set = ["--room", "kyomi", "--set", &servers, "--set", "cluster.user=coordinator"];
    match_of("together", &set);
    assert_eq!(games(&folder.path().join("together")), games(&folder.path().join("alone")));
    let records = std::fs::read_dir(folder.path().join("together/games")).unwrap();
    assert_eq!(records.count(), 6);
    drop(workers);

    // What names a program is refused before anything is given out.
    let usi = ["match", "--a", "builtin", "--b", "usi path=/bin/true", "--tc", "nodes=3"];
    let mut command = folder.kyomi(&[&usi, &set[..]].concat());
    let output = command.env("KYOMI_CLUSTER_PASSWORD", COORDINATOR_PASSWORD).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("builtin and random players only"), "{error}");
}

#[test]
fn analysis_is_the_same_whoever_does_the_work() {
    let Some(both) = AloneAndTogether::start() else { return };
    for home in &both.homes {
        home.write("game.csa", include_str!("../data/csa_samples/own_01_mate.csa"));
    }
    both.run(&["analyze", "game.csa", "--nodes", "500", "--to", "json", "--no-store"]);
    assert!(both.same_lines("game.analysis.json") > 0);
}

#[tokio::test]
async fn a_worker_says_that_the_jobs_are_for_another_program() {
    let Some(broker) = Broker::start(&["-c", SAMPLE]) else { return };
    let coordinator = queue(&broker, "coordinator", COORDINATOR_PASSWORD).await;
    let name = JobName { kind: "match", hash: "0123".to_owned(), run: "run1".to_owned() };
    coordinator.open(&name, Duration::from_secs(10)).await.unwrap();
    coordinator.submit(&name, 1, Value::Null).await.unwrap();
    let folder = Folder::new();
    let arguments = ["worker", "--jobs", "1", "--set", "cluster.user=worker", &broker.url()];
    let mut command = folder.kyomi(&arguments);
    command.env("KYOMI_CLUSTER_PASSWORD", WORKER_PASSWORD);
    let mut worker = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(worker.stderr.take().unwrap()).lines();
    let reading = tokio::task::spawn_blocking(|| {
        lines.map_while(Result::ok).find(|line| line.contains("the program 0123"))
    });
    let warning = timeout(PATIENCE, reading).await;
    let _ = (worker.kill(), worker.wait());
    let warning = warning.expect("a warning in time").unwrap().unwrap();
    assert!(warning.contains("workers need the same kyomi"), "{warning}");
}
