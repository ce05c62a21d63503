//! Moves, and lists of them.

use std::fmt;
use std::num::NonZeroU16;

use arrayvec::ArrayVec;

use super::{Bitboard, PieceKind, Square};

/// The most legal moves of any position; there is one that has as many, `R8/2K1S1SS1/4B4/9/9/9/9/9/1L1L1L3 b
/// RBGSNLP3g3n17p 1` (with a white king on 1b it has 593).
///
/// With all seven kinds in hand and nobody on the board there are 4·81 + 2·72 + 63 = 531 drops: four kinds anywhere,
/// pawns and lances on eight ranks, knights on seven. Every piece on the board takes the drops on its square, 4 of them
/// on the first rank, 6 on the second and 7 on the others; what its own moves make up for at most, on an empty board
/// and with all promotions, is 28 for a rook, 17 for a bishop, 4 for each of three silvers, 3 for each of three lances,
/// 2 for the king and nothing for any other: 599 together. A kind that is missing in hand takes 63 drops or more with
/// it, and gives back less: one drop less is lost on each square that is taken, 40 at most, and one more rook, the
/// best that may stand on the board for it, makes up for 28 where 81 drops are gone.
pub const MAX_MOVES: usize = 599;

/// The moves of a position, on the stack.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;

/// A move in 15 bits: bits 0 to 6 the square it goes to, 7 to 13 the square it comes from (81 to 87: a drop of
/// kind 0 to 6), 14 promotion. Always well formed, not necessarily legal anywhere.
///
/// ```
/// # use kyomi::shogi::{Move, PieceKind, Square};
/// let mv = Move::drop(PieceKind::Silver, Square::new(5, 2).unwrap());
/// assert_eq!(mv.to_string(), "S*5b");
/// assert_eq!(Move::from_bits(mv.to_bits()), Some(mv));
/// assert_eq!(Move::from_bits(0xffff), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(NonZeroU16);

const PROMOTION: u16 = 1 << 14;

impl Move {
    /// A move of the piece on `from`, promoting it or not.
    ///
    /// # Panics
    /// If both squares are the same.
    pub const fn normal(from: Square, to: Square, promote: bool) -> Self {
        assert!(from.index() != to.index(), "a move goes to another square");
        Self::pack(from.index(), to, promote)
    }

    /// A drop of a piece from the hand.
    ///
    /// # Panics
    /// If the kind is never in hand.
    pub const fn drop(kind: PieceKind, to: Square) -> Self {
        assert!(kind.is_droppable(), "only unpromoted pieces other than the king are dropped");
        Self::pack(81 + kind.index(), to, false)
    }

    /// Moves of one piece to each of some squares; none of them is `from`.
    #[inline]
    pub(super) fn each(from: Square, targets: Bitboard, promote: bool, mut take: impl FnMut(Self)) {
        debug_assert!(!targets.contains(from));
        // Mostly so for captures and promotions.
        if targets.is_empty() {
            return;
        }
        let start = (from.index() as u16) << 7 | if promote { PROMOTION } else { 0 };
        match NonZeroU16::new(start) {
            Some(start) => targets.iter().for_each(|to| take(Self(start | to.index() as u16))),
            None => targets.iter().for_each(|to| take(Self::normal(from, to, promote))),
        }
    }

    /// Drops of one kind on each of some squares.
    #[inline]
    pub(super) fn each_drop(kind: PieceKind, targets: Bitboard, mut take: impl FnMut(Self)) {
        if let Some(start) = NonZeroU16::new((81 + kind.index() as u16) << 7) {
            targets.iter().for_each(|to| take(Self(start | to.index() as u16)));
        }
    }

    const fn pack(from: usize, to: Square, promote: bool) -> Self {
        let bits = (from as u16) << 7 | to.index() as u16 | if promote { PROMOTION } else { 0 };
        match NonZeroU16::new(bits) {
            Some(bits) => Self(bits),
            // Only `from == to == 0` packs to nothing.
            None => unreachable!(),
        }
    }

    /// The move of a bit pattern, as kept in tables; `None` for patterns that are no move.
    pub const fn from_bits(bits: u16) -> Option<Self> {
        let (from, to) = (bits >> 7 & 127, bits & 127);
        let well_formed = bits >> 15 == 0
            && to < 81
            && from < 88
            && from != to
            && (from < 81 || bits & PROMOTION == 0);
        match NonZeroU16::new(bits) {
            Some(bits) if well_formed => Some(Self(bits)),
            _ => None,
        }
    }

    /// The bit pattern, never 0.
    pub const fn to_bits(self) -> u16 {
        self.0.get()
    }

    /// The square the piece comes from; `None` for a drop.
    pub const fn from(self) -> Option<Square> {
        Square::from_index((self.0.get() >> 7 & 127) as usize)
    }

    /// The square the piece goes to.
    pub const fn to(self) -> Square {
        Square::known((self.0.get() & 127) as u32)
    }

    /// The same move to another square; it has to be well formed, too.
    #[inline]
    #[must_use]
    pub(crate) const fn with_target(self, to: Square) -> Self {
        match NonZeroU16::new(self.0.get() & !127 | to.index() as u16) {
            Some(bits) => Self(bits),
            None => self,
        }
    }

    /// Whether the piece promotes with this move.
    pub const fn is_promotion(self) -> bool {
        self.0.get() & PROMOTION != 0
    }

    /// Whether it is a drop.
    pub const fn is_drop(self) -> bool {
        (self.0.get() >> 7 & 127) >= 81
    }

    /// The kind dropped; `None` for a move on the board.
    pub const fn dropped(self) -> Option<PieceKind> {
        let from = (self.0.get() >> 7 & 127) as usize;
        if from >= 81 && from < 88 { Some(PieceKind::HAND[from - 81]) } else { None }
    }
}

impl fmt::Display for Move {
    /// As in USI: `7g7f`, `8h2b+`, `P*5e`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from(), self.dropped()) {
            (Some(from), _) => {
                let plus = if self.is_promotion() { "+" } else { "" };
                write!(f, "{from}{}{plus}", self.to())
            }
            (None, kind) => {
                let letter = kind.map_or('?', |kind| char::from(b"PLNSGBR"[kind.index()]));
                write!(f, "{letter}*{}", self.to())
            }
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Color, attacks, attacks::promoting_from};
    use super::*;

    /// How many drops a piece on this square takes, were all kinds in hand.
    fn drops_taken(square: Square) -> i32 {
        let kinds = PieceKind::HAND.into_iter();
        kinds.filter(|kind| square.rank_for(Color::Black) > kind.dead_ranks()).count() as i32
    }

    /// How many moves a black piece has on an empty board.
    fn moves_alone(kind: PieceKind, from: Square) -> i32 {
        let targets = attacks(kind, Color::Black, from, Bitboard::EMPTY);
        let plain = targets & !Bitboard::far_ranks(Color::Black, kind.dead_ranks());
        let promoting = match kind.promoted() {
            Some(_) => targets & promoting_from(Color::Black, from),
            None => Bitboard::EMPTY,
        };
        (plain.count() + promoting.count()) as i32
    }

    #[test]
    fn no_position_has_more_moves_than_the_bound() {
        let drops: i32 = Square::all().map(drops_taken).sum();
        assert_eq!(drops, 531);
        let gain = |kind: PieceKind| {
            let gains = Square::all().map(|at| moves_alone(kind, at) - drops_taken(at));
            gains.max().unwrap().max(0)
        };
        // A piece stands on the board as its own kind or promoted, and one of each kind is in hand.
        let unpromoted = [PieceKind::King].into_iter().chain(PieceKind::HAND);
        let most = |kind: PieceKind| gain(kind).max(kind.promoted().map_or(0, gain));
        let on_board = |kind: PieceKind| match kind {
            PieceKind::King => 1,
            kind => i32::from(kind.total()) - 1,
        };
        let all = drops + unpromoted.clone().map(|kind| on_board(kind) * most(kind)).sum::<i32>();
        assert_eq!(all, MAX_MOVES as i32);
        // Without one kind in hand: its drops go; 40 pieces at most take one drop less, and one more may stand there.
        for kind in PieceKind::HAND {
            let dead = i32::from(kind.dead_ranks());
            assert!(81 - 9 * dead > 40 + most(kind), "{kind:?}");
        }
    }
}
