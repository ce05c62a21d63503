//! Why something was not converted.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use kyomi_record::{Format, LONGEST_LINE, Place, RecordError};

/// Why a file, or a game of it, was not converted completely.
#[derive(Debug, Error)]
pub enum ConvertError {
    /// The record has a fault.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The file or folder cannot be read.
    #[error("cannot be read: {0}")]
    Read(#[source] io::Error),
    /// The file is too large for a format that is read as a whole.
    #[error(
        "larger than {most} MiB, too much for a format that is read as a whole; split it (files of \
         {any_size} may have any size)",
        most = most >> 20,
        any_size = of_any_size()
    )]
    TooLarge {
        /// The largest size, in bytes.
        most: usize,
    },
    /// A line is too long for a format that is read line by line.
    #[error("{0}: the line is longer than {most} MiB; ignored", most = LONGEST_LINE >> 20)]
    LongLine(Place),
    /// The file has bytes that are invalid in the encoding that was named.
    #[error("not all of it is {0}, as --encoding-in says; characters are missing")]
    Encoding(kyomi_record::Encoding),
    /// Neither name nor content show the format.
    #[error("neither its name nor its first lines show its format; name it with --from")]
    UnknownFormat,
    /// A file of this name exists, and overwriting was not asked for.
    #[error("{} exists already; nothing is overwritten without --force", .0.display())]
    Exists(PathBuf),
    /// Another input of this run has the same output.
    #[error("{} is the output of another input already; choose another folder with -o", .0.display())]
    Twice(PathBuf),
    /// The output is also an input.
    #[error("{} is itself an input and stays as it is; choose a folder with -o", .0.display())]
    IsInput(PathBuf),
    /// The output cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// The system's error. Its text is part of this one's.
        #[source]
        source: io::Error,
    },
    /// The format can hold nothing of a game, for example rows of training data for a game without moves.
    #[error("game {number} has nothing that {format} holds (no moves, or a king is missing)")]
    Nothing {
        /// The number of the game in the file, from 1.
        number: usize,
        /// The format.
        format: &'static str,
    },
    /// The format holds one game, and another one was written to standard output before.
    #[error("a second game on standard output, where {0} holds but one; choose a folder with -o")]
    OneGame(&'static str),
}

impl ConvertError {
    /// Whether the input has no fault, but its output cannot be written.
    pub const fn is_of_output(&self) -> bool {
        matches!(
            self,
            Self::Exists(_)
                | Self::Twice(_)
                | Self::IsInput(_)
                | Self::Write { .. }
                | Self::OneGame(_)
                | Self::Nothing { .. }
        )
    }

    /// The place in the file.
    pub const fn place(&self) -> Option<Place> {
        match self {
            Self::Record(error) => Some(error.place),
            Self::LongLine(place) => Some(*place),
            _ => None,
        }
    }
}

/// The names of the formats that are read in pieces.
fn of_any_size() -> String {
    let formats = Format::ALL.into_iter().filter(|format| format.largest_file().is_none());
    formats.map(Format::name).collect::<Vec<_>>().join(", ")
}
