//! Finds the files that can hold games.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::archive::convert::is_record_text;
use crate::archive::is_analysis_name;
use kyomi_record::Format;

/// The files of these inputs, in order: an input that is a file, whatever its name; of a folder and its sub-folders the
/// files sorted by name. From folders only files with the extension of a record, table, list or archive are taken, and
/// text files that are certainly records. Hidden files and folders are ignored, and so are the files of `kyomi
/// analyze`. The errors of files that cannot be read are returned too.
pub fn find_files(inputs: &[PathBuf]) -> (Vec<PathBuf>, Vec<(PathBuf, io::Error)>) {
    let mut walk = Walk { files: Vec::new(), faults: Vec::new(), seen: HashSet::new() };
    for input in inputs {
        match fs::canonicalize(input).and_then(|real| Ok((fs::metadata(&real)?, real))) {
            Ok((metadata, real)) if metadata.is_dir() => walk.folder(real),
            Ok((_, real)) => walk.file(real),
            Err(error) => walk.faults.push((input.clone(), error)),
        }
    }
    (walk.files, walk.faults)
}

struct Walk {
    files: Vec<PathBuf>,
    faults: Vec<(PathBuf, io::Error)>,
    /// Files and folders by their real paths: each is taken once.
    seen: HashSet<PathBuf>,
}

impl Walk {
    fn file(&mut self, real: PathBuf) {
        if self.seen.insert(real.clone()) {
            self.files.push(real);
        }
    }

    /// Takes all files of a folder. Sub-folders wait in a list, because they may be nested deeply.
    fn folder(&mut self, root: PathBuf) {
        let mut waiting = vec![root];
        while let Some(dir) = waiting.pop() {
            if !self.seen.insert(dir.clone()) {
                continue;
            }
            let entries = fs::read_dir(&dir).and_then(Iterator::collect::<io::Result<Vec<_>>>);
            let mut entries = match entries {
                Ok(entries) => entries,
                Err(error) => {
                    self.faults.push((dir, error));
                    continue;
                }
            };
            entries.sort_by_key(fs::DirEntry::file_name);
            let mut folders = Vec::new();
            for entry in entries {
                if entry.file_name().as_encoded_bytes().starts_with(b".") {
                    continue;
                }
                self.entry(&entry, &mut folders);
            }
            waiting.extend(folders.into_iter().rev());
        }
    }

    fn entry(&mut self, entry: &fs::DirEntry, folders: &mut Vec<PathBuf>) {
        let path = entry.path();
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let real = if is_link { fs::canonicalize(&path) } else { Ok(path.clone()) };
        match real.and_then(|real| Ok((fs::metadata(&real)?, real))) {
            Ok((metadata, real)) if metadata.is_dir() => folders.push(real),
            Ok((metadata, real)) => {
                if !metadata.is_file() {
                    return;
                }
                match if has_known_name(&path) { Ok(true) } else { is_record_text(&path) } {
                    Ok(true) => self.file(real),
                    Ok(false) => {}
                    Err(error) => self.faults.push((path, error)),
                }
            }
            Err(error) if has_known_name(&path) => self.faults.push((path, error)),
            Err(_) => {}
        }
    }
}

/// Whether files of this name hold games, by the extension. A file of `kyomi analyze` holds a game of another file.
pub(super) fn has_known_name(path: &Path) -> bool {
    !is_analysis_name(path)
        && extension(path).is_some_and(|extension| {
            matches!(extension.as_str(), "zip" | "gz" | "tsv")
                || Format::by_file_name(path).is_some_and(|format| format != Format::Sfen)
        })
}

/// The extension in lower case.
pub(super) fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}
