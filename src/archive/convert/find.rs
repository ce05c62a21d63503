//! Finds the files to convert.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::archive::is_analysis_name;
use kyomi_record::{Format, HEAD_BYTES};

use super::ConvertError;

/// A file to convert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path; `None` for standard input.
    pub path: Option<PathBuf>,
    /// The folder it was found in, relative to the one that was named: empty, or `2024/may`.
    pub below: PathBuf,
    /// Its size, 0 if it is not known.
    pub bytes: u64,
}

impl Source {
    /// Standard input.
    pub const fn stdin() -> Self {
        Self { path: None, below: PathBuf::new(), bytes: 0 }
    }

    /// Its name in messages: its path, or `standard input`.
    pub fn name(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None => "standard input".to_owned(),
        }
    }
}

/// The result of [`find`].
#[derive(Debug, Default)]
pub struct FoundFiles {
    /// The files, in the order in which they were named; those of a folder by name.
    pub sources: Vec<Source>,
    /// Paths that could not be read, with the errors.
    pub faults: Vec<(PathBuf, ConvertError)>,
    /// The number of files in the folders that do not have the extension of a record, and of files of `kyomi analyze`.
    pub others: usize,
}

/// Finds the files to convert: each of `inputs` that is a file, whatever its name, `-` for standard input, and in
/// each folder and its sub-folders the files with a known extension, and those with the extension `txt` whose first
/// lines are certainly a record.
///
/// The files that `kyomi analyze` wrote beside records are not taken from folders: they hold the same games again.
/// Hidden files and folders are ignored, and so is `out`, the folder of the outputs, inside another folder. A folder
/// that is reached again (by a symbolic link) is not searched again, and a file that is named again is taken once.
pub fn find(inputs: &[PathBuf], out: Option<&Path>) -> FoundFiles {
    let mut walk =
        Walk { found: FoundFiles::default(), seen: HashSet::new(), files: HashSet::new() };
    let out = out.and_then(|out| fs::canonicalize(out).ok());
    for input in inputs {
        if input.as_os_str() == "-" {
            if walk.files.insert(input.clone()) {
                walk.found.sources.push(Source::stdin());
            }
            continue;
        }
        match fs::metadata(input) {
            Ok(metadata) if metadata.is_dir() => {
                walk.seen.clear();
                walk.seen.extend(
                    out.clone()
                        .filter(|out| fs::canonicalize(input).is_ok_and(|input| input != *out)),
                );
                walk.folder(input);
            }
            Ok(metadata) => walk.file(input.clone(), Path::new(""), metadata.len()),
            Err(error) => walk.fail(input, error),
        }
    }
    walk.found
}

struct Walk {
    found: FoundFiles,
    /// Folders that were searched, or must not be, by their real paths.
    seen: HashSet<PathBuf>,
    /// Files that were taken, by their real paths: a file that is named twice is converted once.
    files: HashSet<PathBuf>,
}

impl Walk {
    /// Takes all files of a folder. Sub-folders wait in a list, because they may be nested deeply.
    fn folder(&mut self, root: &Path) {
        let mut waiting = vec![PathBuf::new()];
        while let Some(below) = waiting.pop() {
            let dir =
                if below.as_os_str().is_empty() { root.to_owned() } else { root.join(&below) };
            let real = match fs::canonicalize(&dir) {
                Ok(real) => real,
                Err(error) => {
                    self.fail(&dir, error);
                    continue;
                }
            };
            if !self.seen.insert(real) {
                continue;
            }
            let folders = self.files_of(&dir, &below);
            waiting.extend(folders.into_iter().rev());
        }
    }

    /// Takes the files of one folder, by name, and returns the folders in it.
    fn files_of(&mut self, dir: &Path, below: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(dir).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut names: Vec<_> = match entries {
            Ok(entries) => entries.into_iter().map(|entry| entry.file_name()).collect(),
            Err(error) => {
                self.fail(dir, error);
                return Vec::new();
            }
        };
        names.sort();
        let mut folders = Vec::new();
        for name in names {
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = dir.join(&name);
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => folders.push(below.join(&name)),
                Ok(metadata) => {
                    if !metadata.is_file() {
                        continue;
                    }
                    let is_record = has_record_name(&path);
                    match if is_record { Ok(true) } else { is_record_text(&path) } {
                        Ok(true) => self.file(path, below, metadata.len()),
                        Ok(false) => self.found.others += 1,
                        Err(error) => self.fail(&path, error),
                    }
                }
                // A broken link is reported only if it has the extension of a record.
                Err(error) if has_record_name(&path) => self.fail(&path, error),
                Err(_) => {}
            }
        }
        folders
    }

    fn file(&mut self, path: PathBuf, below: &Path, bytes: u64) {
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if !self.files.insert(real) {
            return;
        }
        self.found.sources.push(Source { path: Some(path), below: below.to_owned(), bytes });
    }

    fn fail(&mut self, path: &Path, error: io::Error) {
        self.found.faults.push((path.to_owned(), ConvertError::Read(error)));
    }
}

/// Whether files of this name are records.
fn has_record_name(path: &Path) -> bool {
    Format::by_file_name(path).is_some() && !is_analysis_name(path)
}

/// Whether a file with the extension `txt` is certainly a record.
///
/// # Errors
/// If such a file cannot be read.
pub(in crate::archive) fn is_record_text(path: &Path) -> io::Result<bool> {
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("txt")) {
        return Ok(false);
    }
    let mut head = Vec::new();
    fs::File::open(path)?.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(Format::certain(&head).is_some())
}
