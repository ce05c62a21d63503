//! `kyomi games export`.

use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use super::filters::FilterArgs;
use crate::archive::index::Index;
use crate::archive::{Draft, Sync, file_stem, write_output};
use crate::cli::{Context, ResultExt as _};
use crate::terminal::speech;
use kyomi_record::{Encoding, Format, Omissions, Pieces, Record, read_detected};
use kyomi_shogi::{Game, Move, Position, text::counted};

/// Arguments of `kyomi games export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    filters: FilterArgs,
    /// csa, csa3, kif, ki2, jkf, usi, sfen; psv and hcpe for training
    #[arg(long, value_name = "FORMAT", value_parser = crate::cli::convert::format_named)]
    to: Format,
    /// A folder gets a file for each game; a file gets all of them, where the format allows it; - is standard output.
    /// The folder above it must exist
    #[arg(short, long, value_name = "PATH")]
    output: PathBuf,
    /// Encoding [default: the format's usual one]
    #[arg(long, value_name = "ENCODING")]
    encoding: Option<String>,
    /// A random choice of this number of games
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// Seed of the choice and of the order
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// psv, hcpe: positions in random order (all are kept in memory); others: games in random order
    #[arg(long)]
    shuffle: bool,
    /// psv, hcpe: leave out the first positions of each game
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip_plies: usize,
    /// psv, hcpe: leave out positions whose score is larger, either way, or a mate
    #[arg(long, value_name = "CP")]
    max_score: Option<i32>,
    /// psv, hcpe: leave out positions without a score
    #[arg(long)]
    scored: bool,
    /// psv, hcpe: leave out positions of these kinds, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KINDS")]
    without: Vec<PositionKind>,
    /// Overwrite existing files
    #[arg(short, long)]
    force: bool,
}

/// A kind of position that a static evaluation cannot judge well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PositionKind {
    /// The side to move is in check
    Check,
    /// The move that was played takes a piece
    Capture,
    /// The move that was played promotes
    Promotion,
}

impl PositionKind {
    fn is_of(self, position: &Position, played: Move) -> bool {
        match self {
            Self::Check => position.in_check(),
            Self::Capture => position.piece_on(played.to()).is_some(),
            Self::Promotion => played.is_promotion(),
        }
    }
}

/// Whether each position of a game is of one of these kinds.
fn are_of(kinds: &[PositionKind], record: &Record) -> Vec<bool> {
    let mut game = Game::new(record.start.clone());
    let mut found = Vec::with_capacity(record.moves.len());
    for made in &record.moves {
        found.push(kinds.iter().any(|kind| kind.is_of(game.position(), made.mv)));
        if game.push(made.mv).is_err() {
            break;
        }
    }
    found
}

/// Runs `kyomi games export`.
pub(super) fn run(args: &ExportArgs, index: &Index, context: &Context) -> anyhow::Result<()> {
    let encoding = encoding(args)?;
    let mut ids = index.ids(&args.filters.filter(index)?)?;
    let mut random = fastrand::Rng::with_seed(args.seed);
    if args.sample.is_some() || args.shuffle && !args.to.is_binary() {
        random.shuffle(&mut ids);
    }
    if let Some(sample) = args.sample {
        ids.truncate(sample);
        if !args.shuffle {
            ids.sort_unstable();
        }
    }
    let mut omissions = Omissions::new();
    let written = if args.to.is_binary() {
        positions(args, index, &ids, &mut random, &mut omissions, context)?
    } else if is_folder(&args.output) {
        folder(args, index, &ids, encoding, &mut omissions)?
    } else {
        one_file(args, index, &ids, encoding, &mut omissions, context)?
    };
    let lost = if omissions.is_empty() { String::new() } else { format!(", lost: {omissions}") };
    speech::say(format_args!("{written} to {}{lost}", args.output.display()));
    Ok(())
}

fn encoding(args: &ExportArgs) -> anyhow::Result<Encoding> {
    let usual = args.to.usual_encoding().unwrap_or(Encoding::Utf8);
    match &args.encoding {
        None => Ok(usual),
        Some(name) => Encoding::by_name(name)
            .ok_or_else(|| anyhow::anyhow!("--encoding: '{name}' is not known"))
            .written_by_user()
            .hint("known are utf-8, shift_jis, euc-jp, iso-2022-jp"),
    }
}

/// Whether the output is a folder: it is one, or its name has no extension.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path != Path::new("-") && path.extension().is_none()
}

/// The record of a game. Its file is read for a game with variations, which the database does not keep.
fn record_of(index: &Index, id: i64) -> anyhow::Result<Option<Record>> {
    let Some(record) = index.record(id)? else { return Ok(None) };
    let with_variations = index
        .game(id)?
        .filter(|game| game.variations > 0 && game.file.1.is_empty())
        .and_then(|game| original(&game.file.0, game.number));
    Ok(Some(with_variations.filter(|it| is_same_game(it, &record)).unwrap_or(record)))
}

fn original(path: &Path, number: i64) -> Option<Record> {
    let (format, bytes) = read_detected(Some(path), File::open(path).ok()?).ok()?;
    let format = format.filter(|format| format.pieces() == Pieces::Whole)?;
    let index = usize::try_from(number).ok()?.checked_sub(1)?;
    format.read_each(&bytes).nth(index)?.ok().map(|read| read.record)
}

/// Whether the file still has the game that was indexed.
fn is_same_game(one: &Record, other: &Record) -> bool {
    let moves = |record: &Record| record.moves.iter().map(|made| made.mv).collect::<Vec<_>>();
    one.start == other.start && moves(one) == moves(other)
}

/// A file for each game.
fn folder(
    args: &ExportArgs,
    index: &Index,
    ids: &[i64],
    encoding: Encoding,
    omissions: &mut Omissions,
) -> anyhow::Result<String> {
    let dir = &args.output;
    if !dir.is_dir() {
        check_parent(dir)?;
        fs::create_dir(dir).with_context(|| format!("making {}", dir.display()))?;
    }
    let mut count = 0;
    for id in ids {
        let Some(record) = record_of(index, *id)? else { continue };
        let stem = file_stem("{datetime}_{black}_{white}", &record.header);
        let name = format!("{id:06}_{stem}.{}", args.to.extension(encoding));
        let path = dir.join(name);
        let bytes = args.to.write(&record, encoding, omissions);
        match write_output(&path, &bytes, args.force) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(error)
                    .with_context(|| format!("writing {}", path.display()))
                    .written_by_user()
                    .hint("--force overwrites it");
            }
            written => written.with_context(|| format!("writing {}", path.display()))?,
        }
        count += 1;
    }
    Ok(counted(count, "game"))
}

/// All games in one file.
fn one_file(
    args: &ExportArgs,
    index: &Index,
    ids: &[i64],
    encoding: Encoding,
    omissions: &mut Omissions,
    context: &Context,
) -> anyhow::Result<String> {
    let separator = match args.to.separator() {
        Some(separator) => separator,
        None if ids.len() <= 1 => "",
        None => {
            return Err(anyhow::anyhow!("a file of {} holds one game", args.to.name()))
                .written_by_user()
                .hint("name a folder with -o");
        }
    };
    let count = to_output(args, context, |out| {
        let mut count = 0_usize;
        for id in ids {
            let Some(record) = record_of(index, *id)? else { continue };
            if count > 0 && !separator.is_empty() {
                writeln!(out, "{}", separator.trim_end())?;
            }
            out.write_all(&args.to.write(&record, encoding, omissions))?;
            count += 1;
        }
        Ok(count)
    })?;
    Ok(counted(count, "game"))
}

/// Rows for training.
fn positions(
    args: &ExportArgs,
    index: &Index,
    ids: &[i64],
    random: &mut fastrand::Rng,
    omissions: &mut Omissions,
    context: &Context,
) -> anyhow::Result<String> {
    let Pieces::Rows(size) = args.to.pieces() else { anyhow::bail!("not a format of rows") };
    let count = to_output(args, context, |out| {
        let mut count = 0_usize;
        let mut kept: Vec<u8> = Vec::new();
        for id in ids {
            let Some(record) = index.record(*id)? else { continue };
            let bytes = args.to.write(&record, Encoding::Utf8, omissions);
            let left_out = are_of(&args.without, &record);
            for (ply, row) in bytes.chunks_exact(size).enumerate() {
                let score = record.moves.get(ply).and_then(|made| made.analysis.as_ref()?.score);
                let is_in = args.max_score.is_none_or(|most| {
                    score.is_none_or(|score| {
                        score.centipawns().unsigned_abs() <= most.unsigned_abs()
                    })
                });
                if left_out.get(ply) == Some(&true)
                    || ply < args.skip_plies
                    || !is_in
                    || args.scored && score.is_none()
                {
                    continue;
                }
                count += 1;
                if args.shuffle {
                    kept.extend_from_slice(row);
                } else {
                    out.write_all(row)?;
                }
            }
        }
        let mut order: Vec<u32> = (0..u32::try_from(kept.len() / size.max(1))?).collect();
        random.shuffle(&mut order);
        for row in order {
            let at = row as usize * size;
            out.write_all(&kept[at..at + size])?;
        }
        Ok(count)
    })?;
    Ok(counted(count, "position"))
}

/// Refuses an output in a folder that is not there: most often its path is misspelt.
fn check_parent(output: &Path) -> anyhow::Result<()> {
    match output.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        Some(dir) if !dir.is_dir() => Err(anyhow::anyhow!("there is no folder {}", dir.display()))
            .with_context(|| format!("writing {}", output.display()))
            .written_by_user()
            .hint("make the folder first, or correct the path"),
        _ => Ok(()),
    }
}

/// Writes to standard output, or to a draft that gets its name at the end.
fn to_output(
    args: &ExportArgs,
    context: &Context,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<usize>,
) -> anyhow::Result<usize> {
    if args.output == Path::new("-") {
        let mut output = BufWriter::with_capacity(1 << 16, context.output.clone());
        let count = write(&mut output)?;
        output.flush()?;
        return Ok(count);
    }
    let place = || format!("writing {}", args.output.display());
    if args.output.exists() && !args.force {
        return Err(anyhow::anyhow!("it exists"))
            .with_context(place)
            .written_by_user()
            .hint("--force overwrites it");
    }
    check_parent(&args.output)?;
    let mut draft = Draft::beside(&args.output).with_context(place)?;
    let count = write(&mut draft).with_context(place)?;
    draft.replace(&args.output, Sync::Now).with_context(place)?;
    Ok(count)
}
