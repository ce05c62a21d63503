//! Numbers the changes of the model and sends them to all viewers.

use std::{
    collections::VecDeque,
    fmt::{Display, Write as _},
    path::PathBuf,
    sync::Arc,
};

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::watch::Report;
use kyomi_csa::league::{Event, EventState, to_json};

use super::model::{Change, Model, STATE};

/// The model and its viewers. Clones share one state.
#[derive(Debug, Clone)]
pub(super) struct Hub(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// A random id of this run of the program: change numbers of other runs are not continued.
    run: String,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    model: Model,
    last: u64,
    /// The last changes, as they were sent, for viewers that come back.
    recent: VecDeque<(u64, Bytes)>,
    /// `None` after the end.
    sender: Option<broadcast::Sender<Bytes>>,
}

/// The messages for a viewer: first those that it has missed, then new ones.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) missed: VecDeque<Bytes>,
    pub(super) messages: Option<broadcast::Receiver<Bytes>>,
}

impl Hub {
    pub(super) fn new(model: Model) -> Self {
        let (sender, _) = broadcast::channel(QUEUE);
        Self(Arc::new(Inner {
            run: format!("{:08x}", fastrand::u32(..)),
            state: Mutex::new(State {
                model,
                last: 0,
                recent: VecDeque::new(),
                sender: Some(sender),
            }),
        }))
    }

    /// Adds a viewer: a new one, or one that has seen everything up to this number.
    pub(super) fn subscribe(&self, last_seen: Option<&str>) -> Subscription {
        let state = self.0.state.lock();
        let messages = state.sender.as_ref().map(broadcast::Sender::subscribe);
        let seen = last_seen
            .and_then(|seen| seen.strip_prefix(self.0.run.as_str())?.strip_prefix('-'))
            .and_then(|number| number.parse::<u64>().ok())
            .filter(|seen| *seen <= state.last);
        let missed = match seen {
            Some(seen)
                if seen == state.last
                    || state.recent.front().is_some_and(|(first, _)| *first <= seen + 1) =>
            {
                let missed = state.recent.iter().filter(|(number, _)| *number > seen);
                let mut missed: VecDeque<Bytes> = missed.map(|(_, bytes)| bytes.clone()).collect();
                missed.push_back(tick(state.model.now()));
                missed
            }
            _ => {
                let id = format!("{}-{}", self.0.run, state.last);
                VecDeque::from([message(Some(&id), STATE, &state.model.state_text())])
            }
        };
        Subscription { missed, messages }
    }

    /// Applies a report of a client.
    pub(super) fn report(&self, client: usize, report: &Report) {
        let mut state = self.0.state.lock();
        let changes = state.model.apply(client, report);
        self.publish(&mut state, changes);
    }

    /// Sends the search reports that were held back.
    pub(super) fn flush(&self) {
        let mut state = self.0.state.lock();
        let changes = state.model.flush_all();
        self.publish(&mut state, changes);
    }

    /// Sends the viewers a sign that the program is running.
    pub(super) fn tick(&self) {
        let state = self.0.state.lock();
        if let Some(sender) = &state.sender {
            let _ = sender.send(tick(state.model.now()));
        }
    }

    /// Sends the last message, that the program ends.
    pub(super) fn close(&self) {
        let mut state = self.0.state.lock();
        self.publish(&mut state, vec![("bye", json!({}))]);
        state.sender = None;
    }

    pub(super) fn state_json(&self) -> String {
        self.0.state.lock().model.state_text()
    }

    /// A game that is kept, and the path of its record.
    pub(super) fn game(&self, key: &str) -> Option<(Value, Option<PathBuf>)> {
        self.0.state.lock().model.game(key)
    }

    /// The records of the games of this run that are kept.
    pub(super) fn records(&self) -> Vec<PathBuf> {
        self.0.state.lock().model.records()
    }

    /// Shows the games of earlier runs.
    pub(super) fn set_history(&self, history: Value) {
        let mut state = self.0.state.lock();
        let change = state.model.set_history(history);
        self.publish(&mut state, vec![change]);
    }

    /// The number of viewers.
    #[cfg(test)]
    pub(super) fn viewers(&self) -> usize {
        self.0.state.lock().sender.as_ref().map_or(0, broadcast::Sender::receiver_count)
    }

    fn publish(&self, state: &mut State, changes: Vec<Change>) {
        for (name, data) in changes {
            state.last += 1;
            let id = format!("{}-{}", self.0.run, state.last);
            if name == STATE {
                publish_state(state, &id);
                continue;
            }
            let bytes = message(Some(&id), name, &data);
            state.recent.push_back((state.last, bytes.clone()));
            if state.recent.len() > RECENT {
                state.recent.pop_front();
            }
            send(state, bytes);
        }
    }
}

/// The part of the page about an event with pairings.
#[derive(Debug, Clone)]
pub struct EventPage(pub(super) Hub);

impl EventPage {
    /// Shows the pairings and the table.
    pub fn show(&self, event: &Event, state: &EventState) {
        let mut hub = self.0.0.state.lock();
        let change = hub.model.set_event(to_json(event, state));
        self.0.publish(&mut hub, vec![change]);
    }
}

/// Sends the state, which replaces everything before it. Messages wait for the slowest viewer, so a large state is
/// not one of them: the viewers are disconnected and ask for it.
fn publish_state(state: &mut State, id: &str) {
    state.recent.clear();
    let text = state.model.state_text();
    if text.len() <= LARGEST_STATE {
        send(state, message(Some(id), STATE, &text));
    } else if state.sender.is_some() {
        state.sender = Some(broadcast::channel(QUEUE).0);
    }
}

fn send(state: &State, bytes: Bytes) {
    if let Some(sender) = &state.sender {
        // Sending fails only if there are no viewers.
        let _ = sender.send(bytes);
    }
}

fn tick(now: u64) -> Bytes {
    message(None, "tick", &json!({ "now": now }))
}

/// A server-sent event. The JSON is on one line: line breaks in strings are escaped.
fn message(id: Option<&str>, name: &str, data: &impl Display) -> Bytes {
    let mut text = String::new();
    if let Some(id) = id {
        let _ = writeln!(text, "id: {id}");
    }
    let _ = write!(text, "event: {name}\ndata: {data}\n\n");
    Bytes::from(text)
}

/// The largest number of messages that wait for one viewer. A viewer with more is disconnected.
const QUEUE: usize = 256;

/// The largest state that is a message for all viewers.
const LARGEST_STATE: usize = 128 * 1024;

/// The number of changes kept for viewers that reconnect: those of some minutes.
const RECENT: usize = 1024;
