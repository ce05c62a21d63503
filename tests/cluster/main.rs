//! Several machines through a real nats-server.
//!
//! Skipped with a line where nats-server is missing, unless `KYOMI_REQUIRE_NATS=1` is set.

#![cfg(feature = "cluster")]
#![allow(clippy::unwrap_used, reason = "a test: what cannot be had fails it")]

mod broker;
#[path = "../common/mod.rs"]
mod common;
mod jobs;
mod listener;
mod permissions;
mod room;
mod tls;
mod transport;
mod usi;
mod worker;
