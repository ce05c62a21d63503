//! The session with a server: a state machine without I/O. Lines and answers go in, actions come out.
//!
//! ```text
//!            Connected            LOGIN:x OK          BEGIN Game_Summary
//!  Offline ────────────▶ LoggingIn ─────────▶ Waiting ─────────────────▶ Agreeing
//!                            │                  ▲ ▲                          │ END Game_Summary
//!                   incorrect│     REJECT, bad  │ │ REJECT                   │ good offer: AGREE
//!                            │     offer        │ └─────────── Starting ◀────┘
//!                            ▼                  │                  │ START
//!        Close ◀───────── Closing ◀──────── Ending ◀──────────── Playing
//!               EOF, LOGOUT:completed,   result; games left   `%` word, `#` line
//!               time                     on this line: Waiting
//! ```
//!
//! - `Agreeing` reads an offer, `Starting` has agreed to one, `Ending` has seen the first line about the end and
//!   waits for the rest of them.
//! - What the server owes us is waited for until a time limit, except for an offer and for a move.
//! - A summary is read to its end in every state, so that its moves are never taken for moves of a game.
//! - A game whose connection is lost may be suspended, and go on in a new session: [`SuspendedGame`].
//! - Every pair of state and input is answered; one that makes no sense is a warning and changes nothing.
//! - The state changes first, then the actions are returned. Nothing is called from inside.

mod comment;
mod ending;
mod io;
mod lobby;
mod playing;
mod set_up;
mod settings;
mod silence;
mod state;
mod suspended;

use std::time::Instant;

use crate::clock::{Clocks, DelayEstimator};

use super::codec::{Line, clip, printable};
use super::event::{GameEvent, Warning};
use super::message::{ClientMessage, ServerMessage};
use super::profile::Behaviour;
use super::summary::{SummaryError, SummaryReader};

pub use io::{Action, Answer, Cause, Chosen, Farewell, GameSnapshot, Input, When};
pub use settings::{PonderMove, SessionSettings};
pub use suspended::SuspendedGame;

use silence::Silence;
use state::{Relayed, State};

/// The state machine; one for each connection.
#[derive(Debug)]
pub struct Session {
    settings: SessionSettings,
    behaviour: Behaviour,
    state: State,
    /// The offer that is being read, in whatever state, and since when.
    reader: Option<(SummaryReader, Instant)>,
    quit: Option<When>,
    /// A game that the user wants to leave is left by then at the latest.
    leave_by: Option<Instant>,
    games_ended: u32,
    next_request: u64,
    network: DelayEstimator,
    out: Outbox,
    silence: Silence,
    /// The last `WakeAt` that has not been answered by a tick.
    wake: Option<Instant>,
    /// The game of an earlier connection, or of this one once it is lost.
    suspended: Option<Box<SuspendedGame>>,
}

/// Actions of one call, in order, and when the last line among them went out.
#[derive(Debug, Default)]
struct Outbox {
    actions: Vec<Action>,
    last_sent: Option<Instant>,
}

impl Outbox {
    fn push(&mut self, action: Action) {
        self.actions.push(action);
    }

    fn send(&mut self, now: Instant, message: ClientMessage) {
        self.last_sent = Some(now);
        self.push(Action::Send(message));
    }

    fn save(&mut self, event: GameEvent) {
        self.push(Action::Save(event));
    }

    fn show(&mut self, event: GameEvent) {
        self.push(Action::Show(event));
    }

    fn warn(&mut self, warning: Warning) {
        self.show(GameEvent::Warning(warning));
    }
}

impl Session {
    /// A session that is not connected yet.
    pub fn new(settings: SessionSettings) -> Self {
        let behaviour = settings.profile.behaviour();
        Self {
            behaviour,
            state: State::Offline,
            reader: None,
            quit: None,
            leave_by: None,
            games_ended: 0,
            next_request: settings.first_request,
            network: settings.network,
            out: Outbox::default(),
            silence: Silence::default(),
            wake: None,
            suspended: None,
            settings,
        }
    }

    /// Takes one input at the time `now` and says what to do. `now` never goes back.
    pub fn handle(&mut self, now: Instant, input: Input<'_>) -> Vec<Action> {
        match input {
            Input::Connected => self.connected(now),
            Input::Line(line) => self.line(now, line),
            Input::Chosen(chosen) => self.chosen(now, &chosen),
            Input::Tick => self.tick(now),
            Input::Lost(cause) => self.lost(cause),
            Input::Quit(when) => self.quit(now, when),
        }
        self.schedule();
        std::mem::take(&mut self.out.actions)
    }

    /// Whether a game is running or its result still to come.
    pub fn in_game(&self) -> bool {
        matches!(self.state, State::Playing(_) | State::Ending(_))
    }

    /// Both clocks of the running game as of the last move.
    pub fn clocks(&self) -> Option<&Clocks> {
        match &self.state {
            State::Playing(play) => Some(play.ledger.clocks()),
            _ => None,
        }
    }

    /// Whether the session is over: [`Action::Close`] has been returned.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// How many games have ended on this connection.
    pub fn games_ended(&self) -> u32 {
        self.games_ended
    }

    /// The id that the next request will have; where a following session should begin.
    pub fn next_request(&self) -> u64 {
        self.next_request
    }

    /// What has been learnt about the network, for the next session.
    pub fn network(&self) -> &DelayEstimator {
        &self.network
    }

    fn line(&mut self, now: Instant, line: &Line) {
        if self.is_over() {
            return;
        }
        self.silence.heard(matches!(line, Line::Text(text) if text.is_empty()));
        let text = match line {
            Line::Text(text) => text.as_str(),
            Line::TooLong => {
                self.out.warn(Warning::LineTooLong);
                if self.reader.is_some() {
                    self.offer_read(now, Err(SummaryError::TooLong));
                }
                return;
            }
        };
        let message = ServerMessage::parse(text);
        if message == ServerMessage::BeginSummary {
            return self.begin_summary(now);
        }
        // The answer to something else may come in the middle of an offer.
        let in_offer = !matches!(message, ServerMessage::Notice { .. });
        if let Some((reader, _)) = self.reader.as_mut().filter(|_| in_offer) {
            if let Some(result) = reader.push(text) {
                self.offer_read(now, result);
            }
            return;
        }
        match message {
            ServerMessage::KeepAlive => {}
            ServerMessage::Notice { topic, text } => self.notice(now, &topic, &text),
            ServerMessage::LoginOk { .. }
            | ServerMessage::LoginIncorrect { .. }
            | ServerMessage::LogoutCompleted
            | ServerMessage::Start { .. }
            | ServerMessage::Reject { .. } => self.lobby_line(now, message),
            ServerMessage::Move { word, spent, comment } => {
                let comment = comment.as_deref();
                self.move_line(now, text, Relayed { word, spent, comment });
            }
            ServerMessage::Special { word, spent } => self.special_line(now, text, &word, spent),
            ServerMessage::Reason(word) => self.reason_line(now, text, word),
            ServerMessage::Result(word) => self.result_line(now, text, word),
            ServerMessage::BeginSummary | ServerMessage::Unknown(_) => {
                self.out.show(GameEvent::Notice(printable(text).into_owned()));
            }
        }
    }

    /// A line that makes no sense in this state: harmless.
    fn unexpected(&mut self, line: &str) {
        let line = clip(line);
        self.out.warn(Warning::Unexpected { line, state: self.state.describe() });
    }

    fn close(&mut self, farewell: Farewell) {
        self.state = State::Closed;
        self.reader = None;
        self.out.push(Action::Close(farewell));
    }
}

#[cfg(test)]
mod tests;
