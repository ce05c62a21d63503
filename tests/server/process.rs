//! `kyomi serve` as a process.

use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use kyomi_csa::GameSummary;
use kyomi_record::EndKind;

use crate::common::connection::Peer;
use crate::common::folder::Folder;
use crate::support::play;

/// A `kyomi serve` on a free port, with its files below `dir`.
struct Serve {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: String,
}

impl Serve {
    fn start(dir: &Path) -> Self {
        Self::start_with(dir, "")
    }

    /// With more lines for `[listen]`.
    fn start_with(dir: &Path, settings: &str) -> Self {
        Self::of(&mut command_with(dir, "127.0.0.1:0", settings))
    }

    /// Starts it by this command.
    fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("listening on ").expect(&line).to_owned();
        Self { child, stdout, address }
    }

    fn game(&self) -> [Peer; 2] {
        self.offered_game().0
    }

    /// The players of a game that has begun, and what they were offered.
    fn offered_game(&self) -> ([Peer; 2], Vec<GameSummary>) {
        let mut players = Vec::new();
        for (name, side) in [("black", "B"), ("white", "W")] {
            let mut client = Peer::connect(&self.address);
            client.send(&format!("LOGIN {name} test-600-0-{side},x"));
            client.expect(&format!("LOGIN:{name} OK"));
            players.push(client);
        }
        let mut players: [Peer; 2] = players.try_into().ok().unwrap();
        let mut offers = Vec::new();
        for player in &mut players {
            offers.push(player.read_offer());
            player.send("AGREE");
        }
        for player in &mut players {
            assert!(player.line().starts_with("START:"));
        }
        (players, offers)
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Comes back to a game with the offer of its token. Returns the lines up to the end of the state of the game.
    fn come_back(&self, name: &str, side: char, offer: &GameSummary) -> (Peer, Vec<String>) {
        let mut client = Peer::connect(&self.address);
        let token = offer.reconnect_token.as_ref().unwrap().expose();
        let id = &offer.game_id;
        client.send(&format!("LOGIN {name} test-600-0-{side},x reconnect:{id}+{token}"));
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line| line != "END Reconnect_State") {
            lines.push(client.line());
        }
        (client, lines)
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
    command_with(dir, address, "")
}

fn command_with(dir: &Path, address: &str, settings: &str) -> Command {
    let config = dir.join("server.toml");
    std::fs::write(&config, format!("[listen]\naddress = \"{address}\"\n{settings}\n")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kyomi"));
    command.args(["serve", "--config"]).arg(config).current_dir(dir).stderr(Stdio::null());
    command
}

#[cfg(unix)]
#[test]
fn a_terminated_server_plays_its_games_to_the_end() {
    let dir = Folder::new();
    let server = Serve::start(dir.path());
    let mut players = server.game();
    server.signal(rustix::process::Signal::TERM);
    play(&mut players, "+7776FU");
    // The server closes the port when it receives the signal.
    while TcpStream::connect(&server.address).is_ok() {}
    play(&mut players, "-3334FU");
    players[0].send("%TORYO");
    players[1].expect_all(&["%TORYO", "#RESIGN", "#WIN"]);
    players[1].expect_end();
    drop(players);
    let output = server.output();
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines[0].starts_with("started kyomi+test-600-0+black+white+"), "{output}");
    assert!(lines[1].contains(": white RESIGN, 2 moves, logs/server/"), "{output}");
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_abandons_the_games() {
    let dir = Folder::new();
    let server = Serve::start(dir.path());
    let mut players = server.game();
    play(&mut players, "+7776FU");
    server.signal(rustix::process::Signal::INT);
    while TcpStream::connect(&server.address).is_ok() {}
    server.signal(rustix::process::Signal::INT);
    for player in &mut players {
        player.expect("#CHUDAN");
        player.expect_end();
    }
    drop(players);
    let output = server.output();
    assert!(output.contains(": none CHUDAN, 1 moves, logs/server/"), "{output}");
}

fn records(dir: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(dir.join("logs/server")).unwrap();
    files.map(|file| file.unwrap().path()).collect()
}

fn value<'a>(lines: &'a [String], key: &str) -> &'a str {
    lines.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).unwrap()
}

const WORDS: [&str; 5] = ["+7776FU", "-3334FU", "+2726FU", "-8384FU", "+2625FU"];

#[test]
fn the_games_of_a_killed_server_are_recovered_at_its_next_start() {
    let dir = Folder::new();
    let settings = "resume_time = \"0s\"";
    let mut server = Serve::start_with(dir.path(), settings);
    let mut players = server.game();
    for word in WORDS {
        play(&mut players, word);
    }
    server.kill();
    Serve::start_with(dir.path(), settings).kill();

    let files = records(dir.path());
    assert_eq!(files.len(), 1, "{files:?}");
    let games = kyomi_record::csa::read(&std::fs::read(&files[0]).unwrap()).unwrap();
    let record = &games[0].record;
    assert_eq!(record.moves.len(), WORDS.len());
    assert_eq!(record.end.as_ref().map(|end| &end.kind), Some(&EndKind::Interrupted));
}

#[cfg(unix)]
#[test]
fn a_killed_server_goes_on_with_its_games() {
    let dir = Folder::new();
    // A player that comes back slowly on a busy machine is in time all the same.
    let settings = "resume_time = \"600s\"";
    let mut server = Serve::start_with(dir.path(), settings);
    let (mut players, offers) = server.offered_game();
    for word in WORDS {
        play(&mut players, word);
    }
    server.kill();
    let mut server = Serve::start_with(dir.path(), settings);
    let (black, lines) = server.come_back("black", 'B', &offers[0]);
    assert_eq!(value(&lines, "Turn_Spent_Ms"), "0", "white is not back: its clock stands still");
    assert_eq!(value(&lines, "Last_Move"), "+2625FU");
    // Killed again while one is back and the other is not.
    drop(black);
    server.kill();
    let server = Serve::start_with(dir.path(), settings);
    let (white, lines) = server.come_back("white", 'W', &offers[1]);
    for word in WORDS {
        assert!(lines.iter().any(|line| line.starts_with(word)), "{word}: {lines:?}");
    }
    assert_eq!(value(&lines, "Current_Turn"), "-");
    assert_eq!(value(&lines, "White_Time_Remaining_Ms"), "600000");
    // Without the token, by the password.
    let mut black = Peer::connect(&server.address);
    black.send("LOGIN black test-600-0-B,x");
    black.expect("LOGIN:black OK");
    assert_eq!(black.read_offer().moves.len(), WORDS.len());
    black.send("AGREE");
    assert!(black.line().starts_with("START:"));
    let mut players = [black, white];
    play(&mut players, "-8485FU");
    play(&mut players, "+2524FU");
    players[1].send("%TORYO");
    players[0].expect_all(&["%TORYO", "#RESIGN", "#WIN"]);
    server.signal(rustix::process::Signal::TERM);
    players[1].expect_all(&["%TORYO", "#RESIGN", "#LOSE"]);
    drop(players);
    let output = server.output();
    assert!(output.starts_with("continued kyomi+test-600-0+black+white+"), "{output}");
    assert!(output.contains(": black RESIGN, 7 moves, logs/server/"), "{output}");
    let files = records(dir.path());
    assert_eq!(files.len(), 1, "{files:?}");
    let games = kyomi_record::csa::read(&std::fs::read(&files[0]).unwrap()).unwrap();
    assert_eq!(games[0].record.moves.len(), WORDS.len() + 2);
}

#[cfg(unix)]
#[test]
fn a_game_to_which_one_player_does_not_come_back_has_no_result() {
    let dir = Folder::new();
    let mut server = Serve::start(dir.path());
    let (mut players, offers) = server.offered_game();
    play(&mut players, "+7776FU");
    server.kill();
    let server = Serve::start_with(dir.path(), "resume_time = \"2s\"");
    let (mut black, _) = server.come_back("black", 'B', &offers[0]);
    black.expect("#CHUDAN");
    server.signal(rustix::process::Signal::TERM);
    drop((black, players));
    let output = server.output();
    assert!(output.contains(": none CHUDAN, 1 moves, logs/server/"), "{output}");
    let text = std::fs::read_to_string(&records(dir.path())[0]).unwrap();
    assert!(text.contains("%CHUDAN\n'interrupted: the server was started again"), "{text}");
}

#[test]
fn a_game_of_another_port_that_cannot_go_on_becomes_a_record() {
    let dir = Folder::new();
    let settings = "resume_time = \"600s\"";
    let mut server = Serve::start_with(dir.path(), settings);
    let (mut players, offers) = server.offered_game();
    play(&mut players, "+7776FU");
    server.kill();
    // The same game twice: the players of the one that is taken up first cannot play the other.
    for file in records(dir.path()) {
        let name = file.file_name().unwrap().to_str().unwrap();
        std::fs::copy(&file, file.with_file_name(format!("twin_{name}"))).unwrap();
    }
    let server = Serve::start_with(dir.path(), settings);
    server.come_back("black", 'B', &offers[0]);
    let files = records(dir.path());
    let is_record = |file: &&PathBuf| file.extension().is_some_and(|it| it == "csa");
    assert_eq!(files.iter().filter(is_record).count(), 1, "{files:?}");
    let mut server = server;
    server.kill();
}

#[test]
fn a_busy_port_ends_with_one_line_and_code_1() {
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

/// Strangers hold all connections for which the system has descriptors, and the game is recorded all the same.
#[cfg(unix)]
#[test]
fn a_server_with_few_descriptors_records_its_games() {
    let dir = Folder::new();
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_kyomi");
    let script = format!("ulimit -n 100; exec {program} serve --set listen.address=127.0.0.1:0");
    let command = command.args(["-c", &script]).current_dir(dir.path());
    let mut server = Serve::of(command.stderr(Stdio::null()));
    let mut first = Peer::connect(&server.address);
    first.send("LOGIN black test-600-0-B,x");
    first.expect("LOGIN:black OK");
    let mut second = Peer::connect(&server.address);
    let crowd: Vec<_> = (0..150).map(|_| TcpStream::connect(&server.address)).collect();
    second.send("LOGIN white test-600-0-W,x");
    second.expect("LOGIN:white OK");
    let mut players = [first, second];
    for player in &mut players {
        player.read_offer();
        player.send("AGREE");
    }
    for player in &mut players {
        assert!(player.line().starts_with("START:"));
    }
    play(&mut players, "+7776FU");
    let files = records(dir.path());
    let journal = files.iter().find(|file| file.extension().is_some_and(|it| it == "part"));
    let text = std::fs::read_to_string(journal.unwrap()).unwrap();
    assert!(text.contains("+7776FU"), "{text}");
    drop(crowd);
    server.kill();
}
