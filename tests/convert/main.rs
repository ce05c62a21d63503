//! `kyomi convert`, the real program on files and folders.

#![allow(clippy::unwrap_used, reason = "a test that cannot set its case up has failed")]

#[path = "../common/mod.rs"]
mod common;
mod content;
mod places;
mod support;
