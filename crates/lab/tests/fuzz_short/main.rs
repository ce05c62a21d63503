//! A short run of the fuzz targets of `kyomi-lab`, as `tests/fuzz_short` of the program.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "helpers of tests")]

mod checks;
#[path = "../../../../tests/fuzz_short/mutate.rs"]
mod mutate;
#[path = "../../../../tests/fuzz_short/pass.rs"]
mod pass;

use checks::TARGETS;
use pass::pass;

#[test]
fn selfplay() {
    pass(TARGETS, "selfplay");
}

#[test]
fn selfplay_job() {
    pass(TARGETS, "selfplay_job");
}
