//! Which move of a node comes next: the largest effective interest, which is interest less what similar moves
//! already searched take away.

use super::attack_maps::AttackMaps;
use super::interest::{InterestList, Scored, Surroundings};
use super::memory::origin;
use crate::shogi::{Bitboard, Move, PieceKind, Position};

/// The unsearched moves of a node.
#[derive(Debug, Default)]
pub(crate) struct Picker {
    list: InterestList,
    /// Effective interest as last known (it only falls) over the move code turned round, so that of equals the
    /// smaller code is the larger key.
    keys: Vec<u64>,
    hash: Option<Move>,
    searched: Searched,
}

/// A move to search next.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Picked {
    pub(crate) scored: Scored,
    /// Effective interest.
    pub(crate) interest: i32,
}

impl Picker {
    /// Becomes the moves of a position, without the one that was searched already.
    pub(crate) fn fill(
        &mut self,
        position: &Position,
        maps: &AttackMaps,
        around: &Surroundings<'_>,
        done: Option<Move>,
    ) {
        self.list.fill(position, maps, around);
        self.hash = around.hash;
        self.searched = Searched::default();
        if let Some(done) = done
            && let Some(at) = self.list.moves.iter().position(|scored| scored.mv == done)
        {
            let scored = self.list.moves.swap_remove(at);
            let traits = scored.traits;
            self.searched.note(position, done, traits.is_capture(), traits.is_check());
        }
        self.keys.clear();
        self.keys.extend(self.list.moves.iter().map(|scored| key(scored.interest, scored.mv)));
    }

    /// The sum of the interest of all legal moves.
    pub(crate) fn sum(&self) -> i64 {
        self.list.sum
    }

    /// The interest of a hash move at this node.
    pub(crate) fn hash_interest(&self) -> i32 {
        self.list.hash_interest
    }

    /// How many moves are left, the reserve not counted.
    pub(crate) fn len(&self) -> usize {
        self.list.moves.len()
    }

    /// The next move of the reserve.
    pub(crate) fn next_in_reserve(&mut self) -> Option<Move> {
        self.list.reserve.pop()
    }

    /// Takes out the move of largest effective interest.
    pub(crate) fn next(&mut self, position: &Position) -> Option<Picked> {
        loop {
            let at = self.front()?;
            let scored = &mut self.list.moves[at];
            scored.settle(position);
            let interest = if Some(scored.mv) == self.hash {
                scored.interest
            } else {
                self.searched.effective(position, scored)
            };
            let now = key(interest, scored.mv);
            if now == self.keys[at] {
                self.keys.swap_remove(at);
                return Some(Picked { scored: self.list.moves.swap_remove(at), interest });
            }
            self.keys[at] = now;
        }
    }

    /// A move has been searched: moves like it become less interesting.
    pub(crate) fn note(&mut self, position: &Position, mv: Move, capture: bool, check: bool) {
        self.searched.note(position, mv, capture, check);
    }

    fn front(&self) -> Option<usize> {
        let mut best = None;
        let mut best_key = 0;
        for (at, &key) in self.keys.iter().enumerate() {
            if key > best_key {
                best_key = key;
                best = Some(at);
            }
        }
        best
    }
}

fn key(interest: i32, mv: Move) -> u64 {
    (interest.max(1) as u64) << 16 | u64::from(u16::MAX - mv.to_bits())
}

/// What has been searched at a node.
#[derive(Debug)]
struct Searched {
    /// `[kind]`
    drops: [u8; 7],
    checks: u8,
    /// Squares captured on.
    captured_on: Bitboard,
    /// Origins of moves, `[square]`.
    movers: [u8; 81],
    /// Squares interposed on, and kinds interposed, in check.
    interposed_on: Bitboard,
    interposed: u16,
}

impl Default for Searched {
    fn default() -> Self {
        Self {
            drops: [0; 7],
            checks: 0,
            captured_on: Bitboard::EMPTY,
            movers: [0; 81],
            interposed_on: Bitboard::EMPTY,
            interposed: 0,
        }
    }
}

impl Searched {
    fn note(&mut self, position: &Position, mv: Move, capture: bool, check: bool) {
        self.checks = self.checks.saturating_add(u8::from(check));
        if capture {
            self.captured_on = self.captured_on.with(mv.to());
        }
        let kind = moving_kind(position, mv);
        match mv.dropped() {
            Some(kind) => self.drops[kind.index()] = self.drops[kind.index()].saturating_add(1),
            None => self.movers[origin(mv) % 81] = self.movers[origin(mv) % 81].saturating_add(1),
        }
        if position.in_check() && !capture && kind != PieceKind::King {
            self.interposed_on = self.interposed_on.with(mv.to());
            self.interposed |= 1 << kind.index();
        }
    }

    /// Interest times the factors of similar moves.
    fn effective(&self, position: &Position, scored: &Scored) -> i32 {
        let (mv, traits) = (scored.mv, scored.traits);
        let mut interest = scored.interest;
        let first_check = traits.is_check() && self.checks == 0;
        if let Some(kind) = mv.dropped()
            && !first_check
        {
            interest = match self.drops[kind.index()] {
                0 => interest,
                1 => interest / 2,
                2 => interest / 3,
                _ => interest / 5,
            };
        }
        if traits.is_check() {
            interest = match self.checks {
                0 => interest,
                1 | 2 => interest * 7 / 10,
                _ => interest / 2,
            };
        }
        if traits.is_capture() {
            if self.captured_on.contains(mv.to()) {
                interest = interest * 3 / 5;
            }
        } else if mv.from().is_some() && traits.is_quiet() && self.movers[origin(mv) % 81] >= 2 {
            interest = interest * 7 / 10;
        }
        if position.in_check() && !traits.is_capture() {
            let kind = moving_kind(position, mv);
            if kind != PieceKind::King
                && (self.interposed_on.contains(mv.to())
                    || self.interposed >> kind.index() & 1 != 0)
            {
                interest /= 4;
            }
        }
        interest.max(1)
    }
}

fn moving_kind(position: &Position, mv: Move) -> PieceKind {
    match (mv.dropped(), mv.from().and_then(|from| position.piece_on(from))) {
        (Some(kind), _) => kind,
        (None, Some(piece)) => piece.kind(),
        (None, None) => PieceKind::Pawn,
    }
}
