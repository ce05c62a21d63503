//! The local server over real sockets. Time is real here: nothing asserts a duration.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

#[path = "../common/mod.rs"]
mod common;
mod games;
mod hostile;
mod process;
mod support;
