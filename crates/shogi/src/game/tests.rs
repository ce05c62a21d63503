use super::*;
use crate::notation::usi::parse_move;

fn play(start: &str, moves: &str) -> Game {
    let mut game = Game::new(Position::from_sfen(start).unwrap());
    for text in moves.split_whitespace() {
        game.push(parse_move(text).unwrap()).unwrap_or_else(|error| panic!("{error}"));
    }
    game
}

/// The results with the start position counted, and without it as servers count.
fn verdicts(game: &Game) -> [Option<Repetition>; 2] {
    [game.repetition(CountStart::Yes), game.repetition(CountStart::No)]
}

const EVEN: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const LOOP: &str = " 5i5h 5a5b 5h5i 5b5a";

#[test]
fn back_and_forth_from_the_start_ends_at_ply_12_by_the_rules_and_13_on_servers() {
    let mut game = play(EVEN, &LOOP.repeat(3));
    assert_eq!(verdicts(&game), [Some(Repetition::Sennichite), None]);
    assert_eq!(game.repetition_count(CountStart::Yes), 4);
    assert_eq!(game.repetition_count(CountStart::No), 3);
    game.push(parse_move("5i5h").unwrap()).unwrap();
    assert_eq!(verdicts(&game), [Some(Repetition::Sennichite); 2]);
    game.pop();
    game.pop();
    assert_eq!(verdicts(&game), [None, None]);
}

// The rook on file 5 gives check with every move; white's king has two squares.
//
//   . . . . k . . . .
//   . . . . . . . . .
//   R . . . . . . . .     black to move: 9c5c+ is check
const CHASE: &str = "4k4/9/+R8/9/9/9/9/9/K8 b - 1";
const CHASE_LOOP: &str = " 9c5c 5a4a 5c4c 4a5a 4c5c 5a4a 5c4c 4a5a 4c5c 5a4a 5c4c 4a5a 4c5c";

#[test]
fn the_checker_loses_when_it_made_the_last_move() {
    let game = play(CHASE, CHASE_LOOP);
    let loses = Some(Repetition::PerpetualCheck { loser: Color::Black });
    assert_eq!(verdicts(&game), [loses; 2]);
}

#[test]
fn the_checker_loses_when_the_other_side_made_the_last_move() {
    // The position after the king's move to 4a with the dragon on 5c repeats from the first check on.
    let game = play("5k3/9/4+R4/9/9/9/9/9/K8 b - 1", &" 5c4c 4a5a 4c5c 5a4a".repeat(3));
    let loses = Some(Repetition::PerpetualCheck { loser: Color::Black });
    assert_eq!(verdicts(&game), [loses, None]);
}

#[test]
fn a_run_of_checks_may_have_begun_within_the_first_cycle() {
    // In the first cycle black makes one move without check.
    let once = " 5c6c 4a3a 6c5c 3a4a";
    let again = " 5c4c 4a5a 4c5c 5a4a";
    let game = play("5k3/9/4+R4/9/9/9/9/9/K8 b - 1", &format!("{once}{}", again.repeat(2)));
    // Only two of the four occurrences follow a check, so the game is a draw.
    assert_eq!(verdicts(&game), [Some(Repetition::Sennichite), None]);
    // The first of the counted occurrences follows a move without check, the other three a check.
    let game = play("5k3/9/4+R4/9/9/9/9/9/K8 b - 1", &format!("{once}{}", again.repeat(3)));
    let loses = Some(Repetition::PerpetualCheck { loser: Color::Black });
    assert_eq!(verdicts(&game), [loses; 2]);
}

#[test]
fn one_quiet_move_in_the_run_makes_it_a_draw() {
    let quiet = " 5c4c 4a5a 4c5c 5a4a 5c6c 4a3a 6c5c 3a4a";
    let game = play("5k3/9/4+R4/9/9/9/9/9/K8 b - 1", &quiet.repeat(2));
    assert_eq!(verdicts(&game), [Some(Repetition::Sennichite), Some(Repetition::Sennichite)]);
}

#[test]
fn an_illegal_move_does_not_change_the_game() {
    let mut game = play(EVEN, "7g7f");
    let mv = parse_move("7g7f").unwrap();
    assert_eq!(game.push(mv), Err(IllegalMove { mv, ply: 2 }));
    assert_eq!((game.len(), game.position().ply()), (1, 2));
    assert_eq!(game.keys().len(), 2);
    assert_eq!(game.checks().filter(|&check| check).count(), 0);
}
