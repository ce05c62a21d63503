//! The reports of a run: its progress in one line, and its parameters as a table.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use kyomi::matches::stats::Wdl;

use super::TuneSettings;
use super::state::TuneState;

/// A parameter with its current value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TunedValue {
    /// The option of the engine.
    pub name: String,
    /// The initial value.
    pub start: f64,
    /// The current value.
    pub value: f64,
    /// The least and the largest value.
    pub range: [i32; 2],
    /// The distance from the initial value, in steps of the end of the run (`c_end`).
    pub steps: f64,
}

/// The state of a run. Its `Display` text is for people, its JSON for programs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TuneReport {
    /// The number of completed iterations.
    pub iterations: u64,
    /// The number of iterations of the whole run.
    pub planned: u64,
    /// The games of all pairs so far, from the view of the values called plus. Wins and losses are about equal, since
    /// the sign of each perturbation is random.
    pub games: Wdl,
    /// The parameters.
    pub values: Vec<TunedValue>,
    /// The current values as options of a player.
    pub options: String,
}

impl TuneReport {
    pub(super) fn new(settings: &TuneSettings, state: &TuneState) -> Self {
        let numbers = settings.parameters.iter().zip(state.spsa.theta());
        let values: Vec<TunedValue> = numbers
            .map(|(tuned, &value)| TunedValue {
                name: tuned.name.clone(),
                start: tuned.start,
                value,
                range: [tuned.min, tuned.max],
                steps: (value - tuned.start) / tuned.c_end,
            })
            .collect();
        let option = |value: &TunedValue| format!("{}={:.0}", value.name, value.value);
        Self {
            iterations: state.spsa.done(),
            planned: settings.iterations,
            games: state.wdl,
            options: values.iter().map(option).collect::<Vec<_>>().join(" "),
            values,
        }
    }

    /// Whether all iterations are done.
    pub const fn is_done(&self) -> bool {
        self.iterations >= self.planned
    }
}

impl fmt::Display for TuneReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wdl { wins, draws, losses } = self.games;
        writeln!(
            f,
            "{} of {} iterations, {} games: +{wins} ={draws} -{losses} for the perturbed side",
            self.iterations,
            self.planned,
            self.games.games()
        )?;
        let width = self.values.iter().map(|value| value.name.len()).max().unwrap_or(0).max(6);
        writeln!(f, "\n{:width$}  {:>10} {:>10} {:>7}  range", "option", "start", "now", "steps")?;
        for value in &self.values {
            let [min, max] = value.range;
            writeln!(
                f,
                "{:width$}  {:>10} {:>10.1} {:>+7.2}  {min} to {max}",
                value.name, value.start, value.value, value.steps
            )?;
        }
        writeln!(f, "\noptions: {}", self.options)
    }
}

/// The progress of a run, in one line.
#[derive(Debug, Clone, PartialEq)]
pub struct TuneProgress {
    /// The state of the run.
    pub report: TuneReport,
    /// The number of games played since the program was started.
    pub new_games: u64,
    /// The time since the program was started.
    pub elapsed: Duration,
}

impl fmt::Display for TuneProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.report;
        write!(f, "{}/{}  {} games", report.iterations, report.planned, report.games.games())?;
        for value in &report.values {
            let name = value.name.split_once('_').map_or(value.name.as_str(), |(_, name)| name);
            write!(f, "  {name} {:.1}", value.value)?;
        }
        let seconds = self.elapsed.as_secs_f64();
        if self.new_games > 0 && seconds > 0.0 {
            write!(f, "  {:.1} games/min", self.new_games as f64 / seconds * 60.0)?;
        }
        Ok(())
    }
}
