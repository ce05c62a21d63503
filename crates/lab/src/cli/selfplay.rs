//! `kyomi-lab selfplay`: games of the engine against itself, to learn from.

use std::fmt::Display;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::anyhow;
use clap::{ArgGroup, Args};

use crate::selfplay::{
    self, ExportError, RecordChoice, SelfplayError, SelfplayExport, SelfplayProgress,
    SelfplaySettings, SelfplayStatus, SelfplayStoreError, SelfplayTask, Starts,
};
use kyomi::matches::{Stop, WinRule};
use kyomi::players::EngineOption;
use kyomi_record::Format;

use kyomi::cli::{ConfigArgs, Context, Meter, ResultExt, SignalScope, Signals, room};

/// Arguments of `kyomi-lab selfplay`.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("report").args(["status", "check"]))]
#[command(group = ArgGroup::new("playing").multiple(true).args(PLAYING))]
pub(crate) struct SelfplayArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The folder of the games; the same command with the same folder resumes the run
    #[arg(long, value_name = "DIR", default_value = "logs/selfplay")]
    out: PathBuf,
    /// Seed of the games; each seed has a separate file, DIR/SEED.kyg
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of games in the file of the seed after which to stop; 0: never
    #[arg(long, value_name = "N", default_value_t = 0)]
    games: u32,
    /// Number of parallel games, each in one thread
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = kyomi::cli::parallel())]
    threads: usize,
    /// Let the workers of a room play the games (`kyomi worker --jobs N`), by the broker of [cluster]
    #[arg(long, value_name = "NAME", conflicts_with = "threads")]
    room: Option<String>,
    /// Number of nodes for each move
    #[arg(long, value_name = "N", default_value_t = 1500)]
    nodes: u64,
    /// Records that games begin with: tables (.tsv, gzip or plain) or any format of records
    #[arg(long, value_name = "FILE", num_args = 1..)]
    records: Vec<PathBuf>,
    /// Share of the games that begin with a record of --records, in percent; the others begin with a built-in
    /// opening
    #[arg(
        long,
        value_name = "PERCENT",
        requires = "records",
        default_value_t = RecordChoice::default().percent,
        value_parser = clap::value_parser!(u8).range(0..=100)
    )]
    record_share: u8,
    /// Number of moves of a record that are played
    #[arg(
        long,
        value_name = "MIN..MAX",
        requires = "records",
        default_value = "4..24",
        value_parser = |text: &str| range(text, u16::MAX)
    )]
    record_plies: (u16, u16),
    /// Number of random moves after an opening
    #[arg(long, value_name = "MIN..MAX", default_value = "4..8", value_parser = |text: &str| range(text, u8::MAX))]
    random_plies: (u8, u8),
    /// Largest score of a start in centipawns, for either side
    #[arg(long, value_name = "CP", default_value_t = 200)]
    start_score: i32,
    /// Rule by which scores end a game
    #[arg(long, value_name = "RULE", default_value = "score=2500,plies=6")]
    adjudicate: WinRule,
    /// Number of moves after which a game is drawn, including those of the opening
    #[arg(long, value_name = "MOVES", default_value_t = 320)]
    max_moves: u16,
    /// Size of the transposition table of each game
    #[arg(long, value_name = "MIB", default_value_t = 8)]
    hash: u64,
    /// An option of the engine, by its USI name; may be repeated
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Without a terminal: number of games between progress lines
    #[arg(long, value_name = "N", default_value_t = 100)]
    every: usize,
    /// Play no games; report the contents of a folder or a file [default: that of --out]
    #[arg(long, value_name = "DIR", num_args = 0..=1, conflicts_with_all = ["export", "playing"])]
    #[allow(clippy::option_option, reason = "absent, present, or present with a folder")]
    status: Option<Option<PathBuf>>,
    /// The same, and replay every game to check blocks, moves, ends and duplicates
    #[arg(long, value_name = "DIR", num_args = 0..=1, conflicts_with_all = ["export", "playing"])]
    #[allow(clippy::option_option, reason = "absent, present, or present with a folder")]
    check: Option<Option<PathBuf>>,
    /// Print the status as JSON
    #[arg(long, requires = "report")]
    json: bool,
    /// Play no games; write the games of --out, a folder or a file, to a file of records
    #[arg(long, value_name = "FILE", conflicts_with = "playing")]
    export: Option<PathBuf>,
    /// Format to write: psv, hcpe, csa (2.2), csa3, usi, sfen … [default: by the file's extension]
    #[arg(long, value_name = "FORMAT", requires = "export", value_parser = kyomi::cli::format_named)]
    to: Option<Format>,
    /// Export only these games, counted from 1 through all seeds
    #[arg(long, value_name = "A..B", requires = "export", value_parser = numbers)]
    only: Option<RangeInclusive<u64>>,
    /// Overwrite the file
    #[arg(long, requires = "export")]
    force: bool,
}

/// The arguments that have an effect on played games only.
const PLAYING: [&str; 15] = [
    "seed",
    "games",
    "threads",
    "room",
    "nodes",
    "records",
    "record_share",
    "record_plies",
    "random_plies",
    "start_score",
    "adjudicate",
    "max_moves",
    "hash",
    "options",
    "every",
];

pub(super) const EXAMPLES: &str = "\
Examples:
  kyomi-lab selfplay --games 10000 --records ../shared/data/games_expert.tsv.gz
  nice -n 19 kyomi-lab selfplay --seed 2 --threads 4
  kyomi-lab selfplay --games 100000 --room lab --set cluster.servers=nats://broker:4222
  kyomi-lab selfplay --records games_expert.tsv.gz --record-share 100 --record-plies 30..100 --start-score 1500
  kyomi-lab selfplay --status
  kyomi-lab selfplay --check logs/selfplay
  kyomi-lab selfplay --export rows.psv
  kyomi-lab selfplay --export some.csa --to csa3 --only 1..100; kyomi show some.csa --game 7
  kyomi-lab train eval logs/selfplay

Ctrl-C finishes the running games; a second Ctrl-C abandons them. The same command resumes the run, even
after a kill. Several processes may share a folder, each with a different seed. More in docs/learning.md.";

/// Runs `kyomi-lab selfplay`: plays games, or reports or exports them.
pub(crate) fn run(args: &SelfplayArgs, context: &Context) -> anyhow::Result<()> {
    if let Some(given) = &args.status {
        return status(args, given.as_ref(), false, context);
    }
    if let Some(given) = &args.check {
        return status(args, given.as_ref(), true, context);
    }
    match &args.export {
        Some(to) => export(args, to, context),
        None => play(args, context),
    }
}

fn status(
    args: &SelfplayArgs,
    given: Option<&PathBuf>,
    check: bool,
    context: &Context,
) -> anyhow::Result<()> {
    let status = SelfplayStatus::read(given.unwrap_or(&args.out), check).written_by_user()?;
    let mut output = context.output.clone();
    if args.json {
        writeln!(output, "{}", serde_json::to_string_pretty(&status)?)?;
    } else {
        write!(output, "{status}")?;
    }
    anyhow::ensure!(!check || status.is_sound(), "games are lost, wrong or duplicate");
    Ok(())
}

fn export(args: &SelfplayArgs, to: &Path, context: &Context) -> anyhow::Result<()> {
    let format = args
        .to
        .or_else(|| Format::by_file_name(to))
        .ok_or_else(|| anyhow!("--export {}: no format has this extension", to.display()))
        .hint("name the format, as in --to psv")
        .written_by_user()?;
    let task = SelfplayExport {
        from: args.out.clone(),
        to: to.to_owned(),
        format,
        games: args.only.clone().unwrap_or(1..=u64::MAX),
        force: args.force,
    };
    let runtime = context.network_runtime()?;
    let done = runtime.block_on(async {
        let signals = Signals::listen(SignalScope::Work)?;
        let working = tokio::task::spawn_blocking(move || {
            selfplay::export(&task, || signals.finish.is_cancelled())
        });
        match working.await? {
            Err(
                error
                @ (ExportError::Stopped | ExportError::Store(SelfplayStoreError::Full { .. })),
            ) => Err(error.into()),
            done => done.written_by_user(),
        }
    })?;
    let mut output = context.output.clone();
    writeln!(
        output,
        "{}: {} games, {} rows, {} bytes",
        to.display(),
        done.games,
        done.rows,
        done.bytes
    )?;
    if !done.omissions.is_empty() {
        let _ = writeln!(io::stderr(), "lost in {}: {}", format.name(), done.omissions);
    }
    Ok(())
}

fn play(args: &SelfplayArgs, context: &Context) -> anyhow::Result<()> {
    let settings = args.settings()?;
    let config = room::load(&args.config, args.room.as_deref(), context)?;
    if args.room.is_some() {
        room::named(&config, "--room")?;
        selfplay::check_for_workers(&settings).map_err(anyhow::Error::msg).written_by_user()?;
    }
    selfplay::make_folder(&args.out)?;
    context.start_logging(&config)?;
    context.output.outlive_reader();
    let task = args.task(settings)?;
    let runtime = context.network_runtime()?;
    runtime.block_on(async {
        let (signals, workers) = if args.room.is_some() {
            (Signals::listen(SignalScope::Jobs)?, Some(room::workers(&config).await?))
        } else {
            (Signals::listen(SignalScope::Games)?, None)
        };
        let stop = Stop { finish: signals.finish, abandon: signals.abandon };
        let mut meter = Meter::new(args.every);
        let progress = |progress: &SelfplayProgress| show(&mut meter, progress);
        let done = selfplay::run(&task, workers.as_ref(), &stop, progress).await;
        meter.finish();
        done.or_else(explain)
    })?;
    Ok(())
}

fn show(meter: &mut Meter, progress: &SelfplayProgress) {
    meter.show(&progress.to_string(), progress.games as usize, progress.new_games as usize);
}

impl SelfplayArgs {
    fn settings(&self) -> anyhow::Result<SelfplaySettings> {
        let option = |text: &String| {
            let (name, value) = text
                .split_once('=')
                .ok_or_else(|| anyhow!("--option {text}: there is no '='"))
                .written_by_user()?;
            Ok(EngineOption { name: name.trim().to_owned(), value: value.trim().to_owned() })
        };
        let settings = SelfplaySettings {
            nodes: self.nodes,
            random_plies: self.random_plies,
            start_score: self.start_score,
            win: self.adjudicate,
            max_moves: self.max_moves,
            hash_mib: self.hash,
            options: self.options.iter().map(option).collect::<anyhow::Result<_>>()?,
        };
        settings.check().written_by_user()?;
        Ok(settings)
    }

    fn task(&self, settings: SelfplaySettings) -> anyhow::Result<SelfplayTask> {
        Ok(SelfplayTask {
            dir: self.out.clone(),
            seed: self.seed,
            games: (self.games > 0).then_some(self.games),
            threads: self.threads,
            settings,
            starts: self.starts()?,
        })
    }

    fn starts(&self) -> anyhow::Result<Starts> {
        let choice = RecordChoice { percent: self.record_share, plies: self.record_plies };
        let starts = Starts::read(&self.records, choice).written_by_user();
        match self.records.iter().find(|path| path.is_dir()) {
            Some(dir) => {
                starts.hint(format!("{0} is a folder; name its files: {0}/*", dir.display()))
            }
            None => starts,
        }
    }
}

/// Reads `4..8`, or one number for both ends. `largest` is the largest number of the type.
fn range<N: FromStr + PartialOrd + Display + Copy>(
    text: &str,
    largest: N,
) -> Result<(N, N), String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    match (least.trim().parse(), most.trim().trim_start_matches('=').parse()) {
        (Ok(least), Ok(most)) if least <= most => Ok((least, most)),
        _ => Err(format!(
            "expected two numbers, the smaller one first, at most {largest}, as in 4..8"
        )),
    }
}

/// Reads `3..7`, or the number of one game.
fn numbers(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (first.trim().parse(), last.trim().trim_start_matches('=').parse()) {
        (Ok(first), Ok(last)) if 0 < first && first <= last => Ok(first..=last),
        _ => Err("expected two numbers from 1 as in 3..7".to_owned()),
    }
}

/// Marks the errors that the user's input causes.
fn explain<T>(error: SelfplayError) -> anyhow::Result<T> {
    match error {
        SelfplayError::Settings(_)
        | SelfplayError::NoStart(_)
        | SelfplayError::Store(
            SelfplayStoreError::Busy(_)
            | SelfplayStoreError::Other { .. }
            | SelfplayStoreError::NoSettings(_)
            | SelfplayStoreError::Foreign(_),
        ) => Err(error).written_by_user(),
        _ => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser};

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        args: SelfplayArgs,
    }

    fn refused(words: &str) -> Option<String> {
        let words = ["selfplay"].into_iter().chain(words.split_whitespace());
        Command::try_parse_from(words).err().map(|error| error.to_string())
    }

    #[test]
    fn the_choice_of_moves_of_records_needs_records() {
        Command::command().debug_assert();
        assert_eq!(refused(""), None);
        for choice in ["--record-share 100", "--record-plies 30..40"] {
            let error = refused(choice).unwrap();
            assert!(error.contains("required") && error.contains("--records <FILE>"), "{error}");
            assert_eq!(refused(&format!("{choice} --records games.tsv")), None);
        }
    }

    #[test]
    fn a_range_is_refused_with_its_bounds() {
        let bounds = "expected two numbers, the smaller one first, at most";
        for (words, largest) in [
            ("--random-plies 4..256", 255),
            ("--random-plies 8..4", 255),
            ("--records a --record-plies 4..65536", 65535),
        ] {
            let error = refused(words).unwrap();
            assert!(error.contains(&format!("{bounds} {largest}, as in 4..8")), "{error}");
        }
        assert_eq!(refused("--random-plies 4..255 --records a --record-plies 7"), None);
    }
}
