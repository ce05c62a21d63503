//! The configuration of one account of `[[account]]`.

use super::{AccountConfig, Config};

impl Config {
    /// The configuration of one account: of a file that has it instead of `[[account]]`.
    #[must_use]
    pub fn for_account(&self, account: &AccountConfig) -> Self {
        let account = account.clone();
        Self {
            games: account.games,
            server: Some(account.server),
            budget: account.budget,
            engine: account.engine,
            fallback: account.fallback,
            book: account.book,
            accounts: Vec::new(),
            ..self.clone()
        }
    }
}
