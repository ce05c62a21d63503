//! The file from which an interrupted training is resumed.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::train::checkpoint::replace;
use kyomi_record::read_bounded;

use super::adam::Moments;

/// A training after a number of whole epochs.
#[derive(Debug, PartialEq)]
pub(super) struct State {
    pub(super) epochs: u32,
    pub(super) best: Best,
    /// The parameters.
    pub(super) values: Vec<f32>,
    pub(super) moments: Moments,
}

/// The epoch with the least validation loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Best {
    pub(super) loss: f64,
    pub(super) epoch: u32,
    /// The [checksum](kyomi_engine::eval::network::Network::checksum) of its network.
    pub(super) checksum: u32,
}

impl Default for Best {
    /// Worse than every epoch.
    fn default() -> Self {
        Self { loss: f64::INFINITY, epoch: 0, checksum: 0 }
    }
}

/// The content of a checkpoint file.
#[derive(Debug, PartialEq)]
pub(super) enum Kept {
    /// The file does not exist.
    Nothing,
    /// The file belongs to another task, or is not a checkpoint.
    Other,
    /// The file belongs to the task and is damaged.
    Damaged,
    /// A training.
    State(Box<State>),
}

const MAGIC: [u8; 8] = *b"kyomiNN2";

/// The length in bytes of the file of a training with this number of parameters: before their numbers and after them.
const fn length(parameters: usize) -> usize {
    8 + 8 + 8 + 4 * 4 + 12 * parameters + 4
}

/// Saves a training.
pub(super) fn save(
    path: &Path,
    task: u64,
    epochs: u32,
    best: Best,
    values: &[f32],
    moments: &Moments,
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(length(values.len()));
    bytes.extend(MAGIC);
    bytes.extend(task.to_le_bytes());
    bytes.extend(best.loss.to_le_bytes());
    for number in [best.epoch, best.checksum, epochs, moments.steps] {
        bytes.extend(number.to_le_bytes());
    }
    for number in values.iter().chain(&moments.first).chain(&moments.second) {
        bytes.extend(number.to_le_bytes());
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    replace(path, &bytes)
}

/// Reads the checkpoint of a task with this number of parameters.
pub(super) fn load(path: &Path, task: u64, parameters: usize) -> io::Result<Kept> {
    let bytes = match File::open(path).and_then(|file| read_bounded(file, length(parameters))) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::Nothing),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Ok(Kept::Other),
        bytes => bytes?,
    };
    if !bytes.starts_with(&MAGIC) || bytes.get(8..16) != Some(&task.to_le_bytes()) {
        return Ok(Kept::Other);
    }
    let state = read(&bytes, parameters);
    Ok(state.map_or(Kept::Damaged, |state| Kept::State(Box::new(state))))
}

/// The training in the bytes of a checkpoint of this task.
fn read(bytes: &[u8], parameters: usize) -> Option<State> {
    let (content, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(content).to_le_bytes() != *checksum {
        return None;
    }
    let rest = content.get(16..)?;
    let (loss, rest) = rest.split_first_chunk::<8>()?;
    let (head, rest) = rest.split_first_chunk::<16>()?;
    let &[epoch, checksum, epochs, steps] = head.as_chunks::<4>().0 else { return None };
    let [epoch, checksum, epochs, steps] = [epoch, checksum, epochs, steps].map(u32::from_le_bytes);
    if rest.len() != 12 * parameters {
        return None;
    }
    let mut numbers = rest.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number));
    let mut take = || -> Vec<f32> { numbers.by_ref().take(parameters).collect() };
    Some(State {
        epochs,
        best: Best { loss: f64::from_le_bytes(*loss), epoch, checksum },
        values: take(),
        moments: Moments { first: take(), second: take(), steps },
    })
}
