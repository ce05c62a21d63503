//! P6: moves that develop pieces, bring the king to safety, build a castle, or that players often make (docs/search.md,
//! section 3.2). It contains no opening sequences.

use super::context::NodeContext;
use super::move_data::MoveData;
use super::squares::DEVELOPS_FROM;
use kyomi_shogi::{PieceKind, Square};

/// P6: goes to a better square by the pattern of its kind, opens a line, takes a place in the nearest castle, or is
/// usual by the learned squares.
#[inline]
pub(super) fn develop(context: &NodeContext, m: &MoveData) -> bool {
    m.learned >= DEVELOPS_FROM || matches_pattern(context, m)
}

/// The patterns of P6.
fn matches_pattern(context: &NodeContext, m: &MoveData) -> bool {
    let Some(from) = m.from else { return false };
    if m.opened.any() || takes_place(context, m, from) {
        return true;
    }
    match m.after {
        PieceKind::King => moves_aside(from, m.to),
        PieceKind::Pawn | PieceKind::Knight => m.good,
        PieceKind::Silver | PieceKind::Gold => {
            m.to.rank_for(context.us) < from.rank_for(context.us)
                || context.king.is_some_and(|king| is_nearer(king, m.to, from))
                || is_freer(context, m, from)
        }
        PieceKind::Rook => m.to.file() != from.file() || is_freer(context, m, from),
        PieceKind::Lance | PieceKind::Bishop => is_freer(context, m, from),
        // Promoted pieces approach the enemy's king.
        _ => context.enemy_king.is_some_and(|king| is_nearer(king, m.to, from)),
    }
}

/// Whether a king goes away from the central file, or to another rank.
fn moves_aside(from: Square, to: Square) -> bool {
    to.rank() != from.rank() || to.file().abs_diff(5) > from.file().abs_diff(5)
}

/// Whether `to` is nearer to a king than `from`, in steps of a king or in the sum of files and ranks.
fn is_nearer(king: Square, to: Square, from: Square) -> bool {
    let sum =
        |square: Square| square.file().abs_diff(king.file()) + square.rank().abs_diff(king.rank());
    king.distance(to) < king.distance(from) || sum(to) < sum(from)
}

/// Whether the piece has more squares to go to than before.
fn is_freer(context: &NodeContext, m: &MoveData, from: Square) -> bool {
    let after = m.reach & !context.own.without(from);
    after.count() > (m.attacked & !context.own).count()
}

/// Whether the piece goes to one of its places in the nearest castle, and was on none before.
fn takes_place(context: &NodeContext, m: &MoveData, from: Square) -> bool {
    context.castle.is_some_and(|castle| {
        let places = castle.places(m.before);
        places.contains(m.to) && !places.contains(from)
    })
}

#[cfg(test)]
mod tests {
    use super::super::scene::Scene;
    use super::*;
    use kyomi_shogi::Position;

    #[test]
    fn each_kind_has_its_pattern() {
        let start = Scene::new(&Position::startpos().to_sfen());
        start.assert_makes(
            matches_pattern,
            &["7g7f", "2g2f", "2h7h", "6i7h", "3i4h", "5i6h", "2h1h"],
            &["1i1h"],
        );
        let king = Scene::new("4k4/9/9/9/9/9/9/9/3K5 b - 1");
        king.assert_makes(matches_pattern, &["6i7i", "6i6h"], &["6i5i"]);
        // A gold goes ahead, towards the king, or to the edge.
        let gold = Scene::new("4k4/9/9/9/9/9/7G1/9/K8 b - 1");
        gold.assert_makes(matches_pattern, &["2g2f", "2g3g", "2g2h"], &["2g1g"]);
        let horse = Scene::new("4k4/9/9/9/9/7+B1/9/9/K8 b - 1");
        horse.assert_makes(matches_pattern, &["2f3e", "2f5c"], &["2f1g", "2f2g"]);
        // A pawn that is lost.
        let pawn = Scene::new("4k4/9/9/9/4p4/9/4P4/9/K8 b - 1");
        pawn.assert_makes(matches_pattern, &[], &["5g5f"]);
        let drop = Scene::new("4k4/9/9/9/9/9/9/9/K8 b P 1");
        drop.assert_makes(matches_pattern, &[], &["P*5f"]);
    }

    #[test]
    fn usual_moves_develop_without_a_pattern() {
        // The bishop goes back to its first square, where it has fewer squares to go to.
        let back = Scene::new(
            "lns1k2nl/1r2g1gb1/p1pp2spp/4ppp2/1p7/2P6/PPBPPPP1P/1SG2S1R1/LN1K1G1NL b P 23",
        );
        back.assert_makes(matches_pattern, &[], &["7g5i"]);
        back.assert_makes(develop, &["7g5i"], &[]);
        // A pawn closes the edge.
        let edge = Scene::new(
            "l6nl/1r3kg2/2n1pssp+P/2p1gpp2/3P2P1L/pPP2P1S1/2SGP4/2KG3R1/LN5N1 b B3Pb2p 61",
        );
        edge.assert_makes(develop, &["P*9h"], &["B*1g"]);
        // Dropping a rook at the own edge is not usual.
        let drop = Scene::new("4k4/9/9/9/9/9/9/2G6/2K6 b R 1");
        drop.assert_makes(develop, &[], &["R*1i", "R*9g"]);
    }

    #[test]
    fn lines_that_open() {
        let scene = Scene::new("4k4/9/9/9/9/7G1/9/7R1/K8 b - 1");
        scene.assert_makes(matches_pattern, &["2f1f"], &[]);
        let without = Scene::new("4k4/9/9/9/9/7G1/9/9/K8 b - 1");
        without.assert_makes(matches_pattern, &[], &["2f1f"]);
    }

    #[test]
    fn pieces_take_their_place_in_the_nearest_castle() {
        // Mino: the silver belongs on 3h.
        let scene = Scene::new("4k4/9/9/9/9/9/9/7K1/3S1GS2 b - 1");
        scene.assert_makes(matches_pattern, &["3i3h"], &[]);
        scene.read("3i3h", |context, features| {
            let castle = context.castle.unwrap();
            assert_eq!((castle.king.file(), castle.king.rank()), (2, 8));
            let from = features.from.unwrap();
            assert!(takes_place(context, features, from));
        });
        scene.read("6i7h", |context, features| {
            assert!(!takes_place(context, features, features.from.unwrap()));
        });
    }
}
