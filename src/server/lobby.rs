//! Everybody who is connected, and the tables they sit at; without I/O.
//!
//! ```text
//!             LOGIN            a rival               AGREE x 2, game, end
//! Greeting ---------> Waiting ---------> Seated ------------------------> Resting -> Waiting
//! ```
//! [`Lobby::handle`] takes what came in and returns what has to be done, in order. Every peer is
//! bounded: login time, names, lines that lead to nothing ([`Allowance`]). What a peer sends goes
//! to no other peer save names that passed [`is_name`] and moves that passed the judge.
//!
//! - A refused login may be tried again until the login time is over. A name in use is refused;
//!   the same password takes the place of a session that is in no game and has been silent for
//!   [`SILENT`], since that one is most likely a machine that is gone.
//! - After a game both players rest for a moment, so that one who wants to leave can, then wait
//!   for the next; or they are dismissed (`after_game = "close"`).
//! - Who turns an offer down rests longer; who lets it time out is dismissed.
//! - `LOGOUT` during a game is refused; closing the connection loses it.

mod seating;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::clock::Controls;
use crate::config::AfterGame;
use crate::csa::ClientMessage;
use crate::shogi::{Color, GameEnd, Move, Position};

use super::allowance::Allowance;
use super::gamename::Wish;
use super::hosted_game::{Effect, HostedGame, Rejected, unknown};
use super::settings::ServerSettings;
use super::timers::Timers;

/// A connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ClientId(pub(super) u64);

/// A table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TableId(pub(super) u64);

/// What came in.
#[derive(Debug)]
pub(super) enum Input {
    /// Somebody connected.
    Connected(ClientId, Option<IpAddr>),
    /// A line, read at the given instant.
    Line(ClientId, String, Instant),
    /// A line over the limit.
    TooLong(ClientId),
    /// The connection is gone.
    Gone(ClientId),
    /// Time has passed.
    Tick,
    /// No new games.
    Finish,
    /// No games.
    Abort,
}

/// What has to be done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Action {
    /// Send a line.
    Send(ClientId, String),
    /// Close the connection when everything before is sent.
    Close(ClientId),
    /// Something for a record.
    Record(TableId, RecordEvent),
}

/// What a record is told of its game.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RecordEvent {
    /// The game begins.
    Begin(Box<GameHeader>),
    /// A move.
    Move { mv: Move, spent: Duration, comment: Option<String> },
    /// The end.
    End {
        end: GameEnd,
        /// The line that was no legal move.
        offence: Option<String>,
        spent: Option<Duration>,
        plies: usize,
        at: Timestamp,
    },
}

/// What a record says above its moves.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GameHeader {
    pub(super) game_id: String,
    pub(super) names: [String; 2],
    pub(super) controls: Controls,
    pub(super) start: Position,
    pub(super) max_moves: u32,
    pub(super) began: Timestamp,
}

/// The two times of an input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now {
    /// For measuring.
    pub(super) instant: Instant,
    /// For people.
    pub(super) wall: Timestamp,
}

/// Who is here.
#[derive(Debug)]
pub(super) struct Lobby {
    settings: ServerSettings,
    default_wish: Wish,
    clients: HashMap<ClientId, Client>,
    /// Who is logged in, by name.
    names: HashMap<String, ClientId>,
    tables: BTreeMap<TableId, Seating>,
    /// Players who wait, by pool, longest first.
    pools: HashMap<String, Vec<ClientId>>,
    timers: Timers<Sleeper>,
    next_table: u64,
    /// The id made last, so that no two are alike.
    last_ids: seating::IssuedIds,
    rng: fastrand::Rng,
    finishing: bool,
    actions: Vec<Action>,
}

/// A table and who sits there.
#[derive(Debug)]
struct Seating {
    table: HostedGame,
    players: [ClientId; 2],
}

#[derive(Debug)]
struct Client {
    address: Option<IpAddr>,
    allowance: Allowance,
    heard: Instant,
    account: Option<Account>,
    place: Place,
}

/// Who has logged in.
#[derive(Debug)]
struct Account {
    name: String,
    password: String,
    wish: Wish,
    /// Games as black minus games as white.
    blacks: i32,
    last_opponent: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Not logged in yet.
    Greeting,
    /// Logged in, not to be paired until its timer rings.
    Resting,
    Waiting,
    Seated(TableId, Color),
    /// Taken from its table or pool, about to leave.
    Aside,
    /// Dismissed; what it still sends is not read.
    Leaving,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Sleeper {
    Client(ClientId),
    HostedGame(TableId),
}

impl Lobby {
    /// A lobby without clients. `start` is the position of ordinary games, `seed` draws colours.
    pub(super) fn new(settings: ServerSettings, start: Position, seed: u64) -> Self {
        let default_wish = Wish::default_pool(&settings, start);
        Self {
            settings,
            default_wish,
            clients: HashMap::new(),
            names: HashMap::new(),
            tables: BTreeMap::new(),
            pools: HashMap::new(),
            timers: Timers::new(),
            next_table: 0,
            last_ids: seating::IssuedIds::default(),
            rng: fastrand::Rng::with_seed(seed),
            finishing: false,
            actions: Vec::new(),
        }
    }

    /// When [`Input::Tick`] is wanted.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.timers.next()
    }

    /// Whether the server was asked to end and nobody plays any more.
    pub(super) fn is_done(&self) -> bool {
        self.finishing && self.tables.is_empty()
    }

    /// Takes in what happened.
    pub(super) fn handle(&mut self, now: Now, input: Input) -> Vec<Action> {
        match input {
            Input::Connected(client, address) => self.connected(now, client, address),
            Input::Line(client, line, arrived) => self.line(now, client, &line, arrived),
            Input::TooLong(client) => self.too_long(now, client),
            Input::Gone(client) => self.gone(now, client),
            Input::Tick => self.tick(now),
            Input::Finish => self.finish(now),
            Input::Abort => self.abort(now),
        }
        std::mem::take(&mut self.actions)
    }

    /// A record of this table is written, and what players hear of it leaves at `now`: a turn that
    /// has just begun counts from here. Without effect on a table that is over.
    pub(super) fn turn_begins(&mut self, id: TableId, now: Instant) {
        if let Some(seating) = self.tables.get_mut(&id) {
            seating.table.turn_begins(now);
            self.timers.set(Sleeper::HostedGame(id), seating.table.wake_at());
        }
    }

    fn connected(&mut self, now: Now, id: ClientId, address: Option<IpAddr>) {
        let limits = &self.settings.limits;
        let here = |client: &&Client| client.address == address;
        let from_here = match address {
            Some(address) if !address.is_loopback() => self.clients.values().filter(here).count(),
            _ => 0,
        };
        let full = if self.finishing {
            Some("the server is shutting down")
        } else if self.clients.len() >= limits.connections {
            Some("the server is full")
        } else if from_here >= limits.connections_per_address {
            Some("too many connections from your address")
        } else {
            None
        };
        if let Some(why) = full {
            self.actions.push(Action::Send(id, format!("##[ERROR] {why}")));
            self.actions.push(Action::Close(id));
            return;
        }
        let allowance = Allowance::new(limits.burst_lines, limits.lines_per_second, now.instant);
        self.timers.set(Sleeper::Client(id), now.instant.checked_add(limits.login_time));
        let client = Client {
            address,
            allowance,
            heard: now.instant,
            account: None,
            place: Place::Greeting,
        };
        self.clients.insert(id, client);
    }

    fn line(&mut self, now: Now, id: ClientId, line: &str, arrived: Instant) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        client.heard = now.instant;
        if line.len() > self.settings.limits.line_bytes {
            return self.too_long(now, id);
        }
        match client.place {
            Place::Leaving | Place::Aside => {}
            Place::Seated(table, color) if !line.trim().is_empty() => {
                let Some(seating) = self.tables.get_mut(&table) else { return };
                if line == "LOGOUT" && seating.table.is_playing() {
                    self.complain(now, id, "LOGOUT is not possible during a game");
                } else if line == "LOGOUT" {
                    self.log_out(now, id);
                } else {
                    let effects = seating.table.line(color, line, arrived, now.instant);
                    // A move that stands costs nothing, whatever its pace.
                    let free = effects
                        .iter()
                        .any(|effect| matches!(effect, Effect::Move { .. } | Effect::Begin));
                    self.carry_out(now, table, effects);
                    if !free {
                        self.charge(now, id);
                    }
                }
            }
            place => {
                if !self.charge(now, id) {
                    return;
                }
                match ClientMessage::parse(line) {
                    ClientMessage::KeepAlive => self.send(id, ""),
                    // A blank before the LF gets no answer, as on the reference server.
                    _ if line.trim().is_empty() => {}
                    ClientMessage::Logout => self.log_out(now, id),
                    ClientMessage::Login { name, password, extended }
                        if place == Place::Greeting =>
                    {
                        self.log_in(now, id, &name, password.expose(), extended);
                    }
                    ClientMessage::Login { .. } => {
                        self.send(id, "##[ERROR] you are logged in already");
                    }
                    _ if place == Place::Greeting && line.starts_with("LOGIN") => {
                        self.refuse_login(id, "write LOGIN <name> <password>");
                    }
                    _ if place == Place::Greeting => self.send(id, "##[ERROR] log in first"),
                    ClientMessage::Agree { .. } | ClientMessage::Reject { .. } => {
                        self.send(id, "##[ERROR] no game is offered");
                    }
                    // A line that crossed the end of its game.
                    ClientMessage::Move { .. } | ClientMessage::Special(_) => {}
                    ClientMessage::Other(_) => {
                        let text = format!("##[ERROR] {}", unknown(line));
                        self.send(id, &text);
                    }
                }
            }
        }
    }

    fn too_long(&mut self, now: Now, id: ClientId) {
        match self.clients.get(&id).map(|client| client.place) {
            Some(Place::Greeting) => self.dismiss(now, id, Some("the line is too long")),
            Some(Place::Leaving) | None => {}
            Some(_) => self.complain(now, id, "the line is too long; it was not read"),
        }
    }

    fn complain(&mut self, now: Now, id: ClientId, text: &str) {
        if self.charge(now, id) {
            self.send(id, &format!("##[ERROR] {text}"));
        }
    }

    /// Counts a line that leads to nothing; a peer with too many of them is dismissed, and loses
    /// a running game. False if so.
    fn charge(&mut self, now: Now, id: ClientId) -> bool {
        let Some(client) = self.clients.get_mut(&id) else { return false };
        if client.allowance.take(now.instant) {
            return true;
        }
        if let Place::Seated(table, color) = client.place {
            let effects =
                self.tables.get_mut(&table).map(|it| it.table.forfeit(color, now.instant));
            self.carry_out(now, table, effects.unwrap_or_default());
        }
        self.dismiss(now, id, Some("too many lines"));
        false
    }

    fn log_in(&mut self, now: Now, id: ClientId, name: &str, password: &str, extended: bool) {
        if self.finishing {
            return self.refuse_login(id, "the server is shutting down");
        }
        if extended {
            return self.refuse_login(id, "extended mode (x1) is not there; log in without x1");
        }
        if !is_name(name) {
            return self.refuse_login(id, "a name is 1 to 32 of A-Z a-z 0-9 _ @ . -");
        }
        let wish = match Wish::parse(password, &self.default_wish, &self.settings.rules) {
            Ok(wish) => wish,
            Err(fault) => return self.refuse_login(id, &fault.to_string()),
        };
        if let Some(&other) = self.names.get(name) {
            if !self.may_replace(other, password, now) {
                return self.refuse_login(id, "the name is in use");
            }
            self.dismiss(now, other, Some("you have logged in again elsewhere"));
        }
        let Some(client) = self.clients.get_mut(&id) else { return };
        client.account = Some(Account {
            name: name.to_owned(),
            password: password.to_owned(),
            wish,
            blacks: 0,
            last_opponent: None,
        });
        self.names.insert(name.to_owned(), id);
        tracing::info!(client = id.0, name, "logged in");
        self.send(id, &format!("LOGIN:{name} OK"));
        self.wait_for_game(now, id);
    }

    fn may_replace(&self, old: ClientId, password: &str, now: Now) -> bool {
        self.clients.get(&old).is_none_or(|old| {
            !matches!(old.place, Place::Seated(..))
                && now.instant.saturating_duration_since(old.heard) >= SILENT
                && old.account.as_ref().is_some_and(|account| account.password == password)
        })
    }

    fn refuse_login(&mut self, id: ClientId, why: &str) {
        self.send(id, "LOGIN:incorrect");
        self.send(id, &format!("##[ERROR] {why}"));
    }

    /// `LOGOUT` outside a running game.
    fn log_out(&mut self, now: Now, id: ClientId) {
        self.unseat(now, id);
        self.send(id, "LOGOUT:completed");
        self.dismiss(now, id, None);
    }

    fn gone(&mut self, now: Now, id: ClientId) {
        self.unseat(now, id);
        self.forget_name(id);
        self.timers.set(Sleeper::Client(id), None);
        self.clients.remove(&id);
    }

    /// Shows a peer the door. Its connection still has to close; [`Input::Gone`] follows.
    fn dismiss(&mut self, now: Now, id: ClientId, why: Option<&str>) {
        self.unseat(now, id);
        self.forget_name(id);
        self.timers.set(Sleeper::Client(id), None);
        let Some(client) = self.clients.get_mut(&id) else { return };
        if client.place == Place::Leaving {
            return;
        }
        client.place = Place::Leaving;
        if let Some(why) = why {
            tracing::info!(client = id.0, why, "dismissed");
            self.actions.push(Action::Send(id, format!("##[ERROR] {why}")));
        }
        self.actions.push(Action::Close(id));
    }

    /// Takes a peer from its table or out of its pool.
    fn unseat(&mut self, now: Now, id: ClientId) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        match client.place {
            Place::Seated(table, color) => {
                client.place = Place::Aside;
                let effects =
                    self.tables.get_mut(&table).map(|it| it.table.left(color, now.instant));
                self.carry_out(now, table, effects.unwrap_or_default());
            }
            Place::Waiting => {
                client.place = Place::Aside;
                self.leave_pool(id);
            }
            _ => {}
        }
    }

    fn forget_name(&mut self, id: ClientId) {
        let account = self.clients.get(&id).and_then(|client| client.account.as_ref());
        let Some(name) = account.map(|account| account.name.clone()) else { return };
        if self.names.get(&name) == Some(&id) {
            self.names.remove(&name);
        }
    }

    fn tick(&mut self, now: Now) {
        while let Some(sleeper) = self.timers.pop_due(now.instant) {
            match sleeper {
                Sleeper::HostedGame(table) => {
                    let effects = self.tables.get_mut(&table).map(|it| it.table.tick(now.instant));
                    self.carry_out(now, table, effects.unwrap_or_default());
                }
                Sleeper::Client(id) => match self.clients.get(&id).map(|client| client.place) {
                    Some(Place::Greeting) => self.dismiss(now, id, Some("no login in time")),
                    Some(Place::Resting) => self.wait_for_game(now, id),
                    _ => {}
                },
            }
        }
    }

    fn finish(&mut self, now: Now) {
        self.finishing = true;
        let tables: Vec<TableId> = self.tables.keys().copied().collect();
        for table in tables {
            let effects = self.tables.get_mut(&table).map(|it| it.table.withdraw());
            self.carry_out(now, table, effects.unwrap_or_default());
        }
        let idle = |client: &Client| !matches!(client.place, Place::Seated(..));
        let mut idlers: Vec<ClientId> =
            self.clients.iter().filter(|(_, client)| idle(client)).map(|(id, _)| *id).collect();
        idlers.sort_unstable();
        for id in idlers {
            self.dismiss(now, id, Some("the server is shutting down"));
        }
    }

    fn abort(&mut self, now: Now) {
        self.finish(now);
        let tables: Vec<TableId> = self.tables.keys().copied().collect();
        for table in tables {
            let effects = self.tables.get_mut(&table).map(|it| it.table.abort());
            self.carry_out(now, table, effects.unwrap_or_default());
        }
    }

    fn send(&mut self, id: ClientId, line: &str) {
        self.actions.push(Action::Send(id, line.to_owned()));
    }
}

/// Whether a player may bear this name: `[A-Za-z0-9_@.-]{1,32}`.
fn is_name(name: &str) -> bool {
    (1..=32).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_@.-".contains(&b))
}

/// A session that said nothing for so long may be replaced by one with the same password. Clients
/// send a blank line every 40 s or so.
const SILENT: Duration = Duration::from_secs(90);

/// From the end of a game to the next offer: time for a `LOGOUT`.
const REST: Duration = Duration::from_secs(1);

/// Rest of a player who turned an offer down; it would get the same one again.
const REST_AFTER_REJECT: Duration = Duration::from_secs(10);
