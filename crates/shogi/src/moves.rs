//! One move.

use std::fmt;
use std::num::NonZeroU16;
use std::str::FromStr;

use super::text::clip;
use super::{Bitboard, PieceKind, Square};

/// A move in 15 bits: bits 0 to 6 are the target square, bits 7 to 13 the origin square (81 to 87: a drop of kind 0 to
/// 6), bit 14 is promotion. It is always well formed, but not necessarily legal in any position.
///
/// ```
/// # use kyomi_shogi::{Move, PieceKind, Square};
/// let mv = Move::drop(PieceKind::Silver, Square::new(5, 2).unwrap());
/// assert_eq!(mv.to_string(), "S*5b");
/// assert_eq!("S*5b".parse(), Ok(mv));
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

    /// Calls `take` for the moves of one piece to each of `targets`, which must not contain `from`.
    #[inline]
    pub(super) fn each(from: Square, targets: Bitboard, promote: bool, mut take: impl FnMut(Self)) {
        debug_assert!(!targets.contains(from));
        let start = (from.index() as u16) << 7 | if promote { PROMOTION } else { 0 };
        match NonZeroU16::new(start) {
            Some(start) => targets.iter().for_each(|to| take(Self(start | to.index() as u16))),
            None => targets.iter().for_each(|to| take(Self::normal(from, to, promote))),
        }
    }

    /// Calls `take` for the drops of one kind on each of `targets`.
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
            // Only `from == to == 0` packs to 0.
            None => unreachable!(),
        }
    }

    /// The move of a bit pattern; `None` if the pattern is not a move.
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

    /// The same move to another square. It has to be well formed as well.
    #[inline]
    #[must_use]
    pub const fn with_target(self, to: Square) -> Self {
        match NonZeroU16::new(self.0.get() & !127 | to.index() as u16) {
            Some(bits) => Self(bits),
            None => self,
        }
    }

    /// The same move from the other side: its squares on the board turned by half a circle.
    #[must_use]
    pub fn rotated(self) -> Self {
        let to = self.to().rotated();
        match (self.from(), self.dropped()) {
            (None, Some(kind)) => Self::drop(kind, to),
            (from, _) => {
                let from = from.map_or(to, Square::rotated);
                Self::normal(from, to, self.is_promotion())
            }
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
                let letter = kind.map_or('?', |kind| char::from(HAND_LETTERS[kind.index()]));
                write!(f, "{letter}*{}", self.to())
            }
        }
    }
}

/// The text is not a USI move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{token}' is no move; expected the form 7g7f, 8h2b+ or P*5e")]
pub struct UsiMoveError {
    /// The text, shortened.
    pub token: String,
}

impl FromStr for Move {
    type Err = UsiMoveError;

    /// Reads the form of [`Display`](fmt::Display), that of USI. Legality is not checked.
    fn from_str(text: &str) -> Result<Self, UsiMoveError> {
        read(text.as_bytes()).ok_or_else(|| UsiMoveError { token: clip(text) })
    }
}

fn read(bytes: &[u8]) -> Option<Move> {
    match *bytes {
        [letter, b'*', file, rank] => {
            let kind = HAND_LETTERS.iter().position(|&l| l == letter)?;
            Some(Move::drop(PieceKind::HAND[kind], Square::from_letters(file, rank)?))
        }
        [from_file, from_rank, to_file, to_rank, ref plus @ ..] => {
            let promote = match plus {
                b"" => false,
                b"+" => true,
                _ => return None,
            };
            let from = Square::from_letters(from_file, from_rank)?;
            let to = Square::from_letters(to_file, to_rank)?;
            (from != to).then(|| Move::normal(from, to, promote))
        }
        _ => None,
    }
}

/// The letters of the kinds that are dropped, in their order.
const HAND_LETTERS: &[u8; 7] = b"PLNSGBR";

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
