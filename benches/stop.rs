//! How long it takes from the word to stop to the answer.
//!
//! ```sh
//! cargo bench --bench stop                      # 1, 2 and 4 threads, 300 searches each
//! cargo bench --bench stop -- --count 1000 8    # so many searches with 8 threads
//! ```
//!
//! Each search is stopped after 2 to 12 ms, in positions of all kinds. What counts is the time from the call that
//! stops it to the return of the search in another thread, which waits for the result only: with no more threads than
//! cores that should be under 5 ms in 99 of 100 cases.

#![allow(clippy::print_stdout, reason = "the table is what this program is for")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use kyomi_engine::search::{SearchLimits, SearchOptions, Searcher, StopFlag, bench};
use kyomi_shogi::{Game, Position};

fn main() -> ExitCode {
    let (mut count, mut threads) = (300, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let number = match word.as_str() {
            // What cargo adds.
            "--bench" => continue,
            "--count" => words.next(),
            _ => Some(word.clone()),
        };
        match number.and_then(|number| number.parse::<usize>().ok()).filter(|&number| number > 0) {
            Some(number) if word == "--count" => count = number,
            Some(number) => threads.push(number),
            None => {
                println!("usage: stop [--count N] [THREADS]...");
                return ExitCode::from(2);
            }
        }
    }
    if threads.is_empty() {
        threads = vec![1, 2, 4];
    }
    println!(
        "| threads | searches | median ms | 90 % | 99 % | longest |\n|---:|---:|---:|---:|---:|---:|"
    );
    for threads in threads {
        let Some(mut times) = measure(threads, count) else {
            println!("{threads} threads could not be started");
            return ExitCode::from(1);
        };
        times.sort_unstable();
        let at = |percent: usize| {
            times
                .get((times.len() * percent / 100).min(times.len() - 1))
                .map_or(0.0, |time| time.as_secs_f64() * 1000.0)
        };
        println!(
            "| {threads} | {count} | {:.3} | {:.3} | {:.3} | {:.3} |",
            at(50),
            at(90),
            at(99),
            at(100)
        );
    }
    ExitCode::SUCCESS
}

/// The times from stop to answer of so many searches.
fn measure(threads: usize, count: usize) -> Option<Vec<Duration>> {
    let options = SearchOptions { threads, ..SearchOptions::default() };
    let mut searcher = Searcher::new(options).ok()?;
    let games: Vec<Game> = bench::POSITIONS
        .iter()
        .filter_map(|sfen| Position::from_sfen(sfen).ok())
        .map(Game::new)
        .collect();
    let limits = SearchLimits { hold: true, ..SearchLimits::default() };
    let mut times = Vec::with_capacity(count);
    for (index, game) in games.iter().cycle().take(count).enumerate() {
        let stop = StopFlag::new();
        let after = Duration::from_micros(2000 + index as u64 * 7919 % 10_000);
        let stopped = std::thread::scope(|scope| {
            let stopper = scope.spawn(|| {
                std::thread::sleep(after);
                let now = Instant::now();
                stop.stop();
                now
            });
            searcher.search(game, &limits, &stop, |_| {});
            let answered = Instant::now();
            stopper.join().ok().map(|stopped| answered.saturating_duration_since(stopped))
        })?;
        times.push(stopped);
    }
    Some(times)
}
