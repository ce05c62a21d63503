//! `kyomi analyze`: searches every position of games, judges the moves, and writes pages and annotated records.

mod arguments;
mod engine;
mod inputs;
mod outputs;
mod store;

use std::collections::HashSet;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};

use super::meter::Meter;
use super::{Context, ResultExt as _, SignalScope, Signals, interrupted};
use crate::report::analysis::{
    AnalysisProgress, AnalysisStore, Analyst, GameAnalysis, Mark, NoStore, WhyLimits, analyse,
    expect,
};
use crate::report::{GameReport, IndexEntry, index_page};
use crate::terminal::{clean, speech};
use kyomi_engine::eval::Evaluation;
use kyomi_engine::search::StopFlag;
use kyomi_record::{Format, Record, read_detected};
use kyomi_shogi::{Color, text::counted};

pub(crate) use arguments::AnalyzeArgs;
use engine::{analyst, position_limit, worker_analyst};
use inputs::{Job, jobs};
use outputs::{Outputs, write_output};
use store::IndexStore;

/// Runs `kyomi analyze`.
pub(crate) fn run(args: &AnalyzeArgs, context: &Context) -> anyhow::Result<()> {
    let runtime = context.network_runtime()?;
    let signals = runtime.block_on(async { Signals::listen(SignalScope::Work) })?;
    let stop = StopFlag::new();
    let (finish, flag) = (signals.finish.clone(), stop.clone());
    runtime.spawn(async move {
        finish.cancelled().await;
        flag.stop();
    });
    let jobs = jobs(args)?;
    let place = match &args.db {
        _ if args.no_store => None,
        Some(path) => Some(path.clone()),
        None => context.load_config(&args.config, Vec::new())?.records.index,
    };
    let store: Box<dyn AnalysisStore> = match place {
        None => Box::new(NoStore),
        Some(path) => Box::new(IndexStore::open(&path).written_by_user()?),
    };
    let evaluation = args.evaluation.load()?;
    let mut analyst = match &args.room {
        Some(room) => worker_analyst(args, room, &signals, &runtime, context)?,
        None => analyst(args, &evaluation, &stop, &runtime)?,
    };
    let mut run = Run {
        args,
        evaluation,
        context,
        store,
        stop,
        was_interrupted: false,
        analysed: 0,
        faults: 0,
        used: HashSet::new(),
        indexes: Vec::new(),
    };
    for job in &jobs {
        run.job(job, analyst.as_mut())?;
    }
    run.write_indexes()?;
    if run.was_interrupted {
        let done = counted(run.analysed, "game");
        return Err(interrupted(format_args!("the same command continues after {done}")));
    }
    let verb = if run.faults == 1 { "was" } else { "were" };
    anyhow::ensure!(run.faults == 0, "{} {verb} not analysed whole", counted(run.faults, "game"));
    Ok(())
}

/// A running analysis of all inputs.
struct Run<'a> {
    args: &'a AnalyzeArgs,
    evaluation: Evaluation,
    context: &'a Context,
    store: Box<dyn AnalysisStore>,
    stop: StopFlag,
    /// Whether something was left out because of a signal.
    was_interrupted: bool,
    analysed: usize,
    faults: usize,
    /// The names of the files written.
    used: HashSet<PathBuf>,
    indexes: Vec<IndexPage>,
}

/// The index page of a folder of outputs.
struct IndexPage {
    folder: PathBuf,
    /// The titles of the inputs.
    titles: Vec<String>,
    entries: Vec<IndexEntry>,
}

/// A file of records, and the places of its outputs.
struct InputFile<'a> {
    path: &'a Path,
    /// The file after it.
    next: Option<&'a Path>,
    /// The folder of its outputs.
    out: PathBuf,
    /// That folder, relative to the folder of the index.
    below: &'a Path,
    /// The name for messages.
    label: String,
}

impl InputFile<'_> {
    /// The name for messages of a game, which has a number if the file has several.
    fn label_of(&self, number: Option<usize>) -> String {
        match number {
            Some(number) => format!("{}, game {number}", self.label),
            None => self.label.clone(),
        }
    }
}

impl Run<'_> {
    fn job(&mut self, job: &Job, analyst: &mut dyn Analyst) -> anyhow::Result<()> {
        let mut entries = Vec::new();
        for (number, (path, below)) in job.files.iter().enumerate() {
            if self.note_signal() {
                break;
            }
            let name = clean(&path.display().to_string());
            let label = if job.files.len() > 1 {
                format!("{name} ({}/{})", number + 1, job.files.len())
            } else {
                name.clone()
            };
            let next = job.files.get(number + 1).map(|(path, _)| path.as_path());
            let file = InputFile { path, next, out: job.out.join(below), below, label };
            match self.file(&file, analyst, &mut entries) {
                Err(error) if !job.is_alone => self.warn(&name, &error),
                analysed => analysed?,
            }
        }
        if !job.has_index || entries.is_empty() {
            return Ok(());
        }
        match self.indexes.iter_mut().find(|index| index.folder == job.out) {
            Some(index) => {
                index.titles.push(job.title.clone());
                index.entries.extend(entries);
            }
            None => self.indexes.push(IndexPage {
                folder: job.out.clone(),
                titles: vec![job.title.clone()],
                entries,
            }),
        }
        Ok(())
    }

    /// Writes the index pages. Inputs whose outputs go to one folder share its page.
    fn write_indexes(&self) -> anyhow::Result<()> {
        for IndexPage { folder, titles, entries } in &self.indexes {
            let path = folder.join("index.html");
            let page = index_page(&titles.join(", "), entries);
            write_output(&path, page.as_bytes(), self.args.force)?;
            writeln!(self.context.output.clone(), "index: {}", path.display())?;
        }
        Ok(())
    }

    /// Says what is left out because of an error.
    fn warn(&mut self, name: &str, error: &anyhow::Error) {
        self.fault(&format!("{name}: {error:#}"));
    }

    /// Counts a game that is not analysed whole, and says why.
    fn fault(&mut self, text: &str) {
        self.faults += 1;
        speech::warn(text);
    }

    /// Analyses the games of one file, and adds their entries of the index.
    fn file(
        &mut self,
        file: &InputFile<'_>,
        analyst: &mut dyn Analyst,
        entries: &mut Vec<IndexEntry>,
    ) -> anyhow::Result<()> {
        let path = file.path;
        let reading = || format!("reading {}", path.display());
        let opened = File::open(path).with_context(reading).written_by_user()?;
        let (format, bytes) =
            read_detected(Some(path), opened).with_context(reading).written_by_user()?;
        let games = format.unwrap_or(Format::Csa2).read_each(&bytes).collect::<Vec<_>>();
        let (count, several) = (games.len(), games.len() > 1);
        let mut is_there = false;
        let mut games = games.into_iter().enumerate().peekable();
        while let Some((index, read)) = games.next() {
            let number = index + 1;
            if self.args.game.is_some_and(|wanted| wanted != number as u64) {
                continue;
            }
            is_there = true;
            if self.note_signal() {
                break;
            }
            let label = file.label_of(several.then_some(number));
            let read = read.map_err(anyhow::Error::new).and_then(|read| {
                read.record.start.check_playable().written_by_user()?;
                Ok(read)
            });
            let read = match read {
                Ok(read) => read,
                Err(error) if several && self.args.game.is_none() => {
                    self.warn(&label, &error);
                    continue;
                }
                Err(error) => return Err(error).with_context(reading),
            };
            if read.record.moves.is_empty() {
                let what = if format.is_some() { "a game without moves" } else { "no record" };
                anyhow::ensure!(several, "{label} is {what}; there is nothing to analyse");
                self.fault(&format!("{label} has no moves; left out"));
                continue;
            }
            if let Some(fault) = &read.fault {
                let text = clean(&fault.to_string());
                self.fault(&format!("{label}: {text}; analysed up to there"));
            }
            if analyst.searches_ahead() {
                let alone = self.args.game.is_some();
                self.announce(&read.record, analyst, || match games.peek() {
                    _ if alone => None,
                    Some((_, game)) => game.as_ref().ok().map(|read| read.record.clone()),
                    None => file.next.and_then(first_game),
                });
            }
            let number = several.then_some(number);
            entries.push(self.game(file, number, &label, &read.record, analyst)?);
        }
        if let Some(wanted) = self.args.game.filter(|_| !is_there) {
            let held = counted(count, "game");
            return Err(anyhow!("{}: no game {wanted}; the file has {held}", path.display()))
                .written_by_user();
        }
        Ok(())
    }

    /// Announces the searches of a game, and of the next one, which is searched while this one is explained.
    /// `next` may read a file, so that it is called when the searches of this game are announced.
    fn announce(
        &mut self,
        record: &Record,
        analyst: &mut dyn Analyst,
        next: impl FnOnce() -> Option<Record>,
    ) {
        expect(record, analyst, self.store.as_mut());
        if let Some(next) = next().filter(|it| it.start.check_playable().is_ok()) {
            expect(&next, analyst, self.store.as_mut());
        }
    }

    /// Analyses one game, writes its outputs and prints its summary. `number` is that of the game in a file with
    /// several. Returns the entry of the index.
    fn game(
        &mut self,
        file: &InputFile<'_>,
        number: Option<usize>,
        label: &str,
        record: &Record,
        analyst: &mut dyn Analyst,
    ) -> anyhow::Result<IndexEntry> {
        let mut meter = Meter::new(20);
        let analysis = analyse(record, analyst, self.store.as_mut(), |progress| {
            show(&mut meter, label, progress);
        });
        meter.finish();
        let analysis = analysis?;
        let mut report = GameReport::new(record, &analysis);
        let explained = (!self.args.no_why).then(|| self.explain(&mut report, label));
        // What comes after this is not interrupted.
        self.was_interrupted |= self.stop.is_stopped();
        let (kinds, force) = (&self.args.to, self.args.force);
        let outputs = Outputs::new(file.path, &file.out, number, kinds, force, &mut self.used);
        let written = outputs.write(&report, self.args.lang, !self.args.no_variations)?;
        self.summary(label, &report, explained, &written)?;
        self.analysed += usize::from(analysis.is_complete());
        Ok(entry(&report, outputs.page_below(file.below)))
    }

    /// Notes whether a signal came, and returns it: what comes now is left out.
    fn note_signal(&mut self) -> bool {
        self.was_interrupted |= self.stop.is_stopped();
        self.was_interrupted
    }

    /// Explains the mistakes. Returns the number of nodes searched, and the time.
    fn explain(&mut self, report: &mut GameReport<'_>, label: &str) -> (u64, Duration) {
        let started = Instant::now();
        let limits =
            WhyLimits::of(position_limit(self.args), self.evaluation.clone(), self.stop.clone());
        let mut meter = Meter::new(5);
        let nodes = report.explain(&limits, self.store.as_mut(), |done, of| {
            meter.show(&format!("{label}: why: {done} of {of}"), done, done);
        });
        meter.finish();
        (nodes, started.elapsed())
    }

    /// Prints what was found in a game.
    fn summary(
        &self,
        label: &str,
        report: &GameReport<'_>,
        explained: Option<(u64, Duration)>,
        written: &[PathBuf],
    ) -> anyhow::Result<()> {
        let mut output = self.context.output.clone();
        let judgement = &report.analysis.judgement;
        let [searches, stored] = report.analysis.searches;
        let plies = report.plies();
        let effort = match report.analysis.effort {
            (0, _) => String::new(),
            (nodes, time) => format!("; {nodes} nodes in {:.1} s", time.as_secs_f64()),
        };
        let why = match explained {
            None | Some((0, _)) => String::new(),
            Some((nodes, time)) => {
                format!("; why: {nodes} nodes in {:.1} s", time.as_secs_f64())
            }
        };
        writeln!(
            output,
            "{label}: {plies} moves; {searches} searches, {stored} known before{effort}{why}"
        )?;
        for side in Color::ALL {
            let figures = &judgement.sides[usize::from(side != Color::Black)];
            let accuracy =
                figures.accuracy.map_or_else(|| "-".to_owned(), |it| format!("{it:.1} %"));
            let marks: Vec<String> = Mark::ALL
                .into_iter()
                .rev()
                .filter(|mark| figures.marks[*mark as usize] > 0)
                .map(|mark| counted(figures.marks[mark as usize], mark.english()))
                .collect();
            let marks =
                if marks.is_empty() { "no marked move".to_owned() } else { marks.join(", ") };
            writeln!(output, "  {side}: accuracy {accuracy}; {marks}")?;
        }
        for &ply in &judgement.critical {
            let judged = judgement.moves.get(ply - 1).and_then(Option::as_ref);
            let (Some(judged), Some(made)) = (judged, report.record.moves.get(ply - 1)) else {
                continue;
            };
            let mark = judged.mark.map_or("", Mark::english);
            let better = judged.better.map_or(String::new(), |mv| format!(", better {mv}"));
            let loss = (judged.loss * 100.0).round();
            writeln!(output, "  {ply} {} {mark}, -{loss} %{better}", made.mv)?;
        }
        for path in written {
            writeln!(output, "  wrote {}", path.display())?;
        }
        Ok(output.flush()?)
    }
}

/// The first game of a file, if it can be read.
fn first_game(path: &Path) -> Option<Record> {
    let (format, bytes) = read_detected(Some(path), File::open(path).ok()?).ok()?;
    let game = format.unwrap_or(Format::Csa2).read_each(&bytes).next()?;
    Some(game.ok()?.record)
}

fn show(meter: &mut Meter, label: &str, progress: &AnalysisProgress) {
    let AnalysisProgress { done, of, stored, .. } = progress;
    let stored = if *stored > 0 { format!(", {stored} known before") } else { String::new() };
    meter.show(&format!("{label}: {done} of {of} positions{stored}"), *done, *done);
}

fn entry(report: &GameReport<'_>, href: Option<String>) -> IndexEntry {
    let header = &report.record.header;
    let GameAnalysis { judgement, .. } = report.analysis;
    let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".to_owned());
    let [black, white] = judgement.sides;
    IndexEntry {
        href,
        names: [name(&header.black), name(&header.white)],
        date: header.start_time.map(|time| time.to_string()),
        event: header.event.clone(),
        opening: report.opening.clone(),
        winner: report.record.winner(),
        end: report.record.end.as_ref().map_or(String::new(), |end| end.kind.word().to_owned()),
        plies: report.plies(),
        accuracy: [black.accuracy, white.accuracy],
        mistakes: [black, white].map(|side| side.marks[2] + side.marks[3]),
    }
}
