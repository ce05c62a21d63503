//! Category Q: moves that weaken the enemy's position.

use super::context::NodeContext;
use super::move_features::MoveFeatures;
use kyomi_shogi::{Bitboard, PieceKind, attacks, between};

/// Q1: a move of a slider after which exactly one enemy piece is between it and a gold, a dearer piece or the king.
/// Loses nothing by exchange.
#[inline]
pub(super) fn pin(context: &NodeContext, m: &MoveFeatures) -> bool {
    if !m.after.slides() || !m.good {
        return false;
    }
    let occupied = m.from.map_or(context.occupied, |from| context.occupied.without(from));
    let aligned = attacks(m.after, context.us, m.to, Bitboard::EMPTY) & context.pin_targets;
    aligned.iter().any(|target| {
        let blockers = between(m.to, target) & occupied;
        let one = blockers.any() && !blockers.more_than_one();
        // If the slider only moves along the line, the piece was pinned before.
        let already = |from| {
            (between(from, target) & context.occupied) == blockers
                && m.before.slides()
                && attacks(m.before, context.us, from, Bitboard::EMPTY).contains(target)
        };
        one && (blockers & context.enemies).any() && !m.from.is_some_and(already)
    })
}

/// Q2: newly covers two squares of the enemy's camp that no own piece covers. Loses nothing by exchange.
#[inline]
pub(super) fn cover_enemy_camp(context: &NodeContext, m: &MoveFeatures) -> bool {
    m.good && (m.new_attacks & context.free_camp).more_than_one()
}

/// Q3: takes away a square that an enemy pawn, knight, silver, bishop or rook could move to, by newly attacking it or
/// by occupying it without loss; or drops a pawn into the line of an enemy slider.
#[inline]
pub(super) fn hinder_development(context: &NodeContext, m: &MoveFeatures) -> bool {
    (m.new_attacks & context.enemy_development_squares).any()
        || m.good && context.enemy_development_squares.contains(m.to)
        || m.from.is_none() && m.before == PieceKind::Pawn && context.lines.contains(m.to)
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn pins() {
        // The silver stands before the king.
        let scene = Scene::new("4k4/5s3/9/9/9/9/9/9/K8 b BG 1");
        scene.assert_makes(pin, &["B*1e", "B*2d"], &["B*1c", "G*5d", "9i9h"]);
        // The lance pins already, on every square of the file.
        let lance = Scene::new("4k4/4s4/9/9/9/9/9/9/K3L4 b - 1");
        lance.assert_makes(pin, &[], &["5i5f"]);
        let other = Scene::new("4k4/4s4/9/9/9/9/9/9/K7R b - 1");
        other.assert_makes(pin, &["1i5i"], &["1i4i", "1i1a+"]);
        // Two pieces between, or an own piece.
        let two = Scene::new("4k4/4s4/4p4/9/9/9/9/9/K7R b - 1");
        two.assert_makes(pin, &[], &["1i5i"]);
        let own = Scene::new("4k4/9/9/4P4/9/9/9/9/K7R b - 1");
        own.assert_makes(pin, &[], &["1i5i"]);
    }

    #[test]
    fn covers_of_the_enemys_camp() {
        let scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b GSP 1");
        scene.assert_makes(cover_enemy_camp, &["G*8d", "S*2d"], &["P*8d", "G*8e", "G*5b"]);
        // The dropped piece is lost.
        let lost = Scene::new("4k4/9/7r1/9/9/9/9/9/4K4 b S 1");
        lost.assert_makes(cover_enemy_camp, &["S*7d"], &["S*2d"]);
    }

    #[test]
    fn hindrances_of_development() {
        // The pawn could go to 8e.
        let scene = Scene::new("4k4/9/9/1p7/9/9/9/9/4K4 b GP 1");
        scene.assert_makes(hinder_development, &["G*8f", "G*7e"], &["G*5f", "5i5h", "P*7f"]);
        // A square occupied at a loss does not count.
        scene.assert_makes(hinder_development, &[], &["P*8e"]);
        // A pawn blocks the rook's line.
        let line = Scene::new("4k4/r8/9/9/9/9/9/9/4K4 b P 1");
        line.assert_makes(hinder_development, &["P*9f"], &["P*8g"]);
    }
}
