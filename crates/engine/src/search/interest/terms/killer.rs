//! Term 5: killers, quiet moves that cut at another node of this ply.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;

/// The weight of the first killer, or of the second.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    let (weights, killers) = (scorer.context.weights, scorer.context.suggested.killers);
    let code = m.mv.to_bits();
    if code == killers[0] {
        TermWeight::both(weights.killers[0])
    } else if code == killers[1] {
        TermWeight::both(weights.killers[1])
    } else {
        TermWeight::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, mv_of};
    use crate::search::interest::Term;
    use kyomi_shogi::Position;

    #[test]
    fn the_first_killer_counts_more() {
        let mut scene = Scene::new(&Position::startpos().to_sfen());
        scene.suggested.killers = [mv_of("7g7f").to_bits(), mv_of("2g2f").to_bits()];
        assert_eq!(scene.points("7g7f", Term::Killer), (100, 100));
        assert_eq!(scene.points("2g2f", Term::Killer), (60, 60));
        assert_eq!(scene.points("5g5f", Term::Killer), (0, 0));
        scene.parameters.figures = 1;
        assert_eq!(scene.points("2g2f", Term::Killer), (0, 0), "the paper has one killer");
    }
}
