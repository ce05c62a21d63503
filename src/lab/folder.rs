//! A folder for the results of one process: a plan that must not change, and one line for each result.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::plan::difference;

/// The reason a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{doing} {}: {source}", path.display())]
    Io {
        /// The operation.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// Another process uses the folder.
    #[error("another process is playing the {what} in {}", dir.display())]
    Busy {
        /// The kind of its contents.
        what: &'static str,
        /// The folder.
        dir: PathBuf,
    },
    /// The folder contains another match or run.
    #[error("{} holds another {what}: {difference}; give another --out, or the original settings", dir.display())]
    Other {
        /// The kind of its contents.
        what: &'static str,
        /// The folder.
        dir: PathBuf,
        /// The first difference.
        difference: String,
    },
    /// A file of the folder is broken.
    #[error("{}, line {line}: {reason}; repair or remove the line", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// A folder, locked by this process.
#[derive(Debug)]
pub(super) struct Folder {
    /// The kind of its contents, in one word.
    what: &'static str,
    dir: PathBuf,
    /// The file with one line for each result.
    path: PathBuf,
    lines: File,
}

impl Folder {
    /// Opens or creates the folder; `name` is the name of the file with the results.
    pub(super) fn open(what: &'static str, dir: &Path, name: &str) -> Result<Self, StoreError> {
        fs::create_dir_all(dir).map_err(failed("making", dir))?;
        let path = dir.join(name);
        let mut options = OpenOptions::new();
        let opened = options.create(true).read(true).append(true).open(&path);
        let lines = opened.map_err(failed("opening", &path))?;
        let dir = dir.to_owned();
        match lines.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy { what, dir }),
            // Some file systems do not support locks.
            Err(TryLockError::Error(error)) => tracing::debug!(%error, "the folder is not locked"),
        }
        Ok(Self { what, dir, path, lines })
    }

    /// Creates a subfolder.
    pub(super) fn create_subfolder(&self, name: &str) -> Result<(), StoreError> {
        let dir = self.dir.join(name);
        fs::create_dir_all(&dir).map_err(failed("making", &dir))
    }

    /// Checks that the plan is unchanged. In a new folder, writes the plan and the additional information `more`.
    pub(super) fn check_plan(
        &self,
        name: &str,
        new: &Value,
        more: impl FnOnce() -> Value,
    ) -> Result<(), StoreError> {
        let path = self.dir.join(name);
        let old = match read_plan(&path) {
            Ok(old) => old,
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                let mut about = json!({
                    "kyomi": env!("CARGO_PKG_VERSION"),
                    "begun": jiff::Zoned::now().strftime("%Y-%m-%d %H:%M:%S %z").to_string(),
                    "command": std::env::args().collect::<Vec<_>>(),
                    "plan": new,
                });
                if let (Value::Object(about), Value::Object(more)) = (&mut about, more()) {
                    about.extend(more);
                }
                return self.write_whole(name, &format!("{about:#}\n"));
            }
            Err(error) => return Err(error),
        };
        match difference(&old, new) {
            None => Ok(()),
            Some(difference) => {
                Err(StoreError::Other { what: self.what, dir: self.dir.clone(), difference })
            }
        }
    }

    /// Reads all lines. An incomplete last line is removed.
    pub(super) fn each<T: DeserializeOwned>(&self, each: impl FnMut(T)) -> Result<(), StoreError> {
        let (whole, all) = read_lines(&self.path, each)?;
        if whole < all {
            let path = self.path.display();
            tracing::warn!("the last line of {path} is incomplete; its result is computed again");
            self.lines.set_len(whole).map_err(failed("truncating", &self.path))?;
        }
        Ok(())
    }

    /// Appends a line in one write.
    pub(super) fn append(&mut self, value: &impl Serialize) -> Result<(), StoreError> {
        let path = &self.path;
        let mut line = serde_json::to_string(value)
            .map_err(io::Error::from)
            .map_err(failed("writing", path))?;
        line.push('\n');
        self.lines.write_all(line.as_bytes()).map_err(failed("writing", path))
    }

    /// Writes a file of the folder atomically.
    pub(super) fn write_whole(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let path = self.dir.join(name);
        let draft = self.dir.join(format!("{name}.draft"));
        fs::write(&draft, text).map_err(failed("writing", &draft))?;
        fs::rename(&draft, &path).map_err(failed("writing", &path))
    }
}

/// The plan stored in a folder.
pub(super) fn read_plan(path: &Path) -> Result<Value, StoreError> {
    let text = fs::read_to_string(path).map_err(failed("reading", path))?;
    let mut about: Value = serde_json::from_str(&text).map_err(|error| StoreError::Broken {
        path: path.to_owned(),
        line: error.line(),
        reason: error.to_string(),
    })?;
    Ok(about.get_mut("plan").map(Value::take).unwrap_or_default())
}

/// Passes all complete lines to `each`. Returns the number of bytes in these lines and in the file.
pub(super) fn read_lines<T: DeserializeOwned>(
    path: &Path,
    mut each: impl FnMut(T),
) -> Result<(u64, u64), StoreError> {
    let bytes = fs::read(path).map_err(failed("reading", path))?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let text = String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default());
    for (line, number) in text.lines().zip(1..) {
        each(serde_json::from_str(line).map_err(|error| StoreError::Broken {
            path: path.to_owned(),
            line: number,
            reason: error.to_string(),
        })?);
    }
    Ok((whole as u64, bytes.len() as u64))
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { doing, path, source }
}
