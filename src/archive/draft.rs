//! Writes files that exist as a whole or not at all: beside their name first, then renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::rename::{DRAFT, rename_to};

/// Whether a file is on the disk when the call that writes it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// The system writes it to the disk when it likes. A power failure can leave the name without the content: for
    /// thousands of files that can be written again.
    Later,
    /// The content is on the disk before it gets the name, and the name before the call returns.
    Now,
}

/// Writes a file atomically. It replaces a file of that name.
///
/// # Errors
/// The system's error. A file of that name is unchanged then.
pub fn write_atomic(path: &Path, bytes: &[u8], sync: Sync) -> io::Result<()> {
    let mut draft = Draft::beside(path)?;
    draft.write_all(bytes)?;
    draft.replace(path, sync)?;
    Ok(())
}

/// The same for an output that a user named: a file of that name is replaced only with `overwrite`. A new file can be
/// written again and does not wait for the disk.
///
/// # Errors
/// [`ErrorKind::AlreadyExists`] if there is such a file, else the system's error.
pub fn write_output(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<()> {
    let mut draft = Draft::beside(path)?;
    draft.write_all(bytes)?;
    draft.finish_output(path, overwrite)
}

/// A hidden file that becomes the output by a rename. It is removed when it is dropped before that.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    /// `None` after the rename.
    file: Option<BufWriter<File>>,
}

impl Draft {
    /// Creates one in the folder of this file, which must exist.
    ///
    /// # Errors
    /// The system's error.
    pub fn beside(path: &Path) -> io::Result<Self> {
        Self::create(folder_of(path), &OpenOptions::new(), ".kyomi-", ".draft")
    }

    /// The same, for a file that only its owner can read.
    pub(super) fn private_beside(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self::create(folder_of(path), &options, ".kyomi-", ".draft")
    }

    /// Creates the draft of a journal, which is locked, so that no other process takes it for an abandoned one.
    pub(super) fn locked(dir: &Path, stem: &str) -> io::Result<Self> {
        loop {
            let draft = Self::create(dir, &OpenOptions::new(), &format!(".{stem}."), DRAFT)?;
            if let Some(Err(error)) = draft.file.as_ref().map(|file| file.get_ref().lock()) {
                // On file systems without locks (some network folders) journals are not recovered either.
                tracing::debug!(%error, "file locks are not supported here");
            }
            // Another process may have removed it as abandoned before it was locked.
            if draft.path.exists() {
                return Ok(draft);
            }
        }
    }

    fn create(dir: &Path, options: &OpenOptions, before: &str, after: &str) -> io::Result<Self> {
        let process = std::process::id();
        for number in 0..=u32::MAX {
            let path = dir.join(format!("{before}{process}-{number}{after}"));
            match options.clone().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    return Ok(Self { path, file: Some(BufWriter::with_capacity(1 << 16, file)) });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Gives the file its name and replaces a file that has it. Returns the open file.
    ///
    /// # Errors
    /// The system's error.
    pub fn replace(self, to: &Path, sync: Sync) -> io::Result<File> {
        let (file, ()) = self.finish(sync, |draft| fs::rename(draft, to))?;
        if sync == Sync::Now {
            sync_folder(folder_of(to));
        }
        Ok(file)
    }

    /// Gives an output that a user named its name, see [`write_output`].
    pub(super) fn finish_output(self, to: &Path, overwrite: bool) -> io::Result<()> {
        if overwrite {
            self.replace(to, Sync::Now).map(|_| ())
        } else {
            self.finish(Sync::Later, |draft| rename_to(draft, to)).map(|_| ())
        }
    }

    /// Renames the file. Returns the open file too.
    pub(super) fn finish<T>(
        mut self,
        sync: Sync,
        rename: impl FnOnce(&Path) -> io::Result<T>,
    ) -> io::Result<(File, T)> {
        self.flush()?;
        if let (Sync::Now, Some(file)) = (sync, &self.file) {
            file.get_ref().sync_all()?;
        }
        let renamed = rename(&self.path)?;
        let file = self.file.take().ok_or(ErrorKind::NotFound)?;
        Ok((file.into_inner().map_err(io::IntoInnerError::into_error)?, renamed))
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_mut().ok_or(ErrorKind::NotFound)?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().ok_or(ErrorKind::NotFound)?.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Closed first: some systems do not remove open files.
        if self.file.take().is_some()
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::debug!(path = %self.path.display(), %error, "draft not removed");
        }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// Writes the names in a folder to the disk. Not all file systems can.
pub(super) fn sync_folder(dir: &Path) {
    if let Err(error) = File::open(dir).and_then(|dir| dir.sync_all()) {
        tracing::debug!(path = %dir.display(), %error, "folder not synced");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_no_draft_is_left() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        for (text, sync) in [("one", Sync::Later), ("two", Sync::Now)] {
            write_atomic(&path, text.as_bytes(), sync).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let refused = write_output(&path, b"three", false).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        let mut abandoned = Draft::beside(&path).unwrap();
        abandoned.write_all(b"four").unwrap();
        drop(abandoned);
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        write_output(&path, b"three", true).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "three");
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
    }
}
