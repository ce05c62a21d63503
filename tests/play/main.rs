//! Whole games of `kyomi play` as a process: on the embedded server, on a server that the test plays, with correct and
//! faulty engines, and with signals.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "this code is for tests only")]

mod accounts;
mod asleep;
mod check;
#[path = "../common/mod.rs"]
mod common;
mod control;
mod cut;
mod engines;
mod extended;
mod kill;
mod league;
mod local;
mod reconnect;
mod records;
mod schedule;
mod secrets;
mod server;
mod spy;
mod support;
mod tls;
mod watch;
