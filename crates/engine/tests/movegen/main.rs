//! Generated moves against a slow independent generator, on random walks and on arbitrary positions.

#![allow(clippy::unwrap_used, reason = "a test: what cannot be had fails it")]

#[path = "../../../../tests/common/positions.rs"]
mod positions;
mod reference;

use kyomi_engine::search::{find_mate_in_one, is_good, see};
use kyomi_shogi::{
    Bitboard, Color, EnteringKingRule, MAX_MOVES, Move, MoveList, PieceKind, Position, Square,
    attacks, perft,
};
use positions::arbitrary;
use reference::{RefMove, RefPosition};

/// The start positions of walks: even and handicap games, full and empty hands, many promoted pieces, exposed kings.
const STARTS: [&str; 15] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B2G2S2N2L9P2g2s2n2l9p 1",
    "4k4/9/9/9/9/9/9/9/4K4 w RB2G2S2N2L9Prb2g2s2n2l9p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
    "9/7pp/8k/7P1/7G1/9/9/9/K8 b P2r2b3g4s4n4l14p 1",
    "5sk1b/1g1r4G/1+P1s4p/2pS5/LP2PPPN1/1s2r2pP/3+n3N1/P+BP2+p1G1/1g1K3NL w 2L5Pp 1",
    "1s3+P1B+N/5P+N2/l2kp1KG1/pp1p5/P5+R1+R/2b1Gp2P/+s+n6N/g+s1PL1PPp/1+l1SPG2L w 4P 208",
    "9/PL1PL4/2N5k/N8/9/8n/K5n2/4lp1lp/9 b 2R2B4G4S14P 1",
    "+P+P+P+P+P+P+P+P+P/4K4/9/4+B+R3/9/3+b+r4/9/4k4/+p+p+p+p+p+p+p+p+p w GSNLgsnl 300",
    "9/9/4+R4/3k5/9/5K3/4+r4/9/9 b B2G2S2N2L9Pb2g2s2n2l9p 1",
    "4k4/9/4S4/2+B1G1+b2/4R4/9/4r4/4s4/4K4 b GSNL5Pgsnl5p 1",
    "k8/5g2l/Psnr1P+Bg1/5p1p1/lN1lpsP2/p1Pp2pPP/nPS2+pR2/Npp1P1SKL/3G2G2 b Pb 157",
];

fn pair(square: Square) -> (i8, i8) {
    (square.file() as i8, square.rank() as i8)
}

fn sorted_pairs(mut pairs: Vec<(i8, i8)>) -> Vec<(i8, i8)> {
    pairs.sort_unstable();
    pairs
}

/// Whether a move checks with a piece other than the one that moves.
fn discovered(position: &mut Position, mv: Move) -> bool {
    let undo = position.do_move(mv);
    let others = position.checkers().without(mv.to()).any();
    position.undo_move(mv, undo);
    others
}

fn reference_move(mv: Move) -> RefMove {
    let drop = mv.dropped().map(|kind| ['P', 'L', 'N', 'S', 'G', 'B', 'R'][kind.index()]);
    RefMove { from: mv.from().map(pair), drop, to: pair(mv.to()), promote: mv.is_promotion() }
}

fn sorted(list: &MoveList) -> Vec<RefMove> {
    let mut moves: Vec<RefMove> = list.iter().map(|&mv| reference_move(mv)).collect();
    moves.sort_unstable();
    moves
}

fn generated(generate: impl FnOnce(&mut MoveList)) -> MoveList {
    let mut list = MoveList::new();
    generate(&mut list);
    list
}

/// Compares all functions of a position about moves with the reference.
fn compare(
    position: &mut Position,
    reference: &RefPosition,
    random: &mut fastrand::Rng,
    met: &mut Met,
) {
    let place = position.to_sfen();
    let expected = reference.legal_moves();
    let legal = position.legal_moves();
    let moves: Vec<RefMove> = expected.iter().map(|(mv, _)| *mv).collect();
    assert_eq!(sorted(&legal), moves, "legal moves of {place}");

    let in_check = reference.in_check();
    assert_eq!(position.in_check(), in_check, "{place}");
    assert_eq!(position.count_legal_moves(), moves.len(), "{place}");
    assert_eq!(position.count_legal_moves_plainly(), moves.len(), "{place}");
    assert_eq!(position.has_legal_move(), !moves.is_empty(), "{place}");
    assert_eq!(position.is_checkmate(), in_check && moves.is_empty(), "{place}");

    let captures = generated(|list| position.captures_and_promotions(list));
    let quiets = generated(|list| position.quiets(list));
    let drops = generated(|list| position.drops(list));
    for mv in &captures {
        let captures = position.piece_on(mv.to()).is_some();
        assert!(!mv.is_drop() && (captures || mv.is_promotion()), "{mv} in {place}");
    }
    for mv in &quiets {
        let captures = position.piece_on(mv.to()).is_some();
        assert!(!mv.is_drop() && !captures && !mv.is_promotion(), "{mv} in {place}");
    }
    assert!(drops.iter().all(|mv| mv.is_drop()), "{place}");
    let parts: MoveList = captures.into_iter().chain(quiets).chain(drops).collect();
    assert_eq!(sorted(&parts), moves, "captures, quiet moves and drops of {place}");
    let evasions = generated(|list| position.evasions(list));
    assert_eq!(sorted(&evasions), if in_check { moves.clone() } else { vec![] }, "{place}");

    let checks = generated(|list| position.checks(list));
    let checking: Vec<RefMove> = expected.iter().filter(|(_, c)| *c).map(|(mv, _)| *mv).collect();
    assert_eq!(sorted(&checks), checking, "checks of {place}");
    for &mv in &legal {
        let gives = checking.binary_search(&reference_move(mv)).is_ok();
        assert_eq!(position.gives_check(mv), gives, "{mv} in {place}");
    }

    let mates = |position: &mut Position, mv: Move| {
        let undo = position.do_move(mv);
        let mates = position.is_checkmate();
        position.undo_move(mv, undo);
        mates
    };
    let mate = find_mate_in_one(position);
    let any = checks.into_iter().find(|&mv| mates(position, mv));
    assert_eq!(mate.is_some(), any.is_some(), "{any:?} mates in {place}");
    met.mates += usize::from(any.is_some());
    if let Some(mv) = mate {
        assert!(legal.contains(&mv) && mates(position, mv), "{mv} in {place}");
        // Mates by a discovered check, or by a piece that a discovered line guards, are rare.
        met.mates_from_afar += usize::from(!mv.is_drop() && discovered(position, mv));
    }
    let square = random.usize(..81);
    for (square, by) in Square::all().skip(square).take(2).zip(Color::ALL.into_iter().cycle()) {
        let found = position.attackers_of(by, square, position.occupied());
        let found: Vec<(i8, i8)> = found.iter().map(pair).collect();
        let expected = reference.attackers(by == Color::Black, pair(square));
        assert_eq!(sorted_pairs(found), sorted_pairs(expected), "{by:?} on {square} in {place}");
    }

    // Sometimes every bit pattern is tried, otherwise a few.
    let bits: Vec<u16> = if random.u32(..500) == 0 {
        (0..=u16::MAX).collect()
    } else {
        let random = (0..100).map(|_| random.u16(..));
        random.chain(legal.iter().flat_map(|mv| [mv.to_bits(), mv.to_bits() ^ 1 << 14])).collect()
    };
    for mv in bits.into_iter().filter_map(Move::from_bits) {
        assert_eq!(position.is_legal(mv), legal.contains(&mv), "{mv} in {place}");
    }

    // The incremental state equals that of a position set up anew, and undone moves leave no trace.
    let rebuilt = Position::from_sfen(&place).unwrap();
    assert!(*position == rebuilt, "{place}");
    assert_eq!(position.key(), position.recomputed_key(), "{place}");
    let all = random.u32(..10) == 0;
    let tried = if all { legal.len() } else { legal.len().min(2) };
    for _ in 0..tried {
        let mv = legal[random.usize(..legal.len())];
        let undo = position.do_move(mv);
        assert_eq!(position.key(), position.recomputed_key(), "{mv} in {place}");
        position.undo_move(mv, undo);
        assert!(*position == rebuilt, "{mv} done and undone in {place}");
    }
    let undo = position.do_null_move();
    let passed = Position::from_sfen(&position.to_sfen()).unwrap();
    assert!(*position == passed, "null move in {place}");
    position.undo_null_move(undo);
    assert!(*position == rebuilt, "null move done and undone in {place}");
    for rule in EnteringKingRule::ALL {
        position.declaration(rule);
        position.entering_king_win(rule);
    }
    met.checking_moves += checking.len();
}

/// The kinds of positions and moves that the walks have met.
#[derive(Default, Debug)]
struct Met {
    positions: usize,
    in_check: usize,
    double_checks: usize,
    pinned: usize,
    checking_moves: usize,
    promoted: usize,
    empty_hands: usize,
    full_hands: usize,
    mates: usize,
    mates_from_afar: usize,
}

fn walk(start: &str, plies: usize, random: &mut fastrand::Rng, met: &mut Met) {
    let mut position = Position::from_sfen(start).unwrap();
    let mut reference = RefPosition::new(start);
    for _ in 0..plies {
        met.positions += 1;
        met.in_check += usize::from(position.in_check());
        met.double_checks += usize::from(position.checkers().more_than_one());
        met.pinned += usize::from(position.pinned(position.side_to_move()).any());
        let hands = Color::ALL.map(|color| position.hand(color).total());
        met.empty_hands += usize::from(hands == [0, 0]);
        met.full_hands += usize::from(hands[0] + hands[1] >= 20);
        let promoted = |square| position.piece_on(square).is_some_and(|p| p.kind().is_promoted());
        met.promoted += usize::from(Square::all().filter(|&square| promoted(square)).count() >= 4);
        compare(&mut position, &reference, random, met);

        let legal = position.legal_moves();
        let mut chosen = generated(|list| match random.u8(..10) {
            0..=3 => position.checks(list),
            4 => position.captures_and_promotions(list),
            _ => {}
        });
        let discoverers = position.discoverers(position.side_to_move());
        if discoverers.any() && random.bool() {
            // Discovered checks, of which some are double ones.
            chosen = generated(|list| position.checks(list));
            chosen.retain(|mv| mv.from().is_some_and(|from| discoverers.contains(from)));
            let mut after = position.clone();
            let double: MoveList = chosen
                .iter()
                .copied()
                .filter(|&mv| {
                    let undo = after.do_move(mv);
                    let double = after.checkers().more_than_one();
                    after.undo_move(mv, undo);
                    double
                })
                .collect();
            if !double.is_empty() {
                chosen = double;
            }
        }
        if chosen.is_empty() {
            chosen = legal;
        }
        if chosen.is_empty() {
            return;
        }
        let mv = chosen[random.usize(..chosen.len())];
        position.do_move(mv);
        reference.make(reference_move(mv));
    }
}

/// Runs the walks in a fixed number of parts with different seeds, until each part has met its share of the positions.
fn in_threads(positions: usize, work: impl Fn(&mut fastrand::Rng, &mut Met) + Sync) -> Vec<Met> {
    const PARTS: usize = 4;
    std::thread::scope(|scope| {
        let run = |part: usize| {
            let work = &work;
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(20 + part as u64);
                let mut met = Met::default();
                while met.positions < positions.div_ceil(PARTS) {
                    work(&mut random, &mut met);
                }
                met
            })
        };
        let running: Vec<_> = (0..PARTS).map(run).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn generated_moves_equal_the_reference_on_100_000_positions_of_random_walks() {
    let met = in_threads(100_000, |random, met| {
        let start = STARTS[random.usize(..STARTS.len())];
        walk(start, 150, random, met);
    });
    let sum = |field: fn(&Met) -> usize| met.iter().map(field).sum::<usize>();
    assert!(sum(|met| met.positions) >= 100_000);
    assert!(sum(|met| met.in_check) >= 20_000, "{met:?}");
    assert!(sum(|met| met.double_checks) >= 100, "{met:?}");
    assert!(sum(|met| met.pinned) >= 5_000, "{met:?}");
    assert!(sum(|met| met.checking_moves) >= 100_000, "{met:?}");
    assert!(sum(|met| met.promoted) >= 10_000, "{met:?}");
    assert!(sum(|met| met.empty_hands) >= 200, "{met:?}");
    assert!(sum(|met| met.full_hands) >= 5_000, "{met:?}");
    assert!(sum(|met| met.mates) >= 1_000, "{met:?}");
    assert!(sum(|met| met.mates_from_afar) >= 20, "{met:?}");
}

#[test]
fn arbitrary_positions_are_safe_and_answered_like_the_reference() {
    in_threads(20_000, |random, met| {
        let start = arbitrary(random);
        if !has_two_pawns(&start) {
            walk(&start.to_sfen(), 4, random, met);
        }
    });
}

/// Whether a side has two pawns on a file. Such a position is not played, and pawn drops in it are not exact.
fn has_two_pawns(position: &Position) -> bool {
    Color::ALL.iter().any(|&color| {
        let mut files = [0; 10];
        for square in position.pieces(color, PieceKind::Pawn) {
            files[usize::from(square.file())] += 1;
        }
        files.iter().any(|count| *count > 1)
    })
}

/// An SFEN with a few characters removed, doubled or exchanged. Most are refused; the others are unusual positions that
/// the parser accepts.
fn spoiled(sfen: &str, random: &mut fastrand::Rng) -> String {
    const LETTERS: &[u8] = b"PLNSGBRKplnsgbrk+123456789/ bw-0";
    let mut text = sfen.as_bytes().to_vec();
    for _ in 0..random.usize(..4) {
        let at = random.usize(..text.len());
        match random.u8(..3) {
            0 => drop(text.remove(at)),
            1 => text.insert(at, LETTERS[random.usize(..LETTERS.len())]),
            _ => text[at] = LETTERS[random.usize(..LETTERS.len())],
        }
    }
    String::from_utf8(text).unwrap()
}

#[test]
fn nothing_panics_on_any_position_the_parser_accepts() {
    let mut random = fastrand::Rng::with_seed(11);
    let (mut accepted, mut spoiled_accepted, mut kingless, mut exposed) = (0, 0, 0, 0);
    while accepted < 600 {
        let sfen = arbitrary(&mut random).to_sfen();
        let text = spoiled(&sfen, &mut random);
        let Ok(mut position) = Position::from_sfen(&text) else { continue };
        accepted += 1;
        spoiled_accepted += usize::from(text != sfen);
        kingless +=
            usize::from(Color::ALL.iter().any(|&side| position.king_square(side).is_none()));
        exposed += usize::from(position.is_exposed());
        everything(&mut position, accepted % 60 == 0, &text);
    }
    assert!(spoiled_accepted > 50 && kingless > 100 && exposed > 50);
}

/// Calls every function of a position, and makes its moves to depth 2.
fn everything(position: &mut Position, all_patterns: bool, place: &str) {
    let before = position.clone();
    let legal = position.legal_moves();
    let count = position.count_legal_moves();
    assert_eq!((count, position.has_legal_move()), (legal.len(), !legal.is_empty()), "{place}");
    let captures = generated(|list| position.captures_and_promotions(list));
    let quiets = generated(|list| position.quiets(list));
    let drops = generated(|list| position.drops(list));
    assert_eq!(captures.len() + quiets.len() + drops.len(), legal.len(), "{place}");
    let evasions = generated(|list| position.evasions(list));
    assert!(evasions.is_empty() || evasions.len() == legal.len(), "{place}");
    let checks = generated(|list| position.checks(list));
    for &mv in &legal {
        assert_eq!(position.gives_check(mv), checks.contains(&mv), "{mv} in {place}");
        assert_eq!(is_good(position, mv), see(position, mv) >= 0, "{mv} in {place}");
    }
    for square in Square::all() {
        for by in Color::ALL {
            let found = position.attackers_of(by, square, position.occupied());
            let attacks_it = |from: &Square| {
                let kind = position.piece_on(*from).unwrap().kind();
                attacks(kind, by, *from, position.occupied()).contains(square)
            };
            let wanted: Bitboard = position.of_color(by).iter().filter(attacks_it).collect();
            assert_eq!(found, wanted, "{square} in {place}");
            let attacked = position.is_attacked(square, by, position.occupied());
            assert_eq!(attacked, found.any(), "{square} in {place}");
        }
    }
    if all_patterns {
        let patterns = (0..=u16::MAX).filter_map(Move::from_bits);
        assert_eq!(patterns.filter(|&mv| position.is_legal(mv)).count(), legal.len(), "{place}");
    }
    if let Some(mv) = find_mate_in_one(position) {
        let undo = position.do_move(mv);
        assert!(position.is_checkmate(), "{mv} in {place}");
        position.undo_move(mv, undo);
    }
    for rule in EnteringKingRule::ALL {
        position.declaration(rule);
        position.entering_king_win(rule);
    }
    position.is_checkmate();
    let children = perft::divide(position, 2);
    assert_eq!(children.len(), legal.len(), "{place}");
    assert!(*position == before, "{place}");
}

#[test]
fn perft_counts_the_known_numbers_of_the_start_position() {
    let mut position = Position::startpos();
    for (depth, nodes) in [(0, 1), (1, 30), (2, 900), (3, 25_470), (4, 719_731)] {
        assert_eq!(perft::perft(&mut position, depth), nodes);
    }
    let divided = perft::divide(&mut position, 3);
    assert_eq!(divided.len(), 30);
    assert_eq!(divided.iter().map(|(_, nodes)| nodes).sum::<u64>(), 25_470);
}

/// With an opposing king on the board the number is six smaller.
#[test]
fn the_position_with_most_moves_has_as_many_as_a_list_holds() {
    for (sfen, moves) in [
        ("R8/2K1S1SS1/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", MAX_MOVES),
        ("1l1l1l3/9/9/9/9/9/4b4/2k1s1ss1/r8 w 3G3N17Prbgsnlp 1", MAX_MOVES),
        ("R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 593),
    ] {
        let mut position = Position::from_sfen(sfen).unwrap();
        assert_eq!(position.legal_moves().len(), moves, "{sfen}");
        everything(&mut position, true, sfen);
    }
}
