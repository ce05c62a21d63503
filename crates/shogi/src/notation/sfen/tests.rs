use expect_test::{Expect, expect};

use super::*;

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Compares the errors of some texts that begin in the same way, each on a line after the rest of its text.
fn refused(begin: &str, rests: &[&str], messages: &Expect) {
    let error = |rest: &&str| {
        let error = parse(&format!("{begin}{rest}")).unwrap_err();
        format!("{}: {error}\n", rest.escape_debug())
    };
    messages.assert_eq(&rests.iter().map(error).collect::<String>());
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
        &[
            "",
            "9/9/9 b - 1",
            "9/9/9/9/9/9/9/9/9/9 b - 1",
            "9/8/9/9/9/9/9/9/9 b - 1",
            "9/9k/9/9/9/9/9/9/9 b - 1",
        ],
        &expect![[r"
        : column 1: the board is missing; an SFEN is BOARD SIDE HANDS MOVE-NUMBER
        9/9/9 b - 1: column 6: the board has 3 rows instead of 9
        9/9/9/9/9/9/9/9/9/9 b - 1: column 18: the board has 10 rows instead of 9
        9/8/9/9/9/9/9/9/9 b - 1: column 4: row 2 has 8 squares instead of 9
        9/9k/9/9/9/9/9/9/9 b - 1: column 4: row 2 has 10 squares instead of 9
    "]],
    );
    assert!(parse("9/9/9/9/9/9/9/9/45 b -").is_ok());
}

#[test]
fn wrong_pieces_are_refused_with_their_column() {
    refused(
        "",
        &[
            "9/4x4/9/9/9/9/9/9/9 b - 1",
            "9/4\u{1b}4/9/9/9/9/9/9/9 b - 1",
            "9/4+g4/9/9/9/9/9/9/9 b - 1",
            "9/9/9/9/9/9/9/9/8+ b - 1",
            "4k4/4k4/9/9/9/9/9/9/9 b - 1",
            "8P/9/9/9/9/9/9/9/9 b - 1",
            "9/9/9/9/9/9/9/9/n8 b - 1",
            "3RRR3/9/9/9/9/9/9/9/9 b - 1",
        ],
        &expect![[r"
        9/4x4/9/9/9/9/9/9/9 b - 1: column 4: 'x' is no piece; expected one of PLNSGBRK plnsgbrk, '+' before one of PLNSBR, or 1 to 9 empty squares
        9/4\u{1b}4/9/9/9/9/9/9/9 b - 1: column 4: '\u{1b}' is no piece; expected one of PLNSGBRK plnsgbrk, '+' before one of PLNSBR, or 1 to 9 empty squares
        9/4+g4/9/9/9/9/9/9/9 b - 1: column 4: '+' must be followed by a piece that can promote (PLNSBR or plnsbr)
        9/9/9/9/9/9/9/9/8+ b - 1: column 18: '+' must be followed by a piece that can promote (PLNSBR or plnsbr)
        4k4/4k4/9/9/9/9/9/9/9 b - 1: column 6: white has a second king on 5b; take one away
        8P/9/9/9/9/9/9/9/9 b - 1: column 2: the black pawn on 1a could never move; promote it or place it elsewhere
        9/9/9/9/9/9/9/9/n8 b - 1: column 17: the white knight on 9i could never move; promote it or place it elsewhere
        3RRR3/9/9/9/9/9/9/9/9 b - 1: column 1: there are 3 rooks on the board and in hand; a set has 2
    "]],
    );
}

#[test]
fn wrong_hands_and_ends_are_refused_with_their_column() {
    refused(
        "4k4/9/9/9/9/9/9/9/4K4 ",
        &[
            "",
            "x - 1",
            "b",
            "b K 1",
            "b 2",
            "b 0P",
            "b 19p 1",
            "b 123P 1",
            "b 3R 1",
            "b 2R1r 1",
            "b -P 1",
            "b - 65536",
            "b - -1",
            "b - 1 moves",
        ],
        &expect![[r"
        : column 23: the side to move is missing; an SFEN is BOARD SIDE HANDS MOVE-NUMBER
        x - 1: column 23: 'x' is no side to move; expected b or w
        b: column 24: the list of pieces in hand is missing; an SFEN is BOARD SIDE HANDS MOVE-NUMBER
        b K 1: column 25: 'K' is no piece in hand; expected '-' alone, or pieces of PLNSGBR plnsgbr each after its count if above 1
        b 2: column 25: '2' is no count of pieces in hand; expected 2 to 18 before a piece
        b 0P: column 25: '0' is no count of pieces in hand; expected 2 to 18 before a piece
        b 19p 1: column 25: '19' is no count of pieces in hand; expected 2 to 18 before a piece
        b 123P 1: column 27: '123' is no count of pieces in hand; expected 2 to 18 before a piece
        b 3R 1: column 25: there are 3 rooks on the board and in hand; a set has 2
        b 2R1r 1: column 1: there are 3 rooks on the board and in hand; a set has 2
        b -P 1: column 25: '-' is no piece in hand; expected '-' alone, or pieces of PLNSGBR plnsgbr each after its count if above 1
        b - 65536: column 27: '65536' is no move number; expected 1 to 65535
        b - -1: column 27: '-1' is no move number; expected 1 to 65535
        b - 1 moves: column 29: 'moves' follows the move number; nothing should
    "]],
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
