//! The one owner of lobby and tables: events of all connections in, lines out.
//!
//! Events come through one bounded channel and are dealt with one by one; nothing here waits for
//! a peer. When several things are due, lines come before timers, so that a line read in time
//! counts before its sender's flag. The time that a record takes is nobody's: a turn begins when
//! the line that gives it is handed to the writers.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::mpsc;

use crate::csa::{ClientMessage, Line, printable};

use super::Shutdown;
use super::connection::{Event, Outbox};
use super::lobby::{Action, ClientId, Input, Lobby, Now};
use super::recorder::Recorder;

/// The hub and its channels.
pub(super) struct Hub {
    lobby: Lobby,
    events: mpsc::Receiver<Event>,
    connections: HashMap<ClientId, Outbox>,
    recorder: Recorder,
}

/// Events that may wait for the hub; connections wait when it is full.
pub(super) const EVENT_QUEUE: usize = 4096;

/// Timers that are so late go before lines.
const MOST_LATENESS: Duration = Duration::from_millis(100);

impl Hub {
    /// A hub with nobody connected.
    pub(super) fn new(lobby: Lobby, events: mpsc::Receiver<Event>, recorder: Recorder) -> Self {
        Self { lobby, events, connections: HashMap::new(), recorder }
    }

    /// Serves until it was asked to end and the last game is over and recorded.
    pub(super) async fn run(mut self, shutdown: Shutdown) {
        let mut finishing = false;
        let mut aborted = false;
        while !self.lobby.is_done() {
            let wake_at = self.lobby.wake_at();
            let overdue = wake_at.is_some_and(|at| now_instant() > at + MOST_LATENESS);
            let input = tokio::select! {
                biased;
                () = shutdown.abort.cancelled(), if !aborted => {
                    tracing::info!("ending the running games");
                    aborted = true;
                    Some(Input::Abort)
                }
                () = shutdown.finish.cancelled(), if !finishing => {
                    tracing::info!("no new games");
                    finishing = true;
                    Some(Input::Finish)
                }
                () = std::future::ready(()), if overdue => Some(Input::Tick),
                event = self.events.recv() => match event {
                    Some(event) => self.take(event).await,
                    None => break,
                },
                () = sleep_until(wake_at) => Some(Input::Tick),
            };
            match input {
                Some(Input::Tick) => self.tick().await,
                Some(input) => self.handle(input).await,
                None => {}
            }
        }
        // Without their outboxes the connections send what is left and close.
        self.connections.clear();
        self.events.close();
        self.recorder.finish().await;
    }

    /// Looks at the timers, those due by now, after the lines that have come by now: a line read
    /// in time may have waited while a record was written.
    async fn tick(&mut self) {
        let now = now();
        for _ in 0..self.events.len() {
            let Ok(event) = self.events.try_recv() else { break };
            if let Some(input) = self.take(event).await {
                self.handle(input).await;
            }
        }
        self.handle_at(now, Input::Tick).await;
    }

    /// What the lobby is told of an event.
    async fn take(&mut self, event: Event) -> Option<Input> {
        match event {
            Event::Connected(id, address, outbox) => {
                tracing::debug!(client = id.0, ?address, "connected");
                self.connections.insert(id, outbox);
                Some(Input::Connected(id, address))
            }
            Event::Line(id, line, arrived, permit) => {
                let input = match line {
                    Line::Text(text) => {
                        log_line(id, &text);
                        Input::Line(id, text, arrived)
                    }
                    Line::TooLong => Input::TooLong(id),
                };
                // Held until the line has been dealt with.
                self.handle(input).await;
                drop(permit);
                None
            }
            Event::Gone(id) => {
                self.connections.remove(&id)?;
                tracing::debug!(client = id.0, "connection closed");
                Some(Input::Gone(id))
            }
        }
    }

    async fn handle(&mut self, input: Input) {
        self.handle_at(now(), input).await;
    }

    async fn handle_at(&mut self, at: Now, input: Input) {
        let mut inputs = vec![(at, input)];
        while let Some((now, input)) = inputs.pop() {
            // What players get to see is on record by then.
            let (records, others): (Vec<Action>, Vec<Action>) = self
                .lobby
                .handle(now, input)
                .into_iter()
                .partition(|action| matches!(action, Action::Record(..)));
            let mut recorded = Vec::new();
            for action in records {
                if let Action::Record(table, event) = action {
                    self.recorder.record(table, event).await;
                    recorded.push(table);
                }
            }
            if !recorded.is_empty() {
                self.recorder.settle().await;
                let handed_over = now_instant();
                for table in recorded {
                    self.lobby.turn_begins(table, handed_over);
                }
            }
            for action in others {
                match action {
                    Action::Send(id, line) => {
                        tracing::debug!(client = id.0, "> {line}");
                        if let Some(outbox) = self.connections.get(&id)
                            && !outbox.send(line)
                        {
                            // It reads too slowly, or not at all.
                            tracing::warn!(client = id.0, "connection dropped: it does not read");
                            outbox.kill();
                            self.connections.remove(&id);
                            inputs.push((self::now(), Input::Gone(id)));
                        }
                    }
                    Action::Close(id) => {
                        if let Some(outbox) = self.connections.get(&id) {
                            outbox.close();
                        }
                    }
                    Action::Record(..) => {}
                }
            }
        }
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

fn now() -> Now {
    Now { instant: now_instant(), wall: Timestamp::now() }
}

fn now_instant() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// The line for the log, a login without its password.
fn log_line(id: ClientId, line: &str) {
    if tracing::enabled!(tracing::Level::DEBUG) {
        let shown = match ClientMessage::parse(line) {
            ClientMessage::Other(line) if line.starts_with("LOGIN") => "LOGIN ***".to_owned(),
            message => message.to_string(),
        };
        tracing::debug!(client = id.0, "< {}", printable(&shown));
    }
}
