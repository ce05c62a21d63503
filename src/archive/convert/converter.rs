//! Converts files one after the other.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::record::{Encoding, Format, HEAD, Omissions, decode};

use super::pieces::{Input, Limits};
use super::sink::{Apart, Claims, Failure, Sink, Stream, Together, stem};
use super::{ConvertError, FileReport, Source};

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format to write.
    pub to: Format,
    /// The encoding to write, ignored by binary formats; `None` is the usual one of the format.
    pub encoding: Option<Encoding>,
    /// The format to read; `None` looks for itself, file by file.
    pub from: Option<Format>,
    /// The encoding to read; `None` looks for itself.
    pub encoding_in: Option<Encoding>,
    /// Where to write.
    pub target: Target,
    /// Whether a file that is there already is replaced.
    pub overwrite: bool,
}

/// Where to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Beside each input; standard input to the stream.
    Beside,
    /// Into this folder, which is made if it is not there, with the sub-folders of the inputs.
    Folder(PathBuf),
    /// Everything to the stream.
    Stream,
}

/// How far it is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Bytes of the file that were read.
    pub bytes: u64,
    /// Games of the file that were converted.
    pub games: usize,
}

/// Converts files one after the other.
pub struct Converter<'a> {
    options: Options,
    encoding: Encoding,
    claims: Claims,
    stream: Stream<'a>,
}

impl<'a> Converter<'a> {
    /// For these files, all of which are known beforehand so that none is overwritten by the output
    /// of another one. `stream` takes what does not become a file.
    pub fn new(options: Options, sources: &[Source], stream: impl Write + 'a) -> Self {
        let encoding =
            options.encoding.or_else(|| options.to.usual_encoding()).unwrap_or(Encoding::Utf8);
        let inputs = sources.iter().filter_map(|source| source.path.as_deref());
        Self {
            encoding,
            claims: Claims::new(inputs, options.overwrite),
            stream: Stream::new(stream, options.to),
            options,
        }
    }

    /// Converts one file, or `standard_input` where the source has no path; what is wrong with it is in
    /// its report. `progress` is told after each game, and may ask to break off.
    ///
    /// # Errors
    /// If the stream cannot be written; then no other file can be converted to it either.
    pub fn convert(
        &mut self,
        source: &Source,
        standard_input: impl Read,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> io::Result<FileReport> {
        match &source.path {
            None => self.read(source, standard_input, progress),
            Some(path) => match open(path) {
                Ok(file) => self.read(source, file, progress),
                Err(error) => {
                    let mut report = FileReport::default();
                    report.faults.push(ConvertError::Read(error));
                    Ok(report)
                }
            },
        }
    }

    /// Converts what `reader` gives in place of the file.
    pub(super) fn read(
        &mut self,
        source: &Source,
        reader: impl Read,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> io::Result<FileReport> {
        self.read_within(Limits::USUAL, source, reader, progress)
    }

    pub(super) fn read_within(
        &mut self,
        limits: Limits,
        source: &Source,
        reader: impl Read,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> io::Result<FileReport> {
        let mut report = FileReport::default();
        let mut input = Input::new(reader, limits);
        let looked = input
            .head(HEAD)
            .map(|head| (Format::detect(source.path.as_deref(), head), guess(head)));
        let guessed = looked.as_ref().ok().map(|(_, guessed)| *guessed);
        report.guessed = self.options.encoding_in.or(guessed);
        // A format that is named need not be looked for; what cannot be read is told when it is read.
        let found = match (self.options.from, looked) {
            (Some(format), _) => Ok(format),
            (None, Ok((format, _))) => format.ok_or(ConvertError::UnknownFormat),
            (None, Err(error)) => Err(ConvertError::Read(error)),
        };
        let format = match found {
            Ok(format) => format,
            Err(fault) => {
                // Somebody who asks to stop wakes a reader up with an error.
                report.was_stopped = progress(Progress { bytes: 0, games: 0 }).is_break();
                if !report.was_stopped {
                    report.faults.push(fault);
                }
                return Ok(report);
            }
        };
        if format.is_binary() {
            report.guessed = None;
        }
        report.format = Some(format);
        // A file that is known to be too large is not read first.
        let most = limits.file(format);
        if format.pieces() == crate::record::Pieces::Whole && source.bytes > most as u64 {
            report.faults.push(ConvertError::TooLarge { most });
            return Ok(report);
        }
        let (to, encoding, encoding_in) =
            (self.options.to, self.encoding, self.options.encoding_in);
        let mut sink = match self.sink(source) {
            Ok(sink) => sink,
            Err(fault) => {
                report.faults.push(fault);
                return Ok(self.named(report));
            }
        };
        let (mut broken, mut failure) = (None, None);
        let (mut number, mut games) = (0, 0);
        input.each_game(format, encoding_in, |bytes, game| {
            number += 1;
            match game {
                Ok(mut game) => {
                    report.note(&mut game);
                    let mut omissions = Omissions::new();
                    let written = to.write(&game.record, encoding, &mut omissions);
                    let pushed = if written.is_empty() {
                        Err(Failure::Game(ConvertError::Nothing { number, format: to.name() }))
                    } else {
                        sink.push(number, written, omissions)
                    };
                    match pushed {
                        Ok(()) => games += 1,
                        Err(Failure::Game(fault)) => report.faults.push(fault),
                        Err(failure) => {
                            broken = Some(failure);
                            return ControlFlow::Break(());
                        }
                    }
                }
                Err(ConvertError::Read(error)) => failure = Some(error),
                Err(fault) => report.faults.push(fault),
            }
            let flow = progress(Progress { bytes, games });
            report.was_stopped = flow.is_break();
            flow
        });
        if let Some(error) = failure.filter(|_| !report.was_stopped) {
            report.faults.push(ConvertError::Read(error));
        }
        let (written, finished) = sink.finish(broken.is_none() && !report.was_stopped);
        (report.outputs, report.games, report.omissions) =
            (written.outputs, written.games, written.omissions);
        match broken.map_or(finished, Err) {
            Ok(()) => {}
            Err(Failure::All(error)) => return Err(error),
            Err(Failure::Game(fault) | Failure::File(fault)) => report.faults.push(fault),
        }
        Ok(self.named(report))
    }

    /// The report of a file, which keeps the name that its output got only if it could have had one.
    fn named(&mut self, report: FileReport) -> FileReport {
        let is_taken = |fault: &ConvertError| {
            fault.is_of_output() && !matches!(fault, ConvertError::IsInput(_))
        };
        if report.games == 0 && !report.faults.first.iter().any(is_taken) {
            self.claims.give_back();
        }
        report
    }

    /// Where the games of this file go.
    fn sink(&mut self, source: &Source) -> Result<Sink<'_, 'a>, ConvertError> {
        let dir = match (&self.options.target, &source.path) {
            (Target::Stream, _) | (Target::Beside, None) => {
                return Ok(Sink::Stream(&mut self.stream));
            }
            (Target::Beside, Some(path)) => path.parent().map(Path::to_owned).unwrap_or_default(),
            (Target::Folder(folder), _) => {
                let dir = folder.join(&source.below);
                fs::create_dir_all(&dir)
                    .map_err(|source| ConvertError::Write { path: dir.clone(), source })?;
                dir
            }
        };
        let extension = self.options.to.extension(self.encoding);
        let claims = &mut self.claims;
        let stem = claims.stem(&dir, &stem(source.path.as_deref()), extension)?;
        Ok(match self.options.to.separator() {
            Some(separator) => {
                Sink::Together(Together::new(claims, &dir, &stem, extension, separator)?)
            }
            None => Sink::Apart(Apart::new(claims, dir, stem, extension)),
        })
    }
}

/// The encoding that the first lines seem to be in.
fn guess(head: &[u8]) -> Encoding {
    let whole = head.iter().rposition(|byte| *byte == b'\n').map_or(head, |end| &head[..end]);
    decode(whole).encoding
}

/// Opens a file to be read; a folder is none.
fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}
