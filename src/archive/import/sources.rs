//! The list of imported files and folders, in a text file beside the database.
//!
//! One absolute path per line; `#` begins a comment. Lines of folders that still grow (those of matches) begin with
//! `live `: these folders are searched again before each command. The database can be rebuilt from this file and the
//! records.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// The list of what was imported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    /// Files and folders that were imported, in order.
    pub imported: Vec<PathBuf>,
    /// Folders that are looked through again.
    pub live: Vec<PathBuf>,
}

impl Sources {
    /// The list beside a database; empty if there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(database: &Path) -> io::Result<Self> {
        let text = match fs::read_to_string(list(database)) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error),
        };
        let mut sources = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            match line.strip_prefix(LIVE) {
                Some(path) => sources.live.push(path.into()),
                None => sources.imported.push(line.into()),
            }
        }
        Ok(sources)
    }

    /// Adds a file or folder to the list beside a database, if it is not there yet.
    ///
    /// # Errors
    /// It cannot be written, or the path cannot stand on a line.
    pub fn add(database: &Path, path: &Path, is_live: bool) -> io::Result<()> {
        let path = fs::canonicalize(path)?;
        let known = Self::read(database)?;
        if (if is_live { &known.live } else { &known.imported }).contains(&path) {
            return Ok(());
        }
        let text = path.to_str().filter(|text| !text.contains(['\n', '\r']));
        let text = text.ok_or_else(|| io::Error::other("this path cannot stand in a list"))?;
        let line = if is_live { format!("{LIVE}{text}\n") } else { format!("{text}\n") };
        let path = list(database);
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        let line = if file.metadata()?.len() == 0 { format!("{HEAD}{line}") } else { line };
        file.write_all(line.as_bytes())
    }
}

/// `kyomi.sources` beside `kyomi.db`.
fn list(database: &Path) -> PathBuf {
    database.with_extension("sources")
}

const LIVE: &str = "live ";
const HEAD: &str = "# What `kyomi games` has read; `kyomi games rebuild` reads all of it again.\n";
