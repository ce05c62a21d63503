//! What hostile connections do.

mod control;
mod game;
mod page;
mod server;

use std::io;

use futures_util::{FutureExt as _, future::BoxFuture};

pub(crate) use control::CONTROL;
pub(crate) use page::PAGE;
pub(crate) use server::SERVER;

use super::crowd::{Kind, Visit};

type Attack = BoxFuture<'static, io::Result<()>>;

const fn kind(name: &'static str, connections: usize, attack: fn(Visit) -> Attack) -> Kind {
    Kind { name, connections, attack }
}

/// 64 KiB without a line end.
static CHUNK: [u8; 1 << 16] = [b'x'; 1 << 16];

const TEN_MB: usize = 10_000_000;

/// Sends a text byte by byte, one for each ply.
async fn drip(mut visit: Visit, text: String) -> io::Result<()> {
    let mut intruder = visit.connect().await?;
    for byte in text.bytes() {
        intruder.send([byte]).await?;
        visit.next_ply().await?;
    }
    intruder.wait_for_end().await
}

/// Sends the beginning of something, and no more.
async fn begin_only(visit: Visit, text: &'static str) -> io::Result<()> {
    let mut intruder = visit.connect().await?;
    intruder.send(text).await?;
    intruder.wait_for_end().await
}

/// A line of 10 MB.
async fn long_line(visit: Visit, beginning: String) -> io::Result<()> {
    let mut intruder = visit.connect().await?;
    intruder.send(beginning).await?;
    let _ = intruder.send_much(&CHUNK, TEN_MB).await;
    let _ = intruder.send("\r\n\r\n").await;
    rest(visit).await
}

/// Comes again after a while: whoever sends much is not there all the time.
async fn rest(mut visit: Visit) -> io::Result<()> {
    for _ in 0..10 {
        visit.next_ply().await?;
    }
    Ok(())
}

/// Comes and goes, five times.
fn come_and_go(visit: Visit) -> Attack {
    async move {
        for _ in 0..5 {
            visit.connect().await?;
        }
        Ok(())
    }
    .boxed()
}

/// Random bytes, 1 MB.
fn junk(visit: Visit) -> Attack {
    async move {
        let mut random = fastrand::Rng::with_seed(visit.number as u64);
        let mut intruder = visit.connect().await?;
        let bytes: Vec<u8> = (0..CHUNK.len()).map(|_| random.u8(..)).collect();
        intruder.send_much(&bytes, 1_000_000).await?;
        intruder.wait_for_end().await
    }
    .boxed()
}
