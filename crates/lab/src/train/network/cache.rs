//! A file with the chosen positions. A further training with the same games and the same choice reads it instead of the
//! games, which takes minutes.
//!
//! All numbers are little-endian: `kyomipo2`, then 64 bits each for the fingerprint of the choice, the numbers of
//! games, of engines with a scale, of training positions, of validation positions, and of tables; for each table the
//! number of validation positions up to its end; the positions; a CRC-32 of all before.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use crate::train::TrainError;
use crate::train::checkpoint::replace;
use crate::train::samples::PositionSet as _;

use super::rows::{Row, Rows};

/// The positions of a training, and the numbers of their games for the report.
#[derive(Debug)]
pub(super) struct Positions {
    /// The number of games.
    pub(super) games: usize,
    /// The number of engines or sources whose scores are used.
    pub(super) engines: usize,
    pub(super) training: Rows,
    pub(super) validation: Rows,
    /// For each table the number of validation positions up to its end.
    pub(super) validation_ends: Vec<usize>,
}

/// The last letter is the version.
const MAGIC: [u8; 8] = *b"kyomipo2";
/// The number of bytes of the counts: games, engines, training and validation positions, tables.
const COUNTS: u64 = 5 * 8;
/// The beginning of such a file of any version.
const ANY_VERSION: &[u8] = b"kyomipo";

/// Writes the positions of a choice with this fingerprint.
pub(super) fn save(path: &Path, choice: u64, positions: &Positions) -> io::Result<()> {
    let Positions { games, engines, training, validation, validation_ends } = positions;
    let rows = training.count() + validation.count();
    let mut bytes = Vec::with_capacity(64 + 8 * validation_ends.len() + rows * Row::BYTES);
    bytes.extend(MAGIC);
    bytes.extend(choice.to_le_bytes());
    let numbers = [*games, *engines, training.count(), validation.count(), validation_ends.len()];
    for number in numbers.iter().chain(validation_ends) {
        bytes.extend((*number as u64).to_le_bytes());
    }
    for row in training.rows.iter().chain(&validation.rows) {
        bytes.extend(row.to_bytes());
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    replace(path, &bytes)
}

/// Reads the positions of a choice with this fingerprint; `None` if there is no file, or one of another choice, or a
/// damaged one.
///
/// # Errors
/// The file cannot be read, or is of another kind, and must not be replaced.
pub(super) fn load(path: &Path, choice: u64) -> Result<Option<Positions>, TrainError> {
    let io = || TrainError::io("reading", path);
    let mut file = match fs::File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(io())?,
    };
    let mut bytes = Vec::new();
    file.by_ref().take(16).read_to_end(&mut bytes).map_err(io())?;
    if !bytes.is_empty() && !bytes.starts_with(ANY_VERSION) {
        return Err(TrainError::Foreign(path.to_owned()));
    }
    if bytes.len() < 16 || !bytes.starts_with(&MAGIC) || bytes[8..] != choice.to_le_bytes() {
        return Ok(None);
    }
    file.by_ref().take(COUNTS).read_to_end(&mut bytes).map_err(io())?;
    let Some(left) = bytes_left(&bytes) else { return Ok(None) };
    // A byte more makes the checksum wrong.
    file.take(left.saturating_add(1)).read_to_end(&mut bytes).map_err(io())?;
    Ok(read(&bytes))
}

/// The number of bytes that follow the counts, according to them.
fn bytes_left(bytes: &[u8]) -> Option<u64> {
    let count = |at: usize| -> Option<u64> {
        Some(u64::from_le_bytes(*bytes.get(16 + 8 * at..)?.first_chunk()?))
    };
    let rows = count(2)?.checked_add(count(3)?)?.checked_mul(Row::BYTES as u64)?;
    count(4)?.checked_mul(8)?.checked_add(rows)?.checked_add(4)
}

/// The positions in the bytes of a file of the choice.
fn read(bytes: &[u8]) -> Option<Positions> {
    let (content, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(content).to_le_bytes() != *checksum {
        return None;
    }
    let mut rest = content.get(16..)?;
    let mut number = || {
        let (number, after) = rest.split_first_chunk::<8>()?;
        rest = after;
        usize::try_from(u64::from_le_bytes(*number)).ok()
    };
    let (games, engines) = (number()?, number()?);
    let (training, validation, tables) = (number()?, number()?, number()?);
    let mut validation_ends = Vec::new();
    for _ in 0..tables {
        validation_ends.push(number()?);
    }
    let mut rows = rest.as_chunks::<{ Row::BYTES }>().0.iter().map(Row::from_bytes);
    let mut take = |count: usize| -> Option<Rows> {
        let rows: Vec<Row> = rows.by_ref().take(count).collect::<Option<_>>()?;
        (rows.len() == count).then(|| Rows::of(rows))
    };
    let (training, validation) = (take(training)?, take(validation)?);
    let ordered = validation_ends.is_sorted();
    let ends = validation_ends.last().is_none_or(|last| *last <= validation.count());
    (ordered && ends).then_some(Positions { games, engines, training, validation, validation_ends })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_the_counts_say() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions");
        let positions = Positions {
            games: 7,
            engines: 1,
            training: Rows::default(),
            validation: Rows::default(),
            validation_ends: vec![0],
        };
        save(&path, 5, &positions).unwrap();
        let whole = fs::read(&path).unwrap();
        assert_eq!(load(&path, 5).unwrap().map(|kept| kept.games), Some(7));
        fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
        assert!(load(&path, 5).unwrap().is_none());
        // More rows than memory has bytes, and more than numbers count.
        for count in [1_u64 << 40, u64::MAX] {
            let mut many = whole.clone();
            many[32..40].copy_from_slice(&count.to_le_bytes());
            fs::write(&path, &many).unwrap();
            assert!(load(&path, 5).unwrap().is_none());
        }
    }
}
