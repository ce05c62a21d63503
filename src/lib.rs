//! kyomi (興味, "interest"): a computer-shogi tournament client.
//!
//! The program is in this package. Below it are packages of their own, in `crates/`: the rules and the clocks in
//! [`kyomi_shogi`], records in [`kyomi_record`], search and evaluation in [`kyomi_engine`], the CSA protocol in
//! [`kyomi_csa`].
//!
//! The modules stand in layers. A module imports from lower layers and from its own cell of the table only; a test
//! checks it:
//!
//! | | |
//! |---|---|
//! | [`cli`] | |
//! | [`client`], [`server`], [`usi`], [`mod@matches`], [`report`], [`terminal`], [`service`], [`notify`], [`dashboard`] | |
//! | [`players`] | [`archive`], [`watch`] |
//! | [`config`] | |
//!
//! With the feature `cluster` there is `cluster` between [`players`] and [`client`]: machines that
//! work together.

pub mod archive;
pub mod cli;
pub mod client;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod config;
pub mod dashboard;
pub mod matches;
pub mod notify;
pub mod players;
pub mod report;
pub mod server;
pub mod service;
pub mod terminal;
pub mod usi;
pub mod watch;
