//! The pieces in one side's hand.

use super::PieceKind;

/// Counts of the seven kinds in hand, packed into 32 bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hand(u32);

/// Where the count of each kind begins: 5 bits for pawns, 3 for lances to golds, 2 for bishops and rooks.
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

    /// Whether there is at least one of a kind.
    pub const fn has(self, kind: PieceKind) -> bool {
        self.count(kind) != 0
    }

    /// Whether there is nothing in hand.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of pieces in all.
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

    /// Whether this hand has, of every kind, at least as many pieces as `other`.
    pub fn contains(self, other: Self) -> bool {
        PieceKind::HAND.into_iter().all(|kind| self.count(kind) >= other.count(kind))
    }

    /// The packed counts: equal exactly for equal hands.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The hand with the count of a kind changed. Counts beyond the full set, and kinds never in hand, change nothing.
    #[must_use]
    pub const fn with(self, kind: PieceKind, count: u8) -> Self {
        let i = kind.index();
        if i < 7 && count <= kind.total() {
            Self(self.0 & !(MASK[i] << SHIFT[i]) | (count as u32) << SHIFT[i])
        } else {
            self
        }
    }

    /// Adds one; the kind is droppable and the set not yet full.
    pub(super) const fn add(&mut self, kind: PieceKind) {
        debug_assert!(kind.is_droppable());
        self.0 += 1 << SHIFT[kind.index()];
    }

    /// Takes one away that is there.
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
