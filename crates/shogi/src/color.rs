//! The two sides.

use std::fmt;
use std::ops::Not;

/// A side: black (sente, moves up the board, `+` in CSA, `b` in SFEN) or white (gote).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Color {
    /// Sente, the side that moves first in an even game.
    Black = 0,
    /// Gote. In a handicap game white gives the handicap and moves first.
    White = 1,
}

impl Color {
    /// Both sides, black first.
    pub const ALL: [Self; 2] = [Self::Black, Self::White];

    /// 0 for black, 1 for white: an index into `[_; 2]`.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other side (`!color`, usable in constants).
    #[must_use]
    pub const fn flip(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

impl Not for Color {
    type Output = Self;

    fn not(self) -> Self {
        self.flip()
    }
}

impl fmt::Display for Color {
    /// `black` or `white`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Black => "black",
            Self::White => "white",
        })
    }
}
