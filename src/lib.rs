//! kyomi (興味, "interest"): a computer-shogi tournament client.
//!
//! The modules are floors of a house; imports run downwards only (a test keeps it so):
//!
//! | floor | modules |
//! |---|---|
//! | 6 | [`cli`] |
//! | 5 | [`client`], [`server`], [`usi`], [`lab`], [`terminal`] |
//! | 4 | [`engine`], [`archive`], [`report`] |
//! | 3 | [`search`], [`record`], [`csa`] |
//! | 2 | [`clock`], [`eval`] |
//! | 1 | [`shogi`] |
//! | 0 | [`config`] |

pub mod archive;
pub mod cli;
pub mod client;
pub mod clock;
pub mod config;
pub mod csa;
pub mod engine;
pub mod eval;
pub mod lab;
pub mod record;
pub mod report;
pub mod search;
pub mod server;
pub mod shogi;
pub mod terminal;
pub mod usi;
