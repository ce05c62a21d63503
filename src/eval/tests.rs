use super::*;
use crate::shogi::{Game, PositionBuilder};

/// The board turned round, the sides swapped.
fn flipped(position: &Position) -> Position {
    let mut builder = PositionBuilder::new();
    for square in Square::all() {
        if let Some(piece) = position.piece_on(square) {
            builder.put(square.rotated(), Piece::new(!piece.color(), piece.kind()));
        }
    }
    for color in Color::ALL {
        for (kind, count) in position.hand(color).iter() {
            builder.set_hand(!color, kind, count);
        }
    }
    builder.set_side(!position.side_to_move());
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

#[test]
fn turning_the_board_round_changes_nothing() {
    for seed in 0..30 {
        random_game(seed, 150, |game| {
            let position = game.position();
            assert_eq!(
                evaluate_afresh(position),
                evaluate_afresh(&flipped(position)),
                "{position:?}"
            );
        });
    }
}

#[test]
fn the_running_sum_equals_the_sum_from_nothing() {
    for seed in 100..130 {
        let mut position = Position::startpos();
        let mut running = Running::of(&position);
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..200 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.usize(..moves.len())];
            let undo = position.do_move(mv);
            running = running.after(mv, undo.captured(), &position);
            assert_eq!(running, Running::of(&position), "{mv} {position:?}");
        }
    }
}

#[test]
fn the_start_is_worth_the_move_only() {
    assert_eq!(evaluate_afresh(&Position::startpos()), TEMPO);
}

#[test]
fn a_piece_more_is_better() {
    let even =
        Position::from_sfen("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
    let odd = Position::from_sfen("lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b B 1");
    assert!(evaluate_afresh(&odd.unwrap()) > evaluate_afresh(&even.unwrap()) + 1000);
}

#[test]
fn everything_in_one_hand_stays_in_range() {
    let all = "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1";
    let position = Position::from_sfen(all).unwrap();
    assert!(evaluate_afresh(&position).abs() <= MAX);
}
