//! `kyomi show` as a process, and pictures of random positions.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

#[path = "../common/mod.rs"]
mod common;
mod pictures;
mod program;
mod xml;
