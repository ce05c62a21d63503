//! The page over real sockets.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::sync::broadcast::error::TryRecvError;

use crate::{
    archive::{
        import::catch_up,
        index::{Filter, Index},
    },
    config::DashboardConfig,
    watch::{
        Report, Watchers,
        testing::{self, made},
    },
};
use kyomi_engine::search::SearchInfo;
use kyomi_shogi::{Color, EndReason, Game, GameEnd, Score, notation::usi};

use super::{Dashboard, PastGames, Shows, hub::Hub, model::Model, stream::Limits};

/// The longest wait; it is reached only if something is broken.
const PATIENCE: Duration = Duration::from_secs(60);

fn open(watchers: &Watchers, idle: Duration) -> Dashboard {
    open_with(watchers, None, idle)
}

fn open_with(watchers: &Watchers, past: Option<PastGames>, idle: Duration) -> Dashboard {
    open_with_limits(watchers, past, Limits { idle, ..Limits::default() })
}

fn open_with_limits(watchers: &Watchers, past: Option<PastGames>, limits: Limits) -> Dashboard {
    let config =
        DashboardConfig { address: Some(([127, 0, 0, 1], 0).into()), ..DashboardConfig::default() };
    let clients = [(None, watchers.subscribe())];
    Dashboard::open_with_limits(&config, Shows::Client, clients, past, limits).unwrap().unwrap()
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
        assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "the page has closed the stream");
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

    /// The games of earlier runs, which may be there before the viewer.
    fn history(&mut self) -> Value {
        let (_, mut state) = self.until("state");
        match state["history"].take() {
            Value::Null => self.until("history").1,
            history => history,
        }
    }
}

fn started(number: u64) -> Report {
    testing::started(number, ["<b>a\u{1b}</b>", &"b".repeat(500)], Color::Black)
}

fn moved(number: u64, ply: u32, word: &str) -> Report {
    testing::moved(number, made(ply, usi::parse_move(word).unwrap(), Color::Black))
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
    assert_eq!(change["move"]["text_en"], "P7g-7f");
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

fn thought(plies: &[&str], line: Option<u32>, cp: i32, pv: &[&str]) -> Report {
    let moves =
        |words: &[&str]| words.iter().map(|it| usi::parse_move(it).unwrap()).collect::<Vec<_>>();
    let mut game = Game::default();
    for mv in moves(plies) {
        game.push(mv).unwrap();
    }
    let color = game.position().side_to_move();
    let score = Some(Score::Cp(cp));
    let info = SearchInfo { score, multipv: line, pv: moves(pv), ..SearchInfo::default() };
    Report::Thinking { color, game: Arc::new(game), info: Box::new(info) }
}

#[test]
fn the_lines_of_one_search_stand_together_and_go_with_it() {
    let watchers = Watchers::new();
    watchers.report(started(1));
    let page = open(&watchers, PATIENCE);
    let mut viewer = Viewer::connect(&page, None);
    viewer.until("state");
    // Waits for a line of this score, and returns it.
    let mut line = |cp: i64| loop {
        let line = viewer.until("line").1["line"].clone();
        if line["score"]["cp"] == cp {
            return line;
        }
    };
    watchers.report(thought(&[], Some(2), 20, &["2g2f"]));
    watchers.report(thought(&[], Some(1), 30, &["7g7f", "3c3d"]));
    watchers.report(thought(&[], Some(3), -10, &["9g9f"]));
    watchers.report(thought(&[], Some(2), 25, &["2g2f", "8c8d"]));
    watchers.report(thought(&[], Some(1), 31, &["7g7f", "8c8d"]));
    let best = line(31);
    let others = best["others"].as_array().unwrap();
    let others: Vec<_> = others.iter().map(|it| (&it["line"], &it["score"]["cp"])).collect();
    assert_eq!(others, [(&2.into(), &25.into()), (&3.into(), &(-10).into())]);
    assert!(best["others"][0]["pv"].as_str().is_some_and(|pv| pv.starts_with("▲２六歩")), "{best}");
    assert_eq!(best["others"][0]["pv_en"], "P2g-2f P8c-8d");
    assert_eq!(best["pv_en"], "P7g-7f P8c-8d");
    // A line of another position comes too late, and those of the last search do not stay.
    watchers.report(moved(1, 1, "7g7f"));
    watchers.report(moved(1, 2, "3c3d"));
    watchers.report(thought(&["7g7f", "3c3d"], Some(1), 50, &["2g2f"]));
    assert_eq!(line(50)["others"], serde_json::json!([]));
    // An engine may number what it wants. Many more reports at once would not all be queued.
    for number in (0..20).chain([u32::MAX]) {
        watchers.report(thought(&["7g7f", "3c3d"], Some(number), 60, &["2g2f"]));
    }
    watchers.report(thought(&["7g7f", "3c3d"], Some(1), 70, &["2g2f"]));
    assert!(line(70)["others"].as_array().unwrap().len() <= 9);
}

#[test]
fn only_so_many_finished_games_are_kept_and_all_are_counted() {
    let mut model = Model::new(Shows::Client, [None]);
    let mut kept: Vec<String> = Vec::new();
    for number in 1..=70 {
        let (_, game) = model.apply(0, &started(number)).pop().unwrap();
        // What a browser does.
        kept.retain(|key| game["dropped"] != key.as_str());
        kept.push(game["key"].as_str().unwrap().to_owned());
        let winner = if number <= 20 { Color::White } else { Color::Black };
        let end = GameEnd::won(winner, EndReason::Resignation, Color::White);
        let record = Some("/home/me/kyomi/game.csa".into());
        let (_, end) = model.apply(0, &Report::GameEnded { number, end, record }).pop().unwrap();
        assert_eq!(end["game"]["end"]["record"], "game.csa");
    }
    let state = model.state();
    let games = state["games"].as_array().unwrap();
    assert_eq!(games.len(), 64);
    assert!(games.iter().map(|game| game["key"].as_str()).eq(kept.iter().map(|key| Some(&**key))));
    let balance = serde_json::json!({ "ended": 70, "won": 50, "lost": 20, "drawn": 0 });
    assert_eq!(state["balance"], balance);
}

#[test]
fn the_moves_before_the_game_have_their_times() {
    let mut begun = started(1);
    if let Report::GameStarted { game, move_times, .. } = &mut begun {
        for word in ["7g7f", "3c3d"] {
            Arc::make_mut(game).push(usi::parse_move(word).unwrap()).unwrap();
        }
        *move_times = vec![None, Some(Duration::from_secs(12))];
    }
    let mut model = Model::new(Shows::Client, [None]);
    model.apply(0, &begun);
    let moves = &model.state()["games"][0]["moves"];
    assert_eq!((&moves[0]["spent_ms"], &moves[1]["spent_ms"]), (&Value::Null, &12_000.into()));
}

#[test]
fn the_clocks_stop_while_the_connection_of_a_game_is_lost() {
    let mut model = Model::new(Shows::Client, [None]);
    model.apply(0, &started(1));
    let lost = |reason: &str| Report::Disconnected { number: 1, reason: reason.to_owned() };
    let (_, change) = model.apply(0, &lost("reset by peer")).pop().unwrap();
    assert_eq!(
        (&change["clocks"]["running"], &change["suspended"]["reason"]),
        (&false.into(), &"reset by peer".into())
    );
    let stopped = change["clocks"]["stopped_at"].as_u64().unwrap();
    while model.now() <= stopped {
        std::thread::yield_now();
    }
    let (_, change) = model.apply(0, &lost("timed out")).pop().unwrap();
    assert_eq!(change["clocks"]["stopped_at"], stopped, "since the first loss");
    assert_eq!(model.state()["games"][0]["clocks"]["stopped_at"], stopped);
    let (_, change) =
        model.apply(0, &Report::Resumed { number: 1, clocks: testing::minute() }).pop().unwrap();
    assert_eq!((&change["clocks"]["running"], &change["suspended"]), (&true.into(), &Value::Null));
    assert!(change["clocks"]["stopped_at"].is_null());
}

#[test]
fn the_clocks_of_a_suspended_game_keep_what_they_had_before_the_turn() {
    let mut model = Model::new(Shows::Client, [None]);
    model.apply(0, &started(1));
    let (_, change) = model.apply(0, &Report::Suspended { number: 1 }).pop().unwrap();
    assert_eq!(change["suspended"]["cause"], "server");
    assert_eq!(change["clocks"]["running"], false);
    assert_eq!(change["clocks"]["stopped_at"], change["clocks"]["at"]);
    let state = model.state();
    assert_eq!(state["games"][0]["suspended"]["cause"], "server");
    assert_eq!(state["clients"][0]["connection"]["state"], "suspended");
    // A page that is opened now shows the same.
    let watchers = Watchers::new();
    watchers.report(started(1));
    watchers.report(Report::Suspended { number: 1 });
    let snapshot = Box::new(watchers.snapshot());
    let mut model = Model::new(Shows::Client, [None]);
    model.apply(0, &Report::Snapshot { snapshot, missed: 0 });
    assert_eq!(model.state()["games"][0]["suspended"]["cause"], "server");
    let (_, change) =
        model.apply(0, &Report::Resumed { number: 1, clocks: testing::minute() }).pop().unwrap();
    assert_eq!((&change["clocks"]["running"], &change["suspended"]), (&true.into(), &Value::Null));
}

/// A record of a game that `me` played as black: won, lost or drawn.
fn own_record(day: u32, end: &str) -> String {
    format!(
        "V2.2\nN+me\nN-<i>rated</i>\n$EVENT:e{day}\n$START_TIME:2026/11/{day:02} 10:00:00\n'white_rate:x:1500.0\n\
         PI\n+\n+7776FU\nT1\n'turn: measured 1000\n-3334FU\nT1\n{end}\n"
    )
}

#[test]
fn games_of_earlier_runs_are_shown_with_ratings() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let records = dir.join("games");
    std::fs::create_dir_all(&records).unwrap();
    let write = |day: u32, end: &str| {
        let path = records.join(format!("{day}.csa"));
        std::fs::write(&path, own_record(day, end)).unwrap();
        path
    };
    write(1, "%TORYO");
    write(2, "+2726FU\nT1\n%TORYO");
    write(3, "%SENNICHITE");
    // Games of another kyomi, which somebody has imported.
    let others = dir.join("games-of-a-friend");
    std::fs::create_dir_all(&others).unwrap();
    std::fs::write(others.join("x.csa"), own_record(9, "%TORYO").replace("me", "friend")).unwrap();
    let index = Index::open(&dir.join("kyomi.db")).unwrap();
    catch_up(&index, &[others]).unwrap();
    let friends = index.ids(&Filter::default()).unwrap();
    assert_eq!(friends.len(), 1);
    let watchers = Watchers::new();
    let past = PastGames { database: dir.join("kyomi.db"), records: vec![records.clone()] };
    let page = open_with(&watchers, Some(past), PATIENCE);
    let mut viewer = Viewer::connect(&page, None);
    let history = viewer.history();
    let games = history["games"].as_array().unwrap();
    let seen: Vec<_> = games.iter().map(|it| (&it["id"], &it["end"]["result"])).collect();
    let words = |id: &'static str, result: &'static str| (Value::from(id), Value::from(result));
    let wanted = [words("e3", "draw"), words("e2", "black"), words("e1", "white")];
    assert_eq!(seen, wanted.each_ref().map(|(id, result)| (id, result)));
    assert_eq!(games[0]["end"]["reason"], "repetition");
    assert_eq!(games[0]["names"][1], "<i>rated</i>");
    assert_eq!(games[0]["end"]["record"], "3.csa");
    assert_eq!(history["players"].as_array().map(Vec::len), Some(1));
    let player = &history["players"][0];
    assert_eq!((&player["name"], &player["anchored"]), (&"me".into(), &true.into()));
    assert_eq!(player["curve"][0], serde_json::json!([1, null, null]));
    assert_eq!(player["curve"][2][1], 1500.0);
    // Each opens, and nothing else of the database.
    let key = games[1]["key"].as_str().unwrap();
    let moves = get(&page, &format!("/game/{key}/moves.json"));
    assert!(moves.contains("\"usi\":\"2g2f\"") && moves.contains("\"analysed\":false"), "{moves}");
    let of_a_friend = format!("past-{}", friends[0]);
    for key in ["past-99", "past-x", "past-", "past--1", &of_a_friend] {
        assert!(
            get(&page, &format!("/game/{key}/moves.json")).starts_with("HTTP/1.1 404"),
            "{key}"
        );
    }
    // A game of this run counts, and is not shown twice.
    watchers.report(started(1));
    let end = GameEnd::won(Color::Black, EndReason::Resignation, Color::White);
    let record = Some(write(4, "+2726FU\nT1\n%TORYO"));
    watchers.report(Report::GameEnded { number: 1, end, record });
    // The page may have read the file before it knew to which game it belongs.
    loop {
        let (_, history) = viewer.until("history");
        let player = &history["players"][0];
        if history["games"].as_array().map(Vec::len) == Some(3) && player["games"] == 4 {
            assert_eq!(player["won"], 2);
            break;
        }
    }
}

/// The whole answer to a request.
fn get(page: &Dashboard, path: &str) -> String {
    let address = page.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_database_that_cannot_be_read_is_named_and_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    std::fs::write(dir.join("kyomi.db"), "no database ".repeat(500)).unwrap();
    let watchers = Watchers::new();
    let past = PastGames { database: dir.join("kyomi.db"), records: Vec::new() };
    let page = open_with(&watchers, Some(past), PATIENCE);
    let mut viewer = Viewer::connect(&page, None);
    let history = viewer.history();
    assert!(history["fault"].as_str().is_some_and(|it| it.contains("no database")), "{history}");
    assert!(!history["fault"].as_str().unwrap().contains('/'), "{history}");
    watchers.report(started(1));
    viewer.until("game");
}

#[test]
fn our_own_slow_reading_does_not_cut_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    // Whoever reads it waits.
    let locked = rusqlite::Connection::open(dir.join("kyomi.db")).unwrap();
    locked.execute_batch("BEGIN EXCLUSIVE; CREATE TABLE other (x)").unwrap();
    let past = PastGames { database: dir.join("kyomi.db"), records: Vec::new() };
    let limits = Limits { first_request: Duration::from_secs(2), idle: PATIENCE };
    let page = open_with_limits(&Watchers::new(), Some(past), limits);
    let unlocking = std::thread::spawn(move || {
        std::thread::sleep(limits.first_request + Duration::from_secs(1));
        locked.execute_batch("COMMIT").unwrap();
    });
    let answer = get(&page, "/game/past-1/moves.json");
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer:?}");
    unlocking.join().unwrap();
}

#[test]
fn a_hundred_viewers_see_all_and_a_stuck_one_is_dropped() {
    let watchers = Watchers::new();
    let page = open(&watchers, Duration::from_secs(2));
    let stuck = Viewer::connect(&page, None);
    let _ = socket2::SockRef::from(stuck.0.get_ref()).set_recv_buffer_size(4096);
    let viewers: Vec<_> = (0..100).map(|_| Viewer::connect(&page, None)).collect();
    assert_eq!(page.viewers(), 101);
    let read: Arc<[AtomicUsize]> = viewers.iter().map(|_| AtomicUsize::new(0)).collect();
    let reading: Vec<_> = viewers
        .into_iter()
        .enumerate()
        .map(|(number, mut viewer)| {
            let read = Arc::clone(&read);
            std::thread::spawn(move || {
                while viewer.until("notice").1["text"] != "last" {
                    read[number].fetch_add(1, Ordering::Relaxed);
                }
                read[number].load(Ordering::Relaxed)
            })
        })
        .collect();
    // More than the system keeps for somebody who does not read, and not faster than the others read.
    let since = Instant::now();
    let mut told = 0;
    while page.viewers() > 100 && since.elapsed() < PATIENCE {
        if read.iter().all(|read| told < read.load(Ordering::Relaxed) + 50) {
            watchers.report(Report::ServerSaid("x".repeat(400)));
            told += 1;
        } else {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
    watchers.report(Report::ServerSaid("last".to_owned()));
    for viewer in reading {
        assert!(viewer.join().unwrap() >= told);
    }
    drop(stuck);
}

/// Sends `first`, then one more byte at a time for ever. Returns how long the page kept the connection.
fn dribble(page: &Dashboard, first: &str) -> Duration {
    let address = page.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    // The limit of the page may begin before the connection is known here.
    let since = Instant::now();
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    stream.write_all(first.replace("HOST", &address).as_bytes()).unwrap();
    let mut buffer = [0; 1024];
    while since.elapsed() < PATIENCE {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                if stream.write_all(b"x").is_err() {
                    break;
                }
            }
            Err(_) => break,
        }
    }
    since.elapsed()
}

#[test]
fn whoever_sends_a_request_byte_by_byte_loses_the_connection() {
    let watchers = Watchers::new();
    let least = Duration::from_millis(400);
    let limits = Limits { first_request: least, idle: PATIENCE };
    let page = open_with_limits(&watchers, None, limits);
    let kept = dribble(&page, "GET / HTTP/1.1\r\nX: ");
    assert!(least <= kept && kept < PATIENCE, "a first request: {kept:?}");
    // On a busy machine the first request takes a while.
    let limits = Limits { first_request: PATIENCE, idle: Duration::from_millis(1_500) };
    let page = open_with_limits(&watchers, None, limits);
    let kept = dribble(&page, "GET /x HTTP/1.1\r\nHost: HOST\r\n\r\nGET /");
    assert!(limits.idle <= kept && kept < PATIENCE, "a further request: {kept:?}");
    // One who only reads stays.
    let mut viewer = Viewer::connect(&page, None);
    viewer.until("state");
    std::thread::sleep(2 * limits.idle);
    watchers.report(started(1));
    viewer.until("game");
}

#[test]
fn a_large_state_does_not_wait_for_slow_viewers() {
    for (games, is_large) in [(3, false), (400, true)] {
        let watchers = Watchers::new();
        (1..=games).for_each(|number| watchers.report(started(number)));
        let hub = Hub::new(Model::new(Shows::Server, [None]));
        let mut viewer = hub.subscribe(None);
        let snapshot = Box::new(watchers.snapshot());
        hub.report(0, &Report::Snapshot { snapshot, missed: 9 });
        match viewer.messages.as_mut().unwrap().try_recv() {
            Ok(state) => assert!(!is_large && state.len() <= 128 * 1024, "{}", state.len()),
            Err(error) => assert!(is_large && error == TryRecvError::Closed, "{error}"),
        }
        // Whoever comes back gets it.
        let state = hub.subscribe(None).missed.pop_front().unwrap();
        assert_eq!(state.len() > 128 * 1024, is_large, "{}", state.len());
        let text = String::from_utf8(state.to_vec()).unwrap();
        let (_, data) = text.trim_end().split_once("data: ").unwrap();
        let state: Value = serde_json::from_str(data).unwrap();
        assert_eq!(state["games"].as_array().unwrap().len() as u64, games);
    }
}

#[test]
fn a_long_head_is_refused_and_not_kept() {
    let page = open(&Watchers::new(), PATIENCE);
    let address = page.url().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // The head has no end; it is refused as soon as it is too long. The page may have closed before everything is sent.
    let _ = write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nX: {}", "x".repeat(100_000));
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 431");
}
