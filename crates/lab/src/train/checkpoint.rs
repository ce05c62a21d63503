//! The file of a fit, from which an interrupted fit is resumed.

use std::{fs::File, io, path::Path};

use serde::Serialize;

use kyomi::archive::{Sync, write_atomic};
use kyomi_record::read_bounded;

use super::TrainError;
use super::fit::Fit;
use super::model::PARAMETERS;

/// Replaces a file completely or not at all.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_atomic(path, bytes, Sync::Now)
}

/// Writes the report of a training as JSON, completely or not at all.
pub(super) fn write_report(path: &Path, report: &impl Serialize) -> Result<(), TrainError> {
    let text = serde_json::to_string_pretty(report).unwrap_or_default() + "\n";
    replace(path, text.as_bytes()).map_err(TrainError::io("writing", path))
}

/// Saves a fit after a number of epochs.
pub(super) fn save(path: &Path, task: u64, epochs: u32, fit: &Fit) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(LENGTH);
    bytes.extend(MAGIC);
    bytes.extend(task.to_le_bytes());
    bytes.extend(epochs.to_le_bytes());
    for number in fit.parameters.iter().chain(&fit.squares) {
        bytes.extend(number.to_le_bytes());
    }
    replace(path, &bytes)
}

/// The content of a checkpoint file.
#[derive(Debug, PartialEq)]
pub(super) enum Kept {
    /// The file does not exist.
    Nothing,
    /// The file belongs to another task, or is not a checkpoint.
    Other,
    /// The fit after this number of epochs.
    Fit(u32, Box<Fit>),
}

/// Reads the checkpoint of a task.
pub(super) fn load(path: &Path, task: u64) -> io::Result<Kept> {
    let bytes = match File::open(path).and_then(|file| read_bounded(file, LENGTH)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::Nothing),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Ok(Kept::Other),
        bytes => bytes?,
    };
    Ok(read(&bytes, task).map_or(Kept::Other, |(epochs, fit)| Kept::Fit(epochs, Box::new(fit))))
}

fn read(bytes: &[u8], task: u64) -> Option<(u32, Fit)> {
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (found, rest) = rest.split_first_chunk::<8>()?;
    let (epochs, rest) = rest.split_first_chunk::<4>()?;
    if *magic != MAGIC || u64::from_le_bytes(*found) != task || bytes.len() != LENGTH {
        return None;
    }
    let numbers: Vec<f32> =
        rest.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number)).collect();
    let mut fit = Fit::new();
    fit.parameters.copy_from_slice(&numbers[..PARAMETERS]);
    fit.squares.copy_from_slice(&numbers[PARAMETERS..]);
    fit.refresh();
    Some((u32::from_le_bytes(*epochs), fit))
}

const MAGIC: [u8; 8] = *b"kyomifit";
const LENGTH: usize = 8 + 8 + 4 + 2 * 4 * PARAMETERS;

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_checkpoint_is_read_only_for_its_task() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fit.bin");
        assert_eq!(load(&path, 7).unwrap(), Kept::Nothing);
        let mut fit = Fit::new();
        fit.parameters[17] = 1.5;
        fit.squares[3] = 0.25;
        fit.refresh();
        save(&path, 7, 3, &fit).unwrap();
        assert_eq!(load(&path, 7).unwrap(), Kept::Fit(3, Box::new(fit)));
        assert_eq!(load(&path, 8).unwrap(), Kept::Other);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"1"].concat()).unwrap();
        assert_eq!(load(&path, 7).unwrap(), Kept::Other);
        for length in [0, 7, 19, 20, 1000, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(load(&path, 7).unwrap(), Kept::Other);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_without_an_end_is_none() {
        assert_eq!(load(Path::new("/dev/zero"), 7).unwrap(), Kept::Other);
    }
}
