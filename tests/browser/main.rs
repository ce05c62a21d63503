//! Pages in a real browser: headless Chromium, driven over the Chrome `DevTools` protocol.
//!
//! Skipped with a line where Chromium is missing, unless `KYOMI_REQUIRE_BROWSER=1` is set. `KYOMI_BROWSER` names
//! another program than the ones that are looked for.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "this code is for tests only"
)]

mod chromium;
#[path = "../common/mod.rs"]
mod common;
mod driver;
mod live;
mod program;
mod report;
#[path = "../play/support.rs"]
#[allow(dead_code, reason = "the tests of the pages use only some of it")]
mod support;
