use super::*;
use crate::server::PeerLimits;

/// A lobby whose peers are numbers, and a clock that is moved by hand.
struct House {
    lobby: Lobby,
    now: Instant,
    heard: HashMap<u64, Vec<String>>,
    closed: Vec<u64>,
    records: Vec<RecordEvent>,
}

impl House {
    fn new(settings: ServerSettings) -> Self {
        Self {
            lobby: Lobby::new(settings, Position::startpos(), 1),
            now: Instant::now(),
            heard: HashMap::new(),
            closed: Vec::new(),
            records: Vec::new(),
        }
    }

    fn open() -> Self {
        Self::new(ServerSettings::default())
    }

    fn input(&mut self, input: Input) {
        let wall = Timestamp::from_second(1_800_000_000).unwrap();
        for action in self.lobby.handle(Now { instant: self.now, wall }, input) {
            match action {
                Action::Send(id, line) => self.heard.entry(id.0).or_default().push(line),
                Action::Close(id) => self.closed.push(id.0),
                Action::Record(_, event) => self.records.push(event),
            }
        }
    }

    fn connect(&mut self, id: u64) {
        self.input(Input::Connected(ClientId(id), None));
    }

    /// What `id` hears, now and since it was last asked.
    fn say(&mut self, id: u64, line: &str) -> Vec<String> {
        self.input(Input::Line(ClientId(id), line.to_owned(), self.now));
        self.heard(id)
    }

    fn heard(&mut self, id: u64) -> Vec<String> {
        self.heard.remove(&id).unwrap_or_default()
    }

    fn login(&mut self, id: u64, name: &str, password: &str) -> Vec<String> {
        self.connect(id);
        self.say(id, &format!("LOGIN {name} {password}"))
    }

    /// Black is 1, white is 2, and their game has begun.
    fn playing(settings: ServerSettings) -> Self {
        let mut house = Self::new(settings);
        house.login(1, "black", "x-60-0-B,");
        house.login(2, "white", "x-60-0-W,");
        house.say(1, "AGREE");
        house.say(2, "AGREE");
        assert!(house.heard(1).last().is_some_and(|line| line.starts_with("START:")));
        house
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
fn a_good_login_is_greeted() {
    let mut house = House::open();
    assert_eq!(house.login(1, "Alice_2@x.y-z", "secret"), ["LOGIN:Alice_2@x.y-z OK"]);
    assert_eq!(house.say(1, ""), [""]);
    assert_eq!(house.say(1, " "), [""; 0]);
    assert!(house.say(1, "LOGIN again x")[0].starts_with("##[ERROR] "));
    assert_eq!(house.say(1, "LOGOUT"), ["LOGOUT:completed"]);
    assert_eq!(house.closed, [1]);
}

#[test]
fn a_bad_login_may_be_tried_again() {
    let mut house = House::open();
    house.connect(1);
    let long = "n".repeat(33);
    for line in [
        "LOGIN",
        "LOGIN a",
        "LOGIN a b c d",
        "LOGIN a b x2",
        "LOGIN a b x1",
        "LOGIN a/b c",
        "LOGIN ä b",
        "LOGIN a\tb c",
        "LOGIN ../x y",
        "LOGIN a hc2p_x-60-0",
        "LOGIN a x-99999999999999999999-0",
        &format!("LOGIN {long} x"),
    ] {
        let answer = house.say(1, line);
        assert_eq!(answer[0], "LOGIN:incorrect", "{line}");
        assert!(answer[1].starts_with("##[ERROR] "), "{line}");
    }
    assert!(house.say(1, "GET / HTTP/1.1")[0].starts_with("##[ERROR] "));
    assert_eq!(house.say(1, "LOGIN a b"), ["LOGIN:a OK"]);
}

#[test]
fn who_does_not_log_in_is_dismissed() {
    let mut house = House::open();
    house.connect(1);
    house.wait(59);
    assert_eq!(house.closed, [0; 0]);
    house.wait(1);
    assert_eq!(house.closed, [1]);
    // Logged in, one may wait for ever.
    house.login(2, "a", "b");
    house.wait(1_000_000);
    assert_eq!(house.closed, [1]);
}

#[test]
fn a_name_belongs_to_one() {
    let mut house = House::open();
    house.login(1, "a", "secret");
    assert_eq!(house.login(2, "a", "other")[0], "LOGIN:incorrect");
    assert_eq!(house.say(2, "LOGIN a secret")[0], "LOGIN:incorrect");
    house.gone(1);
    assert_eq!(house.say(2, "LOGIN a secret"), ["LOGIN:a OK"]);
}

#[test]
fn a_silent_session_gives_way_to_the_same_password() {
    let mut house = House::open();
    house.login(1, "a", "secret");
    house.wait(100);
    assert_eq!(house.login(2, "a", "other")[0], "LOGIN:incorrect");
    assert_eq!(house.say(2, "LOGIN a secret"), ["LOGIN:a OK"]);
    assert_eq!(house.closed, [1]);
    // The name is the new one's, even when the old one goes at last.
    house.gone(1);
    assert_eq!(house.login(3, "a", "secret")[0], "LOGIN:incorrect");
}

#[test]
fn a_player_in_a_game_cannot_be_replaced() {
    let mut house = House::playing(ServerSettings {
        time: [crate::config::TimeConfig { total: Duration::from_secs(9999), ..Default::default() };
            2],
        ..ServerSettings::default()
    });
    house.wait(30);
    assert_eq!(house.login(3, "white", "x-60-0-W,")[0], "LOGIN:incorrect");
}

// ---- limits

#[test]
fn a_full_house_lets_nobody_in() {
    let limits = PeerLimits { connections: 2, ..PeerLimits::default() };
    let mut house = House::new(ServerSettings { limits, ..ServerSettings::default() });
    (1..=3).for_each(|id| house.connect(id));
    assert_eq!(house.heard(3), ["##[ERROR] the server is full"]);
    assert_eq!(house.closed, [3]);
    house.gone(1);
    assert_eq!(house.login(4, "a", "b"), ["LOGIN:a OK"]);
}

#[test]
fn one_address_cannot_take_all_places() {
    let limits = PeerLimits { connections_per_address: 2, ..PeerLimits::default() };
    let mut house = House::new(ServerSettings { limits, ..ServerSettings::default() });
    let far = Some(IpAddr::from([192, 0, 2, 1]));
    let near = Some(IpAddr::from([127, 0, 0, 1]));
    for id in 1..=3 {
        house.input(Input::Connected(ClientId(id), far));
        house.input(Input::Connected(ClientId(10 + id), near));
    }
    assert_eq!(house.closed, [3]);
}

#[test]
fn a_flood_of_lines_ends_the_connection() {
    let mut house = House::open();
    house.login(1, "a", "b");
    let burst = PeerLimits::default().burst_lines;
    for _ in 0..burst + 10 {
        house.say(1, "");
    }
    assert_eq!(house.closed, [1]);
}

#[test]
fn a_flood_loses_the_game() {
    for line in ["", "hello", "+7776FU", "AGREE"] {
        let mut house = House::playing(ServerSettings::default());
        house.heard(1);
        for _ in 0..PeerLimits::default().burst_lines + 10 {
            house.say(2, line);
        }
        let heard = house.heard(1);
        assert!(
            heard.ends_with(&["#ILLEGAL_ACTION".to_owned(), "#WIN".to_owned()]),
            "{line}: {heard:?}"
        );
    }
}

#[test]
fn moves_are_no_flood() {
    let mut house = House::playing(ServerSettings::default());
    for _ in 0..2 {
        for (id, word) in [(1, "+2838HI"), (2, "-8272HI"), (1, "+3828HI"), (2, "-7282HI")] {
            assert!(house.say(id, word).last().unwrap().starts_with(word));
        }
    }
    assert_eq!(house.closed, [0; 0]);
}

#[test]
fn a_line_over_the_limit_is_not_read() {
    let mut house = House::open();
    house.connect(1);
    house.input(Input::TooLong(ClientId(1)));
    assert_eq!(house.closed, [1]);
    house.login(2, "a", "b");
    assert!(house.say(2, &"x".repeat(9000))[0].starts_with("##[ERROR] the line is too long"));
    assert_eq!(house.say(2, "LOGOUT"), ["LOGOUT:completed"]);
}

// ---- pairing

#[test]
fn players_of_one_game_name_meet() {
    let mut house = House::open();
    house.login(1, "a", "x-600-10,t");
    house.login(2, "b", "y-600-10,t");
    assert!(!is_offer(&house.heard(1)));
    house.login(3, "c", "x-600-10");
    let (one, three) = (house.heard(1), house.heard(3));
    assert!(is_offer(&one));
    assert_eq!(value(&one, "Total_Time"), "600");
    assert_eq!(value(&one, "Byoyomi"), "10");
    let _ = three;
    assert!(!is_offer(&house.heard(2)));
}

#[test]
fn colours_are_given_as_wished() {
    let mut house = House::open();
    house.login(1, "a", "x-60-0-W");
    house.login(2, "b", "x-60-0-W");
    assert!(!is_offer(&house.heard(2)));
    let three = house.login(3, "c", "x-60-0-B");
    assert!(is_offer(&three));
    assert_eq!((value(&three, "Your_Turn"), value(&three, "Name-")), ("+", "a"));
    assert_eq!(value(&house.heard(1), "Your_Turn"), "-");
}

#[test]
fn plain_passwords_play_by_the_settings() {
    let time = crate::config::TimeConfig {
        total: Duration::from_millis(1500),
        byoyomi: Duration::ZERO,
        increment: Duration::from_millis(200),
    };
    let black = crate::config::TimeConfig { total: Duration::from_secs(2), ..time };
    let mut house = House::new(ServerSettings { time: [black, time], ..ServerSettings::default() });
    house.login(1, "a", "b");
    let offer = house.login(2, "c", "d");
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
    let mut ids = seating::IssuedIds::default();
    let wall = Timestamp::from_second(1_800_000_000).unwrap();
    let names = ["a".to_owned(), "b".to_owned()];
    let first = ids.issue("kyomi", "x-60-0", &names, wall);
    let second = ids.issue("kyomi", "x-60-0", &names, wall);
    assert!(first.starts_with("kyomi+x-60-0+a+b+20"), "{first}");
    assert_ne!(first, second);
}

// ---- agreement

#[test]
fn a_rejected_player_waits_on_and_the_rejector_rests() {
    let mut house = House::open();
    house.login(1, "a", "b");
    house.login(2, "c", "d");
    house.heard(1);
    let heard = house.say(2, "REJECT");
    assert!(heard[0].starts_with("REJECT:") && heard[0].ends_with(" by c"), "{heard:?}");
    assert_eq!(house.heard(1), heard);
    house.wait(5);
    house.login(3, "e", "f");
    assert!(is_offer(&house.heard(1)));
    assert_eq!(house.closed, [0; 0]);
    house.wait(10);
    assert!(house.lobby.clients[&ClientId(2)].place == Place::Waiting);
}

#[test]
fn who_sleeps_through_an_offer_is_dismissed() {
    let mut house = House::open();
    house.login(1, "a", "b");
    house.login(2, "c", "d");
    house.say(1, "AGREE");
    house.wait(120);
    assert!(house.heard(1).last().unwrap().ends_with("by the Server (timed out)"));
    assert_eq!(house.closed, [2]);
    house.wait(5);
    house.login(3, "e", "f");
    assert!(is_offer(&house.heard(1)));
}

#[test]
fn an_opponent_that_drops_before_the_start_is_told() {
    for leave in ["", "LOGOUT"] {
        let mut house = House::open();
        house.login(1, "a", "b");
        house.login(2, "c", "d");
        house.say(1, "AGREE");
        if leave.is_empty() {
            house.gone(2);
        } else {
            assert_eq!(house.say(2, leave).last().unwrap(), "LOGOUT:completed");
            assert_eq!(house.closed, [2]);
        }
        assert!(house.heard(1).last().unwrap().starts_with("REJECT:"));
        house.wait(5);
        house.login(3, "e", "f");
        assert!(is_offer(&house.heard(1)));
    }
}

// ---- after the game

#[test]
fn players_stay_for_the_next_game_with_colours_changed() {
    let mut house = House::open();
    house.login(1, "a", "b");
    house.login(2, "c", "d");
    let mut last = None;
    for _ in 0..4 {
        let offer = house.heard(1);
        house.heard(2);
        let color = value(&offer, "Your_Turn").to_owned();
        assert_ne!(last.as_ref(), Some(&color));
        house.say(1, "AGREE");
        house.say(2, "AGREE");
        let mover = if color == "+" { 1 } else { 2 };
        assert_eq!(house.say(mover, "%TORYO").last().unwrap(), "#LOSE");
        last = Some(color);
        house.heard(1);
        house.wait(2);
    }
}

#[test]
fn there_is_time_to_log_out_after_a_game() {
    let mut house = House::playing(ServerSettings::default());
    house.say(1, "%TORYO");
    assert_eq!(house.say(1, "LOGOUT"), ["LOGOUT:completed"]);
    // A move that crossed the end is nobody's fault.
    house.heard(2);
    assert_eq!(house.say(2, "-3334FU"), [""; 0]);
    assert_eq!(house.wait(10).say(2, ""), [""]);
    assert_eq!(house.closed, [1]);
}

#[test]
fn a_server_that_closes_does_so_after_the_result() {
    let mut house = House::playing(close());
    let heard = house.say(1, "%TORYO");
    assert_eq!(heard.last().unwrap(), "#LOSE");
    assert_eq!(house.heard(2).last().unwrap(), "#WIN");
    assert_eq!(house.closed, [1, 2]);
}

#[test]
fn logout_is_refused_during_a_game() {
    let mut house = House::playing(ServerSettings::default());
    assert!(house.say(1, "LOGOUT")[0].starts_with("##[ERROR] "));
    assert!(house.say(1, "+7776FU")[0].starts_with("+7776FU,T"));
}

#[test]
fn a_game_is_recorded_from_start_to_end() {
    let mut house = House::playing(ServerSettings::default());
    house.say(1, "+7776FU,'* 12");
    house.gone(1);
    assert_eq!(house.heard(2).last().unwrap(), "#WIN");
    let [
        RecordEvent::Begin(header),
        RecordEvent::Move { comment, .. },
        RecordEvent::End { end, plies, .. },
    ] = &house.records[..]
    else {
        panic!("{:?}", house.records)
    };
    assert_eq!(header.names, ["black", "white"]);
    assert_eq!(comment.as_deref(), Some("* 12"));
    assert_eq!((end.winning_side(), *plies), (Some(Color::White), 1));
    assert!(house.lobby.tables.is_empty());
}

// ---- the end

#[test]
fn finishing_waits_for_the_games() {
    let mut house = House::playing(ServerSettings::default());
    house.login(3, "idle", "x");
    house.connect(4);
    house.input(Input::Finish);
    assert_eq!(house.closed, [3, 4]);
    assert!(!house.lobby.is_done());
    house.connect(5);
    assert_eq!(house.closed, [3, 4, 5]);
    house.say(1, "%TORYO");
    assert_eq!(house.closed, [3, 4, 5, 1, 2]);
    assert!(house.lobby.is_done());
}

#[test]
fn finishing_withdraws_offers() {
    let mut house = House::open();
    house.login(1, "a", "b");
    house.login(2, "c", "d");
    house.input(Input::Finish);
    assert!(house.heard(1).iter().any(|line| line.starts_with("REJECT:")));
    assert!(house.lobby.is_done());
    assert_eq!(house.closed.len(), 2);
}

#[test]
fn aborting_ends_the_games_without_a_result() {
    let mut house = House::playing(ServerSettings::default());
    house.heard(1);
    house.input(Input::Abort);
    assert_eq!(house.heard(1), ["#CHUDAN"]);
    assert_eq!(house.closed, [1, 2]);
    assert!(house.lobby.is_done());
    assert!(matches!(house.records.last(), Some(RecordEvent::End { .. })));
}
