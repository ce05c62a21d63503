//! The score of a position, as engines report it.

use std::fmt;

/// A score from the view of one side, either the side to move or black. Each use states which.
///
/// ```
/// use kyomi_shogi::Score;
/// assert_eq!(-Score::Win(Some(5)), Score::Loss(Some(5)));
/// assert_eq!(Score::Win(Some(5)).to_string(), "+mate5");
/// assert_eq!(Score::Loss(None).to_string(), "-mate");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// The side wins by force: it mates within this number of plies, or `None` if the number is not known.
    Win(Option<u32>),
    /// The side loses by force: it is mated within this number of plies, 0 if it is already mated, or `None` if the
    /// number is not known.
    Loss(Option<u32>),
}

impl Score {
    /// The score in centipawns, for comparison with a limit and for records: a win is `32000 − plies`, a loss the
    /// negative of that. A distance that is not known counts as 128 plies.
    pub fn centipawns(self) -> i32 {
        let distance = |plies: Option<u32>| plies.unwrap_or(UNKNOWN).min(2000) as i32;
        match self {
            Self::Cp(cp) => cp,
            Self::Win(plies) => 32_000 - distance(plies),
            Self::Loss(plies) => distance(plies) - 32_000,
        }
    }
}

impl std::ops::Neg for Score {
    type Output = Self;

    /// The score from the other side's view.
    fn neg(self) -> Self {
        match self {
            Self::Cp(cp) => Self::Cp(cp.saturating_neg()),
            Self::Win(plies) => Self::Loss(plies),
            Self::Loss(plies) => Self::Win(plies),
        }
    }
}

impl fmt::Display for Score {
    /// `+62`, `+mate5`, `-mate4`; `+mate` and `-mate` if the distance is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, plies) = match self {
            Self::Cp(cp) => return write!(f, "{cp:+}"),
            Self::Win(plies) => ('+', plies),
            Self::Loss(plies) => ('-', plies),
        };
        match plies {
            Some(plies) => write!(f, "{sign}mate{plies}"),
            None => write!(f, "{sign}mate"),
        }
    }
}

/// The distance that replaces an unknown one in comparisons.
const UNKNOWN: u32 = 128;
