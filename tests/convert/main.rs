//! `kyomi convert` as a process, on files and folders.

#![allow(clippy::unwrap_used, reason = "a test fails if its setup fails")]

#[path = "../common/mod.rs"]
mod common;
mod content;
mod places;
mod support;
