//! A server on a free port.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

use kyomi::server::{Server, ServerSettings, Shutdown};
use kyomi::watch::{Report, Reports, Watchers};
use kyomi_csa::reason_line;
use kyomi_shogi::Color;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::common::connection::{PATIENCE, Peer};

/// Result, reason, number of moves, record.
type Ended = (&'static str, &'static str, usize, Option<PathBuf>);

/// Reads all reports at once, so that none is lost.
async fn watch(mut reports: Reports, to: Sender<Ended>) {
    let mut plies: HashMap<u64, usize> = HashMap::new();
    while let Some(report) = reports.next().await {
        match report {
            Report::Moved { number, .. } => *plies.entry(number).or_default() += 1,
            Report::GameEnded { number, end, record } => {
                let reason = reason_line(&end).trim_start_matches('#');
                let plies = plies.remove(&number).unwrap_or_default();
                let _ = to.send((end.result_word(), reason, plies, record));
            }
            _ => {}
        }
    }
}

/// A running server.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) shutdown: Shutdown,
    ended: Receiver<Ended>,
    running: JoinHandle<()>,
    runtime: Runtime,
}

impl TestServer {
    pub(crate) fn start(settings: ServerSettings) -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(Server::bind(settings)).unwrap();
        let address = server.local_addr();
        let watchers = Watchers::new();
        let (sender, ended) = channel();
        runtime.spawn(watch(watchers.subscribe(), sender));
        let shutdown = Shutdown::default();
        let running = runtime.spawn(server.with_watchers(watchers).run(shutdown.clone()));
        Self { address, shutdown, ended, running, runtime }
    }

    pub(crate) fn connect(&self) -> Peer {
        Peer::connect(self.address)
    }

    pub(crate) fn login(&self, name: &str, password: &str) -> Peer {
        let mut client = self.connect();
        client.send(&format!("LOGIN {name} {password}"));
        client.expect(&format!("LOGIN:{name} OK"));
        client
    }

    /// The two players of a game that has begun, black first.
    pub(crate) fn game(&self, game_name: &str) -> [Peer; 2] {
        let mut black = self.login("black", &format!("{game_name}-B,x"));
        let mut white = self.login("white", &format!("{game_name}-W,x"));
        for (client, color) in [(&mut black, Color::Black), (&mut white, Color::White)] {
            let summary = client.read_offer();
            assert_eq!(summary.your_turn, color);
            client.send(&format!("AGREE {}", summary.game_id));
        }
        for client in [&mut black, &mut white] {
            assert!(client.line().starts_with("START:"));
        }
        [black, white]
    }

    /// Waits for the end of the next game. Returns it with its record.
    pub(crate) fn ended(&self) -> Ended {
        self.ended.recv_timeout(PATIENCE).unwrap()
    }

    pub(crate) fn stop(self) {
        self.shutdown.finish.cancel();
        let stopped = async { timeout(PATIENCE, self.running).await };
        self.runtime.block_on(stopped).unwrap().unwrap();
    }
}

/// Settings with records in `dir`.
pub(crate) fn with_records(dir: &Path) -> ServerSettings {
    ServerSettings { records: Some(dir.to_owned()), ..ServerSettings::default() }
}

/// Sends a move of one side, and reads the echo on both.
pub(crate) fn play(clients: &mut [Peer; 2], word: &str) {
    let mover = usize::from(word.starts_with('-'));
    clients[mover].send(word);
    for client in clients {
        let echo = client.line();
        assert_eq!(echo.split(',').next(), Some(word), "{echo}");
        assert!(echo.contains(",T"), "{echo}");
    }
}
