//! The state that the page shows, updated by reports.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt::Write as _,
    mem,
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::watch::{
    Connection, LiveEngine, Report, Snapshot, moment_words, ms, next_pairing, with,
};
use kyomi_engine::search::SearchInfo;
use kyomi_shogi::{Color, Game, GameEnd, Outcome};

use super::game::{LONGEST_NAME, LONGEST_TEXT, PageGame, text};

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
    state: Snapshot,
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
            state: Snapshot::default(),
            open_until: None,
            waiting: [BTreeMap::new(), BTreeMap::new()],
        };
        Self {
            shows,
            began: Instant::now(),
            clients: labels.into_iter().map(client).collect(),
            games: VecDeque::new(),
            balance: Balance::default(),
            notices: VecDeque::new(),
            event: None,
            history: None,
        }
    }

    /// The time of the page's clock, in milliseconds.
    pub(super) fn now(&self) -> u64 {
        ms(self.began.elapsed())
    }

    /// The whole state as JSON. Games that are over have no moves in it, except the last one of each client.
    ///
    /// It is written game by game: as one value it would take many times the memory of its text.
    pub(super) fn state_text(&self) -> String {
        let mut text = json!({
            "v": 1,
            "now": self.now(),
            "program": concat!("kyomi ", env!("CARGO_PKG_VERSION")),
            "shows": match self.shows { Shows::Client => "client", Shows::Server => "server" },
            "clients": (0..self.clients.len()).map(|it| self.client_json(it)).collect::<Vec<_>>(),
            "balance": self.balance.json(),
            "notices": self.notices,
            "event": self.event,
            "history": self.history,
        })
        .to_string();
        text.pop();
        text.push_str(",\"games\":[");
        for (at, game) in self.games.iter().enumerate() {
            let is_last = !self.games.iter().skip(at + 1).any(|it| it.client == game.client);
            let is_whole = game.end.is_none() || is_last;
            let game = if is_whole { game.whole() } else { game.brief() };
            let comma = if at > 0 { "," } else { "" };
            let _ = write!(text, "{comma}{game}");
        }
        text.push_str("]}");
        text
    }

    #[cfg(test)]
    pub(super) fn state(&self) -> Value {
        serde_json::from_str(&self.state_text()).unwrap()
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

    /// Applies a report of a client, and returns the changes of the page. The change [`STATE`] has no data: everything has
    /// changed.
    pub(super) fn apply(&mut self, client: usize, report: &Report) -> Vec<Change> {
        if client >= self.clients.len() {
            return Vec::new();
        }
        let mut changes = match report {
            Report::Thinking { .. } | Report::Snapshot { .. } => Vec::new(),
            _ => self.flush(client),
        };
        self.clients[client].state.apply(report);
        if let Report::Snapshot { .. } = report {
            self.restore(client);
            return vec![(STATE, Value::Null)];
        }
        changes.extend(self.show(client, report));
        changes
    }

    /// The changes by a report, which the state of its client contains.
    fn show(&mut self, client: usize, report: &Report) -> Vec<Change> {
        let now = self.now();
        let mut changes = Vec::new();
        match report {
            Report::Snapshot { .. } => {}
            Report::Thinking { color, game, info } => self.hold_line(client, *color, game, info),
            Report::GameStarted { number, .. } => {
                changes.push(self.client_change(client));
                changes.extend(self.begin(client, *number));
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
                changes.push(self.client_change(client));
                if let Some(game) = self.game_mut(client, *number) {
                    changes.push(("clocks", game.disconnect(reason, now)));
                }
            }
            Report::Suspended { number } => {
                changes.push(self.client_change(client));
                changes.extend(self.suspend(client, *number));
            }
            Report::Resumed { number, clocks } => {
                changes.push(self.client_change(client));
                if let Some(game) = self.game_mut(client, *number) {
                    changes.push(("clocks", game.resume(clocks, now)));
                }
            }
            Report::Sleeping { .. } => {
                self.clients[client].open_until = None;
                changes.push(self.client_change(client));
            }
            Report::EngineStarting { .. }
            | Report::EngineReady { .. }
            | Report::EngineFailed { .. }
            | Report::Connecting { .. }
            | Report::Waiting { .. }
            | Report::Pausing { .. } => changes.push(self.client_change(client)),
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

    /// Shows the games of a snapshot, at the beginning or after reports were lost.
    fn restore(&mut self, client: usize) {
        self.games.retain(|game| game.client != client || game.end.is_some());
        let Snapshot { games, connection, .. } = self.clients[client].state.clone();
        for live in &games {
            if self.game_mut(client, live.number).is_some() {
                continue;
            }
            for report in live.reports_after(0) {
                if !matches!(report, Report::Thinking { .. }) {
                    self.flush(client);
                }
                self.show(client, &report);
            }
            self.flush(client);
            // The turn began before the snapshot was taken.
            let at = self.now().saturating_sub(ms(live.turn_began.elapsed()));
            if let Some(game) = self.game_mut(client, live.number) {
                game.resume(&live.clocks, at);
            }
        }
        let (at, latest) = (self.now(), games.last().map(|game| game.number));
        let game = latest.and_then(|number| self.game_mut(client, number));
        match (connection, game) {
            (Connection::Suspended, Some(game)) => drop(game.suspend()),
            (Connection::Lost { reason }, Some(game)) if game.end.is_none() => {
                drop(game.disconnect(&reason, at));
            }
            _ => {}
        }
    }

    fn suspend(&mut self, client: usize, number: u64) -> Option<Change> {
        let game = self.game_mut(client, number)?;
        Some(("clocks", game.suspend()))
    }

    fn begin(&mut self, client: usize, number: u64) -> Option<Change> {
        let game = PageGame::new(client, self.clients[client].state.game(number)?, self.now());
        let over = self.games.iter().filter(|game| game.end.is_some()).count();
        let oldest = self.games.iter().position(|game| game.end.is_some());
        let dropped = oldest
            .filter(|_| over >= MOST_ENDED_GAMES)
            .and_then(|oldest| self.games.remove(oldest))
            .map(|game| game.key);
        let whole = with(game.whole(), json!({ "dropped": dropped }));
        self.games.push_back(game);
        Some(("game", whole))
    }

    fn game_mut(&mut self, client: usize, number: u64) -> Option<&mut PageGame> {
        self.games.iter_mut().rfind(|game| game.client == client && game.number == number)
    }

    fn client_change(&self, client: usize) -> Change {
        ("client", self.client_json(client))
    }

    fn client_json(&self, number: usize) -> Value {
        let client = &self.clients[number];
        let engines = client.state.engines.iter().take(MOST_ENGINES).map(engine_json);
        json!({
            "client": number,
            "label": client.label,
            "connection": self.connection_json(&client.state),
            "open_until": client.open_until.map(|until| until.to_string()),
            "engines": engines.collect::<Vec<_>>(),
        })
    }

    fn connection_json(&self, state: &Snapshot) -> Value {
        let time = Timestamp::now();
        let (word, words, until) = match &state.connection {
            Connection::None => ("none", String::new(), None),
            Connection::Connecting { server } => ("connecting", server.clone(), None),
            Connection::Waiting { name, pairing } => {
                ("waiting", name.clone(), pairing.map(|every| next_pairing(every, time)))
            }
            Connection::Sleeping { until, reason } => ("sleeping", reason.to_string(), *until),
            Connection::Playing => ("playing", String::new(), None),
            Connection::Suspended => ("suspended", String::new(), None),
            Connection::Lost { reason } => ("lost", reason.clone(), None),
            Connection::Pausing { until, reason } => {
                let left = until.map(|until| until.saturating_duration_since(Instant::now()));
                ("pausing", reason.clone(), left.and_then(|left| time.checked_add(left).ok()))
            }
        };
        let now = self.now();
        let since = state.connection_since.map_or(0, |it| now.saturating_sub(ms(it.elapsed())));
        let left = until.map(|until| until.duration_since(time).as_millis());
        json!({
            "state": word,
            "text": text(&words, LONGEST_TEXT),
            "since": since,
            "until": left.map(|left| u64::try_from(i128::from(now) + left).unwrap_or(now)),
            "until_time": until.map(|until| until.to_string()),
        })
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

fn engine_json(engine: &LiveEngine) -> Value {
    let state = match engine {
        LiveEngine { failure: Some(failure), .. } => {
            json!({ "state": "failed", "text": text(failure, LONGEST_TEXT) })
        }
        LiveEngine { name: Some(name), .. } => {
            json!({ "state": "ready", "engine": text(name, LONGEST_TEXT) })
        }
        LiveEngine { .. } => json!({ "state": "starting" }),
    };
    with(json!({ "player": text(&engine.player, LONGEST_NAME) }), state)
}

/// The name of the change that replaces everything before it.
pub(super) const STATE: &str = "state";

/// The largest number of ended games that are kept.
const MOST_ENDED_GAMES: usize = 64;

/// The largest number of lines kept of one search.
const MOST_LINES: u32 = 10;

/// The largest number of warnings and messages that are kept.
const MOST_NOTICES: usize = 20;

const MOST_ENGINES: usize = 64;
