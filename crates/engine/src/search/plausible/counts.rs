//! The number of pieces that attack each square, for all squares at once.

use kyomi_shogi::Bitboard;

/// A number from 0 to 7 for each square, as three sets of its binary digits. 7 means 7 or more.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    ones: Bitboard,
    twos: Bitboard,
    fours: Bitboard,
}

impl Counts {
    /// Adds 1 on each of these squares.
    #[inline]
    pub(super) fn add(&mut self, squares: Bitboard) {
        let carry = self.ones & squares;
        self.ones = (self.ones | squares) & !carry;
        let carried = self.twos & carry;
        self.twos = (self.twos | carry) & !carried;
        let full = self.fours & carried;
        self.fours |= carried;
        self.ones |= full;
        self.twos |= full;
    }

    /// Squares with exactly 1.
    #[inline]
    pub(super) fn single(&self) -> Bitboard {
        self.ones & !self.twos & !self.fours
    }

    /// Squares with at least 2.
    #[inline]
    pub(super) fn several(&self) -> Bitboard {
        self.twos | self.fours
    }

    /// Squares on which the number is at least that of `other`.
    #[inline]
    pub(super) fn at_least(&self, other: &Self) -> Bitboard {
        let more = |ours: Bitboard, theirs: Bitboard| theirs & !ours;
        let same = |ours: Bitboard, theirs: Bitboard| (ours & theirs) | (!ours & !theirs);
        let other_has_more = more(self.fours, other.fours)
            | same(self.fours, other.fours)
                & (more(self.twos, other.twos)
                    | same(self.twos, other.twos) & more(self.ones, other.ones));
        !other_has_more
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyomi_shogi::Square;

    #[test]
    fn every_pair_of_numbers_compares_as_it_should() {
        let square = Square::new(5, 5).unwrap();
        let of = |number: u32| {
            let mut counts = Counts::default();
            (0..number).for_each(|_| counts.add(Bitboard::of(square)));
            counts
        };
        for a in 0..12 {
            let counts = of(a);
            let any = counts.single() | counts.several();
            assert_eq!(any.contains(square), a > 0);
            assert_eq!(counts.single().contains(square), a == 1);
            assert_eq!(counts.several().contains(square), a > 1);
            for b in 0..12 {
                assert_eq!(counts.at_least(&of(b)).contains(square), a.min(7) >= b.min(7));
            }
        }
    }
}
