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
//! - A summary is read to its end in every state, so that its moves are never taken for moves of a game.
//! - Every pair of state and input is answered; one that makes no sense is a warning and changes nothing.
//! - The state changes first, then the actions are returned. Nothing is called from inside.

mod io;
mod settings;

use std::time::Instant;

pub use io::{Action, Answer, Cause, Chosen, Farewell, GameSnapshot, Input, When};
pub use settings::SessionSettings;

/// The state machine; one for each connection.
#[derive(Debug)]
pub struct Session {
    settings: SessionSettings,
}

impl Session {
    /// A session that is not connected yet.
    pub fn new(settings: SessionSettings) -> Self {
        Self { settings }
    }

    /// Takes one input at the time `now` and says what to do. `now` never goes back.
    pub fn handle(&mut self, now: Instant, input: Input<'_>) -> Vec<Action> {
        let _ = (now, input);
        Vec::new()
    }

    /// Whether a game is running or its result still to come.
    pub fn in_game(&self) -> bool {
        false
    }

    /// Whether the session is over: [`Action::Close`] has been returned.
    pub fn is_over(&self) -> bool {
        false
    }

    /// How many games have ended on this connection.
    pub fn games_ended(&self) -> u32 {
        0
    }

    /// The id that the next request will have; where a following session should begin.
    pub fn next_request(&self) -> u64 {
        self.settings.first_request
    }

    /// What has been learnt about the network, for the next session.
    pub fn network(&self) -> &crate::clock::DelayEstimator {
        &self.settings.network
    }
}
