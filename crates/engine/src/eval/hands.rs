//! A summary of a hand, by two table look-ups.

use kyomi_shogi::{Hand, PieceKind};

/// The number of kinds that may be in hand.
pub(super) const KINDS: usize = PieceKind::HAND.len();

/// The kinds that are in a hand, and its strength near a king.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Summary(u16);

impl Summary {
    /// The summary of a hand.
    #[inline]
    pub(super) fn of(hand: Hand) -> Self {
        let bits = hand.to_bits() as usize;
        Self(LIGHT[bits % LIGHT.len()] + HEAVY[bits / LIGHT.len() % HEAVY.len()])
    }

    /// The set of its kinds: bit `n` for the kind of index `n`.
    #[inline]
    pub(super) const fn kinds(self) -> usize {
        self.0 as usize % (1 << KINDS)
    }

    /// Its strength near a king, 0 to 5: half of the sum of 1 for any number of pawns, 1 for each lance and knight, and
    /// 2 for each other piece.
    #[inline]
    pub(super) const fn strength(self) -> usize {
        let half = self.0 as usize >> (KINDS + 1);
        if half < 5 { half } else { 5 }
    }
}

/// Summaries of pawns, lances and knights, by the lower bits of a packed hand.
static LIGHT: [u16; 1 << 11] = table(0, 3, 0);
/// Summaries of the other kinds, by the upper bits.
static HEAVY: [u16; 1 << 10] = table(3, KINDS, 11);

/// The summaries of all hands of the kinds from `first` to below `end`, indexed by their bits shifted right by `shift`.
const fn table<const SIZE: usize>(first: usize, end: usize, shift: u32) -> [u16; SIZE] {
    let mut table = [0; SIZE];
    let mut number = 0;
    loop {
        // The counts are the digits of the number.
        let (mut hand, mut summary, mut rest) = (Hand::EMPTY, 0, number);
        let mut index = first;
        while index < end {
            let kind = PieceKind::HAND[index];
            let numbers = kind.total() as u16 + 1;
            let count = rest % numbers;
            hand = hand.with(kind, count as u8);
            if count > 0 {
                let strength = match kind {
                    PieceKind::Pawn => 1,
                    PieceKind::Lance | PieceKind::Knight => count,
                    _ => 2 * count,
                };
                summary += 1 << index | strength << KINDS;
            }
            rest /= numbers;
            index += 1;
        }
        if rest > 0 {
            return table;
        }
        assert!(hand.to_bits() >> shift << shift == hand.to_bits());
        table[(hand.to_bits() >> shift) as usize] = summary;
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_equal_a_count_of_the_pieces() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..5000 {
            let full = random.u8(..8);
            let hand = PieceKind::HAND.into_iter().fold(Hand::EMPTY, |hand, kind| {
                let count = if random.u8(..8) < full { random.u8(..=kind.total()) } else { 0 };
                hand.with(kind, count)
            });
            let summary = Summary::of(hand);
            let kinds: usize = hand.iter().map(|(kind, _)| 1 << kind.index()).sum();
            assert_eq!(summary.kinds(), kinds, "{hand:?}");
            let count = |kind: PieceKind| usize::from(hand.count(kind));
            let light = count(PieceKind::Lance) + count(PieceKind::Knight);
            let heavy: usize =
                [PieceKind::Silver, PieceKind::Gold, PieceKind::Bishop, PieceKind::Rook]
                    .map(count)
                    .iter()
                    .sum();
            let whole = usize::from(hand.has(PieceKind::Pawn)) + light + 2 * heavy;
            assert_eq!(summary.strength(), (whole / 2).min(5), "{hand:?}");
        }
    }
}
