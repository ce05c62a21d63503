//! The results of a conversion: of one file, and of all files.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use kyomi_record::{Encoding, Format, Omissions, ReadRecord, Warning};
use kyomi_shogi::text::counted;

use super::ConvertError;

/// The result for one file.
#[derive(Debug, Default)]
pub struct FileReport {
    /// The files written.
    pub outputs: Vec<PathBuf>,
    /// The format of the input.
    pub format: Option<Format>,
    /// The encoding of the input; `None` for a binary format, or for a file without a game.
    pub encoding: Option<Encoding>,
    /// The encoding that the first lines of the file seem to have, for a file of which no game can be read.
    pub guessed: Option<Encoding>,
    /// The number of games written.
    pub games: usize,
    /// The data that the written format could not represent.
    pub omissions: Omissions,
    /// Warnings about input that was ignored; the first ones are kept.
    pub warnings: Capped<Warning>,
    /// Errors; the first ones are kept.
    pub faults: Faults,
    /// Whether it was stopped on request. Games that were not written yet are not written.
    pub was_stopped: bool,
}

/// The first items of a list, and the number of all.
#[derive(Debug)]
pub struct Capped<T> {
    /// The first items.
    pub first: Vec<T>,
    /// The number of all items.
    pub count: usize,
}

impl<T> Default for Capped<T> {
    fn default() -> Self {
        Self { first: Vec::new(), count: 0 }
    }
}

impl<T> Capped<T> {
    pub(super) fn push(&mut self, thing: T) {
        self.count += 1;
        if self.first.len() < MOST_KEPT {
            self.first.push(thing);
        }
    }

    /// The number of items that are not kept.
    pub const fn dropped(&self) -> usize {
        self.count.saturating_sub(self.first.len())
    }
}

/// The errors of a file: the first ones, and what all of them mean.
#[derive(Debug, Default)]
pub struct Faults {
    /// The first errors.
    pub first: Vec<ConvertError>,
    /// The number of all errors.
    pub count: usize,
    /// The number of errors of the input, see [`ConvertError::is_of_output`].
    pub of_input: usize,
    /// Whether the output has the name of another file.
    pub(super) is_name_taken: bool,
}

impl Faults {
    pub(super) fn push(&mut self, fault: ConvertError) {
        self.count += 1;
        self.of_input += usize::from(!fault.is_of_output());
        self.is_name_taken |= fault.is_of_output() && !matches!(fault, ConvertError::IsInput(_));
        if self.first.len() < MOST_KEPT {
            self.first.push(fault);
        }
    }
}

/// The number of items kept for one file.
const MOST_KEPT: usize = 100;

impl FileReport {
    /// The report of a file that cannot be read at all.
    pub fn of_fault(fault: ConvertError) -> Self {
        let mut report = Self::default();
        report.faults.push(fault);
        report
    }

    /// Adds the warnings, the fault and the encoding of a game that was read.
    pub(super) fn note(&mut self, game: &mut ReadRecord) {
        // The first pieces of a list may be plain ASCII, which is UTF-8 too.
        if self.encoding.is_none_or(|encoding| encoding == Encoding::Utf8) {
            self.encoding = game.encoding.or(self.encoding);
        }
        for warning in game.warnings.drain(..) {
            self.warnings.push(warning);
        }
        self.warnings.count += game.more_warnings;
        if let Some(fault) = game.fault.take() {
            self.faults.push(fault.into());
        }
    }
}

/// The result for all files.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// The number of games written.
    pub games: usize,
    /// The number of files of which games were written.
    pub files: usize,
    /// The number of files with a fault, or that cannot be read.
    pub broken: usize,
    /// The number of files without a fault whose output cannot be written.
    pub unwritten: usize,
    /// All omissions.
    pub omissions: Omissions,
    /// The number of files by format and encoding.
    forms: BTreeMap<String, usize>,
}

impl Totals {
    /// Adds a file.
    pub fn add(&mut self, file: &FileReport) {
        self.games += file.games;
        if file.faults.of_input > 0 {
            self.broken += 1;
        } else if file.faults.count > 0 {
            self.unwritten += 1;
        }
        self.omissions.merge(&file.omissions);
        if file.games == 0 {
            return;
        }
        self.files += 1;
        if let Some(format) = file.format {
            *self.forms.entry(form(format, file.encoding)).or_default() += 1;
        }
    }

    /// Adds a file that could not be opened.
    pub const fn add_broken(&mut self) {
        self.broken += 1;
    }
}

/// `kif shift_jis`, `psv`.
fn form(format: Format, encoding: Option<Encoding>) -> String {
    match encoding {
        Some(encoding) => format!("{} {}", format.name(), encoding.name().to_ascii_lowercase()),
        None => format.name().to_owned(),
    }
}

/// `converted 120 games of 118 files (csa shift_jis 100, kif utf-8 18), 2 broken, lost: 3 variations`.
impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (games, files) = (counted(self.games, "game"), counted(self.files, "file"));
        write!(f, "converted {games} of {files}")?;
        let mut opening = " (";
        for (form, count) in &self.forms {
            write!(f, "{opening}{form} {count}")?;
            opening = ", ";
        }
        if !self.forms.is_empty() {
            f.write_str(")")?;
        }
        if self.broken > 0 {
            write!(f, ", {} broken", self.broken)?;
        }
        if self.unwritten > 0 {
            write!(f, ", {} not written", self.unwritten)?;
        }
        if !self.omissions.is_empty() {
            write!(f, ", lost: {}", self.omissions)?;
        }
        Ok(())
    }
}
