mod terms;

use super::*;
use kyomi_shogi::{Game, PieceKind, PositionBuilder, Square};

/// The mirrored board.
fn mirrored(position: &Position) -> Position {
    let mut builder = PositionBuilder::from(position);
    for square in Square::all() {
        let other = Square::new(10 - square.file(), square.rank()).unwrap();
        match position.piece_on(other) {
            Some(piece) => builder.put(square, piece),
            None => builder.clear(square),
        };
    }
    builder.build().unwrap()
}

fn random_game(seed: u64, plies: usize, mut visit: impl FnMut(&Game)) {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut game = Game::default();
    for _ in 0..plies {
        visit(&game);
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            break;
        }
        game.push(moves[random.usize(..moves.len())]).unwrap();
    }
}

/// Compares the values of an evaluator with values from scratch on random lines, with moves that are taken back and
/// null moves.
pub(super) fn is_updated(evaluator: &mut impl Evaluator, afresh: impl Fn(&Position) -> i32) {
    for seed in 0..20 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut position = Position::startpos();
        evaluator.reset(&position);
        for _ in 0..200 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            // The position is left again, whether it was evaluated or not.
            let tried = moves[random.usize(..moves.len())];
            evaluator.push(&position, tried);
            let undo = position.do_move(tried);
            if random.bool() {
                assert_eq!(evaluator.value(&position), afresh(&position));
            }
            evaluator.pop();
            position.undo_move(tried, undo);
            if random.bool() {
                assert_eq!(evaluator.value(&position), afresh(&position));
            }
            if random.u32(..8) == 0 && !position.in_check() {
                evaluator.push_null(&position);
                position.do_null_move();
            } else {
                let mv = moves[random.usize(..moves.len())];
                evaluator.push(&position, mv);
                position.do_move(mv);
            }
        }
    }
}

#[test]
fn rotating_the_board_changes_nothing() {
    for seed in 0..30 {
        random_game(seed, 150, |game| {
            let (position, other) = (game.position(), game.position().rotated());
            assert_eq!(
                evaluate_from_scratch(position),
                evaluate_from_scratch(&other),
                "{position:?}"
            );
            assert_eq!(evaluate_material(position), evaluate_material(&other), "{position:?}");
            let (features, others) = (Features::of(position), Features::of(&other));
            assert_eq!(features.progress, others.progress);
            for color in Color::ALL {
                let sorted = |features: &Features, color: Color| {
                    let mut list = features.sides[color.index()].clone();
                    list.sort_unstable();
                    list
                };
                assert_eq!(sorted(&features, color), sorted(&others, !color), "{position:?}");
            }
        });
    }
}

#[test]
fn a_mirror_changes_nothing_unless_a_king_is_on_the_middle_file() {
    let mut compared = 0;
    for seed in 200..230 {
        random_game(seed, 200, |game| {
            let position = game.position();
            let middle = |color| position.king_square(color).is_some_and(|king| king.file() == 5);
            if !Color::ALL.into_iter().any(middle) {
                let value = evaluate_from_scratch(position);
                assert_eq!(value, evaluate_from_scratch(&mirrored(position)), "{position:?}");
                compared += 1;
            }
        });
    }
    assert!(compared > 1000, "{compared}");
}

#[test]
fn the_running_sum_equals_the_sum_from_scratch() {
    for seed in 100..130 {
        let mut position = Position::startpos();
        let mut running = RunningSum::of(&position);
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..200 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.usize(..moves.len())];
            let undo = position.do_move(mv);
            running = running.after(mv, undo.captured(), &position);
            assert_eq!(running, RunningSum::of(&position), "{mv} {position:?}");
        }
    }
}

#[test]
fn the_evaluation_is_the_sum_of_the_weights_of_the_features() {
    let mut seen = 0;
    for seed in 300..330 {
        random_game(seed, 150, |game| {
            let position = game.position();
            let features = Features::of(position);
            let [black, white] = features.sides.each_ref().map(|list| {
                list.iter()
                    .fold(TaperedWeight::default(), |sum, at| sum + TaperedWeight::of(*at as usize))
            });
            let (begin, end) = ((black - white).begin(), (black - white).end());
            let whole = Features::WHOLE;
            let sum = begin * (whole - features.progress) + end * features.progress;
            let value = for_side_to_move(position, sum / (whole * SCALE));
            assert_eq!(value, evaluate_from_scratch(position), "{position:?}");
            seen += 1;
        });
    }
    assert!(seen > 3000, "{seen}");
}

#[test]
fn the_start_position_has_only_tempo() {
    let start = Position::startpos();
    assert_eq!(RunningSum::of(&start).total(), TaperedWeight::default());
    let tempo = TaperedWeight::of(layout::TEMPO).begin() / SCALE;
    assert_eq!(evaluate_from_scratch(&start), tempo);
    assert!((0..100).contains(&tempo), "{tempo}");
    assert_eq!(evaluate_material(&start), 0);
}

#[test]
fn an_extra_piece_raises_the_value() {
    let even =
        Position::from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    let odd = Position::from_sfen("lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b B 1");
    let (even, odd) = (even.unwrap(), odd.unwrap());
    assert!(evaluate_from_scratch(&odd) > evaluate_from_scratch(&even) + 1000);
    assert_eq!(evaluate_material(&odd), board_value(PieceKind::Bishop) + 740);
}

#[test]
fn all_pieces_in_one_hand_stay_in_range() {
    for all in [
        "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
        "9/9/9/9/4k4/9/9/9/9 b 2R2B4G4S4N4L18P 1",
        "9/9/9/9/9/9/9/9/9 b 2r2b4g4s4n4l18p 1",
    ] {
        let position = Position::from_sfen(all).unwrap();
        assert!(evaluate_from_scratch(&position).abs() <= MAX);
        assert!(evaluate_from_scratch(&position).abs() > 5000);
    }
}
