//! kyomi (興味, "interest"): a computer-shogi tournament client.
//!
//! The program is in this package. The rules and the clocks are in [`kyomi_shogi`], records in [`kyomi_record`], search
//! and evaluation in [`kyomi_engine`]: packages of their own, below `crates/`.
//!
//! The modules stand in layers. A module imports from its own layer and from lower ones only; a test checks it:
//!
//! | layer | modules |
//! |---|---|
//! | 4 | [`cli`] |
//! | 3 | [`client`], [`server`], [`usi`], [`lab`], [`terminal`], [`service`], [`notify`], [`dashboard`] |
//! | 2 | [`engine`], [`archive`], [`league`], [`report`], [`watch`] |
//! | 1 | [`csa`] |
//! | 0 | [`config`] |
//!
//! With the feature `cluster` layer 2 has `cluster` too: machines that work together.

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
