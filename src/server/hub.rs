//! The task that owns the lobby: receives the events of all connections and sends lines.
//!
//! Events arrive through one bounded channel and are handled one by one; nothing here waits for a peer. Lines
//! are handled before timers, so that a line read in time is handled before its sender's flag falls. The time
//! for writing a record is charged to no player: a turn begins when the line that starts it is passed to the
//! writers.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use futures_util::future::OptionFuture;
use tokio::{sync::mpsc, time::sleep_until};

use kyomi_csa::league::{Arbiter, EventState};
use kyomi_csa::server::{Action, ClientId, Input, Lobby, Now};
use kyomi_csa::text::printable;
use kyomi_csa::{ClientMessage, Line, without_token};

use crate::watch::WallClock;

use super::connection::{Event, Outbox};
use super::recorder::Recorder;
use super::saved_game::HeldGame;
use super::shutdown::Shutdown;

/// The hub and its channels.
pub(super) struct Hub {
    lobby: Lobby,
    events: mpsc::Receiver<Event>,
    connections: HashMap<ClientId, Outbox>,
    recorder: Recorder,
    /// The time of day of game ids and records.
    clock: WallClock,
    /// The channel for the states of the event that the server runs.
    event_changes: Option<std::sync::mpsc::Sender<EventState>>,
}

/// Maximum number of events that wait for the hub; connections wait when the queue is full.
pub(super) const EVENT_QUEUE: usize = 4096;

/// Timers that are later than this are handled before lines.
const MAX_TIMER_DELAY: Duration = Duration::from_millis(100);

impl Hub {
    /// A hub with nobody connected.
    pub(super) fn new(lobby: Lobby, events: mpsc::Receiver<Event>, recorder: Recorder) -> Self {
        let clock = WallClock::default();
        let connections = HashMap::new();
        Self { lobby, events, connections, recorder, clock, event_changes: None }
    }

    /// Runs an event, and passes its state on whenever it changes.
    pub(super) fn run_event(
        &mut self,
        arbiter: Arbiter,
        changes: std::sync::mpsc::Sender<EventState>,
    ) {
        self.lobby.set_event(arbiter);
        self.event_changes = Some(changes);
    }

    /// For a test: the time of day is that of this clock.
    #[cfg(test)]
    pub(super) fn simulate(&mut self, clock: WallClock) {
        self.clock = clock;
    }

    /// Restores the games of a killed server. Returns those that cannot be continued here.
    pub(super) async fn restore(&mut self, held: Vec<HeldGame>) -> Vec<HeldGame> {
        let mut refused = Vec::new();
        for game in held {
            match self.lobby.restore(self.now(), &game.stored) {
                Some(number) => self.recorder.restore(number, game).await,
                None => refused.push(game),
            }
        }
        refused
    }

    /// Runs until the server is asked to end and the last game is over and recorded.
    pub(super) async fn run(mut self, shutdown: Shutdown) {
        // An event may begin, or be over already, before a client connects.
        self.tick().await;
        let mut finishing = false;
        let mut aborted = false;
        while !self.lobby.is_done() {
            let wake_at = self.lobby.wake_at();
            let overdue = wake_at.is_some_and(|at| now_instant() > at + MAX_TIMER_DELAY);
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
                    Some(event) => self.connection_event(event).await,
                    None => break,
                },
                Some(()) = OptionFuture::from(wake_at.map(|at| sleep_until(at.into()))) => Some(Input::Tick),
            };
            match input {
                Some(Input::Tick) => self.tick().await,
                Some(input) => self.handle(input).await,
                None => {}
            }
        }
        // Dropping the outboxes makes the connections send their remaining lines and close.
        self.connections.clear();
        self.events.close();
        self.recorder.finish(&shutdown.abort).await;
    }

    /// Handles the timers that are due now, after all lines that have arrived by now: a line read in time may have
    /// waited while a record was written.
    async fn tick(&mut self) {
        let now = self.now();
        for _ in 0..self.events.len() {
            let Ok(event) = self.events.try_recv() else { break };
            if let Some(input) = self.connection_event(event).await {
                self.handle(input).await;
            }
        }
        self.handle_at(now, Input::Tick).await;
    }

    /// Handles an event of a connection. Returns the input for the lobby, if it is still to be handled.
    async fn connection_event(&mut self, event: Event) -> Option<Input> {
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
                // The permit is held until the line has been handled.
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
        self.handle_at(self.now(), input).await;
    }

    /// Queues lines for a client. A client that does not read what was queued before is dropped; the input that says so
    /// is returned.
    fn send(&mut self, id: ClientId, lines: &[String]) -> Option<(Now, Input)> {
        let outbox = self.connections.get(&id)?;
        if outbox.send(lines) {
            return None;
        }
        tracing::warn!(client = id.0, "connection dropped: it does not read");
        outbox.kill();
        self.connections.remove(&id);
        Some((self.now(), Input::Gone(id)))
    }

    fn now(&self) -> Now {
        Now { instant: now_instant(), wall: self.clock.now() }
    }

    async fn handle_at(&mut self, at: Now, input: Input) {
        let mut inputs = vec![(at, input)];
        while let Some((now, input)) = inputs.pop() {
            // Moves are recorded before the players receive them.
            let (records, others): (Vec<Action>, Vec<Action>) = self
                .lobby
                .handle(now, input)
                .into_iter()
                .partition(|action| matches!(action, Action::Record(..)));
            let mut recorded = Vec::new();
            for action in records {
                if let Action::Record(game, event) = action {
                    self.recorder.record(game, event).await;
                    recorded.push(game);
                }
            }
            if !recorded.is_empty() {
                self.recorder.wait_until_written().await;
                let passed_on = now_instant();
                for game in recorded {
                    self.lobby.turn_begins(game, passed_on);
                }
            }
            for action in others {
                match action {
                    Action::Send(id, line) => {
                        tracing::debug!(client = id.0, "> {}", without_token(&line));
                        inputs.extend(self.send(id, &[line]));
                    }
                    Action::SendLines(id, lines) => {
                        tracing::debug!(client = id.0, lines = lines.len(), "> several lines");
                        inputs.extend(self.send(id, &lines));
                    }
                    Action::Close(id) => {
                        if let Some(outbox) = self.connections.get(&id) {
                            outbox.close();
                        }
                    }
                    Action::EventChanged(state) => {
                        if let Some(changes) = &self.event_changes
                            && changes.send(*state).is_err()
                        {
                            tracing::error!("the thread that stores the event is gone");
                        }
                    }
                    Action::Record(..) => {}
                }
            }
        }
    }
}

fn now_instant() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Logs a line, a login without its password.
fn log_line(id: ClientId, line: &str) {
    if tracing::enabled!(tracing::Level::DEBUG) {
        let shown = match ClientMessage::parse(line) {
            ClientMessage::Other(line) if is_login(&line) => "LOGIN ***".to_owned(),
            message => message.to_string(),
        };
        tracing::debug!(client = id.0, "< {}", printable(&shown));
    }
}

/// Whether a line that is not a command was meant as a login.
fn is_login(line: &str) -> bool {
    line.to_ascii_uppercase().contains("LOGIN")
}
