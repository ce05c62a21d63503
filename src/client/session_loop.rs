//! One session with a server, from login to its end: the I/O around [`Session`].
//!
//! A `select!` waits for events (a line, the player's answer, a timer, the user's request to end), passes them
//! to the session and carries out its actions in order. The session decides what to do; the player finds the
//! moves.

use crate::watch::Report;
use std::{sync::Arc, time::Duration};

use futures_util::future::OptionFuture;
use kyomi_csa::{
    self, Action, Cause, Chosen, GameEvent, GameStart, Input, Line, MoveEvent, Session, SessionEnd,
    SessionSettings, When, without_token,
};
use kyomi_shogi::clock::Clocks;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, sleep_until, timeout},
};

use super::{
    client_state::ClientState, connection::Connection, recorder::game_of, shutdown::Shutdown,
};

/// A session that is over.
#[derive(Debug)]
pub(super) struct SessionOutcome {
    pub(super) end: SessionEnd,
    /// For the settings of the next session.
    pub(super) session: Session,
}

/// Plays over one connection until the session closes it. A disconnected game is resumed if the server offers it; a
/// game that is running when the connection is lost becomes the disconnected one.
pub(super) async fn run_session<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    settings: SessionSettings,
    client: &mut ClientState,
    shutdown: &Shutdown,
) -> SessionOutcome {
    let session = match client.disconnected.take() {
        Some(game) => Session::resuming(settings, game),
        None => match client.agreed.take() {
            Some(agreed) => Session::after_agreement(settings, agreed),
            None => Session::new(settings),
        },
    };
    let mut running = RunningSession {
        connection: Connection::new(stream),
        session,
        client,
        wake: None,
        clocks: None,
        alarm: None,
        finishing: false,
        leaving: false,
        leave_deadline: None,
        held_back: None,
        lines_first: MOST_LINES_FIRST,
        slept_since: None,
        awake_at: Instant::now(),
    };
    let mut event = Input::Connected;
    loop {
        if let Some(end) = running.handle(event).await {
            return running.close(end).await;
        }
        event = running.next_event(shutdown).await;
    }
}

/// The result of carrying out the actions of one input.
enum Progress {
    Waiting,
    Answered(Chosen),
    Closed(SessionEnd),
}

struct RunningSession<'a, S> {
    connection: Connection<S>,
    session: Session,
    client: &'a mut ClientState,
    wake: Option<Instant>,
    /// The clocks last reported to the watchers.
    clocks: Option<Clocks>,
    /// When to report that no game has come for another hour.
    alarm: Option<Instant>,
    /// Whether the session was told that no further game may begin.
    finishing: bool,
    /// Whether the session was told to leave now.
    leaving: bool,
    /// When a session that was told to leave is ended without the server.
    leave_deadline: Option<Instant>,
    /// An event that waits until the lines that have arrived are read.
    held_back: Option<Input>,
    /// The number of lines that may still be read before it.
    lines_first: u32,
    /// When this task last ran before a sleep, until the lines that arrived in the sleep are read.
    slept_since: Option<Instant>,
    /// When this task last ran: at an event, or in a game at a heartbeat.
    awake_at: Instant,
}

impl<S: AsyncRead + AsyncWrite + Unpin> RunningSession<'_, S> {
    /// Passes an event to the session, and carries out its actions. Returns the end of the session if this was its last
    /// event.
    async fn handle(&mut self, event: Input) -> Option<SessionEnd> {
        let mut input = Some(event);
        // A failed player answers immediately.
        while let Some(next) = input.take() {
            let actions = self.session.handle(self.time_of(&next), next);
            match self.carry_out(actions).await {
                Progress::Closed(end) => return Some(end),
                Progress::Answered(chosen) => input = Some(Input::Chosen(chosen)),
                Progress::Waiting => {}
            }
        }
        None
    }

    /// Closes the connection, and keeps the game for the next session if it is disconnected or agreed.
    async fn close(mut self, end: SessionEnd) -> SessionOutcome {
        if let SessionEnd::Disconnected { cause, .. } = &end {
            let number = u64::from(self.client.begun);
            let reason = cause.text();
            self.client.watchers.report(Report::Disconnected { number, reason });
        }
        self.client.disconnected = self.session.take_unfinished();
        self.client.agreed = self.session.take_agreed();
        self.connection.close().await;
        SessionOutcome { end, session: self.session }
    }

    /// When an event happened. A line that arrived in a sleep counts from the beginning of the sleep: the turn that it
    /// begins may be running since then.
    fn time_of(&self, event: &Input) -> std::time::Instant {
        match self.slept_since {
            Some(since) if matches!(event, Input::Line(_)) => since.into_std(),
            _ => now(),
        }
    }

    /// Waits for the next event. Lines that have arrived come before
    /// - a time that is due: they may be the answer whose absence that time would mean;
    /// - the player's preparation: what the server said before our `AGREE` does not answer it;
    /// - everything else, if this task was kept from running in a game, because the process was stopped.
    async fn next_event(&mut self, shutdown: &Shutdown) -> Input {
        loop {
            if self.held_back.is_some() || self.slept_since.is_some() {
                if let Some(line) = self.line_that_has_arrived().await {
                    return line;
                }
                self.slept_since = None;
                if let Some(event) = self.held_back.take() {
                    return event;
                }
            }
            let event = self.any_event(shutdown).await;
            let last = std::mem::replace(&mut self.awake_at, Instant::now());
            if self.session.in_game() && last.elapsed() > HEARTBEAT + LATE {
                self.slept_since = Some(last);
            }
            self.lines_first = MOST_LINES_FIRST;
            match event {
                Input::Line(_) | Input::Lost(_) => return event,
                Input::Tick | Input::Prepared => {}
                _ if self.slept_since.is_some() => {}
                _ => return event,
            }
            self.held_back = Some(event);
        }
    }

    /// A line that need not be waited for. After a sleep the runtime may not know of it yet.
    async fn line_that_has_arrived(&mut self) -> Option<Input> {
        let patience = self.slept_since.map_or(Duration::ZERO, |_| AFTER_SLEEP);
        self.lines_first = self.lines_first.checked_sub(1)?;
        self.awake_at = Instant::now();
        timeout(patience, self.connection.line()).await.ok().map(line_event)
    }

    /// Waits for any event.
    async fn any_event(&mut self, shutdown: &Shutdown) -> Input {
        let heartbeat = self.session.in_game().then(|| self.awake_at + HEARTBEAT);
        tokio::select! {
            line = self.connection.line() => line_event(line),
            chosen = self.client.player.next_answer() => self.player_event(chosen),
            Some(()) = OptionFuture::from(self.wake.map(sleep_until)) => {
                self.wake = None;
                Input::Tick
            }
            // A tick is harmless at any time.
            Some(()) = OptionFuture::from(heartbeat.map(sleep_until)) => Input::Tick,
            Some(()) = OptionFuture::from(self.alarm.map(sleep_until)) => {
                if let Some(since) = self.client.waiting_since {
                    self.client.no_pairing(since);
                }
                self.alarm = self.alarm.map(|at| at + LONG_WAIT);
                Input::Tick
            }
            () = shutdown.leave.cancelled(), if !self.leaving => {
                (self.finishing, self.leaving) = (true, true);
                self.leave_deadline = Some(Instant::now() + LEAVE_LIMIT);
                Input::Quit(When::Now)
            }
            () = shutdown.finish.cancelled(), if !self.finishing => self.finish_after_game(),
            () = self.client.control.suspension_wanted() => Input::Suspend,
            () = self.client.control.no_further_game(), if !self.finishing => {
                self.finish_after_game()
            }
            Some(()) = OptionFuture::from(self.leave_deadline.map(sleep_until)) => {
                self.leave_deadline = None;
                Input::Lost(Cause::Left)
            }
        }
    }

    /// The event for what the player has reported: a move, or `None` for anything else.
    fn player_event(&mut self, chosen: Option<Chosen>) -> Input {
        if let Some(chosen) = chosen {
            return Input::Chosen(chosen);
        }
        // Without an engine no further game may begin.
        if !self.finishing && self.client.player.failure().is_some() {
            return self.finish_after_game();
        }
        if self.client.player.take_prepared() {
            return Input::Prepared;
        }
        // A tick is harmless at any time.
        Input::Tick
    }

    fn finish_after_game(&mut self) -> Input {
        self.finishing = true;
        Input::Quit(When::AfterGame)
    }

    /// Carries out the actions of one input.
    ///
    /// The record, the server and the player come first. The reports follow after the player has its request, because
    /// each report wakes other threads, which would compete with the player for a core.
    async fn carry_out(&mut self, actions: Vec<Action>) -> Progress {
        let (mut progress, mut player_is_asked) = (Progress::Waiting, false);
        let mut reports = Vec::new();
        for action in actions {
            match action {
                Action::Send(message) => {
                    tracing::debug!(line = %message, "to the server");
                    self.connection.send(&message).await;
                }
                Action::Think(snapshot) => {
                    player_is_asked = true;
                    if let Some(chosen) = self.client.player.think(*snapshot) {
                        progress = Progress::Answered(chosen);
                    }
                }
                Action::Ponder(snapshot) => self.client.player.ponder(*snapshot),
                Action::StopThinking => self.client.player.stop(),
                Action::Save(mut event) => {
                    // The notes of the record come from the reports, so reports of earlier events must be sent first.
                    if reports.iter().any(is_noted) {
                        self.report_all(&mut reports).await;
                    }
                    self.record(&mut event).await;
                    let is_end = matches!(event, GameEvent::Ended(_));
                    reports.push(event);
                    // The game is over before the next one begins, also for the player.
                    if is_end {
                        self.report_all(&mut reports).await;
                    }
                }
                Action::Show(event) => reports.push(event),
                Action::WakeAt(at) => self.wake = Some(Instant::from_std(at)),
                Action::Close(end) => {
                    progress = Progress::Closed(end);
                    break;
                }
            }
        }
        if player_is_asked {
            // The tasks of the player pass the request on.
            tokio::task::yield_now().await;
        }
        self.report_all(&mut reports).await;
        progress
    }

    async fn report_all(&mut self, events: &mut Vec<GameEvent>) {
        for event in events.drain(..) {
            self.report(event).await;
        }
    }

    /// Writes an event to the record of the game, if it belongs there. The end is written by [`Self::report`].
    async fn record(&mut self, event: &mut GameEvent) {
        match event {
            GameEvent::Started(start) => {
                self.client.begun = self.client.begun.saturating_add(1);
                self.client.recorder.start(self.client.begun, start).await;
            }
            GameEvent::Move(event) => {
                if event.analysis.is_none() {
                    event.analysis =
                        self.client.shared_analysis.get(event.color, event.ply, event.mv);
                }
                self.client.recorder.push(event).await;
            }
            _ => {}
        }
    }

    async fn report(&mut self, event: GameEvent) {
        let watchers = &self.client.watchers;
        match event {
            GameEvent::LoggedIn { name } => {
                tracing::info!(name, "logged in");
                let pairing = self.client.pairing;
                watchers.report(Report::Waiting { name, pairing });
                self.await_game();
            }
            GameEvent::Offered(summary) => {
                tracing::info!(game_id = summary.game_id, "a game is offered");
                watchers.agreed(Some(&summary.game_id));
                self.client.player.new_game(&summary);
            }
            GameEvent::RejectedByUs { game_id, reason } => {
                let which = game_id.map_or_else(String::new, |id| format!(" {id}"));
                watchers.warn(format!("turned down the game{which}: {reason}"));
            }
            GameEvent::RejectedByServer { game_id, by } => {
                watchers.agreed(None);
                watchers.warn(format!("the game {game_id} was rejected by {by}"));
            }
            GameEvent::Warning(warning) => watchers.warn(warning.to_string()),
            GameEvent::Notice(text) => {
                tracing::info!(text, "the server says");
                // Lines of a game do not begin with a topic and are only logged.
                if text.starts_with('[') {
                    watchers.report(Report::ServerSaid(text));
                }
            }
            // Reported by the end of the session.
            GameEvent::LoginRefused { .. } => {}
            GameEvent::Suspended => {
                tracing::info!("the game is suspended");
                self.client.control.game_is_suspended();
                watchers.report(Report::Suspended { number: u64::from(self.client.begun) });
                self.await_game();
            }
            GameEvent::Resumed { clocks } => {
                let clocks = *clocks;
                (self.alarm, self.client.waiting_since) = (None, None);
                self.client.control.game_goes_on();
                self.clocks = Some(clocks);
                let number = u64::from(self.client.begun);
                watchers.report(Report::Resumed { number, clocks });
            }
            GameEvent::Started(start) => self.started(&start),
            GameEvent::Move(event) => self.moved(event),
            GameEvent::Ended(end) => {
                self.client.game_ended(&end).await;
                // The server may offer the next game over this connection.
                self.await_game();
            }
        }
    }

    /// Sets the alarm for the end of the hour, counted from the end of the last game.
    fn await_game(&mut self) {
        let since = *self.client.waiting_since.get_or_insert_with(Instant::now);
        let hours = since.elapsed().as_secs() / LONG_WAIT.as_secs() + 1;
        self.alarm = Some(since + LONG_WAIT * u32::try_from(hours).unwrap_or(u32::MAX));
    }

    fn started(&mut self, start: &Arc<GameStart>) {
        (self.alarm, self.client.waiting_since) = (None, None);
        let summary = &start.summary;
        self.client.control.game_begins();
        let [black, white] = &summary.names;
        tracing::info!(id = summary.game_id, black, white, own = ?start.color, "game begins");
        let game = game_of(summary);
        let Some(clocks) = self.session.clocks().copied() else { return };
        self.clocks = Some(clocks);
        self.client.watchers.report(Report::GameStarted {
            number: u64::from(self.client.begun),
            game_id: summary.game_id.clone(),
            names: summary.names.clone(),
            own: Some(start.color),
            game: Arc::new(game),
            move_times: start.move_times.clone(),
            clocks,
            continued: false,
        });
    }

    fn moved(&mut self, event: MoveEvent) {
        tracing::info!(
            ply = event.ply,
            mv = event.word,
            spent_ms = event.spent.as_millis() as u64,
            measured_ms = event.measured.as_millis() as u64,
            left_ms = event.remaining.map(|left| left.as_millis() as u64),
            score = event
                .analysis
                .as_ref()
                .and_then(|analysis| analysis.score)
                .map(kyomi_csa::comment_score),
            "move"
        );
        // If the game ends with this move, the session no longer has clocks.
        if let Some(clocks) = self.session.clocks().copied().or_else(|| {
            let mut clocks = self.clocks?;
            clocks.of_mut(event.color).remaining = event.remaining.unwrap_or_default();
            clocks.turn = !event.color;
            Some(clocks)
        }) {
            self.clocks = Some(clocks);
            self.client.watchers.report(Report::Moved {
                number: u64::from(self.client.begun),
                event: Box::new(event),
                clocks,
            });
        }
    }
}

/// The event for what the connection has delivered.
fn line_event(line: Result<Line, Cause>) -> Input {
    match &line {
        Ok(Line::Text(text)) => tracing::debug!(line = ?without_token(text), "from the server"),
        Ok(Line::TooLong) => tracing::debug!("a line of the server is too long"),
        Err(_) => {}
    }
    line.map_or_else(Input::Lost, Input::Line)
}

/// Whether this event becomes a note in the record.
const fn is_noted(event: &GameEvent) -> bool {
    matches!(event, GameEvent::Warning(_) | GameEvent::Suspended | GameEvent::Resumed { .. })
}

/// The current time of the runtime, which tests can pause.
fn now() -> std::time::Instant {
    Instant::now().into_std()
}

/// In a game this task runs at least so often, so that it knows when it could not.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// A task that runs so late was kept from running.
const LATE: Duration = Duration::from_secs(1);

/// After a sleep the runtime may learn of what is due before it learns of a line that has arrived.
const AFTER_SLEEP: Duration = Duration::from_millis(20);

/// A server that never stops sending does not keep the session from its own events.
const MOST_LINES_FIRST: u32 = 100;

/// The time without a game after which this is reported.
const LONG_WAIT: Duration = Duration::from_secs(3600);

/// After this time the connection is closed even if the server has not ended the game.
const LEAVE_LIMIT: Duration = Duration::from_secs(15);

#[cfg(test)]
mod tests;
