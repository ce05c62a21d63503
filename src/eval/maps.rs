//! What one side attacks: all its steps at once, by moving whole sets, and its sliders one by one.

use crate::shogi::{Bitboard, Color, PieceKind, Position, attacks};

use super::activity;
use super::terms::Sink;

/// The squares one side attacks, its king left out. Lines go on through the enemy's king: it cannot flee along them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// Attacked.
    pub(super) once: Bitboard,
    /// Attacked by two pieces or more.
    pub(super) twice: Bitboard,
    /// Attacked by a pawn.
    pub(super) pawns: Bitboard,
    /// Attacked by a pawn, lance, knight, silver or a piece that moves as a gold.
    pub(super) lesser: Bitboard,
}

impl Reach {
    /// Adds what the sliders of a kind attack, and puts their freedom into `sink`.
    #[allow(
        clippy::inline_always,
        reason = "what is not inlined into `evaluate` is compiled without the bit instructions that it asks for"
    )]
    #[inline(always)]
    fn slide<S: Sink>(
        &mut self,
        position: &Position,
        color: Color,
        kind: PieceKind,
        open: Bitboard,
        barred: Bitboard,
        sink: &mut S,
    ) {
        for square in position.pieces(color, kind) {
            let squares = attacks(kind, color, square, open);
            self.add(squares);
            sink.add(activity::freedom(kind, squares & !barred));
        }
    }

    /// Adds what some pieces attack, no two of them the same square.
    #[inline]
    fn add(&mut self, squares: Bitboard) {
        self.twice |= self.once & squares;
        self.once |= squares;
    }

    /// What a side attacks. `enemy_pawns` are the squares that enemy pawns attack; the freedom of the sliders is put
    /// into `sink` on the way.
    #[allow(
        clippy::inline_always,
        reason = "what is not inlined into `evaluate` is compiled without the bit instructions that it asks for"
    )]
    #[inline(always)]
    pub(super) fn of<S: Sink>(
        position: &Position,
        color: Color,
        enemy_pawns: Bitboard,
        sink: &mut S,
    ) -> Self {
        let pieces = |kind: PieceKind| position.pieces(color, kind);
        let (silvers, golds) = (pieces(PieceKind::Silver), position.golds(color));
        let mut open = position.occupied();
        if let Some(king) = position.king_square(!color) {
            open = open.without(king);
        }
        let barred = position.of_color(color) | enemy_pawns;
        let pawns = pieces(PieceKind::Pawn).ahead(color);
        let mut reach = Self { once: pawns, twice: Bitboard::EMPTY, pawns, lesser: pawns };
        // No two steps of one direction meet, so that each direction counts once for all pieces that take it.
        let (ahead, back) = ((golds | silvers).ahead(color), silvers.ahead(!color));
        reach.add(ahead);
        for squares in [ahead, golds, back] {
            reach.add(squares.left());
            reach.add(squares.right());
        }
        reach.add(golds.ahead(!color));
        let knights = pieces(PieceKind::Knight);
        if knights.any() {
            let two_ahead = knights.ahead(color).ahead(color);
            reach.add(two_ahead.left());
            reach.add(two_ahead.right());
        }
        let mut slide =
            |reach: &mut Self, kind| reach.slide(position, color, kind, open, barred, sink);
        slide(&mut reach, PieceKind::Lance);
        reach.lesser = reach.once;
        slide(&mut reach, PieceKind::Bishop);
        slide(&mut reach, PieceKind::Rook);
        slide(&mut reach, PieceKind::Horse);
        slide(&mut reach, PieceKind::Dragon);
        reach
    }
}
