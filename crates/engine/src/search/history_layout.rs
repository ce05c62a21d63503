//! The places of moves in the tables of history.

use kyomi_shogi::{Color, Move};

/// `[side][origin][target]`, with a separate allocation for each side.
pub(super) type BySide<T> = [Box<[[T; 81]; ORIGINS]>; 2];
/// 81 squares and seven kinds in hand.
pub(super) const ORIGINS: usize = 88;
/// History values stay within `±HISTORY_MAX`.
pub(crate) const HISTORY_MAX: i32 = 16_384;

/// The place of a quiet move in the tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) side: usize,
    pub(super) origin: usize,
    pub(super) to: usize,
}

impl Slot {
    pub(super) fn of(side: Color, mv: Move) -> Self {
        Self { side: side.index(), origin: origin(mv), to: mv.to().index() }
    }
}

pub(super) fn zeroed<T: Default + Copy>() -> BySide<T> {
    std::array::from_fn(|_| Box::new([[T::default(); 81]; ORIGINS]))
}

/// The origin of a move: a square, or 81 and more for a kind in hand.
#[inline]
pub(crate) fn origin(mv: Move) -> usize {
    usize::from(mv.to_bits() >> 7 & 127)
}
