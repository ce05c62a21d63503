//! What one side attacks: all its steps at once, by moving whole sets, and its sliders one by one.

use crate::shogi::{Bitboard, Color, PieceKind, Position, attacks};

use super::{activity::freedom, sink::Sink};

/// The squares one side attacks, its king apart. Lines go on through the enemy's king: it cannot flee along them.
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
    /// Attacked by the king.
    pub(super) king: Bitboard,
}

/// What a side's sliders go by.
#[derive(Debug, Clone, Copy)]
struct Lines {
    /// What ends a line.
    ends: Bitboard,
    /// Where a slider counts as free to go.
    free: Bitboard,
}

impl Reach {
    /// Adds what some pieces attack, no two of them the same square.
    #[inline]
    fn add(&mut self, squares: Bitboard) {
        self.twice |= self.once & squares;
        self.once |= squares;
    }

    /// Adds what sliders of a kind attack, and puts their freedom into `sink`. Some of them are promoted.
    #[allow(
        clippy::inline_always,
        reason = "what is not inlined into `evaluate` is compiled without the bit instructions that it asks for"
    )]
    #[inline(always)]
    fn slide<S: Sink>(
        &mut self,
        color: Color,
        kinds: [PieceKind; 2],
        sliders: Bitboard,
        promoted: Bitboard,
        lines: Lines,
        sink: &mut S,
    ) {
        for square in sliders {
            let mut kind = kinds[0];
            let mut squares = attacks(kind, color, square, lines.ends);
            if promoted.contains(square) {
                kind = kinds[1];
                squares |= attacks(PieceKind::King, color, square, lines.ends);
            }
            self.add(squares);
            sink.add(freedom(kind, squares & lines.free));
        }
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
        let king = position.king_square(color);
        let (silvers, golds) = (pieces(PieceKind::Silver), position.golds(color));
        let pawns = pieces(PieceKind::Pawn).ahead(color);
        let king = king
            .map_or(Bitboard::EMPTY, |king| attacks(PieceKind::King, color, king, Bitboard::EMPTY));
        let mut reach = Self { once: pawns, twice: Bitboard::EMPTY, pawns, lesser: pawns, king };
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
        let mut ends = position.occupied();
        if let Some(king) = position.king_square(!color) {
            ends = ends.without(king);
        }
        let lines = Lines { ends, free: !(position.of_color(color) | enemy_pawns) };
        let none = Bitboard::EMPTY;
        reach.slide(color, [PieceKind::Lance; 2], pieces(PieceKind::Lance), none, lines, sink);
        reach.lesser = reach.once;
        let horses = pieces(PieceKind::Horse);
        let (bishops, kinds) = (pieces(PieceKind::Bishop), [PieceKind::Bishop, PieceKind::Horse]);
        reach.slide(color, kinds, bishops | horses, horses, lines, sink);
        let dragons = pieces(PieceKind::Dragon);
        let (rooks, kinds) = (pieces(PieceKind::Rook), [PieceKind::Rook, PieceKind::Dragon]);
        reach.slide(color, kinds, rooks | dragons, dragons, lines, sink);
        reach
    }
}
