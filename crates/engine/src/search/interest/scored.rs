//! A move with its interest.

use crate::search::see;
use kyomi_shogi::{Move, Position};

/// A legal move with its interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search) struct ScoredMove {
    pub(in crate::search) mv: Move,
    pub(in crate::search) flags: MoveFlags,
    /// Interest, optimistic while the exchange value is pending.
    pub(in crate::search) interest: i32,
    /// Interest if the exchange value turns out to be negative.
    pub(super) bad: i32,
}

/// Properties of a move that are needed after it is scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::search) struct MoveFlags(u8);

impl MoveFlags {
    pub(super) const CAPTURE: u8 = 1;
    pub(super) const CHECK: u8 = 2;
    pub(super) const PROMOTION: u8 = 4;
    /// The exchange value is not computed yet.
    pub(super) const PENDING: u8 = 8;
    /// It loses by exchange.
    const BAD: u8 = 16;

    /// Sets a flag if `is_so`.
    pub(super) fn with(self, flag: u8, is_so: bool) -> Self {
        Self(self.0 | (flag * u8::from(is_so)))
    }

    pub(in crate::search) const fn is_capture(self) -> bool {
        self.0 & Self::CAPTURE != 0
    }

    pub(in crate::search) const fn is_check(self) -> bool {
        self.0 & Self::CHECK != 0
    }

    /// Whether it is neither a capture nor a promotion.
    pub(in crate::search) const fn is_quiet(self) -> bool {
        self.0 & (Self::CAPTURE | Self::PROMOTION) == 0
    }

    /// Whether it loses by exchange. Meaningful only when the exchange value is computed.
    #[cfg(feature = "fit")]
    pub(in crate::search) const fn is_bad(self) -> bool {
        self.0 & Self::BAD != 0
    }
}

impl ScoredMove {
    /// Computes the exchange value if it is pending.
    pub(in crate::search) fn resolve_exchange(&mut self, position: &Position) {
        if self.flags.0 & MoveFlags::PENDING != 0 {
            self.flags.0 &= !MoveFlags::PENDING;
            if !see::is_good(position, self.mv) {
                self.flags.0 |= MoveFlags::BAD;
                self.interest = self.bad;
            }
        }
    }

    /// Its interest if it loses by exchange; `None` if it is known whether it does.
    pub(in crate::search) fn if_bad(&self) -> Option<i32> {
        (self.flags.0 & MoveFlags::PENDING != 0).then_some(self.bad)
    }

    /// Adds to its interest, for both results of the exchange.
    pub(super) fn add(&mut self, interest: i32) {
        self.interest += interest;
        self.bad += interest;
    }
}
