//! The protocol of the spy: log in, list the games, watch them; without I/O.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::text::{Secret, printable};
use crate::{ClientMessage, ExtendedCommand, Line, LoginMode, MonitorForm, ServerMessage};

use super::plain_monitor::{PlainLine, PlainMonitor};
use super::watched::{Update, WatchFault, WatchedGame};

/// The options of a session.
#[derive(Debug, Clone)]
pub struct SpyOptions {
    /// The login name.
    pub name: String,
    /// The password.
    pub password: Secret,
    /// Only this game.
    pub game: Option<String>,
    /// Only the games that run at the beginning.
    pub once: bool,
    /// The time between two lists of the games.
    pub every: Duration,
}

/// An action or event of a session. They are returned in order.
#[derive(Debug)]
pub enum SpyAction {
    /// Send this line.
    Send(ClientMessage),
    /// The login succeeded.
    LoggedIn,
    /// News of a game.
    Update(String, Update),
    /// A game cannot be followed any longer.
    Fault(String, WatchFault),
    /// A list is complete: these games are running.
    Listed(Vec<String>),
    /// A line that belongs to no game: an answer, a chat message, an error.
    Said(String),
    /// Close the connection: the login was refused.
    Refused(String),
}

/// A session over one connection.
#[derive(Debug)]
pub struct SpySession {
    options: SpyOptions,
    logged_in: bool,
    games: HashMap<String, WatchedGame>,
    /// Games that cannot be followed, and those that are over.
    closed: HashSet<String>,
    /// The answer to `%%LIST` that is being read.
    listing: Option<Vec<Listed>>,
    /// The game that is watched in the form of rshogi, one at a time.
    plain: Option<PlainMonitor>,
    /// Whether the server has that form.
    is_plain: bool,
    /// The names of the players of the games listed last.
    names: HashMap<String, [String; 2]>,
    next_list: Option<Instant>,
    last_line: Instant,
    /// Whether new games are watched.
    is_open: bool,
    /// Games of an earlier connection, which are watched in any case.
    known: HashSet<String>,
    actions: Vec<SpyAction>,
}

impl SpySession {
    /// A session that is not connected. `is_open` is false if no new games are to be watched any more, besides those
    /// that are `known` from an earlier connection.
    pub fn new(options: SpyOptions, is_open: bool, known: HashSet<String>, now: Instant) -> Self {
        Self {
            options,
            logged_in: false,
            games: HashMap::new(),
            closed: HashSet::new(),
            listing: None,
            plain: None,
            is_plain: false,
            names: HashMap::new(),
            next_list: None,
            last_line: now,
            is_open,
            known,
            actions: Vec::new(),
        }
    }

    /// Handles a new connection: logs in.
    pub fn connected(&mut self) -> Vec<SpyAction> {
        self.send(ClientMessage::Login {
            name: self.options.name.clone(),
            password: self.options.password.clone(),
            mode: LoginMode::Extended,
        });
        std::mem::take(&mut self.actions)
    }

    /// When [`SpySession::tick`] is due.
    pub fn wake_at(&self) -> Instant {
        let dead = self.last_line + DEAD_AFTER;
        self.next_list.map_or(dead, |next| next.min(dead))
    }

    /// Whether the server has been silent for too long.
    pub fn is_dead(&self, now: Instant) -> bool {
        now >= self.last_line + DEAD_AFTER
    }

    /// The number of games that are watched.
    pub fn watched(&self) -> usize {
        self.games.len()
    }

    /// Whether a game is watched.
    pub fn watches(&self, id: &str) -> bool {
        self.games.contains_key(id)
    }

    /// Whether new games are watched.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// Handles the passing of time.
    pub fn tick(&mut self, now: Instant) -> Vec<SpyAction> {
        if self.next_list.is_some_and(|at| at <= now) {
            self.list(now);
        }
        std::mem::take(&mut self.actions)
    }

    fn list(&mut self, now: Instant) {
        self.next_list = Some(now + self.options.every);
        self.listing = Some(Vec::new());
        self.send(ClientMessage::Extended(ExtendedCommand::List));
    }

    fn send(&mut self, message: ClientMessage) {
        self.actions.push(SpyAction::Send(message));
    }

    /// Handles a line of the server.
    pub fn line(&mut self, now: Instant, line: &Line) -> Vec<SpyAction> {
        self.last_line = now;
        if let Line::Text(text) = line {
            if self.is_of_plain_game(text) {
                let plain_line = self.plain.as_mut().map(|monitor| monitor.line(text));
                self.plain_lines(plain_line);
                return std::mem::take(&mut self.actions);
            }
            match ServerMessage::parse(text) {
                ServerMessage::LoginOk { .. } if !self.logged_in => {
                    self.logged_in = true;
                    self.actions.push(SpyAction::LoggedIn);
                    self.list(now);
                }
                ServerMessage::LoginIncorrect { reason } => {
                    let reason = reason.unwrap_or_else(|| "no reason given".to_owned());
                    self.actions.push(SpyAction::Refused(clip(&reason)));
                }
                ServerMessage::Notice { topic, text } => self.notice(&topic, &text),
                // An offer to a spy can only be a mistake: it has asked for no game.
                ServerMessage::BeginSummary => {
                    self.send(ClientMessage::Reject { game_id: None });
                }
                ServerMessage::Unknown(text) if !text.contains(':') => self.said(&text),
                _ => {}
            }
        }
        std::mem::take(&mut self.actions)
    }

    fn said(&mut self, text: &str) {
        self.actions.push(SpyAction::Said(clip(text)));
    }

    fn notice(&mut self, topic: &str, text: &str) {
        match topic {
            "LIST" if self.listing.is_some() => {
                if text == "+OK" || text == "END" {
                    let listed = self.listing.take().unwrap_or_default();
                    self.listed(listed);
                } else if let Some(listed) = &mut self.listing
                    && listed.len() < MOST_LISTED
                {
                    listed.extend(Listed::parse(text));
                }
            }
            "MONITOR2" => {
                if let Some((id, line)) =
                    text.strip_prefix('[').and_then(|text| text.split_once("] "))
                {
                    self.monitored(id, line);
                } else {
                    self.plain_answer(text.trim());
                }
            }
            // Clocks of the watched game on rshogi, and the answer to `%%MONITOR2OFF`.
            "LOGIN" | "CLOCK" | "MONITOR2OFF" => {}
            _ => self.said(&format!("[{topic}] {text}")),
        }
    }

    /// Whether a line belongs to the game that is watched in the form of rshogi.
    fn is_of_plain_game(&self, text: &str) -> bool {
        self.plain.is_some() && !text.starts_with("##[") && !text.is_empty()
    }

    /// Handles an answer to `%%MONITOR2ON` in the form of rshogi, which has no id before its lines.
    fn plain_answer(&mut self, text: &str) {
        match text.split_once(' ').unwrap_or((text, "")) {
            ("BEGIN", id) if self.games.contains_key(id) => {
                let names = self.names.get(id).cloned().unwrap_or_default();
                // A connection watches one game. The others are asked for when it is over.
                self.games.retain(|other, _| other == id);
                self.is_plain = true;
                self.plain = Some(PlainMonitor::new(id, names));
            }
            ("END", _) => {
                let plain_line = self.plain.as_mut().map(PlainMonitor::end_of_answer);
                self.plain_lines(plain_line);
            }
            ("NOT_FOUND", id) => self.close(id),
            ("BUSY", _) => self.is_plain = true,
            _ => {}
        }
    }

    fn plain_lines(&mut self, plain_line: Option<PlainLine>) {
        let Some(PlainLine::Record(lines)) = plain_line else { return };
        let Some(id) = self.plain.as_ref().map(|monitor| monitor.id().to_owned()) else { return };
        for line in lines {
            self.monitored(&id, &line);
        }
    }

    /// Watches the games of a list that are new.
    fn listed(&mut self, listed: Vec<Listed>) {
        self.names = listed.iter().map(|it| (it.id.clone(), it.names.clone())).collect();
        let ids: Vec<String> = listed.into_iter().map(|it| it.id).collect();
        let most = if self.is_plain { 1 } else { MOST_WATCHED };
        let wanted = |id: &&String| self.options.game.as_ref().is_none_or(|game| game == *id);
        let new: Vec<String> = ids
            .iter()
            .filter(wanted)
            .filter(|id| !self.games.contains_key(*id) && !self.closed.contains(*id))
            .filter(|id| self.is_open || self.known.contains(*id))
            .take(most.saturating_sub(self.games.len()))
            .cloned()
            .collect();
        self.closed.retain(|id| ids.contains(id));
        for id in new {
            self.games.insert(id.clone(), WatchedGame::new());
            let command = ExtendedCommand::MonitorOn(MonitorForm::Moves, id);
            self.send(ClientMessage::Extended(command));
        }
        // A watched game that is not in the list has ended without an end line.
        self.games.retain(|id, _| ids.contains(id));
        self.plain.take_if(|monitor| !ids.iter().any(|id| id == monitor.id()));
        self.is_open &= !self.options.once;
        self.actions.push(SpyAction::Listed(ids));
    }

    fn monitored(&mut self, id: &str, line: &str) {
        let Some(game) = self.games.get_mut(id) else { return };
        let mut updates = Vec::new();
        let fault = game.push(line, &mut updates).err();
        let is_over = updates.iter().any(|it| matches!(it, Update::Ended(_)));
        let updates = updates.into_iter().map(|it| SpyAction::Update(id.to_owned(), it));
        self.actions.extend(updates);
        let is_faulty = fault.is_some();
        self.actions.extend(fault.map(|fault| SpyAction::Fault(id.to_owned(), fault)));
        if is_over || is_faulty {
            self.close(id);
        }
    }

    fn close(&mut self, id: &str) {
        if self.games.remove(id).is_some() {
            self.closed.insert(id.to_owned());
        }
        if self.plain.take_if(|monitor| monitor.id() == id).is_some() {
            let command = ExtendedCommand::MonitorOff(MonitorForm::Moves, id.to_owned());
            self.send(ClientMessage::Extended(command));
            // The next game need not wait for the next list.
            self.next_list = self.next_list.map(|next| next.min(self.last_line));
        }
    }
}

/// A line of the answer to `%%LIST`: an id, and with rshogi the names of the players after it.
#[derive(Debug)]
struct Listed {
    id: String,
    names: [String; 2],
}

impl Listed {
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let id = words.next().filter(|id| is_id(id))?.to_owned();
        let names = [words.next(), words.next()].map(|name| name.map_or_else(String::new, clip));
        Some(Self { id, names })
    }
}

/// Whether a text can be a game id in a command.
fn is_id(text: &str) -> bool {
    (1..=256).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
}

fn clip(text: &str) -> String {
    printable(text).chars().take(300).collect()
}

/// The largest number of games of a list that are looked at.
const MOST_LISTED: usize = 1000;
/// The largest number of games watched at a time.
const MOST_WATCHED: usize = 200;
/// After this silence the connection is dead: the list is asked for more often.
const DEAD_AFTER: Duration = Duration::from_secs(150);

#[cfg(test)]
mod tests;
