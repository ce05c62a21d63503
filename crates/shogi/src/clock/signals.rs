//! What the search reports to the clock while it runs, and how that changes the time of a move.

/// The state of the search, reported after each iteration. The default is neutral.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signals {
    /// The number of changes of the best move in the last four iterations.
    pub best_changes: u32,
    /// The number of iterations for which the best move has been the same.
    pub stable: u32,
    /// The fall of the score since our last move, in centipawns; negative if it rose.
    pub score_fall: i32,
    /// Whether every other move is clearly worse (a recapture, the only defence against mate).
    pub obvious: bool,
}

impl Signals {
    /// The factor on the share of the turn, in `[0.2, 3]`.
    pub(super) fn factor(&self) -> f64 {
        let changes = 0.3 * f64::from(self.best_changes.min(4));
        let fall = (f64::from(self.score_fall) / 100.0).clamp(-0.2, 1.2);
        let stability = match self.stable {
            0..=3 => 1.0,
            4..=6 => 0.85,
            _ => 0.7,
        };
        let obvious = if self.obvious { 0.3 } else { 1.0 };
        ((1.0 + changes + fall) * stability * obvious).clamp(0.2, 3.0)
    }

    /// The same signals as if a rule did not exist.
    pub(super) fn without(mut self, rule: Option<TimeRule>) -> Self {
        let leaves_out = |other| rule == Some(other) || rule == Some(TimeRule::All);
        if leaves_out(TimeRule::Changes) {
            self.best_changes = 0;
        }
        if leaves_out(TimeRule::Stability) {
            self.stable = 0;
        }
        if leaves_out(TimeRule::Falls) {
            self.score_fall = 0;
        }
        if leaves_out(TimeRule::Obvious) {
            self.obvious = false;
        }
        self
    }
}

/// A rule by which the search changes the time of a move. A comparison can leave it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeRule {
    /// More time if the best move changes from one iteration to the next.
    Changes,
    /// Less time if the best move has been the same for some iterations.
    Stability,
    /// More time if the score falls, less if it rises.
    Falls,
    /// Less time if every other move is clearly worse.
    Obvious,
    /// All of these.
    All,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_can_be_left_out() {
        let signals = Signals { best_changes: 2, stable: 5, score_fall: 50, obvious: true };
        let factor = |rule| signals.without(rule).factor();
        let close = |factor: f64, expected: f64| (factor - expected).abs() < 1e-9;
        assert!(close(factor(None), 2.1 * 0.85 * 0.3));
        assert!(close(factor(Some(TimeRule::Changes)), 1.5 * 0.85 * 0.3));
        assert!(close(factor(Some(TimeRule::Stability)), 2.1 * 0.3));
        assert!(close(factor(Some(TimeRule::Falls)), 1.6 * 0.85 * 0.3));
        assert!(close(factor(Some(TimeRule::Obvious)), 2.1 * 0.85));
        assert!(close(factor(Some(TimeRule::All)), 1.0));
    }
}
