use proptest::prelude::*;

use super::*;
use kyomi_shogi::notation::usi::parse_move;
use kyomi_shogi::{Color, MoveList, Piece, PieceKind, PositionBuilder, Square};

fn solve_within(sfen: &str, nodes: u64) -> MateOutcome {
    let position = Position::from_sfen(sfen).unwrap();
    let limits = MateLimits { nodes: Some(nodes), deadline: None };
    MateSearch::new(1 << 20).solve(&position, &limits, &StopFlag::new())
}

fn solve(sfen: &str) -> MateOutcome {
    solve_within(sfen, 200_000)
}

/// Whether checks alone mate within this number of plies, by trying all moves.
fn mates_within(position: &mut Position, plies: usize) -> bool {
    let mut checks = MoveList::new();
    position.checks(&mut checks);
    checks.into_iter().any(|check| {
        let undo = position.do_move(check);
        let answers = position.legal_moves();
        let mates = if plies == 1 {
            answers.is_empty()
        } else {
            answers.into_iter().all(|answer| {
                let undo = position.do_move(answer);
                let mates = mates_within(position, plies - 2);
                position.undo_move(answer, undo);
                mates
            })
        };
        position.undo_move(check, undo);
        mates
    })
}

fn words(outcome: &MateOutcome) -> String {
    match outcome {
        MateOutcome::Mate { line, .. } => {
            line.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn a_gold_on_the_head_mates() {
    assert_eq!(words(&solve("4k4/9/4P4/9/9/9/9/9/4K4 b G 1")), "G*5b");
    assert_eq!(words(&solve("4k4/9/9/9/9/9/4p4/9/4K4 w g 1")), "G*5h");
}

#[test]
fn without_checks_or_without_a_king_there_is_no_mate() {
    assert_eq!(solve("4k4/9/9/9/9/9/9/9/4K4 b - 1"), MateOutcome::NoMate);
    assert_eq!(solve("9/9/9/9/9/9/9/9/4K4 b G 1"), MateOutcome::NoMate);
    assert_eq!(solve("4k4/9/9/9/9/9/9/9/4K4 b G 1"), MateOutcome::NoMate);
}

#[test]
fn a_mated_side_cannot_mate() {
    assert_eq!(solve("4k4/9/9/9/9/9/9/4g4/3gK4 b G 1"), MateOutcome::NoMate);
}

#[test]
fn a_problem_needs_no_king_of_the_attacker() {
    assert_eq!(words(&solve("4k4/9/4P4/9/9/9/9/9/9 b G 1")), "G*5b");
}

#[test]
fn a_pawn_drop_never_mates() {
    // P*1b would be mate. Every other check loses its piece.
    assert_eq!(solve("7nk/7n1/7S1/9/9/9/9/9/4K4 b P 1"), MateOutcome::NoMate);
}

#[test]
fn a_bishop_stays_unpromoted_where_the_pawn_drop_would_mate_else() {
    for sfen in [
        "5B1n1/8k/6Rpp/9/9/9/9/9/9 b rb4g4s3n4l16p 1",
        "9/9/8l/6B1k/5G1Lp/9/7S1/9/2K6 b P2rb3g3s4n2l16p 1",
    ] {
        let line = words(&solve(sfen));
        assert!(line.starts_with("4a2c 1b1a P*1b") || line.starts_with("3d2c 1d2e P*2f"), "{line}");
    }
}

#[test]
fn a_double_check_is_answered_by_the_king_alone() {
    // The bishop opens the rook's line: neither a capture nor an interposition helps.
    let line = words(&solve("3gkg3/3s5/9/9/4B4/9/9/9/4RK3 b - 1"));
    assert!(["5e3c", "5e3c+"].contains(&line.as_str()), "{line}");
}

#[test]
fn checks_for_ever_are_no_mate_and_end() {
    assert_eq!(solve("4k4/9/9/9/4+R4/9/9/9/4K4 b - 1"), MateOutcome::NoMate);
    assert_eq!(solve("4k4/9/9/9/4+R4/4+B4/9/9/9 b rb4g4s4n4l18p 1"), MateOutcome::NoMate);
}

#[test]
fn limits_and_the_stop_flag_end_it() {
    let hard = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    assert_eq!(solve_within(hard, 2), MateOutcome::Unknown);
    let position = Position::from_sfen(hard).unwrap();
    let mut search = MateSearch::new(1 << 16);
    let stop = StopFlag::new();
    stop.stop();
    let outcome = search.solve(&position, &MateLimits::default(), &stop);
    assert_eq!(outcome, MateOutcome::Unknown);
    let late = MateLimits { deadline: Some(Instant::now()), nodes: None };
    assert_eq!(search.solve(&position, &late, &StopFlag::new()), MateOutcome::Unknown);
}

#[test]
fn the_line_is_the_best_for_both_sides() {
    // The rook could check twice before it mates; the gold mates at once.
    let outcome = solve("k8/9/1G7/9/9/9/9/9/4K3R b G 1");
    let MateOutcome::Mate { line, plies: 1, shortest: true } = &outcome else {
        panic!("{outcome:?}")
    };
    assert_eq!(line.len(), 1);
    // The shortest mate has nine plies.
    let deep = "+B1g2g2l/5ksG1/p2ppppp1/2pN5/P2n3Pp/1PP6/1R1P2P1P/2KS3+r1/LN2P4 b BG2SL2Pnl 121";
    match solve_within(deep, 400_000) {
        MateOutcome::Mate { line, plies, shortest } => {
            assert!(line.len() == 9 && plies == 9 && shortest, "{line:?} {plies}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_nodes_or_time_to_shorten_it_the_line_is_kept() {
    let mut solver = Solver::new(1 << 16);
    let position = Position::from_sfen("k8/9/1G7/9/9/9/9/9/4K3R b G 1").unwrap();
    solver.begin(Color::Black);
    let stop = StopFlag::new();
    let allowed = |nodes| shortest::ShortestLimits { nodes, deadline: None, stop: &stop };
    assert_eq!(shortest::shortest(&mut solver, &position, 3, &allowed(0)), None);
    let line = shortest::shortest(&mut solver, &position, 3, &allowed(1000)).unwrap();
    assert!(line.len() == 1 && is_mate_line(&position, &line));
    let late = Some(Instant::now());
    let no_time = shortest::ShortestLimits { nodes: 1000, deadline: late, stop: &stop };
    assert_eq!(shortest::shortest(&mut solver, &position, 3, &no_time), None);
    stop.stop();
    assert_eq!(shortest::shortest(&mut solver, &position, 3, &allowed(1000)), None);
}

#[test]
fn the_result_does_not_depend_on_earlier_searches() {
    let first = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let second = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    let limits = MateLimits { nodes: Some(20_000), deadline: None };
    let mut fresh = MateSearch::new(1 << 18);
    let mut used = MateSearch::new(1 << 18);
    used.solve(&Position::from_sfen(first).unwrap(), &limits, &StopFlag::new());
    let position = Position::from_sfen(second).unwrap();
    let one = fresh.solve(&position, &limits, &StopFlag::new());
    let other = used.solve(&position, &limits, &StopFlag::new());
    assert_eq!((one, fresh.nodes()), (other, used.nodes()));
}

#[test]
fn a_line_is_a_mate_only_to_its_last_move() {
    let position = Position::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
    let moves = |text: &str| -> Vec<Move> {
        text.split_whitespace().map(|word| parse_move(word).unwrap()).collect()
    };
    assert!(is_mate_line(&position, &moves("G*5b")));
    for text in ["", "G*4b", "G*5b 5a4a", "5c5b", "G*9i"] {
        assert!(!is_mate_line(&position, &moves(text)), "{text}");
    }
}

/// A king near a corner or the edge, with some pieces around it and some in hand.
fn small_position() -> impl Strategy<Value = Position> {
    let piece = (0..5u8, 0..5u8, 0..13usize, 0..3u8);
    let pieces = prop::collection::vec(piece, 1..8);
    let hand = prop::collection::vec(0..7usize, 0..4);
    let kings = (0..4u8, 0..3u8, any::<bool>());
    (kings, pieces, hand.clone(), hand).prop_filter_map(
        "a position",
        |(king, pieces, black, white)| {
            let (file, rank, with_own) = king;
            let mut builder = PositionBuilder::new();
            builder
                .put(Square::new(1 + file, 1 + rank)?, Piece::new(Color::White, PieceKind::King));
            if with_own {
                builder.put(Square::new(5, 9)?, Piece::new(Color::Black, PieceKind::King));
            }
            for (file, rank, kind, side) in pieces {
                let color = if side == 0 { Color::White } else { Color::Black };
                let kinds: Vec<PieceKind> =
                    PieceKind::ALL.into_iter().filter(|&kind| kind != PieceKind::King).collect();
                let (square, kind) = (Square::new(1 + file, 1 + rank)?, kinds[kind % kinds.len()]);
                if builder.piece_on(square).is_none() {
                    builder.put(square, Piece::new(color, kind));
                }
            }
            for (color, kinds) in [(Color::Black, black), (Color::White, white)] {
                for kind in kinds {
                    let kind = PieceKind::HAND[kind];
                    builder.set_hand(color, kind, builder.hand_count(color, kind) + 1);
                }
            }
            builder.set_side(Color::Black);
            let position = builder.build().ok()?;
            (!position.is_exposed()).then_some(position)
        },
    )
}

proptest! {
    #[test]
    fn it_agrees_with_an_exhaustive_search(position in small_position()) {
        let limits = MateLimits { nodes: Some(100_000), deadline: None };
        let outcome = MateSearch::new(1 << 16).solve(&position, &limits, &StopFlag::new());
        let mut checks = MoveList::new();
        position.checks(&mut checks);
        let deepest = if checks.len() <= 4 { 5 } else { 3 };
        let shortest =
            (1..=deepest).step_by(2).find(|&plies| mates_within(&mut position.clone(), plies));
        match &outcome {
            MateOutcome::Mate { line, plies, shortest: proven } => {
                prop_assert!(is_mate_line(&position, line) && line.len() <= *plies);
                if *proven && (shortest.is_some() || *plies <= deepest) {
                    prop_assert!(shortest == Some(*plies) && line.len() == *plies);
                }
                prop_assert!(shortest.is_none_or(|shortest| shortest <= *plies));
                prop_assert!(line.len() > deepest || shortest.is_some(), "{}", words(&outcome));
            }
            other => prop_assert!(shortest.is_none(), "{other:?}, but {shortest:?} plies"),
        }
    }
}
