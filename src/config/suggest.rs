//! Suggestions for misspelt keys and words.

use kyomi_csa::text::nearest_word;

use super::{check::list, field::Table as _, keys::Raw};

/// A suggestion for the unknown key `key` of `table`, which is empty at the top of the file.
pub(super) fn for_key(table: &str, key: &str) -> String {
    let here = keys_of(table);
    if table.is_empty()
        && let Some(table) = nearest_word(key, names())
    {
        return format!("did you mean [{table}]?");
    }
    if let Some(near) = nearest_word(key, here.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    let elsewhere = tables()
        .find(|(other, keys)| *other != table && keys.contains(&key) && !LISTS.contains(other));
    match elsewhere {
        Some(("", _)) => format!("`{key}` goes above the first table"),
        Some((table, _)) => format!("`{key}` belongs into [{table}]"),
        None if table.is_empty() => {
            format!("known are {}", list(here.iter().copied().chain(names())))
        }
        None => format!("known are {}", list(here.iter().copied())),
    }
}

/// A suggestion for the unknown dotted key `path`.
pub(super) fn for_path(path: &str) -> String {
    match path.split_once('.') {
        Some((table, key)) if !keys_of(table).is_empty() => for_key(table, key),
        Some((table, _)) => match nearest_word(table, names()) {
            Some(near) => format!("did you mean [{near}]?"),
            None => format!("known tables are {}", list(names())),
        },
        None => for_key("", path),
    }
}

/// The tables that a file may have several times. Only the file sets them.
pub(super) const LISTS: [&str; 2] = ["account", "fallback"];

/// Every table with its keys. The keys outside tables come first.
pub(super) fn tables() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    [("", Raw::KEYS)].into_iter().chain(Raw::TABLES.iter().copied())
}

/// The names of all tables.
fn names() -> impl Iterator<Item = &'static str> {
    Raw::TABLES.iter().map(|(table, _)| *table)
}

/// Whether the table has the key. An empty table means the top of the file; an empty key means the table itself.
pub(super) fn is_known(table: &str, key: &str) -> bool {
    let is_table = |name: &str| names().any(|known| known == name);
    // The tables of an account are those of the file.
    let table = table.strip_prefix("account.").unwrap_or(table);
    match table {
        "" => key.is_empty() || keys_of("").contains(&key) || is_table(key),
        // The engine defines these keys.
        "engine.options" | "opponent.options" | "fallback.options" => true,
        table => is_table(table) && (key.is_empty() || keys_of(table).contains(&key)),
    }
}

fn keys_of(table: &str) -> &'static [&'static str] {
    let table = table.strip_prefix("account.").unwrap_or(table);
    tables().find(|(name, _)| *name == table).map_or(&[], |(_, keys)| keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelling_is_corrected_and_an_unknown_key_gets_the_list() {
        assert_eq!(for_key("server", "prot"), "did you mean `port`?");
        assert_eq!(for_key("", "sever"), "did you mean [server]?");
        assert_eq!(for_key("time", "threads"), "`threads` belongs into [engine]");
        assert_eq!(for_key("view", "picture"), "known are style");
        assert_eq!(for_key("engine", "games"), "`games` goes above the first table");
        assert_eq!(for_path("sevrer.port"), "did you mean [server]?");
    }
}
