//! What several integration tests share.

#![allow(dead_code, reason = "no test uses all of it")]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "only tests come here")]

pub(crate) mod folder;
pub(crate) mod positions;

use std::path::PathBuf;

/// The folder of the data sets: `KYOMI_TEST_DATA`, by default `../shared/data` beside the repository.
///
/// Without it tests that need it are skipped with a message, or fail if `KYOMI_REQUIRE_DATA=1`.
pub(crate) fn data_dir() -> Option<PathBuf> {
    let dir = std::env::var_os("KYOMI_TEST_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data")),
        PathBuf::from,
    );
    if dir.is_dir() {
        return Some(dir);
    }
    let required = std::env::var_os("KYOMI_REQUIRE_DATA").is_some_and(|value| value == "1");
    assert!(!required, "KYOMI_REQUIRE_DATA=1, but there are no data sets in {}", dir.display());
    println!("skipped: no data sets in {} (set KYOMI_TEST_DATA)", dir.display());
    None
}

/// The text of a file of the data sets; `None` if they are absent and not required.
pub(crate) fn data_text(name: &str) -> Option<String> {
    let path = data_dir()?.join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// The rows of a `.tsv` file of the data sets (its header line left out), each split at tabs.
pub(crate) fn data_rows(name: &str) -> Option<Vec<Vec<String>>> {
    let text = data_text(name)?;
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    Some(rows.map(|line| line.split('\t').map(str::to_owned).collect()).collect())
}
