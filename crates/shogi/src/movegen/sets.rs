//! Legal moves as sets, for a search that lists many moves and makes few of them.

use arrayvec::ArrayVec;

use super::sink::Sink;
use crate::{Bitboard, Color, PieceKind, Square};

/// Legal moves of one origin with different targets. The moves of pawns have different origins as well.
#[derive(Clone, Copy, Debug)]
pub struct MoveSet {
    /// Where the moves come from.
    pub origin: Origin,
    /// Where they go.
    pub targets: Bitboard,
    /// Whether they promote.
    pub promote: bool,
}

/// The origin of the moves of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// One piece.
    Square(Square),
    /// Pawns, each one step ahead.
    Pawns,
    /// The hand.
    Hand(PieceKind),
}

/// Two sets for each of 40 pieces, two for all pawns, and the drops of each kind.
const MOST_SETS: usize = 2 * 40 + 2 + 7;

/// All legal moves of a position, in the order of [`Position::legal_moves`](crate::Position::legal_moves), and
/// their number.
#[derive(Debug, Default)]
pub struct MoveSets {
    /// The sets.
    pub sets: ArrayVec<MoveSet, MOST_SETS>,
    /// The number of moves.
    pub count: usize,
    /// The number of drops among them.
    pub drops: usize,
}

impl MoveSets {
    pub(super) fn clear(&mut self) {
        self.sets.clear();
        self.count = 0;
        self.drops = 0;
    }

    #[inline(always)]
    fn add(&mut self, origin: Origin, targets: Bitboard, promote: bool) {
        if targets.any() {
            self.count += targets.count() as usize;
            self.sets.push(MoveSet { origin, targets, promote });
        }
    }
}

impl Sink for MoveSets {
    #[inline(always)]
    fn moves(&mut self, from: Square, targets: Bitboard, promote: bool) {
        self.add(Origin::Square(from), targets, promote);
    }

    #[inline(always)]
    fn pushes(&mut self, _: Color, targets: Bitboard, promote: bool) {
        self.add(Origin::Pawns, targets, promote);
    }

    #[inline(always)]
    fn drops(&mut self, kind: PieceKind, targets: Bitboard) {
        self.drops += targets.count() as usize;
        self.add(Origin::Hand(kind), targets, false);
    }
}
