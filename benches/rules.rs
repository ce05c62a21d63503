//! What the search pays for the rules, in nanoseconds an operation.
//!
//! ```sh
//! cargo bench --bench rules                                    # code for any x86-64
//! RUSTFLAGS="-C target-cpu=native" cargo bench --bench rules   # code for this machine
//! ```
//!
//! One thread, a fixed set of positions: games walked at random from the start, from middle games, from full hands
//! and from open boards, every fourth move a check where there is one. Each row is the median of nine rounds and the
//! quickest of them; where these two differ much, something else was running. The table is followed by what the
//! processor's bit instructions buy, with and without them taking turns.
//!
//! Instructions do not hang on what else runs. One operation is done over the whole set so many times, and nothing
//! else is counted:
//!
//! ```sh
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no --toggle-collect='*counted*' \
//!     target/release/deps/rules-HASH --count 3 "drops"
//! ```
//!
//! `cargo bench --bench rules --no-run` says which HASH. The instructions of an operation are what callgrind
//! collected, by the number of operations that the program prints.

#![allow(clippy::print_stdout, reason = "the table is what this program is for")]
#![allow(clippy::unwrap_used, reason = "the positions are constants")]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use kyomi_engine::search::{find_mate_in_one, is_good, see};
use kyomi_shogi::{Color, CountStart, Game, Move, MoveList, Position, Square, perft};

const ROUNDS: usize = 9;
const ROUND: Duration = Duration::from_millis(40);
/// Plies walked from each start.
const WALK: usize = 40;

const STARTS: [&str; 12] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9",
    "lnsgk1snl/1r4gb1/p1pppp2p/6pR1/1p7/2P6/PP1PPPP1P/1BG6/LNS1KGSNL w Pp 14",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "2Gr1g1+N1/1n1k2s2/2p2p1pl/1p1lP4/4rS2P/2Pbg4/1P3PPP1/PL2+pKS1L/1NSGB4 b 5Pn 93",
    "l1k1p1G2/2rs1+P2l/ppn1g2pn/2pp2p2/5g1P1/P1b1l3p/NPSPP1P1P/L2GKS1R1/2B1S2N+p b p 89",
    "k8/5g2l/Psnr1P+Bg1/5p1p1/lN1lpsP2/p1Pp2pPP/nPS2+pR2/Npp1P1SKL/3G2G2 b Pb 157",
    "1nk+P2b2/l1r2p2l/ps3sn1p/1p4P2/3pp4/P2GPSG2/1Pp3N+pP/1S3Gp1L/4K1L1G w rbn3p 138",
    "lr6l/3gk1g1p/2np1pn2/p1p1p1p2/1p3P3/P1P1P1PSP/1PSPS1N2/2GK1G1R1/LN6L b BPbp 1",
    "4k4/9/4S4/2+B1G1+b2/4R4/9/4r4/4s4/4K4 b GSNL5Pgsnl5p 1",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B2G2S2N2L9P2g2s2n2l9p 1",
    "9/9/4+R4/3k5/9/5K3/4+r4/9/9 b B2G2S2N2L9Pb2g2s2n2l9p 1",
];

/// A position with moves to ask about.
struct Place {
    position: Position,
    legal: Vec<Move>,
    captures: Vec<Move>,
}

struct Set {
    places: Vec<Place>,
    in_check: Vec<Position>,
    /// Bit patterns as a table might hold them: most are legal nowhere near.
    patterns: Vec<Move>,
    /// Games that shuffle about, and their ends.
    games: Vec<Game>,
}

fn set() -> Set {
    let mut random = fastrand::Rng::with_seed(1);
    let mut set = Set {
        places: Vec::new(),
        in_check: Vec::new(),
        patterns: (0..1000).filter_map(|_| Move::from_bits(random.u16(..))).collect(),
        games: Vec::new(),
    };
    for sfen in STARTS {
        let mut position = Position::from_sfen(sfen).unwrap();
        let mut game = Game::new(position.clone());
        for ply in 0..WALK {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let mut captures = MoveList::new();
            position.captures_and_promotions(&mut captures);
            if position.in_check() {
                set.in_check.push(position.clone());
            }
            let mut chosen = MoveList::new();
            if ply % 4 == 3 {
                position.checks(&mut chosen);
            }
            if chosen.is_empty() {
                chosen.clone_from(&legal);
            }
            // By their bits, so that the walk does not hang on the order of generation.
            chosen.sort_unstable();
            let mv = chosen[random.usize(..chosen.len())];
            let place = Place {
                position: position.clone(),
                legal: legal.to_vec(),
                captures: captures.to_vec(),
            };
            set.places.push(place);
            position.do_move(mv);
            game.push(mv).unwrap();
        }
        set.games.push(game);
    }
    set
}

/// Generates into an empty list for each position, and counts positions.
fn generate(places: &[Place], generator: impl Fn(&Position, &mut MoveList)) -> u64 {
    for place in places {
        let mut list = MoveList::new();
        generator(&place.position, &mut list);
        black_box(list.len());
    }
    places.len() as u64
}

/// Asks about each of some moves of each position, and counts the questions.
fn ask<T>(
    places: &[Place],
    moves: impl Fn(&Place) -> &[Move],
    question: impl Fn(&Position, Move) -> T,
) -> u64 {
    let mut asked = 0;
    for place in places {
        for &mv in moves(place) {
            black_box(question(black_box(&place.position), mv));
        }
        asked += moves(place).len() as u64;
    }
    asked
}

/// Does something to the whole set and says how many operations it was.
type Operation = fn(&mut Set) -> u64;

const OPERATIONS: [(&str, Operation); 23] = [
    ("make and unmake a move, with checkers, pins and key", |set| {
        let mut made = 0;
        for place in &mut set.places {
            for &mv in &place.legal {
                let undo = place.position.do_move(mv);
                black_box(place.position.key());
                place.position.undo_move(mv, undo);
            }
            made += place.legal.len() as u64;
        }
        made
    }),
    ("pass and take it back", |set| {
        for place in &mut set.places {
            let undo = place.position.do_null_move();
            black_box(place.position.key());
            place.position.undo_null_move(undo);
        }
        set.places.len() as u64
    }),
    ("all legal moves, listed", |set| {
        generate(&set.places, |position, list| *list = position.legal_moves())
    }),
    ("all legal moves, counted", count),
    ("the same, with the instructions of every processor", count_plainly),
    ("whether there is a legal move", |set| {
        for place in &set.places {
            black_box(place.position.has_legal_move());
        }
        set.places.len() as u64
    }),
    ("captures only, and promotions as the search wants them", |set| {
        generate(&set.places, Position::captures_and_promotions)
    }),
    ("quiet moves", |set| generate(&set.places, Position::quiets)),
    ("drops", |set| generate(&set.places, Position::drops)),
    ("evasions, in check", |set| {
        for position in &set.in_check {
            let mut list = MoveList::new();
            position.evasions(&mut list);
            black_box(list.len());
        }
        set.in_check.len() as u64
    }),
    ("moves that give check", |set| generate(&set.places, Position::checks)),
    ("whether a legal move gives check", |set| {
        ask(&set.places, |place| &place.legal, Position::gives_check)
    }),
    ("attackers of a square, both sides", |set| {
        for place in &set.places {
            let occupied = place.position.occupied();
            for square in Square::all() {
                // Nothing of it may be done once for all squares.
                for color in Color::ALL {
                    let position = black_box(&place.position);
                    black_box(position.attackers_of(color, square, occupied));
                }
            }
        }
        81 * set.places.len() as u64
    }),
    ("whether a side attacks a square", |set| {
        for place in &set.places {
            let (by, occupied) = (!place.position.side_to_move(), place.position.occupied());
            for square in Square::all() {
                black_box(black_box(&place.position).is_attacked(square, by, occupied));
            }
        }
        81 * set.places.len() as u64
    }),
    ("exchange value of a capture or promotion", |set| {
        ask(&set.places, |place| &place.captures, see)
    }),
    ("its sign only", |set| ask(&set.places, |place| &place.captures, is_good)),
    ("sign of the exchange value of any legal move", |set| {
        ask(&set.places, |place| &place.legal, is_good)
    }),
    ("legality of a table move that is legal", |set| {
        ask(&set.places, |place| &place.legal, Position::is_legal)
    }),
    ("legality of any bit pattern", |set| {
        for place in &set.places {
            for &mv in &set.patterns {
                black_box(black_box(&place.position).is_legal(mv));
            }
        }
        (set.places.len() * set.patterns.len()) as u64
    }),
    ("mate in one, with the attack maps it needs", |set| {
        for place in &mut set.places {
            black_box(find_mate_in_one(&mut place.position));
        }
        set.places.len() as u64
    }),
    ("repetition of the last position of a game", |set| {
        for game in &set.games {
            black_box(game.repetition(CountStart::Yes));
        }
        set.games.len() as u64
    }),
    ("perft of the start position to depth 4, a leaf", perft_4),
    ("the same, with the instructions of every processor, a leaf", perft_4_plainly),
];

/// With the processor's bit instructions and without.
const TWINS: [(&str, Operation, Operation); 2] =
    [("counting", count, count_plainly), ("perft", perft_4, perft_4_plainly)];

fn count(set: &mut Set) -> u64 {
    for place in &set.places {
        black_box(place.position.count_legal_moves());
    }
    set.places.len() as u64
}

fn count_plainly(set: &mut Set) -> u64 {
    for place in &set.places {
        black_box(place.position.count_legal_moves_plainly());
    }
    set.places.len() as u64
}

fn perft_4(_: &mut Set) -> u64 {
    perft::perft(&mut Position::startpos(), 4)
}

fn perft_4_plainly(_: &mut Set) -> u64 {
    perft::perft_by(&mut Position::startpos(), 4, Position::count_legal_moves_plainly)
}

/// Nanoseconds an operation.
fn measure(set: &mut Set, operation: Operation) -> f64 {
    let (start, mut done) = (Instant::now(), 0);
    while start.elapsed() < ROUND {
        done += operation(set);
    }
    start.elapsed().as_secs_f64() * 1e9 / done as f64
}

fn median(mut values: [f64; ROUNDS]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[ROUNDS / 2]
}

fn table(set: &mut Set) {
    let native = if cfg!(target_feature = "bmi2") { "this machine" } else { "every processor" };
    println!(
        "{} positions, {} of them in check; built for {native}; median and quickest of {ROUNDS} rounds\n",
        set.places.len(),
        set.in_check.len()
    );
    println!("| operation | ns | quickest |");
    println!("|---|---:|---:|");
    for (name, operation) in OPERATIONS {
        let mut times = [0.0; ROUNDS];
        measure(set, operation);
        times.fill_with(|| measure(set, operation));
        let quickest = times.iter().copied().fold(f64::INFINITY, f64::min);
        println!("| {name} | {:.1} | {quickest:.1} |", median(times));
    }
    println!();
    for (name, with, without) in TWINS {
        let mut ratios = [0.0; ROUNDS];
        ratios.fill_with(|| measure(set, without) / measure(set, with));
        println!(
            "{name}: {:.2} times as fast with the processor's bit instructions",
            median(ratios)
        );
    }
}

/// All that callgrind looks at.
#[inline(never)]
fn counted(set: &mut Set, operation: Operation, times: u64) -> u64 {
    (0..times).map(|_| operation(set)).sum()
}

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut set = set();
    match arguments[..] {
        [] => table(&mut set),
        ["--count", times, name] => {
            let operation = OPERATIONS.iter().find(|(known, _)| *known == name);
            let (Some((_, operation)), Ok(times)) = (operation, times.parse()) else {
                eprintln!("expected --count N OPERATION, the words of a row of the table");
                return ExitCode::from(2);
            };
            println!("{} operations", counted(&mut set, *operation, times));
        }
        _ => {
            eprintln!("expected nothing or --count N OPERATION");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
