//! Connections that are cut at every stage of a game, between the real client and the real server.

use std::{
    io::{BufRead, BufReader, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use super::support::{Server, end_of, moves_of};
use crate::common::folder::Folder;

/// Who sends a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sender {
    Client,
    Server,
}

/// Where the connection is cut.
#[derive(Debug, Clone, Copy)]
struct Stage {
    name: &'static str,
    sender: Sender,
    /// The line at which it happens begins so.
    line: &'static str,
    /// How many such lines are let through before.
    after: u32,
    /// Whether the line itself still arrives.
    arrives: bool,
    /// After which numbers of further such lines it happens.
    again: &'static [u32],
}

const fn stage(
    name: &'static str,
    sender: Sender,
    line: &'static str,
    after: u32,
    arrives: bool,
) -> Stage {
    Stage { name, sender, line, after, arrives, again: &[0] }
}

/// The client is black.
const STAGES: [Stage; 12] = [
    stage("before the login", Sender::Client, "LOGIN", 0, false),
    stage("after the login", Sender::Server, "LOGIN:", 0, true),
    stage("in the offer", Sender::Server, "BEGIN Position", 0, true),
    stage("before AGREE", Sender::Client, "AGREE", 0, false),
    stage("after AGREE", Sender::Client, "AGREE", 0, true),
    stage("before START", Sender::Server, "START", 0, false),
    stage("in our turn", Sender::Server, "-", 1, true),
    stage("in their turn", Sender::Server, "+", 1, true),
    stage("with our move on the wire", Sender::Client, "+", 2, false),
    stage("with the echo of our move on the wire", Sender::Server, "+", 2, false),
    stage("with their move on the wire", Sender::Server, "-", 2, false),
    stage("with the end on the wire", Sender::Server, "#MAX_MOVES", 0, false),
];

/// After some of our moves.
const OFTEN: Stage =
    Stage { again: &[0, 3, 6, 9, 12], ..stage("often", Sender::Client, "+", 2, true) };

/// A proxy that cuts the first connection that reaches the stage. Returns its port and the number of connections so
/// far.
fn proxy(server: &str, stage: Stage) -> (u16, Arc<AtomicU32>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connections = Arc::new(AtomicU32::new(0));
    let (server, count) = (server.to_owned(), Arc::clone(&connections));
    thread::spawn(move || {
        let seen = Arc::new(AtomicU32::new(0));
        for client in listener.incoming() {
            let Ok(client) = client else { return };
            count.fetch_add(1, Ordering::SeqCst);
            let Ok(server) = TcpStream::connect(&server) else { return };
            for stream in [&client, &server] {
                stream.set_nodelay(true).unwrap();
            }
            for sender in [Sender::Client, Sender::Server] {
                let (from, to) = match sender {
                    Sender::Client => (client.try_clone().unwrap(), server.try_clone().unwrap()),
                    Sender::Server => (server.try_clone().unwrap(), client.try_clone().unwrap()),
                };
                let seen = Arc::clone(&seen);
                thread::spawn(move || pass_on(from, to, sender, stage, &seen));
            }
        }
    });
    (port, connections)
}

/// Passes lines on until one side closes or the stage is reached.
fn pass_on(from: TcpStream, mut to: TcpStream, sender: Sender, stage: Stage, seen: &AtomicU32) {
    let mut reader = BufReader::new(from.try_clone().unwrap());
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        let is_stage = sender == stage.sender && line.starts_with(stage.line.as_bytes());
        let cuts = is_stage && {
            let seen = seen.fetch_add(1, Ordering::SeqCst);
            stage.again.iter().any(|more| seen == stage.after + more)
        };
        if (!cuts || stage.arrives) && to.write_all(&line).is_err() {
            break;
        }
        if cuts {
            break;
        }
        line.clear();
    }
    for stream in [from, to] {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

fn config(port: u16, name: &str, side: char, games: u32) -> String {
    format!(
        "games = {games}\n[server]\nhost = \"127.0.0.1\"\nport = {port}\nname = \"{name}\"\n\
         password = \"x\"\ngame = \"cut-60-0-{side}\"\nprofile = \"kyomi\"\n\
         [engine]\nkind = \"random\"\n"
    )
}

#[test]
fn a_game_survives_a_cut_at_every_stage() {
    for stage in STAGES {
        let (ours, theirs, served) = (Folder::new(), Folder::new(), Folder::new());
        let server = Server::start(&served, &["rules.max_moves=12"]);
        let port: u16 = server.address.rsplit_once(':').unwrap().1.parse().unwrap();
        let (proxied, connections) = proxy(&server.address, stage);
        let black = ours.play(&config(proxied, "black", 'B', 0));
        let white = theirs.play(&config(port, "white", 'W', 0));
        // Each side plays on until it has a whole game; then both are asked to stop.
        let records = |folder: &Folder| folder.games(".csa").len();
        while records(&ours) == 0 || records(&theirs) == 0 {
            thread::yield_now();
        }
        black.signal("INT");
        white.signal("INT");
        let finished = black.finish().exited(0);
        white.finish().exited(0);
        assert!(connections.load(Ordering::SeqCst) >= 2, "{}: the line was not cut", stage.name);
        let record = &ours.games(".csa")[0];
        assert_eq!(
            (end_of(record).as_str(), moves_of(record).len()),
            ("%MAX_MOVES", 12),
            "{}: {}\n{}",
            stage.name,
            finished.stdout,
            finished.stderr
        );
        assert_eq!(moves_of(record), moves_of(&theirs.games(".csa")[0]), "{}", stage.name);
    }
}

#[test]
fn each_of_many_cuts_of_a_game_is_followed_by_a_login_at_once() {
    let (ours, theirs, served) = (Folder::new(), Folder::new(), Folder::new());
    let server = Server::start(&served, &["rules.max_moves=58"]);
    let port: u16 = server.address.rsplit_once(':').unwrap().1.parse().unwrap();
    let (proxied, connections) = proxy(&server.address, OFTEN);
    let black = ours.play(&config(proxied, "black", 'B', 1));
    let white = theirs.play(&config(port, "white", 'W', 1));
    black.finish().exited(0);
    white.finish().exited(0);
    assert_eq!(connections.load(Ordering::SeqCst), 6);
    let log = ours.log();
    let pauses: Vec<&str> = log.lines().filter(|line| line.contains("pause_ms=")).collect();
    assert_eq!(pauses.len(), 5, "{log}");
    assert!(pauses.iter().all(|line| line.ends_with("pause_ms=0")), "{pauses:#?}");
    assert_eq!(moves_of(&ours.games(".csa")[0]), moves_of(&theirs.games(".csa")[0]));
}
