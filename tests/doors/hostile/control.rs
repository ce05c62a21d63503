//! Against the control socket.

use futures_util::FutureExt as _;

use super::super::crowd::Kind;
use super::{begin_only, come_and_go, drip, junk, kind, long_line};

pub(crate) const CONTROL: [Kind; 8] = [
    kind("byte by byte", 8, |visit| drip(visit, "status ".repeat(1000)).boxed()),
    kind("half a request", 10, |visit| begin_only(visit, "account a sta").boxed()),
    kind("silent", 10, |visit| begin_only(visit, "").boxed()),
    kind("a line of 10 MB", 6, |visit| long_line(visit, "account ".to_owned()).boxed()),
    kind("binary junk", 6, junk),
    kind("watches and reads nothing", 8, |mut visit| {
        async move {
            let mut intruder = visit.connect().await?;
            intruder.send("watch\n").await?;
            loop {
                visit.next_ply().await?;
            }
        }
        .boxed()
    }),
    kind("a flood of requests", 8, |visit| {
        async move {
            for request in ["status", "dance", "account nobody leave", "logins", "\u{1b}[2J"] {
                let mut intruder = visit.connect().await?;
                intruder.send(format!("{request}\n")).await?;
                intruder.wait_for_end().await?;
            }
            Ok(())
        }
        .boxed()
    }),
    kind("comes and goes", 4, come_and_go),
];
