//! Prints the games of a record of any format: `cargo run --example read_record -- FILE`.

#![allow(clippy::print_stdout, reason = "the output is what this program is for")]

use std::error::Error;
use std::fs::File;
use std::path::PathBuf;

use kyomi_record::read_detected;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: read_record FILE")?;
    let (format, bytes) = read_detected(Some(&path), File::open(&path)?)?;
    let format = format.ok_or("the format of the file is not known")?;
    for game in format.read_each(&bytes) {
        let game = game?;
        let record = &game.record;
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".to_owned());
        println!("{} - {}", name(&record.header.black), name(&record.header.white));
        println!("start {}", record.start);
        for (made, number) in record.moves.iter().zip(1..) {
            let time =
                made.time.map_or_else(String::new, |time| format!(" {:.1} s", time.as_secs_f64()));
            println!("{number:4} {}{time}", made.mv);
        }
        if let Some(end) = &record.end {
            println!("end {}", end.kind.word());
        }
        // What stands before a move that cannot be played is there all the same.
        if let Some(fault) = game.fault {
            println!("{fault}");
        }
    }
    Ok(())
}
