//! The state that the page shows, updated by reports.

use std::{
    collections::{BTreeMap, VecDeque},
    mem,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::watch::{Connection, Report, Snapshot, moment_words, next_pairing};
use kyomi_engine::search::SearchInfo;
use kyomi_shogi::{Color, Game, GameEnd, Outcome};

use super::game::{Beginning, LONGEST_NAME, LONGEST_TEXT, PageGame, text, with};

/// Whose games the page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Those of a client that plays.
    Client,
    /// Those of a server.
    Server,
}

/// A change of the model: the name of the event, and its data.
pub(super) type Change = (&'static str, Value);

/// The whole state of the page.
#[derive(Debug)]
pub(super) struct Model {
    shows: Shows,
    began: Instant,
    clients: Vec<Client>,
    /// Games in the order in which they began.
    games: VecDeque<PageGame>,
    /// The results of this run, including games that are no longer kept.
    balance: Balance,
    notices: VecDeque<Value>,
    /// An event with pairings.
    event: Option<Value>,
    /// Games of earlier runs, and ratings.
    history: Option<Value>,
}

/// Numbers of games that are over.
#[derive(Debug, Default)]
struct Balance {
    ended: u64,
    won: u64,
    lost: u64,
    drawn: u64,
}

impl Balance {
    /// Adds a game, with our result if one side is ours.
    const fn add(&mut self, outcome: Option<Outcome>) {
        self.ended += 1;
        match outcome {
            Some(Outcome::Win) => self.won += 1,
            Some(Outcome::Loss) => self.lost += 1,
            Some(Outcome::Draw) => self.drawn += 1,
            Some(Outcome::None) | None => {}
        }
    }

    fn json(&self) -> Value {
        json!({ "ended": self.ended, "won": self.won, "lost": self.lost, "drawn": self.drawn })
    }
}

/// A client, or the server.
#[derive(Debug)]
struct Client {
    label: Option<String>,
    connection: Value,
    engines: Vec<(String, Value)>,
    /// When the window of the schedule ends.
    open_until: Option<Timestamp>,
    /// Search reports of black and of white that are not shown yet, by the number of the line.
    waiting: [BTreeMap<u32, Searched>; 2],
}

/// The game whose last position is searched, and the report.
type Searched = (Arc<Game>, Box<SearchInfo>);

impl Model {
    pub(super) fn new(shows: Shows, labels: impl IntoIterator<Item = Option<String>>) -> Self {
        let client = |label: Option<String>| Client {
            label: label.map(|label| text(&label, LONGEST_NAME)),
            connection: Value::Null,
            engines: Vec::new(),
            open_until: None,
            waiting: [BTreeMap::new(), BTreeMap::new()],
        };
        let mut model = Self {
            shows,
            began: Instant::now(),
            clients: labels.into_iter().map(client).collect(),
            games: VecDeque::new(),
            balance: Balance::default(),
            notices: VecDeque::new(),
            event: None,
            history: None,
        };
        for client in 0..model.clients.len() {
            model.connect(client, "none", "", None);
        }
        model
    }

    /// The time of the page's clock, in milliseconds.
    pub(super) fn now(&self) -> u64 {
        millis(self.began.elapsed())
    }

    /// The whole state. Games that are over have no moves in it, except the last one of each client.
    pub(super) fn state(&self) -> Value {
        let shown_whole = |at: usize, game: &PageGame| {
            game.end.is_none() || !self.games.iter().skip(at + 1).any(|it| it.client == game.client)
        };
        let games = self
            .games
            .iter()
            .enumerate()
            .map(|(at, game)| if shown_whole(at, game) { game.whole() } else { game.brief() });
        json!({
            "v": 1,
            "now": self.now(),
            "program": concat!("kyomi ", env!("CARGO_PKG_VERSION")),
            "shows": match self.shows { Shows::Client => "client", Shows::Server => "server" },
            "clients": self.clients.iter().enumerate().map(client_json).collect::<Vec<_>>(),
            "games": games.collect::<Vec<_>>(),
            "balance": self.balance.json(),
            "notices": self.notices,
            "event": self.event,
            "history": self.history,
        })
    }

    /// A game that is kept, and the path of its record.
    pub(super) fn game(&self, key: &str) -> Option<(Value, Option<PathBuf>)> {
        let game = self.games.iter().find(|game| game.key == key)?;
        Some((with(game.whole(), json!({ "now": self.now() })), game.record().map(Path::to_owned)))
    }

    pub(super) fn set_event(&mut self, event: Value) -> Change {
        self.event = Some(event.clone());
        ("event", event)
    }

    pub(super) fn set_history(&mut self, history: Value) -> Change {
        self.history = Some(history.clone());
        ("history", history)
    }

    /// The records of the games of this run that are kept.
    pub(super) fn records(&self) -> Vec<PathBuf> {
        self.games.iter().filter_map(|game| game.record().map(Path::to_owned)).collect()
    }

    /// Applies a report of a client, and returns the changes of the page.
    pub(super) fn apply(&mut self, client: usize, report: &Report) -> Vec<Change> {
        if client >= self.clients.len() {
            return Vec::new();
        }
        let now = self.now();
        let mut changes = match report {
            Report::Thinking { .. } | Report::Snapshot { .. } => Vec::new(),
            _ => self.flush(client),
        };
        match report {
            Report::Snapshot { snapshot, .. } => return self.restore(client, snapshot),
            Report::Thinking { color, game, info } => self.hold_line(client, *color, game, info),
            Report::GameStarted {
                number, game_id, names, own, game, move_times, clocks, ..
            } => {
                let (number, own, id) = (*number, *own, game_id);
                let beginning =
                    Beginning { client, number, id, names, own, game, move_times, clocks };
                changes.push(self.connect(client, "playing", "", None));
                changes.push(self.begin(&beginning, now));
            }
            Report::Moved { number, event, clocks } => {
                if let Some(game) = self.game_mut(client, *number) {
                    changes.push(("move", game.add_move(event, clocks, now)));
                }
            }
            Report::GameEnded { number, end, record } => {
                changes.extend(self.end_game(client, *number, end, record.as_deref()));
            }
            Report::Disconnected { number, reason } => {
                changes.push(self.connect(client, "lost", reason, None));
                if let Some(game) = self.game_mut(client, *number) {
                    changes.push(("clocks", game.disconnect(reason, now)));
                }
            }
            Report::Suspended { number } => {
                changes.push(self.connect(client, "suspended", "", None));
                changes.extend(self.suspend(client, *number));
            }
            Report::Resumed { number, clocks } => {
                changes.push(self.connect(client, "playing", "", None));
                if let Some(game) = self.game_mut(client, *number) {
                    changes.push(("clocks", game.resume(clocks, now)));
                }
            }
            Report::EngineStarting { player } => {
                changes.push(self.engine(client, player, starting_engine()));
            }
            Report::EngineReady { player, engine } => {
                changes.push(self.engine(client, player, ready_engine(engine)));
            }
            Report::EngineFailed { player, text: what, .. } => {
                let state = json!({ "state": "failed", "text": text(what, LONGEST_TEXT) });
                changes.push(self.engine(client, player, state));
            }
            Report::Connecting { server } => {
                changes.push(self.connect(client, "connecting", server, None));
            }
            Report::Waiting { name, pairing } => {
                let until = pairing.map(|every| next_pairing(every, Timestamp::now()));
                changes.push(self.connect(client, "waiting", name, until));
            }
            Report::Sleeping { until, reason } => {
                self.clients[client].open_until = None;
                changes.push(self.connect(client, "sleeping", &reason.to_string(), *until));
            }
            Report::Pausing { pause, reason } => {
                let until = Timestamp::now().checked_add(*pause).ok();
                changes.push(self.connect(client, "pausing", reason, until));
            }
            Report::ServerSaid(said) => changes.push(self.notice(client, "server", said)),
            Report::Warning(warning) => changes.push(self.notice(client, "warning", warning)),
            Report::NoPairing { waited } => {
                let words = format!("no game for {} minutes", waited.as_secs() / 60);
                changes.push(self.notice(client, "warning", &words));
            }
            Report::ScheduleOpen { until } => changes.extend(self.open_schedule(client, *until)),
        }
        changes
    }

    /// Stores a search report until the next [`flush`](Self::flush). A later report of the same line replaces it.
    fn hold_line(&mut self, client: usize, color: Color, game: &Arc<Game>, info: &SearchInfo) {
        let waiting = &mut self.clients[client].waiting[color.index()];
        let number = info.multipv.unwrap_or(1).max(1);
        if number <= MOST_LINES {
            waiting.insert(number, (Arc::clone(game), Box::new(info.clone())));
        }
    }

    /// Ends a game and counts it. `None` if the game is not kept.
    fn end_game(
        &mut self,
        client: usize,
        number: u64,
        end: &GameEnd,
        record: Option<&Path>,
    ) -> Option<Change> {
        let game = self.game_mut(client, number).map(|game| {
            game.finish(end, record);
            (game.brief(), game.own)
        });
        let own = game.as_ref().and_then(|(_, own)| *own);
        self.balance.add(own.map(|own| end.outcome_for(own)));
        let (game, _) = game?;
        Some(("end", json!({ "game": game, "balance": self.balance.json() })))
    }

    /// Shows that the schedule of a client allows games, until a time or for good.
    fn open_schedule(&mut self, client: usize, until: Option<Timestamp>) -> [Change; 2] {
        self.clients[client].open_until = until;
        let change = self.client_change(client);
        let text = until.map_or_else(
            || "the schedule is open".to_owned(),
            |until| {
                let words = moment_words(until, Timestamp::now());
                format!("the schedule is open until {words}")
            },
        );
        [change, self.notice(client, "schedule", &text)]
    }

    /// The changes for the search reports that were held back.
    pub(super) fn flush_all(&mut self) -> Vec<Change> {
        (0..self.clients.len()).flat_map(|client| self.flush(client)).collect()
    }

    fn flush(&mut self, client: usize) -> Vec<Change> {
        let now = self.now();
        let mut changes = Vec::new();
        for side in Color::ALL {
            let waiting = mem::take(&mut self.clients[client].waiting[side.index()]);
            let latest = self.games.iter_mut().rfind(|game| game.client == client);
            let Some(game) = latest.filter(|game| game.end.is_none()) else { continue };
            // A change replaces all lines of its search.
            let last = waiting
                .values()
                .filter_map(|(searched, info)| game.set_line(side, searched, info, now))
                .last();
            changes.extend(last.map(|change| ("line", change)));
        }
        changes
    }

    /// Sets the state of a client to a snapshot, at the beginning or after reports were lost.
    fn restore(&mut self, client: usize, snapshot: &Snapshot) -> Vec<Change> {
        self.games.retain(|game| game.client != client || game.end.is_some());
        for (player, engine) in &snapshot.engines {
            let state = engine.as_deref().map_or_else(starting_engine, ready_engine);
            self.engine(client, player, state);
        }
        for live in &snapshot.games {
            if self.game_mut(client, live.number).is_some() {
                continue;
            }
            for report in live.reports_after(0) {
                self.apply(client, &report);
            }
            self.flush(client);
            // The turn began before the snapshot was taken.
            let at = self.now().saturating_sub(millis(live.turn_began.elapsed()));
            let clocks = live.clocks;
            if let Some(game) = self.game_mut(client, live.number) {
                game.resume(&clocks, at);
            }
        }
        let now = Timestamp::now();
        match &snapshot.connection {
            Connection::None => {}
            Connection::Connecting { server } => {
                self.connect(client, "connecting", server, None);
            }
            Connection::Waiting { name, pairing } => {
                let until = pairing.map(|every| next_pairing(every, now));
                self.connect(client, "waiting", name, until);
            }
            Connection::Sleeping { until, reason } => {
                self.connect(client, "sleeping", &reason.to_string(), *until);
            }
            Connection::Playing => {
                self.connect(client, "playing", "", None);
            }
            Connection::Suspended => {
                self.connect(client, "suspended", "", None);
                if let Some(game) = snapshot.games.last() {
                    self.suspend(client, game.number);
                }
            }
            Connection::Lost { reason } => {
                self.connect(client, "lost", reason, None);
                let at = self.now();
                let game = snapshot.games.last().and_then(|it| self.game_mut(client, it.number));
                if let Some(game) = game.filter(|game| game.end.is_none()) {
                    game.disconnect(reason, at);
                }
            }
            Connection::Pausing { until, reason } => {
                let left = until.map(|until| until.saturating_duration_since(Instant::now()));
                let until = left.and_then(|left| now.checked_add(left).ok());
                self.connect(client, "pausing", reason, until);
            }
        }
        vec![("state", self.state())]
    }

    fn suspend(&mut self, client: usize, number: u64) -> Option<Change> {
        let game = self.game_mut(client, number)?;
        Some(("clocks", game.suspend()))
    }

    fn begin(&mut self, beginning: &Beginning<'_>, now: u64) -> Change {
        let over = self.games.iter().filter(|game| game.end.is_some()).count();
        let oldest = self.games.iter().position(|game| game.end.is_some());
        let dropped = oldest
            .filter(|_| over >= MOST_ENDED_GAMES)
            .and_then(|oldest| self.games.remove(oldest))
            .map(|game| game.key);
        let game = PageGame::new(beginning, now);
        let whole = with(game.whole(), json!({ "dropped": dropped }));
        self.games.push_back(game);
        ("game", whole)
    }

    fn game_mut(&mut self, client: usize, number: u64) -> Option<&mut PageGame> {
        self.games.iter_mut().rfind(|game| game.client == client && game.number == number)
    }

    fn connect(
        &mut self,
        client: usize,
        state: &'static str,
        words: &str,
        until: Option<Timestamp>,
    ) -> Change {
        let now = self.now();
        let left = until.map(|until| until.duration_since(Timestamp::now()).as_millis());
        self.clients[client].connection = json!({
            "state": state,
            "text": text(words, LONGEST_TEXT),
            "since": now,
            "until": left.map(|left| u64::try_from(i128::from(now) + left).unwrap_or(now)),
            "until_time": until.map(|until| until.to_string()),
        });
        self.client_change(client)
    }

    fn engine(&mut self, client: usize, player: &str, state: Value) -> Change {
        let player = text(player, LONGEST_NAME);
        let engines = &mut self.clients[client].engines;
        match engines.iter().position(|(known, _)| *known == player) {
            Some(at) => engines[at].1 = state,
            None if engines.len() < MOST_ENGINES => engines.push((player, state)),
            None => {}
        }
        self.client_change(client)
    }

    fn client_change(&self, client: usize) -> Change {
        ("client", client_json((client, &self.clients[client])))
    }

    fn notice(&mut self, client: usize, kind: &str, words: &str) -> Change {
        let notice = json!({
            "client": client,
            "kind": kind,
            "text": text(words, LONGEST_TEXT),
            "at": Timestamp::now().to_string(),
        });
        self.notices.push_back(notice.clone());
        if self.notices.len() > MOST_NOTICES {
            self.notices.pop_front();
        }
        ("notice", notice)
    }
}

fn client_json((number, client): (usize, &Client)) -> Value {
    let engines: Vec<Value> = client
        .engines
        .iter()
        .map(|(player, state)| with(json!({ "player": player }), state.clone()))
        .collect();
    json!({
        "client": number,
        "label": client.label,
        "connection": client.connection,
        "open_until": client.open_until.map(|until| until.to_string()),
        "engines": engines,
    })
}

fn starting_engine() -> Value {
    json!({ "state": "starting" })
}

fn ready_engine(name: &str) -> Value {
    json!({ "state": "ready", "engine": text(name, LONGEST_TEXT) })
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The largest number of ended games that are kept.
const MOST_ENDED_GAMES: usize = 64;

/// The largest number of lines kept of one search.
const MOST_LINES: u32 = 10;

/// The largest number of warnings and messages that are kept.
const MOST_NOTICES: usize = 20;

const MOST_ENGINES: usize = 64;
