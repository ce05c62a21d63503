//! SIGKILL at random moments: all moves that the client had read are on the disk.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use kyomi_csa::{GameSummary, ReadOptions};
use kyomi_shogi::{Color, Game, notation::csa};

use super::support::{Server, end_of, moves_of, script_engine};
use crate::common::connection::{PATIENCE, Peer};
use crate::common::folder::Folder;

const KILLS: usize = 50;

/// The opponent, played by the test. It stops to move at some ply, so that the test knows which lines the server has
/// sent when the client is killed.
struct Opponent {
    peer: Peer,
    game: Game,
    color: Color,
    random: fastrand::Rng,
}

impl Opponent {
    fn log_in(address: &str, name: &str, color: Color, seed: u64) -> Self {
        let mut peer = Peer::connect(address);
        let side = if color == Color::Black { 'B' } else { 'W' };
        peer.send(&format!("LOGIN {name} kill-600-0-{side},x"));
        assert_eq!(peer.line(), format!("LOGIN:{name} OK"));
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line| line != "END Game_Summary") {
            lines.push(peer.line());
        }
        let summary =
            GameSummary::parse(lines.iter().map(String::as_str), ReadOptions::default()).unwrap();
        peer.send(&format!("AGREE {}", summary.game_id));
        assert!(peer.line().starts_with("START:"));
        Self { peer, game: summary.game().unwrap(), color, random: fastrand::Rng::with_seed(seed) }
    }

    fn is_our_turn(&self) -> bool {
        self.game.position().side_to_move() == self.color
    }

    /// Reads the next line. Returns false if it is not a move.
    fn read_move(&mut self) -> bool {
        let line = self.peer.line();
        let word = line.split(',').next().unwrap_or_default();
        let Ok(mv) = csa::parse_move(self.game.position(), word) else { return false };
        self.game.push(mv).unwrap();
        true
    }

    /// Plays until this number of moves is made, or until the game is over. Before each of its moves it waits until the
    /// client has saved all earlier ones, so that at most one line is unread at any time, even on a busy machine.
    fn play_to(&mut self, plies: usize, folder: &Folder) {
        while self.game.moves().len() < plies {
            if self.is_our_turn() {
                let deadline = Instant::now() + PATIENCE;
                while kept(folder).len() < self.game.moves().len() {
                    assert!(Instant::now() < deadline, "no moves are saved: {}", folder.log());
                    std::thread::sleep(Duration::from_millis(1));
                }
                let moves = self.game.position().legal_moves();
                let Some(&mv) = moves.get(self.random.usize(..moves.len().max(1))) else { return };
                let word = csa::format_move(self.game.position(), mv);
                self.peer.send(&word);
            }
            if !self.read_move() {
                return;
            }
        }
    }
}

#[test]
fn a_killed_client_loses_nothing_that_it_had_read() {
    let server_folder = Folder::new();
    let server = Server::start(&server_folder, &["listen.resume_time=0s"]);
    let folder = Folder::new();
    let (host, port) = server.address.rsplit_once(':').unwrap();
    let mut random = fastrand::Rng::new();
    let seed = random.u64(..);
    println!("seed {seed}");
    random.seed(seed);

    let mut left: Vec<PathBuf> = Vec::new();
    let (mut moves, mut missing) = (0, 0);
    for round in 0..KILLS {
        let color = if random.bool() { Color::Black } else { Color::White };
        let side = if color == Color::Black { 'W' } else { 'B' };
        // New names, since those of the round before may still be logged in.
        let mut running = folder.play(&format!(
            "[server]\nhost = \"{host}\"\nport = {port}\nname = \"kyomi{round}\"\npassword = \"x\"\n\
             game = \"kill-600-0-{side}\"\nprofile = \"kyomi\"\n[engine]\nkind = \"random\"\n"
        ));
        let mut opponent =
            Opponent::log_in(&server.address, &format!("other{round}"), color, random.u64(..));
        // The client has started, so the journal of the one before is a record now.
        for journal in &left {
            assert!(journal.with_extension("").is_file(), "round {round}: {journal:?}");
        }
        let before = folder.games(".csa");
        opponent.play_to(random.usize(..120), &folder);
        // A moment between the server's last line and the client's idle state.
        std::thread::sleep(Duration::from_micros(random.u64(..2000)));
        running.0.kill().unwrap();
        running.0.wait().unwrap();

        // Further lines of the server: perhaps the client's last move and the end.
        if opponent.is_our_turn() {
            opponent.peer.send("%TORYO");
        }
        while opponent.read_move() {}
        let sent = opponent.game.moves().len();
        let journals = folder.games(".part");
        // A game that was over may be a finished record already.
        let finished = folder.games(".csa").into_iter().find(|path| !before.contains(path));
        let written = match finished {
            Some(record) if journals.is_empty() => moves_of(&record),
            _ => kept(&folder),
        };
        left.extend(journals);
        moves += sent;
        missing += sent.saturating_sub(written.len());
        assert!(written.len() + 1 >= sent, "round {round}: {} of {sent} moves", written.len());
        let mut replay = Game::new(opponent.game.start().clone());
        for (word, mv) in written.iter().zip(opponent.game.moves()) {
            assert_eq!(*word, csa::format_move(replay.position(), *mv), "round {round}");
            replay.push(*mv).unwrap();
        }
    }
    println!("{KILLS} kills, {moves} moves sent, {missing} of them (last lines) not on disk");
    // The last journal waits for the next start; a few clients were killed after their game.
    let records = interrupted(&folder);
    assert!(records >= KILLS / 2, "only {records} games were killed in their middle");
}

/// The engine does not read its input any more.
#[cfg(target_os = "linux")]
#[test]
fn a_busy_engine_ends_with_a_client_that_is_killed() {
    let folder = Folder::new();
    let engine = script_engine("go*) sleep 600 & echo $$ $! > pids.new; mv pids.new pids; wait;;");
    let mut running = folder.play(&format!("games = 1\n[engine]\n{engine}"));
    let pids = loop {
        if let Ok(pids) = std::fs::read_to_string(folder.path().join("pids")) {
            break pids;
        }
        std::thread::yield_now();
    };
    running.0.kill().unwrap();
    running.0.wait().unwrap();
    // A process that nobody has reaped yet has ended too.
    let runs = |pid: &str| {
        std::fs::read_to_string(format!("/proc/{pid}/stat"))
            .is_ok_and(|stat| !stat.contains(") Z "))
    };
    let began = Instant::now();
    while pids.split_whitespace().any(runs) {
        assert!(began.elapsed() < Duration::from_secs(60), "the engine still runs");
        std::thread::yield_now();
    }
}

/// Number of games, or parts of a game, that the file of events has begun.
fn started_games(folder: &Folder) -> usize {
    let events = std::fs::read_to_string(folder.path().join("events")).unwrap_or_default();
    let whole = events.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.filter(|line| line.contains("\"event\":\"game_started\"")).count()
}

#[test]
fn a_killed_client_that_is_started_again_plays_on() {
    let (served, folder) = (Folder::new(), Folder::new());
    // A client that starts slowly on a busy machine comes back in time all the same.
    let server = Server::start(&served, &["listen.resume_time=600s"]);
    let (host, port) = server.address.rsplit_once(':').unwrap();
    let config = format!(
        "games = 1\n[server]\nhost = \"{host}\"\nport = {port}\nname = \"kyomi\"\n\
         password = \"x\"\ngame = \"kill-600-0-B\"\nprofile = \"kyomi\"\n\
         [engine]\nkind = \"random\"\n"
    );
    // Killed in the other side's turn, and again in its own.
    folder.write("kyomi.toml", &config);
    let play = || folder.play_with(&["--events", "events"]);
    let mut running = play();
    let mut opponent = Opponent::log_in(&server.address, "other", Color::White, 7);
    for (run, plies) in [5, 8].into_iter().enumerate() {
        opponent.play_to(plies, &folder);
        // The moves may be ahead of the file of events.
        let deadline = Instant::now() + PATIENCE;
        while started_games(&folder) <= run {
            assert!(Instant::now() < deadline, "no event of run {run}: {}", folder.log());
            std::thread::sleep(Duration::from_millis(1));
        }
        running.0.kill().unwrap();
        running.0.wait().unwrap();
        running = play();
    }
    opponent.play_to(15, &folder);
    opponent.peer.send("%TORYO");
    while opponent.read_move() {}
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), ["black"], "{}", finished.stderr);
    let events = std::fs::read_to_string(folder.path().join("events")).unwrap();
    let begins: Vec<_> =
        events.lines().filter(|line| line.contains("\"event\":\"game_started\"")).collect();
    assert_eq!(begins.len(), 3, "{events}");
    for (line, continued) in begins.iter().zip([false, true, true]) {
        assert!(line.contains(&format!("\"continued\":{continued}")), "{line}");
        assert!(line.contains("\"game\":1,"), "{line}");
    }
    // A run tells the moves of the earlier ones again.
    let (_, last_run) = events.rsplit_once("\"event\":\"game_started\"").unwrap();
    let told = last_run.matches("\"event\":\"move\"").count();
    assert_eq!(told, opponent.game.moves().len(), "{last_run}");
    let record = folder.path().join(finished.all("record")[0]);
    let played = opponent.game.moves().len();
    assert_eq!((moves_of(&record).len(), end_of(&record).as_str()), (played, "%TORYO"));
    assert_eq!(folder.games(".csa").len(), 1);
    let left = std::fs::read_dir(folder.path().join("logs/games")).unwrap().count();
    assert_eq!(left, 1, "no journal and no offer is left");
}

/// A server that ends the game of a lost connection leaves nothing to continue.
#[test]
fn a_killed_client_leaves_no_offer_where_no_game_is_resumed() {
    let (served, folder) = (Folder::new(), Folder::new());
    let server = Server::start(&served, &["listen.resume_time=0s"]);
    let (host, port) = server.address.rsplit_once(':').unwrap();
    let mut running = folder.play(&format!(
        "[server]\nhost = \"{host}\"\nport = {port}\nname = \"kyomi\"\npassword = \"x\"\n\
         game = \"kill-600-0-B\"\nprofile = \"reference\"\n[engine]\nkind = \"random\"\n"
    ));
    let mut opponent = Opponent::log_in(&server.address, "other", Color::White, 7);
    opponent.play_to(5, &folder);
    running.0.kill().unwrap();
    running.0.wait().unwrap();
    assert_eq!((folder.games(".part").len(), folder.games(".offer").len()), (1, 0));
}

#[test]
fn a_game_survives_a_killed_server() {
    let (served, folder) = (Folder::new(), Folder::new());
    // Players that come back slowly on a busy machine are in time all the same.
    let settings = ["listen.resume_time=600s"];
    let mut server = Server::start(&served, &settings);
    let address = server.address.clone();
    let (host, port) = address.rsplit_once(':').unwrap();
    let config = format!(
        "games = 1\n[server]\nhost = \"{host}\"\nport = {port}\nname = \"kyomi\"\n\
         password = \"x\"\ngame = \"kill-600-0-B\"\nprofile = \"kyomi\"\n\
         [engine]\nkind = \"random\"\n"
    );
    let running = folder.play(&config);
    let mut opponent = Opponent::log_in(&address, "other", Color::White, 7);
    // In the other side's turn and in its own, and once before anybody has come back.
    for plies in [5, 8, 8] {
        opponent.play_to(plies, &folder);
        server.kill();
        server = Server::start_at(&address, &served, &settings);
        if plies == 5 {
            server.kill();
            server = Server::start_at(&address, &served, &settings);
        }
        opponent = Opponent::log_in(&address, "other", Color::White, 7);
    }
    opponent.play_to(15, &folder);
    opponent.peer.send("%TORYO");
    while opponent.read_move() {}
    let finished = running.finish().exited(0);
    assert_eq!(finished.all("result"), ["black"], "{}", finished.stderr);
    let ours = folder.path().join(finished.all("record")[0]);
    // The server finishes its record before it tells the result.
    let entries = std::fs::read_dir(served.path().join("logs/server")).unwrap();
    let kept: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(kept.len(), 1, "one record, and no journal: {kept:?}");
    let played = opponent.game.moves().len();
    for record in [&ours, &kept[0]] {
        assert_eq!((moves_of(record).len(), end_of(record).as_str()), (played, "%TORYO"));
    }
    assert_eq!(folder.games(".csa").len(), 1);
}

/// The moves in the journal of the running game.
fn kept(folder: &Folder) -> Vec<String> {
    match folder.games(".part").as_slice() {
        [journal] => moves_of(journal),
        [] => Vec::new(),
        more => panic!("{more:?}"),
    }
}

/// The number of records that end with an interruption.
fn interrupted(folder: &Folder) -> usize {
    folder.games(".csa").iter().filter(|path| end_of(path) == "%CHUDAN").count()
}
