//! The games of an account in simulated time, with a scripted server.

use std::{io, sync::Arc};

use futures_util::{FutureExt as _, future::BoxFuture};
use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::client::surroundings::Simulated;
use kyomi_shogi::{Position, notation::csa};

use super::*;

/// Passes the far ends of the connections to the test.
#[derive(Debug)]
struct Door(Mutex<UnboundedSender<DuplexStream>>);

impl Simulated for Door {
    fn connect(&self, _: &str) -> BoxFuture<'static, io::Result<DuplexStream>> {
        let (near, far) = duplex(64 * 1024);
        let _ = self.0.lock().send(far);
        std::future::ready(Ok(near)).boxed()
    }

    fn engines(&self, spec: FailoverSpec) -> FailoverSpec {
        spec
    }
}

/// The scripted server; the client runs as a task.
struct Server {
    connections: UnboundedReceiver<DuplexStream>,
    _client: tokio_util::task::AbortOnDropHandle<()>,
    _folder: tempfile::TempDir,
}

/// One connection of the client.
struct Peer(BufReader<DuplexStream>);

impl Server {
    fn with(profile: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let text = format!(
            "games = 0\n[server]\nhost = \"h\"\nname = \"own\"\npassword = \"x\"\nprofile = \"{profile}\"\n\
             [engine]\nkind = \"random\"\n[records]\ndir = \"{}\"\nindex = \"off\"\n",
            folder.path().display()
        );
        let config = Config::from_text("test", &text, [], &[]).unwrap().config;
        let (sender, connections) = unbounded_channel();
        let (accounts, _) = Account::all(&config);
        let [mut account]: [Account; 1] = accounts.try_into().unwrap();
        account.surroundings.simulated = Some(Arc::new(Door(Mutex::new(sender))));
        let client = tokio::spawn(async move {
            let (control, shutdown) = (ClientControl::default(), Shutdown::default());
            Box::pin(play(account, control, shutdown, None)).await.unwrap();
        });
        let client = tokio_util::task::AbortOnDropHandle::new(client);
        Self { connections, _client: client, _folder: folder }
    }

    /// The next connection, and the line with which it logs in.
    async fn login(&mut self) -> (Peer, String) {
        let mut peer = Peer(BufReader::new(self.connections.recv().await.unwrap()));
        let line = peer.line().await;
        (peer, line)
    }
}

impl Peer {
    async fn send(&mut self, lines: &str) {
        self.0.get_mut().write_all(format!("{lines}\n").as_bytes()).await.unwrap();
    }

    /// The next line that is not empty.
    async fn line(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).await.unwrap() > 0, "the end of the stream");
            if line != "\n" {
                return line.trim_end().to_owned();
            }
        }
    }

    /// Offers a game of twenty minutes with the token `1234`, in which the client is white.
    async fn offer(&mut self) {
        let position = csa::format_position(&Position::startpos());
        self.send(&format!(
            "BEGIN Game_Summary\nGame_ID:g\nName+:b\nName-:own\nYour_Turn:-\nTo_Move:+\n\
             BEGIN Time\nTotal_Time:1200\nEND Time\nBEGIN Position\n{}\nEND Position\n\
             Reconnect_Token:1234\nEND Game_Summary",
            position.trim_end()
        ))
        .await;
    }

    async fn begin(&mut self) {
        self.send("LOGIN:own OK").await;
        self.offer().await;
        assert_eq!(self.line().await, "AGREE g");
        self.send("START:g").await;
    }
}

const BY_TOKEN: &str = "LOGIN own x reconnect:g+1234";

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_logins_for_minutes_does_not_cost_the_game() {
    let mut server = Server::with("kyomi");
    let (mut peer, _) = server.login().await;
    peer.begin().await;
    drop(peer);
    let lost = Instant::now();
    while lost.elapsed() < Duration::from_secs(300) {
        let (mut peer, line) = server.login().await;
        assert_eq!(line, BY_TOKEN);
        peer.send("LOGIN:incorrect\n##[ERROR] the server is shutting down").await;
    }
    let (mut peer, line) = server.login().await;
    assert_eq!(line, BY_TOKEN);
    peer.send("LOGIN:own OK").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    peer.offer().await;
    peer.send("BEGIN Reconnect_State\nCurrent_Turn:+\nEND Reconnect_State\n+7776FU,T310").await;
    assert!(peer.line().await.starts_with('-'), "the game goes on");
}

/// Its clocks stand while it is down.
#[tokio::test(start_paused = true)]
async fn a_game_of_a_server_that_was_down_for_longer_than_both_clocks_goes_on() {
    let mut server = Server::with("kyomi");
    let (mut peer, _) = server.login().await;
    peer.begin().await;
    drop(peer);
    let lost = Instant::now();
    while lost.elapsed() < Duration::from_secs(2 * 1200 + 1800) {
        // Nobody answers.
        server.connections.recv().await.unwrap();
    }
    let (mut peer, line) = server.login().await;
    assert_eq!(line, BY_TOKEN);
    peer.send("LOGIN:own OK").await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    peer.offer().await;
    peer.send("BEGIN Reconnect_State\nCurrent_Turn:+\nEND Reconnect_State\n+7776FU,T310").await;
    assert!(peer.line().await.starts_with('-'), "the game goes on");
}

#[tokio::test(start_paused = true)]
async fn a_game_that_our_server_does_not_hold_is_given_up_at_once() {
    let mut server = Server::with("kyomi");
    let (mut peer, _) = server.login().await;
    peer.begin().await;
    drop(peer);
    let (mut peer, line) = server.login().await;
    assert_eq!(line, BY_TOKEN);
    peer.send("LOGIN:incorrect reconnect_rejected").await;
    let refused = Instant::now();
    let (_, line) = server.login().await;
    assert_eq!(line, "LOGIN own x");
    assert!(refused.elapsed() <= Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn while_a_game_may_still_run_the_logins_go_on_without_long_pauses() {
    let mut server = Server::with("rshogi");
    let (mut peer, _) = server.login().await;
    peer.begin().await;
    drop(peer);
    let (lost, mut last) = (Instant::now(), Instant::now());
    // Both clocks and a minute.
    while lost.elapsed() < Duration::from_secs(2400) {
        let (mut peer, line) = server.login().await;
        let pause = last.elapsed();
        assert!(pause <= Duration::from_secs(30), "{pause:?} before {line}");
        peer.send("LOGIN:incorrect").await;
        last = Instant::now();
    }
}
