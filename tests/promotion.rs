//! Pieces promote if they lose nothing by it, and stay unpromoted if a pawn drop needs that.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;

use kyomi_engine::search::{
    Parameters, Score, SearchInfo, SearchLimits, SearchOptions, SearchResult, Searcher, StopFlag,
};
use kyomi_shogi::{Color, Game, Move, PieceKind, Position};

fn searcher() -> Searcher {
    searcher_with(&Parameters::default())
}

fn searcher_with(parameters: &Parameters) -> Searcher {
    let (hash_bytes, parameters) = (4 << 20, (*parameters).into());
    Searcher::new(SearchOptions { threads: 1, hash_bytes, parameters, ..SearchOptions::default() })
        .unwrap()
}

fn search(
    searcher: &mut Searcher,
    position: &Position,
    nodes: u64,
    lines: usize,
    on_info: impl FnMut(SearchInfo),
) -> SearchResult {
    searcher.new_game();
    let limits = SearchLimits { nodes: Some(nodes), lines, ..SearchLimits::default() };
    searcher.search(&Game::new(position.clone()), &limits, &StopFlag::new(), on_info)
}

/// Whether a pawn, bishop or rook could promote and does not, or a lance on the second rank.
fn is_needless(position: &Position, mv: Move) -> bool {
    let Some(from) = mv.from() else { return false };
    let form = Move::normal(from, mv.to(), true);
    let kind = position.piece_on(from).unwrap().kind();
    let second_rank = match position.side_to_move() {
        Color::Black => 2,
        Color::White => 8,
    };
    !mv.is_promotion()
        && position.is_legal(form)
        && match kind {
            PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook => true,
            PieceKind::Lance => mv.to().rank() == second_rank,
            _ => false,
        }
}

fn positions() -> Vec<Position> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/positions/unpromoted.sfen");
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| Position::from_sfen(line).unwrap()).collect()
}

/// Searches a position and checks the chosen move and every reported line. Returns the number of lines.
fn check(searcher: &mut Searcher, position: &Position, nodes: u64, lines: usize) -> usize {
    let sfen = position.to_sfen();
    let mut shown = 0;
    let result = search(searcher, position, nodes, lines, |info| {
        let mut position = position.clone();
        for &mv in &info.pv {
            assert!(!is_needless(&position, mv), "{sfen} {nodes}: {mv} in {:?}", info.pv);
            position.do_move(mv);
        }
        shown += 1;
    });
    let best = result.best.unwrap();
    assert!(!is_needless(position, best), "{sfen}, {nodes} nodes: {best}");
    shown
}

#[test]
fn no_piece_stays_unpromoted_that_loses_nothing_by_promoting() {
    let positions = positions();
    assert!(positions.len() > 200);
    let mut searcher = searcher();
    let mut shown = 0;
    for (number, position) in positions.iter().enumerate() {
        shown += check(&mut searcher, position, 400, 1);
        shown += check(&mut searcher, position, 1500, 1);
        if number % 5 == 0 {
            shown += check(&mut searcher, position, 6000, 1);
            shown += check(&mut searcher, position, 3000, 4);
        }
    }
    assert!(shown > 500, "{shown} lines were shown");
}

#[test]
fn a_piece_that_is_taken_at_once_promotes() {
    // A knight, lances and silvers that are recaptured: both moves lead to the same position.
    let cases = [
        (
            "l1g3s1l/1s2R1gk1/3p1p1p1/ppp3p1p/3n1P1n1/2PP1SP1P/1P2P1G1L/1SG2R3/LN2K2Nb w b3p 64",
            "2e3g+",
        ),
        ("ln2g4/1r1lk4/p1pppp3/2sL2+bp+B/1pN1G4/2PPP1p1p/PP1K1P3/2S2GS2/LN1G4r b sn3p 89", "7e6c+"),
        (
            "lr6+P/2s1g1g2/2npp1s1p/2L2k1p1/p5N2/1BpP5/PP2P1+p1P/2KS1+p1R1/LNG1G3L b Bsn4p 63",
            "7d7c+",
        ),
        ("ln1gk4/2s1rs3/pppppS1l+R/4nBpg1/9/2P6/PPNPPPP1P/+b1G1K4/5GSNL b 2Pl2p 55", "4c5b+"),
    ];
    let (mut by_plies, mut by_budgets) = (searcher(), searcher_with(&Parameters::interest()));
    let mut promoted = 0;
    for (sfen, wanted) in cases {
        let position = Position::from_sfen(sfen).unwrap();
        for (plies, nodes) in [(true, 1500), (true, 5000), (false, 1500), (false, 5000)] {
            let searcher = if plies { &mut by_plies } else { &mut by_budgets };
            let best = search(searcher, &position, nodes, 1, |_| {}).best.unwrap();
            let unpromoted = wanted.trim_end_matches('+');
            assert_ne!(best.to_string(), unpromoted, "{sfen}, {nodes} nodes");
            promoted += usize::from(best.to_string() == wanted);
        }
    }
    // Which moves are the best depends on the weights of the evaluation.
    assert!(promoted >= 5, "{promoted}");
}

#[test]
fn both_forms_that_are_mated_alike_promote() {
    // The search proves soon that the promoted form loses, and sees no mate after the other at first.
    let cases = [
        (
            "3+LB3l/2+Rp5/ppsgkpn2/4p1pNp/2P4p1/P1S2P1PP/1P1+p3+r+l/LK3S3/1N4G2 b SPb2gn2p 109",
            15_235,
        ),
        ("l2g4B/2s1k4/n1p2pgpn/3p2p1p/p1P2s1P1/1r1P3b1/P+p1KPPP1P/4G3L/L1S1G1SN1 b LPrnp 49", 9237),
        ("ln2g4/4g3k/1r1s1p+N2/2pp2s2/p3S2p1/1PPP1+B2P/PGK1P4/1B4r2/LNS5L w GL7Pn 87", 1200),
    ];
    let mut searcher = searcher();
    for (sfen, nodes) in cases {
        let position = Position::from_sfen(sfen).unwrap();
        for nodes in [nodes / 2, nodes, nodes + 777, 2 * nodes] {
            check(&mut searcher, &position, nodes, 1);
        }
    }
}

#[test]
fn a_piece_stays_unpromoted_if_the_pawn_drop_would_mate_otherwise() {
    let cases = [
        // A bishop must not guard the square that the king needs after the drop.
        ("5B1n1/8k/6Rpp/9/9/9/9/9/9 b rb4g4s3n4l16p 1", "4a2c"),
        ("5B1n1/8k/6Rpp/9/9/9/1+p7/9/K8 b rb4g4s3n4l15p 1", "4a2c"),
        ("9/9/8l/6B1k/5G1Lp/9/7S1/9/2K6 b P2rb3g3s4n2l16p 1", "3d2c"),
        // A rook.
        ("5sp2/4P1nk1/5R1p1/4s2Sp/9/4L4/9/9/K8 b Pr2b4gs3n3l13p 1", "4c2c"),
        // A lance on the third rank.
        ("8k/6+R2/5G1ln/6n1L/9/9/9/9/K8 b Pr2b3g4s2n2l17p 1", "1d1c"),
        ("4s3k/7p1/7+Sn/4PP3/9/4R2GL/9/9/K8 b Pr2b3g2s3n3l14p 1", "1f1c"),
        ("5+P1k1/6p1s/7s1/7L1/6NL1/9/9/9/K8 b P 1", "2d2c"),
        ("7nk/5Gn2/7+Bp/6s1L/5L3/9/9/9/K8 b P 1", "1d1c"),
    ];
    // By the sum alone most of these moves are the best ones.
    let mut parameters = Parameters::default();
    parameters.set("Eval_Terms", "sum").unwrap();
    let mut searcher = searcher_with(&parameters);
    let mut unpromoted = 0;
    for (sfen, wanted) in cases {
        let position = Position::from_sfen(sfen).unwrap();
        // The rook's mate needs 160,000 nodes, since static null move prunes much of it.
        let result = search(&mut searcher, &position, 300_000, 1, |_| {});
        unpromoted += usize::from(result.best.unwrap().to_string() == wanted);
        assert!(matches!(result.score, Score::Win(_)), "{sfen}: {result:?}");
    }
    // Other moves win too, and in some of the positions the promoted form mates as well, by a longer line. Which one is
    // found first depends on the weights.
    assert!(unpromoted >= 6, "{unpromoted}");
}

#[test]
fn a_move_asked_for_is_searched_whether_it_promotes_or_not() {
    let position = &positions()[0];
    let mv = position.legal_moves().into_iter().find(|mv| is_needless(position, *mv)).unwrap();
    let limits = SearchLimits { nodes: Some(1000), moves: vec![mv], ..SearchLimits::default() };
    let game = Game::new(position.clone());
    let result = searcher().search(&game, &limits, &StopFlag::new(), |_| {});
    assert_eq!(result.best, Some(mv));
}
