//! Self-play and tuning by the workers of a room.

use std::process::{Child, Stdio};

use crate::{
    broker::{Broker, COORDINATOR_PASSWORD, WORKER_PASSWORD},
    common::{folder::Folder, repository},
};

/// A process that is killed with this value.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = (self.0.kill(), self.0.wait());
    }
}

/// Two workers that do one job at a time.
fn workers(folder: &Folder, broker: &Broker) -> [(Killed, Folder); 2] {
    ["one", "two"].map(|name| {
        let home = folder.inner(name);
        let set = ["worker", "--jobs", "1", "--name", name, "--set", "cluster.user=worker"];
        let mut command = home.kyomi(&[&set[..], &[broker.url().as_str()]].concat());
        command.env("KYOMI_CLUSTER_PASSWORD", WORKER_PASSWORD);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        (Killed(child), home)
    })
}

#[test]
fn self_play_and_tuning_are_the_same_whoever_does_the_work() {
    let sample = repository().join("config/nats-server.conf");
    let Some(broker) = Broker::start(&["-c", sample.to_str().unwrap()]) else { return };
    let folder = Folder::new();
    let _workers = workers(&folder, &broker);
    let servers = format!("cluster.servers={}", broker.url());
    let room = ["--room", "kyomi", "--set", &servers, "--set", "cluster.user=coordinator"];
    // In a folder each, on this machine and by workers.
    let both = ["alone", "together"].map(|name| folder.inner(name));
    let run = |arguments: &[&str]| {
        for (home, more) in both.iter().zip([&[][..], &room]) {
            let mut command = home.kyomi(&[arguments, more].concat());
            command.env("KYOMI_CLUSTER_PASSWORD", COORDINATOR_PASSWORD);
            let output = command.output().unwrap();
            let errors = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(0), "{errors}");
        }
    };
    let lines = |home: &Folder, name: &str| {
        let text = std::fs::read_to_string(home.path().join(name)).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let [alone, together] = &both;

    let quick = ["--nodes", "30", "--max-moves", "40", "--hash", "1", "--games", "40"];
    run(&[&["selfplay", "--out", "games"], &quick[..]].concat());
    for home in &both {
        home.run_with_code(&["selfplay", "--out", "games", "--export", "games.usi"], 0);
        home.run_with_code(&["selfplay", "--check", "games"], 0);
    }
    assert_eq!(lines(together, "games.usi"), lines(alone, "games.usi"));
    assert_eq!(lines(alone, "games.usi").len(), 40);

    let quick = ["--tc", "nodes=20", "--player", "builtin hash=1", "--max-moves", "24"];
    let tuned = ["tune", "--tune", "Interest_CostK", "--iterations", "6", "--out", "tune"];
    run(&[&tuned, &quick[..]].concat());
    assert_eq!(lines(together, "tune/pairs.jsonl"), lines(alone, "tune/pairs.jsonl"));
}
