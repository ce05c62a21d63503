//! Hostile connections to every door at once (the server, the pages of server and client, the control socket), tried from
//! outside the processes, beside a game and its watchers that must not be disturbed. Time is real here: nothing asserts a
//! duration.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

#[path = "../common/mod.rs"]
mod common;
mod crowd;
mod files;
mod honest;
mod hostile;
mod programs;

use std::path::PathBuf;

use common::folder::Folder;
use crowd::{Crowd, Door};
use honest::{Opponent, Score, Watching};
use programs::{MOST_MEMORY_KB, Program};

/// The number of plies that are played under attack, an odd one. `KYOMI_DOORS_PLIES=251` is a long form.
fn plies() -> usize {
    std::env::var("KYOMI_DOORS_PLIES").map_or(31, |text| text.parse().unwrap())
}

/// The number of new hostile connections between two plies.
const NEW_CONNECTIONS: usize = 40;

/// A server and a client of it, each with a page.
struct Stage {
    server: Program,
    client: Program,
    /// The addresses of the server, of its page, and of the client's page.
    address: String,
    pages: [String; 2],
    /// The folder of the client.
    folder: Folder,
    _served: Folder,
}

impl Stage {
    /// Starts both; the client plays this score and waits for its opponent.
    fn start(score: &Score) -> Self {
        let (served, folder) = (Folder::new(), Folder::new());
        let address = ["--set", "listen.address=127.0.0.1:0"];
        // A game that hostile players leave has its journal open until nobody can come back to it.
        let resuming = ["--set", "listen.resume_time=1s", "--set", "rules.max_moves=0"];
        let page = ["--dashboard", "127.0.0.1:0"];
        let mut server =
            Program::start(&served, &[&["serve"], &address[..], &resuming, &page].concat());
        let address = server.await_line("listening on ");
        let server_page = server.await_line("dashboard: http://");
        server.ignore_output();
        folder.write("kyomi.toml", client(&address, score));
        let arguments = ["play", "--config", "kyomi.toml"];
        let mut client = Program::start(&folder, &[&arguments[..], &page[..]].concat());
        let client_page = client.await_line("dashboard: http://");
        client.ignore_output();
        let pages = [server_page, client_page];
        let stage = Self { server, client, address, pages, folder, _served: served };
        while !stage.socket().exists() || !stage.status().contains("waiting for a game") {
            std::thread::yield_now();
        }
        stage
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("logs/kyomi.sock")
    }

    /// What an honest `kyomi status` is answered.
    fn status(&self) -> String {
        self.folder.run_with_code(&["status"], 0).0
    }

    fn descriptors(&self) -> [usize; 2] {
        [self.server.descriptors(), self.client.descriptors()]
    }

    /// Waits until both have no more descriptors than these.
    fn await_descriptors(&self, most: [usize; 2]) {
        self.server.await_descriptors(most[0]);
        self.client.await_descriptors(most[1]);
    }

    /// Sends the crowd to all doors.
    fn attack(&self) -> Crowd {
        let mut crowd = Crowd::new();
        let port = |address: &String| Door::Port(address.clone());
        crowd.attack("server", &port(&self.address), &hostile::SERVER);
        crowd.attack("page of the server", &port(&self.pages[0]), &hostile::PAGE);
        crowd.attack("page of the client", &port(&self.pages[1]), &hostile::PAGE);
        crowd.attack("control socket", &Door::Socket(self.socket()), &hostile::CONTROL);
        crowd.await_new_connections(crowd.size());
        crowd
    }
}

/// The settings of a client that plays this score as black on this server.
fn client(server: &str, score: &Score) -> String {
    let (host, port) = server.rsplit_once(':').unwrap();
    let moves = score.black.join(" ");
    let script = format!(
        "set -- {moves}; while read -r line; do case \"$line\" in usi) echo usiok;; \
         isready) echo readyok;; go*) echo bestmove $1; shift;; quit) exit 0;; esac; done"
    );
    format!(
        "games = 0\n[server]\nhost = \"{host}\"\nport = {port}\nname = \"kyomi\"\npassword = \"x\"\n\
         game = \"doors-600-0-B\"\nprofile = \"kyomi\"\n\
         [engine]\nkind = \"usi\"\npath = \"sh\"\nargs = ['-c', '''{script}''']\n\
         [book]\nenabled = false\n"
    )
}

#[test]
fn hostile_connections_at_every_door_disturb_no_game_and_no_watcher() {
    let score = Score::new(plies());
    let stage = Stage::start(&score);
    let viewers = stage.pages.each_ref().map(|page| Watching::of_page(page));
    let mut opponent = Opponent::new(&stage.address, "doors-600-0");
    opponent.begin();
    opponent.play(&score.words[0]);
    let watcher = Watching::of_client(&stage.folder);
    let descriptors = stage.descriptors();

    let crowd = stage.attack();
    for (ply, word) in score.words.iter().enumerate().skip(1) {
        opponent.play(word);
        crowd.played(ply as u32);
        crowd.await_new_connections(NEW_CONNECTIONS);
    }
    let status = stage.status();
    assert!(status.contains(&format!("move {}", score.words.len() + 1)), "{status}");
    println!("{}", crowd.report());
    assert!(crowd.most_at_once() >= 400, "{}", crowd.most_at_once());
    crowd.disperse();

    stage.await_descriptors(descriptors);
    opponent.resign();
    for watching in viewers.into_iter().chain([watcher]) {
        assert_eq!(watching.moves(), score.words.len());
    }
    for (name, program) in [("server", &stage.server), ("client", &stage.client)] {
        let memory = program.most_memory();
        println!("{name}: {memory} kB");
        assert!(memory < MOST_MEMORY_KB, "{name}: {memory} kB");
    }
}
