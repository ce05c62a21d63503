//! A file beside the journal of a running game, from which a later process can resume the game.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    draft::{Draft, Sync},
    rename::JOURNAL,
};

/// A JSON file beside the journal of a running game. Only its owner can read it, because it may contain the token that
/// gives access to the game. Dropping this value does not remove the file, so that it survives the process.
#[derive(Debug)]
pub struct PrivateFile {
    path: PathBuf,
    journal: PathBuf,
}

impl PrivateFile {
    /// Writes the file beside a journal, atomically. `extension` follows the name of the journal.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(journal: &Path, extension: &str, content: &impl Serialize) -> io::Result<Self> {
        let mut name = journal.file_name().unwrap_or_default().to_owned();
        name.push(extension);
        let path = journal.with_file_name(name);
        let text = serde_json::to_vec(content).map_err(io::Error::other)?;
        let mut draft = Draft::private_beside(&path)?;
        draft.write_all(&text)?;
        // What it replaces is of an earlier game.
        draft.replace(&path, Sync::Now)?;
        Ok(Self { path, journal: journal.to_owned() })
    }

    /// The files with this extension in a folder, in the order of their names. Files of other programs may be among
    /// them, and their journals may be gone.
    pub fn find(dir: &Path, extension: &str) -> Vec<Self> {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path());
        let beside_journal = |path: PathBuf| {
            let journal = path.to_str()?.strip_suffix(extension)?;
            let journal = journal.ends_with(JOURNAL).then(|| PathBuf::from(journal))?;
            Some(Self { path, journal })
        };
        let mut files: Vec<_> = entries.filter_map(beside_journal).collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        files
    }

    /// The content.
    ///
    /// # Errors
    /// It cannot be read, or is not of this form.
    pub fn read<T: DeserializeOwned>(&self) -> io::Result<T> {
        Ok(serde_json::from_slice(&fs::read(&self.path)?)?)
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the journal is while the game runs.
    pub fn journal(&self) -> &Path {
        &self.journal
    }

    /// Removes the file: the game is over.
    pub fn remove(self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "file of a running game not removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_found_by_its_extension_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let journal = dir.join("x.csa.part");
        let written = PrivateFile::write(&journal, ".offer", &[1, 2]).unwrap();
        for other in ["x.csa.offer", "x.csa.part.game", ".offer"] {
            fs::write(dir.join(other), "").unwrap();
        }
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode;
            assert_eq!(mode(&fs::metadata(written.path()).unwrap().permissions()) & 0o777, 0o600);
        }
        let found = PrivateFile::find(dir, ".offer");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(fs::read_dir(dir).unwrap().count(), 4, "no draft is left");
        assert_eq!((found[0].journal(), found[0].path()), (journal.as_path(), written.path()));
        assert_eq!(found[0].read::<Vec<u32>>().unwrap(), [1, 2]);
        assert!(found[0].read::<String>().is_err());
        written.remove();
        assert!(PrivateFile::find(dir, ".offer").is_empty());
        fs::remove_dir_all(dir).unwrap();
        assert!(PrivateFile::find(dir, ".offer").is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_replaced_by_a_private_one() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let path = dir.join("x.csa.part.offer");
        fs::write(&path, "[1, ").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let written = PrivateFile::write(&dir.join("x.csa.part"), ".offer", &[1, 2]).unwrap();
        assert_eq!(written.path(), path);
        assert_eq!(written.read::<Vec<u32>>().unwrap(), [1, 2]);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
