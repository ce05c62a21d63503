//! `kyomi convert`: converts records from one format to another.

mod help;

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use serde_json::{Map, Value, json};

use crate::archive::convert::{
    ConvertError, Converter, FileReport, FoundFiles, Options, Progress, Source, Target, Totals,
    find,
};
use kyomi_record::{Encoding, Format, Omissions, Place};
use kyomi_shogi::text::counted;

pub(super) use help::after_help;

use super::{
    Context, NetworkRuntime, ResultExt as _, SignalScope, Signals, StandardInput, interrupted,
    progress_bar::ProgressBar,
};

/// Arguments of `kyomi convert`.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a separate flag")]
pub(crate) struct ConvertArgs {
    /// Files, folders (all their files with the extension of a record, and .txt files that are records, without those
    /// of `kyomi analyze`), or -
    /// for standard input
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    #[arg(long, value_name = "FORMAT", value_parser = format_named, help = help::to_help())]
    to: Format,
    /// Folder to write to, or - for standard output [default: the folder of each input]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Format to read [default: detected for each file]
    #[arg(long, value_name = "FORMAT", value_parser = format_named)]
    from: Option<Format>,
    #[arg(long, value_name = "ENCODING", value_parser = encoding_named, help = ENCODING_HELP)]
    encoding: Option<Encoding>,
    /// Encoding to read, also utf-16 [default: detected for each file]
    #[arg(long, value_name = "ENCODING", value_parser = encoding_to_read)]
    encoding_in: Option<Encoding>,
    /// Replace existing files
    #[arg(short, long)]
    force: bool,
    /// Print one JSON object for each file on standard output
    #[arg(long)]
    json: bool,
    /// Print the format and the outputs of each file, and all warnings
    #[arg(short, long)]
    verbose: bool,
    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
}

const ENCODING_HELP: &str =
    "Encoding to write: utf-8, shift_jis, euc-jp, iso-2022-jp [default: the format's usual one]";

/// A format by its name.
///
/// # Errors
/// There is none of this name.
pub fn format_named(name: &str) -> Result<Format, String> {
    Format::by_name(&name.to_ascii_lowercase()).ok_or_else(|| {
        let known: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
        format!("known are {}", known.join(", "))
    })
}

fn encoding_named(name: &str) -> Result<Encoding, String> {
    Encoding::by_name(name)
        .ok_or_else(|| "known are utf-8, shift_jis, euc-jp, iso-2022-jp".to_owned())
}

fn encoding_to_read(name: &str) -> Result<Encoding, String> {
    Encoding::by_name_to_read(name)
        .ok_or_else(|| "known are utf-8, shift_jis, euc-jp, iso-2022-jp, utf-16".to_owned())
}

/// Runs `kyomi convert`.
pub(crate) fn run(args: &ConvertArgs, context: &Context) -> anyhow::Result<()> {
    let target = target(args)?;
    let FoundFiles { sources, faults, others } = inputs(args, &target)?;
    let to_stream = target == Target::Stream
        || target == Target::Beside && sources.iter().any(|source| source.path.is_none());
    check_stream(args, context, to_stream)?;
    let options = Options {
        to: args.to,
        encoding: args.encoding,
        from: args.from,
        encoding_in: args.encoding_in,
        target,
        overwrite: args.force,
    };
    let mut messages = Messages::new(args, context, &sources);
    let mut totals = Totals::default();
    for (path, fault) in faults {
        totals.add_broken();
        messages.not_found(&path, fault)?;
    }
    let reads_stdin = sources.iter().any(|source| source.path.is_none());
    let stopping = if reads_stdin { "stopping" } else { STOPPING };
    let (runtime, signals) = listen(context, &messages.bar, stopping)?;
    let mut standard_input = StandardInput::new(&runtime, signals.finish.clone());
    let stream = BufWriter::with_capacity(1 << 16, context.output.clone());
    let mut converter = Converter::new(options, &sources, stream);
    let mut left = sources.len();
    for source in &sources {
        if signals.finish.is_cancelled() {
            break;
        }
        // Standard input may have no end, so the first Ctrl-C stops there.
        let stop = if source.path.is_none() { &signals.finish } else { &signals.abandon };
        let report = converter
            .convert(source, &mut standard_input, &mut |progress| {
                messages.progress(progress);
                if stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .context("writing standard output")?;
        totals.add(&report);
        left -= usize::from(!report.was_stopped);
        messages.done(source, &report)?;
    }
    messages.finish(&totals, others)?;
    if left > 0 {
        return Err(interrupted(format_args!("{} left", counted(left, "file"))));
    }
    let faults: Vec<_> = [(totals.broken, "broken"), (totals.unwritten, "not written")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", counted(count, "file")))
        .collect();
    anyhow::ensure!(faults.is_empty(), "{}", faults.join(", "));
    Ok(())
}

/// The target to write to.
fn target(args: &ConvertArgs) -> anyhow::Result<Target> {
    let Some(output) = &args.output else { return Ok(Target::Beside) };
    if output.as_os_str() == "-" {
        return Ok(Target::Stream);
    }
    if output.is_dir() {
        return Ok(Target::Folder(output.clone()));
    }
    if output.exists() || Format::by_file_name(output).is_some() {
        let to = args.to.name();
        return Err(anyhow::anyhow!("-o {}: not a folder", output.display()))
            .written_by_user()
            .hint(format!("for one file, `kyomi convert IN --to {to} -o - > OUT`"));
    }
    std::fs::create_dir_all(output)
        .with_context(|| format!("making the folder {}", output.display()))?;
    Ok(Target::Folder(output.clone()))
}

/// The inputs to convert. It is an error if there are none.
fn inputs(args: &ConvertArgs, target: &Target) -> anyhow::Result<FoundFiles> {
    let out = match target {
        Target::Folder(folder) => Some(folder.as_path()),
        Target::Beside | Target::Stream => None,
    };
    if args.inputs.is_empty() {
        if io::stdin().is_terminal() {
            return Err(anyhow::Error::msg("nothing to convert"))
                .written_by_user()
                .hint("name files or folders, or - for standard input");
        }
        return Ok(FoundFiles { sources: vec![Source::stdin()], ..FoundFiles::default() });
    }
    let found = find(&args.inputs, out);
    if found.sources.is_empty() && found.faults.is_empty() {
        let named: Vec<_> = args.inputs.iter().map(|input| input.display().to_string()).collect();
        return Err(anyhow::anyhow!("nothing to convert in {}", named.join(", "))).hint(format!(
            "of a folder, files are taken by their extension ({}); others can be named one by one",
            help::all_extensions()
        ));
    }
    Ok(found)
}

/// Checks the use of standard output: it takes either records or JSON, and binary records only if it is not a terminal.
fn check_stream(args: &ConvertArgs, context: &Context, to_stream: bool) -> anyhow::Result<()> {
    if to_stream && args.json {
        return Err(anyhow::Error::msg("--json: standard output takes the records already"))
            .written_by_user()
            .hint("write them to a folder with -o DIR");
    }
    if to_stream && args.to.is_binary() && context.output.is_terminal() {
        return Err(anyhow::anyhow!(
            "{} is binary, and standard output is a terminal",
            args.to.name()
        ))
        .written_by_user()
        .hint("write to a file with > OUT, or to a folder with -o DIR");
    }
    Ok(())
}

/// Handles Ctrl-C: the first stops after the current file (in standard input at once), the second within it.
fn listen(
    context: &Context,
    bar: &ProgressBar,
    stopping: &'static str,
) -> anyhow::Result<(NetworkRuntime, Signals)> {
    let runtime = context.network_runtime()?;
    let signals = runtime.block_on(async { Signals::listen(SignalScope::Files) })?;
    let (finish, bar) = (signals.finish.clone(), bar.clone());
    runtime.spawn(async move {
        finish.cancelled().await;
        bar.print(stopping);
    });
    Ok((runtime, signals))
}

const STOPPING: &str = "stopping after this file; Ctrl-C again stops in it";

/// Reports on the conversion: lines and progress on standard error, JSON on standard output.
struct Messages<'a> {
    args: &'a ConvertArgs,
    context: &'a Context,
    bar: ProgressBar,
    /// The number of bytes of the files that are done.
    done: u64,
    files: usize,
    games: usize,
    /// The number of lines printed about warnings and omissions.
    shown: usize,
    /// The number of such lines that were not printed.
    hidden: usize,
}

impl Drop for Messages<'_> {
    fn drop(&mut self) {
        // An error has a line of its own.
        self.bar.clear();
    }
}

impl<'a> Messages<'a> {
    fn new(args: &'a ConvertArgs, context: &'a Context, sources: &[Source]) -> Self {
        let total = sources.iter().map(|source| source.bytes).sum();
        let bar = ProgressBar::new(total, args.quiet);
        Self { args, context, bar, done: 0, files: 0, games: 0, shown: 0, hidden: 0 }
    }

    fn progress(&self, progress: Progress) {
        self.bar.set(self.done + progress.bytes, || {
            let games = counted(self.games + progress.games, "game");
            format!("{}, {games}", counted(self.files, "file"))
        });
    }

    fn not_found(&self, path: &Path, fault: ConvertError) -> io::Result<()> {
        let name = path.display().to_string();
        self.line(&format!("{name}: {fault}"));
        self.json(&name, &FileReport::of_fault(fault))
    }

    fn done(&mut self, source: &Source, report: &FileReport) -> io::Result<()> {
        self.files += 1;
        self.games += report.games;
        self.done += source.bytes;
        let name = source.name();
        if self.args.verbose {
            self.line(&summary(&name, report));
        }
        let most = if self.args.verbose { usize::MAX } else { MOST_FAULTS };
        for fault in report.faults.first.iter().take(most) {
            self.line(&format!("{name}: {fault}"));
        }
        let more = report.faults.count - report.faults.first.len().min(most);
        if more > 0 {
            self.line(&format!("{name}: and {more} more errors"));
        }
        if !self.args.quiet {
            self.warnings(&name, report);
        }
        self.json(&name, report)
    }

    /// Prints what was ignored in reading and omitted in writing.
    fn warnings(&mut self, name: &str, report: &FileReport) {
        let (warnings, count) = (&report.warnings.first, report.warnings.count);
        if self.args.verbose {
            for warning in warnings {
                self.line(&format!("{name}: warning: {warning}"));
            }
            if report.warnings.dropped() > 0 {
                self.line(&format!("{name}: and {} more warnings", report.warnings.dropped()));
            }
        } else if let Some(first) = warnings.first() {
            let more = if count > 1 { format!(" (and {} more)", count - 1) } else { String::new() };
            self.limited(&format!("{name}: warning: {first}{more}"));
        }
        if !report.omissions.is_empty() {
            let to = self.args.to.name();
            self.limited(&format!("{name}: lost in {to}: {}", report.omissions));
        }
    }

    /// Prints a line of a kind that may be very frequent, up to a limit.
    fn limited(&mut self, line: &str) {
        if self.shown < MOST_REMARKS || self.args.verbose {
            self.shown += 1;
            self.line(line);
        } else {
            self.hidden += 1;
        }
    }

    fn finish(&self, totals: &Totals, others: usize) -> io::Result<()> {
        self.bar.clear();
        if self.hidden > 0 {
            self.line(&format!("and {} more such lines; all of them with -v", self.hidden));
        }
        if !self.args.quiet {
            if others > 0 {
                let them = if others == 1 { "it" } else { "them" };
                let others = counted(others, "file");
                self.line(&format!(
                    "{others} in the folders ignored: without the extension of a record, or files of \
                     `kyomi analyze`; name {them} to convert {them}"
                ));
            }
            self.line(&totals.to_string());
        }
        self.context.output.clone().flush()
    }

    fn line(&self, text: &str) {
        self.bar.print(text);
    }

    fn json(&self, name: &str, report: &FileReport) -> io::Result<()> {
        if !self.args.json {
            return Ok(());
        }
        let outputs: Vec<_> =
            report.outputs.iter().map(|path| path.display().to_string()).collect();
        let object = json!({
            "input": name,
            "outputs": outputs,
            "format": report.format.map(Format::name),
            "encoding": report.encoding.or(report.guessed).map(encoding_name),
            "games": report.games,
            "losses": omissions_json(&report.omissions),
            "warnings": report.warnings.first.iter().map(|warning| {
                with_place(Some(warning.place), &warning.text)
            }).collect::<Vec<_>>(),
            "warning_count": report.warnings.count,
            "errors": report.faults.first.iter().map(error_json).collect::<Vec<_>>(),
            "error_count": report.faults.count,
        });
        writeln!(self.context.output.clone(), "{object}")
    }
}

/// `a.kif: kif in shift_jis, 1 game → a.csa`.
fn summary(name: &str, report: &FileReport) -> String {
    let format = report.format.map_or("unknown", Format::name);
    let encoding = report
        .encoding
        .or(report.guessed)
        .map(|encoding| format!(" in {}", encoding_name(encoding)))
        .unwrap_or_default();
    let games = counted(report.games, "game");
    let outputs = match report.outputs.as_slice() {
        [] => String::new(),
        [one] => format!(" → {}", one.display()),
        [first, .., last] => format!(" → {} … {}", first.display(), last.display()),
    };
    format!("{name}: {format}{encoding}, {games}{outputs}")
}

/// The name of an encoding as on the command line.
fn encoding_name(encoding: Encoding) -> String {
    encoding.name().to_ascii_lowercase()
}

fn omissions_json(omissions: &Omissions) -> Value {
    let parts = omissions.iter().map(|(part, count)| (part.to_string(), count.into()));
    Value::Object(parts.collect::<Map<_, _>>())
}

fn error_json(fault: &ConvertError) -> Value {
    with_place(fault.place(), &fault.to_string())
}

/// A text with its place.
fn with_place(place: Option<Place>, text: &str) -> Value {
    match place {
        None => json!({ "text": text }),
        Some(Place::Text { line, column }) => {
            json!({ "line": line, "column": column, "text": text })
        }
        Some(Place::Row { row, byte }) => json!({ "row": row, "byte": byte, "text": text }),
    }
}

/// The largest number of lines about errors of one file.
const MOST_FAULTS: usize = 20;

/// The largest number of lines about warnings and omissions of all files.
const MOST_REMARKS: usize = 50;
