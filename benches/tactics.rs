//! How many next-move problems the engine solves in a fixed time or number of nodes, by class.
//!
//! ```sh
//! cargo bench --bench tactics -- ../shared/data/tactics.tsv --set set298               # 1 s each, one thread
//! cargo bench --bench tactics -- ../shared/data/tactics.tsv --nodes 100000             # the same on every machine
//! cargo bench --bench tactics -- ../shared/data/tactics.tsv --option Preset=lmr --list # also lists the misses
//! ```
//!
//! A problem is solved if the answer is the file's move when the limit is reached. `--set COLUMN` takes only the rows
//! with `yes` in that column. The table is emptied before each problem. `found` is the mean share of the limit that
//! had passed when the answer of a solved problem was last changed to the right move.

#![allow(clippy::print_stdout, reason = "the table is what this program is for")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use kyomi_engine::search::{
    Parameters, SearchLimits, SearchOptions, Searcher, StopFlag, TimeLimit,
};
use kyomi_shogi::clock::Budget;
use kyomi_shogi::{Game, Position, notation::usi};

const USAGE: &str = "usage: tactics FILE [--set COLUMN] [--ms N | --nodes N] [--threads N] [--mib N] \
                     [--option NAME=VALUE]... [--list]";

struct Settings {
    file: String,
    set: Option<String>,
    time: Duration,
    nodes: Option<u64>,
    search: SearchOptions,
    list: bool,
}

/// A problem of the file.
struct Problem {
    id: String,
    class: String,
    sfen: String,
    best: String,
}

#[derive(Debug, Default)]
struct Row {
    class: String,
    all: usize,
    solved: usize,
    found: f64,
    nodes: u64,
    depth: u64,
}

fn main() -> ExitCode {
    let settings = match settings() {
        Ok(settings) => settings,
        Err(fault) => {
            println!("{fault}");
            return ExitCode::from(2);
        }
    };
    match measure(&settings) {
        Ok(rows) => {
            print(&rows);
            ExitCode::SUCCESS
        }
        Err(fault) => {
            println!("{fault}");
            ExitCode::from(1)
        }
    }
}

fn settings() -> Result<Settings, String> {
    let mut settings = Settings {
        file: String::new(),
        set: None,
        time: Duration::from_secs(1),
        nodes: None,
        search: SearchOptions { threads: 1, ..SearchOptions::default() },
        list: false,
    };
    let mut parameters = Parameters::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value =
            || words.next().ok_or_else(|| format!("{word}: a value is missing\n{USAGE}"));
        match word.as_str() {
            // What cargo adds.
            "--bench" => {}
            "--set" => settings.set = Some(value()?),
            "--ms" => settings.time = Duration::from_millis(number(&word, &value()?)?),
            "--nodes" => settings.nodes = Some(number(&word, &value()?)?),
            "--threads" => settings.search.threads = number(&word, &value()?)? as usize,
            "--mib" => settings.search.hash_bytes = number(&word, &value()?)? << 20,
            "--option" => {
                let option = value()?;
                let (name, value) = option
                    .split_once('=')
                    .ok_or_else(|| format!("--option {option}: expected NAME=VALUE"))?;
                parameters
                    .set(name, value)
                    .map_err(|error| format!("--option {option}: {error}"))?;
            }
            "--list" => settings.list = true,
            _ if settings.file.is_empty() && !word.starts_with('-') => settings.file = word,
            _ => return Err(format!("{word}: not known\n{USAGE}")),
        }
    }
    settings.search.parameters = parameters.into();
    if settings.file.is_empty() { Err(USAGE.to_owned()) } else { Ok(settings) }
}

fn number(word: &str, text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&number| number > 0 && number < 1 << 40);
    number.ok_or_else(|| format!("{word} {text}: expected a number from 1 on"))
}

/// The problems of a file whose header line names the columns `id`, `class`, `sfen` and `best`.
fn problems(settings: &Settings) -> Result<Vec<Problem>, String> {
    let file = &settings.file;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let mut lines = text.lines();
    let header: Vec<&str> =
        lines.next().unwrap_or("").trim_start_matches('#').split('\t').collect();
    let column = |name: &str| {
        let at = header.iter().position(|&word| word == name);
        at.ok_or_else(|| format!("{file}: the header line has no column {name:?}"))
    };
    let (id, class, sfen, best) =
        (column("id")?, column("class")?, column("sfen")?, column("best")?);
    let set = settings.set.as_deref().map(column).transpose()?;
    let mut problems = Vec::new();
    for line in lines.filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |at: usize| cells.get(at).map_or("", |cell| cell.trim());
        if set.is_none_or(|at| cell(at) == "yes") {
            let text = |at| cell(at).to_owned();
            problems.push(Problem {
                id: text(id),
                class: text(class),
                sfen: text(sfen),
                best: text(best),
            });
        }
    }
    Ok(problems)
}

fn measure(settings: &Settings) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    let mut searcher = Searcher::new(settings.search.clone()).map_err(|error| error.to_string())?;
    for Problem { id, class, sfen, best } in problems(settings)? {
        let position = Position::from_sfen(&sfen).map_err(|error| format!("{id}: {error}"))?;
        let right = usi::parse_move(&best).map_err(|error| format!("{id}: {best}: {error}"))?;
        let at = rows.iter().position(|row| row.class == class).unwrap_or(rows.len());
        if at == rows.len() {
            rows.push(Row { class, ..Row::default() });
        }
        searcher.new_game();
        let time = TimeLimit {
            started: Instant::now(),
            budget: Budget::fixed(settings.time),
            nodes_per_second: None,
        };
        let limits = SearchLimits {
            nodes: settings.nodes,
            time: settings.nodes.is_none().then_some(time),
            ..SearchLimits::default()
        };
        // When the first line last began to be the right move.
        let mut since = None;
        let result = searcher.search(&Game::new(position), &limits, &StopFlag::new(), |info| {
            let is_right = info.pv.first() == Some(&right);
            let passed = match settings.nodes {
                Some(nodes) => info.nodes as f64 / nodes as f64,
                None => time.started.elapsed().as_secs_f64() / settings.time.as_secs_f64(),
            };
            since = if is_right { since.or(Some(passed)) } else { None };
        });
        let row = &mut rows[at];
        row.all += 1;
        row.nodes += result.nodes;
        row.depth += u64::from(result.depth);
        if result.best == Some(right) {
            row.solved += 1;
            row.found += since.unwrap_or(1.0).min(1.0);
        } else if settings.list {
            let played = result.best.map_or_else(|| "none".to_owned(), |mv| mv.to_string());
            println!("{id}: {played} for {best}, {:?}: {sfen}", result.score);
        }
    }
    rows.sort_by(|a, b| a.class.cmp(&b.class));
    Ok(rows)
}

fn print(rows: &[Row]) {
    println!("| class | problems | solved | found | depth | thousand nodes |");
    println!("|---:|---:|---:|---:|---:|---:|");
    let mut total = Row { class: "all".to_owned(), ..Row::default() };
    for row in rows {
        print_row(row);
        total.all += row.all;
        total.solved += row.solved;
        total.found += row.found;
        total.nodes += row.nodes;
        total.depth += row.depth;
    }
    print_row(&total);
}

fn print_row(row: &Row) {
    let all = row.all.max(1) as f64;
    println!(
        "| {} | {} | {} ({:.1} %) | {:.2} | {:.1} | {:.0} |",
        row.class,
        row.all,
        row.solved,
        100.0 * row.solved as f64 / all,
        row.found / row.solved.max(1) as f64,
        row.depth as f64 / all,
        row.nodes as f64 / all / 1000.0,
    );
}
