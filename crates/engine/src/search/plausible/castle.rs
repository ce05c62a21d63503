//! The usual castles, and the one that a king is nearest to.

use kyomi_shogi::{Bitboard, Color, PieceKind, Position, Square};

/// The places of the pieces of a castle.
#[derive(Debug)]
pub(super) struct Castle {
    pub(super) king: Square,
    /// `[kind]`: the places of lances, knights, silvers, golds and the king.
    places: [Bitboard; PieceKind::King.index() + 1],
}

impl Castle {
    /// The places for a kind.
    pub(super) fn places(&self, kind: PieceKind) -> Bitboard {
        self.places.get(kind.index()).copied().unwrap_or(Bitboard::EMPTY)
    }

    /// Number of pieces of a side that are in their places.
    fn built(&self, position: &Position, color: Color) -> u32 {
        let kinds = PieceKind::ALL.into_iter().take(self.places.len());
        kinds.map(|kind| (position.pieces(color, kind) & self.places(kind)).count()).sum()
    }
}

/// The castle whose king's place is nearest to `king`. Of equally near ones it is the one with the most pieces in
/// place.
pub(super) fn nearest_castle(
    position: &Position,
    color: Color,
    king: Square,
) -> Option<&'static Castle> {
    let castles = CASTLES[color.index()].iter();
    let order =
        |castle: &&Castle| (king.distance(castle.king), u32::MAX - castle.built(position, color));
    castles.min_by_key(order)
}

/// Pieces and their squares as (file, rank), for black.
type Plan = &'static [(PieceKind, u8, u8)];

const PLANS: [Plan; 5] = {
    use PieceKind::{Gold as G, King as K, Knight as N, Lance as L, Silver as S};
    [
        // Yagura, mino, anaguma, gangi, kin-muso.
        &[(K, 8, 8), (G, 7, 8), (G, 6, 7), (S, 7, 7)],
        &[(K, 2, 8), (G, 4, 9), (G, 5, 8), (S, 3, 8)],
        &[(K, 9, 9), (L, 9, 8), (N, 8, 9), (S, 8, 8), (G, 7, 9), (G, 7, 8)],
        &[(K, 6, 9), (G, 7, 8), (G, 5, 8), (S, 6, 7), (S, 5, 7)],
        &[(K, 3, 8), (G, 4, 8), (G, 5, 8), (S, 2, 8)],
    ]
};

/// `[side]`: all castles and their mirror images.
static CASTLES: [[Castle; 2 * PLANS.len()]; 2] = [castles(Color::Black), castles(Color::White)];

const fn castles(color: Color) -> [Castle; 2 * PLANS.len()] {
    const NONE: Castle = Castle { king: FIRST, places: [Bitboard::EMPTY; 8] };
    let mut all = [NONE; 2 * PLANS.len()];
    let mut i = 0;
    while i < all.len() {
        let plan = PLANS[i / 2];
        let mut piece = 0;
        while piece < plan.len() {
            let (kind, file, rank) = plan[piece];
            let file = if i % 2 == 0 { file } else { 10 - file };
            let square = match Square::new(file, rank) {
                Some(square) if matches!(color, Color::Black) => square,
                Some(square) => square.rotated(),
                None => FIRST,
            };
            all[i].places[kind.index()] = all[i].places[kind.index()].with(square);
            if matches!(kind, PieceKind::King) {
                all[i].king = square;
            }
            piece += 1;
        }
        i += 1;
    }
    all
}

const FIRST: Square = match Square::from_index(0) {
    Some(square) => square,
    None => unreachable!(),
};

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;

    #[test]
    fn castles_are_turned_for_white() {
        let white = Scene::new("6g2/7k1/9/9/9/9/9/9/4K4 w s 1");
        white.read("S*1d", |context, _| {
            // Yagura or anaguma, mirrored, turned round.
            assert_eq!(context.castle.unwrap().king, context.king.unwrap());
        });
    }
}
