use super::*;
use crate::{EnteringKingRule, MoveList, MoveSets, Origin, notation::usi::parse_move};

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).unwrap()
}

fn legal(sfen: &str, mv: &str) -> bool {
    let (position, mv) = (position(sfen), parse_move(mv).unwrap());
    assert_eq!(position.is_legal(mv), position.legal_moves().contains(&mv), "{mv}");
    position.is_legal(mv)
}

#[test]
fn a_position_is_a_few_cache_lines() {
    assert!(size_of::<Position>() <= 7 * 64, "{}", size_of::<Position>());
    assert_eq!(size_of::<Move>(), 2);
    assert_eq!(size_of::<Option<Move>>(), 2);
    assert_eq!(size_of::<Option<Piece>>(), 1);
}

#[test]
fn two_pawns_on_a_file_are_illegal_but_a_promoted_one_does_not_count() {
    assert!(!legal("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5e"));
    assert!(legal("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*4e"));
    assert!(legal("4k4/9/9/9/9/9/4+P4/9/4K4 b P 1", "P*5e"));
    assert!(legal("4k4/9/9/9/9/9/4p4/9/4K4 b P 1", "P*5e"));
}

#[test]
fn a_file_with_two_pawns_has_no_pawn_drops_and_its_neighbours_do() {
    // Records show such positions, though nothing is played from them.
    for (sfen, files) in [
        ("4k4/9/9/9/9/9/5P3/9/4KP3 b P 1", 8),
        ("4k4/9/9/5P3/5P3/5P3/5P3/9/4KP3 b P 1", 8),
        ("4k4/9/9/9/9/9/4P4/4P4/K8 b P 1", 8),
    ] {
        let position: Position = sfen.parse().unwrap();
        let moves = position.legal_moves();
        assert!(moves.iter().all(|&mv| position.is_legal(mv)), "{sfen}");
        let drops = moves.iter().filter(|mv| mv.dropped().is_some());
        let on: std::collections::BTreeSet<_> = drops.map(|mv| mv.to().file()).collect();
        assert_eq!(on.len(), files, "{sfen}");
    }
}

#[test]
fn pieces_that_could_never_move_again_must_promote_and_are_not_dropped() {
    let sfen = "k8/2PL5/2N6/9/9/9/9/9/K8 b PLN 1";
    for (mv, expected) in [
        ("7b7a", false),
        ("7b7a+", true),
        ("6b6a", false),
        ("6b6a+", true),
        ("7c6a", false),
        ("7c6a+", true),
        ("P*1a", false),
        ("L*1a", false),
        ("N*1a", false),
        ("N*1b", false),
        ("N*1c", true),
        ("P*1b", true),
        ("L*1b", true),
    ] {
        assert_eq!(legal(sfen, mv), expected, "{mv}");
    }
}

#[test]
fn not_promoting_is_a_legal_move_where_the_piece_can_still_move() {
    let sfen = "k8/9/2PBR4/9/9/9/9/9/K8 b - 1";
    for mv in ["7c7b", "7c7b+", "6c5b", "6c5b+", "5c5a", "5c5a+", "6c9f+", "6c9f"] {
        assert!(legal(sfen, mv), "{mv}");
    }
}

// . . . . . . g n k     A pawn on 1b mates: the gold on 2c covers it, and knight and gold
// . . . . . . . . .     cannot take on 1b.
// . . . . . . . G .
const DROP_MATE: &str = "6gnk/9/7G1/9/9/9/9/9/K8 b P 1";

#[test]
fn a_pawn_drop_that_mates_is_illegal() {
    assert!(!legal(DROP_MATE, "P*1b"));
}

#[test]
fn a_pawn_drop_is_legal_when_the_pawn_can_be_taken_or_the_king_can_flee() {
    // The gold on 2a takes on 1b.
    assert!(legal("7gk/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b"));
    // The king flees to 2a.
    assert!(legal("8k/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b"));
    // No piece covers the pawn.
    assert!(legal("6gnk/9/9/9/9/9/9/9/K8 b P 1", "P*1b"));
    // Without the other king no mate exists.
    assert!(legal("6gn1/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b"));
}

#[test]
fn a_pinned_piece_prevents_a_pawn_drop_mate_only_on_its_line() {
    // The gold on 2a could take on 1b, but the rook on 3a pins it along the rank.
    assert!(!legal("6Rgk/9/7G1/9/9/9/9/9/K8 b P 1", "P*1b"));
    // The rook on 1d takes on 1b although the lance on 1i pins it: it stays on file 1.
    assert!(legal("6gnk/9/7G1/8r/9/9/9/9/K7L b P 1", "P*1b"));
}

#[test]
fn a_pawn_pushed_on_the_board_may_mate() {
    assert!(legal("6gnk/9/7GP/9/9/9/9/9/K8 b - 1", "1c1b"));
}

#[test]
fn the_king_does_not_step_back_along_a_slider_s_line() {
    let sfen = "4k4/9/9/9/9/4r4/9/4K4/9 b - 1";
    assert!(position(sfen).in_check());
    assert!(!legal(sfen, "5h5i"));
    assert!(legal(sfen, "5h4i"));
}

#[test]
fn in_double_check_only_the_king_moves() {
    // Rook on file 5 and bishop on the diagonal.
    let sfen = "k3r4/9/9/9/9/9/2b6/9/G3K4 b RBGSNLP 1";
    let position = position(sfen);
    assert!(position.checkers().more_than_one());
    assert!(
        position.legal_moves().iter().all(|mv| mv.from() == position.king_square(Color::Black))
    );
}

#[test]
fn a_pinned_piece_moves_along_its_line_only() {
    let sfen = "4r3k/9/9/9/4G4/9/9/9/4K4 b - 1";
    let pinned = position(sfen).pinned(Color::Black);
    assert_eq!(pinned, Bitboard::of(Square::new(5, 5).unwrap()));
    assert!(legal(sfen, "5e5d"));
    assert!(legal(sfen, "5e5f"));
    assert!(!legal(sfen, "5e4e"));
}

#[test]
fn a_move_is_quiet_if_it_neither_captures_nor_promotes() {
    let capture_and_quiet = |sfen: &str, mv: &str| {
        let (position, mv) = (position(sfen), parse_move(mv).unwrap());
        (position.is_capture(mv), position.is_quiet(mv))
    };
    let rook = "4k4/9/9/2p6/2R6/9/9/9/4K4 b P 1";
    assert_eq!(capture_and_quiet(rook, "7e7d"), (true, false));
    assert_eq!(capture_and_quiet(rook, "7e6e"), (false, true));
    assert_eq!(capture_and_quiet(rook, "P*5e"), (false, true));
    let silver = "4k4/9/2S6/9/9/9/9/9/4K4 b - 1";
    assert_eq!(capture_and_quiet(silver, "7c7b+"), (false, false));
    assert_eq!(capture_and_quiet(silver, "7c7b"), (false, true));
}

#[test]
fn a_position_with_a_capturable_king_is_not_playable() {
    let position = position("4k4/9/9/9/4R4/9/9/9/4K4 b - 1");
    assert!(position.is_exposed());
    assert!(!legal("4k4/9/9/9/4R4/9/9/9/4K4 b - 1", "5e5a"));
    assert_eq!(position.check_playable(), Err(Unplayable::Exposed(Color::White)));
}

#[test]
fn a_position_with_two_pawns_on_a_file_supports_queries_but_no_game() {
    let position = position("4k4/9/9/9/4P4/9/4P4/9/4K4 b P 1");
    let two = Unplayable::TwoPawns { color: Color::Black, file: 5 };
    assert_eq!(position.check_playable(), Err(two));
    assert_eq!(two.to_string(), "black has a second pawn on file 5; only one is allowed");
    assert!(position.legal_moves().iter().all(|mv| mv.dropped().is_none() || mv.to().file() != 5));
    let promoted = self::position("4k4/9/9/9/4+P4/9/4P4/9/4K4 b P 1");
    assert_eq!(promoted.check_playable(), Ok(()));
}

#[test]
fn a_position_without_a_king_supports_queries_but_no_game() {
    let position = position("4k4/9/4P4/9/9/9/9/9/9 b G 1");
    assert_eq!(position.check_playable(), Err(Unplayable::NoKing(Color::Black)));
    let declaration = position.declaration(EnteringKingRule::default());
    assert_eq!(declaration.fault, Some(DeclarationFault::KingOutside));
    assert_eq!(position.entering_king_win(EnteringKingRule::Try), None);
    assert!(!position.in_check() && position.has_legal_move());
}

#[test]
fn a_null_move_passes_the_turn_and_can_be_undone() {
    let mut position = Position::startpos();
    let before = position.clone();
    let undo = position.do_null_move();
    assert_eq!(position.side_to_move(), Color::White);
    assert_ne!(position.key(), before.key());
    assert_eq!(position.key(), position.recomputed_key());
    position.undo_null_move(undo);
    assert_eq!(position, before);
}

#[test]
fn the_key_depends_only_on_board_hands_and_side() {
    let key = |sfen| position(sfen).key();
    let first = key("4k4/9/9/9/9/9/9/9/4K4 b P 1");
    assert_eq!(first, key("4k4/9/9/9/9/9/9/9/4K4 b P 99"));
    for other in [
        "4k4/9/9/9/9/9/9/9/4K4 w P 1",
        "4k4/9/9/9/9/9/9/9/4K4 b p 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 2P 1",
        "4k4/9/9/9/9/9/9/9/4K4 b - 1",
        "4k4/9/9/9/9/9/9/9/3K5 b P 1",
    ] {
        assert_ne!(first, key(other), "{other}");
    }
}

#[test]
fn the_ply_saturates() {
    let mut position = position("4k4/9/9/9/9/9/9/9/4K4 b - 65535");
    let before = position.clone();
    let mv = parse_move("5i5h").unwrap();
    let undo = position.do_move(mv);
    assert_eq!(position.ply(), u16::MAX);
    position.undo_move(mv, undo);
    assert_eq!(position, before);
}

#[test]
fn set_computations_equal_those_of_single_pieces() {
    let mut random = fastrand::Rng::with_seed(5);
    for start in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "4k4/9/4S4/2+B1G1+b2/4R4/9/4r4/4s4/4K4 b GSNL5Pgsnl5p 1",
    ] {
        let mut position = position(start);
        for _ in 0..200 {
            for color in Color::ALL {
                let each = Square::all().filter(|&at| position.step_attackers(color, at).any());
                assert_eq!(position.steps(color), each.collect(), "{color} in {position:?}");
            }
            // The count is compiled twice, for two sets of instructions; the list only once.
            assert_eq!(position.count_legal_moves(), position.legal_moves().len());
            let moves = position.legal_moves();
            assert_eq!(moves_of_sets(&position), moves);
            let Some(&mv) = moves.get(random.usize(..moves.len().max(1))) else { break };
            let foretold = position.key_after(mv);
            position.do_move(mv);
            assert_eq!(foretold, position.key());
            let rebuilt = Position::from_sfen(&position.to_sfen()).unwrap();
            assert_eq!(
                (position.board_key(), position.key()),
                (rebuilt.board_key(), rebuilt.key())
            );
        }
    }
}

fn moves_of_sets(position: &Position) -> MoveList {
    let side = position.side_to_move();
    let mut sets = MoveSets::default();
    position.legal_move_sets(&mut sets);
    let mut list = MoveList::new();
    for set in &sets.sets {
        for to in set.targets {
            list.push(match set.origin {
                Origin::Square(from) => Move::normal(from, to, set.promote),
                Origin::Pawns => Move::normal(to.behind(side).unwrap(), to, set.promote),
                Origin::Hand(kind) => Move::drop(kind, to),
            });
        }
    }
    assert_eq!(sets.count, list.len());
    list
}
