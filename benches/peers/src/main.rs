//! Perft of kyomi beside that of its peers: `rsshogi` and `haitaka`, one thread, each counting the last ply as fast
//! as its interface allows.
//!
//! ```sh
//! cd benches/peers
//! cargo run --release                                    # code for any x86-64
//! RUSTFLAGS="-C target-cpu=native" cargo run --release   # code for this machine
//! ```
//!
//! Five rounds; in each the three take turns on each position, so that whatever else the machine does falls on all
//! of them. The speeds are medians, and so are the ratios, each of them taken within a round. Node counts that differ
//! end the program with an error.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const ROUNDS: usize = 5;
/// A run shorter than this is repeated until it is as long.
const SHORTEST_RUN: Duration = Duration::from_millis(100);

struct Place {
    name: &'static str,
    sfen: &'static str,
    depth: u8,
    nodes: u64,
}

const PLACES: [Place; 3] = [
    Place {
        name: "start position, depth 5",
        sfen: "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        depth: 5,
        nodes: 19_861_490,
    },
    Place {
        name: "midgame with full hands, depth 3",
        sfen: "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        depth: 3,
        nodes: 4_809_015,
    },
    Place {
        name: "593 moves, depth 3",
        sfen: "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        depth: 3,
        nodes: 53_393_368,
    },
];

const LIBRARIES: [&str; 3] = ["kyomi", "rsshogi", "haitaka"];

/// A library's count of a place, ready to be run again and again.
type Counter = Box<dyn FnMut() -> u64>;

fn counters(place: &Place) -> Result<[Counter; LIBRARIES.len()], String> {
    let depth = place.depth;
    let mut ours = kyomi_shogi::Position::from_sfen(place.sfen).map_err(|e| e.to_string())?;
    let mut rsshogi =
        rsshogi::board::position_from_sfen(place.sfen).map_err(|e| format!("{e:?}"))?;
    rsshogi.init_stack();
    let haitaka = haitaka::Board::from_sfen(place.sfen).map_err(|e| format!("{e:?}"))?;
    Ok([
        Box::new(move || kyomi_shogi::perft::perft(&mut ours, depth.into())),
        Box::new(move || rsshogi::board::perft::compute_perft(&mut rsshogi, depth)),
        Box::new(move || haitaka_perft(&haitaka, depth)),
    ])
}

/// Haitaka gives sets of target squares to a callback; at the last ply their sizes are added up.
fn haitaka_perft(board: &haitaka::Board, depth: u8) -> u64 {
    let mut nodes = 0;
    let mut take = |moves: haitaka::PieceMoves| {
        if depth == 1 {
            nodes += moves.into_iter().len() as u64;
        } else {
            for mv in moves {
                let mut after = board.clone();
                after.play_unchecked(mv);
                nodes += haitaka_perft(&after, depth - 1);
            }
        }
        false
    };
    if depth == 0 {
        return 1;
    }
    board.generate_board_moves(&mut take);
    board.generate_drops(&mut take);
    nodes
}

/// Nodes a second, in millions.
fn speed(counter: &mut Counter, expected: u64) -> Result<f64, String> {
    let (start, mut runs) = (Instant::now(), 0);
    while start.elapsed() < SHORTEST_RUN {
        let nodes = black_box(counter());
        if nodes != expected {
            return Err(format!("{nodes} nodes instead of {expected}"));
        }
        runs += 1;
    }
    Ok((runs * expected) as f64 / start.elapsed().as_secs_f64() / 1e6)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn compare(place: &Place) -> Result<[Vec<f64>; LIBRARIES.len()], String> {
    let mut counters = counters(place)?;
    let mut speeds = [const { Vec::new() }; LIBRARIES.len()];
    // The first round only warms up.
    for round in 0..=ROUNDS {
        for (library, counter) in counters.iter_mut().enumerate() {
            let found = speed(counter, place.nodes)
                .map_err(|error| format!("{}: {}: {error}", LIBRARIES[library], place.name))?;
            if round > 0 {
                speeds[library].push(found);
            }
        }
    }
    Ok(speeds)
}

fn main() -> ExitCode {
    println!(
        "Million leaf nodes a second, one thread, median of {ROUNDS} rounds; ratios are kyomi's to the peer's."
    );
    let native = if cfg!(target_feature = "bmi2") { "this machine" } else { "every processor" };
    println!("Built for {native}.\n");
    println!("| position | kyomi | rsshogi | ratio | haitaka | ratio |");
    println!("|---|---:|---:|---:|---:|---:|");
    for place in &PLACES {
        let speeds = match compare(place) {
            Ok(speeds) => speeds,
            Err(error) => {
                eprintln!("error: {error}");
                return ExitCode::FAILURE;
            }
        };
        let middle = |library: usize| median(speeds[library].iter().copied());
        let ratio =
            |peer: usize| median(speeds[0].iter().zip(&speeds[peer]).map(|(ours, its)| ours / its));
        println!(
            "| {} | {:.0} | {:.0} | {:.2} | {:.0} | {:.2} |",
            place.name,
            middle(0),
            middle(1),
            ratio(1),
            middle(2),
            ratio(2)
        );
    }
    ExitCode::SUCCESS
}
