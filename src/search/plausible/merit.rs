//! The merit of a move: what each of its generators is worth, summed (search specification 3.3).
//!
//! The values are one joint fit to games, in points; a negative one takes back part of what nearly always fires with
//! it, or prices a loss.

use super::context::NodeContext;
use super::defences::{comes_between, moves_away, saved};
use super::facts::Facts;
use super::generator::{Generator, Generators};
use super::goals::recaptures;
use super::threats::material;
use crate::{
    eval::victim_class,
    search::see::see,
    shogi::{Bitboard, PieceKind},
};

/// The merit of a move with these generators.
pub(super) fn merit(context: &NodeContext<'_>, m: &Facts, generators: Generators) -> i32 {
    let mut sum = NOTHING;
    let mut add = |generator, value: Value| {
        if generators.has(generator) {
            sum += value.of(m);
        }
    };
    add(Generator::Capture, m.captured.map_or(Value::NONE, |kind| CAPTURE[victim_class(kind)]));
    add(Generator::Promote, promotion(m.before));
    add(Generator::Check, if m.from.is_some() { CHECK } else { DROPPED_CHECK });
    add(Generator::AttackKing, Value::new(78, 43));
    let threats = if m.before == PieceKind::Pawn { &PAWN_THREAT } else { &THREAT };
    if generators.has(Generator::AttackMaterial) {
        add(Generator::AttackMaterial, of_dearest(context, threats, material(context, m)));
    }
    add(Generator::DiscoveredAttack, Value::new(13, 60));
    add(Generator::ThreatenPromotion, Value::new(43, 20));
    add(Generator::DefendCheck, Value::new(100, 60));
    add(Generator::DefendKing, Value::new(13, 40));
    if generators.has(Generator::DefendMaterial) {
        add(Generator::DefendMaterial, defence(context, m));
    }
    add(Generator::StopPromotion, Value::new(15, -21));
    add(Generator::DefendPin, Value::new(39, 16));
    add(Generator::RelieveTie, Value::new(6, 0));
    add(Generator::GuardUndefended, Value::new(14, 0));
    add(Generator::DefendExchange, Value::new(43, 20));
    add(Generator::CoverOwnCamp, Value::new(-10, -65));
    add(Generator::Develop, Value::new(102, -18));
    add(Generator::Pin, Value::new(7, -82));
    add(Generator::CoverEnemyCamp, Value::new(0, -72));
    add(Generator::HinderDevelopment, Value::new(10, -20));
    if recaptures(context, m) {
        sum += RECAPTURE;
    }
    if m.good && m.is_quiet() {
        sum += QUIET;
    }
    if m.from.is_none() {
        sum += drop_of(m.before).of(m);
    }
    if !m.good && !is_sacrifice_near_king(context, generators) {
        sum += (see(context.position, m.mv) / 8).clamp(DEAREST_SACRIFICE, 0);
    }
    sum
}

/// Points for moves that lose nothing by exchange, and for those that do.
#[derive(Debug, Clone, Copy)]
struct Value {
    good: i32,
    bad: i32,
}

impl Value {
    const NONE: Self = Self::new(0, 0);

    const fn new(good: i32, bad: i32) -> Self {
        Self { good, bad }
    }

    fn of(self, m: &Facts) -> i32 {
        if m.good { self.good } else { self.bad }
    }

    fn and(self, other: Self) -> Self {
        Self::new(self.good + other.good, self.bad + other.bad)
    }
}

/// The value for the dearest piece on some squares.
fn of_dearest(context: &NodeContext<'_>, values: &[Value; 4], squares: Bitboard) -> Value {
    let kinds = squares.iter().filter_map(|square| context.position.piece_on(square));
    let class = kinds.map(|piece| victim_class(piece.kind())).max();
    class.map_or(Value::NONE, |class| values[class])
}

/// D3: the mover goes away, others are guarded or shielded; what is shielded counts as guarded.
fn defence(context: &NodeContext<'_>, m: &Facts) -> Value {
    let away =
        if moves_away(context, m) { MOVES_AWAY[victim_class(m.before)] } else { Value::NONE };
    let saved = if comes_between(context, m) { context.hanging } else { saved(context, m) };
    away.and(of_dearest(context, &GUARDS, saved))
}

fn promotion(kind: PieceKind) -> Value {
    match kind {
        PieceKind::Pawn => Value::new(139, 130),
        PieceKind::Bishop | PieceKind::Rook => Value::new(33, 0),
        _ => Value::new(50, 60),
    }
}

fn drop_of(kind: PieceKind) -> Value {
    let good = match kind {
        PieceKind::Pawn => 78,
        PieceKind::Lance | PieceKind::Knight => 10,
        PieceKind::Silver | PieceKind::Gold => 0,
        PieceKind::Rook => -48,
        _ => -100,
    };
    Value::new(good, -20)
}

/// A loss that does not count: a check, or one more piece in an attack on the king.
fn is_sacrifice_near_king(context: &NodeContext<'_>, generators: Generators) -> bool {
    generators.has(Generator::Check)
        || generators.has(Generator::AttackKing) && context.attackers_of_zone >= 3
}

/// What a move has that nothing speaks for.
const NOTHING: i32 = -25;
/// On top of the capture: takes the piece that has just moved.
const RECAPTURE: i32 = 210;
/// Neither captures nor promotes, and loses nothing.
const QUIET: i32 = 44;
/// The most that a loss by exchange takes away.
const DEAREST_SACRIFICE: i32 = -150;
const CHECK: Value = Value::new(115, 52);
const DROPPED_CHECK: Value = Value::new(300, 150);

/// `[class]` of the piece taken.
const CAPTURE: [Value; 4] =
    [Value::new(190, 29), Value::new(227, 150), Value::new(249, 160), Value::new(240, 200)];
/// `[class]` of the piece attacked by a pawn.
const PAWN_THREAT: [Value; 4] =
    [Value::new(77, 60), Value::new(199, 130), Value::new(239, 140), Value::new(272, 150)];
/// `[class]` of the piece attacked by another.
const THREAT: [Value; 4] =
    [Value::new(40, -56), Value::new(68, -34), Value::new(122, 34), Value::new(167, 0)];
/// `[class]` of the hanging piece that moves.
const MOVES_AWAY: [Value; 4] =
    [Value::new(13, 28), Value::new(123, 100), Value::new(147, 68), Value::new(154, 55)];
/// `[class]` of the hanging piece that is guarded.
const GUARDS: [Value; 4] =
    [Value::new(75, 32), Value::new(136, 61), Value::new(144, 100), Value::new(189, 120)];

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;
    use crate::shogi::Square;

    #[test]
    fn a_move_of_several_generators_has_the_sum() {
        // G1 of a pawn, G2 of a pawn; then a recapture, too.
        let mut scene = Scene::new("4k4/9/2p6/2P6/9/9/9/9/4K4 b - 1");
        let found = scene.generators("7d7c+");
        assert!(found.has(Generator::Capture) && found.has(Generator::Promote));
        let merit = scene.merit("7d7c+");
        assert!(merit >= -25 + 190 + 139, "{merit}");
        scene.last_to = Square::new(7, 3);
        assert_eq!(scene.merit("7d7c+"), merit + 210);
    }

    #[test]
    fn a_pointless_drop_of_a_large_piece_has_negative_merit() {
        let scene = Scene::new("4k4/9/9/9/9/9/9/9/4K4 b BGN 1");
        assert!(!scene.generators("G*9e").any() && !scene.generators("N*9g").any());
        assert_eq!([scene.merit("G*9e"), scene.merit("N*9g")], [-25 + 44, -25 + 44 + 10]);
        // It could promote with the next move (T5); that it covers their camp (Q2) adds nothing.
        assert_eq!(scene.merit("B*9i"), -25 + 44 - 100 + 43);
    }

    #[test]
    fn a_sacrifice_costs_by_what_is_lost_unless_it_checks() {
        let scene = Scene::new("4k4/9/9/2p6/9/9/9/9/8K b GS 1");
        // Threatens the pawn (T3, bad -56), lost for a silver: the exchange costs 860 / 8.
        let silver = scene.merit("S*7e");
        assert!(silver <= -25 - 20 - 107 + 40, "{silver}");
        // A gold loses more than the most that counts is reached at: 1030 / 8 = 128.
        assert!(scene.merit("G*7e") < silver);
        let check = Scene::new("4k4/9/9/9/9/9/9/9/8K b G 1");
        assert!(check.merit("G*5b") > 0, "a check for nothing");
    }

    #[test]
    fn saving_the_dearer_piece_has_more_merit() {
        let merit = |sfen: &str, mv: &str| Scene::new(sfen).merit(mv);
        let silver = merit("4k4/9/9/9/r3S4/9/9/9/8K b P 1", "P*5f");
        let pawn = merit("4k4/9/9/9/r3P4/9/9/9/8K b L 1", "L*5f");
        assert!(silver > pawn, "{silver} {pawn}");
    }
}
