//! What both sides attack, by the price of the cheapest attacker.

use crate::{
    eval::victim_class,
    shogi::{Bitboard, Color, PieceKind, Position, attacks_of_all},
};

/// The squares one side attacks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SideMap {
    /// `[class]`: attacked by a piece of at most this victim class; the last one holds all but the king's.
    up_to: [Bitboard; 4],
    /// Attacked by anything, the king too.
    pub(crate) all: Bitboard,
    /// Own pieces by victim class, the king left out.
    pub(crate) pieces: [Bitboard; 4],
}

impl SideMap {
    fn of(position: &Position, color: Color) -> Self {
        let occupied = position.occupied();
        let mut by_class = [Bitboard::EMPTY; 4];
        let mut pieces_of = [Bitboard::EMPTY; 4];
        let mut all = Bitboard::EMPTY;
        for kind in PieceKind::ALL {
            let pieces = position.pieces(color, kind);
            if pieces.is_empty() {
                continue;
            }
            let reached = attacks_of_all(kind, color, pieces, occupied);
            if kind == PieceKind::King {
                all |= reached;
            } else {
                by_class[victim_class(kind)] |= reached;
                pieces_of[victim_class(kind)] |= pieces;
            }
        }
        let mut up_to = by_class;
        for class in 1..4 {
            up_to[class] |= up_to[class - 1];
        }
        Self { up_to, all: all | up_to[3], pieces: pieces_of }
    }

    /// Squares attacked by a piece of a class below this one.
    pub(crate) fn by_cheaper(&self, class: usize) -> Bitboard {
        if class == 0 { Bitboard::EMPTY } else { self.up_to[class - 1] }
    }
}

/// Attacks of the side to move and of the other side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AttackMaps {
    pub(crate) us: SideMap,
    pub(crate) them: SideMap,
}

impl AttackMaps {
    pub(crate) fn of(position: &Position) -> Self {
        let us = position.side_to_move();
        Self { us: SideMap::of(position, us), them: SideMap::of(position, !us) }
    }

    /// Own pieces that hang: attacked, and either not guarded or attacked by something cheaper.
    pub(crate) fn hanging(&self) -> Bitboard {
        let loose = self.them.all & !self.us.all;
        let mut hanging = Bitboard::EMPTY;
        for class in 0..4 {
            hanging |= self.us.pieces[class] & (loose | self.them.by_cheaper(class));
        }
        hanging
    }
}
