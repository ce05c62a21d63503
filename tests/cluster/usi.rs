//! `kyomi usi` and players of `kyomi match` that workers help, as processes.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, Command, Stdio},
    sync::mpsc,
    time::Instant,
};

use serde_json::Value;

use crate::{
    broker::{Broker, PATIENCE},
    common::folder::Folder,
};

/// A process whose standard output is read line by line. It is killed with this value.
struct Process {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Process {
    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        Self { child, lines }
    }

    /// A worker that has reached the broker.
    fn worker(folder: &Folder, broker: &Broker) -> Self {
        let arguments = ["worker", "--threads", "1", "--hash", "16MiB", &broker.url()];
        let mut worker = Self::start(folder.kyomi(&arguments));
        worker.until("connected ");
        worker
    }

    fn say(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// The lines up to one that begins so.
    fn until(&mut self, beginning: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("no {beginning}: {seen:?}");
            };
            let is_last = line.starts_with(beginning);
            seen.push(line);
            if is_last {
                return seen;
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = (self.child.kill(), self.child.wait());
    }
}

#[test]
fn workers_help_a_host_of_the_usi_engine_until_the_broker_dies() {
    let Some(mut broker) = Broker::start(&[]) else { return };
    let folder = Folder::new();
    let _worker = Process::worker(&folder, &broker);
    let sets = ["usi", "--set", "engine.threads=1", "--set", "engine.hash=16MiB"];
    let mut engine = Process::start(folder.kyomi(&sets));
    engine.say("usi");
    let options = engine.until("usiok");
    assert!(options.contains(&"option name Broker type string default <empty>".to_owned()));
    engine.say("setoption name USI_OwnBook value false");
    engine.say(&format!("setoption name Broker value {}", broker.url()));
    engine.say("isready");
    let ready = engine.until("readyok");
    let words = format!("info string the workers of room kyomi at {} help", broker.url());
    assert!(ready.contains(&words), "{ready:?}");
    engine.say("usinewgame");
    let until = Instant::now() + PATIENCE;
    loop {
        engine.say("position startpos");
        engine.say("go movetime 1000");
        let seen = engine.until("bestmove ");
        if seen.contains(&"info string workers 1".to_owned()) {
            break;
        }
        assert!(Instant::now() < until, "nobody helps: {seen:?}");
    }
    // Pondering: a hit, and a stop.
    engine.say("position startpos moves 7g7f 3c3d");
    engine.say("go ponder btime 0 wtime 0 byoyomi 500");
    engine.until("info depth");
    engine.say("ponderhit");
    engine.until("bestmove ");
    engine.say("position startpos moves 7g7f 3c3d 2g2f 4c4d");
    engine.say("go ponder btime 0 wtime 0 byoyomi 500");
    engine.until("info depth");
    engine.say("stop");
    engine.until("bestmove ");
    // What nobody can help with is searched alone, with the same table.
    engine.say("go infinite");
    engine.until("info depth");
    engine.say("stop");
    engine.until("bestmove ");
    broker.kill();
    engine.say("go movetime 300");
    engine.until("bestmove ");
    engine.say("go nodes 1000");
    engine.until("bestmove ");
    engine.say("quit");
    assert_eq!(engine.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_broker_that_is_not_there_costs_the_usi_engine_nothing_but_a_line() {
    let folder = Folder::new();
    let sets = ["usi", "--set", "engine.threads=1", "--set", "engine.hash=16MiB"];
    let mut engine = Process::start(folder.kyomi(&sets));
    engine.say("setoption name Broker value nats://127.0.0.1:9");
    engine.say("setoption name Broker value nats://anna:hush@127.0.0.1:9");
    engine.say("isready");
    let ready = engine.until("readyok").join("\n");
    assert!(ready.contains("is not reached") && ready.contains("tried again"), "{ready}");
    assert!(ready.contains("a login does not belong") && !ready.contains("hush"), "{ready}");
    engine.say("go nodes 1000");
    engine.until("bestmove ");
    engine.say("quit");
    assert_eq!(engine.child.wait().unwrap().code(), Some(0));
}

#[test]
fn workers_help_a_player_of_a_match() {
    let Some(broker) = Broker::start(&[]) else { return };
    let folder = Folder::new();
    let _worker = Process::worker(&folder, &broker);
    let servers = format!("cluster.servers={}", broker.url());
    let players =
        ["--a", "builtin name=helped room=kyomi hash=16", "--b", "builtin name=alone hash=16"];
    let rest = ["--tc", "movetime=200ms", "--games", "2", "--max-moves", "40", "--out", "match"];
    let match_ = ["match", "--json", "--set", &servers];
    let (text, errors) = folder.run_with_code(&[&match_[..], &players, &rest].concat(), 0);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["games"], 2, "{text}{errors}");
    let logs = fs::read_dir(folder.path().join("logs")).unwrap();
    let log: String =
        logs.map(|file| fs::read_to_string(file.unwrap().path()).unwrap_or_default()).collect();
    // The line stands there for a game in which workers have searched.
    assert!(log.contains("the workers in this game"), "{log}");

    for (more, fault) in [
        (&["--set", &servers, "--room", "kyomi"][..], "workers of its own"),
        (&[], "no broker is named"),
    ] {
        let arguments = [&["match", "--out", "other"], more, &players, &rest[..4]].concat();
        let (_, error) = folder.run_with_code(&arguments, 2);
        assert!(error.contains(fault), "{error}");
    }
    let wrong =
        ["--a", "builtin room=kyomi Interest_Nothing=1", "--b", "builtin", "--out", "wrong"];
    let (_, error) =
        folder.run_with_code(&[&["match", "--set", &servers], &wrong[..], &rest[..4]].concat(), 2);
    assert_eq!(error.matches("Interest_Nothing").count(), 1, "{error}");
}
