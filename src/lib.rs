//! kyomi (興味, "interest"): a computer-shogi tournament client.
//!
//! The modules stand in layers. A module imports from its own layer and from lower ones only; a test checks it:
//!
//! | layer | modules |
//! |---|---|
//! | 6 | [`cli`] |
//! | 5 | [`client`], [`server`], [`usi`], [`lab`], [`terminal`], [`service`], [`notify`], [`dashboard`] |
//! | 4 | [`engine`], [`archive`], [`league`], [`report`], [`watch`] |
//! | 3 | [`search`], [`record`], [`csa`] |
//! | 2 | [`clock`], [`eval`] |
//! | 1 | [`shogi`] |
//! | 0 | [`config`], [`time_text`] |
//!
//! With the feature `cluster` layer 4 has `cluster` too: machines that work together.
//!
//! The feature `program` is on by default. Without it the library is [`shogi`], the rules; the feature `records` adds
//! [`clock`], [`record`], [`report`] and [`time_text`]: game clocks, records in all their formats, and pictures of
//! positions.

pub mod archive;
pub mod cli;
pub mod client;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod config;
pub mod csa;
pub mod dashboard;
pub mod engine;
pub mod lab;
pub mod league;
pub mod notify;
pub mod report;
pub mod server;
pub mod service;
pub mod terminal;
pub mod usi;
pub mod watch;
