//! Searches a position for a second: `cargo run --release --example ask_engine -- SFEN`; without an SFEN the start.

#![allow(clippy::print_stdout, reason = "the output is what this program is for")]

use std::error::Error;
use std::thread;
use std::time::Duration;

use kyomi_engine::search::{SearchLimits, SearchOptions, Searcher, StopFlag};
use kyomi_shogi::{Game, Position};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let position = match words.as_slice() {
        [] => Position::startpos(),
        _ => words.join(" ").parse()?,
    };
    position.check_playable()?;
    let mut searcher = Searcher::new(SearchOptions { threads: 1, ..SearchOptions::default() })?;
    let stop = StopFlag::new();
    let timer = stop.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_secs(1));
        timer.stop();
    });
    let result = searcher.search(&Game::new(position), &SearchLimits::default(), &stop, |info| {
        let line: Vec<String> = info.pv.iter().map(ToString::to_string).collect();
        println!("depth {:2} {:?} {}", info.depth, info.score, line.join(" "));
    });
    match result.best {
        Some(mv) => println!("{mv} after {} nodes", result.nodes),
        None => println!("there is no legal move"),
    }
    Ok(())
}
