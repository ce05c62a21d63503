use expect_test::{Expect, expect};

use super::*;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

fn refused(text: &str, message: &Expect) {
    message.assert_eq(&parse(text).unwrap_err().to_string());
}

#[test]
fn the_number_of_the_move_may_be_missing_and_blanks_may_be_many() {
    let start = Position::startpos();
    assert_eq!(parse(START.strip_suffix(" 1").unwrap()).as_ref(), Ok(&start));
    assert_eq!(parse(&format!("  {}\t", START.replace(' ', "   "))).as_ref(), Ok(&start));
    assert_eq!(parse(&START.replace(" 1", " 0")).as_ref(), Ok(&start));
    assert_eq!(parse(&START.replace(" 1", " 65535")).unwrap().ply(), u16::MAX);
}

#[test]
fn hands_are_read_in_any_order_and_written_in_the_usual_one() {
    let position = parse("4k4/9/9/9/9/9/9/9/4K4 w pPr2G10pS 7").unwrap();
    assert_eq!(format(&position), "4k4/9/9/9/9/9/9/9/4K4 w 2GSPr11p 7");
}

#[test]
fn wrong_boards_are_refused_with_their_column() {
    refused(
        "",
        &expect!["column 1: the board is missing; an SFEN is BOARD SIDE HANDS MOVE-NUMBER"],
    );
    refused("9/9/9 b - 1", &expect!["column 6: the board has 3 rows instead of 9"]);
    refused("9/9/9/9/9/9/9/9/9/9 b - 1", &expect!["column 18: the board has 10 rows instead of 9"]);
    refused("9/8/9/9/9/9/9/9/9 b - 1", &expect!["column 4: row 2 has 8 squares instead of 9"]);
    refused("9/9k/9/9/9/9/9/9/9 b - 1", &expect!["column 4: row 2 has 10 squares instead of 9"]);
    assert!(parse("9/9/9/9/9/9/9/9/45 b -").is_ok());
}

#[test]
fn wrong_pieces_are_refused_with_their_column() {
    refused(
        "9/4x4/9/9/9/9/9/9/9 b - 1",
        &expect![
            "column 4: 'x' is no piece; expected one of PLNSGBRK plnsgbrk, '+' before one of PLNSBR, or 1 to 9 empty squares"
        ],
    );
    refused(
        "9/4\u{1b}4/9/9/9/9/9/9/9 b - 1",
        &expect![[
            r"column 4: '\u{1b}' is no piece; expected one of PLNSGBRK plnsgbrk, '+' before one of PLNSBR, or 1 to 9 empty squares"
        ]],
    );
    refused(
        "9/4+g4/9/9/9/9/9/9/9 b - 1",
        &expect!["column 4: '+' must be followed by a piece that can promote (PLNSBR or plnsbr)"],
    );
    refused(
        "9/9/9/9/9/9/9/9/8+ b - 1",
        &expect!["column 18: '+' must be followed by a piece that can promote (PLNSBR or plnsbr)"],
    );
    refused(
        "4k4/4k4/9/9/9/9/9/9/9 b - 1",
        &expect!["column 6: white has a second king on 5b; take one away"],
    );
    refused(
        "8P/9/9/9/9/9/9/9/9 b - 1",
        &expect![
            "column 2: the black pawn on 1a could never move; promote it or place it elsewhere"
        ],
    );
    refused(
        "9/9/9/9/9/9/9/9/n8 b - 1",
        &expect![
            "column 17: the white knight on 9i could never move; promote it or place it elsewhere"
        ],
    );
    refused(
        "3RRR3/9/9/9/9/9/9/9/9 b - 1",
        &expect!["column 1: there are 3 rooks on the board and in hand; a set has 2"],
    );
}

#[test]
fn wrong_hands_and_ends_are_refused_with_their_column() {
    let with = |rest: &str| format!("4k4/9/9/9/9/9/9/9/4K4 {rest}");
    refused(
        &with(""),
        &expect!["column 23: the side to move is missing; an SFEN is BOARD SIDE HANDS MOVE-NUMBER"],
    );
    refused(&with("x - 1"), &expect!["column 23: 'x' is no side to move; expected b or w"]);
    refused(
        &with("b"),
        &expect![
            "column 24: the list of pieces in hand is missing; an SFEN is BOARD SIDE HANDS MOVE-NUMBER"
        ],
    );
    refused(
        &with("b K 1"),
        &expect![
            "column 25: 'K' is no piece in hand; expected '-' alone, or pieces of PLNSGBR plnsgbr each after its count if above 1"
        ],
    );
    refused(
        &with("b 2"),
        &expect!["column 25: '2' is no count of pieces in hand; expected 2 to 18 before a piece"],
    );
    refused(
        &with("b 0P"),
        &expect!["column 25: '0' is no count of pieces in hand; expected 2 to 18 before a piece"],
    );
    refused(
        &with("b 19p 1"),
        &expect!["column 25: '19' is no count of pieces in hand; expected 2 to 18 before a piece"],
    );
    refused(
        &with("b 123P 1"),
        &expect!["column 27: '123' is no count of pieces in hand; expected 2 to 18 before a piece"],
    );
    refused(
        &with("b 3R 1"),
        &expect!["column 25: there are 3 rooks on the board and in hand; a set has 2"],
    );
    refused(
        &with("b 2R1r 1"),
        &expect!["column 1: there are 3 rooks on the board and in hand; a set has 2"],
    );
    refused(
        &with("b -P 1"),
        &expect![
            "column 25: '-' is no piece in hand; expected '-' alone, or pieces of PLNSGBR plnsgbr each after its count if above 1"
        ],
    );
    refused(
        &with("b - 65536"),
        &expect!["column 27: '65536' is no move number; expected 1 to 65535"],
    );
    refused(&with("b - -1"), &expect!["column 27: '-1' is no move number; expected 1 to 65535"]);
    refused(
        &with("b - 1 moves"),
        &expect!["column 29: 'moves' follows the move number; nothing should"],
    );
}

#[test]
fn a_reason_is_the_message_without_its_column() {
    let board = "4k4/9/9/9/9/9/9/9/4K4";
    let bad = [
        String::new(),
        "X8/9".into(),
        "+G8/9".into(),
        "8/9".into(),
        "9/9".into(),
        format!("{board} x"),
        format!("{board} b X"),
        format!("{board} b 3"),
        format!("{board} b - x"),
        format!("{board} b - 1 x"),
        format!("{board} b 3R 1"),
    ];
    for text in bad {
        let error = parse(&text).unwrap_err();
        assert_eq!(error.to_string(), format!("column {}: {}", error.column(), error.reason()));
    }
}
