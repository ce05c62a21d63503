//! The files of a folder: one for each seed, to which finished games are appended.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::block::{Block, MAGIC};
use super::reader::{BlockReader, FilePart, LocatedPart};
use super::{SelfplayGame, SelfplaySettings};

/// The reason games cannot be stored or read. Stored games are kept.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayStoreError {
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
    /// A game could not be written. The file contains whole blocks only.
    #[error("adding a game to {}: {source}; the {games} games in it are kept", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// The number of games in it.
        games: usize,
        /// The operating system's error.
        source: io::Error,
    },
    /// Another process plays the games of the seed.
    #[error("another process is playing the games of {}; give another --seed", .0.display())]
    Busy(PathBuf),
    /// The games of the file have other settings.
    #[error(
        "{} has other settings: {difference}; give another --seed or --out, or the original settings",
        path.display()
    )]
    Other {
        /// The file.
        path: PathBuf,
        /// The first difference.
        difference: String,
    },
    /// The file has games, but their settings cannot be read.
    #[error(
        "{} has games, but the settings that they were played with cannot be read; give another --seed or --out \
         (--export and `kyomi-lab train eval` still read its games)",
        .0.display()
    )]
    NoSettings(PathBuf),
    /// The file is something else.
    #[error("{} holds no games of self-play", .0.display())]
    Foreign(PathBuf),
    /// There are no games.
    #[error("no games of self-play in {}", .0.display())]
    Nothing(PathBuf),
}

/// The file of a seed, to which this process appends games, and the starts of all games of the folder.
#[derive(Debug)]
pub(super) struct Store {
    dir: PathBuf,
    path: PathBuf,
    file: File,
    /// A file that is locked while a game is added, so that other processes read the game before they add theirs.
    lock: File,
    /// The length of the whole blocks of the file in bytes.
    length: u64,
    games: usize,
    /// The number of games since the last synchronisation with the disk.
    unsynced: usize,
    /// For each file of another seed the number of bytes that are read.
    others: BTreeMap<PathBuf, u64>,
    /// The starts of the games in these files.
    others_starts: HashSet<u64>,
    /// The starts of our games, including the running ones.
    starts: HashSet<u64>,
}

impl Store {
    /// Opens or creates the file of a seed and locks it for this process. Passes its games to `each`. An incomplete end
    /// is removed.
    pub(super) fn open(
        dir: &Path,
        seed: u64,
        plan: &Value,
        mut each: impl FnMut(&SelfplayGame),
    ) -> Result<Self, SelfplayStoreError> {
        let lock = open_lock(dir)?;
        let path = dir.join(format!("{seed}.{EXTENSION}"));
        let mut options = OpenOptions::new();
        let opened = options.create(true).truncate(false).read(true).write(true).open(&path);
        let file = opened.map_err(failed("opening", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(SelfplayStoreError::Busy(path)),
            // Some file systems do not support locks.
            Err(TryLockError::Error(error)) => tracing::debug!(%error, "the games are not locked"),
        }
        let mut store = Self {
            dir: dir.to_owned(),
            path,
            file,
            lock,
            length: 0,
            games: 0,
            unsynced: 0,
            others: BTreeMap::new(),
            others_starts: HashSet::new(),
            starts: HashSet::new(),
        };
        store.read_own(plan, &mut each)?;
        store.read_others()?;
        Ok(store)
    }

    fn read_own(
        &mut self,
        plan: &Value,
        each: &mut impl FnMut(&SelfplayGame),
    ) -> Result<(), SelfplayStoreError> {
        let reading = failed("reading", &self.path);
        let mut known_settings = None;
        let mut unread = 0;
        let mut torn = None;
        let mut blocks = BlockReader::new(&self.file, 0);
        loop {
            let located = match blocks.read_next() {
                Ok(Some(located)) => located,
                Ok(None) => break,
                Err(error) => return Err(reading(error)),
            };
            let line = describe(&self.path, &located);
            match located.part {
                FilePart::Block(Block::Run(text)) => {
                    known_settings = settings(&text).or(known_settings);
                }
                FilePart::Block(Block::Game(game)) => {
                    self.starts.insert(game.start.key());
                    self.games += 1;
                    each(&game);
                }
                FilePart::Unread(_) | FilePart::Damaged(_) => {
                    unread += usize::from(matches!(located.part, FilePart::Unread(_)));
                    tracing::warn!("{}; it is skipped", line.unwrap_or_default());
                }
                FilePart::Truncated(_) => {
                    torn = line;
                    break;
                }
            }
            self.length = located.offset + located.length;
        }
        match known_settings {
            Some(known) => {
                if let Some(difference) = SelfplaySettings::plan_difference(&known, plan) {
                    return Err(SelfplayStoreError::Other { path: self.path.clone(), difference });
                }
            }
            None if self.games + unread > 0 => {
                return Err(SelfplayStoreError::NoSettings(self.path.clone()));
            }
            None => {}
        }
        if let Some(torn) = torn {
            if self.length == 0 && !begins_with_magic(&self.file).map_err(&reading)? {
                return Err(SelfplayStoreError::Foreign(self.path.clone()));
            }
            tracing::warn!("{torn}; this end is removed, the games before it are kept");
            self.file.set_len(self.length).map_err(failed("truncating", &self.path))?;
        }
        self.file.seek(SeekFrom::Start(self.length)).map_err(reading)?;
        Ok(())
    }

    /// Reads the games that other processes have added since the last call.
    fn read_others(&mut self) -> Result<(), SelfplayStoreError> {
        for path in files(&self.dir)? {
            if path == self.path {
                continue;
            }
            let from = self.others.get(&path).copied().unwrap_or(0);
            let mut file = match File::open(&path) {
                // The file was removed after the folder was read.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened.map_err(failed("reading", &path))?,
            };
            let length = file.metadata().map_err(failed("reading", &path))?.len();
            if length == from {
                continue;
            }
            // The process that owns the file may have truncated it.
            let mut from = from.min(length);
            file.seek(SeekFrom::Start(from)).map_err(failed("reading", &path))?;
            let mut blocks = BlockReader::new(&file, from);
            while let Some(located) = blocks.read_next().map_err(failed("reading", &path))? {
                match located.part {
                    FilePart::Block(Block::Game(game)) => {
                        self.others_starts.insert(game.start.key());
                    }
                    FilePart::Block(Block::Run(_)) | FilePart::Unread(_) | FilePart::Damaged(_) => {
                    }
                    FilePart::Truncated(_) => break,
                }
                from = located.offset + located.length;
            }
            self.others.insert(path, from);
        }
        Ok(())
    }

    /// Whether no known game of the folder has this start.
    pub(super) fn is_free(&self, start: u64) -> bool {
        !self.others_starts.contains(&start) && !self.starts.contains(&start)
    }

    /// Reserves a start. Returns false if a known game of the folder has it already.
    pub(super) fn claim(&mut self, start: u64) -> bool {
        !self.others_starts.contains(&start) && self.starts.insert(start)
    }

    /// Adds a game whose start was claimed. Returns false if another process added a game with this start before.
    pub(super) fn add(&mut self, game: Box<SelfplayGame>) -> Result<bool, SelfplayStoreError> {
        let lock = self.lock.try_clone().map_err(failed("locking", &self.dir))?;
        // Some file systems do not support locks. There, games of two processes may have the same start.
        let locked = lock.lock().is_ok();
        let added = self.add_locked(game);
        if locked {
            let _ = lock.unlock();
        }
        added
    }

    fn add_locked(&mut self, game: Box<SelfplayGame>) -> Result<bool, SelfplayStoreError> {
        self.read_others()?;
        if self.others_starts.contains(&game.start.key()) {
            return Ok(false);
        }
        self.append(&Block::Game(game))?;
        self.games += 1;
        self.unsynced += 1;
        if self.unsynced >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(true)
    }

    /// Adds the block of a run.
    pub(super) fn begin(&mut self, about: &Value) -> Result<(), SelfplayStoreError> {
        self.append(&Block::Run(about.to_string()))
    }

    /// Appends a block. If that fails, a part of it that was written is removed.
    fn append(&mut self, block: &Block) -> Result<(), SelfplayStoreError> {
        let bytes = block.to_bytes();
        if let Err(source) = self.file.write_all(&bytes) {
            // If this fails too, the incomplete end is removed when the run is resumed.
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(SelfplayStoreError::Full {
                path: self.path.clone(),
                games: self.games,
                source,
            });
        }
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Writes all games so far to the disk.
    pub(super) fn sync(&mut self) -> Result<(), SelfplayStoreError> {
        self.unsynced = 0;
        self.file.sync_data().map_err(failed("writing", &self.path))
    }
}

/// Passes all blocks of a file to `each`.
///
/// # Errors
/// The error of `each`, or the file cannot be read.
pub(super) fn each_block<E: From<SelfplayStoreError>>(
    path: &Path,
    mut each: impl FnMut(LocatedPart) -> Result<(), E>,
) -> Result<(), E> {
    let file = File::open(path).map_err(failed("reading", path))?;
    let mut blocks = BlockReader::new(file, 0);
    while let Some(located) = blocks.read_next().map_err(failed("reading", path))? {
        each(located)?;
    }
    Ok(())
}

/// Passes all games of a folder or a file to `each`, with the file of each game. Damaged parts are logged and left out.
///
/// # Errors
/// A file cannot be read, or there are no files.
pub(crate) fn each_game(
    path: &Path,
    mut each: impl FnMut(&Path, &SelfplayGame),
) -> Result<(), SelfplayStoreError> {
    let sources = files(path)?;
    if sources.is_empty() {
        return Err(SelfplayStoreError::Nothing(path.to_owned()));
    }
    for source in &sources {
        each_block(source, |located| {
            if let Some(line) = describe(source, &located) {
                tracing::warn!("{line}; it is left out");
            }
            if let FilePart::Block(Block::Game(game)) = &located.part {
                each(source, game);
            }
            Ok::<(), SelfplayStoreError>(())
        })?;
    }
    Ok(())
}

/// The files of games in a folder, in the order of their seeds. For a file, the file itself.
///
/// # Errors
/// The folder cannot be read.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, SelfplayStoreError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(path).map_err(failed("reading", path))? {
        let path = entry.map_err(failed("reading", path))?.path();
        // This skips folders, and files that were removed after the folder was read.
        if is_selfplay_file(&path) && path.is_file() {
            let seed = path.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok());
            found.insert((seed.unwrap_or(u64::MAX), path));
        }
    }
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Whether the name of a file is that of a file of games.
pub(crate) fn is_selfplay_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == EXTENSION)
}

/// A line about damaged bytes, or about a block that this version does not understand.
pub(super) fn describe(path: &Path, located: &LocatedPart) -> Option<String> {
    let LocatedPart { offset, length, part } = located;
    let what = match part {
        FilePart::Block(_) => return None,
        FilePart::Unread(fault) => format!("a block of {length} bytes is not understood: {fault}"),
        FilePart::Damaged(fault) | FilePart::Truncated(fault) => {
            format!("{length} bytes are damaged: {fault}")
        }
    };
    Some(format!("{}, byte {offset}: {what}", path.display()))
}

/// The settings in the text of a run's block.
fn settings(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text).ok()?.get_mut("settings").map(Value::take)
}

/// Opens the file that is locked while a game is added. Creates the folder if necessary.
fn open_lock(dir: &Path) -> Result<File, SelfplayStoreError> {
    fs::create_dir_all(dir).map_err(failed("making", dir))?;
    let path = dir.join(LOCK);
    let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    opened.map_err(failed("opening", &path))
}

/// Creates the folder if necessary.
///
/// # Errors
/// The folder cannot be created or written.
pub fn make_folder(dir: &Path) -> Result<(), SelfplayStoreError> {
    open_lock(dir).map(|_| ())
}

pub(super) fn begins_with_magic(file: &File) -> io::Result<bool> {
    let mut file = file;
    file.seek(SeekFrom::Start(0))?;
    let mut begin = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(file, MAGIC.len() as u64), &mut begin)?;
    Ok(MAGIC.starts_with(&begin))
}

pub(super) fn failed(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> SelfplayStoreError {
    let path = path.to_owned();
    move |source| SelfplayStoreError::Io { doing, path: path.clone(), source }
}

/// The extension of files of games.
const EXTENSION: &str = "kyg";
/// The name of the file that is locked while a process adds a game.
const LOCK: &str = "lock";
/// The number of games between synchronisations with the disk, which a power failure may lose.
const SYNC_EVERY: usize = 50;
