//! Where a book comes from.

use std::{
    fmt,
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
};

use kyomi_shogi::Position;

use super::{BookFaults, BookMove, BookTable, DiskBook};

/// Where a book comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BookSource {
    /// The small book that is part of the program.
    BuiltIn,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for BookSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("the built-in book"),
            Self::File(path) => write!(f, "the book {}", path.display()),
        }
    }
}

/// An opened book.
#[derive(Debug)]
pub enum Book {
    /// In memory.
    Table(BookTable),
    /// On disk.
    Disk(DiskBook),
}

/// Why there is no book.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// The file cannot be read.
    #[error("reading the book {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// It has no position.
    #[error(
        "{} holds no position of a book; the format is YaneuraOu's text, with lines `sfen …` and `7g7f 3c3d 0 0 1`",
        path.display()
    )]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It is too large for memory, and its positions are in no order.
    #[error(
        "the book {} has {mib} MiB and is not sorted, so it cannot be searched on disk; `kyomi book merge {} -o \
         SORTED.db` sorts it",
        path.display(), path.display()
    )]
    NotSorted {
        /// The file.
        path: PathBuf,
        /// Its size.
        mib: u64,
    },
}

impl Book {
    /// Opens a book. Files of up to [`Book::IN_MEMORY`] bytes are read whole; their faults are returned.
    ///
    /// # Errors
    /// The book cannot be opened.
    pub fn open(source: &BookSource) -> Result<(Self, BookFaults), BookError> {
        match source {
            BookSource::BuiltIn => Ok((Self::Table(built_in()), BookFaults::default())),
            BookSource::File(path) => Self::open_file(path, Self::IN_MEMORY),
        }
    }

    /// Opens a book that is searched on disk if it is larger than `in_memory` bytes.
    ///
    /// # Errors
    /// The book cannot be opened.
    pub fn open_file(path: &Path, in_memory: u64) -> Result<(Self, BookFaults), BookError> {
        let read = |source| BookError::Read { path: path.to_owned(), source };
        let file = open(path).map_err(read)?;
        let bytes = file.metadata().map_err(read)?.len();
        if bytes > in_memory {
            let book = DiskBook::new(file).map_err(read)?;
            if !book.is_sorted().map_err(read)? {
                return Err(BookError::NotSorted { path: path.to_owned(), mib: bytes >> 20 });
            }
            return Ok((Self::Disk(book), BookFaults::default()));
        }
        let (table, faults) = read_table(path, file)?;
        Ok((Self::Table(table), faults))
    }

    /// The largest file that is read whole.
    pub const IN_MEMORY: u64 = 64 << 20;

    /// The moves of the same position seen from the other side, as [`Book::moves`] finds them, turned back. A book that
    /// has each position with black to move answers for white by them.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn flipped_moves(
        &self,
        position: &Position,
        ply: Option<u16>,
    ) -> io::Result<Vec<BookMove>> {
        let moves = self.moves(&position.rotated(), ply)?;
        Ok(moves.into_iter().map(BookMove::rotated).collect())
    }

    /// The moves of a position, the best first. With a `ply`, only of entries that have this number or none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn moves(&self, position: &Position, ply: Option<u16>) -> io::Result<Vec<BookMove>> {
        match self {
            Self::Table(table) => Ok(table.moves(position, ply)),
            Self::Disk(book) => book.moves(position, ply),
        }
    }
}

impl BookTable {
    /// Reads a whole file, of any size and order.
    ///
    /// # Errors
    /// It cannot be read, or has no position.
    pub fn open(path: &Path) -> Result<(Self, BookFaults), BookError> {
        let read = |source| BookError::Read { path: path.to_owned(), source };
        read_table(path, open(path).map_err(read)?)
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

fn read_table(path: &Path, file: File) -> Result<(BookTable, BookFaults), BookError> {
    let (table, faults) = BookTable::read(BufReader::with_capacity(1 << 16, file))
        .map_err(|source| BookError::Read { path: path.to_owned(), source })?;
    if table.is_empty() {
        return Err(BookError::Empty { path: path.to_owned() });
    }
    Ok((table, faults))
}

/// The book that is part of the program. A test reads it without a fault.
fn built_in() -> BookTable {
    BookTable::read(BUILT_IN.as_bytes()).map_or_else(|_| BookTable::default(), |(table, _)| table)
}

/// Where its games come from is in its first lines and in `docs/engine-in-use.md`.
pub(super) const BUILT_IN: &str = include_str!("built_in.db");
