//! Checks of `[[account]]`.

use std::num::NonZeroUsize;

use super::super::{AccountConfig, defaults, raw::RawAccount};
use super::{Check, login_name, table_size, whole};

impl Check<'_> {
    pub(super) fn accounts(&mut self, raw: Vec<RawAccount>) -> Vec<AccountConfig> {
        if raw.len() > MOST_ACCOUNTS {
            let problem = format!("{} accounts; {MOST_ACCOUNTS} at most are right", raw.len());
            self.fault(self.document.label().to_owned(), "account", problem);
            return Vec::new();
        }
        self.prefix = "account.";
        let accounts: Vec<_> = raw.into_iter().map(|account| self.account(account)).collect();
        self.prefix = "";
        for (number, account) in accounts.iter().enumerate() {
            let others = || accounts.iter().take(number);
            let server = |account: &AccountConfig| {
                let server = &account.server;
                (server.host.to_ascii_lowercase(), server.port, server.name.clone())
            };
            let problem = if others().any(|other| server(other) == server(account)) {
                let (name, host) = (&account.server.name, &account.server.host);
                format!("two accounts log in as {name:?} at {host}; each needs its own server.name")
            } else if others().any(|other| other.label == account.label) {
                format!("two accounts are called {:?}; give each its own label", account.label)
            } else {
                continue;
            };
            self.fault(self.document.label().to_owned(), "account", problem);
        }
        accounts
    }

    fn account(&mut self, raw: RawAccount) -> AccountConfig {
        // The engine repeats the faults of its shares.
        let cores = self.take(
            "cores",
            raw.cores,
            || None,
            |n| whole::<usize>(n, 1..=1024).map(NonZeroUsize::new),
        );
        let memory = self.take("memory", raw.memory, || None, |text| table_size(&text).map(Some));
        let server = self.server(raw.server);
        let name = server.name.clone();
        let engine = self.engine("engine", raw.engine);
        AccountConfig {
            label: self.take("label", raw.label, || name, login_name),
            games: self.take("games", raw.games, defaults::games, |n| whole(n, 0..=1_000_000_000)),
            cores,
            memory,
            server,
            budget: self.budget(raw.budget),
            engine,
            fallback: raw.fallback.map(|fallbacks| {
                fallbacks.into_iter().map(|engine| self.engine("fallback", engine)).collect()
            }),
            book: self.book(raw.book),
        }
    }
}

/// More than one machine can play for.
const MOST_ACCOUNTS: usize = 64;
