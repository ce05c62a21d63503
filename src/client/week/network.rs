//! Connections between the players and the server, and how they break.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_util::{FutureExt as _, future::BoxFuture};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream},
    io::{ReadHalf, WriteHalf, duplex, split},
    time::{Instant, sleep, sleep_until},
};

use crate::{
    client::surroundings::Simulated,
    players::{FailoverSpec, PlayerSpec, PlayerWrapper},
};

use super::{engine, plan::seconds, world::World};

/// The network and the engines of the client.
#[derive(Debug)]
pub(super) struct Outside(pub(super) World);

impl Simulated for Outside {
    fn connect(&self, name: &str) -> BoxFuture<'static, io::Result<DuplexStream>> {
        connect(self.0.clone(), name.to_owned(), true).boxed()
    }

    fn engines(&self, spec: FailoverSpec) -> FailoverSpec {
        let world = self.0.clone();
        // The player that is started beside it ends, since nobody has its handle.
        let wrap = move |spec: &PlayerSpec, _| engine::start(&world, spec);
        FailoverSpec { wrapper: Some(PlayerWrapper::new(wrap)), ..spec }
    }
}

/// How a connection ends, if nobody closes it.
#[derive(Debug, Clone, Copy)]
enum Fate {
    Stays,
    /// It is cut, perhaps in the middle of a line.
    Cut(Duration),
    /// What is sent vanishes from then on. The system of the client notices it after a time, or never.
    HalfOpen(Duration, Option<Duration>),
    /// It stays, but now and then it holds back for seconds what is sent.
    Slow,
}

impl Fate {
    /// The lines of the client break more often than those of the opponents.
    fn draw(random: &mut fastrand::Rng, is_ours: bool) -> Self {
        let [cut, half_open] = if is_ours { [0.3, 0.12] } else { [0.1, 0.04] };
        let after = seconds(random, 0..7200);
        let noticed = random.bool().then(|| seconds(random, 20..65));
        match random.f64() {
            share if share < cut => Self::Cut(after),
            share if share < cut + half_open => Self::HalfOpen(after, noticed),
            share if share < cut + half_open + 0.01 => Self::HalfOpen(Duration::ZERO, noticed),
            share if is_ours && share < cut + half_open + 0.11 => Self::Slow,
            _ => Self::Stays,
        }
    }
}

/// Connects a player to the server.
pub(super) async fn connect(world: World, name: String, is_ours: bool) -> io::Result<DuplexStream> {
    let mut random = world.random_of_connection();
    let delay = Duration::from_millis(random.u64(1..80));
    sleep(delay).await;
    if is_ours && world.is_unreachable() {
        world.count("no connection");
        if random.bool() {
            sleep(Duration::from_secs(4)).await;
            return Err(io::ErrorKind::TimedOut.into());
        }
        return Err(io::ErrorKind::HostUnreachable.into());
    }
    let (near, ours) = duplex(64 * 1024);
    if is_ours && world.refuses_logins() {
        world.count("login refused");
        tokio::spawn(refuse(ours));
        return Ok(near);
    }
    let (far, life) = match &mut world.state().server {
        Some(server) => (server.connect(), server.life.clone()),
        None => return Err(io::ErrorKind::ConnectionRefused.into()),
    };
    let fate = Fate::draw(&mut random, is_ours);
    let number = world.state().lines.begin(&name);
    tokio::spawn(async move {
        let line = Line {
            world: &world,
            name: &name,
            number,
            is_ours,
            delay,
            began: Instant::now(),
            server_has_closed: AtomicBool::new(false),
            player_has_left: AtomicBool::new(false),
        };
        tokio::select! {
            () = line.carry(ours, far, fate) => {}
            () = life.cancelled() => {}
        }
        world.state().lines.end(&name, number);
    });
    Ok(near)
}

/// Answers a login with a refusal.
async fn refuse(stream: DuplexStream) {
    let mut stream = BufReader::new(stream);
    let mut login = String::new();
    let _ = stream.read_line(&mut login).await;
    let _ = stream.write_all(b"LOGIN:incorrect\n").await;
}

/// A connection between a player and the server.
struct Line<'a> {
    world: &'a World,
    name: &'a str,
    number: u64,
    is_ours: bool,
    delay: Duration,
    began: Instant,
    server_has_closed: AtomicBool,
    /// Its last line was `LOGOUT`.
    player_has_left: AtomicBool,
}

impl Line<'_> {
    async fn carry(&self, near: DuplexStream, far: DuplexStream, fate: Fate) {
        let ((mut up, mut down), (mut from_server, mut to_server)) = (split(near), split(far));
        let began = Instant::now();
        let both = async {
            tokio::join!(
                copy(&mut up, &mut to_server, self.pace(fate), |bytes| self.to_server(bytes)),
                copy(&mut from_server, &mut down, self.pace(fate), |bytes| self.to_player(bytes))
            );
        };
        let breaks = async {
            match fate {
                Fate::Stays | Fate::Slow => std::future::pending().await,
                Fate::Cut(after) | Fate::HalfOpen(after, _) => sleep_until(began + after).await,
            }
        };
        tokio::select! {
            () = both => return,
            () = breaks => {}
        }
        if let Fate::HalfOpen(_, noticed) = fate {
            self.world.state().lines.half_open(self.name, self.number);
            self.tell("half-open line");
            half_open(up, down, (from_server, to_server), noticed).await;
        } else {
            self.world.state().lines.cut(self.name, self.number);
            self.tell("cut");
            // The beginning of a line arrives.
            let _ = down.write_all(b"+77").await;
        }
    }

    /// How long each of the next bytes takes.
    fn pace(&self, fate: Fate) -> impl FnMut() -> Duration {
        let mut random = self.world.random_of_connection();
        move || {
            if !matches!(fate, Fate::Slow) || random.f64() >= 0.02 {
                return self.delay;
            }
            let time = seconds(&mut random, 1..20);
            self.world.count("held back");
            self.world.note(format!("held back for {time:?}: {}", self.name));
            self.world.state().lines.slow_for(self.name, self.number, time);
            time
        }
    }

    /// The server receives these bytes of the player; none: it has closed the line.
    fn to_server(&self, bytes: &[u8]) {
        // A single thread runs the simulation.
        if !bytes.is_empty() {
            self.player_has_left.store(bytes.ends_with(b"LOGOUT\n"), Ordering::Relaxed);
            return;
        }
        let is_expected = !self.is_ours
            || self.server_has_closed.load(Ordering::Relaxed)
            || self.player_has_left.load(Ordering::Relaxed)
            || self.world.client_started_after(self.began);
        if !is_expected && self.world.state().lines.is_whole(self.name) {
            self.world.wrong(format!("{} closes its whole line", self.name));
        }
    }

    /// The player receives these bytes of the server; none: it has closed the line.
    fn to_player(&self, bytes: &[u8]) {
        if bytes.is_empty() {
            self.server_has_closed.store(true, Ordering::Relaxed);
        }
        let is_welcome = bytes.starts_with(b"LOGIN:") && bytes.windows(4).any(|it| it == b" OK\n");
        if is_welcome {
            self.world.state().lines.answered(self.name, self.number);
        }
    }

    fn tell(&self, fault: &'static str) {
        if self.is_ours {
            self.world.count(fault);
            self.world.note(format!("{fault}: {}", self.name));
        }
    }
}

/// Carries bytes until the end of the stream. `pace` tells how long the next ones take, `arrived` is called with those
/// that have arrived, and with none at the end.
async fn copy(
    from: &mut ReadHalf<DuplexStream>,
    to: &mut WriteHalf<DuplexStream>,
    mut pace: impl FnMut() -> Duration,
    arrived: impl Fn(&[u8]),
) {
    let mut buffer = vec![0; 4096];
    loop {
        let read = from.read(&mut buffer).await.unwrap_or(0);
        if read == 0 {
            arrived(&[]);
        }
        sleep(pace()).await;
        if read == 0 || to.write_all(&buffer[..read]).await.is_err() {
            break;
        }
        arrived(&buffer[..read]);
    }
    let _ = to.shutdown().await;
}

/// Lets vanish what is sent. The server's system notices it after one or two minutes.
async fn half_open(
    mut up: ReadHalf<DuplexStream>,
    down: WriteHalf<DuplexStream>,
    server: (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>),
    noticed: Option<Duration>,
) {
    let client = async {
        let mut buffer = vec![0; 4096];
        let vanishing = async { while up.read(&mut buffer).await.unwrap_or(0) > 0 {} };
        let noticed = async {
            match noticed {
                Some(after) => sleep(after).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = vanishing => {}
            () = noticed => {}
        }
        drop((up, down));
    };
    let (mut from_server, to_server) = server;
    let server = async {
        let mut buffer = vec![0; 4096];
        let vanishing = async { while from_server.read(&mut buffer).await.unwrap_or(0) > 0 {} };
        tokio::select! {
            () = vanishing => {}
            () = sleep(Duration::from_secs(110)) => {}
        }
        drop((from_server, to_server));
    };
    tokio::join!(client, server);
}

/// The surroundings of a client in this world.
pub(super) fn outside(world: &World) -> Arc<dyn Simulated> {
    Arc::new(Outside(world.clone()))
}
