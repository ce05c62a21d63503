//! `kyomi-lab agreement` and `growth`: engines search the positions of a table.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use tokio::runtime::Handle;

use crate::studies::{
    AgreementStudy, CourseError, CourseRequest, Courses, GrowthStudy, References, growth_page,
    growth_text, number, run_courses,
};

use super::fit::run_stoppable;
use super::studies::print;
use kyomi::archive::{Sync, write_atomic};
use kyomi::cli::{Context, Meter, ResultExt};
use kyomi::matches::{Contestant, MatchControl, StoreError};
use kyomi::players::{MoveLimit, PlayerSpec};

/// What both studies need.
#[derive(Debug, Clone, Args)]
struct CourseArgs {
    /// A table of positions with the columns sfen and best
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// An engine: KIND [KEY=VALUE]... as in `kyomi match`; may be repeated
    #[arg(long = "engine", value_name = "PLAYER", required = true)]
    engines: Vec<String>,
    /// Use only the first N positions
    #[arg(long, value_name = "N")]
    rows: Option<NonZeroUsize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Arguments of `kyomi-lab agreement`.
#[derive(Debug, Clone, Args)]
pub(crate) struct AgreementArgs {
    #[command(flatten)]
    courses: CourseArgs,
    /// Nodes of the searches, separated by commas
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "2500,10000,40000,160000", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Vec<u64>,
    /// The folder of the run; the same command with the same folder resumes it
    #[arg(long, value_name = "DIR", default_value = "logs/agreement")]
    out: PathBuf,
}

/// Arguments of `kyomi-lab growth`.
#[derive(Debug, Clone, Args)]
pub(crate) struct GrowthArgs {
    #[command(flatten)]
    courses: CourseArgs,
    /// Nodes of each search
    #[arg(long, value_name = "N", default_value_t = 160_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// The folder of the run, with the page growth.html; the same command with the same folder resumes it
    #[arg(long, value_name = "DIR", default_value = "logs/growth")]
    out: PathBuf,
}

pub(super) const AGREEMENT_EXAMPLES: &str = "\
Example:
  kyomi-lab agreement deep_moves.tsv --engine 'builtin name=own Preset=lmr hash=64'
      --engine 'usi name=peer path=engines/peer Threads=1 PvInterval=0 hash=64' --out logs/agreement/peer

Each search begins a new game and has this number of nodes. The best move of the table is kept from the report on
that all later ones name it, up to the end. Built-in engines report completed iterations. YaneuraOu reports all of
them with PvInterval=0.

Ctrl-C stops the run, and the table has what is done. The same command resumes it, with more --rows too.";

pub(super) const GROWTH_EXAMPLES: &str = "\
Example:
  kyomi-lab growth deep_moves.tsv --nodes 160000 --engine 'builtin name=own Preset=lmr hash=64'
      --engine 'usi name=peer path=engines/peer Threads=1 PvInterval=0 hash=64' --out logs/growth/peer

Built-in engines search each position twice: for the time, and to count where the nodes go. Of USI engines only what
their info lines state is known: depth, nodes, time, the longest line, the used part of the table.

Ctrl-C stops the run, and the tables have what is done. The same command resumes it, with more --rows too.";

/// Runs `kyomi-lab agreement`.
pub(crate) fn agreement(args: &AgreementArgs, context: &Context) -> anyhow::Result<()> {
    let mut nodes = args.nodes.clone();
    nodes.sort_unstable();
    nodes.dedup();
    let request = args.courses.request("agreement", nodes, false)?;
    let study = AgreementStudy::new(&searched(request, &args.out, context)?);
    print(context, args.courses.json, &study, agreement_text)
}

/// Runs `kyomi-lab growth`.
pub(crate) fn growth(args: &GrowthArgs, context: &Context) -> anyhow::Result<()> {
    let request = args.courses.request("growth", vec![args.nodes], true)?;
    let study = GrowthStudy::new(&searched(request, &args.out, context)?);
    let page = args.out.join("growth.html");
    write_atomic(&page, growth_page(&study).as_bytes(), Sync::Later)
        .map_err(|error| anyhow!("writing {}: {error}", page.display()))?;
    print(context, args.courses.json, &study, growth_text)
}

impl CourseArgs {
    fn request(
        &self,
        study: &'static str,
        nodes: Vec<u64>,
        counts: bool,
    ) -> anyhow::Result<CourseRequest> {
        // The limit of a player has no effect.
        let control = MatchControl::Each(MoveLimit::Nodes(1));
        let mut engines: Vec<Contestant> = Vec::new();
        for (text, letter) in self.engines.iter().zip('A'..) {
            let engine = Contestant::parse(text, Some(control), &letter.to_string());
            let engine = engine.written_by_user()?;
            if engine.control != control || engine.room.is_some() {
                return Err(anyhow!("--engine '{text}': a clock, a limit or a room has no effect"))
                    .written_by_user()
                    .hint("leave it out; --nodes limits the searches");
            }
            if engine.ponder || engine.restart || has_book(&engine.spec) {
                return Err(anyhow!(
                    "--engine '{text}': a book, pondering or a restart has no effect"
                ))
                .written_by_user()
                .hint("leave it out; every search begins a new game");
            }
            if engines.iter().any(|other| other.name == engine.name) {
                return Err(anyhow!("two engines are called '{}'", engine.name))
                    .written_by_user()
                    .hint("give one of them another name=");
            }
            engines.push(engine);
        }
        let references =
            References::read(&self.file, self.rows.map_or(usize::MAX, NonZeroUsize::get))
                .written_by_user()?;
        Ok(CourseRequest { study, engines, references, nodes, counts })
    }
}

fn has_book(spec: &PlayerSpec) -> bool {
    match spec {
        PlayerSpec::Builtin(spec) => spec.book.spec().is_some(),
        PlayerSpec::Usi(spec) => spec.book.is_some(),
        PlayerSpec::Random(_) => false,
    }
}

/// Runs the searches, or those that are left.
fn searched(request: CourseRequest, dir: &Path, context: &Context) -> anyhow::Result<Courses> {
    let all = request.references.len();
    let folder = dir.to_owned();
    let courses = run_stoppable(context, move |stop| {
        let mut meter = Meter::new(20);
        let mut show = |rows| meter.show(&format!("{rows} of {all} positions"), rows, rows);
        let courses = run_courses(&request, &folder, &Handle::current(), stop, &mut show);
        meter.finish();
        courses.or_else(|error| match error {
            CourseError::Settings { .. } | CourseError::Store(StoreError::Other { .. }) => {
                Err(error).written_by_user()
            }
            _ => Err(error.into()),
        })
    })?;
    if courses.rows.len() < all {
        let _ = writeln!(io::stderr(), "the same command resumes the run in {}", dir.display());
    }
    Ok(courses)
}

fn agreement_text(study: &AgreementStudy) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    writeln!(text, "{} positions\n", study.positions)?;
    writeln!(text, "{:16} {:>9}  {:>5}  {:>14}  kept after", "engine", "nodes", "hits", "share")?;
    for it in &study.engines {
        let [share, error] = [it.share.value, it.share.error].map(|share| share * 100.0);
        let (engine, nodes, hits, kept) = (&it.engine, it.nodes, it.hits, number(it.kept_after, 0));
        writeln!(text, "{engine:16} {nodes:9}  {hits:5}  {share:5.1} ± {error:3.1} %  {kept:>10}")?;
    }
    if !study.pairs.is_empty() {
        writeln!(
            text,
            "\nagainst the first engine; nodes for each of its own where both keep the move\n"
        )?;
        writeln!(text, "{:16} {:>9}  {:>15}  {:>5}  nodes", "engine", "nodes", "hits", "both")?;
    }
    for it in &study.pairs {
        let [share, error] = [it.difference.value, it.difference.error].map(|share| share * 100.0);
        let (engine, nodes, both, ratio) = (&it.engines[1], it.nodes, it.both, number(it.ratio, 2));
        writeln!(
            text,
            "{engine:16} {nodes:9}  {share:+6.1} ± {error:3.1} %  {both:5}  {ratio:>5}"
        )?;
    }
    Ok(text)
}
