//! How many mate problems the mate search solves, and how fast.
//!
//! ```sh
//! cargo bench --bench mates -- ../shared/data/mates.tsv                     # all of them, 1 s each
//! cargo bench --bench mates -- ../shared/data/mates.tsv --step 10 --ms 100  # every tenth, 0.1 s each
//! cargo bench --bench mates -- ../shared/data/mates_classic.tsv --ms 10000
//! ```
//!
//! `--mib N` is the size of the table (64), `--list` names what is not solved. A row for each length that the file
//! states, in the order met. Each line found is played out: the attacker's moves check, all are legal, the last one
//! mates. `denied` are problems of which the search says that there is no mate: 0 unless there is a fault.

#![allow(clippy::print_stdout, reason = "the table is what this program is for")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use kyomi_engine::search::{MateLimits, MateOutcome, MateSearch, StopFlag, is_mate_line};
use kyomi_shogi::Position;

#[derive(Debug, Default)]
struct Row {
    length: String,
    all: usize,
    solved: usize,
    wrong: usize,
    denied: usize,
    shortest: usize,
    plies: usize,
    nodes: u64,
    time: Duration,
    longest: Duration,
}

struct Settings {
    file: String,
    step: usize,
    time: Duration,
    bytes: u64,
    list: bool,
}

fn main() -> ExitCode {
    let Some(settings) = settings() else {
        println!("usage: mates FILE [--step N] [--ms N] [--mib N] [--list]");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&settings.file) {
        Ok(text) => text,
        Err(error) => {
            println!("{}: {error}", settings.file);
            return ExitCode::from(1);
        }
    };
    let rows = measure(&text, &settings);
    print(&rows);
    let faults: usize = rows.iter().map(|row| row.wrong + row.denied).sum();
    ExitCode::from(u8::from(faults > 0))
}

fn settings() -> Option<Settings> {
    let mut settings = Settings {
        file: String::new(),
        step: 1,
        time: Duration::from_secs(1),
        bytes: 64 << 20,
        list: false,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            // What cargo adds.
            "--bench" => {}
            "--step" => settings.step = words.next()?.parse().ok().filter(|&step| step > 0)?,
            "--ms" => settings.time = Duration::from_millis(words.next()?.parse().ok()?),
            "--mib" => settings.bytes = words.next()?.parse::<u64>().ok()?.checked_mul(1 << 20)?,
            "--list" => settings.list = true,
            _ => settings.file = word,
        }
    }
    (!settings.file.is_empty()).then_some(settings)
}

/// The problems of a file with a header line that names the columns `sfen` and `length`.
fn measure(text: &str, settings: &Settings) -> Vec<Row> {
    let mut lines = text.lines();
    let header: Vec<&str> =
        lines.next().unwrap_or("").trim_start_matches('#').split('\t').collect();
    let column = |name| header.iter().position(|&word| word == name).unwrap_or(usize::MAX);
    let (sfen, length) = (column("sfen"), column("length"));
    let mut rows: Vec<Row> = Vec::new();
    let mut search = MateSearch::new(settings.bytes);
    let problems: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    for line in problems.iter().step_by(settings.step) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (Some(sfen), Some(&length)) = (cells.get(sfen), cells.get(length)) else {
            println!("a line without position or length: {line}");
            continue;
        };
        let position = match Position::from_sfen(sfen) {
            Ok(position) => position,
            Err(error) => {
                println!("{sfen}: {error}");
                continue;
            }
        };
        // Published lengths that nobody has proven, and none at all, share a row.
        let name = if length.parse::<usize>().is_ok() { length } else { "?" };
        let at = rows.iter().position(|row| row.length == name).unwrap_or(rows.len());
        if at == rows.len() {
            rows.push(Row { length: name.to_owned(), ..Row::default() });
        }
        let started = Instant::now();
        let limits = MateLimits { deadline: Some(started + settings.time), nodes: None };
        let outcome = search.solve(&position, &limits, &StopFlag::new());
        let time = started.elapsed();
        let row = &mut rows[at];
        row.all += 1;
        row.nodes += search.nodes();
        row.time += time;
        row.longest = row.longest.max(time);
        match &outcome {
            MateOutcome::Mate { line, .. } => {
                row.solved += 1;
                row.wrong += usize::from(!is_mate_line(&position, line));
                row.shortest += usize::from(length.parse() == Ok(line.len()));
                row.plies += line.len();
            }
            MateOutcome::NoMate => row.denied += 1,
            MateOutcome::Unknown => {}
        }
        if settings.list && !matches!(outcome, MateOutcome::Mate { .. }) {
            println!("{outcome:?} after {} nodes: {line}", search.nodes());
        }
    }
    rows
}

fn print(rows: &[Row]) {
    println!(
        "| length | problems | solved | wrong | denied | shortest | plies | nodes | ms | longest ms |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for row in rows {
        let all = row.all.max(1) as f64;
        println!(
            "| {} | {} | {} ({:.1} %) | {} | {} | {} | {:.1} | {:.0} | {:.2} | {:.0} |",
            row.length,
            row.all,
            row.solved,
            100.0 * row.solved as f64 / all,
            row.wrong,
            row.denied,
            row.shortest,
            row.plies as f64 / row.solved.max(1) as f64,
            row.nodes as f64 / all,
            1000.0 * row.time.as_secs_f64() / all,
            1000.0 * row.longest.as_secs_f64(),
        );
    }
}
