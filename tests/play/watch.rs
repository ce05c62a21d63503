//! `kyomi watch`: a running client in another terminal.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    os::unix::net::UnixStream,
    process::{Child, Command, Stdio},
};

use super::support::{logged_in, script_engine};
use crate::common::connection::{Desk, PATIENCE};
use crate::common::folder::Folder;

/// A running `kyomi watch`.
struct Watcher {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Watcher {
    fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = folder.kyomi(&[&["watch"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The next line that begins so.
    #[track_caller]
    fn await_line(&mut self, start: &str) -> String {
        let found = self.lines.by_ref().map_while(Result::ok).find(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("no line {start}"))
    }

    fn exited(mut self) -> Option<i32> {
        self.lines.by_ref().count();
        self.child.wait().unwrap().code()
    }
}

#[test]
fn a_watcher_sees_the_game_and_leaves_no_trace() {
    let engine = script_engine(
        "go*) echo 'info depth 7 score cp 42 nodes 5 nps 9 pv 3c3d'; echo bestmove 3c3d;;",
    );
    let (folder, _desk, running, mut peer) = logged_in(1, &engine);
    peer.begin("g1", '-');
    peer.send("+2726FU,T3");
    // One that comes in the middle of the game sees what has happened before.
    let mut first = Watcher::start(&folder, &[]);
    assert!(first.await_line("1 ").starts_with("1 +2726FU 3 597 600"));
    let second = peer.line();
    assert!(second.starts_with("-3334FU"), "{second}");
    peer.send("-3334FU,T1");
    // Scores are from black's side.
    assert_eq!(first.await_line("2 "), "2 -3334FU 1 597 599 -42");
    let mut late = Watcher::start(&folder, &[]);
    assert_eq!(late.await_line("2 "), "2 -3334FU 1 597 599 -42");
    peer.send("%TORYO,T1\n#RESIGN\n#WIN");
    first.await_line("result: white");
    late.await_line("result: white");
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    assert_eq!((first.exited(), late.exited()), (Some(0), Some(0)), "they end with the client");
    running.finish().exited(0);

    // Nothing is there to be watched.
    let error = folder.run(&["watch"]).exited(1);
    assert!(error.error().contains("no client can be watched"), "{}", error.stderr);
}

#[test]
fn a_watcher_that_ends_or_does_not_read_delays_no_move() {
    let (folder, _desk, running, mut peer) = logged_in(1, "kind = \"random\"");
    peer.begin("g1", '+');
    let first = peer.line();
    let mut leaving = Watcher::start(&folder, &["--lines"]);
    let mut stuck = UnixStream::connect(folder.path().join("logs/kyomi.sock")).unwrap();
    stuck.set_read_timeout(Some(PATIENCE)).unwrap();
    stuck.write_all(b"watch\n").unwrap();
    let mut byte = [0];
    stuck.read_exact(&mut byte).unwrap();
    // More than the system keeps for somebody who does not read.
    let said = format!("##[CHAT][a] {}", "x".repeat(200));
    for _ in 0..8000 {
        peer.send(&said);
    }
    peer.send(&format!("{first},T1"));
    leaving.await_line("1 ");
    let pid = leaving.child.id().to_string();
    assert!(Command::new("kill").args(["-s", "INT", &pid]).status().unwrap().success());
    assert_eq!(leaving.exited(), Some(0));
    peer.send("-3334FU,T1");
    let second = peer.line();
    assert!(second.starts_with('+'), "{second}");
    peer.send(&format!("{second},T1\n%TORYO\n#RESIGN\n#WIN"));
    assert_eq!(peer.line(), "LOGOUT");
    drop(peer);
    running.finish().exited(0);
    // What was written before it was dropped, and then the end.
    stuck.read_to_end(&mut Vec::new()).unwrap();
    assert!(!folder.path().join("logs/kyomi.sock").exists());
}

#[test]
fn several_accounts_are_watched_together_or_one_by_one() {
    let (folder, desk) = (Folder::new(), Desk::open());
    let port = desk.port();
    let accounts: String = ["one", "two"]
        .map(|name| {
            format!("[[account]]\nlabel = \"{name}\"\n[account.server]\nname = \"{name}\"\n")
        })
        .concat();
    let config = format!(
        "games = 1\n[server]\nhost = \"127.0.0.1\"\nport = {port}\npassword = \"secret\"\n\
         profile = \"wcsc\"\n[engine]\nkind = \"random\"\n{accounts}"
    );
    let running = folder.play(&config);
    let mut peers = [desk.accept(), desk.accept()];
    for peer in &mut peers {
        let login = peer.line();
        let name = login.split(' ').nth(1).unwrap().to_owned();
        peer.send(&format!("LOGIN:{name} OK"));
        peer.begin(&format!("game-{name}"), '+');
        peer.line();
    }
    let mut both = Watcher::start(&folder, &[]);
    let mut one = Watcher::start(&folder, &["--account", "two"]);
    for peer in &mut peers {
        peer.send("%CHUDAN\n#CHUDAN");
    }
    both.await_line("one result: ");
    one.await_line("two result: ");
    running.signal("INT");
    drop(peers);
    running.finish();
    assert_eq!((both.exited(), one.exited()), (Some(0), Some(0)));
    let error = folder.run(&["watch", "--account", "three"]).exited(1);
    assert!(error.error().contains("no client can be watched"));
}
