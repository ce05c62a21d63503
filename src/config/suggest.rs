//! Suggestions for misspelt keys and words.

use kyomi_csa::text::nearest_word;

use super::raw::{LISTS, TABLES};

/// A suggestion for the unknown key `key` of `table`, which is empty at the top of the file.
pub(super) fn for_key(table: &str, key: &str) -> String {
    let here = keys_of(table);
    if table.is_empty()
        && let Some(table) = nearest_word(key, tables())
    {
        return format!("did you mean [{table}]?");
    }
    if let Some(near) = nearest_word(key, here.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    let elsewhere = TABLES.iter().find(|(other, keys)| *other != table && keys.contains(&key));
    match elsewhere {
        Some(("", _)) => format!("`{key}` goes above the first table"),
        Some((table, _)) => format!("`{key}` belongs into [{table}]"),
        None if table.is_empty() => {
            format!("known are {}", list(here.iter().copied().chain(tables())))
        }
        None => format!("known are {}", list(here.iter().copied())),
    }
}

/// A suggestion for the unknown dotted key `path`.
pub(super) fn for_path(path: &str) -> String {
    match path.split_once('.') {
        Some((table, key)) if !keys_of(table).is_empty() => for_key(table, key),
        Some((table, _)) => match nearest_word(table, tables()) {
            Some(near) => format!("did you mean [{near}]?"),
            None => format!("known tables are {}", list(tables())),
        },
        None => for_key("", path),
    }
}

/// The names of all tables.
pub(super) fn tables() -> impl Iterator<Item = &'static str> {
    let all = TABLES.iter().chain(LISTS);
    all.map(|(table, _)| *table).filter(|table| !table.is_empty())
}

/// Whether the table has the key. An empty table means the top of the file; an empty key means the table itself.
pub(super) fn is_known(table: &str, key: &str) -> bool {
    let is_table = |name: &str| tables().any(|known| known == name);
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
    let mut all = TABLES.iter().chain(LISTS);
    all.find(|(name, _)| *name == table).map_or(&[], |(_, keys)| keys)
}

/// `a, b or c`.
pub(super) fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
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
