//! Where the games of one file go.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::record::{Format, Omissions};

use super::ConvertError;
use crate::archive::draft::Draft;

/// The names that are given in a run, and those that may not be.
#[derive(Debug, Default)]
pub(super) struct Claims {
    overwrite: bool,
    /// The real paths of all inputs.
    inputs: HashSet<PathBuf>,
    /// The real paths of all outputs so far.
    outputs: HashSet<PathBuf>,
    /// The real paths, without their extensions, and the extensions that were given to inputs.
    stems: HashSet<(PathBuf, &'static str)>,
    /// The last one of them.
    last: Option<(PathBuf, &'static str)>,
    /// The numbers that the names of inputs go on with.
    next: HashMap<(PathBuf, &'static str), u64>,
    /// The real paths of their folders.
    folders: HashMap<PathBuf, PathBuf>,
}

impl Claims {
    pub(super) fn new<'a>(inputs: impl Iterator<Item = &'a Path>, overwrite: bool) -> Self {
        let inputs = inputs.filter_map(|input| fs::canonicalize(input).ok()).collect();
        Self { overwrite, inputs, ..Self::default() }
    }

    /// The name without extension for the outputs of an input: its own, or `NAME_2` and so on where
    /// another input of this run has it, be it that its output could not be written: the same inputs get
    /// the same names whatever is there already.
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

    /// Gives back the last name: its input had no game.
    pub(super) fn give_back(&mut self) {
        if let Some(last) = self.last.take() {
            self.stems.remove(&last);
            self.next.clear();
        }
    }

    /// The path of an output in a folder that exists, if it may be written.
    fn path_of(&mut self, dir: &Path, name: &OsStr) -> Result<PathBuf, ConvertError> {
        let path = dir.join(name);
        let real = self.real(dir)?.join(name);
        // What is there may have another real name: a link, or upper case for lower.
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

    /// This output is written: no other input may have its name.
    fn note(&mut self, path: &Path) {
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

/// Takes the written games of one file, one by one.
pub(super) enum Sink<'c, 's> {
    /// Into a stream.
    Stream(&'c mut Stream<'s>),
    /// Into one file.
    Together(Together<'c>),
    /// Into a file each.
    Apart(Apart<'c>),
}

/// What of a file now has its place.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) outputs: Vec<PathBuf>,
    pub(super) games: usize,
    pub(super) omissions: Omissions,
}

/// Why a game was not written.
#[derive(Debug)]
pub(super) enum Failure {
    /// Others may be.
    Game(ConvertError),
    /// No other game of the file can be.
    File(ConvertError),
    /// Nor any of any other file.
    All(io::Error),
}

impl Sink<'_, '_> {
    /// Takes the next game, the `number`th of the file (from 1).
    /// With what of it is lost.
    pub(super) fn push(
        &mut self,
        number: usize,
        game: Vec<u8>,
        omissions: Omissions,
    ) -> Result<(), Failure> {
        match self {
            Self::Stream(stream) => stream.push(&game, &omissions),
            Self::Together(together) => together.push(&game, &omissions).map_err(Failure::File),
            Self::Apart(apart) => apart.push(number, game, omissions).map_err(Failure::Game),
        }
    }

    /// Gives what was taken its name; what is not whole (`is_whole`) gets none.
    pub(super) fn finish(self, is_whole: bool) -> (Written, Result<(), Failure>) {
        match self {
            Self::Stream(stream) => {
                let written = std::mem::take(&mut stream.of_file);
                (written, stream.writer.flush().map_err(Failure::All))
            }
            Self::Together(together) => {
                if !is_whole || together.count == 0 {
                    return (Written::default(), Ok(()));
                }
                match together.finish() {
                    Ok(written) => (written, Ok(())),
                    Err(error) => (Written::default(), Err(Failure::File(error))),
                }
            }
            Self::Apart(mut apart) => {
                let last = apart.first.take().filter(|_| is_whole);
                let done =
                    last.map_or(Ok(()), |first| apart.write(None, &first.game, &first.omissions));
                (apart.written, done.map_err(Failure::Game))
            }
        }
    }
}

/// A stream to which the games of all files are written.
pub(super) struct Stream<'s> {
    writer: Box<dyn Write + 's>,
    format: Format,
    count: usize,
    /// What came of the present file.
    of_file: Written,
}

impl<'s> Stream<'s> {
    pub(super) fn new(writer: impl Write + 's, format: Format) -> Self {
        Self { writer: Box::new(writer), format, count: 0, of_file: Written::default() }
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

/// One file for all games of a file.
pub(super) struct Together<'c> {
    claims: &'c mut Claims,
    to: PathBuf,
    draft: Draft,
    separator: &'static str,
    count: usize,
    omissions: Omissions,
}

impl<'c> Together<'c> {
    pub(super) fn new(
        claims: &'c mut Claims,
        dir: &Path,
        stem: &OsStr,
        extension: &str,
        separator: &'static str,
    ) -> Result<Self, ConvertError> {
        let to = claims.path_of(dir, &with_extension(stem.to_owned(), extension))?;
        let draft = Draft::create(dir).map_err(|source| written(&to, source))?;
        Ok(Self { claims, to, draft, separator, count: 0, omissions: Omissions::new() })
    }

    fn push(&mut self, game: &[u8], omissions: &Omissions) -> Result<(), ConvertError> {
        self.omissions.merge(omissions);
        let separator = if self.count > 0 { self.separator } else { "" };
        self.count += 1;
        self.draft
            .write(separator.as_bytes())
            .and_then(|()| self.draft.write(game))
            .map_err(|source| written(&self.to, source))
    }

    fn finish(mut self) -> Result<Written, ConvertError> {
        match self.draft.finish(&self.to, self.claims.overwrite) {
            Ok(()) => {
                self.claims.note(&self.to);
                Ok(Written { outputs: vec![self.to], games: self.count, omissions: self.omissions })
            }
            Err(source) => Err(written(&self.to, source)),
        }
    }
}

/// A file for each game: `NAME.kif` if there is but one, else `NAME-0001.kif` and so on.
pub(super) struct Apart<'c> {
    claims: &'c mut Claims,
    dir: PathBuf,
    stem: OsString,
    extension: &'static str,
    /// The first game, until it is known whether there are others.
    first: Option<First>,
    written: Written,
}

/// The first game of a file, with what of it is lost.
struct First {
    number: usize,
    game: Vec<u8>,
    omissions: Omissions,
}

impl<'c> Apart<'c> {
    pub(super) fn new(
        claims: &'c mut Claims,
        dir: PathBuf,
        stem: OsString,
        extension: &'static str,
    ) -> Self {
        Self { claims, dir, stem, extension, first: None, written: Written::default() }
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
        let fail = |source| written(&to, source);
        let mut draft = Draft::create(&self.dir).map_err(fail)?;
        draft.write(game).map_err(fail)?;
        draft.finish(&to, self.claims.overwrite).map_err(fail)?;
        self.claims.note(&to);
        self.written.outputs.push(to);
        self.written.games += 1;
        self.written.omissions.merge(omissions);
        Ok(())
    }
}

impl Apart<'_> {
    /// The path of a game: `NAME-0001.kif`, or with `_2` behind that where another input has that name.
    fn path(&mut self, number: Option<usize>) -> Result<PathBuf, ConvertError> {
        let mut counter = 1;
        loop {
            let stem = numbered(&self.stem, number);
            let name = with_extension(counted(&stem, counter), self.extension);
            match self.claims.path_of(&self.dir, &name) {
                Err(ConvertError::Twice(_)) => counter += 1,
                path => return path,
            }
        }
    }
}

/// The failure to write a file. Somebody else may have made it since it was looked for.
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

/// The name of an input without its extension, if that is one of a record or of a text.
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
