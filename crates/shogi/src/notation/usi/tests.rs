use expect_test::{Expect, expect};

use super::*;

#[test]
fn each_move_has_one_form() {
    for good in ["7g7f", "8h2b+", "P*5e", "R*1a"] {
        assert_eq!(parse_move(good).unwrap().to_string(), good);
    }
    for bad in [
        "", "7g", "7g7", "7g7f+ ", "7g7g", "0a1b", "7j7i", "K*5e", "p*5e", "P*5e+", "7g7f=",
        "resign", "７g7f", "A*5e", "7G7F", "P*5j",
    ] {
        assert!(parse_move(bad).is_err(), "{bad}");
    }
}

fn refused(line: &str, message: &Expect) {
    message.assert_eq(&parse_position_line(line).unwrap_err().to_string());
}

#[test]
fn wrong_position_lines_are_refused_with_their_column() {
    refused("position", &expect!["column 9: expected startpos or sfen, found ''"]);
    refused("position here", &expect!["column 10: expected startpos or sfen, found 'here'"]);
    refused("position startpos 7g7f", &expect!["column 19: expected moves, found '7g7f'"]);
    refused(
        "position startpos moves 7g7f 3c3x",
        &expect!["column 30, move 2: '3c3x' is no move; expected the form 7g7f, 8h2b+ or P*5e"],
    );
    refused("position startpos moves 7g7f 7g7f", &expect!["column 30, move 2: 7g7f is not legal"]);
    refused(
        "position sfen moves 7g7f",
        &expect!["column 14: the board is missing; an SFEN is BOARD SIDE HANDS MOVE-NUMBER"],
    );
    refused(
        "position  sfen 4k4/9/9/9/9/9/9/9/4X4 b - 1 moves 5i5h",
        &expect![
            "column 35: 'X' is no piece; expected one of PLNSGBRK plnsgbrk, '+' before one of PLNSBR, or 1 to 9 empty squares"
        ],
    );
}

#[test]
fn the_word_position_and_the_moves_may_be_missing() {
    assert!(parse_position_line("startpos").unwrap().is_empty());
    assert!(parse_position_line("startpos moves").unwrap().is_empty());
    let game = parse_position_line("sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5b").unwrap();
    assert_eq!(format_position_line(&game), "position sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves P*5b");
}

#[test]
fn the_word_sfen_may_be_missing_before_a_board() {
    let sfen = "4k4/9/9/9/9/9/9/9/4K4 b P 7";
    for line in [sfen.to_owned(), format!("position {sfen}"), format!("{sfen} moves")] {
        assert_eq!(parse_position_line(&line).unwrap().start().to_sfen(), sfen, "{line}");
    }
    assert_eq!(parse_position_line(&format!("{sfen} moves P*5b 5a5b")).unwrap().len(), 2);
    refused("4k4/9 b - 1", &expect!["column 6: the board has 2 rows instead of 9"]);
    refused(
        "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 7 P*5b",
        &expect!["column 34: expected moves, found 'P*5b'"],
    );
}

#[test]
fn moves_before_a_fault_can_be_kept() {
    let (start, moves) = parse_start("startpos moves 7g7f 3c3d x").unwrap();
    assert_eq!(start, Position::startpos());
    let read: Vec<_> = moves.map_while(Result::ok).collect();
    assert_eq!((read.len(), read[1].number, read[1].column), (2, 2, 21));
}

#[test]
fn a_line_of_very_many_words_takes_linear_time() {
    // Quadratic time would be hours.
    for line in ["sfen ".repeat(500_000), format!("startpos {}", "x ".repeat(1_000_000))] {
        assert!(parse_position_line(&line).is_err());
    }
    let there_and_back = " 2h3h 8b7b 3h2h 7b8b".repeat(25_000);
    let line = format!("startpos moves{there_and_back}");
    assert_eq!(parse_start(&line).unwrap().1.flatten().count(), 100_000);
}

#[test]
fn a_game_of_a_line_has_at_most_10000_moves() {
    let longest = format!("startpos moves{}", " 2h3h 8b7b 3h2h 7b8b".repeat(2_500));
    assert_eq!(parse_position_line(&longest).unwrap().len(), Game::MAX_PLIES);
    refused(
        &format!("{longest} 7g7f"),
        &expect!["column 50016: expected no more than 10000 moves, found '7g7f'"],
    );
}
