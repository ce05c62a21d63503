//! What a position is worth, as engines report it.

use std::fmt;

/// A score from the view of one side: of the side to move or of black; each user states which.
///
/// ```
/// use kyomi::shogi::Score;
/// assert_eq!(-Score::Win(Some(5)), Score::Loss(Some(5)));
/// assert_eq!(Score::Win(Some(5)).to_string(), "+mate5");
/// assert_eq!(Score::Loss(None).to_string(), "-mate");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// The side wins by force: it mates within this number of plies; `None` where the number is not known.
    Win(Option<u32>),
    /// The side loses by force: it is mated within this number of plies, 0 if it is mated already; `None` where the number is not
    /// known.
    Loss(Option<u32>),
}

impl Score {
    /// The score in centipawns, for comparison with a limit and for records: a win as `32000 − plies`, a loss as the
    /// negative of that; a distance that is not known counts as 128 plies.
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

    /// The same from the other side's view.
    fn neg(self) -> Self {
        match self {
            Self::Cp(cp) => Self::Cp(cp.saturating_neg()),
            Self::Win(plies) => Self::Loss(plies),
            Self::Loss(plies) => Self::Win(plies),
        }
    }
}

impl fmt::Display for Score {
    /// `+62`, `+mate5`, `-mate4`; `+mate` and `-mate` where the distance is not known.
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

/// The distance that a mate of unknown distance counts as in comparisons.
const UNKNOWN: u32 = 128;
