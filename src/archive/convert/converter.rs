//! Converts files one after the other.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use kyomi_record::{Encoding, Format, HEAD_BYTES, Omissions, Pieces, Record, decode};

use super::input::{InputFile, ReadLimits};
use super::output::{Failure, FilePerGame, OneFile, Output, OutputNames, Stream, stem};
use super::{ConvertError, FileReport, Source};

/// The options of a conversion.
#[derive(Clone, Debug)]
pub struct Options {
    /// The format to write.
    pub to: Format,
    /// The encoding to write, ignored by binary formats; `None` is the usual one of the format.
    pub encoding: Option<Encoding>,
    /// The format to read; `None` detects it for each file.
    pub from: Option<Format>,
    /// The encoding to read; `None` detects it for each file.
    pub encoding_in: Option<Encoding>,
    /// Where to write.
    pub target: Target,
    /// Whether existing files are replaced.
    pub overwrite: bool,
}

/// Where to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Beside each input; for standard input, to the stream.
    Beside,
    /// Into this folder, which is created if it does not exist, with the sub-folders of the inputs.
    Folder(PathBuf),
    /// Everything to the stream.
    Stream,
}

/// The progress of the conversion of a file.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The number of bytes of the file that were read.
    pub bytes: u64,
    /// The number of games of the file that were converted.
    pub games: usize,
}

/// Converts files one after the other.
pub struct Converter<'a> {
    options: Options,
    encoding: Encoding,
    names: OutputNames,
    stream: Stream<'a>,
}

impl<'a> Converter<'a> {
    /// Prepares to convert these files. All are known beforehand, so that none is overwritten by the output of
    /// another. Output that is not written to a file goes to `stream`.
    pub fn new(options: Options, sources: &[Source], stream: impl Write + 'a) -> Self {
        let encoding =
            options.encoding.or_else(|| options.to.usual_encoding()).unwrap_or(Encoding::Utf8);
        let inputs = sources.iter().filter_map(|source| source.path.as_deref());
        Self {
            encoding,
            names: OutputNames::new(inputs, options.overwrite),
            stream: Stream::new(stream, options.to),
            options,
        }
    }

    /// Converts one file, or `standard_input` if the source has no path. Faults of the file are in its report.
    /// `progress` is called after each game, and may ask to stop.
    ///
    /// # Errors
    /// If the stream cannot be written. No other file can be converted to it then.
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
                Err(error) => Ok(FileReport::of_fault(ConvertError::Read(error))),
            },
        }
    }

    /// Converts the content of `reader` in place of the file.
    pub(super) fn read(
        &mut self,
        source: &Source,
        reader: impl Read,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> io::Result<FileReport> {
        self.read_within(ReadLimits::USUAL, source, reader, progress)
    }

    pub(super) fn read_within(
        &mut self,
        limits: ReadLimits,
        source: &Source,
        reader: impl Read,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> io::Result<FileReport> {
        let mut report = FileReport::default();
        let mut input = InputFile::new(reader, limits);
        let format = match self.format_of(source, &mut input, &mut report) {
            Ok(format) => format,
            Err(fault) => {
                // A request to stop ends a blocking read with an error.
                report.was_stopped = progress(Progress { bytes: 0, games: 0 }).is_break();
                if !report.was_stopped {
                    report.faults.push(fault);
                }
                return Ok(report);
            }
        };
        // A file that is known to be too large is not read.
        let most = limits.file(format);
        if format.pieces() == Pieces::Whole && source.bytes > most as u64 {
            report.faults.push(ConvertError::TooLarge { most });
            return Ok(report);
        }
        let (to, encoding, encoding_in) =
            (self.options.to, self.encoding, self.options.encoding_in);
        let mut output = match self.output(source) {
            Ok(output) => output,
            Err(fault) => {
                report.faults.push(fault);
                return Ok(self.named(report));
            }
        };
        let (mut broken, mut unreadable) = (None, None);
        let (mut number, mut games) = (0, 0);
        input.each_game(format, encoding_in, |bytes, game| {
            number += 1;
            match game {
                Ok(mut game) => {
                    report.note(&mut game);
                    match write_game(&mut output, number, &game.record, to, encoding) {
                        Ok(()) => games += 1,
                        Err(Failure::Game(fault)) => report.faults.push(fault),
                        Err(failure) => {
                            broken = Some(failure);
                            return ControlFlow::Break(());
                        }
                    }
                }
                Err(ConvertError::Read(error)) => unreadable = Some(error),
                Err(fault) => report.faults.push(fault),
            }
            let flow = progress(Progress { bytes, games });
            report.was_stopped = flow.is_break();
            flow
        });
        if let Some(error) = unreadable.filter(|_| !report.was_stopped) {
            report.faults.push(ConvertError::Read(error));
        }
        let (written, finished) = output.finish(broken.is_none() && !report.was_stopped);
        (report.outputs, report.games, report.omissions) =
            (written.outputs, written.games, written.omissions);
        match broken.map_or(finished, Err) {
            Ok(()) => {}
            Err(Failure::All(error)) => return Err(error),
            Err(Failure::Game(fault) | Failure::File(fault)) => report.faults.push(fault),
        }
        Ok(self.named(report))
    }

    /// The format of a file: the named one, or that of its first bytes. Notes it in the report, with the encoding.
    fn format_of(
        &self,
        source: &Source,
        input: &mut InputFile<impl Read>,
        report: &mut FileReport,
    ) -> Result<Format, ConvertError> {
        let looked = input
            .head(HEAD_BYTES)
            .map(|head| (Format::detect(source.path.as_deref(), head), guess(head)));
        let guessed = looked.as_ref().ok().map(|(_, guessed)| *guessed);
        report.guessed = self.options.encoding_in.or(guessed);
        // A named format need not be detected. An error in reading is reported when the file is read.
        let format = match (self.options.from, looked) {
            (Some(format), _) => format,
            (None, Ok((format, _))) => format.ok_or(ConvertError::UnknownFormat)?,
            (None, Err(error)) => return Err(ConvertError::Read(error)),
        };
        if format.is_binary() {
            report.guessed = None;
        }
        report.format = Some(format);
        Ok(format)
    }

    /// The report of a file. The name of its output is released if the file had no game and the output could have
    /// been written.
    fn named(&mut self, report: FileReport) -> FileReport {
        if report.games == 0 && !report.faults.is_name_taken {
            self.names.release_last();
        }
        report
    }

    /// The output for the games of this file.
    fn output(&mut self, source: &Source) -> Result<Output<'_, 'a>, ConvertError> {
        let dir = match (&self.options.target, &source.path) {
            (Target::Stream, _) | (Target::Beside, None) => {
                return Ok(Output::Stream(&mut self.stream));
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
        let names = &mut self.names;
        let stem = names.stem(&dir, &stem(source.path.as_deref()), extension)?;
        Ok(match self.options.to.separator() {
            Some(separator) => {
                Output::OneFile(OneFile::new(names, &dir, &stem, extension, separator)?)
            }
            None => Output::FilePerGame(FilePerGame::new(names, dir, stem, extension)),
        })
    }
}

fn write_game(
    output: &mut Output<'_, '_>,
    number: usize,
    record: &Record,
    to: Format,
    encoding: Encoding,
) -> Result<(), Failure> {
    let mut omissions = Omissions::new();
    let written = to.write(record, encoding, &mut omissions);
    if written.is_empty() {
        return Err(Failure::Game(ConvertError::Nothing { number, format: to.name() }));
    }
    output.push(number, written, omissions)
}

/// The encoding of the first lines, as far as they show it.
fn guess(head: &[u8]) -> Encoding {
    let whole = head.iter().rposition(|byte| *byte == b'\n').map_or(head, |end| &head[..end]);
    decode(whole).encoding
}

/// Opens a file for reading; a folder is an error.
fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}
