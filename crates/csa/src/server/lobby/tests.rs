mod event;
mod extended;
mod restoring;
mod resuming;

const MOST_REMATCHES: u32 = 3;

use jiff::Timestamp;

use super::*;
use crate::server::PeerLimits;

/// A lobby with numbered clients and a simulated clock.
struct Harness {
    lobby: Lobby,
    began: Instant,
    now: Instant,
    received: HashMap<u64, Vec<String>>,
    closed: Vec<u64>,
    records: Vec<RecordEvent>,
}

impl Harness {
    fn new(settings: ServerSettings) -> Self {
        let now = Instant::now();
        Self {
            lobby: Lobby::new(settings, Position::startpos(), 1),
            began: now,
            now,
            received: HashMap::new(),
            closed: Vec::new(),
            records: Vec::new(),
        }
    }

    fn open() -> Self {
        Self::new(ServerSettings::default())
    }

    fn input(&mut self, input: Input) {
        let passed = i64::try_from(self.now.duration_since(self.began).as_millis()).unwrap();
        let wall = Timestamp::from_millisecond(1_800_000_000_000 + passed).unwrap();
        for action in self.lobby.handle(Now { instant: self.now, wall }, input) {
            match action {
                Action::Send(id, line) => self.received.entry(id.0).or_default().push(line),
                Action::SendLines(id, lines) => {
                    self.received.entry(id.0).or_default().extend(lines);
                }
                Action::Close(id) => self.closed.push(id.0),
                Action::Record(_, event) => self.records.push(event),
                Action::EventChanged(_) => {}
            }
        }
    }

    fn connect(&mut self, id: u64) {
        self.input(Input::Connected(ClientId(id), None));
    }

    /// Sends a line. Returns all lines that `id` has received since the last call.
    fn send(&mut self, id: u64, line: &str) -> Vec<String> {
        self.input(Input::Line(ClientId(id), line.to_owned(), self.now));
        self.received(id)
    }

    fn received(&mut self, id: u64) -> Vec<String> {
        self.received.remove(&id).unwrap_or_default()
    }

    fn login(&mut self, id: u64, name: &str, password: &str) -> Vec<String> {
        self.connect(id);
        self.send(id, &format!("LOGIN {name} {password}"))
    }

    /// Black is 1, white is 2, and their game has begun.
    fn playing(settings: ServerSettings) -> Self {
        let mut harness = Self::new(settings);
        harness.login(1, "black", "x-60-0-B,");
        harness.login(2, "white", "x-60-0-W,");
        harness.send(1, "AGREE");
        harness.send(2, "AGREE");
        assert!(harness.received(1).last().is_some_and(|line| line.starts_with("START:")));
        harness
    }

    fn wait(&mut self, seconds: u64) -> &mut Self {
        let until = self.now + Duration::from_secs(seconds);
        while let Some(at) = self.lobby.wake_at().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            self.input(Input::Tick);
        }
        self.now = until;
        self
    }

    fn gone(&mut self, id: u64) {
        self.input(Input::Gone(ClientId(id)));
    }
}

fn is_offer(lines: &[String]) -> bool {
    lines.iter().any(|line| line == "BEGIN Game_Summary")
}

fn value<'a>(lines: &'a [String], key: &str) -> &'a str {
    lines.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).unwrap()
}

fn close() -> ServerSettings {
    ServerSettings { after_game: AfterGame::Close, ..ServerSettings::default() }
}

// ---- login

#[test]
fn a_valid_login_is_accepted() {
    let mut harness = Harness::open();
    assert_eq!(harness.login(1, "Alice_2@x.y-z", "secret"), ["LOGIN:Alice_2@x.y-z OK"]);
    assert_eq!(harness.send(1, ""), [""]);
    assert_eq!(harness.send(1, " "), [""; 0]);
    assert!(harness.send(1, "LOGIN again x")[0].starts_with("##[ERROR] "));
    assert_eq!(harness.send(1, "LOGOUT"), ["LOGOUT:completed"]);
    assert_eq!(harness.closed, [1]);
}

#[test]
fn a_refused_login_may_be_repeated() {
    let mut harness = Harness::open();
    harness.connect(1);
    let long = "n".repeat(33);
    for line in [
        "LOGIN",
        "LOGIN a",
        "LOGIN a b c d",
        "LOGIN a b x2",
        "LOGIN a/b c",
        "LOGIN ä b",
        "LOGIN a\tb c",
        "LOGIN ../x y",
        "LOGIN a hc2p_x-60-0",
        "LOGIN a x-99999999999999999999-0",
        &format!("LOGIN {long} x"),
    ] {
        let answer = harness.send(1, line);
        assert_eq!(answer[0], "LOGIN:incorrect", "{line}");
        assert!(answer[1].starts_with("##[ERROR] "), "{line}");
    }
    assert!(harness.send(1, "GET / HTTP/1.1")[0].starts_with("##[ERROR] "));
    assert_eq!(harness.send(1, "LOGIN a b"), ["LOGIN:a OK"]);
}

#[test]
fn a_client_that_does_not_log_in_is_disconnected() {
    let mut harness = Harness::open();
    harness.connect(1);
    harness.wait(59);
    assert_eq!(harness.closed, [0; 0]);
    harness.wait(1);
    assert_eq!(harness.closed, [1]);
    // A logged-in player may wait without limit.
    harness.login(2, "a", "b");
    harness.wait(1_000_000);
    assert_eq!(harness.closed, [1]);
}

#[test]
fn a_name_is_used_by_one_client() {
    let mut harness = Harness::open();
    harness.login(1, "a", "secret");
    assert_eq!(harness.login(2, "a", "other")[0], "LOGIN:incorrect");
    assert_eq!(harness.send(2, "LOGIN a secret")[0], "LOGIN:incorrect");
    harness.gone(1);
    assert_eq!(harness.send(2, "LOGIN a secret"), ["LOGIN:a OK"]);
}

#[test]
fn a_silent_session_is_replaced_by_the_same_password() {
    let mut harness = Harness::open();
    harness.login(1, "a", "secret");
    harness.wait(100);
    assert_eq!(harness.login(2, "a", "other")[0], "LOGIN:incorrect");
    assert_eq!(harness.send(2, "LOGIN a secret"), ["LOGIN:a OK"]);
    assert_eq!(harness.closed, [1]);
    // The new session keeps the name when the old one is closed.
    harness.gone(1);
    assert_eq!(harness.login(3, "a", "secret")[0], "LOGIN:incorrect");
}

#[test]
fn a_player_in_a_game_cannot_be_replaced() {
    let mut harness = Harness::playing(ServerSettings {
        time: [kyomi_shogi::clock::GameTime::sudden_death(Duration::from_secs(9999)); 2],
        ..ServerSettings::default()
    });
    harness.wait(30);
    assert_eq!(harness.login(3, "white", "x-60-0-W,")[0], "LOGIN:incorrect");
}

// ---- limits

#[test]
fn a_full_server_refuses_connections() {
    let limits = PeerLimits { connections: 2, ..PeerLimits::default() };
    let mut harness = Harness::new(ServerSettings { limits, ..ServerSettings::default() });
    (1..=3).for_each(|id| harness.connect(id));
    assert_eq!(harness.received(3), ["##[ERROR] the server is full"]);
    assert_eq!(harness.closed, [3]);
    harness.gone(1);
    assert_eq!(harness.login(4, "a", "b"), ["LOGIN:a OK"]);
}

#[test]
fn connections_from_one_address_are_limited() {
    let limits = PeerLimits { connections_per_address: 2, ..PeerLimits::default() };
    let mut harness = Harness::new(ServerSettings { limits, ..ServerSettings::default() });
    let far = Some(IpAddr::from([192, 0, 2, 1]));
    let near = Some(IpAddr::from([127, 0, 0, 1]));
    for id in 1..=3 {
        harness.input(Input::Connected(ClientId(id), far));
        harness.input(Input::Connected(ClientId(10 + id), near));
    }
    assert_eq!(harness.closed, [3]);
}

#[test]
fn a_flood_of_lines_ends_the_connection() {
    let mut harness = Harness::open();
    harness.login(1, "a", "b");
    let burst = PeerLimits::default().burst_lines;
    for _ in 0..burst + 10 {
        harness.send(1, "");
    }
    assert_eq!(harness.closed, [1]);
}

#[test]
fn a_flood_loses_the_game() {
    for line in ["", "hello", "+7776FU", "AGREE"] {
        let mut harness = Harness::playing(ServerSettings::default());
        harness.received(1);
        for _ in 0..PeerLimits::default().burst_lines + 10 {
            harness.send(2, line);
        }
        let received = harness.received(1);
        assert!(
            received.ends_with(&["#ILLEGAL_ACTION".to_owned(), "#WIN".to_owned()]),
            "{line}: {received:?}"
        );
    }
}

#[test]
fn moves_do_not_count_as_a_flood() {
    let mut harness = Harness::playing(ServerSettings::default());
    for _ in 0..2 {
        for (id, word) in [(1, "+2838HI"), (2, "-8272HI"), (1, "+3828HI"), (2, "-7282HI")] {
            assert!(harness.send(id, word).last().unwrap().starts_with(word));
        }
    }
    assert_eq!(harness.closed, [0; 0]);
}

#[test]
fn a_line_over_the_limit_is_not_read() {
    let mut harness = Harness::open();
    harness.connect(1);
    harness.input(Input::TooLong(ClientId(1)));
    assert_eq!(harness.closed, [1]);
    harness.login(2, "a", "b");
    assert!(harness.send(2, &"x".repeat(9000))[0].starts_with("##[ERROR] the line is too long"));
    assert_eq!(harness.send(2, "LOGOUT"), ["LOGOUT:completed"]);
}

// ---- pairing

#[test]
fn players_of_one_game_name_meet() {
    let mut harness = Harness::open();
    harness.login(1, "a", "x-600-10,t");
    harness.login(2, "b", "y-600-10,t");
    assert!(!is_offer(&harness.received(1)));
    harness.login(3, "c", "x-600-10");
    let (one, three) = (harness.received(1), harness.received(3));
    assert!(is_offer(&one));
    assert_eq!(value(&one, "Total_Time"), "600");
    assert_eq!(value(&one, "Byoyomi"), "10");
    let _ = three;
    assert!(!is_offer(&harness.received(2)));
}

#[test]
fn requested_colours_are_given() {
    let mut harness = Harness::open();
    harness.login(1, "a", "x-60-0-W");
    harness.login(2, "b", "x-60-0-W");
    assert!(!is_offer(&harness.received(2)));
    let three = harness.login(3, "c", "x-60-0-B");
    assert!(is_offer(&three));
    assert_eq!((value(&three, "Your_Turn"), value(&three, "Name-")), ("+", "a"));
    assert_eq!(value(&harness.received(1), "Your_Turn"), "-");
}

#[test]
fn plain_passwords_use_the_configured_clock() {
    let time = kyomi_shogi::clock::GameTime {
        total: Duration::from_millis(1500),
        byoyomi: Duration::ZERO,
        increment: Duration::from_millis(200),
    };
    let black = kyomi_shogi::clock::GameTime { total: Duration::from_secs(2), ..time };
    let mut harness =
        Harness::new(ServerSettings { time: [black, time], ..ServerSettings::default() });
    harness.login(1, "a", "b");
    let offer = harness.login(2, "c", "d");
    let times: Vec<_> =
        offer.iter().filter(|line| line.contains("Time")).map(String::as_str).collect();
    assert_eq!(
        times,
        [
            "BEGIN Time+",
            "Time_Unit:100msec",
            "Total_Time:20",
            "Least_Time_Per_Move:0",
            "END Time+",
            "BEGIN Time-",
            "Time_Unit:100msec",
            "Total_Time:15",
            "Least_Time_Per_Move:0",
            "END Time-",
        ]
    );
}

#[test]
fn game_ids_differ_even_within_a_second() {
    let mut ids = IssuedIds::default();
    let wall = Timestamp::from_second(1_800_000_000).unwrap();
    let names = ["a".to_owned(), "b".to_owned()];
    let first = ids.issue("kyomi", "x-60-0", &names, wall);
    let second = ids.issue("kyomi", "x-60-0", &names, wall);
    assert!(first.starts_with("kyomi+x-60-0+a+b+20"), "{first}");
    assert_ne!(first, second);
}

// ---- agreement

#[test]
fn after_a_rejection_the_opponent_waits_and_the_rejecting_player_rests() {
    let mut harness = Harness::open();
    harness.login(1, "a", "b");
    harness.login(2, "c", "d");
    harness.received(1);
    let received = harness.send(2, "REJECT");
    assert!(received[0].starts_with("REJECT:") && received[0].ends_with(" by c"), "{received:?}");
    assert_eq!(harness.received(1), received);
    harness.wait(5);
    harness.login(3, "e", "f");
    assert!(is_offer(&harness.received(1)));
    assert_eq!(harness.closed, [0; 0]);
    harness.wait(10);
    assert!(harness.lobby.clients[&ClientId(2)].state == ClientState::Waiting);
}

#[test]
fn a_player_that_ignores_an_offer_is_disconnected() {
    let mut harness = Harness::open();
    harness.login(1, "a", "b");
    harness.login(2, "c", "d");
    harness.send(1, "AGREE");
    harness.wait(120);
    assert!(harness.received(1).last().unwrap().ends_with("by the Server (timed out)"));
    assert_eq!(harness.closed, [2]);
    harness.wait(5);
    harness.login(3, "e", "f");
    assert!(is_offer(&harness.received(1)));
}

#[test]
fn an_offer_is_rejected_when_the_opponent_leaves() {
    for leave in ["", "LOGOUT"] {
        let mut harness = Harness::open();
        harness.login(1, "a", "b");
        harness.login(2, "c", "d");
        harness.send(1, "AGREE");
        if leave.is_empty() {
            harness.gone(2);
        } else {
            assert_eq!(harness.send(2, leave).last().unwrap(), "LOGOUT:completed");
            assert_eq!(harness.closed, [2]);
        }
        assert!(harness.received(1).last().unwrap().starts_with("REJECT:"));
        harness.wait(5);
        harness.login(3, "e", "f");
        assert!(is_offer(&harness.received(1)));
    }
}

// ---- after the game

#[test]
fn players_stay_for_the_next_game_with_reversed_colours() {
    let mut harness = Harness::open();
    harness.login(1, "a", "b");
    harness.login(2, "c", "d");
    let mut last = None;
    for _ in 0..4 {
        let offer = harness.received(1);
        harness.received(2);
        let color = value(&offer, "Your_Turn").to_owned();
        assert_ne!(last.as_ref(), Some(&color));
        harness.send(1, "AGREE");
        harness.send(2, "AGREE");
        let mover = if color == "+" { 1 } else { 2 };
        assert_eq!(harness.send(mover, "%TORYO").last().unwrap(), "#LOSE");
        last = Some(color);
        harness.received(1);
        harness.wait(2);
    }
}

#[test]
fn a_draw_is_played_again_with_reversed_colours_where_the_rules_say_so() {
    let rules = GameRules { max_moves: 1, rematch_on_draw: true, ..GameRules::default() };
    let mut harness = Harness::playing(ServerSettings { rules, ..close() });
    let (mut black, mut white) = (1, 2);
    for rematch in 0..MOST_REMATCHES {
        harness.received(black);
        harness.received(white);
        let lines = harness.send(black, "+7776FU");
        assert_eq!(value(&lines, "Your_Turn"), "-");
        let more = if rematch + 1 < MOST_REMATCHES { "YES" } else { "NO" };
        assert_eq!(value(&lines, "Rematch_On_Draw"), more);
        assert_eq!(value(&harness.received(white), "Your_Turn"), "+");
        (black, white) = (white, black);
        harness.send(black, "AGREE");
        harness.send(white, "AGREE");
    }
    harness.received(white);
    let lines = harness.send(black, "+7776FU");
    assert!(!is_offer(&lines), "{lines:?}");
    assert_eq!(harness.closed.len(), 2);
}

#[test]
fn a_player_can_log_out_after_a_game() {
    let mut harness = Harness::playing(ServerSettings::default());
    harness.send(1, "%TORYO");
    assert_eq!(harness.send(1, "LOGOUT"), ["LOGOUT:completed"]);
    // A move sent before the end arrived is ignored.
    harness.received(2);
    assert_eq!(harness.send(2, "-3334FU"), [""; 0]);
    assert_eq!(harness.wait(10).send(2, ""), [""]);
    assert_eq!(harness.closed, [1]);
}

#[test]
fn connections_are_closed_after_the_result_if_configured() {
    let mut harness = Harness::playing(close());
    let received = harness.send(1, "%TORYO");
    assert_eq!(received.last().unwrap(), "#LOSE");
    assert_eq!(harness.received(2).last().unwrap(), "#WIN");
    assert_eq!(harness.closed, [1, 2]);
}

#[test]
fn logout_is_refused_during_a_game() {
    let mut harness = Harness::playing(ServerSettings::default());
    assert!(harness.send(1, "LOGOUT")[0].starts_with("##[ERROR] "));
    assert!(harness.send(1, "+7776FU")[0].starts_with("+7776FU,T"));
}

#[test]
fn a_game_is_recorded_from_start_to_end() {
    let mut harness = Harness::playing(ServerSettings::default());
    harness.send(1, "+7776FU,'* 12");
    harness.gone(1);
    assert_eq!(harness.received(2).last().unwrap(), "#WIN");
    let [
        RecordEvent::Begin(header),
        RecordEvent::Move { comment, .. },
        RecordEvent::End { end, plies, .. },
    ] = &harness.records[..]
    else {
        panic!("{:?}", harness.records)
    };
    assert_eq!(header.names, ["black", "white"]);
    assert_eq!(comment.as_deref(), Some("* 12"));
    assert_eq!((end.winning_side(), *plies), (Some(Color::White), 1));
    assert!(harness.lobby.games.is_empty());
}

// ---- the end

#[test]
fn finishing_waits_for_the_games() {
    let mut harness = Harness::playing(ServerSettings::default());
    harness.login(3, "idle", "x");
    harness.connect(4);
    harness.input(Input::Finish);
    assert_eq!(harness.closed, [3, 4]);
    assert!(!harness.lobby.is_done());
    let refused = harness.login(5, "new", "x");
    assert_eq!(refused, ["LOGIN:incorrect", "##[ERROR] the server is shutting down"]);
    assert_eq!(harness.closed, [3, 4, 5]);
    harness.send(1, "%TORYO");
    assert_eq!(harness.closed, [3, 4, 5, 1, 2]);
    assert!(harness.lobby.is_done());
}

#[test]
fn finishing_withdraws_offers() {
    let mut harness = Harness::open();
    harness.login(1, "a", "b");
    harness.login(2, "c", "d");
    harness.input(Input::Finish);
    assert!(harness.received(1).iter().any(|line| line.starts_with("REJECT:")));
    assert!(harness.lobby.is_done());
    assert_eq!(harness.closed.len(), 2);
}

#[test]
fn aborting_ends_the_games_without_a_result() {
    let mut harness = Harness::playing(ServerSettings::default());
    harness.received(1);
    harness.input(Input::Abort);
    assert_eq!(harness.received(1), ["#CHUDAN"]);
    assert_eq!(harness.closed, [1, 2]);
    assert!(harness.lobby.is_done());
    assert!(matches!(harness.records.last(), Some(RecordEvent::End { .. })));
}
