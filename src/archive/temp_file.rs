//! Temporary files that get their name when they are complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::rename::rename_to;

/// Writes a file atomically: it exists as a whole or not at all. A file of that name is replaced only with `overwrite`.
///
/// # Errors
/// [`ErrorKind::AlreadyExists`] if there is such a file, else the system's error.
pub fn write_whole(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<()> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let mut draft = TempFile::create(dir.unwrap_or_else(|| Path::new(".")))?;
    draft.write(bytes)?;
    draft.finish(path, overwrite)
}

/// A hidden file that becomes the output by a rename. It is removed when it is dropped before that.
pub(super) struct TempFile {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    /// Whether it was renamed.
    has_name: bool,
}

impl TempFile {
    /// Creates one in this folder, which must exist.
    pub(super) fn create(dir: &Path) -> io::Result<Self> {
        Self::create_with(dir, &OpenOptions::new())
    }

    /// The same, for a file that only its owner can read.
    pub(super) fn create_private(dir: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self::create_with(dir, &options)
    }

    fn create_with(dir: &Path, options: &OpenOptions) -> io::Result<Self> {
        let process = std::process::id();
        for number in 0..=u32::MAX {
            let path = dir.join(format!(".kyomi-{process}-{number}.draft"));
            match options.clone().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    let file = Some(BufWriter::with_capacity(1 << 16, file));
                    return Ok(Self { path, file, has_name: false });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.write_all(bytes),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    /// Gives the file its name. A file that has the name already is replaced only with `overwrite`.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyExists`] if the name is taken, else the system's error.
    pub(super) fn finish(&mut self, to: &Path, overwrite: bool) -> io::Result<()> {
        if let Some(mut file) = self.file.take() {
            file.flush()?;
            // Without this, a power failure could leave the new name with no content, and the old content is gone. A
            // file that replaces nothing can be written again, and thousands of them need not wait for the disk.
            if overwrite {
                file.get_ref().sync_all()?;
            }
        }
        if overwrite {
            fs::rename(&self.path, to)?;
        } else {
            rename_to(&self.path, to)?;
        }
        self.has_name = true;
        Ok(())
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if self.has_name {
            return;
        }
        // Closed first: some systems do not remove open files.
        self.file = None;
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(path = %self.path.display(), %error, "draft not removed");
        }
    }
}
