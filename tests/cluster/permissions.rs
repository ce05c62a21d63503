//! What a user may do with jobs, tried at a real server.

use std::sync::Arc;

use async_nats::jetstream;
use futures_util::TryStreamExt as _;
use kyomi::{
    cluster::{
        LinkState, NatsTransport, Room,
        jobs::{JobName, JobRole, Queue, try_permissions},
    },
    config::Config,
};
use serde_json::json;

use crate::{
    broker::{Broker, COORDINATOR_PASSWORD, PATIENCE, WORKER_PASSWORD},
    common::folder::Folder,
};

const SAMPLE: &str = include_str!("../../config/nats-server.conf");

async fn connected(broker: &Broker, role: &str, login: &str) -> Arc<NatsTransport> {
    let text = format!("[cluster]\nservers = [\"{}\"]\n{login}", broker.url());
    let config = Config::from_text("test", &text, [], &[]).unwrap().config.cluster.unwrap();
    let transport = NatsTransport::connect_to_try(&config, role).await.unwrap();
    assert_eq!(transport.wait_while_connecting(PATIENCE).await, LinkState::Connected);
    transport
}

/// What is missing, for each task in which something is.
async fn missing(
    broker: &Broker,
    (role, login): (JobRole, &str),
) -> Vec<(&'static str, Vec<String>)> {
    let name = if role == JobRole::Worker { "worker" } else { "check" };
    let transport = connected(broker, name, login).await;
    let tried = try_permissions(&transport, &Room::default(), role).await.expect("JetStream");
    let missing = tried.into_iter().filter(|it| !it.missing.is_empty());
    missing.map(|it| (it.task, it.missing)).collect()
}

fn user(name: &str, password: &str) -> String {
    format!("user = \"{name}\"\npassword = \"{password}\"")
}

#[tokio::test]
async fn the_users_of_the_sample_configuration_have_what_their_roles_need() {
    let folder = Folder::new();
    let coordinator = user("coordinator", COORDINATOR_PASSWORD);
    let worker = user("worker", WORKER_PASSWORD);
    // With the whole sample, and without some of its subjects.
    let create = "\"$JS.API.STREAM.CREATE.kyomi-kyomi-jobs\", ";
    let results = ", \"kyomi.kyomi.results.*\"";
    assert!(SAMPLE.contains(create) && SAMPLE.contains(results));
    let cut = SAMPLE.replace(create, "").replace(results, "");
    for (name, text) in [("whole.conf", SAMPLE), ("cut.conf", &cut)] {
        folder.write(name, text);
        let path = folder.path().join(name);
        let Some(broker) = Broker::start(&["-c", path.to_str().unwrap()]) else { return };
        let of_coordinator = missing(&broker, (JobRole::Coordinator, &coordinator)).await;
        let of_worker = missing(&broker, (JobRole::Worker, &worker)).await;
        if name == "whole.conf" {
            assert_eq!((of_coordinator, of_worker), (Vec::new(), Vec::new()));
            // In the other role nearly everything is missing.
            let tasks = missing(&broker, (JobRole::Coordinator, &worker)).await;
            assert!(tasks.iter().any(|(task, _)| *task == "receive answers"), "{tasks:?}");
            assert!(tasks.iter().any(|(task, _)| *task == "create the streams"), "{tasks:?}");
            assert!(!missing(&broker, (JobRole::Worker, &coordinator)).await.is_empty());
        } else {
            let stream = "publish $JS.API.STREAM.CREATE.kyomi-kyomi-jobs".to_owned();
            assert_eq!(of_coordinator, [("create the streams", vec![stream])]);
            let results = "publish kyomi.kyomi.results.*".to_owned();
            assert_eq!(of_worker, [("send results", vec![results])]);
        }
    }
}

#[tokio::test]
async fn the_trial_leaves_nothing_behind_and_does_not_touch_the_jobs() {
    let Some(broker) = Broker::start(&["-js", "-sd", "js"]) else { return };
    let try_both = async || {
        for role in [JobRole::Coordinator, JobRole::Worker] {
            assert_eq!(missing(&broker, (role, "")).await, Vec::new());
        }
    };
    try_both().await;
    let context = jetstream::new(async_nats::connect(broker.url()).await.unwrap());
    let names: Vec<String> = context.stream_names().try_collect().await.unwrap();
    assert_eq!(names, Vec::<String>::new());

    let queue = Queue::of_room(connected(&broker, "test", "").await, Room::default());
    let name = JobName { kind: "test", hash: "abc".to_owned(), run: "run1".to_owned() };
    queue.open(&name, std::time::Duration::from_secs(1)).await.unwrap();
    for id in 0..3 {
        queue.submit(&name, id, json!(id)).await.unwrap();
    }
    let state = async || {
        let mut state = Vec::new();
        for stream in ["kyomi-kyomi-jobs", "kyomi-kyomi-results"] {
            let stream = context.get_stream(stream).await.unwrap();
            let info = stream.cached_info();
            let consumers: Vec<String> = stream.consumer_names().try_collect().await.unwrap();
            state.push((format!("{:?} {:?}", info.config, info.state), consumers));
        }
        state
    };
    let before = state().await;
    assert!(before[0].0.contains("messages: 3"), "{before:?}");
    try_both().await;
    assert_eq!(state().await, before);
}

#[test]
fn the_check_says_what_jobs_lack() {
    let folder = Folder::new();
    let check = |broker: &Broker, user: &str, password: &str| {
        let url = format!("cluster.servers={}", broker.url());
        let user = format!("cluster.user={user}");
        let sets = ["--set", &user, "--set", "engine.hash=16MiB"];
        let mut command = folder.kyomi(&[&["check", "--set", &url], &sets[..]].concat());
        let output = command.env("KYOMI_CLUSTER_PASSWORD", password).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let purge = "\"$JS.API.STREAM.PURGE.kyomi-kyomi-jobs\"";
    assert!(SAMPLE.contains(purge));
    folder.write("cut.conf", SAMPLE.replace(purge, ""));
    let path = folder.path().join("cut.conf");
    let Some(broker) = Broker::start(&["-c", path.to_str().unwrap()]) else { return };
    let found = check(&broker, "coordinator", COORDINATOR_PASSWORD);
    for line in [
        "jobs: ok: to give out jobs: create the streams: allowed\n",
        "jobs: warning: to give out jobs: take back jobs: not allowed; missing: publish \
         $JS.API.STREAM.PURGE.kyomi-kyomi-jobs; remedy: ",
    ] {
        assert!(found.contains(line), "{line}: {found}");
    }
    let found = check(&broker, "worker", WORKER_PASSWORD);
    for line in [
        "jobs: ok: to do jobs: send results: allowed\n",
        "jobs: ok: this is a user for workers: it may not give out jobs\n",
    ] {
        assert!(found.contains(line), "{line}: {found}");
    }
    drop(broker);
    // A user with neither role is told what a coordinator lacks, and not taken for a worker.
    let guest = "{ user: guest, password: \"open\", permissions: { publish: [\"kyomi.kyomi.echo.*\"], subscribe: \
                 [\"kyomi.kyomi.echo.*\", \"_INBOX.guest.>\"] } }";
    let end = "permissions: $WORKER }\n";
    assert!(SAMPLE.contains(end));
    folder.write("guest.conf", SAMPLE.replace(end, &format!("{end}    {guest}\n")));
    let path = folder.path().join("guest.conf");
    let Some(broker) = Broker::start(&["-c", path.to_str().unwrap()]) else { return };
    let found = check(&broker, "guest", "open");
    let lines: Vec<_> = found.lines().filter(|line| line.starts_with("jobs: ")).collect();
    assert!(!lines.is_empty(), "{found}");
    for line in &lines {
        let not_allowed = line.starts_with("jobs: warning: to give out jobs: ")
            && line.contains(": not allowed; missing: ");
        assert!(not_allowed, "{line}");
    }
    drop(broker);
    let Some(broker) = Broker::start(&["--user", "anna", "--pass", "hush"]) else { return };
    let found = check(&broker, "anna", "hush");
    let line = "jobs: ok: this broker has no JetStream for this user: games work, jobs ";
    assert!(found.contains(line) && found.matches("\njobs: ").count() == 1, "{found}");
}
