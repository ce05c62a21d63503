//! The page over real sockets.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    clock::{Controls, GameClocks, TimeControl},
    config::DashboardConfig,
    csa::MoveEvent,
    shogi::{Color, EndReason, Game, GameEnd, notation::usi},
    watch::{Report, Watchers},
};

use super::{Dashboard, Shows};

/// The longest wait; it is reached only if something is broken.
const PATIENCE: Duration = Duration::from_secs(60);

fn open(watchers: &Watchers, idle: Duration) -> Dashboard {
    let config =
        DashboardConfig { address: Some(([127, 0, 0, 1], 0).into()), ..DashboardConfig::default() };
    let clients = [(None, watchers.subscribe())];
    Dashboard::open_with_limit(&config, Shows::Client, clients, idle).unwrap().unwrap()
}

/// A viewer that reads its messages: the id, the name and the data of each.
struct Viewer(BufReader<TcpStream>);

impl Viewer {
    fn connect(page: &Dashboard, after: Option<&str>) -> Self {
        let address = page.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let last = after.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        stream
            .write_all(format!("GET /events HTTP/1.1\r\nHost: {address}\r\n{last}\r\n").as_bytes())
            .unwrap();
        let mut viewer = Self(BufReader::new(stream));
        while !viewer.line().is_empty() {}
        viewer
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The next message that is no tick.
    fn message(&mut self) -> (String, String, Value) {
        let (mut id, mut name) = (String::new(), String::new());
        loop {
            let line = self.line();
            if let Some(value) = line.strip_prefix("id: ") {
                value.clone_into(&mut id);
            } else if let Some(value) = line.strip_prefix("event: ") {
                value.clone_into(&mut name);
            } else if let Some(data) = line.strip_prefix("data: ").filter(|_| name != "tick") {
                return (id, name, serde_json::from_str(data).unwrap());
            }
        }
    }

    /// Reads until a message of this name.
    fn until(&mut self, wanted: &str) -> (String, Value) {
        loop {
            let (id, name, data) = self.message();
            if name == wanted {
                return (id, data);
            }
        }
    }
}

fn clocks() -> crate::clock::Clocks {
    let control = TimeControl::sudden_death(Duration::from_secs(60));
    *GameClocks::new(Controls::both(control), Color::Black).clocks()
}

fn started(number: u64) -> Report {
    Report::GameStarted {
        number,
        game_id: format!("game {number}"),
        names: ["<b>a\u{1b}</b>".to_owned(), "b".repeat(500)],
        own: Some(Color::Black),
        game: Arc::new(Game::default()),
        clocks: clocks(),
        continued: false,
    }
}

fn moved(number: u64, ply: u32, word: &str) -> Report {
    let event = MoveEvent {
        ply,
        mv: usi::parse_move(word).unwrap(),
        word: String::new(),
        color: Color::Black,
        spent: Duration::from_secs(1),
        measured: Duration::from_secs(1),
        remaining: None,
        comment: None,
        analysis: None,
        own_turn: None,
    };
    Report::Moved { number, event: Box::new(event), clocks: clocks() }
}

#[test]
fn a_viewer_gets_the_state_then_changes_and_after_a_pause_what_it_has_missed() {
    let watchers = Watchers::new();
    watchers.report(started(1));
    let page = open(&watchers, PATIENCE);
    let mut first = Viewer::connect(&page, None);
    let (_, state) = first.until("state");
    let state = if state["games"][0].is_null() { first.until("state").1 } else { state };
    let names = &state["games"][0]["names"];
    assert_eq!(names[0], "<b>a</b>");
    assert_eq!(names[1].as_str().map(str::len), Some(64));
    watchers.report(moved(1, 1, "7g7f"));
    let (seen, change) = first.until("move");
    assert_eq!((&change["move"]["usi"], &change["move"]["ply"]), (&"7g7f".into(), &1.into()));
    assert!(change["move"]["text"].as_str().is_some_and(|it| it.contains("７六歩")));
    drop(first);
    watchers.report(moved(1, 2, "3c3d"));
    let end = GameEnd::won(Color::Black, EndReason::Resignation, Color::White);
    watchers.report(Report::GameEnded { number: 1, end, record: None });
    let mut again = Viewer::connect(&page, Some(&seen));
    assert_eq!(again.message().1, "move");
    let (_, end) = again.until("end");
    assert_eq!(
        (&end["game"]["end"]["result"], &end["game"]["plies"]),
        (&"black".into(), &2.into())
    );
    // An unknown number, as of another run of the program, begins anew.
    for id in ["00000000-1", "nonsense"] {
        let mut other = Viewer::connect(&page, Some(id));
        let (_, state) = other.until("state");
        assert_eq!(state["games"][0]["moves"].as_array().map(Vec::len), Some(2));
    }
    drop(watchers);
    drop(page);
    again.until("bye");
    // The stream ends in order.
    assert!(again.0.read_to_end(&mut Vec::new()).is_ok());
}

#[test]
fn a_hundred_viewers_see_all_and_a_stuck_one_is_dropped() {
    let watchers = Watchers::new();
    let page = open(&watchers, Duration::from_secs(2));
    let stuck = Viewer::connect(&page, None);
    let _ = socket2::SockRef::from(stuck.0.get_ref()).set_recv_buffer_size(4096);
    let viewers: Vec<_> = (0..100).map(|_| Viewer::connect(&page, None)).collect();
    assert_eq!(page.viewers(), 101);
    let reading: Vec<_> = viewers
        .into_iter()
        .map(|mut viewer| {
            std::thread::spawn(move || {
                let mut said = 0;
                while viewer.until("notice").1["text"] != "last" {
                    said += 1;
                }
                said
            })
        })
        .collect();
    // More than the system keeps for somebody who does not read.
    let since = Instant::now();
    let mut told = 0;
    while page.viewers() > 100 && since.elapsed() < PATIENCE {
        watchers.report(Report::ServerSaid("x".repeat(400)));
        told += 1;
        // Not faster than the others read.
        std::thread::sleep(Duration::from_micros(200));
    }
    watchers.report(Report::ServerSaid("last".to_owned()));
    for viewer in reading {
        assert!(viewer.join().unwrap() >= told);
    }
    drop(stuck);
}
