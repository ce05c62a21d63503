//! The features that are not part of the running sum: attacks and the safety of the kings.

use kyomi_shogi::{Color, Position};

use super::{
    layout::{TEMPO, View},
    maps::AttackedSquares,
    threats,
    weights::Sink,
    zone,
};

/// Puts the features of each side into its sink, `[color]`.
#[inline(always)]
pub(super) fn all<S: Sink>(position: &Position, sinks: &mut [S; 2]) {
    use Color::{Black, White};
    let [black, white] = sinks;
    let pawns =
        Color::ALL.map(|color| position.pieces(color, kyomi_shogi::PieceKind::Pawn).ahead(color));
    let by_black = AttackedSquares::of(position, Black, pawns[1], black);
    let by_white = AttackedSquares::of(position, White, pawns[0], white);
    side(position, Black, &by_black, &by_white, black);
    side(position, White, &by_white, &by_black, white);
}

#[inline(always)]
fn side<S: Sink>(
    position: &Position,
    color: Color,
    own: &AttackedSquares,
    enemy: &AttackedSquares,
    sink: &mut S,
) {
    let king = position.king_square(color);
    if let Some(king) = king {
        zone::add(position, color, king, View::new(color, Some(king)), own, enemy, sink);
    }
    threats::add(position, color, own, enemy, sink);
    if position.side_to_move() == color {
        sink.add(TEMPO);
    }
}
