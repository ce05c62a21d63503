//! The progress of a running match, in one line.

use std::{fmt, time::Duration};

use super::{
    stats::{Estimate, SprtDecision, Wdl},
    tally::Tally,
};

/// The progress of a running match.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The number of finished games, including those of earlier runs of the program.
    pub finished: usize,
    /// The number of games of the whole match.
    pub planned: usize,
    /// The number of games finished by this run of the program.
    pub new_games: usize,
    /// The duration of this run of the program.
    pub elapsed: Duration,
    /// The results and the estimate from the first player's view; `None` if the match has several pairings.
    pub score: Option<(Wdl, Option<Estimate>)>,
    /// The log-likelihood ratio of the sequential test, its lower and upper bound, and its decision.
    pub test: Option<(f64, f64, f64, SprtDecision)>,
    /// The number of games lost on time, by crashes and by illegal moves.
    pub faults: [u64; 3],
}

impl Progress {
    pub(super) fn new(tally: &Tally, planned: usize, new_games: usize, elapsed: Duration) -> Self {
        let sum = |of: fn(&super::tally::PlayerTally) -> u64| tally.players.iter().map(of).sum();
        let only = if let [pairing] = tally.pairings.as_slice() { Some(pairing) } else { None };
        Self {
            finished: tally.games,
            planned,
            new_games,
            elapsed,
            score: only
                .map(|pairing| (pairing.wdl, Estimate::new_from(&pairing.pairs, &pairing.wdl))),
            test: only.and_then(|pairing| pairing.test).map(|test| {
                let state = test.state;
                (state.llr, state.lower, state.upper, state.decision)
            }),
            faults: [
                sum(|player| player.time_losses),
                sum(|player| player.crashes),
                sum(|player| player.illegal),
            ],
        }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.finished, self.planned)?;
        if let Some((wdl, estimate)) = &self.score {
            write!(f, "  +{} ={} -{}", wdl.wins, wdl.draws, wdl.losses)?;
            write!(f, "  {:.1} %", wdl.score() * 100.0)?;
            if let Some(estimate) = estimate {
                write!(f, "  Elo {}", estimate.elo_text())?;
            }
        }
        if let Some((llr, lower, upper, _)) = self.test {
            write!(f, "  LLR {llr:.2} ({lower:.2}, {upper:.2})")?;
        }
        for (count, what) in self.faults.iter().zip(["time losses", "crashes", "illegal moves"]) {
            if *count > 0 {
                write!(f, "  {count} {what}")?;
            }
        }
        let seconds = self.elapsed.as_secs_f64();
        if self.new_games > 0 && seconds > 0.0 {
            let rate = self.new_games as f64 / seconds;
            write!(f, "  {:.1} games/min", rate * 60.0)?;
            let left = self.planned.saturating_sub(self.finished) as f64 / rate;
            let left = left as u64;
            write!(f, "  {}:{:02}:{:02} left", left / 3600, left / 60 % 60, left % 60)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_is_one_line() {
        let wdl = Wdl { wins: 50, draws: 40, losses: 30 };
        let progress = Progress {
            finished: 120,
            planned: 400,
            new_games: 60,
            elapsed: Duration::from_secs(120),
            score: Some((wdl, Estimate::from_games(&wdl))),
            test: Some((0.4134, -2.944, 2.944, SprtDecision::Open)),
            faults: [2, 0, 1],
        };
        assert_eq!(
            progress.to_string(),
            "120/400  +50 =40 -30  58.3 %  Elo +58.5 ± 51.5  LLR 0.41 (-2.94, 2.94)  2 time losses  \
             1 illegal moves  30.0 games/min  0:09:20 left"
        );
    }
}
