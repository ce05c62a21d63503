//! Handling of engine failures: the engine is restarted, the game is given up, or the player fails.

use std::time::{Duration, Instant};

use super::{
    super::super::{EngineError, PlayerEvent},
    Driver, Output, PendingRequest, State,
    on_failure::OnFailure,
};

impl Driver {
    /// Handles an engine that did not send the expected line in time.
    pub(super) fn fail_by_timeout(
        &mut self,
        now: Instant,
        expected: &'static str,
        limit: Duration,
    ) {
        let (engine, stderr) = (self.spec.title(), self.stderr.to_vec());
        self.fail(now, EngineError::Silent { engine, expected, limit, stderr });
    }

    /// Whether the engine may ponder in the next game.
    pub(super) fn may_ponder(&self) -> bool {
        self.ponder_failures < MOST_PONDER_FAILURES
    }

    /// Handles a failure: kills the process, then restarts it, gives up the game or ends the player.
    pub(super) fn fail(&mut self, now: Instant, error: EngineError) {
        self.stderr.log();
        // The owner reports it to the user.
        tracing::info!(%error, "the engine failed");
        self.outputs.push(Output::Kill);
        let failed_while_pondering = match std::mem::replace(&mut self.state, State::Off) {
            State::Thinking(search) => {
                let silent = search.is_silent_ponder();
                self.pending_request = Some(PendingRequest::Think(search.request));
                silent
            }
            State::Pondering(_) | State::Stopping { pondering: true, .. } => true,
            _ => false,
        };
        if failed_while_pondering {
            // Some engines announce pondering but do not support it.
            self.ponders = false;
            self.ponder_failures = self.ponder_failures.saturating_add(1);
            let title = self.spec.title();
            let end = if self.may_ponder() { " in this game" } else { "" };
            self.event(PlayerEvent::Warning(format!(
                "the engine {title} failed while pondering; it does not ponder any more{end}"
            )));
        }
        self.game_over = None;
        // A `readyok` alone does not suffice: an engine that ends right after it would be restarted without end.
        let ran_long =
            self.up_since.is_some_and(|since| now.saturating_duration_since(since) >= LONG_RUN);
        if self.game.is_none() && ran_long {
            self.on_failure = OnFailure::Restart;
        }
        if self.on_failure == OnFailure::Restart {
            self.on_failure = OnFailure::Fatal;
            self.event(PlayerEvent::Restarted(error));
            self.boot(now);
        } else if self.game.is_some() {
            self.on_failure = OnFailure::AlreadyGivenUp;
            self.event(PlayerEvent::GaveUp(error));
            self.start_pending(now);
        } else {
            self.event(PlayerEvent::Failed(error));
            self.state = State::Finished;
            self.outputs.push(Output::Finish);
        }
    }
}

/// After this number of failures while pondering the engine does not ponder in later games either.
const MOST_PONDER_FAILURES: u32 = 3;

/// After a process has run for this time, another failure between games is not final.
const LONG_RUN: Duration = Duration::from_secs(300);
