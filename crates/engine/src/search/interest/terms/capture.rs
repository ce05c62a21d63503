//! Term 9: captures by their victim.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;

/// The weight of the victim.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    m.captured.map_or(TermWeight::NONE, |victim| scorer.context.weights.capture[victim.index()])
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    const SFEN: &str = "4k4/9/9/9/2p1r4/2P1P4/9/9/4K4 b - 1";

    #[test]
    fn dear_victims_count_more() {
        let scene = Scene::new(SFEN);
        assert_eq!(scene.points("7f7e", Term::Capture), (190, 1));
        assert_eq!(scene.points("5f5e", Term::Capture), (900, 60));
        assert_eq!(scene.points("5i5h", Term::Capture), (0, 0));
        assert_eq!(Scene::of_paper(SFEN).points("5f5e", Term::Capture), (175, 175));
    }
}
