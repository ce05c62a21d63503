//! Inputs that mean no good: very long, very deep, with numbers and counts beyond all types. Every reader answers
//! them rightly or with one clear error, in memory and time that grow no faster than the input.

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

/// What the work makes of its input. It runs in a thread of its own, so that a reader whose time grows faster than
/// its input (hours, for these inputs) fails the test instead of holding it up. No time is measured.
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
