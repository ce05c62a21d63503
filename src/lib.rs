//! kyomi (興味, "interest"): a computer-shogi tournament client.
//!
//! The modules stand in layers. A module imports from lower layers and from its own cell of the table only; a test
//! checks it:
//!
//! | | | |
//! |---|---|---|
//! | [`cli`] | | |
//! | [`client`], [`server`], [`usi`], [`lab`], [`report`], [`terminal`], [`service`], [`notify`], [`dashboard`] | | |
//! | [`config`] | | |
//! | [`engine`] | [`archive`], [`league`], [`watch`] | |
//! | [`eval`], [`search`] | [`record`] | [`text`], [`csa`] |
//! | [`shogi`], [`clock`] | | |
//!
//! With the feature `cluster` there is `cluster` beside [`config`]: machines that work together.
//!
//! The feature `program` is on by default. Without it the library is [`shogi`], the rules; the feature `records` adds
//! [`clock`], [`record`] and [`report`]: game clocks, records in all their formats, and pictures of positions.

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
#[cfg(feature = "program")]
pub mod usi;
#[cfg(feature = "program")]
pub mod watch;
