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
//! | 0 | [`config`], [`text`], [`time_text`] |
//!
//! With the feature `cluster` layer 4 has `cluster` too: machines that work together.
//!
//! The feature `program` is on by default. Without it the library is [`shogi`], the rules; the feature `records` adds
//! [`clock`], [`record`], [`report`] and [`time_text`]: game clocks, records in all their formats, and pictures of
//! positions.

#[cfg(feature = "program")]
pub mod archive;
#[cfg(feature = "program")]
pub mod cli;
#[cfg(feature = "program")]
pub mod client;
#[cfg(feature = "records")]
pub mod clock;
#[cfg(feature = "cluster")]
pub mod cluster;
#[cfg(feature = "program")]
pub mod config;
#[cfg(feature = "program")]
pub mod csa;
#[cfg(feature = "program")]
pub mod dashboard;
#[cfg(feature = "program")]
pub mod engine;
#[cfg(feature = "program")]
pub mod eval;
#[cfg(feature = "program")]
pub mod lab;
#[cfg(feature = "program")]
pub mod league;
#[cfg(feature = "program")]
pub mod notify;
#[cfg(feature = "records")]
pub mod record;
#[cfg(feature = "records")]
pub mod report;
#[cfg(feature = "program")]
pub mod search;
#[cfg(feature = "program")]
pub mod server;
#[cfg(feature = "program")]
pub mod service;
pub mod shogi;
#[cfg(feature = "program")]
pub mod terminal;
#[cfg(feature = "program")]
pub mod text;
#[cfg(feature = "records")]
pub mod time_text;
#[cfg(feature = "program")]
pub mod usi;
#[cfg(feature = "program")]
pub mod watch;
