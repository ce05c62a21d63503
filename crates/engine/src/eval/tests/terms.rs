//! Tests of each term: positions where it must count and where it must not.

use crate::eval::{Features, layout::*};
use kyomi_shogi::{Color, PieceKind, Position};

/// The number of times that a side has a feature.
fn times(sfen: &str, color: Color, feature: usize) -> usize {
    let features = Features::of(&Position::from_sfen(sfen).unwrap());
    features.sides[color.index()].iter().filter(|at| **at as usize == feature).count()
}

/// The features of a side from `first` to below `end`, counted from `first`.
fn features_between(sfen: &str, color: Color, first: usize, end: usize) -> Vec<usize> {
    let features = Features::of(&Position::from_sfen(sfen).unwrap());
    let list = features.sides[color.index()].iter().map(|at| *at as usize);
    list.filter(|at| (first..end).contains(at)).map(|at| at - first).collect()
}

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

#[test]
fn the_side_to_move_has_tempo() {
    assert_eq!(times(START, Color::Black, TEMPO), 1);
    assert_eq!(times(START, Color::White, TEMPO), 0);
}

#[test]
fn castle_features_are_the_same_for_both_sides() {
    // Both golds beside the king: to the right and to the left, on its own rank.
    let beside = 1 << 1 | 1 << 7;
    for color in Color::ALL {
        assert_eq!(features_between(START, color, GOLDS, SILVERS), [beside]);
        assert_eq!(features_between(START, color, SILVERS, MOBILITY), [0]);
    }
    // Promoted pawns count as golds, silvers have their own feature. For the king on file 8 the board is mirrored.
    for (sfen, color) in [
        ("4k4/9/9/9/9/9/9/6SK1/5+P3 b - 1", Color::Black),
        ("4k4/9/9/9/9/9/9/1KS6/3+P5 b - 1", Color::Black),
        ("3+p5/1ks6/9/9/9/9/9/9/4K4 w - 1", Color::White),
    ] {
        let sfen = sfen.replace('s', if color == Color::White { "s" } else { "S" });
        // The promoted pawn is two files away, the silver beside the king on the inner side.
        assert_eq!(features_between(&sfen, color, GOLDS, SILVERS), [0], "{sfen}");
        assert_eq!(features_between(&sfen, color, SILVERS, MOBILITY), [1 << 7], "{sfen}");
    }
}

#[test]
fn files_around_a_king_count_attacked_guarded_and_filled_squares() {
    // A white silver attacks the three squares before the king, which is at the edge.
    let sfen = "4k4/9/9/9/9/9/4s4/9/4K4 b - 1";
    let edge = 0b100;
    let key = 0b001 | edge << 3 | edge << 6;
    // The king itself fills the middle of its file.
    let middle = 0b001 | edge << 3 | (edge | 0b010) << 6;
    let found = features_between(sfen, Color::Black, COLUMNS, DOUBLE_ATTACKS);
    assert_eq!(found, [key, 512 + middle, 1024 + key]);
    // One attacker does not attack a square twice; a lance behind it does.
    assert_eq!(features_between(sfen, Color::Black, DOUBLE_ATTACKS, DANGER)[1], 512 + (0b001 << 6));
    let lance = "4k4/9/9/9/4l4/9/5ss2/9/4K4 b - 1";
    assert_eq!(features_between(lance, Color::Black, DOUBLE_ATTACKS, DANGER)[0] & 0b111, 0b001);
}

#[test]
fn danger_counts_attacked_squares_escapes_and_the_hand() {
    let danger = |sfen: &str, color| {
        let found = features_between(sfen, color, DANGER, DROPS)[0];
        (found / 180, found / 36 % 5, found / 6 % 6, found % 6)
    };
    // An empty neighbourhood: five squares to go to.
    assert_eq!(danger("4k4/9/9/9/9/9/9/9/4K4 b - 1", Color::Black), (0, 0, 5, 0));
    // The silver attacks three of them, so that two are left. The enemy has a gold and a pawn.
    assert_eq!(danger("4k4/9/9/9/9/9/4s4/9/4K4 b gp 1", Color::Black), (3, 0, 2, 1));
    // An own gold guards some of the squares.
    assert_eq!(danger("4k4/9/9/9/9/9/4s4/9/4KG3 b - 1", Color::Black), (1, 0, 1, 0));
    // Lines continue behind the king.
    assert_eq!(danger("4k4/9/9/9/9/9/9/9/r3K4 b - 1", Color::Black).2, 3);
}

#[test]
fn drops_count_only_for_kinds_in_the_enemy_hand() {
    let sfen = "4k4/9/9/9/9/9/4s4/9/4K4 b gp 1";
    // Three attacked holes, two escapes, two other holes.
    let key = (3 * 5 + 2) * 4 + 2;
    let found = features_between(sfen, Color::Black, DROPS, GOLDS);
    assert_eq!(found, [key, 4 * 80 + key]);
    assert!(features_between(sfen, Color::White, DROPS, GOLDS).is_empty());
    assert!(features_between(&sfen.replace("gp", "-"), Color::Black, DROPS, GOLDS).is_empty());
}

#[test]
fn mobility_counts_the_free_squares_of_a_slider() {
    let mobility = |sfen: &str| features_between(sfen, Color::Black, MOBILITY, HANGING);
    // The rook of the start has six squares on its rank, the bishop none, the lances one each.
    assert_eq!(mobility(START), [1, 1, FREE, 2 * FREE + 6]);
    assert_eq!(mobility("4k4/9/9/9/4B4/9/9/9/4K4 b - 1"), [FREE + 16]);
    // Squares that pawns attack are not free. Squares of pieces that can be captured are.
    assert_eq!(mobility("4k4/9/9/3p5/9/4B4/9/9/K8 b - 1").len(), 1);
    assert_eq!(mobility("k8/9/9/9/4p4/9/4R4/9/8K b - 1"), [2 * FREE + 8 + 3]);
    assert_eq!(mobility("k8/9/9/9/9/4p4/R8/9/8K b - 1"), [2 * FREE + 7 + 8]);
    // Horse and dragon have their own rows.
    assert_eq!(mobility("k8/9/9/9/4+R4/9/9/9/8K b - 1"), [4 * FREE + 20]);
}

#[test]
fn hanging_pieces_count_by_the_side_to_move() {
    let kind = PieceKind::Silver.index();
    for (side, row) in [("b", 1), ("w", 0)] {
        let sfen = format!("4k4/9/9/9/s7R/9/9/9/4K4 {side} - 1");
        assert_eq!(
            features_between(&sfen, Color::White, HANGING, ATTACKED_BY_PAWN),
            [row * 14 + kind]
        );
        assert!(features_between(&sfen, Color::Black, HANGING, ATTACKED_BY_PAWN).is_empty());
    }
    // A guarded piece is not loose, and a rook is no lesser piece.
    let guarded = "4k4/9/9/p8/s7R/9/9/9/4K4 b - 1";
    assert!(features_between(guarded, Color::White, HANGING, PINNED).is_empty());
    // The king guards too.
    assert!(
        features_between("9/9/9/1k7/s7R/9/9/9/4K4 b - 1", Color::White, HANGING, PINNED).is_empty()
    );
}

#[test]
fn guarded_pieces_attacked_by_lesser_pieces_count() {
    // A pawn attacks a guarded silver.
    let silver = "4k4/9/9/p8/s8/P8/9/9/4K4 b - 1";
    let row = 14 + PieceKind::Silver.index();
    assert_eq!(features_between(silver, Color::White, ATTACKED_BY_PAWN, ATTACKED_BY_LESSER), [row]);
    // A silver attacks a guarded rook, not a guarded gold.
    let rook = "4k4/9/9/p8/r8/1S7/9/9/4K4 b - 1";
    let row = 14 + PieceKind::Rook.index();
    assert_eq!(features_between(rook, Color::White, ATTACKED_BY_LESSER, PINNED), [row]);
    let gold = "4k4/9/9/p8/g8/1S7/9/9/4K4 b - 1";
    assert!(features_between(gold, Color::White, ATTACKED_BY_PAWN, PINNED).is_empty());
    // Pawn against pawn is no threat of this kind.
    let pawns = "4k4/9/9/l8/p8/P8/9/9/4K4 b - 1";
    assert!(features_between(pawns, Color::White, ATTACKED_BY_PAWN, PINNED).is_empty());
}

#[test]
fn only_the_pinned_piece_itself_counts() {
    let pinned = |sfen: &str| features_between(sfen, Color::White, PINNED, TEMPO);
    assert_eq!(pinned("4k4/9/4g4/9/9/9/9/4L4/4K4 w - 1"), [PieceKind::Gold.index()]);
    assert!(pinned("4k4/9/4g4/4p4/9/9/9/4L4/4K4 w - 1").is_empty());
    assert!(pinned("4k4/9/3g5/9/9/9/9/4L4/4K4 w - 1").is_empty());
}

#[test]
fn progress_grows_with_hands_and_attackers() {
    let progress = |sfen: &str| Features::of(&Position::from_sfen(sfen).unwrap()).progress;
    assert_eq!(progress(START), 0);
    let later = progress("lnsgkgsnl/1r7/pppppp+Bpp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w P 1");
    assert!((1..64).contains(&later), "{later}");
    assert_eq!(progress("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1"), Features::WHOLE);
}
