//! The preset `paper` against examples worked out by hand (docs/search.md, sections 1.1, 1.3, 1.6 and 6.1). Interest is
//! in sixteenths of a point, so 1000 points are 16000 and a tenth of a silver's capture value is 86 · 16 = 1376.

use super::attack_maps::AttackMaps;
use super::cost::{Budgets, CostFunction, CostRules};
use super::explain::{ExplainRequest, explain};
use super::history::HistoryTables;
use super::interest::{InterestList, ScoringContext};
use super::limits::SearchLimits;
use super::parameters::{Parameters, Preset};
use super::picker::tests::scoring_context;
use super::weights::Weights;
use crate::eval::Evaluation;
use kyomi_shogi::{Game, Move, Position, notation::usi::parse_move};

/// The interest of some moves, their number in all, and the costs of the same moves at the start of an iteration.
fn listed(
    sfen: &str,
    moves: &[&str],
    change: impl Fn(&mut ScoringContext<'_>),
) -> (usize, Vec<i32>, Vec<i32>) {
    let parameters = Parameters::preset(Preset::Paper);
    let (history, weights) = (HistoryTables::new(), Weights::new(&parameters));
    let mut context = scoring_context(&history, &weights);
    change(&mut context);
    let position = Position::from_sfen(sfen).unwrap();
    let mut list = InterestList::default();
    list.fill_by_sets(&position, &AttackMaps::of(&position), &context);
    assert!(list.drop_sets.is_empty() && list.reserve.is_empty(), "{sfen}");
    let interest: Vec<_> = moves
        .iter()
        .map(|text| {
            let mut scored = *list.moves.iter().find(|scored| scored.mv == mv(text)).unwrap();
            let before = scored.interest;
            scored.resolve_exchange(&position);
            assert_eq!(scored.interest, before, "{text} counts the same, good or bad");
            before
        })
        .collect();
    let costs = CostRules::new(&parameters);
    let budgets = Budgets::whole(200);
    let cost = CostFunction::new(&costs, list.sum, budgets, 0, 200, false);
    let all = interest.iter().map(|&interest| cost.cost(interest)).collect();
    (list.count, interest, all)
}

fn plainly(sfen: &str, moves: &[&str]) -> (usize, Vec<i32>, Vec<i32>) {
    listed(sfen, moves, |_| ())
}

fn mv(text: &str) -> Move {
    parse_move(text).unwrap()
}

fn code(text: &str) -> u16 {
    mv(text).to_bits()
}

/// Two kings: five moves.
const KINGS: &str = "4k4/9/9/9/9/9/9/9/4K4 b - 1";

#[test]
fn term_1_divides_a_thousand_points_and_term_17_is_0_for_equal_moves() {
    // 1000 / 5 = 200 points, at a cost of 9000 / 200 = 45.
    let all = ["5i4h", "5i5h", "5i6h", "5i4i", "5i6i"];
    assert_eq!(plainly(KINGS, &all), (5, vec![3200; 5], vec![45; 5]));
}

#[test]
fn term_3_the_hash_move_has_25_more_and_may_have_term_17() {
    // 200 + 25, the most of a quiet move: + 100. 9000 / 325 = 27.
    let found = listed(KINGS, &["5i5h", "5i4h"], |context| context.hash = Some(mv("5i5h")));
    assert_eq!(found, (5, vec![325 * 16, 3200], vec![27, 45]));
    // The killer has 300 and the hash move 225. At the root the hash move will have 100 more, which counts already:
    // then it has term 17.
    let killer = |context: &mut ScoringContext<'_>| {
        context.hash = Some(mv("5i5h"));
        context.suggested.killers[0] = code("5i4h");
    };
    let found = listed(KINGS, &["5i5h", "5i4h"], killer);
    assert_eq!(found.1, [225 * 16, 400 * 16]);
    let found = listed(KINGS, &["5i5h", "5i4h"], |context| {
        killer(context);
        context.later_bonus = context.weights.root_best;
    });
    assert_eq!(found.1, [325 * 16, 300 * 16]);
}

#[test]
fn terms_5_to_7_and_17_a_killer_a_reply_and_a_continuation() {
    // The first killer has 200 + 100 and is the best quiet move: 400, at 9000 / 400 = 22. The second one has nothing.
    let found = listed(KINGS, &["5i5h", "5i4h"], |context| {
        context.suggested.killers = [code("5i5h"), code("5i4h")];
    });
    assert_eq!(found, (5, vec![400 * 16, 3200], vec![22, 45]));
    // Three moves have 300 each, so that none is the best: 9000 / 300 = 30.
    let found = listed(KINGS, &["5i5h", "5i4h", "5i6h", "5i4i"], |context| {
        context.suggested.killers[0] = code("5i5h");
        context.suggested.counter_move = code("5i4h");
        context.suggested.continuation = code("5i6h");
    });
    assert_eq!(found.1, [4800, 4800, 4800, 3200]);
    assert_eq!(found.2, [30, 30, 30, 45]);
}

#[test]
fn term_8_a_pawn_attacks_a_piece() {
    // Six moves: 16000 / 6 = 2666. The step before the silver has 1376 more and is the best quiet move: 1600 more.
    // 144000 / 5642 = 25; 144000 / 2666 = 54.
    let found = plainly("4k4/9/9/2s6/9/2P6/9/9/4K4 b - 1", &["7f7e", "5i5h"]);
    assert_eq!(found, (6, vec![2666 + 1376 + 1600, 2666], vec![25, 54]));
}

#[test]
fn terms_9_and_12_a_pawn_under_attack_takes_a_pawn() {
    // 2666, and 21 points both for the pawn taken and for the pawn that moves. 144000 / 3338 = 43.
    let found = plainly("4k4/9/9/9/2p6/2P6/9/9/4K4 b - 1", &["7f7e", "5i5h"]);
    assert_eq!(found, (6, vec![2666 + 336 + 336, 2666], vec![43, 54]));
}

#[test]
fn term_10_a_check_and_a_further_one() {
    // Six moves of the gold and five of the king: 16000 / 11 = 1454. Three moves give check: 1600 more, and another
    // 1600 after a check. 144000 / 3054 = 47, 144000 / 4654 = 30, 144000 / 1454 = 99.
    let (sfen, moves) = ("4k4/9/4G4/9/9/9/9/9/4K4 b - 1", ["5c4b", "5c5b", "5c4c"]);
    assert_eq!(plainly(sfen, &moves), (11, vec![3054, 3054, 1454], vec![47, 47, 99]));
    let found = listed(sfen, &moves, |context| context.checked_before = true);
    assert_eq!(found, (11, vec![4654, 4654, 1454], vec![30, 30, 99]));
}

#[test]
fn term_11_a_fork_counts_for_both_pieces() {
    // Two moves of the knight and three of the king: 3200. From 6f it attacks a silver and a gold: (86 + 103) · 16 =
    // 3024, and it is the best quiet move: 1600. From 8f it attacks the silver: 1376. 144000 / 7824 = 18, 144000 / 4576
    // = 31.
    let found = plainly("8k/9/9/2s1g4/9/9/9/2N6/K8 b - 1", &["7h6f", "7h8f"]);
    assert_eq!(found, (5, vec![3200 + 3024 + 1600, 3200 + 1376], vec![18, 31]));
}

#[test]
fn terms_11_and_12_count_guarded_and_cheaper_pieces() {
    // The silver has five moves and the king too: 16000 / 10 = 1600. From 4f, 5f and 6f the silver attacks a pawn that
    // a gold guards: 21 · 16 = 336. Three moves are equal, so that none has term 17.
    let moves = ["5g5f", "5g4f", "5g4h"];
    let found = plainly("4k4/9/9/4g4/4p4/9/4S4/9/4K4 b - 1", &moves);
    assert_eq!((found.0, found.1), (10, vec![1600 + 336, 1600 + 336, 1600]));
    // A silver that another silver attacks and a gold guards: 86 points for each of its moves. It has a single
    // defender, so that term 16 adds 86 more. Five moves of the silver, five of the gold, three of the king: 16000 / 13
    // = 1230.
    let found = plainly("8k/9/9/9/5s3/6S2/6G2/9/K8 b - 1", &["3f2e", "3f3e", "3g3h"]);
    assert_eq!((found.0, found.1), (13, vec![1230 + 1376 + 1376, 1230 + 1376 + 1376, 1230]));
}

#[test]
fn terms_2_and_13_evasions_and_the_capture_of_the_checker() {
    // Five evasions: 3200 + 16000, at 144000 / 19200 = 7. The captures have 21 points for the pawn and 100 for the
    // checker: 19200 + 336 + 1600 = 21136, at 6.
    let moves = ["5i5h", "4i5h", "5i4h", "5i6h", "5i6i"];
    let found = plainly("4k4/9/9/9/9/9/9/4p4/4KS3 b - 1", &moves);
    let wanted = vec![21_136, 21_136, 19_200, 19_200, 19_200];
    assert_eq!(found, (5, wanted, vec![6, 6, 7, 7, 7]));
}

#[test]
fn term_14_a_promotion() {
    // Two moves of the pawn and three of the king: 3200; 1600 for the promotion. Both forms are listed.
    let found = plainly("8k/9/9/P8/9/9/9/9/K8 b - 1", &["9d9c+", "9d9c"]);
    assert_eq!(found, (5, vec![4800, 3200], vec![30, 45]));
}

#[test]
fn term_16_the_piece_behind_a_pin_and_the_piece_that_another_is_tied_to() {
    // The lance's line goes through the pawn to the gold. Ten moves: 1600. The gold's moves have 103 · 16 = 1648 more.
    // The pawn attacks the lance (58 points) and is under attack (21 points): 1600 + 928 + 336. Six moves of the gold
    // are equal, so that none has term 17. 144000 / 3248 = 44, 144000 / 2864 = 50.
    let found = plainly("8k/9/4l4/9/4P4/9/4G4/9/K8 b - 1", &["5g5f", "5e5d", "9i9h"]);
    assert_eq!(found, (10, vec![3248, 2864, 1600], vec![44, 50, 90]));
    // The pawn has a single defender, the silver: 21 points more for the pawn. Eight moves: 2000. It is the best quiet
    // move: 2000 + 928 + 336 + 336 + 1600 = 5200, at 27.
    let found = plainly("8k/9/4l4/9/4P4/4S4/9/9/K8 b - 1", &["5e5d", "5f4e"]);
    assert_eq!(found, (8, vec![5200, 2000], vec![27, 72]));
}

#[test]
fn term_15_multiplies_the_cost_beyond_the_nominal_depth() {
    let costs = CostRules::new(&Parameters::preset(Preset::Paper));
    let cost = |interest: i32, ply: usize| {
        let budgets = Budgets { us: 5, them: 900 };
        CostFunction::new(&costs, 16_000, budgets, ply, 200, false).cost(interest * 16)
    };
    // A limit of 200 is 200 / 50 = 4 plies. 9000 / 20 = 450; eight plies beyond, times 1 + 8/16; at most twice.
    assert_eq!([4, 12, 20, 40].map(|ply| cost(20, ply)), [450, 675, 900, 900]);
    // 9000 / 900 = 10; one ply beyond: 10 · 17/16 = 10.6.
    assert_eq!([0, 5, 12].map(|ply| cost(900, ply)), [10, 10, 15]);
    // Nothing is free, however interesting it is.
    assert_eq!(cost(20_000, 0), 1);
}

#[test]
fn the_root_is_picked_like_any_node_with_term_4_and_similar_moves() {
    // Five moves of the king and 79 drops of the gold: 16000 / 84 = 190. Five drops give check: 190 + 1600 = 1790, at
    // 144000 / 1790 = 80. After one of them another one counts 1/2 as a drop and 0.7 of that as a check: 626, at 230.
    // At the limit of 200 it is not affordable, since 80 + 230 = 310, so that one move is searched.
    //
    // The best move has 25 (term 3), 100 (term 4) and, as the best quiet move, 100 (term 17) more from the second
    // iteration on: 1790 + 3600 = 5390, at 26. At the limit of 300 the next one is affordable, 26 + 230 = 256. The
    // third would count 1790 / 3 · 0.7 = 417, at 345: 256 + 345 = 601, too much for 300 and 400.
    let request = ExplainRequest {
        limits: SearchLimits { limit: Some(400), ..SearchLimits::default() },
        parameters: Parameters::preset(Preset::Paper),
        evaluation: Evaluation::builtin(),
        hash_bytes: 1 << 20,
        node: None,
    };
    let sfen = "4k4/9/9/9/9/9/9/9/4K4 b G 1";
    let shown = explain(&Game::new(Position::from_sfen(sfen).unwrap()), &request).unwrap();
    let runs = |limit: i32| {
        let all = shown.node.moves.iter().flat_map(|view| &view.runs);
        let mut found: Vec<_> = all.filter(|run| run.limit == limit).collect();
        found.sort_by_key(|run| run.place);
        found.iter().map(|run| (run.cost, run.siblings_cost, run.charge)).collect::<Vec<_>>()
    };
    assert_eq!(shown.search.limits, [200, 300, 400]);
    assert_eq!(runs(200), [(80, 0, 80)]);
    // The charge includes the siblings.
    assert_eq!(runs(300), [(26, 0, 26), (230, 26, 256)]);
    assert_eq!(runs(400), [(26, 0, 26), (230, 26, 256)]);
}
