//! The accounts of one process, and the cores and the memory that each of them may use.

use std::num::NonZeroUsize;

use crate::players::EngineOption;
use crate::{
    config::{AccountConfig, Config, EngineKind},
    watch::Watchers,
};

use super::{player_settings::all_cores, surroundings::Surroundings};

/// An account that plays: the only one of the process, or one of several.
#[derive(Debug)]
pub struct Account {
    /// Its name, if it is one of several.
    pub label: Option<String>,
    /// Its configuration, without the other accounts.
    pub config: Config,
    /// The reports about its games.
    pub watchers: Watchers,
    /// The number of cores that its engines may use.
    pub(super) cores: usize,
    /// Connections, engines and the time of day.
    pub(super) surroundings: Surroundings,
}

impl Account {
    /// The accounts of a configuration, and warnings if together they use more than this machine has.
    pub fn all(config: &Config) -> (Vec<Self>, Vec<String>) {
        let machine = Machine { cores: all_cores(), memory: memory() };
        Self::all_on(config, machine)
    }

    fn all_on(config: &Config, machine: Machine) -> (Vec<Self>, Vec<String>) {
        if config.accounts.is_empty() {
            let only = Self {
                label: None,
                config: config.clone(),
                watchers: Watchers::new(),
                cores: machine.cores,
                surroundings: Surroundings::default(),
            };
            return (vec![only], Vec::new());
        }
        let shares = shares(config, machine);
        let accounts = config.accounts.iter().zip(&shares).map(|(account, share)| Self {
            label: Some(account.label.clone()),
            config: with_share(config, account, *share),
            watchers: Watchers::new(),
            cores: share.cores,
            surroundings: Surroundings::default(),
        });
        (accounts.collect(), warnings(&shares, machine))
    }

    /// The configuration of the account with this label, among all of a configuration that was read again.
    ///
    /// # Errors
    /// There is no such account any more.
    pub(super) fn of_label(config: &Config, label: Option<&str>) -> Result<Self, String> {
        let (accounts, _) = Self::all(config);
        let found = accounts.into_iter().find(|account| account.label.as_deref() == label);
        found.ok_or_else(|| match label {
            Some(label) => format!("the file has no [[account]] {label} any more"),
            None => "the file has several [[account]]s now".to_owned(),
        })
    }

    /// Its label and a colon, if it is one of several.
    pub fn prefix(&self) -> String {
        self.label.as_ref().map_or_else(String::new, |label| format!("{label}: "))
    }
}

/// The resources of a machine.
#[derive(Debug, Clone, Copy)]
struct Machine {
    cores: usize,
    /// In bytes, if it is known.
    memory: Option<u64>,
}

/// An account's share of the resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Share {
    cores: usize,
    /// For the table of its engine, in bytes.
    memory: u64,
}

/// The shares of the accounts. Resources without a configured share are divided evenly among the other accounts.
fn shares(config: &Config, machine: Machine) -> Vec<Share> {
    let accounts = &config.accounts;
    let taken: usize = accounts.iter().filter_map(|it| it.cores).map(NonZeroUsize::get).sum();
    let others = accounts.iter().filter(|it| it.cores.is_none()).count().max(1);
    let even_cores = (machine.cores.saturating_sub(taken) / others).max(1);
    let tables = accounts.iter().filter(|it| it.memory.is_none()).count().max(1) as u64;
    let even_table = (config.engine.hash / tables).max(SMALLEST_TABLE);
    let share = |account: &AccountConfig| Share {
        cores: account.cores.map_or(even_cores, NonZeroUsize::get),
        memory: account.memory.unwrap_or(even_table),
    };
    accounts.iter().map(share).collect()
}

/// The configuration of an account with its share as the settings of its engine.
fn with_share(config: &Config, account: &AccountConfig, share: Share) -> Config {
    let mut own = config.for_account(account);
    let engine = &mut own.engine;
    if account.memory.is_none() {
        engine.hash = share.memory;
    }
    match engine.kind {
        EngineKind::Builtin if engine.threads.is_none() || account.cores.is_none() => {
            engine.threads = NonZeroUsize::new(share.cores);
        }
        // Nearly every engine has this option. If it is missing, there is a warning only if the share was configured.
        EngineKind::Usi if account.cores.is_some() => {
            if !engine.options.iter().any(|option| option.name.eq_ignore_ascii_case("Threads")) {
                let value = share.cores.to_string();
                engine.options.push(EngineOption { name: "Threads".to_owned(), value });
            }
        }
        EngineKind::Builtin | EngineKind::Usi | EngineKind::Random => {}
    }
    own
}

fn warnings(shares: &[Share], machine: Machine) -> Vec<String> {
    let mut warnings = Vec::new();
    let cores = shares.iter().map(|share| share.cores).sum::<usize>();
    if cores > machine.cores {
        warnings.push(format!(
            "the accounts use {cores} cores together and this machine has {}: their engines slow each other down; give \
             each account fewer `cores`, or remove accounts",
            machine.cores
        ));
    }
    let memory = shares.iter().fold(0u64, |sum, share| sum.saturating_add(share.memory));
    if let Some(most) = machine.memory.filter(|most| memory > *most) {
        warnings.push(format!(
            "the tables of the accounts take {} MiB together and this machine has {} MiB: give each account less `memory`",
            memory >> 20,
            most >> 20
        ));
    }
    warnings
}

/// The memory of this machine in bytes; `None` if the system has no file that states it.
fn memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The smallest size of a table, in bytes.
const SMALLEST_TABLE: u64 = 16 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config::from_text("test", text, [], &[]).unwrap().config
    }

    const MACHINE: Machine = Machine { cores: 8, memory: Some(4 << 30) };

    fn account(name: &str, keys: &str) -> String {
        format!("[[account]]\n{keys}\n[account.server]\nname = \"{name}\"\n")
    }

    fn shares_of(accounts: &[&str], before: &str) -> Vec<(usize, u64)> {
        let names = ["a", "b", "c", "d"];
        let accounts = names.iter().zip(accounts).map(|(name, keys)| account(name, keys));
        let accounts: String = accounts.collect();
        let text = format!("{before}\n[server]\npassword = \"secret\"\n{accounts}");
        let shares = shares(&config(&text), MACHINE);
        shares.iter().map(|share| (share.cores, share.memory >> 20)).collect()
    }

    #[test]
    fn without_shares_cores_and_table_are_divided_evenly() {
        assert_eq!(shares_of(&["", ""], ""), [(4, 128), (4, 128)]);
        assert_eq!(shares_of(&["", "", ""], "[engine]\nhash = \"3GiB\""), [(2, 1024); 3]);
        assert_eq!(shares_of(&["cores = 6", ""], ""), [(6, 128), (2, 128)]);
        assert_eq!(shares_of(&["cores = 9", ""], ""), [(9, 128), (1, 128)]);
        assert_eq!(shares_of(&["memory = \"1GiB\"", ""], ""), [(4, 1024), (4, 256)]);
    }

    #[test]
    fn the_settings_of_its_engine_are_the_share_of_an_account() {
        let text = "[server]\npassword = \"secret\"\n[engine]\nkind = \"usi\"\npath = \"x\"\n\
                    [[account]]\ncores = 3\n[account.server]\nname = \"a\"\n\
                    [[account]]\n[account.server]\nname = \"b\"\n\
                    [account.engine]\nkind = \"builtin\"\nthreads = 2\nhash = \"1GiB\"\n\
                    [[account]]\nmemory = \"64MiB\"\n[account.server]\nname = \"c\"\n\
                    [account.engine]\nkind = \"builtin\"\n";
        let (accounts, warnings) = Account::all_on(&config(text), MACHINE);
        assert_eq!(warnings, [""; 0]);
        let [a, b, c] = accounts.try_into().unwrap();
        assert_eq!((a.config.engine.kind, a.prefix().as_str()), (EngineKind::Usi, "a: "));
        let threads = EngineOption { name: "Threads".to_owned(), value: "3".to_owned() };
        assert_eq!(a.config.engine.options, [threads]);
        assert_eq!(a.config.engine.hash, 256 << 20);
        let engine = &b.config.engine;
        assert_eq!((engine.threads.unwrap().get(), engine.hash, b.cores), (2, 1 << 30, 2));
        let engine = &c.config.engine;
        assert_eq!((engine.threads.unwrap().get(), engine.hash, c.cores), (3, 64 << 20, 3));
        assert!(a.config.accounts.is_empty());
    }

    #[test]
    fn more_than_the_machine_has_is_warned_about() {
        let accounts: String =
            ["a", "b"].map(|name| account(name, "cores = 5\nmemory = \"3GiB\"")).concat();
        let text = format!("[server]\npassword = \"secret\"\n{accounts}");
        let (_, warnings) = Account::all_on(&config(&text), MACHINE);
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[0].contains("10 cores together and this machine has 8"));
        assert!(warnings[1].contains("6144 MiB together and this machine has 4096 MiB"));
        let many: String = (0..9).map(|number| account(&format!("a{number}"), "")).collect();
        let text = format!("[server]\npassword = \"secret\"\n{many}");
        let (_, warnings) = Account::all_on(&config(&text), MACHINE);
        assert!(warnings[0].contains("9 cores"), "{warnings:?}");
    }

    #[test]
    fn a_file_without_accounts_is_one_account() {
        let (accounts, warnings) = Account::all_on(&Config::default(), MACHINE);
        let [only] = accounts.try_into().unwrap();
        assert_eq!((only.label, only.config, warnings), (None, Config::default(), Vec::new()));
    }
}
