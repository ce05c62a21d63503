//! Hostile inputs: very long, very deep, with numbers and counts beyond all types. Every reader reads them correctly or
//! returns one clear error, in memory and time that grow at most linearly with the input.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod lines;
mod memory;
mod numbers;
mod positions;
mod records;

#[path = "../fuzz_short/checks/mod.rs"]
mod checks;

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Runs the work on its input in a separate thread, so that a reader with more than linear time (hours, for these
/// inputs) fails the test instead of blocking it. No time is measured.
fn watched<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = mpsc::channel();
    let worker = thread::Builder::new().stack_size(1 << 20).spawn(move || done.send(work()));
    match result.recv_timeout(Duration::from_secs(120)) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("{what}: no end in sight after 2 minutes"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let panic = worker.unwrap().join().expect_err("it sends its result or panics");
            std::panic::resume_unwind(panic)
        }
    }
}

/// The seeds of a fuzz target, by name.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
    let mut seeds: Vec<(String, Vec<u8>)> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
        })
        .collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{}: no seeds", folder.display());
    seeds
}
