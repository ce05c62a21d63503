//! The merit of a move: a sum over its generators (docs/search.md, section 3.3).

use super::context::NodeContext;
use super::defences::{comes_between, moves_away, saved};
use super::generator::{Generator, Generators};
use super::move_data::MoveData;
use super::threats::{material, recaptures};
use super::values::MeritRow;
use crate::eval::piece_class;
use crate::search::see::see;
use kyomi_shogi::{Bitboard, PieceKind};

/// The merit of a move with these generators.
pub(super) fn merit(context: &NodeContext, m: &MoveData, generators: Generators) -> i32 {
    let mut sum = sacrifice(context, m, generators) + m.learned;
    rows(context, m, generators, |row| sum += row.points(m.good));
    sum
}

/// Calls `show` once for each row of the table that a move with these generators has.
pub(super) fn rows(
    context: &NodeContext,
    m: &MoveData,
    generators: Generators,
    mut show: impl FnMut(MeritRow),
) {
    show(MeritRow::Nothing);
    if let Some(captured) = m.captured {
        show(CAPTURE[piece_class(captured)]);
        if recaptures(context, m) {
            show(MeritRow::Recapture);
        }
    }
    if generators.has(Generator::Promote) {
        show(match m.before {
            PieceKind::Pawn => MeritRow::PromotePawn,
            PieceKind::Bishop | PieceKind::Rook => MeritRow::PromoteMajor,
            _ => MeritRow::PromoteOther,
        });
    }
    if generators.has(Generator::Check) {
        show(if m.from.is_some() { MeritRow::Check } else { MeritRow::DroppedCheck });
    }
    if generators.has(Generator::AttackMaterial) {
        let threats = if m.before == PieceKind::Pawn { &PAWN_THREAT } else { &THREAT };
        if let Some(class) = dearest(context, material(context, m)) {
            show(threats[class]);
        }
    }
    if generators.has(Generator::DefendMaterial) {
        if moves_away(context, m) {
            show(AWAY[piece_class(m.before)]);
        }
        // Shielded pieces count as guarded.
        let saved = if comes_between(context, m) { context.hanging } else { saved(context, m) };
        if let Some(class) = dearest(context, saved) {
            show(GUARDS[class]);
        }
    }
    for (generator, row) in PLAIN {
        if generators.has(generator) {
            show(row);
        }
    }
    if m.is_quiet() {
        show(MeritRow::Quiet);
    }
    if m.from.is_none() {
        show(match m.before {
            PieceKind::Pawn => MeritRow::DropPawn,
            PieceKind::Lance | PieceKind::Knight => MeritRow::DropMinor,
            PieceKind::Silver | PieceKind::Gold => MeritRow::DropGeneral,
            PieceKind::Rook => MeritRow::DropRook,
            _ => MeritRow::DropBishop,
        });
    }
}

/// The points subtracted for a loss by exchange, as a negative number. It is 0 for a check, and for an attack on the
/// king's zone that three own pieces attack already.
pub(super) fn sacrifice(context: &NodeContext, m: &MoveData, generators: Generators) -> i32 {
    let waived = generators.has(Generator::Check)
        || generators.has(Generator::AttackKing) && context.attackers_of_zone >= 3;
    if m.good || waived {
        0
    } else {
        (see(&context.position, m.mv) / 8).clamp(DEAREST_SACRIFICE, 0)
    }
}

/// The piece class of the dearest piece on some squares.
fn dearest(context: &NodeContext, squares: Bitboard) -> Option<usize> {
    let kinds = squares.iter().filter_map(|square| context.position.piece_on(square));
    kinds.map(|piece| piece_class(piece.kind())).max()
}

/// The lowest value of [`sacrifice`].
const DEAREST_SACRIFICE: i32 = -150;

/// Generators with one row each.
const PLAIN: [(Generator, MeritRow); 16] = [
    (Generator::AttackKing, MeritRow::AttackKing),
    (Generator::DiscoveredAttack, MeritRow::DiscoveredAttack),
    (Generator::ThreatenPromotion, MeritRow::ThreatenPromotion),
    (Generator::DefendCheck, MeritRow::DefendCheck),
    (Generator::DefendKing, MeritRow::DefendKing),
    (Generator::DefendDiscovered, MeritRow::DefendDiscovered),
    (Generator::StopPromotion, MeritRow::StopPromotion),
    (Generator::DefendPin, MeritRow::DefendPin),
    (Generator::RelieveTie, MeritRow::RelieveTie),
    (Generator::GuardUndefended, MeritRow::GuardUndefended),
    (Generator::DefendExchange, MeritRow::DefendExchange),
    (Generator::CoverOwnCamp, MeritRow::CoverOwnCamp),
    (Generator::Develop, MeritRow::Develop),
    (Generator::Pin, MeritRow::Pin),
    (Generator::CoverEnemyCamp, MeritRow::CoverEnemyCamp),
    (Generator::HinderDevelopment, MeritRow::HinderDevelopment),
];

/// `[class]` of the piece taken.
const CAPTURE: [MeritRow; 4] = [
    MeritRow::CapturePawn,
    MeritRow::CaptureMinor,
    MeritRow::CaptureSilver,
    MeritRow::CaptureMajor,
];
/// `[class]` of the piece attacked by a pawn.
const PAWN_THREAT: [MeritRow; 4] = [
    MeritRow::PawnAttacksPawn,
    MeritRow::PawnAttacksMinor,
    MeritRow::PawnAttacksSilver,
    MeritRow::PawnAttacksMajor,
];
/// `[class]` of the piece attacked by another piece than a pawn.
const THREAT: [MeritRow; 4] = [
    MeritRow::AttacksPawn,
    MeritRow::AttacksMinor,
    MeritRow::AttacksSilver,
    MeritRow::AttacksMajor,
];
/// `[class]` of the hanging piece that moves.
const AWAY: [MeritRow; 4] =
    [MeritRow::PawnAway, MeritRow::MinorAway, MeritRow::SilverAway, MeritRow::MajorAway];
/// `[class]` of the hanging piece that is guarded.
const GUARDS: [MeritRow; 4] =
    [MeritRow::GuardsPawn, MeritRow::GuardsMinor, MeritRow::GuardsSilver, MeritRow::GuardsMajor];

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;
    use kyomi_shogi::Square;

    /// The merit of a move without the learned squares.
    fn plain(scene: &Scene, mv: &str) -> i32 {
        scene.merit(mv) - scene.read(mv, |_, features| features.learned)
    }

    fn sum(rows: &[MeritRow]) -> i32 {
        rows.iter().map(|row| row.points(true)).sum()
    }

    #[test]
    fn a_move_of_several_generators_has_the_sum() {
        // G1 of a knight, G2 of a pawn and other rows; then also a recapture.
        let mut scene = Scene::new("8k/9/2n6/2P6/9/9/9/9/4K4 b - 1");
        let found = scene.generators("7d7c+");
        assert!(found.has(Generator::Capture) && found.has(Generator::Promote));
        let rows = [MeritRow::Nothing, MeritRow::CaptureMinor, MeritRow::PromotePawn];
        let more = found.iter().filter_map(|generator| {
            PLAIN.iter().find(|(plain, _)| *plain == generator).map(|(_, row)| *row)
        });
        let more: Vec<MeritRow> = more.collect();
        assert_eq!(plain(&scene, "7d7c+"), sum(&rows) + sum(&more));
        let merit = scene.merit("7d7c+");
        scene.last_to = Square::new(7, 3);
        assert_eq!(scene.merit("7d7c+"), merit + MeritRow::Recapture.points(true));
    }

    #[test]
    fn a_drop_without_generators_has_the_merit_of_all_drops() {
        let scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b BGN 1");
        assert!(!scene.generators("G*9e").any() && !scene.generators("N*9g").any());
        let common = [MeritRow::Nothing, MeritRow::Quiet];
        assert_eq!(plain(&scene, "G*9e"), sum(&common) + sum(&[MeritRow::DropGeneral]));
        assert_eq!(plain(&scene, "N*9g"), sum(&common) + sum(&[MeritRow::DropMinor]));
        assert!(scene.merit("G*9e") < 0 && scene.merit("N*9g") < 0);
    }

    #[test]
    fn a_sacrifice_costs_by_what_is_lost_unless_it_checks() {
        let lost = |scene: &Scene, mv: &str| {
            scene.read(mv, |context, features| {
                sacrifice(
                    context,
                    features,
                    super::super::classify::generators_of(context, features),
                )
            })
        };
        let scene = Scene::new("4k4/9/9/2p6/9/9/9/9/8K b GSR 1");
        // An eighth of the exchange value, down to the limit.
        assert_eq!([lost(&scene, "S*7e"), lost(&scene, "G*7e")], [-860 / 8, -1030 / 8]);
        assert_eq!(lost(&scene, "R*7e"), DEAREST_SACRIFICE);
        let check = Scene::new("4k4/9/9/9/9/9/9/9/8K b G 1");
        assert_eq!(lost(&check, "G*5b"), 0);
    }

    #[test]
    fn saving_the_dearer_piece_has_more_merit() {
        let merit = |sfen: &str, mv: &str| Scene::new(sfen).merit(mv);
        let silver = merit("4k4/9/9/9/r3S4/9/9/9/8K b P 1", "P*5f");
        let pawn = merit("4k4/9/9/9/r3P4/9/9/9/8K b L 1", "L*5f");
        assert!(silver > pawn, "{silver} {pawn}");
    }
}
