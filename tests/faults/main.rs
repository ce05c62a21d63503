//! Faulty servers and faulty engines against the real program, over real sockets and pipes.
//!
//! Each case is a test of its own. Its comment states what the program does, and `docs/faults.md` is the list of these
//! comments. Whatever the fault is, [`trial::Client::end`] checks that the program ended by itself, wrote nothing
//! outside its folder and no control character anywhere, left no process behind, finished all records, used little
//! memory, and did not spin while it waited.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "this code is for tests only")]

#[path = "../common/mod.rs"]
mod common;
mod connections;
mod crashes;
mod engine;
mod engines;
mod game;
mod lines;
mod moves;
mod offers;
#[path = "../play/support.rs"]
#[allow(dead_code, reason = "shared with the tests of whole games")]
mod support;
mod table;
mod trial;
