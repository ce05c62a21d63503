//! `kyomi spy` on a real server with a running game.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    process::{Child, ChildStdout, Stdio},
};

use crate::{
    common::connection::Peer,
    common::folder::Folder,
    support::{Server, end_of, moves_of},
};

/// A running spy.
struct Spy {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Spy {
    fn start(folder: &Folder, server: &Server, more: &[&str]) -> Self {
        let mut arguments = vec!["spy", "--server", &server.address, "--every", "1"];
        arguments.extend(more);
        let mut child = folder.kyomi(&arguments).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdout }
    }

    /// Reads lines until one begins with this text, and returns it.
    fn until(&mut self, text: &str) -> String {
        let mut line = String::new();
        while !line.starts_with(text) {
            line.clear();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "no line {text}");
        }
        line
    }
}

/// Two players in a game that has begun, black first.
fn begin(server: &Server, names: [&str; 2]) -> [Peer; 2] {
    let mut peers = names.map(|_| Peer::connect(&server.address));
    for ((peer, name), color) in peers.iter_mut().zip(names).zip(["B", "W"]) {
        peer.send(&format!("LOGIN {name} spied-600-0-{color},x"));
        assert_eq!(peer.line(), format!("LOGIN:{name} OK"));
    }
    for peer in &mut peers {
        while peer.line() != "END Game_Summary" {}
        peer.send("AGREE");
    }
    for peer in &mut peers {
        assert!(peer.line().starts_with("START:"));
    }
    peers
}

fn play(peers: &mut [Peer; 2], word: &str) {
    peers[usize::from(word.starts_with('-'))].send(word);
    for peer in peers {
        assert!(peer.line().starts_with(word));
    }
}

#[test]
fn a_game_is_kept_whole_even_if_the_spy_is_killed_in_it() {
    let (folder, home) = (Folder::new(), Folder::new());
    let server = Server::start(&home, &[]);
    let mut peers = begin(&server, ["..", "b"]);
    play(&mut peers, "+7776FU");

    let mut spy = Spy::start(&folder, &server, &[]);
    spy.until("watching");
    play(&mut peers, "-3334FU");
    spy.until("move");
    spy.child.kill().unwrap();
    spy.child.wait().unwrap();
    let part = fs::read_dir(folder.path().join("logs/spy")).unwrap().next().unwrap().unwrap();
    assert!(part.file_name().to_string_lossy().ends_with(".csa.part"));
    assert_eq!(moves_of(&part.path()), ["+7776FU", "-3334FU"]);

    play(&mut peers, "+2726FU");
    let listed = folder.run(&["spy", "--server", &server.address, "--list"]).exited(0).stdout;
    assert!(listed.contains("+spied-600-0+..+b+"), "{listed}");
    let who = folder.run(&["spy", "--server", &server.address, "--who"]).exited(0).stdout;
    assert!(who.contains(".. CSA game spied-600-0 +"), "{who}");
    let said = folder.run(&["spy", "--server", &server.address, "--chat", "hello"]).exited(0);
    assert_eq!(said.stdout, "[kyomi-spy] hello\n");

    let mut spy = Spy::start(&folder, &server, &["--once", "--game", listed.trim()]);
    let watching = spy.until("watching");
    assert!(watching.trim_end().ends_with(": .. - b, 3 moves so far"), "{watching}");
    play(&mut peers, "-8384FU");
    spy.until("move");
    peers[0].send("%TORYO");
    let ended = spy.until("ended");
    assert!(ended.contains(": %TORYO, 4 moves, logs/spy/"), "{ended}");
    let mut rest = String::new();
    spy.stdout.read_to_string(&mut rest).unwrap();
    assert!(spy.child.wait().unwrap().success());

    let names: Vec<_> = fs::read_dir(folder.path().join("logs/spy")).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let record = folder.path().join(ended.trim().rsplit_once(' ').unwrap().1);
    assert_eq!(moves_of(&record), ["+7776FU", "-3334FU", "+2726FU", "-8384FU"]);
    assert_eq!(end_of(&record), "%TORYO");
    let text = fs::read_to_string(&record).unwrap();
    for line in ["N+..", "N-b", "$TIME:600+0+0", "$MAX_MOVES:256", "T0"] {
        assert!(text.lines().any(|it| it == line), "{line}: {text}");
    }
    assert!(text.contains("\n$START_TIME:") && text.contains("\n$END_TIME:"), "{text}");
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    let folder = Folder::new();
    let failed = folder.run(&["spy", "--server", "127.0.0.1:1"]).exited(1);
    assert!(failed.error().contains("cannot connect to 127.0.0.1:1"), "{failed:?}");
    let unnamed = folder.run(&["spy"]).exited(2);
    assert!(unnamed.error().contains("no server is named"), "{unnamed:?}");
}
