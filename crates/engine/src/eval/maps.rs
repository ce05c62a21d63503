//! The attacks of one side. Steps are computed for all pieces at once by shifting sets, and sliders one by one, with their mobility.

use kyomi_shogi::{Bitboard, Color, PieceKind, Position, attacks};

use super::{
    layout::{FREE, MOBILITY},
    weights::Sink,
};

/// The squares that one side attacks, with those of its king separate. Lines continue through the enemy's king, since
/// it cannot escape along them.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttackedSquares {
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

/// The sets that limit the lines of a side's sliders.
#[derive(Debug, Clone, Copy)]
struct Lines {
    /// Pieces that end a line.
    ends: Bitboard,
    /// Squares that count as free for a slider.
    free: Bitboard,
}

impl AttackedSquares {
    /// Adds the squares that some pieces attack. No two of these pieces attack the same square.
    #[inline]
    fn add(&mut self, squares: Bitboard) {
        self.twice |= self.once & squares;
        self.once |= squares;
    }

    /// Adds the squares that sliders attack, and puts their mobility into `sink`. Those in `promoted` are of
    /// `kinds[1]`, the others of `kinds[0]`.
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
            sink.add(mobility(kind, squares & lines.free));
        }
    }

    /// The attacks of a side. `enemy_pawns` are the squares that enemy pawns attack. The mobility of the sliders is put
    /// into `sink`.
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
        let mut side_attacks =
            Self { once: pawns, twice: Bitboard::EMPTY, pawns, lesser: pawns, king };
        // Two steps in the same direction never reach the same square, so that one shift serves all pieces with that
        // step.
        let (ahead, back) = ((golds | silvers).ahead(color), silvers.ahead(!color));
        side_attacks.add(ahead);
        for squares in [ahead, golds, back] {
            side_attacks.add(squares.left());
            side_attacks.add(squares.right());
        }
        side_attacks.add(golds.ahead(!color));
        let knights = pieces(PieceKind::Knight);
        if knights.any() {
            let two_ahead = knights.ahead(color).ahead(color);
            side_attacks.add(two_ahead.left());
            side_attacks.add(two_ahead.right());
        }
        let mut ends = position.occupied();
        if let Some(king) = position.king_square(!color) {
            ends = ends.without(king);
        }
        let lines = Lines { ends, free: !(position.of_color(color) | enemy_pawns) };
        let none = Bitboard::EMPTY;
        side_attacks.slide(
            color,
            [PieceKind::Lance; 2],
            pieces(PieceKind::Lance),
            none,
            lines,
            sink,
        );
        side_attacks.lesser = side_attacks.once;
        let horses = pieces(PieceKind::Horse);
        let (bishops, kinds) = (pieces(PieceKind::Bishop), [PieceKind::Bishop, PieceKind::Horse]);
        side_attacks.slide(color, kinds, bishops | horses, horses, lines, sink);
        let dragons = pieces(PieceKind::Dragon);
        let (rooks, kinds) = (pieces(PieceKind::Rook), [PieceKind::Rook, PieceKind::Dragon]);
        side_attacks.slide(color, kinds, rooks | dragons, dragons, lines, sink);
        side_attacks
    }
}

/// The feature of a slider that can go to `squares`.
#[inline]
fn mobility(kind: PieceKind, squares: Bitboard) -> usize {
    let row = match kind {
        PieceKind::Lance => 0,
        PieceKind::Bishop => 1,
        PieceKind::Rook => 2,
        PieceKind::Horse => 3,
        _ => 4,
    };
    MOBILITY + row * FREE + (squares.count() as usize).min(FREE - 1)
}
