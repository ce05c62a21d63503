//! The file from which an interrupted training is resumed.

use std::{fs, io, path::Path};

use crate::lab::train::checkpoint::replace;

use super::{
    adam::Moments,
    parameters::{Parameters, Shape},
};

/// A training after a number of whole epochs.
#[derive(Debug, PartialEq)]
pub(super) struct State {
    pub(super) epochs: u32,
    /// The least validation loss of an epoch, and the number of that epoch.
    pub(super) best: (f64, u32),
    pub(super) parameters: Parameters,
    pub(super) moments: Moments,
}

/// The content of a checkpoint file.
#[derive(Debug, PartialEq)]
pub(super) enum Kept {
    /// The file does not exist.
    Nothing,
    /// The file belongs to another task, or is not a checkpoint.
    Other,
    /// A training.
    State(Box<State>),
}

const MAGIC: [u8; 8] = *b"kyomiNN1";

/// Saves a training.
pub(super) fn save(
    path: &Path,
    task: u64,
    epochs: u32,
    best: (f64, u32),
    parameters: &Parameters,
    moments: &Moments,
) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(64 + 12 * parameters.values.len());
    bytes.extend(MAGIC);
    bytes.extend(task.to_le_bytes());
    bytes.extend(best.0.to_le_bytes());
    for number in [best.1, epochs, moments.steps] {
        bytes.extend(number.to_le_bytes());
    }
    for number in parameters.values.iter().chain(&moments.first).chain(&moments.second) {
        bytes.extend(number.to_le_bytes());
    }
    replace(path, &bytes)
}

/// Reads the checkpoint of a task.
pub(super) fn load(path: &Path, task: u64, shape: Shape) -> io::Result<Kept> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::Nothing),
        bytes => bytes?,
    };
    let state = read(&bytes, task, shape);
    Ok(state.map_or(Kept::Other, |state| Kept::State(Box::new(state))))
}

fn read(bytes: &[u8], task: u64, shape: Shape) -> Option<State> {
    let (magic, rest) = bytes.split_first_chunk::<8>()?;
    let (found, rest) = rest.split_first_chunk::<8>()?;
    let (loss, rest) = rest.split_first_chunk::<8>()?;
    let (best, rest) = rest.split_first_chunk::<4>()?;
    let (epochs, rest) = rest.split_first_chunk::<4>()?;
    let (steps, rest) = rest.split_first_chunk::<4>()?;
    let count = shape.parameters();
    if *magic != MAGIC || u64::from_le_bytes(*found) != task || rest.len() != 12 * count {
        return None;
    }
    let mut numbers = rest.as_chunks::<4>().0.iter().map(|number| f32::from_le_bytes(*number));
    let mut take = || -> Vec<f32> { numbers.by_ref().take(count).collect() };
    Some(State {
        epochs: u32::from_le_bytes(*epochs),
        best: (f64::from_le_bytes(*loss), u32::from_le_bytes(*best)),
        parameters: Parameters::of(shape, take())?,
        moments: Moments { first: take(), second: take(), steps: u32::from_le_bytes(*steps) },
    })
}
