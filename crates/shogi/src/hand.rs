//! The pieces in one side's hand.

use super::PieceKind;

/// Counts of the seven kinds in hand, packed into 32 bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hand(u32);

/// The first bit of the count of each kind. Pawns have 5 bits, lances to golds 3, bishops and rooks 2.
const SHIFT: [u32; 7] = [0, 5, 8, 11, 14, 17, 19];
const MASK: [u32; 7] = [31, 7, 7, 7, 7, 3, 3];

impl Hand {
    /// No pieces.
    pub const EMPTY: Self = Self(0);

    /// The number of pieces of a kind; 0 for kinds that are never in hand.
    pub const fn count(self, kind: PieceKind) -> u8 {
        let i = kind.index();
        if i < 7 { (self.0 >> SHIFT[i] & MASK[i]) as u8 } else { 0 }
    }

    /// Whether the hand has at least one piece of a kind.
    pub const fn has(self, kind: PieceKind) -> bool {
        self.count(kind) != 0
    }

    /// Whether the hand is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The total number of pieces.
    pub fn total(self) -> u32 {
        self.iter().map(|(_, count)| u32::from(count)).sum()
    }

    /// The kinds present with their counts, cheapest first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = (PieceKind, u8)> {
        PieceKind::HAND
            .into_iter()
            .map(move |kind| (kind, self.count(kind)))
            .filter(|&(_, count)| count != 0)
    }

    /// Whether this hand has at least as many pieces of every kind as `other`.
    pub fn contains(self, other: Self) -> bool {
        PieceKind::HAND.into_iter().all(|kind| self.count(kind) >= other.count(kind))
    }

    /// The packed counts, which are equal if and only if the hands are equal.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The hand with the count of a kind changed. Counts above that of a full set, and kinds that are never in hand,
    /// change nothing.
    #[must_use]
    pub const fn with(self, kind: PieceKind, count: u8) -> Self {
        let i = kind.index();
        if i < 7 && count <= kind.total() {
            Self(self.0 & !(MASK[i] << SHIFT[i]) | (count as u32) << SHIFT[i])
        } else {
            self
        }
    }

    /// Adds a piece. The kind must be droppable and its set not full.
    pub(super) const fn add(&mut self, kind: PieceKind) {
        debug_assert!(kind.is_droppable());
        self.0 += 1 << SHIFT[kind.index()];
    }

    /// Removes a piece, which the hand must have.
    pub(super) const fn remove(&mut self, kind: PieceKind) {
        debug_assert!(self.has(kind));
        self.0 -= 1 << SHIFT[kind.index()];
    }
}

impl std::fmt::Debug for Hand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
