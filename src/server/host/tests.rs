//! Whole dialogues over in-memory streams in simulated time.

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::time::Instant;

use super::*;

/// A server without a port.
struct TestServer {
    acceptor: Acceptor,
    shutdown: Shutdown,
    running: tokio::task::JoinHandle<()>,
    began: Instant,
}

impl TestServer {
    fn start(settings: ServerSettings) -> Self {
        let ServerParts { hub, acceptor } =
            ServerParts::new(settings, Position::startpos(), None).unwrap();
        let shutdown = Shutdown::default();
        let running = tokio::spawn(hub.run(shutdown.clone()));
        Self { acceptor, shutdown, running, began: Instant::now() }
    }

    /// A peer whose connection buffers this number of bytes.
    fn connect_through(&mut self, bytes: usize) -> Peer {
        let (ours, theirs) = tokio::io::duplex(bytes);
        self.acceptor.admit(None, tokio::io::split(ours), |_| {}, ());
        let (reader, writer) = tokio::io::split(theirs);
        Peer { reader: BufReader::new(reader), writer }
    }

    fn connect(&mut self) -> Peer {
        self.connect_through(64 * 1024)
    }

    async fn login(&mut self, name: &str, password: &str) -> Peer {
        let mut peer = self.connect();
        peer.send(&format!("LOGIN {name} {password}")).await;
        peer.expect(&format!("LOGIN:{name} OK")).await;
        peer
    }

    async fn game(&mut self, game_name: &str) -> [Peer; 2] {
        let black = self.login("black", &format!("{game_name}-B,x")).await;
        let white = self.login("white", &format!("{game_name}-W,x")).await;
        let mut peers = [black, white];
        for peer in &mut peers {
            peer.expect_until("END Game_Summary").await;
            peer.send("AGREE").await;
        }
        for peer in &mut peers {
            assert!(peer.line().await.unwrap().starts_with("START:"));
        }
        peers
    }

    fn seconds(&self) -> u64 {
        self.began.elapsed().as_secs()
    }
}

struct Peer {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Peer {
    async fn send(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line).await {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim_end().to_owned()),
        }
    }

    async fn expect(&mut self, line: &str) {
        assert_eq!(self.line().await.as_deref(), Some(line));
    }

    async fn expect_until(&mut self, last: &str) {
        while self.line().await.expect("more lines") != last {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_log_in_is_disconnected() {
    let mut server = TestServer::start(ServerSettings::default());
    let mut peer = server.connect();
    peer.expect("##[ERROR] no login in time").await;
    assert_eq!(peer.line().await, None);
    assert_eq!(server.seconds(), 60);
}

#[tokio::test(start_paused = true)]
async fn a_flag_falls_without_any_line() {
    let mut server = TestServer::start(ServerSettings::default());
    let [mut black, mut white] = server.game("x-60-10").await;
    tokio::time::sleep(Duration::from_millis(30_500)).await;
    black.send("+7776FU").await;
    white.expect("+7776FU,T30").await;
    black.expect("+7776FU,T30").await;
    white.expect("#TIME_UP").await;
    white.expect("#LOSE").await;
    black.expect("#TIME_UP").await;
    black.expect("#WIN").await;
    // 30.5 s of black's, then 60 and 10 of white's.
    assert_eq!(server.seconds(), 100);
}

#[tokio::test(start_paused = true)]
async fn an_offer_times_out() {
    let mut server = TestServer::start(ServerSettings::default());
    let mut black = server.login("a", "x-60-0").await;
    let mut white = server.login("b", "x-60-0").await;
    black.expect_until("END Game_Summary").await;
    black.send("AGREE").await;
    white.expect_until("END Game_Summary").await;
    let line = white.line().await.unwrap();
    assert!(line.starts_with("REJECT:") && line.ends_with(" by the Server (timed out)"), "{line}");
    assert_eq!(white.line().await, None);
    assert_eq!(server.seconds(), 120);
    black.expect(&line).await;
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_read_is_dropped_and_delays_no_other() {
    let mut server = TestServer::start(ServerSettings::default());
    let mut players = server.game("x-600-0").await;
    let mut deaf = server.connect_through(64);
    deaf.send("LOGIN deaf x").await;
    for _ in 0..20 {
        deaf.send("").await;
        deaf.send("what?").await;
    }
    for _ in 0..2 {
        for (mover, word) in [(0, "+2838HI"), (1, "-8272HI"), (0, "+3828HI"), (1, "-7282HI")] {
            players[mover].send(word).await;
            for player in &mut players {
                player.expect(&format!("{word},T0")).await;
            }
        }
    }
    // The write to it does not end in time.
    tokio::time::sleep(Duration::from_secs(40)).await;
    let mut again = server.connect();
    again.send("LOGIN deaf x").await;
    again.expect("LOGIN:deaf OK").await;
}

#[tokio::test(start_paused = true)]
async fn shutting_down_waits_for_the_game_or_aborts_it() {
    let mut server = TestServer::start(ServerSettings::default());
    let [mut black, mut white] = server.game("x-600-0").await;
    server.shutdown.finish.cancel();
    tokio::time::sleep(Duration::from_secs(10)).await;
    black.send("+7776FU").await;
    white.expect("+7776FU,T10").await;
    assert!(!server.running.is_finished());
    server.shutdown.abort.cancel();
    server.running.await.unwrap();
    white.expect("#CHUDAN").await;
    assert_eq!(white.line().await, None);
    black.expect("+7776FU,T10").await;
    black.expect("#CHUDAN").await;
}
