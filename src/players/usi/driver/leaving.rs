//! The end of the engine: `quit`, preceded by `gameover` for a game whose search has not ended yet.

use std::time::Instant;

use super::{Driver, Output, State};

impl Driver {
    /// Handles the owner's `Quit`. If the engine has not yet answered `stop` and a `gameover` is pending, waits for its
    /// `bestmove` first, up to a time limit.
    pub(super) fn quit(&mut self, now: Instant) {
        match self.state {
            State::Stopping { since, .. } if self.game_over.is_some() => {
                self.state = State::Leaving { since };
            }
            State::Off => self.finish(),
            State::Thinking(_) | State::Pondering(_) => {
                self.cancel_requests(now);
                self.send("quit");
                self.finish();
            }
            State::Leaving { .. } | State::Finished => {}
            State::Booting { .. }
            | State::Readying { .. }
            | State::Idle
            | State::AnsweredEarly(..)
            | State::Stopping { .. } => {
                self.send("quit");
                self.finish();
            }
        }
    }

    /// Sends `gameover` and `quit` after the last search has ended or its time limit has passed.
    pub(super) fn send_quit(&mut self) {
        self.announce_game_over();
        self.send("quit");
        self.finish();
    }

    /// Handles the end of the process before `quit` was sent.
    pub(super) fn ended_before_quit(&mut self) {
        self.outputs.push(Output::Kill);
        self.finish();
    }

    fn finish(&mut self) {
        self.state = State::Finished;
        self.outputs.push(Output::Finish);
    }
}
