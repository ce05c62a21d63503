//! `kyomi serve` as a process.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use kyomi::record::EndKind;
use tokio::net::TcpStream;

use crate::common::folder::Folder;
use crate::support::{Client, play};

/// A `kyomi serve` on a free port, with its files below `dir`.
struct Serve {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: String,
}

impl Serve {
    fn start(dir: &Path) -> Self {
        let mut child = command(dir, "127.0.0.1:0").stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("listening on ").expect(&line).to_owned();
        Self { child, stdout, address }
    }

    async fn game(&self) -> [Client; 2] {
        let mut players = Vec::new();
        for (name, side) in [("black", "B"), ("white", "W")] {
            let mut client = Client::over(TcpStream::connect(&self.address).await.unwrap());
            client.send(&format!("LOGIN {name} test-600-0-{side},x")).await;
            client.expect(&format!("LOGIN:{name} OK")).await;
            players.push(client);
        }
        let mut players: [Client; 2] = players.try_into().ok().unwrap();
        for player in &mut players {
            player.summary().await;
            player.send("AGREE").await;
        }
        for player in &mut players {
            assert!(player.line().await.starts_with("START:"));
        }
        players
    }

    #[cfg(unix)]
    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for a successful end. Returns the output after the first line.
    fn output(mut self) -> String {
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).unwrap();
        assert!(self.child.wait().unwrap().success());
        text
    }
}

fn command(dir: &Path, address: &str) -> Command {
    let config = dir.join("server.toml");
    std::fs::write(&config, format!("[listen]\naddress = \"{address}\"\n")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kyomi"));
    command.args(["serve", "--config"]).arg(config).current_dir(dir).stderr(Stdio::null());
    command
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_terminated_server_plays_its_games_to_the_end() {
    let dir = Folder::new();
    let server = Serve::start(dir.path());
    let mut players = server.game().await;
    server.signal(rustix::process::Signal::TERM);
    play(&mut players, "+7776FU").await;
    // The server closes the port when it receives the signal.
    while TcpStream::connect(&server.address).await.is_ok() {}
    play(&mut players, "-3334FU").await;
    players[0].send("%TORYO").await;
    players[1].expect_all(&["%TORYO", "#RESIGN", "#WIN"]).await;
    players[1].expect_end().await;
    drop(players);
    let output = server.output();
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines[0].starts_with("started kyomi+test-600-0+black+white+"), "{output}");
    assert!(lines[1].contains(": white RESIGN, 2 moves, logs/server/"), "{output}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_second_interrupt_abandons_the_games() {
    let dir = Folder::new();
    let server = Serve::start(dir.path());
    let mut players = server.game().await;
    play(&mut players, "+7776FU").await;
    server.signal(rustix::process::Signal::INT);
    while TcpStream::connect(&server.address).await.is_ok() {}
    server.signal(rustix::process::Signal::INT);
    for player in &mut players {
        player.expect("#CHUDAN").await;
        player.expect_end().await;
    }
    drop(players);
    let output = server.output();
    assert!(output.contains(": none CHUDAN, 1 moves, logs/server/"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_games_of_a_killed_server_are_recovered_at_its_next_start() {
    let dir = Folder::new();
    let mut server = Serve::start(dir.path());
    let mut players = server.game().await;
    let words = ["+7776FU", "-3334FU", "+2726FU", "-8384FU", "+2625FU"];
    for word in words {
        play(&mut players, word).await;
    }
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let mut server = Serve::start(dir.path());
    server.child.kill().unwrap();
    server.child.wait().unwrap();

    let files = || std::fs::read_dir(dir.path().join("logs/server")).unwrap();
    let files: Vec<_> = files().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let games = kyomi::record::csa::read(&std::fs::read(&files[0]).unwrap()).unwrap();
    let record = &games[0].record;
    assert_eq!(record.moves.len(), words.len());
    assert_eq!(record.end.as_ref().map(|end| &end.kind), Some(&EndKind::Interrupted));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_port_ends_with_one_line_and_code_1() {
    let dir = Folder::new();
    let server = Serve::start(dir.path());
    let second = command(dir.path(), &server.address).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    let words = String::from_utf8(second.stderr).unwrap();
    assert_eq!(words.lines().count(), 1, "{words}");
    assert!(words.starts_with(&format!("error: cannot listen on {}", server.address)), "{words}");
    assert!(second.stdout.is_empty());
    let mut server = server;
    server.child.kill().unwrap();
    server.child.wait().unwrap();
}
