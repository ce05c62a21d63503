//! `kyomi show`: shows a position of a record, as text or as a picture.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::{Context, ResultExt as _};
use crate::archive::write_output;
use crate::report::{BoardOptions, Moment, Script, board_svg, times_table};
use crate::terminal::{Surroundings, clean, diagram, speech};
use kyomi_record::{Format, Header, ReadRecord, Record, RecordMove, read_detected};
use kyomi_shogi::{Game, Position, notation::usi, text::counted};

/// Arguments of `kyomi show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Record file, or `-` for standard input; or `startpos`, an SFEN or a USI position line
    #[arg(value_name = "RECORD")]
    record: PathBuf,
    /// The position after N moves, 0 for the start [default: the last]
    #[arg(long, value_name = "N")]
    ply: Option<usize>,
    /// Number of the game in a file of several games, from 1 [default: the first]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    game: Option<u64>,
    /// Use SFEN letters for pieces instead of Japanese names
    #[arg(long)]
    letters: bool,
    /// Instead show the times of all moves: charged by the server, measured by us, taken by the network
    #[arg(long, conflicts_with_all = ["svg", "ply", "letters"])]
    times: bool,
    /// Instead write a picture (SVG) to this file; `-` for standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Instead write a picture (PNG) to this file; `-` for standard output
    #[cfg(feature = "png")]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["svg", "times"])]
    png: Option<PathBuf>,
    /// Overwrite the file of the picture
    #[cfg_attr(not(feature = "png"), arg(long, requires = "svg"))]
    #[cfg_attr(feature = "png", arg(long))]
    force: bool,
}

/// Runs `kyomi show`. A fault of the record is reported after the position before it is shown.
pub(crate) fn run(args: &ShowArgs, context: &Context) -> anyhow::Result<()> {
    let source = Source::find(&args.record)?;
    let name = source.name();
    let game = source.game(args.game)?;
    let ReadRecord { record, fault, warnings, .. } = &game;
    for warning in warnings.iter().take(MOST_WARNINGS) {
        speech::warn(format_args!("{name}: {warning}"));
    }
    if warnings.len() > MOST_WARNINGS {
        let more = warnings.len() - MOST_WARNINGS;
        speech::warn(format_args!("{name}: {more} more like these"));
    }
    if args.times {
        let mut output = context.output.clone();
        output.write_all(clean_lines(&times_table(record)).as_bytes())?;
        output.flush()?;
        return match fault {
            Some(fault) => Err(anyhow::Error::new(fault.clone())).context(name),
            None => Ok(()),
        };
    }
    let moment = match Moment::at(record, args.ply.unwrap_or(record.moves.len())) {
        Ok(moment) => moment,
        Err(error) => {
            let error = Err(error).context(name).written_by_user();
            return match fault {
                Some(fault) => error.hint(fault),
                None => error,
            };
        }
    };
    let script = if args.letters { Script::Letters } else { Script::Japanese };
    show(&moment, script, &source, args, context)?;
    match fault {
        Some(fault) => Err(anyhow::Error::new(fault.clone())).context(name),
        None => Ok(()),
    }
}

/// The text with every line made fit for a terminal.
fn clean_lines(text: &str) -> String {
    text.lines().map(|line| clean(line) + "\n").collect()
}

/// The largest number of warnings that are printed, since the same warning often occurs in every line.
const MOST_WARNINGS: usize = 3;

fn show(
    moment: &Moment<'_>,
    script: Script,
    source: &Source,
    args: &ShowArgs,
    context: &Context,
) -> anyhow::Result<()> {
    let mut output = context.output.clone();
    #[cfg(feature = "png")]
    let path = args.svg.as_ref().or(args.png.as_ref());
    #[cfg(not(feature = "png"))]
    let path = args.svg.as_ref();
    let Some(path) = path else {
        let surroundings = Surroundings::detect(output.is_terminal());
        output.write_all(diagram(moment, script, surroundings).as_bytes())?;
        return Ok(output.flush()?);
    };
    let mut options = BoardOptions::of(moment, script);
    for name in options.names.iter_mut().flatten() {
        *name = clean(name);
    }
    let picture = board_svg(moment.position(), moment.last().map(|last| last.mv), &options);
    let picture = picture.into_bytes();
    #[cfg(feature = "png")]
    let picture = match args.png {
        Some(_) => crate::report::png(&String::from_utf8_lossy(&picture), 2.0)?,
        None => picture,
    };
    if path == Path::new("-") {
        output.write_all(&picture)?;
    } else {
        write_picture(path, &picture, source, args.force)?;
        writeln!(output, "picture: {}", path.display())?;
    }
    Ok(output.flush()?)
}

fn write_picture(path: &Path, picture: &[u8], source: &Source, force: bool) -> anyhow::Result<()> {
    let place = || format!("writing {}", path.display());
    if let Source::File(record) = source
        && let (Ok(record), Ok(path)) = (record.canonicalize(), path.canonicalize())
        && record == path
    {
        return Err(anyhow::anyhow!("that is the record itself"))
            .with_context(place)
            .written_by_user();
    }
    match write_output(path, picture, force) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(error).with_context(place).written_by_user().hint("--force overwrites it")
        }
        written => written.with_context(place),
    }
}

/// The source of a record.
pub(crate) enum Source {
    File(PathBuf),
    StandardInput,
    /// A position or a line of moves in the argument.
    Argument(Box<Game>),
}

impl Source {
    /// The file with this name if it exists, otherwise a position if the text looks like one.
    pub(crate) fn find(record: &Path) -> anyhow::Result<Self> {
        if record == Path::new("-") {
            return Ok(Self::StandardInput);
        }
        let text = record.to_str().unwrap_or_default();
        let first = text.split_whitespace().next();
        let is_position_line = first.is_some_and(|word| POSITION_WORDS.contains(&word));
        // The board of an SFEN has eight slashes.
        let is_sfen = text.matches('/').count() >= 8 && text.contains(' ');
        if record.exists() || !(is_position_line || is_sfen) {
            return Ok(Self::File(record.to_owned()));
        }
        let game = if is_position_line {
            usi::parse_position_line(text).context("the position")
        } else {
            Position::from_sfen(text).map(Game::new).context("the SFEN")
        };
        let hint = "put the whole position in quotes: 'startpos moves 7g7f', or 'BOARD b - 1'";
        Ok(Self::Argument(Box::new(game.written_by_user().hint(hint)?)))
    }

    /// The name of the source in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::StandardInput => "standard input".to_owned(),
            Self::Argument(_) => "the position".to_owned(),
        }
    }

    /// The game with this number, from 1; by default the first.
    pub(crate) fn game(&self, number: Option<u64>) -> anyhow::Result<ReadRecord> {
        let reading = || format!("reading {}", self.name());
        let (format, bytes) = match self {
            Self::Argument(game) => return Ok(as_read(game)),
            Self::File(path) => {
                let file = File::open(path).with_context(reading).written_by_user()?;
                read_whole(Some(path), file).with_context(reading).written_by_user()?
            }
            Self::StandardInput => read_whole(None, io::stdin().lock()).with_context(reading)?,
        };
        let wanted = number.unwrap_or(1);
        // A file of unknown format is read as CSA, whose reader reports what is missing.
        let format = format.unwrap_or(Format::Csa2);
        let mut games = format.read_each(&bytes);
        let mut found = 0;
        for game in games.by_ref() {
            found += 1;
            if found == wanted {
                if number.is_none() && games.next().is_some() {
                    let name = self.name();
                    speech::say(format_args!(
                        "note: {name}: more games follow; --game K shows another one"
                    ));
                }
                return game.with_context(|| self.name());
            }
        }
        let has = counted(found, "game");
        let message = format!("{}: there is no game {wanted}: the file has {has}", self.name());
        Err(anyhow::Error::msg(message)).written_by_user()
    }
}

/// Reads a whole record, if it is not too large.
fn read_whole(name: Option<&Path>, source: impl Read) -> io::Result<(Option<Format>, Vec<u8>)> {
    read_detected(name, source).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => {
            let text = format!("{error}, too much to show; `kyomi convert` splits lists of games");
            io::Error::new(ErrorKind::FileTooLarge, text)
        }
        _ => error,
    })
}

const POSITION_WORDS: [&str; 3] = ["position", "startpos", "sfen"];

fn as_read(game: &Game) -> ReadRecord {
    let mut record = Record::new(Header::default(), game.start().clone());
    record.moves = game.moves().iter().map(|mv| RecordMove::new(*mv)).collect();
    ReadRecord {
        record,
        fault: None,
        warnings: Vec::new(),
        more_warnings: 0,
        version: None,
        encoding: None,
    }
}
