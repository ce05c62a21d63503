//! `kyomi worker` and the broker's part of `kyomi check`, as processes.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
};

use crate::{
    broker::{Broker, COORDINATOR_PASSWORD, WORKER_PASSWORD},
    common::folder::Folder,
};

/// A running `kyomi worker`, killed with this value.
struct Worker {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Worker {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let fixed = ["worker", "--threads", "1", "--hash", "16MiB", "--name", "attic"];
        let mut command = folder.kyomi(&[&fixed, arguments].concat());
        command.env("KYOMI_CLUSTER_PASSWORD", WORKER_PASSWORD);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = (self.child.kill(), self.child.wait());
    }
}

#[test]
fn a_worker_is_found_by_the_check_and_leaves_when_asked() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/config/nats-server.conf");
    let Some(mut broker) = Broker::start(&["-c", sample]) else { return };
    let folder = Folder::new();
    let mut worker = Worker::start(&folder, &["--set", "cluster.user=worker", &broker.url()]);
    let ready = worker.line();
    let rest = ready.strip_prefix("ready attic threads 1 hash 16 MiB nps ").unwrap_or(&ready);
    assert!(rest.trim().parse::<u64>().unwrap() > 0, "{ready}");
    assert_eq!(worker.line(), format!("connected {} room kyomi\n", broker.url()));
    // After a restart of the broker it is there again.
    broker.kill();
    broker.restart();
    assert_eq!(worker.line(), format!("connected {} room kyomi\n", broker.url()));

    let check = |password: &str| {
        let url = format!("cluster.servers={}", broker.url());
        let sets = ["--set", "cluster.user=coordinator", "--set", "engine.hash=16MiB"];
        let mut command = folder.kyomi(&[&["check", "--set", &url], &sets[..]].concat());
        let output = command.env("KYOMI_CLUSTER_PASSWORD", password).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, found, errors) = check(COORDINATOR_PASSWORD);
    assert_eq!(code, Some(0), "{found}{errors}");
    for words in [
        "broker: ok: ",
        "round trip median",
        "worker: ok: attic: ",
        "workers: ok: 1 in room kyomi: 1 threads",
    ] {
        assert!(found.contains(words), "{words}: {found}");
    }
    assert!(!found.contains("permissions"), "{found}");
    let (code, found, errors) = check("wrong-hush");
    assert_eq!(code, Some(1), "{found}{errors}");
    assert!(found.contains("broker: failed: ") && found.contains("login is refused"), "{found}");
    assert!(found.contains("remedy: check cluster.user"), "{found}");
    assert!(!found.contains("hush") && !errors.contains("hush"), "{found}{errors}");

    let pid = worker.child.id().to_string();
    assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
    assert_eq!(worker.child.wait().unwrap().code(), Some(0));
    let log = std::fs::read_dir(folder.path().join("logs")).unwrap();
    for file in log.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        assert!(!std::fs::read_to_string(file).unwrap().contains("hush"));
    }
}

#[test]
fn a_worker_of_no_broker_and_a_password_in_an_address_are_refused() {
    let folder = Folder::new();
    let (_, error) = folder.run_with_code(&["worker"], 2);
    assert!(error.contains("no broker is named") && error.contains("nats://HOST"), "{error}");
    let (_, error) = folder.run_with_code(&["worker", "nats://anna:hush@broker"], 2);
    assert!(error.contains("KYOMI_CLUSTER_PASSWORD") && !error.contains("hush"), "{error}");
    let (_, error) = folder.run_with_code(&["worker", "http://broker"], 2);
    assert!(error.contains("cluster.servers"), "{error}");
}
