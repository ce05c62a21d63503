//! Which files there are to convert.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::record::{Format, HEAD};

use super::ConvertError;

/// A file to convert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Where it is; `None` is standard input.
    pub path: Option<PathBuf>,
    /// The folder it was found in, below the one that was named: empty, or `2024/may`.
    pub below: PathBuf,
    /// Its size, 0 where that is not known.
    pub bytes: u64,
}

impl Source {
    /// Standard input.
    pub const fn stdin() -> Self {
        Self { path: None, below: PathBuf::new(), bytes: 0 }
    }

    /// How it is called: its path, or `standard input`.
    pub fn name(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None => "standard input".to_owned(),
        }
    }
}

/// What [`find`] found.
#[derive(Debug, Default)]
pub struct Found {
    /// The files, in the order in which they were named, those of a folder by name.
    pub sources: Vec<Source>,
    /// What cannot be looked at, and why.
    pub faults: Vec<(PathBuf, ConvertError)>,
    /// How many files of the folders are no records by their extension.
    pub others: usize,
}

/// The files to convert: each of `inputs` that is a file, whatever its name, `-` for standard input,
/// and in each that is a folder and in its sub-folders the files with a known extension, and those with
/// the extension `txt` whose first lines leave no doubt.
///
/// Hidden files and folders are passed over, and so is `out`, the folder of the outputs, where it
/// stands in one of the others. A folder that is reached again (by a symbolic link) is not walked
/// again, and a file that is named again is taken once.
pub fn find(inputs: &[PathBuf], out: Option<&Path>) -> Found {
    let mut walk = Walk { found: Found::default(), seen: HashSet::new(), files: HashSet::new() };
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
    found: Found,
    /// Folders that were walked, or are not to be, by their real paths.
    seen: HashSet<PathBuf>,
    /// Files that were taken, by their real paths: what is named twice is converted once.
    files: HashSet<PathBuf>,
}

impl Walk {
    /// All files of a folder. Those still to be walked wait in a list: folders may be nested deeply.
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
                    } else if Format::by_file_name(&path).is_some() || is_record_text(&path) {
                        self.file(path, below, metadata.len());
                    } else {
                        self.found.others += 1;
                    }
                }
                // A link to nowhere is of interest only if it looks like a record.
                Err(error) if Format::by_file_name(&path).is_some() => self.fail(&path, error),
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

/// Whether a text file is a record for certain. One that cannot be read is none.
fn is_record_text(path: &Path) -> bool {
    let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("txt"));
    let head = || -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        fs::File::open(path)?.take(HEAD as u64).read_to_end(&mut head)?;
        Ok(head)
    };
    is_text && head().is_ok_and(|head| Format::certain(&head).is_some())
}
