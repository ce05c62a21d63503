//! Against the server.

use futures_util::FutureExt as _;

use super::super::crowd::{Kind, Visit};
use super::game::play_fast;
use super::{Attack, CHUNK, begin_only, come_and_go, drip, junk, kind, long_line};

pub(crate) const SERVER: [Kind; 11] = [
    kind("byte by byte", 25, |visit| drip(visit, "LOGIN slow x\n".repeat(100)).boxed()),
    kind("half a login", 40, |visit| begin_only(visit, "LOGIN half").boxed()),
    kind("silent", 40, |visit| begin_only(visit, "").boxed()),
    kind("a flood of logins", 20, logins),
    kind("wrong logins on one connection", 5, |visit| {
        async move {
            let mut intruder = visit.connect().await?;
            intruder.send("LOGIN kyomi doors-600-0-B,y\n".repeat(10_000)).await?;
            intruder.wait_for_end().await
        }
        .boxed()
    }),
    kind("a line of 10 MB", 10, |visit| {
        let login = format!("LOGIN long{} x x1\n", visit.number);
        long_line(visit, login).boxed()
    }),
    kind("60 kB of a line", 30, |visit| {
        async move {
            let mut intruder = visit.connect().await?;
            intruder.send(format!("LOGIN kb{} x x1\n%%CHAT ", visit.number)).await?;
            intruder.send(&CHUNK[..60_000]).await?;
            intruder.wait_for_end().await
        }
        .boxed()
    }),
    kind("asks for much and reads nothing", 80, deaf_watcher),
    kind("plays fast", 100, play_fast),
    kind("binary junk", 10, junk),
    kind("comes and goes", 15, come_and_go),
];

/// Logs in under five names, one after the other.
fn logins(visit: Visit) -> Attack {
    async move {
        for time in 0..5 {
            let mut intruder = visit.connect().await?;
            intruder.send(format!("LOGIN f{}-{time} x x1\n", visit.number)).await?;
        }
        Ok(())
    }
    .boxed()
}

/// Asks to see all games, again and again, and reads nothing.
fn deaf_watcher(mut visit: Visit) -> Attack {
    async move {
        let mut intruder = visit.connect().await?;
        intruder.send(format!("LOGIN deaf{} x x1\n%%WHO\n%%LIST\n", visit.number)).await?;
        loop {
            for game in visit.latest_games(10) {
                intruder.send(format!("%%MONITORON {game}\n%%MONITOR2ON {game}\n")).await?;
            }
            visit.next_ply().await?;
        }
    }
    .boxed()
}
