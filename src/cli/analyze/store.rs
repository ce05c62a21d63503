//! Keeps analyses in the database of games.

use std::path::Path;

use crate::archive::index::{Analyses, Index, IndexError};
use crate::report::analysis::AnalysisStore;
use crate::terminal::speech;
use kyomi_shogi::Position;

/// The database of games as a store of analyses. After a fault the analysis goes on without it.
pub(super) struct IndexStore {
    index: Option<Index>,
}

impl IndexStore {
    /// Opens the database, or makes it.
    ///
    /// # Errors
    /// It cannot be used, or is of a newer version.
    pub(super) fn open(path: &Path) -> Result<Self, IndexError> {
        Ok(Self { index: Some(Index::open(path)?) })
    }

    fn give_up(&mut self, error: &IndexError) {
        speech::warn(format_args!("{error}; nothing more is stored"));
        self.index = None;
    }
}

impl AnalysisStore for IndexStore {
    fn get(&mut self, position: &Position, settings: &str) -> Option<String> {
        match Analyses::of(self.index.as_ref()?).get(position, settings) {
            Ok(found) => found,
            Err(error) => {
                self.give_up(&error);
                None
            }
        }
    }

    fn put(&mut self, position: &Position, settings: &str, text: &str) {
        let Some(index) = &self.index else { return };
        if let Err(error) = Analyses::of(index).put(position, settings, text) {
            self.give_up(&error);
        }
    }
}
