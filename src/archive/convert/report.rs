//! What became of a file, and of all of them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use crate::record::{Encoding, Format, Omissions, ReadRecord, Warning};

use super::ConvertError;

/// What became of a file.
#[derive(Debug, Default)]
pub struct FileReport {
    /// What was written.
    pub outputs: Vec<PathBuf>,
    /// The format that was read.
    pub format: Option<Format>,
    /// The encoding that was found; `None` of a binary format, or of a file without a game.
    pub encoding: Option<Encoding>,
    /// The encoding that its first lines seem to be in, for a file of which no game can be read.
    pub guessed: Option<Encoding>,
    /// How many games were written.
    pub games: usize,
    /// What the written format could not hold.
    pub omissions: Omissions,
    /// What reading passed over; the first of them are kept.
    pub warnings: Kept<Warning>,
    /// What is broken; the first of them are kept.
    pub faults: Kept<ConvertError>,
    /// Whether it was broken off as asked: what was not yet written is not.
    pub was_stopped: bool,
}

/// The first of many things, and how many there are.
#[derive(Debug)]
pub struct Kept<T> {
    /// The first.
    pub first: Vec<T>,
    /// The number of all.
    pub count: usize,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { first: Vec::new(), count: 0 }
    }
}

impl<T> Kept<T> {
    pub(super) fn push(&mut self, thing: T) {
        self.count += 1;
        if self.first.len() < MOST_KEPT {
            self.first.push(thing);
        }
    }

    /// How many are not kept.
    pub const fn dropped(&self) -> usize {
        self.count.saturating_sub(self.first.len())
    }
}

/// More than this nobody reads of one file.
const MOST_KEPT: usize = 100;

impl FileReport {
    /// Notes what was found in reading a game.
    pub(super) fn note(&mut self, game: &mut ReadRecord) {
        // A list in pieces may be plain ASCII for a while, which is UTF-8 too.
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

/// What became of all files.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Games written.
    pub games: usize,
    /// Files of which games were written.
    pub files: usize,
    /// Files in which something is broken, or that cannot be read.
    pub broken: usize,
    /// Files with nothing wrong but that their output cannot be written.
    pub unwritten: usize,
    /// Everything lost.
    pub omissions: Omissions,
    /// Files by format and encoding.
    forms: BTreeMap<String, usize>,
}

impl Totals {
    /// Adds a file.
    pub fn add(&mut self, file: &FileReport) {
        self.games += file.games;
        if !file.faults.first.iter().all(ConvertError::is_of_output) {
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

    /// Adds a file that could not even be looked at.
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
        let many = |count: usize| if count == 1 { "" } else { "s" };
        let (games, files) = (self.games, self.files);
        write!(f, "converted {games} game{} of {files} file{}", many(games), many(files))?;
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
