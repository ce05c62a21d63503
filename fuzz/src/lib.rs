//! The checks of `cargo test --test fuzz_short`, for the fuzz targets.

#![allow(clippy::unwrap_used, reason = "a check that fails panics")]

#[path = "../../tests/fuzz_short/checks/mod.rs"]
mod checks;
#[path = "../../crates/lab/tests/fuzz_short/checks.rs"]
mod lab_checks;

/// The check of a target.
///
/// # Panics
/// If it fails.
pub fn run(target: &str, data: &[u8]) {
    match lab_checks::TARGETS.iter().find(|it| it.name == target) {
        Some(found) => (found.check)(data),
        None => checks::run(target, data),
    }
}
