//! Whole games by the real program: over the embedded server, against a server of the test's own,
//! with engines good and bad, and with signals.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "only tests come here")]

#[path = "../common/mod.rs"]
mod common;
mod cut;
mod engines;
mod kill;
mod local;
mod reconnect;
mod server;
mod support;
