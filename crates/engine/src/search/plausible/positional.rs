//! Categories P and Q: moves that improve the own position (the sixth generator of P is in `develop`), and moves that
//! weaken the enemy's.

use super::context::NodeContext;
use super::move_data::MoveData;
use kyomi_shogi::{Bitboard, PieceKind, attacks, between, line};

/// P1: guards an own pinned piece, or the king leaves the line of the pin.
#[inline]
pub(super) fn defend_pin(context: &NodeContext, m: &MoveData) -> bool {
    if context.pinned.is_empty() {
        return false;
    }
    let steps_off = |king| context.pinned.iter().any(|piece| !line(king, piece).contains(m.to));
    (m.covers() & context.pinned).any()
        || m.before == PieceKind::King && context.king.is_some_and(steps_off)
}

/// P2: guards a piece that is attacked and has exactly one defender.
#[inline]
pub(super) fn relieve_tie(context: &NodeContext, m: &MoveData) -> bool {
    (m.covers() & context.single_defender).any()
}

/// P3: newly guards an undefended piece that is attacked or no pawn, or moves an undefended piece to a guarded square.
/// Loses nothing by exchange.
#[inline]
pub(super) fn guard_undefended(context: &NodeContext, m: &MoveData) -> bool {
    if !m.good {
        return false;
    }
    let position = &context.position;
    let pawns = position.pieces(context.us, PieceKind::Pawn);
    let worthwhile = context.undefended & (!pawns | context.theirs.all);
    if (m.covers() & worthwhile).any() {
        return true;
    }
    let ours = &context.ours;
    let guarded = || {
        ours.counts.several().contains(m.to)
            || ours.all.contains(m.to) && !m.attacked.contains(m.to)
            || m.opened.contains(m.to)
    };
    m.from.is_some_and(|from| context.undefended.contains(from)) && guarded()
}

/// P4: guards or moves a piece that stands even.
#[inline]
pub(super) fn defend_exchange(context: &NodeContext, m: &MoveData) -> bool {
    (m.covers() & context.even).any() || m.from.is_some_and(|from| context.even.contains(from))
}

/// P5: newly covers two weak squares of the own camp. Loses nothing by exchange, and is no drop of a bishop or rook.
#[inline]
pub(super) fn cover_own_camp(context: &NodeContext, m: &MoveData) -> bool {
    let large = matches!(m.before, PieceKind::Bishop | PieceKind::Rook);
    m.good && !(m.from.is_none() && large) && (m.new_attacks & context.weak_camp).more_than_one()
}

/// Q1: a move of a slider after which exactly one enemy piece is between it and a gold, a dearer piece or the king.
/// Loses nothing by exchange.
#[inline]
pub(super) fn pin(context: &NodeContext, m: &MoveData) -> bool {
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
pub(super) fn cover_enemy_camp(context: &NodeContext, m: &MoveData) -> bool {
    m.good && (m.new_attacks & context.free_camp).more_than_one()
}

/// Q3: takes away a square that an enemy pawn, knight, silver, bishop or rook could move to, by newly attacking it or
/// by occupying it without loss; or drops a pawn into the line of an enemy slider.
#[inline]
pub(super) fn hinder_development(context: &NodeContext, m: &MoveData) -> bool {
    (m.new_attacks & context.enemy_development_squares).any()
        || m.good && context.enemy_development_squares.contains(m.to)
        || m.from.is_none() && m.before == PieceKind::Pawn && context.lines.contains(m.to)
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;

    #[test]
    fn defences_of_pins() {
        // The silver is pinned along the file.
        let scene = Scene::new("4r3k/9/9/9/9/4S4/9/9/4K4 b GP 1");
        scene.assert_makes(
            defend_pin,
            &["G*5g", "5i4i", "5i6h"],
            &["G*1e", "5i5h", "5f5e", "P*1f"],
        );
        let free = Scene::new("8k/9/9/9/9/4S4/9/9/4K4 b GP 1");
        free.assert_makes(defend_pin, &[], &["G*5g", "5i4i"]);
    }

    #[test]
    fn reliefs_of_ties() {
        let one = Scene::new("4k4/9/9/4r4/9/4S4/4G4/9/8K b G 1");
        one.assert_makes(relieve_tie, &["G*4f", "G*6g"], &["G*4d", "5f6e", "1i1h"]);
        let two = Scene::new("4k4/9/9/4r4/9/4S4/3GG4/9/8K b G 1");
        two.assert_makes(relieve_tie, &[], &["G*4f"]);
    }

    #[test]
    fn guards_of_undefended_pieces() {
        let scene = Scene::new("4k4/9/9/9/9/4S4/9/9/4K4 b GP 1");
        scene.assert_makes(guard_undefended, &["G*5g", "P*5g"], &["G*4e", "G*1e"]);
        // The silver moves to a square that the king guards.
        let steps = Scene::new("4k4/9/9/9/9/9/4S4/9/4K4 b - 1");
        steps.assert_makes(guard_undefended, &["5i5h", "5i4h"], &["5g5f", "5i4i"]);
        let home = Scene::new("4k4/9/9/9/9/9/3S5/9/4K4 b - 1");
        home.assert_makes(guard_undefended, &[], &["6g6f", "6g7f"]);
        let back = Scene::new("4k4/9/9/9/9/9/3S5/9/5K3 b - 1");
        back.assert_makes(guard_undefended, &["6g5h"], &["6g7h"]);
        // A pawn counts only when attacked.
        let pawn = Scene::new("4k4/9/9/9/4P4/9/9/9/4K4 b G 1");
        pawn.assert_makes(guard_undefended, &[], &["G*5f"]);
        let attacked = Scene::new("4k4/9/9/4p4/4P4/9/9/9/4K4 b G 1");
        attacked.assert_makes(guard_undefended, &["G*5f"], &["G*5h"]);
    }

    #[test]
    fn defences_of_exchanges() {
        let scene = Scene::new("4k4/9/9/9/5s3/5S3/5G3/9/K8 b G 1");
        scene.assert_makes(defend_exchange, &["4f3e", "G*3f"], &["G*1e", "9i9h"]);
        // Without the enemy's silver there is nothing to exchange.
        let quiet = Scene::new("4k4/9/9/9/9/5S3/5G3/9/K8 b G 1");
        quiet.assert_makes(defend_exchange, &[], &["4f3e", "G*3f"]);
    }

    #[test]
    fn covers_of_the_own_camp() {
        let scene = Scene::new("4k4/9/9/9/9/9/9/9/8K b GR 1");
        scene.assert_makes(cover_own_camp, &["G*7h"], &["G*7d", "R*7h"]);
        let lost = Scene::new("4k4/9/9/9/9/9/2p6/9/8K b G 1");
        lost.assert_makes(cover_own_camp, &["G*6h"], &["G*7h"]);
    }

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
