//! `kyomi perft`: counts the leaves of the tree of legal moves.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use super::{Context, fault::ResultExt};
use kyomi_record::read_bounded;
use kyomi_shogi::Position;
use kyomi_shogi::perft::{MAX_DEPTH, SuiteRow, divide, parse_suite, perft};

/// Arguments of `kyomi perft`.
#[derive(Debug, Args)]
pub(crate) struct PerftArgs {
    /// Position as one quoted SFEN, or `startpos`
    #[arg(required_unless_present = "suite")]
    sfen: Option<String>,
    /// Depth in plies
    #[arg(required_unless_present = "suite", value_parser = clap::value_parser!(u32).range(..=i64::from(MAX_DEPTH)))]
    depth: Option<u32>,
    /// Also print the count below each move
    #[arg(long)]
    divide: bool,
    /// Instead check every row of a table (lines of sfen,depth,nodes), on all cores
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sfen", "depth", "divide"])]
    suite: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs `kyomi perft`.
pub(crate) fn run(args: &PerftArgs, context: &Context) -> anyhow::Result<()> {
    if let Some(path) = &args.suite {
        return suite(path, args.json, context);
    }
    let (Some(sfen), Some(depth)) = (&args.sfen, args.depth) else {
        return Err(anyhow::Error::msg("a position and a depth are needed")).written_by_user();
    };
    let mut position = match sfen.as_str() {
        "startpos" => Position::startpos(),
        text => Position::from_sfen(text)
            .with_context(|| format!("the SFEN '{text}'"))
            .written_by_user()
            .hint("put the whole SFEN in quotes, or write startpos")?,
    };
    let started = Instant::now();
    let moves = if args.divide && depth > 0 { divide(&mut position, depth) } else { Vec::new() };
    let nodes = if moves.is_empty() {
        perft(&mut position, depth)
    } else {
        moves.iter().map(|(_, nodes)| nodes).sum()
    };
    let spent = started.elapsed();
    let mut moves: Vec<_> = moves.into_iter().map(|(mv, nodes)| (mv.to_string(), nodes)).collect();
    moves.sort();
    let mut output = context.output.clone();
    if args.json {
        let below = |(mv, nodes): &(String, u64)| json!({"move": mv, "nodes": nodes});
        let mut answer = json!({
            "sfen": position.to_sfen(),
            "depth": depth,
            "nodes": nodes,
            "seconds": spent.as_secs_f64(),
            "nps": per_second(nodes, spent),
        });
        if args.divide {
            answer["moves"] = moves.iter().map(below).collect();
        }
        writeln!(output, "{answer}")?;
    } else {
        for (mv, nodes) in moves {
            writeln!(output, "{mv} {nodes}")?;
        }
        writeln!(output, "time {:.3} s", spent.as_secs_f64())?;
        writeln!(output, "nps {}", per_second(nodes, spent))?;
        writeln!(output, "nodes {nodes}")?;
    }
    Ok(output.flush()?)
}

/// Counts every row of a table and compares the counts.
fn suite(path: &Path, as_json: bool, context: &Context) -> anyhow::Result<()> {
    let place = || format!("reading {}", path.display());
    let file = File::open(path).with_context(place).written_by_user()?;
    let bytes = read_bounded(file, MOST_BYTES).with_context(place).written_by_user()?;
    let rows =
        parse_suite(&String::from_utf8_lossy(&bytes)).with_context(place).written_by_user()?;
    let started = Instant::now();
    let mut output = context.output.clone();
    let (mut nodes, mut wrong, mut answers) = (0, 0, Vec::new());
    count_all(&rows, |row, found, spent| {
        nodes += found;
        let right = found == row.nodes;
        wrong += usize::from(!right);
        let sfen = row.position.to_sfen();
        let (line, depth, expected) = (row.line, row.depth, row.nodes);
        if as_json {
            answers.push(json!({
                "line": line, "sfen": sfen, "depth": depth, "nodes": found,
                "expected": expected, "ok": right, "seconds": spent.as_secs_f64(),
            }));
            return Ok(());
        }
        if right {
            writeln!(output, "ok line {line} depth {depth} nodes {found} {sfen}")
        } else {
            let found = format!("nodes {found} instead of {expected}");
            writeln!(output, "WRONG line {line} depth {depth} {found} {sfen}")
        }
    })?;
    let (spent, rows) = (started.elapsed(), rows.len());
    if as_json {
        let answer = json!({
            "rows": answers, "wrong": wrong, "nodes": nodes,
            "seconds": spent.as_secs_f64(), "nps": per_second(nodes, spent),
        });
        writeln!(output, "{answer}")?;
    } else {
        writeln!(output, "rows {rows} wrong {wrong}")?;
        writeln!(output, "time {:.3} s", spent.as_secs_f64())?;
        writeln!(output, "nps {}", per_second(nodes, spent))?;
        writeln!(output, "nodes {nodes}")?;
    }
    output.flush()?;
    anyhow::ensure!(wrong == 0, "{wrong} of {rows} rows are wrong");
    Ok(())
}

/// Counts all rows on all cores. Passes the counts to `take` in the order of the rows, each as soon as it is available.
fn count_all<E>(
    rows: &[SuiteRow],
    mut take: impl FnMut(&SuiteRow, u64, Duration) -> Result<(), E>,
) -> Result<(), E> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(rows.len());
    // The next row for a free thread; an error of `take` ends the work.
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, counted) = mpsc::channel();
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(row) = rows.get(at) else { return };
                    let started = Instant::now();
                    let nodes = perft(&mut row.position.clone(), row.depth);
                    if sender.send((at, nodes, started.elapsed())).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = vec![None; rows.len()];
        let mut taken = 0;
        for (at, nodes, spent) in counted {
            waiting[at] = Some((nodes, spent));
            while let Some((nodes, spent)) = waiting.get(taken).copied().flatten() {
                if let Err(error) = take(&rows[taken], nodes, spent) {
                    next.store(rows.len(), Ordering::Relaxed);
                    return Err(error);
                }
                taken += 1;
            }
        }
        Ok(())
    })
}

/// Nodes per second.
fn per_second(nodes: u64, spent: Duration) -> u64 {
    (nodes as f64 / spent.as_secs_f64().max(1e-9)) as u64
}

/// The size of the largest table in bytes, enough for a hundred thousand rows.
const MOST_BYTES: usize = 16 << 20;
