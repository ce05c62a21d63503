//! `kyomi-lab tune`: tunes parameters of the search by games.

use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use tokio::runtime::Handle;

use crate::tune::{
    self, Games, Rounding, TuneProgress, TuneReport, TuneSettings, TuneSpec, read_specs,
};
use kyomi::matches::{
    Contestant, LabError, MatchControl, MatchSettings, Rules, Shape, Stop, StoreError,
    unfit_for_workers,
};

use kyomi::cli::{ConfigArgs, Context, Meter, OpeningArgs, ResultExt, SignalScope, Signals, room};

/// Arguments of `kyomi-lab tune`.
#[derive(Debug, Args)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// A parameter to tune: an option of the engine, with the numbers that differ from their defaults
    /// (see below); may be repeated
    #[arg(long = "tune", value_name = "NAME[,start=N][,min=N][,max=N][,c_end=N][,r_end=N]")]
    tuned: Vec<String>,
    /// A file with a table for each parameter: [NAME], then start = N and so on
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Number of iterations
    #[arg(long, value_name = "N", default_value = "2000")]
    iterations: NonZeroU64,
    /// Pairs of games in each iteration, at most 1,000,000
    #[arg(long, value_name = "N", default_value_t = 1)]
    pairs: usize,
    /// The player: KIND [KEY=VALUE]... as in `kyomi match`
    #[arg(long, value_name = "PLAYER", default_value = "builtin hash=4")]
    player: String,
    /// Time control or limit of each move: nodes=2000, depth=9, movetime=100ms, 10+0.1
    #[arg(long, value_name = "TIME", default_value = "nodes=2000")]
    tc: String,
    #[command(flatten)]
    openings: OpeningArgs,
    /// Seed of the perturbations and of the order of the openings
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How values are rounded to whole numbers
    #[arg(long, value_name = "HOW", default_value = "stochastic")]
    rounding: RoundingArg,
    /// Number of parallel games, all of the same iteration
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = kyomi::cli::parallel())]
    concurrency: usize,
    /// Let the workers of a room play the games (`kyomi worker --jobs N`), by the broker of [cluster]; an iteration
    /// gives them its --pairs at once
    #[arg(long, value_name = "NAME", conflicts_with = "concurrency")]
    room: Option<String>,
    /// Number of moves after which a game is drawn; 0: never
    #[arg(long, value_name = "MOVES", default_value_t = 320)]
    max_moves: u32,
    /// The folder of the run; the same command with the same folder resumes it
    #[arg(long, value_name = "DIR", default_value = "logs/tune")]
    out: PathBuf,
    /// Without a terminal: number of pairs between progress lines
    #[arg(long, value_name = "N", default_value_t = 20)]
    every: usize,
    /// Only report the state of the run in the folder
    #[arg(long)]
    report: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RoundingArg {
    /// Up with a probability equal to the fraction
    Stochastic,
    /// To the nearest whole number
    Nearest,
}

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi-lab tune --tune Plies_Prior --tune Plies_ProbCut,min=100,max=600,c_end=30
      --iterations 5000 --out logs/tune/prior
  kyomi-lab tune --file numbers.toml --player 'builtin Preset=lmr hash=4' --tc nodes=1000
  kyomi-lab tune --file numbers.toml --pairs 32 --room lab --set cluster.servers=nats://broker:4222
  kyomi-lab tune --out logs/tune/prior --report

In each iteration every parameter moves up or down at random by its step. Two players, one with these values
and one with the opposite ones, play a pair of games, and every parameter moves a little towards the winner.
The defaults follow from the present value of a parameter: a range from 0 to twice the value, within the
range of the option; at the end of the run steps of a twentieth of this range (c_end); and r_end=0.002. This
rate needs tens of thousands of pairs; 0.01 to 0.05 is better for short runs.

Ctrl-C finishes the running pair; a second Ctrl-C abandons it. The same command resumes the run, even after a
kill. DIR/pairs.jsonl has a line for each pair. The report ends with options to paste into a player; play a
match with them before you trust them. More in docs/learning.md.";

/// Runs `kyomi-lab tune`: tunes, or only reports.
pub(crate) fn run(args: &TuneArgs, context: &Context) -> anyhow::Result<()> {
    if args.report {
        let report = tune::report(&args.out).written_by_user()?;
        return print(&report, args, context);
    }
    let (settings, games) = args.settings()?;
    let config = room::load(&args.config, args.room.as_deref(), context)?;
    if args.room.is_some() {
        room::named(&config, "--room")?;
        if let Some(reason) = unfit_for_workers(&games.players) {
            return Err(anyhow::Error::msg(reason)).written_by_user();
        }
    }
    context.start_logging(&config)?;
    context.output.outlive_reader();
    let runtime = context.network_runtime()?;
    let (dir, every) = (args.out.clone(), args.every);
    let done = runtime.block_on(async {
        let (signals, workers) = if args.room.is_some() {
            (Signals::listen(SignalScope::Jobs)?, Some(room::workers(&config).await?))
        } else {
            (Signals::listen(SignalScope::Games)?, None)
        };
        let stop = Stop { finish: signals.finish.clone(), abandon: signals.abandon };
        let handle = Handle::current();
        // The run blocks its thread while it waits for the games.
        let working = tokio::task::spawn_blocking(move || {
            let mut games = match workers {
                Some(workers) => Games::in_room(games, workers, dir.clone(), stop, handle)?,
                None => Games::new(games, stop),
            };
            let mut meter = Meter::new(every);
            let show = |progress: &TuneProgress| show(&mut meter, progress);
            let report = tune::run(&settings, &dir, &mut games, &signals.finish, show);
            meter.finish();
            games.close(report.as_ref().is_ok_and(TuneReport::is_done));
            report
        });
        working.await.map_err(anyhow::Error::from)?.or_else(explain)
    });
    conclude(&done?, args, context)
}

fn show(meter: &mut Meter, progress: &TuneProgress) {
    let pairs = progress.report.games.games() as usize / 2;
    meter.show(&progress.to_string(), pairs, progress.new_games as usize / 2);
}

/// Prints the report of a run.
fn conclude(report: &TuneReport, args: &TuneArgs, context: &Context) -> anyhow::Result<()> {
    print(report, args, context)?;
    if !report.is_done() {
        let _ =
            writeln!(io::stderr(), "the same command resumes the run in {}", args.out.display());
    }
    Ok(())
}

impl TuneArgs {
    fn settings(&self) -> anyhow::Result<(TuneSettings, MatchSettings)> {
        let control: MatchControl = self.tc.parse().written_by_user()?;
        let player = Contestant::parse(&self.player, Some(control), "tuned").written_by_user()?;
        if player.room.is_some() {
            return Err(anyhow!("--player room: the players of a tuning play without workers"))
                .written_by_user()
                .hint("leave it out");
        }
        let present = Games::parameters(&player).written_by_user()?;
        let mut specs = match &self.file {
            Some(path) => read_specs(path).written_by_user()?,
            None => Vec::new(),
        };
        for text in &self.tuned {
            specs.push(TuneSpec::parse(text).written_by_user()?);
        }
        let parameters = TuneSpec::resolve_all(&specs, present.as_ref()).written_by_user()?;
        let tuning = TuneSettings {
            parameters,
            iterations: self.iterations.get(),
            pairs: self.pairs,
            seed: self.seed,
            rounding: match self.rounding {
                RoundingArg::Stochastic => Rounding::Stochastic,
                RoundingArg::Nearest => Rounding::Nearest,
            },
        };
        tuning.check().written_by_user()?;
        let (openings_name, openings) = self.openings.read(self.seed)?;
        if self.concurrency > 2 * self.pairs {
            return Err(anyhow!(
                "--concurrency {}: an iteration has {} games, two for each of its --pairs",
                self.concurrency,
                2 * self.pairs
            ))
            .written_by_user();
        }
        let games = MatchSettings {
            players: vec![player],
            shape: Shape::RoundRobin,
            pairs: self.pairs,
            openings_name,
            openings,
            seed: self.seed,
            rules: Rules {
                max_moves: (self.max_moves > 0).then_some(self.max_moves),
                patience: PATIENCE,
                ..Rules::default()
            },
            sprt: None,
            concurrency: self.concurrency,
            cores: Vec::new(),
            machines: None,
            dir: PathBuf::new(),
        };
        Ok((tuning, games))
    }
}

fn print(report: &TuneReport, args: &TuneArgs, context: &Context) -> anyhow::Result<()> {
    let mut output = context.output.clone();
    if args.json {
        writeln!(output, "{}", serde_json::to_string_pretty(report)?)?;
    } else {
        write!(output, "{report}")?;
    }
    Ok(())
}

/// Marks the errors that the user's input causes.
fn explain<T>(error: LabError) -> anyhow::Result<T> {
    match error {
        LabError::Option { .. } | LabError::Store(StoreError::Other { .. }) => {
            Err(error).written_by_user()
        }
        _ => Err(error.into()),
    }
}

/// The longest time of a move without a time limit. It is long because the machine may be busy with other work.
const PATIENCE: Duration = Duration::from_secs(600);
