//! The 81 squares.

use std::fmt;
use std::str::FromStr;

use super::Color;
use super::text::clip;

/// A square. Its index is `(file - 1) * 9 + (rank - 1)`: a file has nine consecutive indices, from the top.
///
/// ```
/// # use kyomi_shogi::Square;
/// let square = Square::new(7, 6).unwrap();
/// assert_eq!((square.file(), square.rank(), square.index()), (7, 6, 59));
/// assert_eq!(square.to_string(), "7f");
/// assert_eq!("7f".parse(), Ok(square));
/// assert_eq!(Square::new(0, 1), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The number of squares.
    pub const COUNT: usize = 81;

    /// The square of a file (1 is black's right edge) and a rank (1 is the top), both 1 to 9.
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file >= 1 && file <= 9 && rank >= 1 && rank <= 9 {
            Some(Self((file - 1) * 9 + rank - 1))
        } else {
            None
        }
    }

    /// The square of a file digit and a rank letter.
    pub(super) const fn from_letters(file: u8, rank: u8) -> Option<Self> {
        if file >= b'1' && rank >= b'a' { Self::new(file - b'0', rank - b'a' + 1) } else { None }
    }

    /// The square of an index below 81.
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// The square of an index that the caller guarantees to be below 81. Accesses to tables are checked, so that a
    /// wrong index can only cause a panic.
    pub(super) const fn known(index: u32) -> Self {
        debug_assert!(index < 81);
        Self(index as u8)
    }

    /// 0 to 80: an index into `[_; 81]`.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 1 to 9, counted from black's right.
    pub const fn file(self) -> u8 {
        self.0 / 9 + 1
    }

    /// 1 to 9, counted from the top (white's side).
    pub const fn rank(self) -> u8 {
        self.0 % 9 + 1
    }

    /// 1 to 9, counted from the far edge from the view of `color`: the enemy's camp is ranks 1 to 3.
    pub const fn rank_for(self, color: Color) -> u8 {
        match color {
            Color::Black => self.rank(),
            Color::White => 10 - self.rank(),
        }
    }

    /// The square one rank behind from the view of `color`, from which a pawn moves to this one. This square must not
    /// be on the last rank.
    #[inline]
    pub const fn behind(self, color: Color) -> Option<Self> {
        match color {
            Color::Black => Self::from_index(self.index() + 1),
            Color::White => Self::from_index(self.index().wrapping_sub(1)),
        }
    }

    /// The square after a half-turn of the board.
    #[must_use]
    pub const fn rotated(self) -> Self {
        Self(80 - self.0)
    }

    /// The square `files` and `ranks` further, if it is on the board.
    pub const fn offset(self, files: i8, ranks: i8) -> Option<Self> {
        let file = self.file() as i8 + files;
        let rank = self.rank() as i8 + ranks;
        if file < 1 || rank < 1 { None } else { Self::new(file as u8, rank as u8) }
    }

    /// The number of king's moves to another square.
    #[inline]
    pub const fn distance(self, to: Self) -> u8 {
        let files = self.file().abs_diff(to.file());
        let ranks = self.rank().abs_diff(to.rank());
        if files > ranks { files } else { ranks }
    }

    /// All squares by index.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..81u8).map(Self)
    }
}

impl fmt::Display for Square {
    /// As in USI: `7f`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), char::from(b'a' + self.rank() - 1))
    }
}

/// The text is not a square.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{token}' is no square; expected a file and a rank such as 7f")]
pub struct SquareError {
    /// The text, shortened.
    pub token: String,
}

impl FromStr for Square {
    type Err = SquareError;

    /// Parses the form of [`Display`](fmt::Display), which is that of USI.
    fn from_str(text: &str) -> Result<Self, SquareError> {
        let square = match *text.as_bytes() {
            [file, rank] => Self::from_letters(file, rank),
            _ => None,
        };
        square.ok_or_else(|| SquareError { token: clip(text) })
    }
}
