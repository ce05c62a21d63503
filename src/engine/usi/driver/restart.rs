//! What follows when the engine breaks down: it is started again, gives up the game, or is at its end.

use std::time::{Duration, Instant};

use super::{
    super::super::{EngineError, PlayerEvent},
    Driver, Output, State, Wanted,
};

/// How often the engine may still break down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Once: it is started again.
    Whole,
    /// Not before it is ready; then once.
    Untried,
    /// Not again: it has been started again in this game, or since the last one.
    LastChance,
    /// It has broken down too often in this game.
    Lost,
}

impl Driver {
    pub(super) fn silent(&mut self, now: Instant, expected: &'static str, limit: Duration) {
        let (engine, stderr) = (self.spec.title(), self.stderr.to_vec());
        self.break_down(now, EngineError::Silent { engine, expected, limit, stderr });
    }

    pub(super) fn break_down(&mut self, now: Instant, error: EngineError) {
        self.stderr.tell();
        // Its owner says it aloud.
        tracing::info!(%error, "the engine broke down");
        self.outputs.push(Output::Kill);
        match std::mem::replace(&mut self.state, State::Off) {
            State::Thinking(search) => self.wanted = Some(Wanted::Think(search.request)),
            State::Pondering(_) | State::Stopping { pondering: true, .. } => {
                // Some engines say they know pondering and do not.
                self.ponder_kills = true;
                let title = self.spec.title();
                self.event(PlayerEvent::Warning(format!(
                    "the engine {title} broke down while pondering; it will not ponder any more"
                )));
            }
            _ => {}
        }
        self.game_over = None;
        // A readyok alone earns no trust: an engine that ends right after it would be started
        // for ever.
        let steady =
            self.up_since.is_some_and(|since| now.saturating_duration_since(since) >= STEADY);
        if self.game.is_none() && steady {
            self.trust = Trust::Whole;
        }
        if self.trust == Trust::Whole {
            self.trust = Trust::LastChance;
            self.event(PlayerEvent::Restarted(error));
            self.boot(now);
        } else if self.game.is_some() {
            self.trust = Trust::Lost;
            self.event(PlayerEvent::GaveUp(error));
            self.settle(now);
        } else {
            self.event(PlayerEvent::Failed(error));
            self.state = State::Finished;
            self.outputs.push(Output::Finish);
        }
    }
}

/// Able to play for so long without a game, a process may break down once more.
const STEADY: Duration = Duration::from_secs(300);
