//! Writes games to one file of any record format.

use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use kyomi::archive::{Draft, Sync};
use kyomi_record::{Encoding, Format, Omissions};

use super::store::{describe, each_block, failed, files};
use super::{Block, FilePart, SelfplayStoreError};

/// The games to export, and the file to write.
#[derive(Debug, Clone)]
pub struct SelfplayExport {
    /// A folder of games, or one file.
    pub from: PathBuf,
    /// The file to write.
    pub to: PathBuf,
    /// The format of the file.
    pub format: Format,
    /// The numbers of the games, counted from 1 through all files in the order of their seeds.
    pub games: RangeInclusive<u64>,
    /// Whether an existing file is overwritten.
    pub force: bool,
}

/// The result of an export.
#[derive(Debug, Default)]
pub struct Exported {
    /// The number of games.
    pub games: u64,
    /// The number of positions with their moves.
    pub rows: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The data that the format cannot hold.
    pub omissions: Omissions,
}

/// The reason games cannot be exported. The target file is unchanged then.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The games cannot be read, or the file cannot be written.
    #[error(transparent)]
    Store(#[from] SelfplayStoreError),
    /// The file already exists.
    #[error("{} exists; --force writes over it", .0.display())]
    Exists(PathBuf),
    /// A file of this format can have only one game.
    #[error("a file of {0} has one game; export csa3 or usi, or one game with --only")]
    OneGame(&'static str),
    /// There are fewer games.
    #[error("no game has this number; the number of games is {0}")]
    NoGame(u64),
    /// The user stopped the export.
    #[error("stopped; nothing was written")]
    Stopped,
}

/// Writes games one by one. `stop` is called before each game and ends the export by returning true.
///
/// # Errors
/// The reason no file was written.
pub fn export(task: &SelfplayExport, stop: impl Fn() -> bool) -> Result<Exported, ExportError> {
    if task.to.exists() && !task.force {
        return Err(ExportError::Exists(task.to.clone()));
    }
    let wanted = task.games.end().saturating_sub(*task.games.start());
    if task.format.separator().is_none() && wanted > 0 {
        return Err(ExportError::OneGame(task.format.name()));
    }
    let sources = files(&task.from)?;
    if sources.is_empty() {
        return Err(SelfplayStoreError::Nothing(task.from.clone()).into());
    }
    let writing = failed("writing", &task.to);
    let mut file = Draft::beside(&task.to).map_err(&writing)?;
    let mut done = Exported::default();
    let mut number = 0;
    for source in &sources {
        each_block::<ExportError>(source, |located| {
            if let Some(line) = describe(source, &located) {
                tracing::warn!("{line}; it is left out");
            }
            let FilePart::Block(Block::Game(game)) = located.part else { return Ok(()) };
            number += 1;
            if !task.games.contains(&number) {
                return Ok(());
            }
            if stop() {
                return Err(ExportError::Stopped);
            }
            if let Err(fault) = game.replay() {
                tracing::warn!(
                    "{}, game {}: {fault}; it is left out",
                    source.display(),
                    game.number
                );
                return Ok(());
            }
            done.rows += game.moves.len() as u64;
            let bytes =
                write(&mut file, task.format, &game.record(), &mut done).map_err(&writing)?;
            done.bytes += bytes;
            done.games += 1;
            Ok(())
        })?;
    }
    if done.games == 0 {
        return Err(ExportError::NoGame(number));
    }
    file.replace(&task.to, Sync::Now).map_err(&writing)?;
    Ok(done)
}

fn write(
    file: &mut impl Write,
    format: Format,
    record: &kyomi_record::Record,
    done: &mut Exported,
) -> io::Result<u64> {
    let separator = format.separator().filter(|_| done.games > 0).unwrap_or_default().as_bytes();
    let encoding = format.usual_encoding().unwrap_or(Encoding::Utf8);
    let bytes = format.write(record, encoding, &mut done.omissions);
    file.write_all(separator)?;
    file.write_all(&bytes)?;
    Ok((separator.len() + bytes.len()) as u64)
}
