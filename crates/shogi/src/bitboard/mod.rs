//! Sets of squares.

pub mod machine;

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::{Color, Square};

/// A set of squares. Bit `n` is the square of index `n`; the upper 47 bits are always 0.
///
/// A file is nine neighbouring bits, so that one rank further down is one bit to the left.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(pub(super) u128);

const ALL: u128 = (1 << 81) - 1;
/// Rank 1 of every file.
const TOP: u128 = {
    let mut bits = 0;
    let mut file = 0;
    while file < 9 {
        bits |= 1 << (file * 9);
        file += 1;
    }
    bits
};
/// Rank 9 of every file.
const BOTTOM: u128 = TOP << 8;
/// `[n]`: ranks 1 to `n` of every file.
const UPPER: [u128; 10] = {
    let mut masks = [0; 10];
    let mut n = 1;
    while n < 10 {
        masks[n] = masks[n - 1] | TOP << (n - 1);
        n += 1;
    }
    masks
};

/// The set of each square, by its index.
static SINGLES: [Bitboard; 128] = {
    let mut sets = [Bitboard(0); 128];
    let mut index = 0;
    while index < 81 {
        sets[index] = Bitboard(1 << index);
        index += 1;
    }
    sets
};

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// All 81 squares.
    pub const ALL: Self = Self(ALL);

    /// The set of one square.
    pub const fn of(square: Square) -> Self {
        // A look-up takes a third of the instructions of a shift of 128 bits.
        SINGLES[square.index() & 127]
    }

    /// The squares of a file, 1 to 9; empty for any other number.
    pub const fn file(file: u8) -> Self {
        if file >= 1 && file <= 9 { Self(0x1ff << ((file - 1) as u32 * 9)) } else { Self(0) }
    }

    /// The squares of a rank, 1 to 9; empty for any other number.
    pub const fn rank(rank: u8) -> Self {
        if rank >= 1 && rank <= 9 { Self(TOP << (rank - 1)) } else { Self(0) }
    }

    /// The `count` far ranks (0 to 9) from the view of `color`.
    pub const fn far_ranks(color: Color, count: u8) -> Self {
        let count = if count > 9 { 9 } else { count } as usize;
        match color {
            Color::Black => Self(UPPER[count]),
            Color::White => Self(ALL & !UPPER[9 - count]),
        }
    }

    /// The three far ranks, where pieces of `color` promote and which its king must reach to declare.
    pub const fn camp_against(color: Color) -> Self {
        Self::far_ranks(color, 3)
    }

    /// Whether a square is in the set.
    pub const fn contains(self, square: Square) -> bool {
        // A test in one half takes a third of the instructions of a shift of 128 bits.
        let index = square.index();
        let half = if index < 64 { self.0 as u64 } else { (self.0 >> 64) as u64 };
        half >> (index & 63) & 1 != 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set is not empty.
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// The number of squares in the set.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the set has at least two squares.
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The square with the lowest index; `None` if the set is empty.
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::known(self.0.trailing_zeros())) }
    }

    /// The set with a square added.
    #[must_use]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | Self::of(square).0)
    }

    /// The set with a square removed.
    #[must_use]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !Self::of(square).0)
    }

    /// All squares moved one rank ahead from the view of `color`. Squares on its far rank are removed.
    #[must_use]
    pub const fn ahead(self, color: Color) -> Self {
        match color {
            Color::Black => Self((self.0 & !TOP) >> 1),
            Color::White => Self((self.0 & !BOTTOM) << 1),
        }
    }

    /// All squares moved one file to the left from black's view. Squares on file 9 are removed.
    #[must_use]
    pub const fn left(self) -> Self {
        Self(self.0 << 9 & ALL)
    }

    /// All squares moved one file to the right from black's view. Squares on file 1 are removed.
    #[must_use]
    pub const fn right(self) -> Self {
        Self(self.0 >> 9)
    }

    /// The neighbours to the left and to the right of all squares.
    #[must_use]
    pub(super) const fn sides(self) -> Self {
        Self((self.0 << 9 | self.0 >> 9) & ALL)
    }

    /// The targets of knights of `color`. None of the knights may be on its two far ranks.
    #[must_use]
    pub(super) const fn knight_jumps(self, color: Color) -> Self {
        match color {
            Color::Black => Self((self.0 << 7 | self.0 >> 11) & ALL),
            Color::White => Self((self.0 << 11 | self.0 >> 7) & ALL),
        }
    }

    /// All squares moved one rank ahead from the view of `color`. None of them may be on its far rank.
    #[must_use]
    pub(super) const fn forward(self, color: Color) -> Self {
        match color {
            Color::Black => Self(self.0 >> 1),
            Color::White => Self(self.0 << 1 & ALL),
        }
    }

    /// The squares of all files without a square in the set.
    pub(super) const fn free_files(self) -> Self {
        // In the nine bits of each file, all but the bottom bit are added to the set's: the sum reaches the bottom bit
        // unless there is none.
        const REST: u128 = ALL & !BOTTOM;
        let free = !(((self.0 & REST) + REST) | self.0) & BOTTOM;
        Self(free | (free - (free >> 8)))
    }

    /// The bits.
    pub const fn to_bits(self) -> u128 {
        self.0
    }

    /// The set of these bits. Bits that are no square are ignored.
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits & ALL)
    }

    /// The squares in the set, in the order of their indexes.
    pub const fn iter(self) -> Squares {
        Squares { low: self.0 as u64, high: (self.0 >> 64) as u64 }
    }
}

/// An iterator over the squares of a [`Bitboard`], in the order of their indexes.
///
/// It iterates over the two halves of the set one after the other, which takes a third of the instructions of finding
/// and clearing the lowest of 128 bits.
#[derive(Clone, Debug)]
pub struct Squares {
    low: u64,
    high: u64,
}

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        if self.low != 0 {
            let square = Square::known(self.low.trailing_zeros());
            self.low &= self.low - 1;
            Some(square)
        } else if self.high != 0 {
            let square = Square::known(64 + self.high.trailing_zeros());
            self.high &= self.high - 1;
            Some(square)
        } else {
            None
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Square) -> B>(self, start: B, mut f: F) -> B {
        let mut folded = start;
        let Self { mut low, mut high } = self;
        while low != 0 {
            folded = f(folded, Square::known(low.trailing_zeros()));
            low &= low - 1;
        }
        while high != 0 {
            folded = f(folded, Square::known(64 + high.trailing_zeros()));
            high &= high - 1;
        }
        folded
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = (self.low.count_ones() + self.high.count_ones()) as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    fn into_iter(self) -> Squares {
        self.iter()
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl BitAnd for Bitboard {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Not for Bitboard {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0 & ALL)
    }
}

impl BitAndAssign for Bitboard {
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

impl fmt::Debug for Bitboard {
    /// Nine rows from the top, file 9 on the left, `*` for a square in the set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in 1..=9 {
            let row = (1..=9).rev().filter_map(|file| Square::new(file, rank));
            let row: String =
                row.map(|square| if self.contains(square) { '*' } else { '.' }).collect();
            writeln!(f, "{row}")?;
        }
        Ok(())
    }
}
