//! Against a live page.

use std::io;

use futures_util::FutureExt as _;
use tokio::io::AsyncReadExt as _;

use super::super::crowd::{Intruder, Kind, Visit};
use super::{Attack, CHUNK, TEN_MB, begin_only, come_and_go, drip, junk, kind, long_line, rest};

pub(crate) const PAGE: [Kind; 15] = [
    kind("byte by byte", 6, |visit| drip(visit, "GET / HTTP/1.1\r\n".repeat(100)).boxed()),
    kind("half a request", 6, |visit| begin_only(visit, "GET / HTTP/1.1\r\nHost: ").boxed()),
    kind("silent", 12, |visit| begin_only(visit, "").boxed()),
    kind("an address of 10 MB", 3, |visit| long_line(visit, "GET /".to_owned()).boxed()),
    kind("a header of 10 MB", 3, |visit| {
        long_line(visit, "GET / HTTP/1.1\r\nHost: localhost\r\nX: ".to_owned()).boxed()
    }),
    kind("a body without end", 3, body),
    kind("the last byte of a long header is missing", 10, |visit| {
        async move {
            let mut intruder = visit.connect().await?;
            intruder.send("GET / HTTP/1.1\r\nX: ").await?;
            intruder.send_much(&CHUNK[..8192], 380_000).await?;
            intruder.wait_for_end().await
        }
        .boxed()
    }),
    kind("asks for the state and reads nothing", 10, |visit| deaf(visit, "/state.json")),
    kind("the stream of events and reads nothing", 8, |visit| deaf(visit, "/events")),
    kind("a WebSocket, then frames", 6, web_socket),
    kind("a wrong WebSocket", 2, |visit| {
        begin_only(visit, "GET /events HTTP/1.1\r\nUpgrade: websocket\r\n\r\n\u{1}\u{2}").boxed()
    }),
    kind("another host", 3, |visit| {
        answered(visit, |_| "Host: evil.example".to_owned(), " 421 ").boxed()
    }),
    kind("another origin", 3, |visit| {
        let headers = |host: &str| format!("Host: {host}\r\nOrigin: http://evil.example");
        answered(visit, headers, " 403 ").boxed()
    }),
    kind("binary junk", 3, junk),
    kind("comes and goes", 4, come_and_go),
];

/// A request with these headers.
fn request(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\n{headers}\r\n\r\n")
}

/// Asks for something 200 times at once, and reads nothing.
fn deaf(mut visit: Visit, path: &'static str) -> Attack {
    async move {
        let mut intruder = visit.connect().await?;
        let once = request(path, &format!("Host: {}", visit.host()));
        intruder.send(once.repeat(200)).await?;
        loop {
            visit.next_ply().await?;
        }
    }
    .boxed()
}

fn body(visit: Visit) -> Attack {
    async move {
        let mut intruder = visit.connect().await?;
        let host = visit.host();
        let head = format!("POST /events HTTP/1.1\r\nHost: {host}\r\nContent-Length: {TEN_MB}");
        intruder.send(format!("{head}\r\n\r\n")).await?;
        intruder.send_much(&CHUNK, TEN_MB).await?;
        rest(visit).await
    }
    .boxed()
}

/// The right beginning of a WebSocket, then a frame that says it has 2^62 bytes.
fn web_socket(visit: Visit) -> Attack {
    async move {
        let mut intruder = visit.connect().await?;
        let headers = format!(
            "Host: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            visit.host()
        );
        intruder.send(request("/events", &headers)).await?;
        // There are no WebSockets here: it is a request like any other.
        expect_status(&visit, &mut intruder, " 200 ").await?;
        intruder.send([0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]).await?;
        intruder.send_much(&CHUNK, TEN_MB).await?;
        rest(visit).await
    }
    .boxed()
}

/// A request that must get this status.
async fn answered(visit: Visit, headers: fn(&str) -> String, wanted: &str) -> io::Result<()> {
    let mut intruder = visit.connect().await?;
    intruder.send(request("/events", &headers(visit.host()))).await?;
    expect_status(&visit, &mut intruder, wanted).await?;
    intruder.wait_for_end().await
}

/// Reads the first line of an answer.
async fn expect_status(visit: &Visit, intruder: &mut Intruder, wanted: &str) -> io::Result<()> {
    let mut line = String::new();
    while !line.ends_with('\n') {
        line.push(char::from(intruder.stream.read_u8().await?));
    }
    visit.note_answer(line.contains(wanted), &line);
    Ok(())
}
