use super::*;
use kyomi_shogi::{attacks, notation::usi};

fn value(sfen: &str, mv: &str) -> i32 {
    let position = Position::from_sfen(sfen).unwrap();
    let mv = usi::parse_move(mv).unwrap();
    assert!(position.is_legal(mv));
    let value = see(&position, mv);
    assert_eq!(is_good(&position, mv), value >= 0);
    value
}

#[test]
fn an_undefended_pawn_is_worth_its_capture_value() {
    assert_eq!(value("4k4/9/9/9/4p4/4L4/9/9/4K4 b - 1", "5f5e"), 210);
}

#[test]
fn a_guarded_pawn_costs_the_lance() {
    assert_eq!(value("4k4/9/9/5g3/4p4/4L4/9/9/4K4 b - 1", "5f5e"), 210 - 580);
}

#[test]
fn a_rook_behind_a_lance_joins_in() {
    let (lone, backed) =
        ("4k4/9/9/4p4/4n4/4L4/9/9/4K4 b - 1", "4k4/9/9/4p4/4n4/4L4/4R4/9/4K4 b - 1");
    assert_eq!(value(lone, "5f5e"), 620 - 580);
    assert_eq!(value(backed, "5f5e"), 620 - 580 + 210);
}

#[test]
fn a_king_takes_only_what_is_not_guarded() {
    assert_eq!(value("9/9/9/4k4/4p4/4L4/9/9/4K4 b - 1", "5f5e"), 210 - 580);
    assert_eq!(value("9/9/9/4k4/4p4/4L4/4R4/9/4K4 b - 1", "5f5e"), 210);
}

#[test]
fn promotion_counts_for_the_move_itself() {
    // The pawn promotes unguarded: a promoted pawn less a pawn.
    assert_eq!(value("k8/9/9/4P4/9/9/9/9/4K4 b - 1", "5d5c+"), 590 - 210);
    // Guarded by a gold: the promoted pawn is lost.
    assert_eq!(value("k8/4g4/9/4P4/9/9/9/9/4K4 b - 1", "5d5c+"), 590 - 210 - 590);
}

#[test]
fn a_drop_gains_nothing_and_may_lose() {
    assert_eq!(value("4k4/9/9/9/4p4/9/9/9/4K4 b G 1", "G*5g"), 0);
    assert_eq!(value("4k4/9/9/9/4p4/9/9/9/4K4 b G 1", "G*5f"), -1030);
}

#[test]
fn a_pinned_guard_does_not_take() {
    // The gold on 5b is pinned by the lance on 5h and cannot take on 4c.
    assert_eq!(value("4k4/4g4/5p3/9/5L3/9/9/4L4/K8 b - 1", "4e4c+"), 210 + 770 - 580);
    // Without the pin it takes.
    assert_eq!(value("4k4/4g4/5p3/9/5L3/9/9/9/K8 b - 1", "4e4c+"), 210 + 190 - 770);
}

#[test]
fn a_piece_that_the_move_pins_does_not_take_and_one_that_it_frees_does() {
    // The rook that pinned the gold on 5c moves to a square where the gold can take it.
    assert_eq!(value("4k4/9/4g4/4Rp3/9/9/9/9/4K4 b - 1", "5d4d"), 210 - 1750);
    // The bishop leaves the file of the lance, which now pins the gold.
    assert_eq!(value("4k4/9/4g4/3p5/4B4/9/9/9/K3L4 b - 1", "5e6d"), 210);
}

/// The exchange value by definition: pieces are moved on a copy of the board, and each side takes with its cheapest
/// piece or stops.
fn slow(position: &Position, mv: Move) -> i32 {
    let mut board: Vec<Option<Piece>> = Square::all().map(|at| position.piece_on(at)).collect();
    let to = mv.to();
    let first = gain(position, mv);
    let kind = kind_after(position, mv);
    if let Some(from) = mv.from() {
        board[from.index()] = None;
    }
    board[to.index()] = Some(Piece::new(position.side_to_move(), kind));
    // The pins are those after the move.
    let mut after = position.clone();
    after.do_move(mv);
    first - best_answer(&after, &mut board, to, after.side_to_move()).max(0)
}

/// The gain of the side by taking on the square; 0 if it cannot take.
fn best_answer(position: &Position, board: &mut [Option<Piece>], to: Square, side: Color) -> i32 {
    let occupied: Bitboard = Square::all().filter(|at| board[at.index()].is_some()).collect();
    let reaching = |by: Color| -> Vec<(i32, Square)> {
        let mut found = Vec::new();
        for from in Square::all() {
            let Some(piece) = board[from.index()].filter(|piece| piece.color() == by) else {
                continue;
            };
            if attacks(piece.kind(), by, from, occupied).contains(to) {
                found.push((capture_value(piece.kind()), from));
            }
        }
        found.sort();
        found
    };
    let pinned_off_square = |from: Square| {
        let king = position.king_square(side);
        position.pinned(side).contains(from)
            && king.is_none_or(|king| !line(king, from).contains(to))
    };
    let Some(&(_, from)) = reaching(side).iter().find(|taker| !pinned_off_square(taker.1)) else {
        return 0;
    };
    let (Some(taker), Some(prey)) = (board[from.index()], board[to.index()]) else { return 0 };
    if taker.kind() == PieceKind::King && !reaching(!side).is_empty() {
        return 0;
    }
    board[to.index()] = Some(taker);
    board[from.index()] = None;
    capture_value(prey.kind()) - best_answer(position, board, to, !side).max(0)
}

#[test]
fn values_are_those_of_the_definition_and_signs_agree() {
    let mut random = fastrand::Rng::with_seed(3);
    let (mut good, mut bad) = (0, 0);
    for start in [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "4k4/9/4S4/2+B1G1+b2/4R4/9/4r4/4s4/4K4 b GSNL5Pgsnl5p 1",
        "1nk+P2b2/l1r2p2l/ps3sn1p/1p4P2/3pp4/P2GPSG2/1Pp3N+pP/1S3Gp1L/4K1L1G w rbn3p 138",
    ] {
        for _ in 0..4 {
            let mut position = Position::from_sfen(start).unwrap();
            for _ in 0..60 {
                let moves = position.legal_moves();
                for &mv in &moves {
                    let value = see(&position, mv);
                    assert_eq!(value, slow(&position, mv), "{mv} in {}", position.to_sfen());
                    assert_eq!(
                        is_good(&position, mv),
                        value >= 0,
                        "{mv} in {}",
                        position.to_sfen()
                    );
                    *(if value >= 0 { &mut good } else { &mut bad }) += 1;
                }
                let Some(&mv) = moves.get(random.usize(..moves.len().max(1))) else { break };
                position.do_move(mv);
            }
        }
    }
    assert!(good > 10_000 && bad > 10_000, "{good} {bad}");
}

#[test]
fn a_capture_that_wins_enough_is_found_as_by_all_values() {
    let mut random = fastrand::Rng::with_seed(31);
    let mut wins = 0;
    for _ in 0..30 {
        let mut position = Position::startpos();
        for _ in 0..90 {
            let moves = position.legal_moves();
            let Some(&mv) = moves.get(random.usize(..moves.len().max(1))) else { break };
            position.do_move(mv);
            let captures = position.legal_moves();
            let captures = captures.iter().filter(|mv| position.is_capture(**mv));
            let best = captures.map(|mv| see(&position, *mv)).max();
            for least in [1, 210, 300, 1000] {
                let expected = best.is_some_and(|best| best >= least);
                assert_eq!(can_win(&position, least), expected, "{position:?}, {least}");
                wins += usize::from(expected);
            }
        }
    }
    assert!(wins > 1000, "{wins}");
}
