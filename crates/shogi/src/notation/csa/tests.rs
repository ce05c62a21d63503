use expect_test::{Expect, expect};

use super::*;

fn block(text: &str) -> Result<String, CsaPositionError> {
    parse_position_block(text.lines()).map(|position| position.to_sfen())
}

fn refused(text: &str, message: &Expect) {
    message.assert_eq(&block(text).unwrap_err().to_string());
}

#[test]
fn the_initial_position_is_written_as_in_the_specification() {
    expect![[r"
        P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
        P2 * -HI *  *  *  *  * -KA * 
        P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
        P4 *  *  *  *  *  *  *  *  * 
        P5 *  *  *  *  *  *  *  *  * 
        P6 *  *  *  *  *  *  *  *  * 
        P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
        P8 * +KA *  *  *  *  * +HI * 
        P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
        +
    "]]
    .assert_eq(&format_position(&Position::startpos()));
}

#[test]
fn rows_may_lack_their_last_blanks_or_have_blanks_squeezed() {
    let text = format_position(&Position::startpos());
    let start = Position::startpos().to_sfen();
    assert_eq!(block(&text).unwrap(), start);
    let mut squeezed = text.clone();
    while squeezed.contains("  ") {
        squeezed = squeezed.replace("  ", " ");
    }
    assert_eq!(block(&squeezed).unwrap(), start);
    assert_eq!(block(&text.replace("P4 *  *  *  *  *  *  *  *  * ", "P4")).unwrap(), start);
    assert_eq!(block(&text.replace(" * ", "   ")).unwrap(), start);
    assert_eq!(block(&text.replace(" * ", "*")).unwrap(), start);
}

#[test]
fn hands_single_pieces_and_all_the_rest_are_read() {
    assert_eq!(
        block("P-51OU\nP+53FU00KI00FU\nP-00AL\n+").unwrap(),
        "4k4/9/4P4/9/9/9/9/9/9 b GP2r2b3g4s4n4l16p 1"
    );
    assert_eq!(block("PI\nP+\nP-\n+").unwrap(), Position::startpos().to_sfen());
    assert_eq!(
        block("PI82HI22KA91KY\n-").unwrap(),
        "1nsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
    );
}

#[test]
fn wrong_positions_are_refused_with_line_and_column() {
    refused("+", &expect!["the position has no board; expected PI or P1 to P9"]);
    refused("P+\nP-\n+", &expect!["the position has no board; expected PI or P1 to P9"]);
    refused("PI", &expect!["the line with the side to move (+ or -) is missing"]);
    refused("P1-KY\n+", &expect!["row P2 is missing"]);
    refused(
        "PI\nP0\n+",
        &expect!["line 2: 'P0' is no line of a position; expected P1 to P9, PI, P+, P-, + or -"],
    );
    refused(
        "PI82KA\n+",
        &expect![
            "line 1, column 3: '82KA' is no piece of the initial position with its square, as 82HI"
        ],
    );
    refused("PI82\n+", &expect!["line 1, column 3: '82' is no square and piece, as 82HI"]);
    refused("P1-KY-XX\n+", &expect!["line 1, column 6: 'XX' is no piece, as FU"]);
    refused(
        "P1 * x\n+",
        &expect!["line 1, column 6: 'x' is no square of a row; expected ' * ' or a piece, as +FU"],
    );
    refused(
        "P1 *  *  *  *  *  *  *  *  * -FU\n+",
        &expect!["line 1, column 30: the row has more than 9 squares"],
    );
    refused("PI\nP+00OU\n+", &expect!["line 2, column 3: '00OU' is no piece that can be in hand"]);
    refused(
        "PI\nP+00FU\n+",
        &expect!["line 2, column 3: there are 19 pawns on the board and in hand; a set has 18"],
    );
    refused(
        "PI\nP+55OU\n+",
        &expect!["line 2, column 3: there are 3 kings on the board and in hand; a set has 2"],
    );
    refused(
        "P+55OU45OU\n+",
        &expect!["line 1, column 3: black has a second king on 5e; take one away"],
    );
    refused(
        "P+55OU51KE\n+",
        &expect![
            "line 1, column 7: the black knight on 5a could never move; promote it or place it elsewhere"
        ],
    );
    refused("PI\nP+77FU\n+", &expect!["line 2, column 3: 7g holds a piece already"]);
    refused(
        "P+55歩\n+",
        &expect![
            "line 1, column 3: '55歩' is no square (00 for the hand) and piece, as 99KY or 00FU"
        ],
    );
}

#[test]
fn moves_are_checked_against_the_board() {
    let start = Position::startpos();
    let refused = |text: &str, message: &Expect| {
        message.assert_eq(&parse_move(&start, text).unwrap_err().to_string());
    };
    refused(
        "7776FU",
        &expect!["'7776FU' is no move; expected a sign, two squares and a piece, as +7776FU"],
    );
    refused(
        "+7776FU,T1",
        &expect!["'+7776FU,T1' is no move; expected a sign, two squares and a piece, as +7776FU"],
    );
    refused(
        "+7777FU",
        &expect!["'+7777FU' is no move; expected a sign, two squares and a piece, as +7776FU"],
    );
    refused(
        "+0070FU",
        &expect!["'+0070FU' is no move; expected a sign, two squares and a piece, as +7776FU"],
    );
    refused("-3334FU", &expect!["-3334FU: it is black's turn"]);
    refused("+5554FU", &expect!["+5554FU: black has no piece on 5e"]);
    refused("+3334FU", &expect!["+3334FU: black has no piece on 3c"]);
    refused("+7776KI", &expect!["+7776KI: the piece on 7g is FU, not KI"]);
    refused("+0055TO", &expect!["+0055TO: TO cannot be dropped"]);
    refused("+0055OU", &expect!["+0055OU: OU cannot be dropped"]);
    // Not legal, but well formed. Legality is not checked.
    assert!(!start.is_legal(parse_move(&start, "+7776TO").unwrap()));
    assert!(!start.is_legal(parse_move(&start, "+0055FU").unwrap()));
}

#[test]
fn a_promotion_is_recognised_by_the_piece_after_the_move() {
    let position = Position::from_sfen("4k4/9/2+B1P4/9/9/9/9/9/4K4 b R 1").unwrap();
    for (csa, usi) in
        [("+5352TO", "5c5b+"), ("+5352FU", "5c5b"), ("+7362UM", "7c6b"), ("+0022HI", "R*2b")]
    {
        let mv = parse_move(&position, csa).unwrap();
        assert_eq!(mv.to_string(), usi);
        assert_eq!(format_move(&position, mv), csa);
    }
    assert!(parse_move(&position, "+7362KA").is_err());
}
