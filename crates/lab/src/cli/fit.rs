//! `kyomi-lab train merits` and `kyomi-lab train interest`: values of moves, fitted to the moves played.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, anyhow};
use clap::Args;

use crate::train::{
    InterestList, InterestScore, MeritCase, MeritFit, MeritScore, ValueFit, fit_interest,
    fit_merits, merit_squares, merit_table, present_merits, present_weights, score_interest,
    score_merits, weights_table,
};
use kyomi_engine::search::{InterestFitInput, StopFlag};

use super::positions::TableArgs;
use kyomi::cli::{Context, ResultExt, SignalScope, Signals, at_least_0};

/// The options of both fits.
#[derive(Debug, Clone, Args)]
pub(crate) struct FitArgs {
    #[command(flatten)]
    table: TableArgs,
    /// Read about one in N positions
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Number of passes over the positions
    #[arg(long, value_name = "N", default_value_t = 10)]
    epochs: usize,
    /// Penalty on the distance from the present values, in positions
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    l2: f64,
    /// Also write the values to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Arguments of `kyomi-lab train merits`.
#[derive(Debug, Clone, Args)]
pub(crate) struct MeritsArgs {
    #[command(flatten)]
    fit: FitArgs,
    /// Keep the values of moves that lose nothing by exchange at 0 or above
    #[arg(long)]
    nonnegative: bool,
    /// Also fit the learned squares, and write them to this file
    #[arg(long, value_name = "FILE")]
    squares: Option<PathBuf>,
}

/// Arguments of `kyomi-lab train interest`.
#[derive(Debug, Clone, Args)]
pub(crate) struct InterestArgs {
    #[command(flatten)]
    fit: FitArgs,
}

impl FitArgs {
    /// The fit with this rate.
    fn value_fit(&self, rate: f64) -> anyhow::Result<ValueFit> {
        at_least_0("--l2", self.l2)?;
        Ok(ValueFit { epochs: self.epochs, rate, l2: self.l2, seed: self.table.seed })
    }

    fn write_values(&self, table: &str) -> anyhow::Result<()> {
        let Some(path) = &self.out else { return Ok(()) };
        fs::write(path, table).with_context(|| format!("writing {}", path.display()))
    }
}

/// Runs `kyomi-lab train merits`.
pub(crate) fn merits(args: &MeritsArgs, context: &Context) -> anyhow::Result<()> {
    let mut output = context.output.clone();
    let value_fit = args.fit.value_fit(10.0)?;
    let work_args = args.clone();
    let (text, table, squares) = run_stoppable(context, move |stop| {
        let args = work_args;
        let (mut cases, mut test_set) = (Vec::new(), Vec::new());
        let games = args.fit.table.positions(args.fit.every, |sampled| {
            let case = MeritCase::new(sampled.position, sampled.played, sampled.last_to);
            if sampled.in_test_set { &mut test_set } else { &mut cases }.extend(case);
            !stop.is_stopped()
        })?;
        check_enough(&cases, &test_set)?;
        let fit = MeritFit {
            fit: value_fit,
            nonnegative: args.nonnegative,
            squares: args.squares.is_some(),
        };
        let fitted = fit_merits(&cases, &fit, |epoch, loss| {
            show_epoch(epoch, loss);
            !stop.is_stopped()
        });
        let mut text = heading(games, cases.len(), test_set.len());
        text += "values    loss  accuracy  saving   first   top 5  top 10\n";
        for (name, values) in [("present", &present_merits()), ("fitted", &fitted)] {
            text += &merit_line(name, &score_merits(&test_set, values));
        }
        Ok((text, merit_table(&fitted), merit_squares(&fitted)))
    })?;
    args.fit.write_values(&table)?;
    if let Some(path) = &args.squares {
        fs::write(path, squares).with_context(|| format!("writing {}", path.display()))?;
    }
    writeln!(output, "{text}\n{}", table.trim_end())?;
    Ok(())
}

/// Runs `kyomi-lab train interest`.
pub(crate) fn interest(args: &InterestArgs, context: &Context) -> anyhow::Result<()> {
    let mut output = context.output.clone();
    let value_fit = args.fit.value_fit(0.1)?;
    let fit_args = args.fit.clone();
    let (text, table) = run_stoppable(context, move |stop| {
        let study = InterestFitInput::new();
        let (mut cases, mut test_set) = (Vec::new(), Vec::new());
        let games = fit_args.table.positions(fit_args.every, |sampled| {
            let (position, played) = (sampled.position, sampled.played);
            if !position.in_check() {
                let (to, checked) = (sampled.last_to, sampled.checked_before);
                let list = InterestList::new(&study, position, played, to, checked);
                if sampled.in_test_set {
                    test_set.extend(list);
                } else {
                    cases.extend(list.map(|list| list.case()));
                }
            }
            !stop.is_stopped()
        })?;
        check_enough(&cases, &test_set)?;
        let fitted = fit_interest(&cases, &value_fit, |epoch, loss| {
            show_epoch(epoch, loss);
            !stop.is_stopped()
        });
        let mut text = heading(games, cases.len(), test_set.len());
        text += "figures   loss   first   top 5  top 10\n";
        for (name, weights) in [("present", &present_weights()), ("fitted", &fitted)] {
            text += &interest_line(name, &score_interest(&test_set, weights));
        }
        text += "\nfigure, fitted, present (points)";
        Ok((text, weights_table(&fitted)))
    })?;
    args.fit.write_values(&table)?;
    writeln!(output, "{text}\n{}", table.trim_end())?;
    Ok(())
}

/// Runs a fit or a study on a blocking thread. A signal sets the [`StopFlag`], upon which the work ends with its
/// results so far.
pub(crate) fn run_stoppable<T: Send + 'static>(
    context: &Context,
    work: impl FnOnce(&StopFlag) -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    let runtime = context.network_runtime()?;
    runtime.block_on(async {
        let finish = Signals::listen(SignalScope::Work)?.finish;
        let stop = StopFlag::new();
        let signalled = stop.clone();
        let listener = tokio::spawn(async move {
            finish.cancelled().await;
            signalled.stop();
        });
        let done = tokio::task::spawn_blocking(move || work(&stop)).await?;
        listener.abort();
        done
    })
}

fn check_enough<T, U>(cases: &[T], test_set: &[U]) -> anyhow::Result<()> {
    if cases.is_empty() || test_set.is_empty() {
        return Err(anyhow!("too few positions to fit to and to test with"))
            .hint("read more games, or lower --every")
            .written_by_user();
    }
    Ok(())
}

fn show_epoch(epoch: usize, loss: f64) {
    let _ = writeln!(std::io::stderr(), "epoch {epoch}  loss {loss:.4}");
}

fn heading(games: usize, cases: usize, test_set: usize) -> String {
    format!("{games} games: fitted to {cases} positions, tested on {test_set} of other games\n\n")
}

fn percent(share: f64) -> String {
    format!("{:>6.2} %", share * 100.0)
}

fn merit_line(name: &str, score: &MeritScore) -> String {
    let [first, five, ten] = score.ranks.map(percent);
    let (accuracy, saving) = (percent(score.accuracy), percent(score.saving));
    format!("{name:8} {:.4}  {accuracy}{saving}{first}{five}{ten}\n", score.loss)
}

fn interest_line(name: &str, score: &InterestScore) -> String {
    let [first, five, ten] = score.ranks.map(percent);
    format!("{name:8} {:.4}{first}{five}{ten}\n", score.loss)
}
