//! `kyomi games import` and `kyomi games rebuild`.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde_json::json;

use super::database::Database;
use crate::archive::import::{Fault, ImportOptions, Progress, Report, Sources, find_files, import};
use crate::archive::index::{Index, IndexError};
use crate::cli::progress_bar::ProgressBar;
use crate::cli::{Context, ResultExt as _, SignalScope, Signals, interrupted};
use crate::terminal::speech;
use kyomi_shogi::text::counted;

/// Arguments of `kyomi games import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Records, lists, tables, archives, and folders of them with their sub-folders; files of `kyomi analyze` only if
    /// they are named
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    how: HowArgs,
}

/// Arguments of `kyomi games rebuild`.
#[derive(Debug, Args)]
pub(crate) struct RebuildArgs {
    /// Rebuild although a source is not there, or a newer kyomi made the database; what only these had is lost
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    how: HowArgs,
}

/// How files are read, and what is printed.
#[derive(Debug, Clone, Args)]
struct HowArgs {
    /// Threads that read games, beside the one that writes [default: cores less one, at most 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: Option<u8>,
    /// Print a JSON object with the counts and all broken files on standard output
    #[arg(long)]
    json: bool,
    /// Print all broken files, with more reasons for each
    #[arg(short, long)]
    verbose: bool,
}

/// Runs `kyomi games import`.
pub(super) fn run(args: &ImportArgs, database: &Database, context: &Context) -> anyhow::Result<()> {
    let index = Index::open(database.path())?;
    let mut unknown = Vec::new();
    for path in &args.paths {
        // The list of sources is what a rebuild reads.
        match Sources::add(database.path(), path, false) {
            Err(error) if !path.exists() => unknown.push((path.clone(), error)),
            added => added.with_context(|| format!("noting {} as a source", path.display()))?,
        }
    }
    let there: Vec<_> = args.paths.iter().filter(|path| path.exists()).cloned().collect();
    let (files, mut faults) = find_files(&there);
    faults.extend(unknown);
    let (report, seconds) = watched(&index, &files, &args.how, context)?;
    index.optimize()?;
    conclude(&report, &faults, seconds, &args.how, context)
}

/// Runs `kyomi games rebuild`: makes a new database beside the old one, which it then replaces.
pub(super) fn rebuild(
    args: &RebuildArgs,
    database: &Database,
    context: &Context,
) -> anyhow::Result<()> {
    let sources = database.sources()?;
    if !args.force {
        check_replaceable(&sources, database.path())?;
    }
    let own = database.folders.iter().filter(|folder| folder.is_dir());
    let mut inputs: Vec<PathBuf> = own.cloned().collect();
    inputs.extend(sources.imported);
    for live in sources.live {
        if !inputs.contains(&live) && live.is_dir() {
            inputs.push(live);
        }
    }
    let (files, faults) = find_files(&inputs);
    let new = beside(database.path(), "new");
    // What an interrupted rebuild has read is not read again.
    let index = Index::open(&new)?;
    let (report, seconds) = watched(&index, &files, &args.how, context)?;
    if report.was_stopped {
        return conclude(&report, &faults, seconds, &args.how, context);
    }
    if database.path().exists() {
        // A database that cannot be opened is replaced as well; the analyses in it are lost.
        match Index::open_existing(database.path()) {
            Ok(old) => index.copy_analyses(&old)?,
            Err(error) => {
                speech::warn(format_args!("stored analyses are not kept: {error}"));
            }
        }
    }
    index.optimize()?;
    drop(index);
    replace(&new, database.path()).context("replacing the old database")?;
    conclude(&report, &faults, seconds, &args.how, context)
}

/// Refuses to replace a database whose games the new one would lack.
fn check_replaceable(sources: &Sources, database: &Path) -> anyhow::Result<()> {
    let mut all = sources.imported.iter().chain(&sources.live);
    if let Some(absent) = all.find(|path| !path.exists()) {
        return Err(anyhow!("{} is not there, and its games would be lost", absent.display()))
            .written_by_user()
            .hint("bring it back, or rebuild without it: --force");
    }
    match Index::open_existing(database) {
        Err(error @ (IndexError::Newer { .. } | IndexError::Foreign(_))) => Err(error)
            .written_by_user()
            .hint("--force replaces it, with the loss of the analyses in it"),
        _ => Ok(()),
    }
}

/// Replaces a database by another one that nobody has open.
fn replace(new: &Path, old: &Path) -> io::Result<()> {
    for suffix in ["-wal", "-shm"] {
        for path in [new, old] {
            match fs::remove_file(with_suffix(path, suffix)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    fs::rename(new, old)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// `logs/kyomi.db.new`.
fn beside(path: &Path, extension: &str) -> PathBuf {
    with_suffix(path, &format!(".{extension}"))
}

/// Imports with a progress bar, and stops at Ctrl-C. Returns the seconds too.
fn watched(
    index: &Index,
    files: &[PathBuf],
    how: &HowArgs,
    context: &Context,
) -> anyhow::Result<(Report, f64)> {
    let total = files.iter().filter_map(|file| fs::metadata(file).ok()).map(|it| it.len()).sum();
    let bar = ProgressBar::new(total, false);
    let runtime = context.network_runtime()?;
    let signals = runtime.block_on(async { Signals::listen(SignalScope::Work) })?;
    let stop = Arc::new(AtomicBool::new(false));
    runtime.spawn({
        let (stop, finish) = (Arc::clone(&stop), signals.finish);
        async move {
            finish.cancelled().await;
            stop.store(true, Ordering::Relaxed);
        }
    });
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = how.threads.map_or_else(|| cores.saturating_sub(1).clamp(1, 4), usize::from);
    let began = Instant::now();
    let mut show = |progress: Progress| {
        bar.set(progress.bytes, || counted(progress.counts.games, "game"));
    };
    let imported = import(index, files, ImportOptions { threads }, &stop, &mut show);
    bar.clear();
    Ok((imported?, began.elapsed().as_secs_f64()))
}

/// Prints what was done. Broken files and an interruption are errors.
fn conclude(
    report: &Report,
    faults: &[(PathBuf, io::Error)],
    seconds: f64,
    how: &HowArgs,
    context: &Context,
) -> anyhow::Result<()> {
    for (path, error) in faults {
        speech::say(format_args!("{}: {error}", path.display()));
    }
    let most = if how.verbose { usize::MAX } else { MOST_FILES };
    for fault in report.broken.iter().take(most) {
        print_fault(fault, how.verbose);
    }
    if report.broken.len() > most {
        let more = report.broken.len() - most;
        speech::say(format_args!("and {more} more broken files; all of them with -v"));
    }
    let counts = report.counts;
    let speed = counts.games as f64 / seconds.max(1e-3);
    let broken = report.broken.len() + faults.len();
    let mut output = context.output.clone();
    if how.json {
        let files: Vec<_> = report
            .broken
            .iter()
            .map(|fault| json!({ "file": fault.file, "reasons": fault.reasons, "count": fault.count }))
            .chain(faults.iter().map(|(path, error)| {
                json!({ "file": path.display().to_string(), "reasons": [error.to_string()], "count": 1 })
            }))
            .collect();
        let object = json!({
            "games": counts.games,
            "doubles": counts.doubles,
            "files": report.files,
            "faults": counts.faults,
            "broken": files,
            "stopped": report.was_stopped,
            "seconds": seconds,
        });
        writeln!(output, "{object}")?;
    } else {
        writeln!(
            output,
            "{} from {} in {seconds:.1} s ({speed:.0}/s), {} known already, {} broken",
            counted(counts.games, "game"),
            counted(report.files, "file"),
            counts.doubles,
            counted(broken, "file"),
        )?;
    }
    output.flush()?;
    if report.was_stopped {
        return Err(interrupted("the same command continues"));
    }
    anyhow::ensure!(broken == 0, "{} broken", counted(broken, "file"));
    Ok(())
}

fn print_fault(fault: &Fault, verbose: bool) {
    let most = if verbose { usize::MAX } else { 1 };
    for reason in fault.reasons.iter().take(most) {
        speech::say(format_args!("{}: {reason}", fault.file));
    }
    let shown = fault.reasons.len().min(most);
    if fault.count > shown {
        speech::say(format_args!("{}: and {} more", fault.file, fault.count - shown));
    }
}

/// The number of broken files that are printed.
const MOST_FILES: usize = 20;
