//! What the live page costs with many viewers, and how late a move is on it.
//!
//! ```sh
//! cargo bench --bench live_page     # takes three minutes; the second part needs Chromium
//! ```

#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "it shares the helpers of the tests, and the figures are what it is for"
)]

#[path = "../tests/browser/chromium/mod.rs"]
mod chromium;
#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/browser/program.rs"]
mod program;

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use chromium::{Browser, View};
use common::folder::Folder;
use program::{LOCAL, Program};

fn main() {
    for viewers in [0, 1, 100] {
        cost_of(viewers);
    }
    lateness();
}

/// The time that the threads of this name have used, in ticks of 10 ms.
fn cpu_ticks(pid: u32, name: &str) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap().filter_map(Result::ok);
    let stats = tasks.filter_map(|task| fs::read_to_string(task.path().join("stat")).ok());
    let own = stats.filter(|stat| stat.contains(&format!("({name}")));
    own.map(|stat| {
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    })
    .sum()
}

/// Prints the CPU time that the threads use during a game with this number of viewers.
fn cost_of(viewers: usize) {
    let folder = Folder::new();
    let more = ["--time", "60", "--events", "events.jsonl"];
    let program = Program::start(&folder, &[LOCAL, &more].concat());
    for _ in 0..viewers {
        let mut stream = TcpStream::connect(("127.0.0.1", program.port())).unwrap();
        let port = program.port();
        write!(stream, "GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").unwrap();
        thread::spawn(move || {
            let mut bytes = [0; 8192];
            while stream.read(&mut bytes).is_ok_and(|read| read > 0) {}
        });
    }
    thread::sleep(Duration::from_secs(5));
    let pid = program.child.id();
    let used = || ["kyomi-page", "kyomi-net", "search-"].map(|name| cpu_ticks(pid, name));
    let (before, since) = (used(), Instant::now());
    thread::sleep(Duration::from_secs(40));
    let [page, net, search] =
        std::array::from_fn(|at| (used()[at] - before[at]) as f64 / since.elapsed().as_secs_f64());
    println!(
        "{viewers} viewers: CPU of page {page:.2} %, network {net:.2} %, search {search:.2} % of a core"
    );
}

/// Prints the time from the event of a move to the move on the page, in a browser.
fn lateness() {
    let Some(browser) = Browser::start() else { return };
    let folder = Folder::new();
    let program =
        Program::start(&folder, &[LOCAL, &["--time", "30", "--events", "events.jsonl"]].concat());
    let page = browser.open(&program.url, View::DESKTOP);
    page.wait_for("document.querySelector('.moves')");
    page.eval(
        "window.seen = {}; new MutationObserver(() => { const ply = document.querySelectorAll('.moves li').length; \
         window.seen[ply] ??= performance.timeOrigin + performance.now(); }) \
         .observe(document.querySelector('.moves'), { childList: true }), 0",
    );
    page.wait_for("Object.keys(window.seen).length >= 40");
    let seen = page.eval("window.seen");
    let events = fs::read_to_string(folder.path().join("events.jsonl")).unwrap();
    let moves = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|it| it["event"] == "move");
    let mut late: Vec<f64> = moves
        .filter_map(|event| {
            let at: jiff::Timestamp = event["time"].as_str()?.parse().ok()?;
            Some(seen[event["ply"].to_string()].as_f64()? - at.as_microsecond() as f64 / 1000.0)
        })
        .collect();
    late.sort_by(f64::total_cmp);
    // The first ones were there before the observer.
    late.retain(|ms| *ms < 10_000.0);
    let at = |part: f64| late[((late.len() - 1) as f64 * part) as usize];
    println!(
        "{} moves: on the page after {:.1} ms (median), {:.1} ms (90 %), {:.1} ms (last)",
        late.len(),
        at(0.5),
        at(0.9),
        at(1.0)
    );
}
