//! The hostile connections: the number of them at once stays, since each is replaced when it ends.

use std::{
    io,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::future::BoxFuture;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpStream, UnixStream},
    runtime::Runtime,
    sync::watch,
};

/// A stream of any kind.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Where to connect to.
#[derive(Clone)]
pub(crate) enum Door {
    Port(String),
    Socket(PathBuf),
}

/// One kind of attack: what it does with one connection. It is begun again when it ends.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) connections: usize,
    pub(crate) attack: fn(Visit) -> BoxFuture<'static, io::Result<()>>,
}

/// The numbers of the hostile connections.
#[derive(Default)]
struct Counts {
    /// Open now.
    open: AtomicUsize,
    /// The most that were open at a time.
    most: AtomicUsize,
    /// All so far.
    all: AtomicUsize,
    /// All that the test has waited for.
    awaited: AtomicUsize,
    /// The bytes sent to the processes.
    sent: AtomicUsize,
    /// The games that hostile players have begun.
    games: Mutex<Vec<String>>,
    /// The answers that were right, and those that were not.
    right: AtomicUsize,
    wrong: Mutex<Vec<String>>,
}

/// The place of one hostile connection among the others.
#[derive(Clone)]
pub(crate) struct Visit {
    pub(crate) door: Door,
    /// Another one for each connection of the crowd.
    pub(crate) number: usize,
    /// The ply of the honest game, by which the slow ones keep time.
    pub(crate) ply: watch::Receiver<u32>,
    counts: Arc<Counts>,
}

impl Visit {
    pub(crate) async fn connect(&self) -> io::Result<Intruder> {
        let stream: Box<dyn Stream> = match &self.door {
            Door::Port(address) => Box::new(TcpStream::connect(address).await?),
            Door::Socket(path) => Box::new(UnixStream::connect(path).await?),
        };
        self.counts.all.fetch_add(1, Ordering::Relaxed);
        let open = self.counts.open.fetch_add(1, Ordering::Relaxed) + 1;
        self.counts.most.fetch_max(open, Ordering::Relaxed);
        Ok(Intruder { stream, counts: Arc::clone(&self.counts) })
    }

    /// Waits until a ply is played in the honest game.
    pub(crate) async fn next_ply(&mut self) -> io::Result<()> {
        self.ply.changed().await.map_err(io::Error::other)
    }

    /// A hostile game has begun.
    pub(crate) fn note_game(&self, id: &str) {
        self.counts.games.lock().unwrap().push(id.to_owned());
    }

    /// The latest hostile games.
    pub(crate) fn latest_games(&self, most: usize) -> Vec<String> {
        self.counts.games.lock().unwrap().iter().rev().take(most).cloned().collect()
    }

    /// Counts an answer.
    pub(crate) fn note_answer(&self, is_right: bool, answer: &str) {
        if is_right {
            self.counts.right.fetch_add(1, Ordering::Relaxed);
        } else {
            self.counts.wrong.lock().unwrap().push(answer.to_owned());
        }
    }

    /// The address, for the header `Host`.
    pub(crate) fn host(&self) -> &str {
        match &self.door {
            Door::Port(address) => address,
            Door::Socket(_) => "localhost",
        }
    }
}

/// One hostile connection.
pub(crate) struct Intruder {
    pub(crate) stream: Box<dyn Stream>,
    counts: Arc<Counts>,
}

impl Intruder {
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref()).await?;
        self.counts.sent.fetch_add(bytes.as_ref().len(), Ordering::Relaxed);
        Ok(())
    }

    /// Repeats these bytes up to a number of bytes, or until nobody takes them.
    pub(crate) async fn send_much(&mut self, bytes: &[u8], most: usize) -> io::Result<()> {
        for _ in 0..most / bytes.len() {
            self.send(bytes).await?;
        }
        Ok(())
    }

    /// Reads and forgets everything, until the other side closes the connection.
    pub(crate) async fn wait_for_end(&mut self) -> io::Result<()> {
        let mut bytes = [0; 4096];
        while self.stream.read(&mut bytes).await? > 0 {}
        Ok(())
    }
}

impl Drop for Intruder {
    fn drop(&mut self) {
        self.counts.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All hostile connections.
pub(crate) struct Crowd {
    runtime: Runtime,
    ply: watch::Sender<u32>,
    counts: Arc<Counts>,
    /// How many there are of each kind, in words.
    kinds: Vec<String>,
    size: usize,
}

impl Crowd {
    pub(crate) fn new() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let (ply, _) = watch::channel(0);
        let (counts, kinds) = (Arc::default(), Vec::new());
        Self { runtime: runtime.unwrap(), ply, counts, kinds, size: 0 }
    }

    /// Sends a number of each kind to a door.
    pub(crate) fn attack(&mut self, name: &str, door: &Door, kinds: &[Kind]) {
        for kind in kinds {
            self.kinds.push(format!("{name}: {} {}", kind.connections, kind.name));
            for _ in 0..kind.connections {
                let visit = Visit {
                    door: door.clone(),
                    number: self.size,
                    ply: self.ply.subscribe(),
                    counts: Arc::clone(&self.counts),
                };
                self.size += 1;
                self.runtime.spawn(repeat(kind.attack, visit));
            }
        }
    }

    /// The number of connections that there are to be at a time.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Waits for this number of further connections.
    pub(crate) fn await_new_connections(&self, number: usize) {
        let until = self.counts.awaited.fetch_add(number, Ordering::Relaxed) + number;
        while self.counts.all.load(Ordering::Relaxed) < until {
            std::thread::yield_now();
        }
    }

    /// A ply was played.
    pub(crate) fn played(&self, ply: u32) {
        self.ply.send_replace(ply);
    }

    pub(crate) fn most_at_once(&self) -> usize {
        self.counts.most.load(Ordering::Relaxed)
    }

    /// What they have done. Wrong answers to them fail the test.
    pub(crate) fn report(&self) -> String {
        let Counts { all, most, sent, right, wrong, .. } = &*self.counts;
        let count = |number: &AtomicUsize| number.load(Ordering::Relaxed);
        assert_eq!(*wrong.lock().unwrap(), [""; 0]);
        assert!(count(right) > 0);
        format!(
            "{}\n{} connections, {} at once, {} MB sent",
            self.kinds.join("\n"),
            count(all),
            count(most),
            count(sent) / 1_000_000
        )
    }

    /// Ends all connections.
    pub(crate) fn disperse(self) {
        self.runtime.shutdown_background();
    }
}

/// Attacks again and again. One whose connection was ended at once waits for the next ply.
async fn repeat(attack: fn(Visit) -> BoxFuture<'static, io::Result<()>>, mut visit: Visit) {
    loop {
        // Whoever is thrown out comes again.
        let _ = attack(visit.clone()).await;
        if visit.next_ply().await.is_err() {
            return;
        }
    }
}
