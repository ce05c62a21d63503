//! Term 16: a piece behind a pin, or an attacked piece with a single defender, moves.

use super::super::{move_features::MoveFeatures, scorer::Scorer};
use crate::search::weights::TermWeight;
use kyomi_shogi::{Bitboard, PieceKind, attacks};

/// Own pieces to which another own piece is tied: the king and pieces from gold on behind exactly one own piece on the
/// line of an enemy slider, and attacked pieces with a single defender.
#[inline]
pub(in crate::search::interest) fn targets(scorer: &Scorer<'_>) -> Bitboard {
    if scorer.context.weights.target[PieceKind::King.index()].is_none() {
        return Bitboard::EMPTY;
    }
    all_targets(scorer)
}

#[inline(never)]
fn all_targets(scorer: &Scorer<'_>) -> Bitboard {
    let own = scorer.position.of_color(scorer.us);
    let mut found = Bitboard::EMPTY;
    let kinds =
        [PieceKind::Lance, PieceKind::Bishop, PieceKind::Rook, PieceKind::Horse, PieceKind::Dragon];
    let sliders =
        kinds.iter().fold(Bitboard::EMPTY, |all, kind| all | scorer.position.of_kind(*kind));
    for slider in sliders & scorer.enemies {
        let Some(piece) = scorer.position.piece_on(slider) else { continue };
        let reach = |occupied| attacks(piece.kind(), piece.color(), slider, occupied);
        let seen = reach(scorer.occupied);
        for blocker in seen & own & !scorer.kings() {
            found |= reach(scorer.occupied.without(blocker)) & !seen & own & dear(scorer);
        }
    }
    for square in own & scorer.maps.them.all & !scorer.kings() {
        let defenders = scorer.position.attackers_of(scorer.us, square, scorer.occupied);
        if defenders.count() == 1 {
            found = found.with(square);
        }
    }
    found
}

/// The weight of a move of such a piece.
#[inline]
pub(in crate::search::interest) fn weight(scorer: &Scorer<'_>, m: &MoveFeatures) -> TermWeight {
    match m.from {
        Some(from) if scorer.targets.contains(from) => {
            scorer.context.weights.target[m.before.index()]
        }
        _ => TermWeight::NONE,
    }
}

/// Own pieces of the highest class, and the king.
fn dear(scorer: &Scorer<'_>) -> Bitboard {
    scorer.maps.us.pieces[3] | scorer.kings()
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use crate::search::interest::Term;

    #[test]
    fn the_piece_behind_a_pin_counts_by_its_value() {
        // The bishop's line goes through the silver to the rook.
        let sfen = "4k4/9/2b6/9/4S4/5R3/9/9/K8 b - 1";
        let mut scene = Scene::new(sfen);
        assert_eq!(scene.points("4f4h", Term::Target), (1750 / 40, 0));
        assert_eq!(scene.points("5e5d", Term::Target), (0, 0));
        assert_eq!(Scene::of_paper(sfen).points("4f4h", Term::Target), (175, 175));
        scene.parameters.target = 0;
        assert_eq!(scene.points("4f4h", Term::Target), (0, 0));
    }

    #[test]
    fn the_piece_with_one_defender_counts() {
        let one = Scene::new("4k4/9/9/4r4/9/4S4/4G4/9/K8 b - 1");
        assert_eq!(one.points("5f6e", Term::Target), (860 / 40, 0));
        let two = Scene::new("4k4/9/9/4r4/9/4S4/3GG4/9/K8 b - 1");
        assert_eq!(two.points("5f6e", Term::Target), (0, 0));
    }
}
