//! Writes the games of one file.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use kyomi_record::{Format, Omissions};

use super::ConvertError;
use crate::archive::draft::{Draft, write_output};

/// The names of the outputs of a run, and the names that cannot be used.
#[derive(Debug, Default)]
pub(super) struct OutputNames {
    overwrite: bool,
    /// The real paths of all inputs.
    inputs: HashSet<PathBuf>,
    /// The real paths of all outputs so far.
    outputs: HashSet<PathBuf>,
    /// The names given to inputs so far: the real path without its extension, and the extension.
    stems: HashSet<(PathBuf, &'static str)>,
    /// The last one of these.
    last: Option<(PathBuf, &'static str)>,
    /// The next numbers for names that several inputs have.
    next: HashMap<(PathBuf, &'static str), u64>,
    /// The real paths of folders.
    folders: HashMap<PathBuf, PathBuf>,
}

impl OutputNames {
    pub(super) fn new<'a>(inputs: impl Iterator<Item = &'a Path>, overwrite: bool) -> Self {
        let inputs = inputs.filter_map(|input| fs::canonicalize(input).ok()).collect();
        Self { overwrite, inputs, ..Self::default() }
    }

    /// The name without extension for the outputs of an input: its own, or `NAME_2` and so on if another input of
    /// this run has that name already. Outputs that could not be written count too, so that the same inputs get the
    /// same names, whatever files exist.
    pub(super) fn stem(
        &mut self,
        dir: &Path,
        stem: &OsStr,
        extension: &'static str,
    ) -> Result<OsString, ConvertError> {
        let real = self.real(dir)?.to_owned();
        let next = self.next.entry((real.join(stem), extension)).or_insert(1);
        loop {
            let name = counted(stem, *next);
            let claim = (real.join(&name), extension);
            if self.stems.insert(claim.clone()) {
                self.last = Some(claim);
                return Ok(name);
            }
            *next += 1;
        }
    }

    /// Releases the last name: its input had no game.
    pub(super) fn release_last(&mut self) {
        if let Some(last) = self.last.take() {
            self.stems.remove(&last);
            self.next.clear();
        }
    }

    /// The path of an output in an existing folder, if it may be written.
    fn path_of(&mut self, dir: &Path, name: &OsStr) -> Result<PathBuf, ConvertError> {
        let path = dir.join(name);
        let real = self.real(dir)?.join(name);
        // An existing file may have another real name: through a link, or in another case.
        let there = fs::canonicalize(&path).ok();
        let is_in = |names: &HashSet<PathBuf>| {
            names.contains(&real) || there.as_ref().is_some_and(|there| names.contains(there))
        };
        if is_in(&self.inputs) {
            return Err(ConvertError::IsInput(path));
        }
        if is_in(&self.outputs) {
            return Err(ConvertError::Twice(path));
        }
        if !self.overwrite && fs::symlink_metadata(&path).is_ok() {
            return Err(ConvertError::Exists(path));
        }
        Ok(path)
    }

    /// Notes that this output was written, so that no other input gets its name.
    fn add_output(&mut self, path: &Path) {
        let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { return };
        if let Ok(real) = self.real(dir) {
            let real = real.join(name);
            self.outputs.insert(real);
        }
    }

    /// The real path of a folder.
    fn real(&mut self, dir: &Path) -> Result<&Path, ConvertError> {
        if !self.folders.contains_key(dir) {
            let named = if dir.as_os_str().is_empty() { Path::new(".") } else { dir };
            let real = fs::canonicalize(named)
                .map_err(|source| ConvertError::Write { path: dir.to_owned(), source })?;
            self.folders.insert(dir.to_owned(), real);
        }
        Ok(&self.folders[dir])
    }
}

/// Where the games of one file are written.
pub(super) enum Output<'c, 's> {
    /// To a stream.
    Stream(&'c mut Stream<'s>),
    /// To one file.
    OneFile(OneFile<'c>),
    /// To a file each.
    FilePerGame(FilePerGame<'c>),
}

/// The outputs written for one input file.
#[derive(Debug, Default)]
pub(super) struct WrittenGames {
    pub(super) outputs: Vec<PathBuf>,
    pub(super) games: usize,
    pub(super) omissions: Omissions,
}

/// Why a game was not written.
#[derive(Debug)]
pub(super) enum Failure {
    /// Other games may be written.
    Game(ConvertError),
    /// No other game of the file can be written.
    File(ConvertError),
    /// No game of any file can be written.
    All(io::Error),
}

impl Output<'_, '_> {
    /// Writes the next game, the `number`th of the file (from 1), with its omissions.
    pub(super) fn push(
        &mut self,
        number: usize,
        game: Vec<u8>,
        omissions: Omissions,
    ) -> Result<(), Failure> {
        match self {
            Self::Stream(stream) => stream.push(&game, &omissions),
            Self::OneFile(file) => file.push(&game, &omissions).map_err(Failure::File),
            Self::FilePerGame(files) => files.push(number, game, omissions).map_err(Failure::Game),
        }
    }

    /// Gives the outputs their names. An incomplete output (`is_whole` is false) gets none.
    pub(super) fn finish(self, is_whole: bool) -> (WrittenGames, Result<(), Failure>) {
        match self {
            Self::Stream(stream) => {
                let written = std::mem::take(&mut stream.of_file);
                (written, stream.writer.flush().map_err(Failure::All))
            }
            Self::OneFile(file) => {
                if !is_whole || file.count == 0 {
                    return (WrittenGames::default(), Ok(()));
                }
                match file.finish() {
                    Ok(written) => (written, Ok(())),
                    Err(error) => (WrittenGames::default(), Err(Failure::File(error))),
                }
            }
            Self::FilePerGame(mut files) => {
                let last = files.first.take().filter(|_| is_whole);
                let done =
                    last.map_or(Ok(()), |first| files.write(None, &first.game, &first.omissions));
                (files.written, done.map_err(Failure::Game))
            }
        }
    }
}

/// A stream to which the games of all files are written.
pub(super) struct Stream<'s> {
    writer: Box<dyn Write + 's>,
    format: Format,
    count: usize,
    /// What was written of the current file.
    of_file: WrittenGames,
}

impl<'s> Stream<'s> {
    pub(super) fn new(writer: impl Write + 's, format: Format) -> Self {
        Self { writer: Box::new(writer), format, count: 0, of_file: WrittenGames::default() }
    }

    fn push(&mut self, game: &[u8], omissions: &Omissions) -> Result<(), Failure> {
        if self.count > 0 {
            let Some(separator) = self.format.separator() else {
                return Err(Failure::Game(ConvertError::OneGame(self.format.name())));
            };
            self.writer.write_all(separator.as_bytes()).map_err(Failure::All)?;
        }
        self.writer.write_all(game).map_err(Failure::All)?;
        self.count += 1;
        self.of_file.games += 1;
        self.of_file.omissions.merge(omissions);
        Ok(())
    }
}

/// One output file for all games of a file.
pub(super) struct OneFile<'c> {
    names: &'c mut OutputNames,
    to: PathBuf,
    draft: Draft,
    separator: &'static str,
    count: usize,
    omissions: Omissions,
}

impl<'c> OneFile<'c> {
    pub(super) fn new(
        names: &'c mut OutputNames,
        dir: &Path,
        stem: &OsStr,
        extension: &str,
        separator: &'static str,
    ) -> Result<Self, ConvertError> {
        let to = names.path_of(dir, &with_extension(stem.to_owned(), extension))?;
        let draft = Draft::beside(&to).map_err(|source| written(&to, source))?;
        Ok(Self { names, to, draft, separator, count: 0, omissions: Omissions::new() })
    }

    fn push(&mut self, game: &[u8], omissions: &Omissions) -> Result<(), ConvertError> {
        self.omissions.merge(omissions);
        let separator = if self.count > 0 { self.separator } else { "" };
        self.count += 1;
        self.draft
            .write_all(separator.as_bytes())
            .and_then(|()| self.draft.write_all(game))
            .map_err(|source| written(&self.to, source))
    }

    fn finish(self) -> Result<WrittenGames, ConvertError> {
        match self.draft.finish_output(&self.to, self.names.overwrite) {
            Ok(()) => {
                self.names.add_output(&self.to);
                Ok(WrittenGames {
                    outputs: vec![self.to],
                    games: self.count,
                    omissions: self.omissions,
                })
            }
            Err(source) => Err(written(&self.to, source)),
        }
    }
}

/// An output file for each game: `NAME.kif` if there is only one, else `NAME-0001.kif` and so on.
pub(super) struct FilePerGame<'c> {
    names: &'c mut OutputNames,
    dir: PathBuf,
    stem: OsString,
    extension: &'static str,
    /// The first game, until it is known whether there are others.
    first: Option<First>,
    written: WrittenGames,
}

/// The first game of a file, with its omissions.
struct First {
    number: usize,
    game: Vec<u8>,
    omissions: Omissions,
}

impl<'c> FilePerGame<'c> {
    pub(super) fn new(
        names: &'c mut OutputNames,
        dir: PathBuf,
        stem: OsString,
        extension: &'static str,
    ) -> Self {
        Self { names, dir, stem, extension, first: None, written: WrittenGames::default() }
    }

    fn push(
        &mut self,
        number: usize,
        game: Vec<u8>,
        omissions: Omissions,
    ) -> Result<(), ConvertError> {
        if number == 1 {
            self.first = Some(First { number, game, omissions });
            return Ok(());
        }
        let first = match self.first.take() {
            Some(first) => self.write(Some(first.number), &first.game, &first.omissions),
            None => Ok(()),
        };
        self.write(Some(number), &game, &omissions).and(first)
    }

    fn write(
        &mut self,
        number: Option<usize>,
        game: &[u8],
        omissions: &Omissions,
    ) -> Result<(), ConvertError> {
        let to = self.path(number)?;
        write_output(&to, game, self.names.overwrite).map_err(|source| written(&to, source))?;
        self.names.add_output(&to);
        self.written.outputs.push(to);
        self.written.games += 1;
        self.written.omissions.merge(omissions);
        Ok(())
    }
}

impl FilePerGame<'_> {
    /// The path of a game: `NAME-0001.kif`, or with `_2` after that if another input has that name.
    fn path(&mut self, number: Option<usize>) -> Result<PathBuf, ConvertError> {
        let mut counter = 1;
        loop {
            let stem = numbered(&self.stem, number);
            let name = with_extension(counted(&stem, counter), self.extension);
            match self.names.path_of(&self.dir, &name) {
                Err(ConvertError::Twice(_)) => counter += 1,
                path => return path,
            }
        }
    }
}

/// The error for a file that cannot be written. Another process may have created the file in the meantime.
fn written(path: &Path, source: io::Error) -> ConvertError {
    match source.kind() {
        ErrorKind::AlreadyExists => ConvertError::Exists(path.to_owned()),
        _ => ConvertError::Write { path: path.to_owned(), source },
    }
}

/// `STEM`, or `STEM-0001`.
fn numbered(stem: &OsStr, number: Option<usize>) -> OsString {
    let mut name = stem.to_owned();
    if let Some(number) = number {
        name.push(format!("-{number:04}"));
    }
    name
}

/// `STEM`, or `STEM_2` and so on.
fn counted(stem: &OsStr, counter: u64) -> OsString {
    let mut name = stem.to_owned();
    if counter > 1 {
        name.push(format!("_{counter}"));
    }
    name
}

fn with_extension(mut name: OsString, extension: &str) -> OsString {
    name.push(".");
    name.push(extension);
    name
}

/// The name of an input without its extension, if that is the extension of a record or `txt`.
pub(super) fn stem(path: Option<&Path>) -> OsString {
    let Some(path) = path else { return "stdin".into() };
    let is_text = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("txt"));
    let stem = if is_text || Format::by_file_name(path).is_some() {
        path.file_stem()
    } else {
        path.file_name()
    };
    stem.map_or_else(|| "stdin".into(), OsStr::to_owned)
}
