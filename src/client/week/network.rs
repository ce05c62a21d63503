//! Connections between the players and the server, and how they break.

use std::{io, sync::Arc, time::Duration};

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
    world.line_is(&name, true);
    tokio::spawn(async move {
        let line = Line { world: &world, name: &name, is_ours, delay };
        tokio::select! {
            () = line.carry(ours, far, fate) => {}
            () = life.cancelled() => {}
        }
        world.line_is(&name, false);
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
    is_ours: bool,
    delay: Duration,
}

impl Line<'_> {
    async fn carry(&self, near: DuplexStream, far: DuplexStream, fate: Fate) {
        let ((mut up, mut down), (mut from_server, mut to_server)) = (split(near), split(far));
        let began = Instant::now();
        let both = async {
            tokio::join!(
                copy(&mut up, &mut to_server, self.delay),
                copy(&mut from_server, &mut down, self.delay)
            );
        };
        let breaks = async {
            match fate {
                Fate::Stays => std::future::pending().await,
                Fate::Cut(after) | Fate::HalfOpen(after, _) => sleep_until(began + after).await,
            }
        };
        tokio::select! {
            () = both => return,
            () = breaks => {}
        }
        self.world.line_is(self.name, false);
        if let Fate::HalfOpen(_, noticed) = fate {
            self.world.line_is_half_open(self.name);
            self.tell("half-open line");
            half_open(up, down, (from_server, to_server), noticed).await;
        } else {
            self.tell("cut");
            // The beginning of a line arrives.
            let _ = down.write_all(b"+77").await;
        }
    }

    fn tell(&self, fault: &'static str) {
        if self.is_ours {
            self.world.count(fault);
            self.world.note(format!("{fault}: {}", self.name));
        }
    }
}

/// Carries bytes until the end of the stream.
async fn copy(
    from: &mut ReadHalf<DuplexStream>,
    to: &mut WriteHalf<DuplexStream>,
    delay: Duration,
) {
    let mut buffer = vec![0; 4096];
    loop {
        let read = from.read(&mut buffer).await.unwrap_or(0);
        sleep(delay).await;
        if read == 0 || to.write_all(&buffer[..read]).await.is_err() {
            break;
        }
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
