//! Several machines: virtual ones, and real ones through a nats-server.
//!
//! The latter is skipped with a line where nats-server is missing, unless `KYOMI_REQUIRE_NATS=1` is set.

#![allow(clippy::unwrap_used, reason = "a test: what cannot be had fails it")]

#[path = "../../../../tests/cluster/broker.rs"]
#[allow(dead_code, reason = "shared with the tests of the program")]
mod broker;
#[path = "../../../../tests/common/mod.rs"]
mod common;
mod jobs;
mod machines;
#[path = "../../../../tests/cluster/room.rs"]
mod room;
