//! What a search evaluates with: the built-in evaluation, or that of a file.

use std::{
    fmt,
    fs::File,
    io::{self, Read as _},
    path::Path,
    sync::{Arc, Weak},
};

use parking_lot::Mutex;

use super::{
    network::{Network, NetworkFileError},
    nnue::{NnueFileError, NnueWeights, Scale},
};

/// The weights of an evaluation. Clones share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Evaluation {
    /// The fitted sum and a network of kyomi's own format.
    Own(Arc<Network>),
    /// A network of the NNUE family.
    Nnue(Arc<NnueWeights>, Scale),
}

/// The reason a file cannot be used for an evaluation. The text continues "the file NAME".
#[derive(Debug, thiserror::Error)]
pub enum EvaluationFileError {
    /// It cannot be read.
    #[error("cannot be read: {0}; check the path and its permissions")]
    Read(#[from] io::Error),
    /// It begins as a network of kyomi's own format.
    #[error(transparent)]
    Own(#[from] NetworkFileError),
    /// It does not.
    #[error(transparent)]
    Nnue(#[from] NnueFileError),
}

impl Evaluation {
    /// The evaluation that is used if no other is given.
    pub fn builtin() -> Self {
        Self::Own(Network::builtin())
    }

    /// Reads the file of a network, of kyomi's own format or of the NNUE family. The scale is the usual one.
    ///
    /// # Errors
    /// The file cannot be read, or has no such network.
    pub fn read(path: &Path) -> Result<Self, EvaluationFileError> {
        let mut bytes = Vec::new();
        let mut file = File::open(path)?;
        file.by_ref().take(64).read_to_end(&mut bytes)?;
        // A large file of another kind is not read whole.
        if NnueWeights::may_begin(&bytes) || bytes.starts_with(&Network::MAGIC) {
            file.take(LONGEST).read_to_end(&mut bytes)?;
        }
        let read = Self::from_bytes(&bytes)?;
        drop(bytes);
        Ok(match read {
            Self::Nnue(weights, scale) => Self::Nnue(shared(weights), scale),
            own @ Self::Own(_) => own,
        })
    }

    /// The evaluation in the bytes of a file.
    ///
    /// # Errors
    /// They are no such network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, EvaluationFileError> {
        if bytes.starts_with(&Network::MAGIC) {
            return Ok(Self::Own(Network::from_bytes(bytes)?.into()));
        }
        let weights = NnueWeights::from_bytes(bytes)?;
        let scale = Scale::usual();
        Ok(Self::Nnue(weights.into(), scale))
    }

    /// A checksum of what decides its values: the file and the scale.
    pub fn checksum(&self) -> u32 {
        let file = self.file_checksum();
        let Self::Nnue(_, Scale { fv_scale, percent }) = self else { return file };
        crc32fast::hash(format!("{file:08x} {fv_scale} {percent}").as_bytes())
    }

    /// The checksum of the file alone, without the scale.
    pub fn file_checksum(&self) -> u32 {
        match self {
            Self::Own(network) => network.checksum(),
            Self::Nnue(weights, _) => weights.checksum(),
        }
    }

    /// Whether it is the one that is used if no other is given.
    pub fn is_builtin(&self) -> bool {
        matches!(self, Self::Own(network) if Arc::ptr_eq(network, &Network::builtin()))
    }
}

/// Architecture, size and checksum.
impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(network) => {
                let name = if self.is_builtin() { "built-in" } else { "kyomi" };
                let (width, checksum) = (network.width(), network.checksum());
                write!(f, "{name}, network of {width} units, checksum {checksum:08x}")
            }
            Self::Nnue(weights, scale) => {
                let (architecture, bytes) = (weights.architecture(), weights.bytes());
                let (checksum, Scale { fv_scale, percent }) = (weights.checksum(), scale);
                write!(
                    f,
                    "{architecture}, {bytes} bytes, checksum {checksum:08x}, FV_SCALE {fv_scale}, 100 units = {percent} centipawns"
                )
            }
        }
    }
}

/// The largest file that is read. A network of the SFNN family may have 345 MB.
const LONGEST: u64 = 400 << 20;

/// The same weights of an evaluation that is in use, if there is one. Several players of a process share them so.
fn shared(weights: Arc<NnueWeights>) -> Arc<NnueWeights> {
    static IN_USE: Mutex<Vec<Weak<NnueWeights>>> = Mutex::new(Vec::new());
    let mut in_use = IN_USE.lock();
    in_use.retain(|weights| weights.strong_count() > 0);
    let is_same =
        |other: &Arc<NnueWeights>| other.checksum() == weights.checksum() && *other == weights;
    if let Some(same) = in_use.iter().filter_map(Weak::upgrade).find(is_same) {
        return same;
    }
    in_use.push(Arc::downgrade(&weights));
    weights
}
