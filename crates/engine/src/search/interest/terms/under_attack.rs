//! Term 12: the moved piece is under attack.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;
use kyomi_shogi::PieceKind;

/// The weight of a move of a piece that hangs or could be exchanged. With the weights of the paper every piece but the
/// king that is attacked counts as if it hung.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    let weights = scorer.context.weights;
    match m.from {
        Some(from) if scorer.hanging.contains(from) => weights.hangs[m.before.index()],
        Some(from) if scorer.maps.them.all.contains(from) => {
            if weights.attacked_counts_as_hanging && m.before != PieceKind::King {
                return weights.hangs[m.before.index()];
            }
            TermWeight::good(weights.even_exchange)
        }
        _ => TermWeight::NONE,
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn a_hanging_piece_counts_more_than_an_even_exchange() {
        // A pawn attacks the gold; the silver stands against a silver and is guarded.
        let sfen = "4k4/9/9/2p6/2G2s3/5S3/5G3/9/4K4 b - 1";
        let scene = Scene::new(sfen);
        assert_eq!(scene.points("7e8e", Term::UnderAttack), (380, 4));
        assert_eq!(scene.points("4f3e", Term::UnderAttack), (7, 0));
        assert_eq!(scene.points("5i5h", Term::UnderAttack), (0, 0));
        assert_eq!(Scene::of_paper(sfen).points("7e8e", Term::UnderAttack), (103, 103));
        assert_eq!(Scene::of_paper(sfen).points("4f3e", Term::UnderAttack), (86, 86));
        let in_check = Scene::of_paper("4r3k/9/9/9/9/9/9/9/4K4 b - 1");
        assert_eq!(in_check.points("5i4i", Term::UnderAttack), (0, 0), "a king is in check");
    }
}
