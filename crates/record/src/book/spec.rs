//! The book of a player.

use super::{BookRules, BookSource};

/// The book of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookSpec {
    /// Where it comes from.
    pub source: BookSource,
    /// How moves are chosen.
    pub rules: BookRules,
}
