//! Lists the legal moves of a position: `cargo run --example legal_moves -- SFEN`; without an SFEN those of the start.

#![allow(clippy::print_stdout, reason = "the output is what this program is for")]

use std::error::Error;

use kyomi_shogi::Position;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let position = match words.as_slice() {
        [] => Position::startpos(),
        _ => words.join(" ").parse()?,
    };
    let moves = position.legal_moves();
    println!("{position}: {} legal moves", moves.len());
    for mv in moves {
        let check = if position.gives_check(mv) { " check" } else { "" };
        println!("{mv}{check}");
    }
    Ok(())
}
