//! Term 14: promotions.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;
use kyomi_shogi::PieceKind;

/// The weight of a promotion, by the piece: pawn, bishop or rook, or another.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    if !m.mv.is_promotion() {
        return TermWeight::NONE;
    }
    scorer.context.weights.promotion[match m.before {
        PieceKind::Pawn => 0,
        PieceKind::Bishop | PieceKind::Rook => 1,
        _ => 2,
    }]
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn pawns_gain_most() {
        let sfen = "8k/9/9/P1B1S4/9/9/9/9/4K4 b - 1";
        let scene = Scene::new(sfen);
        assert_eq!(scene.points("9d9c+", Term::Promotion), (300, 50));
        assert_eq!(scene.points("7d8c+", Term::Promotion), (150, 10));
        assert_eq!(scene.points("5d5c+", Term::Promotion), (60, 10));
        assert_eq!(scene.points("5d5c", Term::Promotion), (0, 0));
        assert_eq!(Scene::of_paper(sfen).points("5d5c+", Term::Promotion), (100, 100));
    }
}
