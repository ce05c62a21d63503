//! Category D: moves that meet a threat.

use super::context::NodeContext;
use super::move_data::MoveData;
use kyomi_shogi::{Bitboard, PieceKind};

/// D1: answers a check.
#[inline]
pub(super) fn defend_check(context: &NodeContext, _: &MoveData) -> bool {
    context.in_check
}

/// D2: if the own king's zone is attacked, the king moves, or the move covers an attacked square of the zone, lands
/// there, or takes an attacker.
#[inline]
pub(super) fn defend_king(context: &NodeContext, m: &MoveData) -> bool {
    let attacked = context.zone & context.theirs.all;
    if attacked.is_empty() {
        return false;
    }
    m.before == PieceKind::King
        || (m.new_attacks & attacked).any()
        || attacked.contains(m.to)
        || context.zone_attackers.contains(m.to)
}

/// D3: a hanging piece moves away, is newly guarded, or something comes between it and a slider.
#[inline]
pub(super) fn defend_material(context: &NodeContext, m: &MoveData) -> bool {
    moves_away(context, m) || saved(context, m).any() || comes_between(context, m)
}

/// D3: the moved piece hangs.
#[inline]
pub(super) fn moves_away(context: &NodeContext, m: &MoveData) -> bool {
    m.from.is_some_and(|from| context.hanging.contains(from))
}

/// D3: the hanging pieces that are newly guarded.
#[inline]
pub(super) fn saved(context: &NodeContext, m: &MoveData) -> Bitboard {
    m.covers() & context.hanging
}

/// D3: another piece comes between a hanging piece and a slider.
#[inline]
pub(super) fn comes_between(context: &NodeContext, m: &MoveData) -> bool {
    context.interposition_squares.contains(m.to)
        && !moves_away(context, m)
        && m.before != PieceKind::King
}

/// D4: an own piece that an enemy slider would attack if an enemy piece moved away moves or is guarded; or the only
/// piece between the own king and an enemy slider is covered.
#[inline]
pub(super) fn defend_discovered(context: &NodeContext, m: &MoveData) -> bool {
    let covered = m.covers();
    m.from.is_some_and(|from| context.discovered_attack_targets.contains(from))
        || (covered & (context.discovered_attack_targets | context.king_blockers)).any()
}

/// D5: occupies or attacks an unguarded square where the enemy can promote with its next move.
#[inline]
pub(super) fn stop_promotion(context: &NodeContext, m: &MoveData) -> bool {
    context.promoting.contains(m.to) || (m.new_attacks & context.promoting).any()
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn every_answer_to_a_check() {
        let scene = Scene::new("4r3k/9/9/9/9/9/9/9/4K4 b GS 1");
        scene.assert_makes(defend_check, &["5i4i", "G*5e", "S*5h"], &[]);
        Scene::new("5r2k/9/9/9/9/9/9/9/4K4 b GS 1").assert_makes(defend_check, &[], &["5i5h"]);
    }

    #[test]
    fn defences_of_the_king() {
        // The promoted pawn attacks squares before the king.
        let scene = Scene::new("8k/9/9/9/9/4+p4/9/9/4K4 b GN 1");
        scene.assert_makes(defend_king, &[], &["5i5h", "G*5h"]);
        let near = Scene::new("8k/9/9/9/9/9/4+p4/9/4K4 b GN 1");
        near.assert_makes(defend_king, &["5i4i", "G*5h", "G*6i"], &["G*1e", "N*1g"]);
        let taking = Scene::new("8k/9/9/9/9/2R6/4+p4/2R6/4K4 b - 1");
        taking.assert_makes(defend_king, &["7h6h"], &["7f1f", "7h7g"]);
        let rook = Scene::new("8k/9/9/9/9/9/R3+p4/9/4K4 b - 1");
        rook.assert_makes(defend_king, &["9g5g"], &["9g9f"]);
    }

    #[test]
    fn defences_of_material() {
        // The rook attacks a silver that nobody guards.
        let scene = Scene::new("4k4/9/9/9/r3S4/9/9/9/4K4 b GP 1");
        scene.assert_makes(
            defend_material,
            &["G*5f", "P*5f", "5e5d", "P*7e"],
            &["G*3f", "P*9f", "5i5h"],
        );
        scene.assert_makes(moves_away, &["5e5d"], &["G*5f"]);
        scene.assert_makes(comes_between, &["P*7e"], &["P*5f"]);
        // A piece that is guarded and attacked by an equally dear piece does not hang.
        let guarded = Scene::new("4k4/9/9/4s4/4S4/9/4L4/9/4K4 b G 1");
        guarded.assert_makes(defend_material, &[], &["G*5f", "5e6d"]);
    }

    #[test]
    fn defences_against_discovered_attacks() {
        // The silver can step out of the rook's way to the gold.
        let scene = Scene::new("4k4/9/9/r1s1G4/9/9/9/9/8K b P 1");
        scene.assert_makes(defend_discovered, &["5d5c", "P*5e"], &["P*6e", "1i1h"]);
        // Without the rook there is no such attack.
        let without = Scene::new("4k4/9/9/2s1G4/9/9/9/9/8K b P 1");
        without.assert_makes(defend_discovered, &[], &["5d5c", "P*5e"]);
        // Only the enemy's silver is between the lance and the own king; attacking it has the generator.
        let shield = Scene::new("4l3k/9/9/9/4s4/9/9/9/4K4 b PG 1");
        shield.assert_makes(defend_discovered, &["P*5f", "G*5f"], &["P*4f", "5i4i"]);
    }

    #[test]
    fn stops_of_promotions() {
        let scene = Scene::new("4k4/9/9/9/9/1p7/9/9/4K4 b GP 1");
        scene.assert_makes(stop_promotion, &["G*8g", "G*8h", "P*8g"], &["P*2f", "5i5h"]);
        // A guarded square is no threat.
        let guarded = Scene::new("4k4/9/9/9/9/1p7/9/1G7/4K4 b GP 1");
        guarded.assert_makes(stop_promotion, &[], &["P*8g", "G*9h"]);
    }
}
