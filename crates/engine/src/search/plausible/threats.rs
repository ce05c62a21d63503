//! Categories G and T: captures and promotions, and moves that threaten something.

use super::context::NodeContext;
use super::move_data::MoveData;
use kyomi_shogi::{Bitboard, PieceKind, Square};

/// G1: takes a piece.
#[inline]
pub(super) fn capture(_: &NodeContext, m: &MoveData) -> bool {
    m.captured.is_some()
}

/// Whether it takes the piece that has just moved.
#[inline]
pub(super) fn recaptures(context: &NodeContext, m: &MoveData) -> bool {
    m.captured.is_some() && context.last_to == Some(m.to)
}

/// G2: promotes.
#[inline]
pub(super) fn promote(_: &NodeContext, m: &MoveData) -> bool {
    m.mv.is_promotion()
}

/// T1: gives check, directly or by discovery.
#[inline]
pub(super) fn check(context: &NodeContext, m: &MoveData) -> bool {
    context.enemy_king.is_some_and(|king| m.reach.contains(king) || m.opened.contains(king))
}

/// T2: newly attacks the enemy king's zone, lands in it, or is dropped within two squares of the king.
#[inline]
pub(super) fn attack_king(context: &NodeContext, m: &MoveData) -> bool {
    let near = |king: Square| m.from.is_none() && king.distance(m.to) <= 2;
    (m.new_attacks & context.enemy_zone).any()
        || context.enemy_zone.contains(m.to)
        || context.enemy_king.is_some_and(near)
}

/// T3: newly attacks a piece that is dearer, undefended, or had no more defenders than attackers before the move; or
/// drops a pawn in front of a piece.
#[inline]
pub(super) fn attack_material(context: &NodeContext, m: &MoveData) -> bool {
    material(context, m).any()
}

/// The pieces that a move attacks in the sense of T3.
#[inline]
pub(super) fn material(context: &NodeContext, m: &MoveData) -> Bitboard {
    let attacked = if m.mv.is_promotion() { m.reach } else { m.new_attacks } & !context.kings();
    if m.from.is_none() && m.before == PieceKind::Pawn {
        return attacked & context.enemies;
    }
    attacked & (context.dearer_than(m.after) | context.loose | context.weak)
}

/// T4: opens the line of an own slider onto the enemy king's zone, a piece other than a pawn, or an undefended piece.
#[inline]
pub(super) fn discovered_attack(context: &NodeContext, m: &MoveData) -> bool {
    if m.opened.is_empty() {
        return false;
    }
    let dear = context.dearer_than(PieceKind::Pawn);
    let enemies = (dear | context.loose).without(m.to);
    (m.opened & (context.enemy_zone | enemies)).any()
}

/// T5: threatens to promote on a square that is undefended or that other own pieces support, without loss by exchange;
/// or opens the line of an own slider into the camp.
#[inline]
pub(super) fn threaten_promotion(context: &NodeContext, m: &MoveData) -> bool {
    let camp = context.far_camp();
    if m.opened.any() && (m.opened & camp & !context.own).any() {
        return true;
    }
    if !m.good || m.after.promoted().is_none() {
        return false;
    }
    let targets = if camp.contains(m.to) { m.reach } else { m.reach & camp } & !context.own;
    let ours = &context.ours;
    let supported = ours.counts.several() | (ours.all & !m.attacked);
    (targets & (!context.theirs.all | supported)).any()
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    const TAKES: &str = "4k4/9/2p6/2P6/9/9/9/9/4K4 b P 1";

    #[test]
    fn captures() {
        Scene::new(TAKES).assert_makes(capture, &["7d7c", "7d7c+"], &["P*5e", "5i5h"]);
    }

    #[test]
    fn captures_of_the_piece_that_moved() {
        let mut scene = Scene::new(TAKES);
        scene.assert_makes(recaptures, &[], &["7d7c"]);
        scene.last_to = Square::new(7, 3);
        scene.assert_makes(recaptures, &["7d7c"], &["5i5h"]);
    }

    #[test]
    fn promotions() {
        Scene::new(TAKES).assert_makes(promote, &["7d7c+"], &["7d7c", "5i5h"]);
    }

    #[test]
    fn checks() {
        // The rook attacks the king when the gold leaves the file.
        let scene = Scene::new("4k4/9/9/9/4G4/9/9/4R4/K8 b GN 1");
        scene.assert_makes(check, &["5e6e", "G*5b", "G*4b", "N*4c"], &["5e5d", "G*5c", "N*5d"]);
    }

    #[test]
    fn attacks_on_the_king() {
        let scene = Scene::new("4k4/9/9/9/5S3/9/9/9/4K4 b GNP 1");
        scene.assert_makes(attack_king, &["G*5c", "G*3c", "G*6b", "P*4c"], &["4e4d", "G*5d"]);
    }

    #[test]
    fn attacks_on_material() {
        let scene = Scene::new("4k4/9/9/2s3g2/9/2P6/9/9/4K4 b PS 1");
        scene.assert_makes(attack_material, &["7f7e", "P*3e", "S*4e"], &["P*5e", "5i5h"]);
        // A guarded pawn is no target for a silver, but it is one for a pawn dropped before it.
        let guarded = Scene::new("4k4/9/9/4g4/4p4/9/9/9/4K4 b SP 1");
        guarded.assert_makes(attack_material, &["P*5f"], &["S*5f"]);
        // Attacked once and defended once: a second attacker wins it.
        let once = Scene::new("4k4/9/9/4g4/4p4/9/9/4R4/4K4 b S 1");
        once.assert_makes(attack_material, &["S*5f"], &["S*1f"]);
    }

    #[test]
    fn discovered_attacks() {
        let scene = Scene::new("8k/9/4s4/9/4G4/9/9/4R4/K8 b - 1");
        scene.assert_makes(discovered_attack, &["5e6e", "5e4d"], &["5e5d", "5h6h", "9i9h"]);
        // A guarded pawn does not count.
        let pawn = Scene::new("8k/4l4/4p4/9/4G4/9/9/4R4/K8 b - 1");
        pawn.assert_makes(discovered_attack, &[], &["5e6e"]);
        // The captured piece does not count.
        let taken = Scene::new("8k/9/9/4s4/4G4/9/9/4R4/K8 b - 1");
        taken.assert_makes(discovered_attack, &[], &["5e5d"]);
    }

    #[test]
    fn threats_to_promote() {
        let scene = Scene::new("4k4/9/9/9/8P/9/9/9/K8 b GPN 1");
        scene.assert_makes(
            threaten_promotion,
            &["1e1d", "P*9d", "N*8e", "P*8c"],
            &["P*9e", "G*9d", "9i9h"],
        );
        // The square is defended and no piece supports the pawn.
        let defended = Scene::new("4k4/g8/9/9/9/9/9/9/K8 b P 1");
        defended.assert_makes(threaten_promotion, &[], &["P*9d"]);
        let supported = Scene::new("4k4/g8/9/9/9/8N/9/9/K7L b P 1");
        supported.assert_makes(threaten_promotion, &[], &["P*9d"]);
        let lance = Scene::new("4k4/g8/9/9/1N7/9/9/9/1K7 b P 1");
        lance.assert_makes(threaten_promotion, &["P*9d"], &["P*9e"]);
    }
}
