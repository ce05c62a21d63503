//! All connected clients and their games; without I/O.
//!
//! ```text
//!             LOGIN            an opponent           AGREE x 2, game, end
//! Greeting ---------> Waiting ---------> InGame ------------------------> Resting -> Waiting
//!
//!           LOGIN .. x1     %%GAME                                        end
//! Greeting ---------> Idle ---------> Waiting ---------> InGame ------------------> Idle
//! ```
//! [`Lobby::handle`] takes an input and returns the actions to carry out, in order. Every client is limited in
//! its login time, its name and the number of lines without effect ([`TokenBucket`]). A client's text reaches
//! other clients only as a valid name, as a legal move, or as a chat message without control characters.
//!
//! - A refused login may be repeated until the login time is over. A name in use is refused, except that a login
//!   with the same password replaces a session that is not in a game and has sent nothing for [`SILENT`]: that
//!   connection is most likely dead.
//! - After a game both players rest briefly, so that a player can leave, then wait for the next game; or they
//!   are disconnected (`after_game = "close"`).
//! - A server that runs an event does not pair players by these rules: the event's arbiter chooses the games
//!   ([`event`]).
//! - A player who rejects an offer rests longer; one who lets it time out is disconnected.
//! - A client in extended mode is in no queue until it asks for a game, and keeps its connection after games and
//!   rejections ([`commands`]). It may watch games ([`watching`]) and set up openings ([`buoys`]).
//! - `LOGOUT` during a game is refused; closing the connection loses the game, at once or when the player has not come
//!   back in time ([`resuming`]). A player whose connection was lost at the end may ask for the result ([`ended`]).
//! - The games of a killed server are restored for their players ([`restoring`]).

mod buoys;
mod commands;
mod ended;
mod event;
mod io;
mod issued_ids;
mod login;
mod pairing;
mod restoring;
mod resuming;
#[cfg(test)]
mod tests;
mod watching;

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::league::{Arbiter, BoardGame};
use crate::text::Secret;
use crate::{ClientMessage, ExtendedCommand, LoginMode, MonitorForm};
use kyomi_record::Header;
use kyomi_shogi::{Color, GameEnd, Move, Position};

use super::gamename::GameRequest;
use super::hosted_game::{Effect, HostedGame, Rejected, unknown};
use super::password::PasswordDigest;
use super::rules::{AfterGame, GameRules};
use super::settings::ServerSettings;
use super::timers::Timers;
use super::token_bucket::TokenBucket;
use buoys::Buoys;
use issued_ids::IssuedIds;

pub use io::{Action, ClientId, GameHeader, GameNumber, Input, Now, RecordEvent};

/// All clients and games.
#[derive(Debug)]
pub struct Lobby {
    settings: ServerSettings,
    default_request: GameRequest,
    clients: HashMap<ClientId, Client>,
    /// Logged-in clients, by name.
    names: HashMap<String, ClientId>,
    games: BTreeMap<GameNumber, LobbyGame>,
    /// Waiting players of each pool, the one that has waited longest first.
    pools: HashMap<String, Vec<ClientId>>,
    timers: Timers<TimerKey>,
    next_game: u64,
    buoys: Buoys,
    /// The event that the server runs: it decides who plays whom.
    arbiter: Option<Box<Arbiter>>,
    /// The ids made in the current second, so that all ids are different.
    last_ids: IssuedIds,
    /// The ends of games that a player may not have received.
    ended: Vec<EndedGame>,
    rng: fastrand::Rng,
    finishing: bool,
    actions: Vec<Action>,
}

/// A hosted game and its players.
#[derive(Debug)]
struct LobbyGame {
    game: HostedGame,
    players: [ClientId; 2],
    /// Lines for a player who has come back but not yet agreed to continue, `[color]`.
    queued_lines: [Vec<String>; 2],
    /// The header of its record, once it has begun.
    header: Option<Header>,
    /// The clients that watch it.
    monitors: Vec<(ClientId, MonitorForm)>,
    /// Its place in the event that the server runs.
    board: Option<BoardGame>,
    /// The number of drawn games of these players directly before it.
    rematches: u32,
    /// Until when its players may come back, if a killed server began it.
    return_by: Option<Instant>,
}

impl LobbyGame {
    /// A game that is offered.
    fn new(game: HostedGame, players: [ClientId; 2]) -> Self {
        Self {
            game,
            players,
            queued_lines: Default::default(),
            header: None,
            monitors: Vec::new(),
            board: None,
            rematches: 0,
            return_by: None,
        }
    }
}

#[derive(Debug)]
struct Client {
    address: Option<IpAddr>,
    allowance: TokenBucket,
    last_line_at: Instant,
    account: Option<Account>,
    state: ClientState,
}

impl Client {
    /// Whether it has logged in with `x1`.
    fn is_extended(&self) -> bool {
        self.account.as_ref().is_some_and(|account| account.extended)
    }
}

/// What a client logs in with.
#[derive(Clone, Copy)]
struct Login<'a> {
    name: &'a str,
    password: &'a str,
    mode: &'a LoginMode,
}

/// A logged-in player.
#[derive(Debug, Clone)]
struct Account {
    name: String,
    password: PasswordDigest,
    /// The game it waits for, or the last one.
    request: GameRequest,
    /// Logged in with `x1`.
    extended: bool,
    /// Number of games as black minus number of games as white.
    color_balance: i32,
    last_opponent: Option<String>,
}

/// The end of a game for one of its players.
#[derive(Debug)]
struct EndedGame {
    game_id: String,
    token: Secret,
    account: Account,
    /// The offer with all moves, then the lines about the end.
    lines: Vec<String>,
    /// How long it is kept.
    until: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClientState {
    /// Not logged in yet.
    Greeting,
    /// Logged in, in extended mode, and in no queue.
    Idle,
    /// Logged in, not paired until its timer expires.
    Resting,
    Waiting,
    InGame(GameNumber, Color),
    /// Its connection was lost in the game; it may come back until its timer expires.
    Absent(GameNumber, Color),
    /// Back in its game, but has not yet agreed to continue.
    Rejoining(GameNumber, Color),
    /// Removed from its game or pool, about to be disconnected.
    Removed,
    /// Being disconnected; its lines are ignored.
    Leaving,
}

impl ClientState {
    fn is_in_game(self) -> bool {
        matches!(self, Self::InGame(..) | Self::Absent(..) | Self::Rejoining(..))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum TimerKey {
    Client(ClientId),
    Game(GameNumber),
    Event,
}

impl Lobby {
    /// A lobby without clients. `start` is the start position of ordinary games, `seed` that of the random colours.
    pub fn new(settings: ServerSettings, start: Position, seed: u64) -> Self {
        let default_request = GameRequest::default_pool(settings.time, &settings.rules, start);
        Self {
            settings,
            default_request,
            clients: HashMap::new(),
            names: HashMap::new(),
            games: BTreeMap::new(),
            pools: HashMap::new(),
            buoys: Buoys::default(),
            arbiter: None,
            timers: Timers::new(),
            next_game: 0,
            last_ids: IssuedIds::default(),
            ended: Vec::new(),
            rng: fastrand::Rng::with_seed(seed),
            finishing: false,
            actions: Vec::new(),
        }
    }

    /// When [`Input::Tick`] is due.
    pub fn wake_at(&self) -> Option<Instant> {
        self.timers.next()
    }

    /// Whether the server was asked to end and all games are over.
    pub fn is_done(&self) -> bool {
        self.finishing && self.games.is_empty()
    }

    /// Handles an input and returns what to do.
    pub fn handle(&mut self, now: Now, input: Input) -> Vec<Action> {
        match input {
            Input::Connected(client, address) => self.connected(now, client, address),
            Input::Line(client, line, arrived) => self.line(now, client, &line, arrived),
            Input::TooLong(client) => self.too_long(now, client),
            Input::Gone(client) => self.gone(now, client),
            Input::Tick => self.tick(now),
            Input::Finish => self.finish(now),
            Input::Abort => self.abort(now),
        }
        self.run_event(now);
        std::mem::take(&mut self.actions)
    }

    /// The record of this game is written and its lines are sent at `now`: the turn that has just begun is timed
    /// from here. No effect on a game that is over.
    pub fn turn_begins(&mut self, id: GameNumber, now: Instant) {
        if let Some(entry) = self.games.get_mut(&id) {
            entry.game.turn_begins(now);
            self.timers.set(TimerKey::Game(id), entry.game.wake_at());
        }
    }

    fn connected(&mut self, now: Now, id: ClientId, address: Option<IpAddr>) {
        let limits = &self.settings.limits;
        let here = |client: &&Client| client.address == address;
        let from_here = match address {
            Some(address) if !address.is_loopback() => self.clients.values().filter(here).count(),
            _ => 0,
        };
        let refusal = if self.is_done() {
            Some("the server is shutting down")
        } else if self.clients.len() >= limits.connections {
            Some("the server is full")
        } else if from_here >= limits.connections_per_address {
            Some("too many connections from your address")
        } else {
            None
        };
        if let Some(why) = refusal {
            self.actions.push(Action::Send(id, format!("##[ERROR] {why}")));
            self.actions.push(Action::Close(id));
            return;
        }
        let allowance = TokenBucket::new(limits.burst_lines, limits.lines_per_second, now.instant);
        self.timers.set(TimerKey::Client(id), now.instant.checked_add(limits.login_time));
        let client = Client {
            address,
            allowance,
            last_line_at: now.instant,
            account: None,
            state: ClientState::Greeting,
        };
        self.clients.insert(id, client);
    }

    fn line(&mut self, now: Now, id: ClientId, line: &str, arrived: Instant) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        client.last_line_at = now.instant;
        if line.len() > self.settings.limits.line_bytes {
            return self.too_long(now, id);
        }
        let is_extended = client.is_extended();
        match client.state {
            ClientState::Leaving | ClientState::Removed | ClientState::Absent(..) => {}
            ClientState::InGame(..) if is_extended && line.starts_with("%%") => {
                if self.charge(now, id) {
                    self.extended_line(now, id, line);
                }
            }
            ClientState::Rejoining(number, color) if !line.trim().is_empty() => {
                self.answer_resumed_offer(now, id, line, number, color);
            }
            ClientState::InGame(number, color) if !line.trim().is_empty() => {
                self.line_in_game(now, id, (number, color), line, arrived);
            }
            state => {
                if self.charge(now, id) {
                    self.line_outside_game(now, id, state, line);
                }
            }
        }
    }

    fn line_in_game(
        &mut self,
        now: Now,
        id: ClientId,
        (number, color): (GameNumber, Color),
        line: &str,
        arrived: Instant,
    ) {
        let Some(entry) = self.games.get_mut(&number) else { return };
        if line == "LOGOUT" && entry.game.is_playing() {
            return self.send_error(now, id, "LOGOUT is not possible during a game");
        }
        if line == "LOGOUT" {
            return self.log_out(now, id);
        }
        let effects = entry.game.line(color, line, arrived, now.instant);
        // A legal move costs no allowance, however fast it comes.
        let free =
            effects.iter().any(|effect| matches!(effect, Effect::Move { .. } | Effect::Begin));
        self.carry_out(now, number, effects);
        if !free {
            self.charge(now, id);
        }
    }

    fn line_outside_game(&mut self, now: Now, id: ClientId, state: ClientState, line: &str) {
        let is_greeting = state == ClientState::Greeting;
        let is_extended = self.clients.get(&id).is_some_and(Client::is_extended);
        match ClientMessage::parse(line) {
            ClientMessage::KeepAlive => self.send(id, ""),
            // A line of blanks is not answered, as on the reference server.
            _ if line.trim().is_empty() => {}
            ClientMessage::Logout => self.log_out(now, id),
            ClientMessage::Login { name, password, mode } if is_greeting => {
                self.log_in(
                    now,
                    id,
                    Login { name: &name, password: password.expose(), mode: &mode },
                );
            }
            ClientMessage::Login { .. } => self.send(id, "##[ERROR] you are logged in already"),
            _ if is_greeting && line.starts_with("LOGIN") => {
                self.refuse_login(id, "write LOGIN <name> <password>");
            }
            _ if is_greeting => self.send(id, "##[ERROR] log in first"),
            ClientMessage::Agree { .. } | ClientMessage::Reject { .. } => {
                self.send(id, "##[ERROR] no game is offered");
            }
            // A line that was sent before the end of its game arrived.
            ClientMessage::Move { .. } | ClientMessage::Special(_) => {}
            _ if is_extended && line.starts_with("%%") => self.extended_line(now, id, line),
            // On the server of the WCSC this asks for a practice game; here the login does.
            ClientMessage::Other(text) if text == "CHALLENGE" => {
                self.send(id, "CHALLENGE ACCEPTED");
            }
            ClientMessage::Extended(_) | ClientMessage::Other(_) => {
                self.send(id, &format!("##[ERROR] {}", unknown(line)));
            }
        }
    }

    fn too_long(&mut self, now: Now, id: ClientId) {
        match self.clients.get(&id).map(|client| client.state) {
            Some(ClientState::Greeting) => self.disconnect(now, id, Some("the line is too long")),
            Some(ClientState::Leaving) | None => {}
            Some(_) => self.send_error(now, id, "the line is too long; it was not read"),
        }
    }

    fn send_error(&mut self, now: Now, id: ClientId, text: &str) {
        if self.charge(now, id) {
            self.send(id, &format!("##[ERROR] {text}"));
        }
    }

    /// Handles a command of extended mode.
    fn extended_line(&mut self, now: Now, id: ClientId, line: &str) {
        match ExtendedCommand::parse(line) {
            Some(command) => self.command(now, id, command),
            None => self.send(id, &format!("##[ERROR] {}", unknown(line))),
        }
    }

    /// Charges a line without effect to the client's allowance. A client with too many of them is disconnected and
    /// loses a running game. Returns false if so.
    fn charge(&mut self, now: Now, id: ClientId) -> bool {
        let Some(client) = self.clients.get_mut(&id) else { return false };
        if client.allowance.take(now.instant) {
            return true;
        }
        if let ClientState::InGame(number, color) | ClientState::Rejoining(number, color) =
            client.state
        {
            let effects = self.games.get_mut(&number).map(|it| it.game.forfeit(color, now.instant));
            self.carry_out(now, number, effects.unwrap_or_default());
        }
        self.disconnect(now, id, Some("too many lines"));
        false
    }

    fn gone(&mut self, now: Now, id: ClientId) {
        if self.await_return(now, id) {
            return;
        }
        self.leave_game_or_pool(now, id);
        self.stop_watching(id);
        self.release_name(id);
        self.timers.set(TimerKey::Client(id), None);
        self.clients.remove(&id);
    }

    /// Disconnects a client. [`Input::Gone`] follows when its connection is closed.
    fn disconnect(&mut self, now: Now, id: ClientId, why: Option<&str>) {
        self.leave_game_or_pool(now, id);
        self.stop_watching(id);
        self.release_name(id);
        self.timers.set(TimerKey::Client(id), None);
        let Some(client) = self.clients.get_mut(&id) else { return };
        if client.state == ClientState::Leaving {
            return;
        }
        client.state = ClientState::Leaving;
        if let Some(why) = why {
            tracing::info!(client = id.0, why, "dismissed");
            self.actions.push(Action::Send(id, format!("##[ERROR] {why}")));
        }
        self.actions.push(Action::Close(id));
    }

    /// Removes a client from its game or pool.
    fn leave_game_or_pool(&mut self, now: Now, id: ClientId) {
        let Some(client) = self.clients.get_mut(&id) else { return };
        match client.state {
            ClientState::InGame(number, color)
            | ClientState::Absent(number, color)
            | ClientState::Rejoining(number, color) => {
                client.state = ClientState::Removed;
                let effects = self.games.get_mut(&number).map(|it| {
                    if it.game.is_away(color) {
                        it.game.interrupt()
                    } else {
                        it.game.left(color, now.instant)
                    }
                });
                self.carry_out(now, number, effects.unwrap_or_default());
            }
            ClientState::Waiting => {
                client.state = ClientState::Removed;
                self.leave_pool(id);
            }
            _ => {}
        }
    }

    fn release_name(&mut self, id: ClientId) {
        let account = self.clients.get(&id).and_then(|client| client.account.as_ref());
        let Some(name) = account.map(|account| account.name.clone()) else { return };
        if self.names.get(&name) == Some(&id) {
            self.names.remove(&name);
        }
    }

    fn tick(&mut self, now: Now) {
        while let Some(key) = self.timers.pop_due(now.instant) {
            match key {
                TimerKey::Game(number) => {
                    let effects = self.games.get_mut(&number).map(|it| it.game.tick(now.instant));
                    self.carry_out(now, number, effects.unwrap_or_default());
                }
                // The event is checked after every input.
                TimerKey::Event => {}
                TimerKey::Client(id) => match self.clients.get(&id).map(|client| client.state) {
                    Some(ClientState::Greeting) => {
                        self.disconnect(now, id, Some("no login in time"));
                    }
                    Some(ClientState::Resting) => self.wait_for_game(now, id),
                    Some(ClientState::Absent(..)) => {
                        self.leave_game_or_pool(now, id);
                        self.forget_absent(id);
                    }
                    Some(ClientState::Rejoining(..)) => {
                        self.disconnect(now, id, Some("no agreement in time"));
                    }
                    _ => {}
                },
            }
        }
    }

    fn finish(&mut self, now: Now) {
        self.finish_because(now, "the server is shutting down");
    }

    fn finish_because(&mut self, now: Now, why: &str) {
        self.finishing = true;
        let games: Vec<GameNumber> = self.games.keys().copied().collect();
        for number in games {
            let effects = self.games.get_mut(&number).map(|it| it.game.withdraw());
            self.carry_out(now, number, effects.unwrap_or_default());
        }
        let is_idle = |client: &Client| !client.state.is_in_game();
        let mut idle_clients: Vec<ClientId> =
            self.clients.iter().filter(|(_, client)| is_idle(client)).map(|(id, _)| *id).collect();
        idle_clients.sort_unstable();
        for id in idle_clients {
            self.disconnect(now, id, Some(why));
        }
    }

    fn abort(&mut self, now: Now) {
        self.finish(now);
        let games: Vec<GameNumber> = self.games.keys().copied().collect();
        for number in games {
            let effects = self.games.get_mut(&number).map(|it| it.game.abort());
            self.carry_out(now, number, effects.unwrap_or_default());
        }
    }

    fn send(&mut self, id: ClientId, line: &str) {
        self.actions.push(Action::Send(id, line.to_owned()));
    }

    fn send_lines(&mut self, id: ClientId, lines: Vec<String>) {
        self.actions.push(Action::SendLines(id, lines));
    }
}

/// Time between the end of a game and the next offer, for a `LOGOUT`.
const REST: Duration = Duration::from_secs(1);

/// Rest of a player who rejected an offer, which would otherwise be repeated.
const REST_AFTER_REJECT: Duration = Duration::from_secs(10);
