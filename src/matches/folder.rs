//! A folder for the results of one process: a plan that must not change, and one line for each result.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufRead as _, BufReader, Read as _, Write},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::archive::{Sync, write_atomic};
use kyomi_record::{LONGEST_LINE, read_bounded};

use super::{origin::Origin, plan::difference};

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
pub struct Folder {
    /// The kind of its contents, in one word.
    what: &'static str,
    dir: PathBuf,
    /// The file with one line for each result.
    path: PathBuf,
    lines: File,
}

impl Folder {
    /// Opens or creates the folder; `name` is the name of the file with the results.
    pub fn open(what: &'static str, dir: &Path, name: &str) -> Result<Self, StoreError> {
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
    pub fn create_subfolder(&self, name: &str) -> Result<(), StoreError> {
        let dir = self.dir.join(name);
        fs::create_dir_all(&dir).map_err(failed("making", &dir))
    }

    /// Checks that the plan is unchanged. In a new folder, writes the plan and the additional information `more`.
    pub fn check_plan(
        &self,
        name: &str,
        new: &Value,
        more: impl FnOnce() -> Value,
    ) -> Result<(), StoreError> {
        let path = self.dir.join(name);
        let old = match read_plan(&path) {
            Ok(old) => old,
            Err(StoreError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                let Origin { kyomi, date, command } = Origin::of_this_run();
                let mut about =
                    json!({ "kyomi": kyomi, "begun": date, "command": command, "plan": new });
                if let (Value::Object(about), Value::Object(more)) = (&mut about, more()) {
                    about.extend(more);
                }
                return self.write_whole(name, &format!("{about:#}\n"), Sync::Now);
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
    ///
    /// # Errors
    /// A line cannot be read, or `each` refuses it with a reason.
    pub fn each<T: DeserializeOwned>(
        &self,
        each: impl FnMut(T) -> Result<(), String>,
    ) -> Result<(), StoreError> {
        let (whole, all) = read_lines(&self.path, each)?;
        if whole < all {
            let path = self.path.display();
            tracing::warn!("the last line of {path} is incomplete; its result is computed again");
            self.lines.set_len(whole).map_err(failed("truncating", &self.path))?;
        }
        Ok(())
    }

    /// Appends a line in one write.
    pub fn append(&mut self, value: &impl Serialize) -> Result<(), StoreError> {
        let path = &self.path;
        let mut line = serde_json::to_string(value)
            .map_err(io::Error::from)
            .map_err(failed("writing", path))?;
        line.push('\n');
        self.lines.write_all(line.as_bytes()).map_err(failed("writing", path))
    }

    /// Writes a file of the folder atomically.
    pub fn write_whole(&self, name: &str, text: &str, sync: Sync) -> Result<(), StoreError> {
        let path = self.dir.join(name);
        write_atomic(&path, text.as_bytes(), sync).map_err(failed("writing", &path))
    }
}

/// The plan stored in a folder.
pub fn read_plan(path: &Path) -> Result<Value, StoreError> {
    let bytes = File::open(path)
        .and_then(|file| read_bounded(file, LARGEST_PLAN))
        .map_err(failed("reading", path))?;
    let mut about: Value = serde_json::from_slice(&bytes)
        .map_err(|error| broken(path, error.line(), &error.to_string()))?;
    Ok(about.get_mut("plan").map(Value::take).unwrap_or_default())
}

/// Passes all complete lines to `each`. Returns the number of bytes in these lines and in the file.
///
/// # Errors
/// A line cannot be read, is longer than any that is written, or `each` refuses it with a reason.
pub fn read_lines<T: DeserializeOwned>(
    path: &Path,
    mut each: impl FnMut(T) -> Result<(), String>,
) -> Result<(u64, u64), StoreError> {
    let mut file = BufReader::new(File::open(path).map_err(failed("reading", path))?);
    let mut line = Vec::new();
    let mut whole = 0;
    for number in 1.. {
        line.clear();
        let most = LONGEST_LINE as u64 + 1;
        let read = (&mut file).take(most).read_until(b'\n', &mut line);
        let read = read.map_err(failed("reading", path))? as u64;
        if line.pop_if(|byte| *byte == b'\n').is_none() {
            if read == most {
                let reason = format!("longer than {} MiB", LONGEST_LINE >> 20);
                return Err(broken(path, number, &reason));
            }
            return Ok((whole, whole + read));
        }
        let value = serde_json::from_str(&String::from_utf8_lossy(&line));
        let refused = value.map_err(|error| error.to_string()).and_then(&mut each);
        refused.map_err(|reason| broken(path, number, &reason))?;
        whole += read;
    }
    Ok((whole, whole))
}

/// The error of a line. The reason may quote the line, which may be long.
fn broken(path: &Path, line: usize, reason: &str) -> StoreError {
    let clean = reason.chars().map(|c| if c.is_control() { ' ' } else { c });
    StoreError::Broken { path: path.to_owned(), line, reason: clean.take(LONGEST_REASON).collect() }
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { doing, path, source }
}

/// The size of the largest plan that is read, in bytes: it names the players, but no games.
const LARGEST_PLAN: usize = 16 << 20;
/// The length of the longest reason of a broken line, in characters.
const LONGEST_REASON: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &Path) -> Result<(Vec<u64>, (u64, u64)), String> {
        let mut found = Vec::new();
        let read = read_lines(path, |number: u64| {
            found.push(number);
            if number < 100 { Ok(()) } else { Err("too large".to_owned()) }
        });
        read.map(|sizes| (found, sizes)).map_err(|error| error.to_string())
    }

    #[test]
    fn whole_lines_are_read_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.jsonl");
        for (text, expected, sizes) in
            [("", vec![], (0, 0)), ("1\n2\r\n", vec![1, 2], (5, 5)), ("7\n8", vec![7], (2, 3))]
        {
            fs::write(&path, text).unwrap();
            assert_eq!(read(&path).unwrap(), (expected, sizes), "{text:?}");
        }
    }

    #[test]
    fn a_wrong_line_is_named_and_quoted_in_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers.jsonl");
        let long = format!("1\n2\n\"{}\"\n", "x".repeat(1 << 20));
        for (text, part) in [
            ("1\nx\n2\n", "line 2: expected value at line 1 column 1; repair or remove the line"),
            ("1\n2\n300\n", "line 3: too large"),
            (&long, "line 3: invalid type: string \"xxx"),
        ] {
            fs::write(&path, text).unwrap();
            let error = read(&path).unwrap_err();
            assert!(error.contains(part) && error.len() < 1000, "{error:.500}");
        }
    }

    /// A device has no end, and no lines.
    #[cfg(unix)]
    #[test]
    fn files_without_an_end_are_refused() {
        let zero = Path::new("/dev/zero");
        let error = read(zero).unwrap_err();
        assert_eq!(error, "/dev/zero, line 1: longer than 16 MiB; repair or remove the line");
        let error = read_plan(zero).unwrap_err().to_string();
        assert_eq!(error, "reading /dev/zero: larger than 16 MiB");
    }
}
