//! Helpers of several integration tests.

#![allow(dead_code, reason = "each test uses only some of them")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "this code is for tests only"
)]

pub(crate) mod connection;
pub(crate) mod folder;
pub(crate) mod positions;

use std::path::{Path, PathBuf};

/// The program of the package under test.
pub(crate) const PROGRAM: &str = match option_env!("CARGO_BIN_EXE_kyomi") {
    Some(program) => program,
    None => match option_env!("CARGO_BIN_EXE_kyomi-lab") {
        Some(program) => program,
        None => panic!("a package without a program"),
    },
};

/// The folder of the whole repository, whichever package the test is of.
pub(crate) fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let found = own.ancestors().find(|folder| folder.join("tests/common").is_dir());
    found.expect("this file is in it").to_owned()
}

/// The folder of the data sets: `KYOMI_TEST_DATA` if it is set, otherwise `../shared/data` beside the repository if it
/// exists, otherwise the sample in `tests/data`. All have the same files with the same columns.
pub(crate) fn data_dir() -> PathBuf {
    if let Some(named) = std::env::var_os("KYOMI_TEST_DATA") {
        let dir = PathBuf::from(named);
        assert!(dir.is_dir(), "KYOMI_TEST_DATA: {} is not a folder", dir.display());
        return dir;
    }
    let full = repository().join("../shared/data");
    if full.is_dir() { full } else { sample_dir() }
}

/// The sample of the data sets that is part of the repository.
pub(crate) fn sample_dir() -> PathBuf {
    repository().join("tests/data")
}

/// The text of a file of the data sets.
pub(crate) fn data_text(name: &str) -> String {
    let path = data_dir().join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// The rows of a `.tsv` file of the data sets, without its header line, each split at tabs.
pub(crate) fn data_rows(name: &str) -> Vec<Vec<String>> {
    let text = data_text(name);
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// About `count` of the rows, evenly distributed; all rows if there are fewer.
pub(crate) fn some_of<T>(rows: Vec<T>, count: usize) -> Vec<T> {
    let step = (rows.len() / count).max(1);
    rows.into_iter().step_by(step).collect()
}
