//! The session with a server: a state machine without I/O. It takes lines and answers, and returns actions.
//!
//! ```text
//!  lobby
//!            Connected            LOGIN:x OK          BEGIN Game_Summary
//!  Offline ────────────▶ LoggingIn ─────────▶ Waiting ─────────────────▶ Agreeing ◀───────────────┐
//!                            │                  ▲ ▲                          │ END Game_Summary    │
//!                            │     REJECT, bad  │ │ REJECT                   │ good offer: AGREE   │
//!                            │     offer        │ └─────────── Starting ◀────┘                     │
//!  ── ── ── ── ── ── ── ── ──│── ── ── ── ── ── │ ── ── ── ── ── │ START ── ── ── ── ── ── ── ── ─│─
//!  game                      │                  │                ▼            #CHUDAN             │
//!                            │                  │    Ending ◀─ Playing ───────────────▶ Suspended ┘
//!                            │ incorrect        │      │ `%` word, `#` line                BEGIN Game_Summary
//!                            │                  └──────┤ result; games left
//!  ── ── ── ── ── ── ── ── ──│── ── ── ── ── ── ── ── ─│─ ── ── ── ── ── ── ── ── ── ── ── ── ── ── ──
//!  closing                   ▼                         ▼
//!                          Closed ◀─────────────── LoggingOut
//!                                EOF, LOGOUT:completed, time
//! ```
//!
//! - `Agreeing` reads an offer, `Starting` has agreed to one, `Ending` has received the first line about the end and
//!   waits for the remaining ones.
//! - `Suspended` keeps position and clocks until the game is offered again. It ends as adjourned when another game is
//!   offered or the session ends.
//! - `AGREE` may wait until the player is prepared: [`SessionSettings::agree_when_prepared`].
//! - Waiting for the server has a time limit in every state, except when waiting for an offer or a move.
//! - A summary is read to its end in every state, so that its moves are never taken for moves of a game.
//! - A game whose connection is lost may be kept and resumed in a new session: [`UnfinishedGame`]. After a login
//!   with a reconnect token the offer is not agreed to: the state `Resuming` waits for the server's state of the game.
//! - Every input is handled in every state; one that is not valid there causes a warning and changes nothing.
//! - The state changes first, then the actions are returned. There are no callbacks.

mod comment;
mod ending;
mod io;
mod leaving;
mod lobby;
mod offers;
mod playing;
mod resuming;
mod running;
mod set_up;
mod settings;
mod silence;
mod state;
mod suspending;
mod ticks;
mod unfinished;

use std::sync::Arc;
use std::time::Instant;

use kyomi_shogi::clock::{Clocks, DelayEstimator};

use super::codec::clip;
use super::event::{GameEvent, Warning};
use super::message::{ClientMessage, ServerMessage};
use super::profile::Behaviour;
use super::reconnect::ReconnectStateReader;
use super::summary::{GameSummary, SummaryError, SummaryReader};
use crate::text::Line;

pub use io::{Action, Answer, Cause, Chosen, GameSnapshot, Input, SessionEnd, When};
pub use settings::{PonderMove, PonderStart, RequestCommand, SessionSettings};
pub use unfinished::UnfinishedGame;

use running::ServerMove;
use silence::Silence;
use state::{Closing, GamePhase, Lobby, State};

/// The state machine; one for each connection.
#[derive(Debug)]
pub struct Session {
    settings: SessionSettings,
    behaviour: Behaviour,
    state: State,
    /// The offer that is being read, and since when. Possible in every state.
    reader: Option<(SummaryReader, Instant)>,
    quit: Option<When>,
    /// When to leave at the latest, if the user asked to stop.
    leave_by: Option<Instant>,
    games_ended: u32,
    next_request: u64,
    network: DelayEstimator,
    out: Outbox,
    silence: Silence,
    /// The last `WakeAt` that no tick has reached yet.
    wake: Option<Instant>,
    /// The last game was a draw that the server lets the players repeat: until when its offer is awaited.
    rematch_until: Option<Instant>,
    /// The game of an earlier connection, or of this one once it is lost; or the suspended game while an offer is read
    /// and answered.
    unfinished: Option<Box<UnfinishedGame>>,
    /// The offer that we agreed to over an earlier connection, which was lost before `START`. Its game may run.
    agreed: Option<Arc<GameSummary>>,
    /// The id of the game that the login asked to continue: its offer needs no agreement.
    reconnecting: Option<String>,
    /// The state of a resumed game that is being read.
    state_reader: Option<ReconnectStateReader>,
}

/// The actions of one call, in order, and when a line was last sent.
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
            state: State::Lobby(Lobby::Offline),
            reader: None,
            quit: None,
            leave_by: None,
            games_ended: 0,
            next_request: settings.first_request,
            network: settings.network,
            out: Outbox::default(),
            silence: Silence::default(),
            wake: None,
            rematch_until: None,
            unfinished: None,
            agreed: None,
            reconnecting: None,
            state_reader: None,
            settings,
        }
    }

    /// Handles one input at the time `now` and returns what to do. `now` must not decrease.
    pub fn handle(&mut self, now: Instant, input: Input) -> Vec<Action> {
        match input {
            Input::Connected => self.connected(now),
            Input::Line(line) => self.line(now, &line),
            Input::Chosen(chosen) => self.chosen(now, &chosen),
            Input::Prepared => self.agree(now),
            Input::Tick => self.tick(now),
            Input::Lost(cause) => self.lost(now, cause),
            Input::Suspend => self.propose_to_suspend(now),
            Input::Quit(when) => self.quit(now, when),
        }
        self.schedule();
        std::mem::take(&mut self.out.actions)
    }

    /// Whether a game is running, or its result is still missing.
    pub fn in_game(&self) -> bool {
        matches!(self.state, State::Game(GamePhase::Playing(_) | GamePhase::Ending(_)))
    }

    /// Both clocks of the running game as of the last move.
    pub fn clocks(&self) -> Option<&Clocks> {
        self.state.playing().map(|running| running.game_clocks.clocks())
    }

    /// Whether the session is over: [`Action::Close`] has been returned.
    pub fn is_over(&self) -> bool {
        matches!(self.state, State::Closing(Closing::Closed))
    }

    /// The number of games that have ended on this connection.
    pub fn games_ended(&self) -> u32 {
        self.games_ended
    }

    /// The id of the next request, with which a following session should begin.
    pub fn next_request(&self) -> u64 {
        self.next_request
    }

    /// The network delays measured, for the next session.
    pub fn network(&self) -> &DelayEstimator {
        &self.network
    }

    fn line(&mut self, now: Instant, line: &Line) {
        if self.is_over() {
            return;
        }
        self.silence.line_received(matches!(line, Line::Text(text) if text.is_empty()));
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
        // A notice may arrive in the middle of an offer.
        let in_offer = !matches!(message, ServerMessage::Notice { .. });
        if let Some((reader, _)) = self.reader.as_mut().filter(|_| in_offer) {
            if let Some(result) = reader.push(text) {
                self.offer_read(now, result);
            }
            return;
        }
        if let Some(reader) = self.state_reader.as_mut().filter(|_| in_offer) {
            if let Some(state) = reader.push(text) {
                self.state_reader = None;
                self.resume_running(now, &state);
            }
            return;
        }
        self.resume_before(now, &message);
        match message {
            ServerMessage::KeepAlive => {}
            ServerMessage::Notice { topic, text } => self.notice(now, &topic, &text),
            ServerMessage::BeginReconnectState => self.begin_reconnect_state(text),
            ServerMessage::LoginOk { .. }
            | ServerMessage::LoginIncorrect { .. }
            | ServerMessage::LogoutCompleted
            | ServerMessage::Start { .. }
            | ServerMessage::Reject { .. } => self.lobby_line(now, message),
            ServerMessage::Move { word, spent, comment } => {
                let comment = comment.as_deref();
                self.move_line(now, text, ServerMove { word, spent, comment });
            }
            ServerMessage::Special { word, spent } => self.special_line(now, text, &word, spent),
            ServerMessage::Reason(word) => self.reason_line(now, text, word),
            ServerMessage::Result(word) => self.result_line(now, text, word),
            ServerMessage::BeginSummary | ServerMessage::Unknown(_) => {
                self.out.show(GameEvent::Notice(clip(text)));
            }
        }
    }

    /// Warns of a line that is not valid in the current state.
    fn unexpected(&mut self, line: &str) {
        let line = clip(line);
        self.out.warn(Warning::Unexpected { line, state: self.state.describe() });
    }

    fn close(&mut self, end: SessionEnd) {
        // A suspended game does not outlive its session.
        self.adjourn();
        self.state = State::Closing(Closing::Closed);
        self.reader = None;
        self.out.push(Action::Close(end));
    }
}

#[cfg(test)]
mod tests;
