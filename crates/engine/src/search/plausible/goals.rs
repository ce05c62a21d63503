//! Category G: captures and promotions.

use super::context::NodeContext;
use super::move_features::MoveFeatures;

/// G1: takes a piece.
#[inline]
pub(super) fn capture(_: &NodeContext, m: &MoveFeatures) -> bool {
    m.captured.is_some()
}

/// Whether it takes the piece that has just moved.
#[inline]
pub(super) fn recaptures(context: &NodeContext, m: &MoveFeatures) -> bool {
    m.captured.is_some() && context.last_to == Some(m.to)
}

/// G2: promotes.
#[inline]
pub(super) fn promote(_: &NodeContext, m: &MoveFeatures) -> bool {
    m.mv.is_promotion()
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;
    use kyomi_shogi::Square;

    const SFEN: &str = "4k4/9/2p6/2P6/9/9/9/9/4K4 b P 1";

    #[test]
    fn captures() {
        Scene::new(SFEN).assert_makes(capture, &["7d7c", "7d7c+"], &["P*5e", "5i5h"]);
    }

    #[test]
    fn captures_of_the_piece_that_moved() {
        let mut scene = Scene::new(SFEN);
        scene.assert_makes(recaptures, &[], &["7d7c"]);
        scene.last_to = Square::new(7, 3);
        scene.assert_makes(recaptures, &["7d7c"], &["5i5h"]);
    }

    #[test]
    fn promotions() {
        Scene::new(SFEN).assert_makes(promote, &["7d7c+"], &["7d7c", "5i5h"]);
    }
}
