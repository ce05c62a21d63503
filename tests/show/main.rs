//! `kyomi show`: the real program, and the pictures of all sorts of positions.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its case up has failed")]

#[path = "../common/mod.rs"]
mod common;
mod pictures;
mod program;
mod xml;
