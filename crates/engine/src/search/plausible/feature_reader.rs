//! Computes the data of the moves of a node that the generators read.

use super::context::NodeContext;
use super::move_data::MoveData;
use super::squares::{places, points};
use crate::eval::capture_value;
use crate::search::see::{gain, is_good};
use kyomi_shogi::{Bitboard, Move, Piece, PieceKind, Position, Square, attacks};

/// Computes the [`MoveData`] of the moves of a node. It is faster if the moves of a piece are read one after the
/// other.
pub(super) struct FeatureReader<'a> {
    context: &'a NodeContext,
    /// The piece whose moves are being read.
    moved_piece: MovedPiece,
}

/// The data that all moves of one piece share.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MovedPiece {
    square: Option<Square>,
    attacked: Bitboard,
    /// Squares that own sliders would newly attack if the piece were removed.
    opened: Bitboard,
}

impl<'a> FeatureReader<'a> {
    pub(super) fn new(context: &'a NodeContext) -> Self {
        Self::with(context, MovedPiece::default())
    }

    /// A reader that knows a piece of the node already.
    pub(super) fn with(context: &'a NodeContext, moved_piece: MovedPiece) -> Self {
        Self { context, moved_piece }
    }

    /// The piece whose moves were read last.
    pub(super) fn moved_piece(&self) -> MovedPiece {
        self.moved_piece
    }

    /// The features of a legal move.
    pub(super) fn read(&mut self, mv: Move) -> MoveData {
        let (mut features, safe) = self.read_without_exchange(mv);
        features.good = safe || is_good(&self.context.position, mv);
        features.learned = points(places(self.context, &features));
        features
    }

    /// The features of a legal move without its exchange value and its learned points, and whether it cannot lose
    /// anything by exchange.
    pub(super) fn read_without_exchange(&mut self, mv: Move) -> (MoveData, bool) {
        let context = self.context;
        let position = &context.position;
        let (to, from) = (mv.to(), mv.from());
        let piece = from.and_then(|from| position.piece_on(from));
        if let (Some(from), Some(piece)) = (from, piece)
            && self.moved_piece.square != Some(from)
        {
            self.moved_piece = MovedPiece {
                square: Some(from),
                attacked: attacks(piece.kind(), context.us, from, context.occupied),
                opened: behind(context, from, context.occupied.without(from)),
            };
        }
        let (before, after) = kinds_of(position, mv);
        let (attacked, opened, occupied) = match from {
            Some(from) => {
                let occupied = context.occupied.without(from).with(to);
                // The piece may still block the line on its new square.
                let opened = if self.moved_piece.opened.contains(to) {
                    behind(context, from, occupied)
                } else {
                    self.moved_piece.opened
                };
                (self.moved_piece.attacked, opened, occupied)
            }
            None => (Bitboard::EMPTY, Bitboard::EMPTY, context.occupied.with(to)),
        };
        let reach = attacks(after, context.us, to, occupied);
        let new_attacks = reach & !attacked;
        let new_attacks = from.map_or(new_attacks, |from| new_attacks.without(from));
        let safe = !context.theirs.all.contains(to)
            || before == PieceKind::King
            || gain(position, mv) >= capture_value(after);
        let features = MoveData {
            mv,
            to,
            from,
            before,
            after,
            captured: position.piece_on(to).map(Piece::kind),
            good: false,
            attacked,
            reach,
            new_attacks,
            opened,
            learned: 0,
        };
        (features, safe)
    }
}

/// The kinds of the moved piece before and after a move.
pub(super) fn kinds_of(position: &Position, mv: Move) -> (PieceKind, PieceKind) {
    let before = match mv.from().and_then(|from| position.piece_on(from)) {
        Some(piece) => piece.kind(),
        None => mv.dropped().unwrap_or(PieceKind::Pawn),
    };
    let after = if mv.is_promotion() { before.promoted().unwrap_or(before) } else { before };
    (before, after)
}

/// Squares that own sliders which aim at `square` newly attack if the occupied squares are `occupied`.
fn behind(context: &NodeContext, square: Square, occupied: Bitboard) -> Bitboard {
    let position = &context.position;
    let own = position.sliders_aiming(context.us, square);
    let mut found = Bitboard::EMPTY;
    for slider in Position::open_to(square, own, context.occupied) {
        if let Some(piece) = position.piece_on(slider) {
            let reach = |occupied| attacks(piece.kind(), context.us, slider, occupied);
            found |= reach(occupied) & !reach(context.occupied);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    fn square(file: u8, rank: u8) -> Square {
        Square::new(file, rank).unwrap()
    }

    #[test]
    fn features_include_new_attacks_and_opened_lines() {
        let scene = Scene::new("8k/9/4s4/9/4G4/9/9/4R4/K8 b - 1");
        scene.read("5e6e", |_, features| {
            assert!(
                features.opened.contains(square(5, 3)) && features.opened.contains(square(5, 4))
            );
            assert!(!features.opened.contains(square(5, 6)), "attacked before");
            assert!(
                features.new_attacks.contains(square(7, 5))
                    && !features.new_attacks.contains(square(5, 5))
            );
            assert!(!features.new_attacks.contains(square(6, 4)), "attacked before");
        });
        scene.read("5e5d", |_, features| {
            assert!(features.opened.contains(square(5, 4)), "the gold is guarded there");
            assert!(!features.opened.contains(square(5, 3)), "and stands in the way");
        });
    }

    #[test]
    fn good_is_what_loses_nothing_by_exchange() {
        let scene = Scene::new("4k4/9/9/2p6/9/9/9/9/4K4 b GP 1");
        scene.read("G*7e", |_, features| assert!(!features.good));
        scene.read("G*6e", |_, features| assert!(features.good));
        scene.read("P*7e", |_, features| assert!(!features.good));
    }
}
