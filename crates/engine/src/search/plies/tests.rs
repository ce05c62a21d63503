//! The order of moves, what is learned, and whole searches.

use std::sync::Arc;

use super::checks::Checks;
use super::picker::{Orders, Picker, is_tactical};
use super::prior::{Listing, Priors};
use crate::search::ply_knowledge::{BACK, CorrectionPlaces, pawn_key};
use crate::search::ply_knowledge::{Learned, Place};
use crate::search::{
    GameRules, Parameters, Preset, Score, SearchLimits, SearchOptions, Searcher, StopFlag,
    bench::POSITIONS, see,
};
use crate::search::{kind::ByPlies, table::TranspositionTable, worker::Worker};
use kyomi_shogi::{Game, Move, Position, notation::usi::parse_move};

const MIDDLE: &str = "lr5nl/2kg2g2/2ns3p1/p1pppsp1p/1p5P1/P1PPPBP1P/1PSG1SN2/2G4R1/LNK5L b Pbp 51";

fn picked(position: &Position, learned: &Learned, hash: Option<Move>) -> Vec<Move> {
    picked_by(Picker::new(hash, position.in_check()), position, learned)
}

fn picked_by(mut picker: Picker, position: &Position, learned: &Learned) -> Vec<Move> {
    picked_with(&mut picker, position, learned, None)
}

fn picked_with(
    picker: &mut Picker,
    position: &Position,
    learned: &Learned,
    priors: Priors<'_>,
) -> Vec<Move> {
    let mut moves = Vec::new();
    let checks = Checks::of(position);
    let orders = Orders {
        learned,
        checks: &checks,
        before: [Place::NONE; 6],
        pawns: 0,
        ply: 9,
        priors,
        prior_weight: 2000,
    };
    while let Some(picked) = picker.next(position, &orders) {
        moves.push(picked.mv);
    }
    moves.extend(picker.needless.iter().copied());
    moves
}

/// Positions of random games.
fn random_positions(mut visit: impl FnMut(&Position, &mut fastrand::Rng)) {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..12 {
        let mut position = Position::startpos();
        for _ in 0..120 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.do_move(moves[random.usize(..moves.len())]);
            visit(&position, &mut random);
        }
    }
}

#[test]
fn every_legal_move_is_picked_once_and_the_hash_move_first() {
    let learned = Learned::new();
    random_positions(|position, random| {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return;
        }
        let hash = Some(legal[random.usize(..legal.len())]).filter(|_| random.bool());
        let mut moves = picked(position, &learned, hash);
        assert!(hash.is_none() || moves.first().copied() == hash);
        let mut legal: Vec<_> = legal.into_iter().collect();
        moves.sort_by_key(|mv| mv.to_bits());
        legal.sort_by_key(|mv| mv.to_bits());
        assert_eq!(moves, legal, "{position:?}");
    });
}

#[test]
fn priors_order_the_quiet_moves_and_lose_none() {
    let (learned, parameters) = (Learned::new(), Parameters::default());
    let table = Arc::new(TranspositionTable::new(1 << 12, 1));
    let mut worker = Worker::<ByPlies>::new(0, table, Arc::default(), &parameters);
    random_positions(|position, random| {
        let legal = position.legal_moves();
        if legal.is_empty() {
            return;
        }
        worker.set_root(&Game::new(position.clone()), GameRules::default(), StopFlag::new());
        let mut known = Listing::new();
        worker.list_with_priors(0, &mut known);
        let priors = |listing: &mut Listing| worker.list_with_priors(0, listing);
        let hash = Some(legal[random.usize(..legal.len())]).filter(|_| random.bool());
        let mut picker = Picker::new(hash, position.in_check());
        let moves = picked_with(&mut picker, position, &learned, Some(&priors));
        let sorted = |moves: &mut dyn Iterator<Item = Move>| {
            let mut bits: Vec<_> = moves.map(Move::to_bits).collect();
            bits.sort_unstable();
            bits
        };
        assert_eq!(sorted(&mut moves.iter().copied()), sorted(&mut legal.iter().copied()));
        let has_all = position.in_check();
        let mut rest = legal.iter().copied().filter(|mv| has_all || !position.is_capture(*mv));
        assert_eq!(sorted(&mut known.iter().map(|known| known.mv)), sorted(&mut rest));
        // Nothing is learned yet, so that moves without check come in the order of their interest.
        let prior = |mv: Move| {
            let prior = known.iter().find(|known| known.mv == mv).unwrap().prior;
            i32::from(if see::is_good(position, mv) { prior.value } else { prior.if_bad })
        };
        let is_plain = |mv: &&Move| {
            !is_tactical(position, **mv)
                && !position.gives_check(**mv)
                && Some(**mv) != hash
                && !picker.needless.contains(*mv)
        };
        let order: Vec<_> = moves.iter().filter(is_plain).map(|mv| prior(*mv)).collect();
        assert!(
            order.is_sorted_by(|a, b| a * 2000 / 256 >= b * 2000 / 256),
            "{position:?} {order:?}"
        );
    });
}

#[test]
fn checks_are_those_of_the_rules() {
    random_positions(|position, _| {
        let checks = Checks::of(position);
        for &mv in &position.legal_moves() {
            assert_eq!(
                checks.given_by(position, mv),
                position.gives_check(mv),
                "{position:?} {mv}"
            );
        }
    });
}

#[test]
fn quiet_moves_come_by_their_histories() {
    let (position, mut learned) = (Position::startpos(), Learned::new());
    let [best, second] = ["9g9f", "5i5h"].map(|text| parse_move(text).unwrap());
    learned.learn_plain(position.side_to_move(), best, 5000);
    learned.learn_after(Place::NONE, Place::of(&position, second), 9000);
    let moves = picked(&position, &learned, None);
    // The row for no move counts for five of the plies before.
    assert_eq!(moves[..2], [second, best]);
}

#[test]
fn checks_come_before_the_promotions_of_a_rook() {
    let position = Position::from_sfen("4k4/8R/9/9/9/9/9/9/4K4 b S 1").unwrap();
    let moves = picked(&position, &Learned::new(), None);
    let at = |text: &str| moves.iter().position(|mv| mv.to_string() == text).unwrap();
    assert!(at("S*4b") < at("1b2b+"), "{moves:?}");
}

#[test]
fn evasions_are_picked_where_other_quiet_moves_are_left_out() {
    let learned = Learned::new();
    let evading = Position::from_sfen("4k4/9/9/9/9/9/9/4r4/3GK4 b P 1").unwrap();
    for (position, all) in [(evading, true), (Position::startpos(), false)] {
        let mut picker = Picker::new(None, position.in_check());
        picker.skip_quiets = true;
        let moves = picked_by(picker, &position, &learned);
        assert_eq!(moves.len() == position.legal_moves().len(), all, "{moves:?}");
    }
}

#[test]
fn the_history_near_the_root_is_that_of_one_search() {
    let (mut learned, mv) = (Learned::new(), parse_move("7g7f").unwrap());
    let new = learned.near_root(2, mv);
    learned.learn_near_root(2, mv, 500);
    assert!(learned.near_root(2, mv) > new + 600);
    assert!(learned.near_root(1, mv) > new, "the closer to the root, the more it counts");
    assert_eq!(learned.near_root(60, mv), 0);
    learned.learn_near_root(60, mv, 500);
    learned.forget_near_root();
    assert_eq!(learned.near_root(2, mv), new);
}

#[test]
fn values_stay_within_their_limits_and_follow_the_last_results() {
    let (position, mut learned) = (Position::startpos(), Learned::new());
    let mv = parse_move("7g7f").unwrap();
    let (side, place) = (position.side_to_move(), Place::of(&position, mv));
    let mut last = learned.plain(side, mv);
    for _ in 0..300 {
        learned.learn_plain(side, mv, 1500);
        learned.learn_after(Place::NONE, place, i32::MAX / 4096);
        learned.learn_capture(place, None, -100_000);
        let now = learned.plain(side, mv);
        assert!((last..=8192).contains(&now), "{last} {now}");
        last = now;
    }
    assert!(last > 6000);
    learned.learn_plain(side, mv, -1500);
    assert!(learned.plain(side, mv) < last - 1500);
    assert!(BACK.iter().all(|(back, weight)| (1..=6).contains(back) && *weight <= 1024));
}

#[test]
fn corrections_move_the_evaluation_of_similar_positions() {
    let (position, mut learned) = (Position::startpos(), Learned::new());
    let of =
        |position: &Position| CorrectionPlaces::of(position, pawn_key(position), [Place::NONE; 6]);
    for _ in 0..1000 {
        learned.learn_correction(&of(&position), 10_000);
    }
    let whole = learned.correction(&of(&position));
    assert!((50..400).contains(&whole), "{whole}");
    let mut other = position;
    other.do_move(parse_move("7g7f").unwrap());
    other.do_move(parse_move("3c3d").unwrap());
    let part = learned.correction(&of(&other));
    assert!((1..whole).contains(&part), "{part} of {whole}");
}

#[test]
fn an_iteration_forgets_the_cuts_of_the_last_search() {
    let parameters = Parameters::preset(Preset::Lmr);
    let table = Arc::new(TranspositionTable::new(1 << 12, 1));
    let mut worker = Worker::<ByPlies>::new(0, table, Arc::default(), &parameters);
    for ply in 0..4 {
        worker.knowledge.plies.stack[ply].cuts = 9;
    }
    worker.begin_root_move(0, parse_move("7g7f").unwrap(), 30);
    // Nodes of ply 1 read those of ply 2, which no other node resets.
    assert_eq!([1, 2].map(|ply| worker.knowledge.plies.stack[ply].cuts), [0, 0]);
}

fn searcher() -> Searcher {
    let parameters = Parameters { mate_nodes: 0, ..Parameters::preset(Preset::Lmr) };
    Searcher::new(SearchOptions { parameters: parameters.into(), ..SearchOptions::default() })
        .unwrap()
}

fn searched(searcher: &mut Searcher, sfen: &str, nodes: u64) -> (Option<Move>, Score, u32, u64) {
    searcher.new_game();
    let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    let game = Game::new(Position::from_sfen(sfen).unwrap());
    let found = searcher.search(&game, &limits, &StopFlag::new(), |_| {});
    (found.best, found.score, found.depth, found.nodes)
}

#[test]
fn a_search_is_the_same_every_time_and_keeps_its_limit() {
    let mut searcher = searcher();
    for sfen in &POSITIONS[2..6] {
        let first = searched(&mut searcher, sfen, 5000);
        assert_eq!(first, searched(&mut searcher, sfen, 5000));
        assert!(first.0.is_some() && first.3 <= 5000, "{first:?}");
    }
    for limit in (300..3000).step_by(61) {
        let (.., nodes) = searched(&mut searcher, MIDDLE, limit);
        assert!(nodes <= limit, "{nodes} of {limit}");
    }
    let (_, _, depth, _) = searched(&mut searcher, MIDDLE, 20_000);
    assert!(depth >= 7, "{depth}");
}

#[test]
fn a_mate_is_found() {
    let (best, score, ..) = searched(&mut searcher(), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", 2000);
    assert_eq!((best, score), (parse_move("G*5b").ok(), Score::Win(Some(1))));
}
