//! A server on a free port, and raw clients for it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kyomi::csa::reason_line;
use kyomi::csa::{GameSummary, ReadOptions};
use kyomi::server::{Server, ServerSettings, Shutdown};
use kyomi::shogi::Color;
use kyomi::watch::{Report, Reports, Watchers};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The longest wait; it is reached only if something is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// Result, reason, number of moves, record.
type Ended = (&'static str, &'static str, usize, Option<PathBuf>);

/// Reads all reports at once, so that none is lost.
async fn watch(mut reports: Reports, to: mpsc::UnboundedSender<Ended>) {
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
    ended: mpsc::UnboundedReceiver<Ended>,
    running: JoinHandle<()>,
}

impl TestServer {
    pub(crate) async fn start(settings: ServerSettings) -> Self {
        let server = Server::bind(settings).await.unwrap();
        let address = server.local_addr();
        let watchers = Watchers::new();
        let (sender, ended) = mpsc::unbounded_channel();
        tokio::spawn(watch(watchers.subscribe(), sender));
        let shutdown = Shutdown::default();
        let running = tokio::spawn(server.with_watchers(watchers).run(shutdown.clone()));
        Self { address, shutdown, ended, running }
    }

    pub(crate) async fn connect(&self) -> Client {
        Client::over(TcpStream::connect(self.address).await.unwrap())
    }

    pub(crate) async fn login(&self, name: &str, password: &str) -> Client {
        let mut client = self.connect().await;
        client.send(&format!("LOGIN {name} {password}")).await;
        client.expect(&format!("LOGIN:{name} OK")).await;
        client
    }

    /// The two players of a game that has begun, black first.
    pub(crate) async fn game(&self, game_name: &str) -> [Client; 2] {
        let mut black = self.login("black", &format!("{game_name}-B,x")).await;
        let mut white = self.login("white", &format!("{game_name}-W,x")).await;
        for (client, color) in [(&mut black, Color::Black), (&mut white, Color::White)] {
            let summary = client.summary().await;
            assert_eq!(summary.your_turn, color);
            client.send(&format!("AGREE {}", summary.game_id)).await;
        }
        for client in [&mut black, &mut white] {
            assert!(client.line().await.starts_with("START:"));
        }
        [black, white]
    }

    /// Waits for the end of the next game. Returns it with its record.
    pub(crate) async fn ended(&mut self) -> Ended {
        timeout(PATIENCE, self.ended.recv()).await.unwrap().unwrap()
    }

    pub(crate) async fn stop(self) {
        self.shutdown.finish.cancel();
        timeout(PATIENCE, self.running).await.unwrap().unwrap();
    }
}

/// Settings with records in `dir`.
pub(crate) fn with_records(dir: &Path) -> ServerSettings {
    ServerSettings { records: Some(dir.to_owned()), ..ServerSettings::default() }
}

/// A peer that sends given lines.
pub(crate) struct Client {
    reader: BufReader<OwnedReadHalf>,
    pub(crate) writer: OwnedWriteHalf,
}

impl Client {
    pub(crate) fn over(stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        let (reader, writer) = stream.into_split();
        Self { reader: BufReader::new(reader), writer }
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// The next line; `None` at the end of the stream.
    pub(crate) async fn try_line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = timeout(PATIENCE, self.reader.read_line(&mut line)).await.expect("a line");
        match read {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim_end_matches('\n').to_owned()),
        }
    }

    pub(crate) async fn line(&mut self) -> String {
        self.try_line().await.expect("the stream has ended")
    }

    pub(crate) async fn expect(&mut self, line: &str) {
        assert_eq!(self.line().await, line);
    }

    pub(crate) async fn expect_all(&mut self, lines: &[&str]) {
        for line in lines {
            self.expect(line).await;
        }
    }

    pub(crate) async fn expect_end(&mut self) {
        assert_eq!(self.try_line().await, None);
    }

    /// The next offer.
    pub(crate) async fn summary(&mut self) -> GameSummary {
        let lines = self.summary_lines().await;
        GameSummary::parse(lines.iter().map(String::as_str), ReadOptions::default()).unwrap()
    }

    pub(crate) async fn summary_lines(&mut self) -> Vec<String> {
        self.expect("BEGIN Game_Summary").await;
        let mut lines = vec!["BEGIN Game_Summary".to_owned()];
        while lines.last().is_none_or(|line| line != "END Game_Summary") {
            lines.push(self.line().await);
        }
        lines
    }
}

/// Sends a move of one side, and reads the echo on both.
pub(crate) async fn play(clients: &mut [Client; 2], word: &str) {
    let mover = usize::from(word.starts_with('-'));
    clients[mover].send(word).await;
    for client in clients {
        let echo = client.line().await;
        assert_eq!(echo.split(',').next(), Some(word), "{echo}");
        assert!(echo.contains(",T"), "{echo}");
    }
}
