//! The database of a command, and the folders whose records are imported into it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::archive::import::{Sources, catch_up};
use crate::archive::index::Index;
use crate::cli::ResultExt as _;
use crate::config::Config;

/// A database file, and the folders whose records are imported into it.
pub(super) struct Database {
    path: PathBuf,
    /// Folders whose new records are imported before each command; none for a database given by `--db`.
    pub(super) folders: Vec<PathBuf>,
}

impl Database {
    /// The database given by `--db`, or else that of the configuration.
    pub(super) fn of(config: &Config, named: Option<&Path>) -> anyhow::Result<Self> {
        if let Some(path) = named {
            return Ok(Self { path: path.to_owned(), folders: Vec::new() });
        }
        let Some(path) = config.records.index.clone() else {
            return Err(anyhow::anyhow!("there is no database: records.index is \"off\""))
                .written_by_user()
                .hint("name one with --db FILE");
        };
        let mut folders = vec![config.records.dir.clone(), config.listen.records.clone()];
        let sources = Sources::read(&path).context("reading the list of sources")?;
        folders.extend(sources.live);
        Ok(Self { path, folders })
    }

    /// Opens the database after importing new records of the folders.
    pub(super) fn open(&self) -> anyhow::Result<Index> {
        if self.folders.is_empty() {
            return Index::open_existing(&self.path).written_by_user();
        }
        let index = Index::open(&self.path)?;
        catch_up(&index, &self.folders)?;
        Ok(index)
    }

    /// The list of imported files and folders.
    pub(super) fn sources(&self) -> anyhow::Result<Sources> {
        Sources::read(&self.path).context("reading the list of sources")
    }

    /// The database.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}
